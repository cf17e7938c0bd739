/* SPDX-License-Identifier: MIT */
/* The names of fields and places, from the debug information of a module.
 *
 * A type object does not say which structure its instances have. It has a size, and a
 * tp_traverse; so the structure is one of that size which begins with an object's header, and
 * if there are several, the one of which tp_traverse has a variable. Names that are not certain
 * are not reported; without libdw none are. */
#include "fields.h"

#ifdef OURO_HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fields {
    int file;
    Dwarf *dwarf;
};

#define MOST_CANDIDATES 20

/* The structures that may be that of a type. */
struct search {
    size_t size, traverse; /* of the type: see fields_name() */
    Dwarf_Die found[MOST_CANDIDATES];
    char names[MOST_CANDIDATES][100]; /* "struct node", or the name of a typedef */
    int count;
};

struct fields *
fields_open(const char *module)
{
    struct fields *fields = calloc(1, sizeof(*fields));
    int file = open(module, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = file < 0 ? NULL : dwarf_begin(file, DWARF_C_READ);
    if (fields == NULL || dwarf == NULL) {
        free(fields);
        if (file >= 0) {
            close(file);
        }
        return NULL;
    }
    *fields = (struct fields){.file = file, .dwarf = dwarf};
    return fields;
}

void
fields_close(struct fields *fields)
{
    if (fields != NULL) {
        dwarf_end(fields->dwarf);
        close(fields->file);
        free(fields);
    }
}

/* ---- reading DIEs -------------------------------------------------------------------------- */

/* The type of a member, variable or typedef; false when it has none. */
static bool
type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) != NULL &&
           dwarf_formref_die(&attribute, type) != NULL &&
           dwarf_peel_type(type, type) == 0;
}

static bool
offset_of(Dwarf_Die *member, size_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == NULL ||
        dwarf_formudata(&attribute, &value) != 0) {
        return false;
    }
    *offset = (size_t)value;
    return true;
}

static bool
is_structure(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_structure_type || dwarf_tag(die) == DW_TAG_class_type;
}

/* Is it an object's header, or a structure that begins with one? */
static bool
begins_with_header(Dwarf_Die *structure)
{
    Dwarf_Die member, type;
    const char *name = dwarf_diename(structure);
    if (name != NULL && strcmp(name, "_object") == 0) {
        return true;
    }
    if (!is_structure(structure) || dwarf_child(structure, &member) != 0) {
        return false;
    }
    return dwarf_tag(&member) == DW_TAG_member && type_of(&member, &type) &&
           begins_with_header(&type);
}

/* ---- finding the structure ------------------------------------------------------------------- */

/* The size of the structure without an array at its end, which holds the items. */
static size_t
size_without_items(Dwarf_Die *structure)
{
    Dwarf_Die member, type;
    size_t offset, size = (size_t)dwarf_bytesize(structure);
    int more = dwarf_child(structure, &member);
    for (; more == 0; more = dwarf_siblingof(&member, &member)) {
        if (dwarf_tag(&member) == DW_TAG_member && type_of(&member, &type) &&
            dwarf_tag(&type) == DW_TAG_array_type && offset_of(&member, &offset)) {
            size = offset;
        }
    }
    return size;
}

static bool
is_candidate(struct search *search, Dwarf_Die *structure)
{
    return is_structure(structure) && dwarf_bytesize(structure) > 0 &&
           ((size_t)dwarf_bytesize(structure) == search->size ||
            size_without_items(structure) == search->size) &&
           begins_with_header(structure);
}

static void
add_candidate(struct search *search, Dwarf_Die *structure, const char *prefix,
              const char *name)
{
    for (int i = 0; i < search->count; i++) {
        if (dwarf_dieoffset(&search->found[i]) == dwarf_dieoffset(structure)) {
            return;
        }
    }
    if (search->count < MOST_CANDIDATES && name != NULL) {
        search->found[search->count] = *structure;
        snprintf(search->names[search->count++], sizeof(search->names[0]), "%s%s", prefix,
                 name);
    }
}

/* Structures with a tag, and those that only a typedef names. */
static void
look_at_die(struct search *search, Dwarf_Die *die)
{
    Dwarf_Die structure;
    if (is_candidate(search, die)) {
        add_candidate(search, die, "struct ", dwarf_diename(die));
    } else if (dwarf_tag(die) == DW_TAG_typedef && type_of(die, &structure) &&
               dwarf_diename(&structure) == NULL && is_candidate(search, &structure)) {
        add_candidate(search, &structure, "", dwarf_diename(die));
    }
}

/* Call `look` for each DIE at the top of each unit. */
static void
each_die(struct fields *fields, struct search *search,
         void (*look)(struct search *, Dwarf_Die *))
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die top, die;
    while (dwarf_get_units(fields->dwarf, unit, &unit, NULL, NULL, &top, NULL) == 0) {
        int more = dwarf_child(&top, &die);
        for (; more == 0; more = dwarf_siblingof(&die, &die)) {
            look(search, &die);
        }
    }
}

/* Keep only the candidate to which a variable below this DIE points, if there is one. */
static void
keep_used(struct search *search, Dwarf_Die *scope)
{
    Dwarf_Die die, pointer, structure;
    int more = dwarf_child(scope, &die);
    for (; more == 0 && search->count > 1; more = dwarf_siblingof(&die, &die)) {
        keep_used(search, &die);
        if (!type_of(&die, &pointer) || dwarf_tag(&pointer) != DW_TAG_pointer_type ||
            !type_of(&pointer, &structure)) {
            continue;
        }
        for (int i = 0; i < search->count; i++) {
            if (dwarf_dieoffset(&search->found[i]) == dwarf_dieoffset(&structure)) {
                search->found[0] = search->found[i];
                memmove(search->names[0], search->names[i], sizeof(search->names[0]));
                search->count = 1;
            }
        }
    }
}

static void
look_at_function(struct search *search, Dwarf_Die *die)
{
    Dwarf_Addr start;
    if (dwarf_tag(die) == DW_TAG_subprogram && dwarf_lowpc(die, &start) == 0 &&
        (size_t)start == search->traverse) {
        keep_used(search, die);
    }
}

/* ---- naming ---------------------------------------------------------------------------------------- */

/* Append the member at `offset`, and what it has there itself: "node.next", "items[2]". */
static bool
name_member(Dwarf_Die *structure, size_t offset, char *out, size_t size)
{
    Dwarf_Die member, type;
    Dwarf_Word length;
    size_t start;
    int more = dwarf_child(structure, &member);
    for (; more == 0; more = dwarf_siblingof(&member, &member)) {
        if (dwarf_tag(&member) != DW_TAG_member || !offset_of(&member, &start) ||
            !type_of(&member, &type)) {
            continue;
        }
        bool is_array = dwarf_tag(&type) == DW_TAG_array_type;
        bool is_inside =
            offset >= start &&
            ((dwarf_aggregate_size(&type, &length) == 0 && offset < start + length) ||
             (is_array && dwarf_haschildren(&type)));
        if (!is_inside || dwarf_diename(&member) == NULL) {
            continue;
        }
        size_t used = (size_t)snprintf(out, size, "%s", dwarf_diename(&member));
        if (is_array) {
            snprintf(out + used, size - used, "[%zu]", (offset - start) / sizeof(void *));
        } else if (is_structure(&type) && used + 2 < size) {
            out[used] = '.';
            return name_member(&type, offset - start, out + used + 1, size - used - 1);
        }
        return true;
    }
    return false;
}

char *
fields_name(struct fields *fields, size_t size, size_t traverse, size_t offset)
{
    static struct search search;
    char name[200], other[200], text[400];
    search = (struct search){.size = size, .traverse = traverse};
    each_die(fields, &search, look_at_die);
    each_die(fields, &search, look_at_function);
    if (search.count == 0 || !name_member(&search.found[0], offset, name, sizeof(name))) {
        return NULL;
    }
    for (int i = 1; i < search.count; i++) {
        if (!name_member(&search.found[i], offset, other, sizeof(other)) ||
            strcmp(name, other) != 0) {
            return NULL;
        }
    }
    snprintf(text, sizeof(text), "field '%s' of %s, offset %zu", name, search.names[0],
             offset);
    return strdup(text);
}

/* ---- places ------------------------------------------------------------------------------------------ */

struct place {
    const char *file, *function;
    int line;
};

static bool
is_function(Dwarf_Die *scope)
{
    int tag = dwarf_tag(scope);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Inline functions of our headers say nothing about the mistake; their callers do. */
static bool
is_in_headers(const char *file)
{
    return strstr(file, "/ouroboros/py/") != NULL;
}

/* From an inlined function to the line that calls it. */
static bool
go_to_call(struct place *place, Dwarf_Die *unit, Dwarf_Die *inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count) {
        return false;
    }
    place->file = dwarf_filesrc(files, file, NULL, NULL);
    place->line = (int)line;
    return place->file != NULL;
}

static void
find_function(struct place *place, Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, address, &scopes);
    for (int i = 0; i < count; i++) {
        if (is_function(&scopes[i])) {
            place->function = dwarf_diename(&scopes[i]);
            if (!is_in_headers(place->file) || !go_to_call(place, unit, &scopes[i])) {
                break;
            }
        }
    }
    free(scopes);
}

char *
fields_place(struct fields *fields, size_t address)
{
    Dwarf_Die unit;
    char text[400];
    struct place place = {NULL, NULL, 0};
    if (dwarf_addrdie(fields->dwarf, address, &unit) == NULL) {
        return NULL;
    }
    Dwarf_Line *line = dwarf_getsrc_die(&unit, address);
    place.file = line == NULL ? NULL : dwarf_linesrc(line, NULL, NULL);
    if (place.file == NULL || dwarf_lineno(line, &place.line) != 0) {
        return NULL;
    }
    find_function(&place, &unit, address);
    const char *slash = strrchr(place.file, '/');
    snprintf(text, sizeof(text), "%s:%d%s%s%s", slash == NULL ? place.file : slash + 1,
             place.line, place.function == NULL ? "" : " (",
             place.function == NULL ? "" : place.function,
             place.function == NULL ? "" : ")");
    return strdup(text);
}

#else

struct fields *
fields_open(const char *module)
{
    (void)module;
    return NULL;
}

void
fields_close(struct fields *fields)
{
    (void)fields;
}

char *
fields_name(struct fields *fields, size_t size, size_t traverse, size_t offset)
{
    (void)fields;
    (void)size;
    (void)traverse;
    (void)offset;
    return NULL;
}

char *
fields_place(struct fields *fields, size_t address)
{
    (void)fields;
    (void)address;
    return NULL;
}

#endif
