/* SPDX-License-Identifier: MIT */
/* Reports: what is said, how often, and what follows from it.
 *
 * A mistake in a handler affects every object of the type. So it is reported once for each
 * code, type and field. The settings come from OURO_CHECK in the environment, which is a list
 * of name=value with semicolons between; docs/environment.md has the names. */
#include <pthread.h>

#include "../platform/platform.h"
#include "check.h"

#include <ouro_fields.h>

struct check_settings ouro_check_settings = {.quarantine = (size_t)1 << 20};

/* --- codes -------------------------------------------------------------------------------- */

static const struct code {
    const char *name;
    int certainty;
} codes[] = {
#define OURO_CODE(name, certainty, is_fatal) {"GC-" #name, OURO_CHECK_##certainty},
#include "codes.h"
#undef OURO_CODE
};

static bool code_is_fatal[] = {
#define OURO_CODE(name, certainty, is_fatal) is_fatal,
#include "codes.h"
#undef OURO_CODE
};

/* "GC-T01", or "T01". */
static bool
code_begins_with(int code, const char *text)
{
    const char *name = codes[code].name;
    name += strncmp(text, "GC-", 3) == 0 || text[0] == '\0' ? 0 : 3;
    return strncmp(name, text, strlen(text)) == 0;
}

enum ouro_code
ouro_code_named(const char *name)
{
    int code = 0;
    while (code < OURO_CODE_COUNT && strcmp(codes[code].name, name) != 0) {
        code++;
    }
    return (enum ouro_code)code;
}

void
Ouro_CheckSetAbort(const char *prefix, int is_fatal)
{
    for (int code = 0; code < OURO_CODE_COUNT; code++) {
        if (code_begins_with(code, prefix)) {
            code_is_fatal[code] = is_fatal != 0;
        }
    }
}

/* --- what was said -------------------------------------------------------------------------- */

/* What has been reported already, or must not be reported. */
struct said {
    int code; /* -1: all */
    char *type_name;
    Py_ssize_t offset;
    struct said *next;
};

static struct said *reported, *suppressed;
static Py_ssize_t report_counts[OURO_CODE_COUNT];
static Ouro_CheckHook report_hook;
static void *report_hook_arg;
static pthread_mutex_t report_mutex = PTHREAD_MUTEX_INITIALIZER;

static bool
is_suppressed(int code, const char *type_name)
{
    const struct said *said = suppressed;
    while (said != NULL &&
           ((said->code >= 0 && said->code != code) ||
            (said->type_name != NULL && strcmp(said->type_name, type_name) != 0))) {
        said = said->next;
    }
    return said != NULL;
}

static bool
was_reported(int code, const char *type_name, Py_ssize_t offset)
{
    const struct said *said = reported;
    while (said != NULL && (said->code != code || said->offset != offset ||
                            strcmp(said->type_name, type_name) != 0)) {
        said = said->next;
    }
    return said != NULL;
}

static struct said *
new_said(int code, const char *type_name, Py_ssize_t offset, struct said *next)
{
    struct said *said = malloc(sizeof *said);
    OURO_REQUIRE(said != NULL, "the contract checker: out of memory");
    *said =
        (struct said){code, type_name != NULL ? strdup(type_name) : NULL, offset, next};
    return said;
}

bool
ouro_report_is_new(enum ouro_code code, const char *type_name, Py_ssize_t offset)
{
    pthread_mutex_lock(&report_mutex);
    bool is_new = !is_suppressed((int)code, type_name) &&
                  !was_reported((int)code, type_name, offset) &&
                  (codes[code].certainty != OURO_CHECK_NOTE || ouro_check_settings.notes);
    pthread_mutex_unlock(&report_mutex);
    return is_new;
}

/* Must it be reported? Then it is remembered and counted. */
static bool
note_report(int code, const char *type_name, Py_ssize_t offset)
{
    if (!ouro_report_is_new((enum ouro_code)code, type_name, offset)) {
        return false;
    }
    pthread_mutex_lock(&report_mutex);
    reported = new_said(code, type_name, offset, reported);
    report_counts[code]++;
    pthread_mutex_unlock(&report_mutex);
    return true;
}

Py_ssize_t
Ouro_CheckCountReports(const char *prefix)
{
    Py_ssize_t count = 0;
    for (int code = 0; code < OURO_CODE_COUNT; code++) {
        if (code_begins_with(code, prefix != NULL ? prefix : "")) {
            count += report_counts[code];
        }
    }
    return count;
}

void
Ouro_CheckSuppress(const char *prefix, const char *type_name)
{
    for (int code = 0; code < OURO_CODE_COUNT; code++) {
        if (code_begins_with(code, prefix != NULL ? prefix : "")) {
            pthread_mutex_lock(&report_mutex);
            suppressed = new_said(code, type_name, 0, suppressed);
            pthread_mutex_unlock(&report_mutex);
        }
    }
}

void
Ouro_CheckSetReportHook(Ouro_CheckHook hook, void *arg)
{
    pthread_mutex_lock(&report_mutex);
    report_hook = hook;
    report_hook_arg = arg;
    pthread_mutex_unlock(&report_mutex);
}

/* --- saying it -------------------------------------------------------------------------------- */

static void
print_report(const Ouro_CheckReport *report, const struct record *record)
{
    if (report->object != NULL) {
        fprintf(stderr, "gc-check[%s]: %s object at %p (#%llu): %s\n", report->code,
                report->type_name, (void *)report->object,
                (unsigned long long)report->serial, report->text);
    } else {
        fprintf(stderr, "gc-check[%s]: %s: %s\n", report->code, report->type_name,
                report->text);
    }
    ouro_site_print(stderr, "allocated at", report->sites, report->site_count);
    if (record != NULL && report->code[3] == 'K' && record->was_tracked) {
        ouro_site_print(stderr, "last tracked at", record->tracked.frames,
                        record->tracked.count);
    }
    struct site here;
    ouro_site_take(&here);
    ouro_site_print(stderr, "found at", here.frames, here.count);
    fflush(stderr);
}

static void
send_report(enum ouro_code code, const void *op, const char *type_name, Py_ssize_t offset,
            const char *text)
{
    if (!note_report((int)code, type_name, offset)) {
        return;
    }
    const struct record *record = op != NULL ? ouro_record_find(op) : NULL;
    Ouro_CheckReport report = {
        .code = codes[code].name,
        .certainty = codes[code].certainty,
        .type_name = type_name,
        .object = (PyObject *)(uintptr_t)op,
        .serial = record != NULL ? record->serial : 0,
        .offset = offset,
        .text = text,
        .sites = record != NULL ? record->allocated.frames : NULL,
        .site_count = record != NULL ? record->allocated.count : 0,
        .is_fatal = code_is_fatal[code],
    };
    if (report_hook != NULL && report_hook(&report, report_hook_arg) != 0) {
        return;
    }
    print_report(&report, record);
    if (report.is_fatal) {
        abort();
    }
}

/* Say which declared field is at the offset, or that none is. */
static void
name_field(const void *op, Py_ssize_t offset, char *text, size_t room)
{
    const struct record *record = op != NULL && offset >= 0 ? ouro_record_live(op) : NULL;
    PyTypeObject *type = record != NULL ? Py_TYPE((PyObject *)record->block) : NULL;
    size_t used = strlen(text);
    if (type == NULL || type->tp_ouro_fields == NULL) {
        return;
    }
    const Ouro_Field *field = ouro_declared_at(type, offset);
    char member[200];
    if (field == NULL && ouro_member_name(type, offset, member, sizeof member)) {
        snprintf(text + used, room - used, "; its list lacks member %s", member);
    } else if (field == NULL) {
        snprintf(text + used, room - used, "; its list of fields has nothing there");
    } else if (strstr(text, field->name) == NULL) {
        snprintf(text + used, room - used, " (field '%s')", field->name);
    }
}

void
ouro_report(enum ouro_code code, const void *op, Py_ssize_t offset, const char *format,
            ...)
{
    char text[400], name[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(name, sizeof name, "%s", op != NULL ? ouro_type_name_of(op) : "?");
    name_field(op, offset, text, sizeof text);
    send_report(code, op, name, offset, text);
}

void
ouro_report_type(enum ouro_code code, const char *type_name, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    send_report(code, NULL, type_name, -1, text);
}

/* --- settings ------------------------------------------------------------------------------------ */

int
Ouro_CheckSetNotes(int flag)
{
    int before = ouro_check_settings.notes;
    ouro_check_settings.notes = flag != 0;
    return before;
}

int
Ouro_CheckSetStress(int flags)
{
    int before = ouro_check_settings.stress;
    ouro_check_settings.stress = flags;
    return before;
}

/* Call `set` for each part of a list with commas. */
static void
each_part(char *list, void (*set)(char *part))
{
    char *rest;
    for (char *part = strtok_r(list, ",", &rest); part != NULL;
         part = strtok_r(NULL, ",", &rest)) {
        set(part);
    }
}

static void
set_abort(char *part)
{
    Ouro_CheckSetAbort(strcmp(part, "all") == 0 ? "" : part, 1);
}

static void
set_continue(char *part)
{
    Ouro_CheckSetAbort(strcmp(part, "all") == 0 ? "" : part, 0);
}

/* CODE, or CODE:TYPE; * for all codes. */
static void
set_suppress(char *part)
{
    char *colon = strchr(part, ':');
    if (colon != NULL) {
        *colon = '\0';
    }
    Ouro_CheckSuppress(strcmp(part, "*") == 0 ? NULL : part,
                       colon != NULL ? colon + 1 : NULL);
}

static void
set_stress(char *part)
{
    static const char *const names[] = {"zero", "clear", "shuffle", "state"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(part, names[i]) == 0 || strcmp(part, "all") == 0) {
            ouro_check_settings.stress |= 1 << i;
        }
    }
}

static void
set_flag(char *part)
{
    ouro_check_settings.notes |= strcmp(part, "notes") == 0;
    ouro_check_settings.explains |= strcmp(part, "leaks") == 0;
}

static void
read_one_setting(char *setting)
{
    static const struct {
        const char *name;
        void (*set)(char *part);
    } lists[] = {
        {"abort=", set_abort},   {"continue=", set_continue}, {"suppress=", set_suppress},
        {"stress=", set_stress}, {"report=", set_flag},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        size_t length = strlen(lists[i].name);
        if (strncmp(setting, lists[i].name, length) == 0) {
            each_part(setting + length, lists[i].set);
            return;
        }
    }
    if (strncmp(setting, "quarantine=", 11) == 0) {
        ouro_check_settings.quarantine = strtoull(setting + 11, NULL, 0);
        return;
    }
    fprintf(stderr, "gc-check: OURO_CHECK has no setting \"%s\"\n", setting);
}

void
ouro_check_read_settings(void)
{
    static bool is_read;
    const char *text = ouro_platform_getenv("OURO_CHECK");
    if (is_read || text == NULL) {
        return;
    }
    is_read = true;
    char *copy = strdup(text), *rest;
    for (char *part = copy != NULL ? strtok_r(copy, ";", &rest) : NULL; part != NULL;
         part = strtok_r(NULL, ";", &rest)) {
        read_one_setting(part);
    }
    free(copy);
}
