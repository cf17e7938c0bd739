/* SPDX-License-Identifier: MIT */
/* The members of C++ classes (ouroboros.hpp), for reports: which one is at an offset, and which
 * can hold references although the list of the class does not have it.
 *
 * A list names its class. Everything else is in the debug information of the file that contains
 * the list. readelf prints it; it runs once for each file, when there is something to report.
 * Without readelf or debug information nothing is reported. */
#include <dlfcn.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "../object/edges.h"
#include "check.h"

enum { DEPTH_MOST = 64, LINE_LENGTH = 2000, NESTING_MOST = 5 };

enum die_kind { DIE_OTHER, DIE_SPACE, DIE_CLASS, DIE_MEMBER, DIE_ALIAS };

/* One entry of the debug information, of a kind that we look at. */
struct die {
    enum die_kind kind;
    size_t offset;   /* of the entry, in the debug information: how others refer to it */
    size_t type;     /* MEMBER, ALIAS: the entry of its type */
    Py_ssize_t at;   /* MEMBER: offset in its class; else -1 */
    Py_ssize_t size; /* CLASS */
    Py_ssize_t parent; /* the entry around it, by its number; or -1 */
    char *name;        /* or NULL */
};

/* The entries of a file, in the order of their offsets. */
struct unit {
    const void *base; /* where the file is loaded */
    struct die *dies;
    Py_ssize_t count, room;
    struct unit *next;
};

static struct unit *known_units;

/* ---- reading --------------------------------------------------------------------------------- */

static enum die_kind
kind_of_tag(const char *tag)
{
    static const struct {
        const char *tag;
        enum die_kind kind;
    } kinds[] = {{"structure_type", DIE_CLASS}, {"class_type", DIE_CLASS},
                 {"member", DIE_MEMBER},        {"namespace", DIE_SPACE},
                 {"typedef", DIE_ALIAS},        {"const_type", DIE_ALIAS},
                 {"array_type", DIE_ALIAS}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(tag, kinds[i].tag) == 0) {
            return kinds[i].kind;
        }
    }
    return DIE_OTHER;
}

/* Add an entry; its number. */
static Py_ssize_t
add_die(struct unit *unit, struct die die)
{
    if (unit->count == unit->room) {
        unit->room = unit->room == 0 ? 1024 : 2 * unit->room;
        unit->dies = realloc(unit->dies, (size_t)unit->room * sizeof die);
        OURO_REQUIRE(unit->dies != NULL, "the contract checker: out of memory");
    }
    unit->dies[unit->count] = die;
    return unit->count++;
}

/* "Node", "(indirect string, offset: 0x2dd7b): Node". */
static char *
copy_name(const char *value)
{
    const char *start = strncmp(value, "(ind", 4) == 0 ? strstr(value, "): ") : NULL;
    start = start != NULL ? start + 3 : value;
    return strndup(start, strcspn(start, "\n"));
}

/* A line such as "    <161b0>   DW_AT_byte_size   : 176". */
static void
read_attribute(struct die *die, const char *line)
{
    const char *name = strstr(line, "DW_AT_");
    const char *colon = name != NULL ? strstr(name, ": ") : NULL;
    if (colon == NULL) {
        return;
    }
    const char *value = colon + 2;
    if (strncmp(name, "DW_AT_name ", 11) == 0) {
        free(die->name);
        die->name = copy_name(value); /* analyzer: the unit keeps it */
    } else if (strncmp(name, "DW_AT_byte_size", 15) == 0) {
        die->size = strtol(value, NULL, 0);
    } else if (strncmp(name, "DW_AT_data_member_location", 26) == 0) {
        die->at = strtol(value, NULL, 0);
    } else if (strncmp(name, "DW_AT_type ", 11) == 0 && value[0] == '<') {
        die->type = strtoul(value + 1, NULL, 0);
    }
}

static void
read_dies(struct unit *unit, FILE *output)
{
    char line[LINE_LENGTH], tag[32];
    Py_ssize_t parents[DEPTH_MOST + 1], current = -1;
    for (int i = 0; i <= DEPTH_MOST; i++) {
        parents[i] = -1; /* of an entry that lacks its parent */
    }
    while (fgets(line, sizeof line, output) != NULL) {
        unsigned depth;
        size_t offset;
        if (strncmp(line, " <", 2) != 0) {
            if (current >= 0) {
                read_attribute(&unit->dies[current], line);
            }
            continue;
        }
        current = -1;
        if (sscanf(line, " <%x><%zx>: Abbrev Number: %*d (DW_TAG_%31[a-z_])", &depth,
                   &offset, tag) == 3 &&
            depth < DEPTH_MOST) {
            enum die_kind kind = kind_of_tag(tag);
            Py_ssize_t parent = depth > 0 ? parents[depth - 1] : -1;
            if (kind != DIE_OTHER) {
                current = add_die(unit, (struct die){.kind = kind,
                                                     .offset = offset,
                                                     .at = -1,
                                                     .parent = parent});
            }
            parents[depth] = current;
        }
    }
}

/* The entries of the file that holds this address; NULL when it is no file of ours. */
static const struct unit *
find_unit(const void *address)
{
    Dl_info file;
    pid_t child;
    if (dladdr(address, &file) == 0) {
        return NULL;
    }
    struct unit *unit = known_units;
    while (unit != NULL && unit->base != file.dli_fbase) {
        unit = unit->next;
    }
    if (unit == NULL) {
        char *arguments[] = {"readelf", "--debug-dump=info",
                             (char *)(uintptr_t)file.dli_fname, NULL};
        unit = calloc(1, sizeof *unit);
        OURO_REQUIRE(unit != NULL, "the contract checker: out of memory");
        *unit = (struct unit){.base = file.dli_fbase, .next = known_units};
        known_units = unit;
        FILE *output = ouro_tool_start(arguments, &child);
        if (output != NULL) {
            read_dies(unit, output);
            fclose(output);
            (void)waitpid(child, NULL, 0);
        }
    }
    return unit;
}

/* ---- classes --------------------------------------------------------------------------------- */

/* Entries inside a class have the number of the class, or a larger one, as their parent. */
static bool
is_inside_class(const struct unit *unit, Py_ssize_t class_number, Py_ssize_t number)
{
    return number < unit->count && unit->dies[number].parent >= class_number;
}

/* The member that begins at an offset or is the last before it; NULL when there is none. */
static const struct die *
find_member(const struct unit *unit, Py_ssize_t class_number, Py_ssize_t offset)
{
    const struct die *found = NULL;
    for (Py_ssize_t n = class_number + 1; is_inside_class(unit, class_number, n); n++) {
        const struct die *die = &unit->dies[n];
        if (die->kind == DIE_MEMBER && die->parent == class_number && die->name != NULL &&
            die->at >= 0 && die->at <= offset && (found == NULL || die->at > found->at)) {
            found = die;
        }
    }
    return found;
}

static const Ouro_Field *
find_class_entry(const Ouro_Field *list)
{
    while (list->kind != OURO_FIELD_END && list->kind != OURO_FIELD_CLASS) {
        list++;
    }
    return list->kind == OURO_FIELD_CLASS ? list : NULL;
}

/* Is it the class of the list? Then it has the members that the list names, at the same
 * offsets. */
static bool
is_class_of(const struct unit *unit, Py_ssize_t number, const Ouro_Field *list,
            const Ouro_Field *entry)
{
    const struct die *die = &unit->dies[number];
    if (die->kind != DIE_CLASS || die->name == NULL || die->size != entry->size ||
        strcmp(die->name, entry->name) != 0) {
        return false;
    }
    for (; list != entry; list++) {
        Py_ssize_t at = list->offset - entry->length;
        const struct die *member = find_member(unit, number, at);
        if (member == NULL || member->at != at || strcmp(member->name, list->name) != 0) {
            return false;
        }
    }
    return true;
}

/* The number of the class whose list a type has; or -1. */
static Py_ssize_t
find_class(const struct unit *unit, const Ouro_Field *list)
{
    const Ouro_Field *entry = find_class_entry(list);
    Py_ssize_t number = 0;
    while (number < unit->count && !is_class_of(unit, number, list, entry)) {
        number++;
    }
    return number < unit->count ? number : -1;
}

bool
ouro_member_name(PyTypeObject *type, Py_ssize_t offset, char *name, size_t room)
{
    for (; type != NULL; type = type->tp_base) {
        const Ouro_Field *list =
            type->tp_ouro_fields != NULL ? type->tp_ouro_fields->list : NULL;
        const Ouro_Field *entry = list != NULL ? find_class_entry(list) : NULL;
        const struct unit *unit = entry != NULL ? find_unit(list) : NULL;
        Py_ssize_t number = unit != NULL ? find_class(unit, list) : -1;
        const struct die *member =
            number < 0 ? NULL : find_member(unit, number, offset - entry->length);
        if (member != NULL) {
            snprintf(name, room, "'%s' of class %s", member->name, entry->name);
            return true;
        }
    }
    return false;
}

/* ---- what can hold references ------------------------------------------------------------------ */

static int
compare_offsets(const void *key, const void *item)
{
    size_t wanted = *(const size_t *)key, offset = ((const struct die *)item)->offset;
    return (wanted > offset) - (wanted < offset);
}

static const struct die *
find_type(const struct unit *unit, size_t offset)
{
    const struct die *die = bsearch(&offset, unit->dies, (size_t)unit->count,
                                    sizeof *unit->dies, compare_offsets);
    for (int i = 0; i < NESTING_MOST && die != NULL && die->kind == DIE_ALIAS; i++) {
        offset = die->type;
        die = bsearch(&offset, unit->dies, (size_t)unit->count, sizeof *unit->dies,
                      compare_offsets);
    }
    return die;
}

/* ouro::ref and ouro::weak themselves, and templates with them inside. */
static bool
names_a_reference(const struct unit *unit, const struct die *die)
{
    const struct die *around = die->parent >= 0 ? &unit->dies[die->parent] : NULL;
    bool is_of_ouro = around != NULL && around->kind == DIE_SPACE &&
                      around->name != NULL && strcmp(around->name, "ouro") == 0;
    return (is_of_ouro && (strncmp(die->name, "ref<", 4) == 0 ||
                           strncmp(die->name, "weak<", 5) == 0)) ||
           ((strstr(die->name, "ouro::ref<") != NULL ||
             strstr(die->name, "ouro::weak<") != NULL) &&
            strncmp(die->name, "function<", 9) != 0);
}

static bool can_hold(const struct unit *unit, const struct die *type, int nesting);

/* Can a member of the class hold references? */
static bool
members_can_hold(const struct unit *unit, Py_ssize_t number, int nesting)
{
    for (Py_ssize_t n = number + 1; is_inside_class(unit, number, n); n++) {
        const struct die *die = &unit->dies[n];
        if (die->kind == DIE_MEMBER && die->parent == number && die->at >= 0 &&
            can_hold(unit, find_type(unit, die->type), nesting + 1)) {
            return true;
        }
    }
    return false;
}

static bool
can_hold(const struct unit *unit, const struct die *type, int nesting)
{
    if (type == NULL || type->kind != DIE_CLASS || type->name == NULL ||
        nesting > NESTING_MOST) {
        return false;
    }
    return names_a_reference(unit, type) ||
           members_can_hold(unit, type - unit->dies, nesting);
}

static bool
list_names(const Ouro_Field *list, const char *name)
{
    while (list->kind != OURO_FIELD_CLASS && strcmp(list->name, name) != 0) {
        list++;
    }
    return list->kind != OURO_FIELD_CLASS;
}

static void
report_forgotten(const struct unit *unit, Py_ssize_t number, const PyTypeObject *type)
{
    const Ouro_Field *list = type->tp_ouro_fields->list;
    char names[200] = "";
    for (Py_ssize_t n = number + 1; is_inside_class(unit, number, n); n++) {
        const struct die *die = &unit->dies[n];
        if (die->kind == DIE_MEMBER && die->parent == number && die->name != NULL &&
            die->at >= 0 && !list_names(list, die->name) &&
            can_hold(unit, find_type(unit, die->type), 0)) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s'%s'", used > 0 ? ", " : "",
                     die->name);
        }
    }
    if (names[0] != '\0') {
        ouro_report_type(
            OURO_GC_T01, type->tp_name,
            "the list of class %s lacks members that can hold references: %s",
            find_class_entry(list)->name, names);
    }
}

static int
look_at_type(PyTypeObject *type, void *Py_UNUSED(arg))
{
    const Ouro_Field *list =
        type->tp_ouro_fields != NULL ? type->tp_ouro_fields->list : NULL;
    const struct unit *unit =
        list != NULL && find_class_entry(list) != NULL ? find_unit(list) : NULL;
    Py_ssize_t number = unit != NULL ? find_class(unit, list) : -1;
    if (number >= 0) {
        report_forgotten(unit, number, type);
    }
    return 1;
}

void
ouro_members_report_forgotten(void)
{
    Ouro_CheckVisitTypes(look_at_type, NULL);
}
