/* SPDX-License-Identifier: MIT */
/* The process that loads the module. It reports through a pipe what happens, and may crash or
 * hang at any time; cli.h describes the lines that it writes.
 *
 * Read next: exercise.c, what it does with one type; script.c, what a script can say. */
#include <datetime.h>
#include "cli.h"
#include "symbols.h"
#include "worker.h"

#include <ouro_check.h>
#include <ouroboros.h>

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int pipe_to_program = -1;

/* ---- telling ------------------------------------------------------------------------------ */

/* One write for each line, so that a crash leaves whole lines behind. */
static void
write_line(char *line, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        line[i] = line[i] == '\n' ? ' ' : line[i];
    }
    line[size] = '\n';
    ssize_t written = write(pipe_to_program, line, size + 1);
    (void)written; /* if the program has ended, nothing reads it */
}

void
tell(const char *word, const char *format, ...)
{
    char line[4000];
    va_list arguments;
    size_t used = (size_t)snprintf(line, sizeof(line) - 1, "%s\t", word);
    va_start(arguments, format);
    int added = vsnprintf(line + used, sizeof(line) - 1 - used, format, arguments);
    va_end(arguments);
    used += added < 0 ? 0 : (size_t)added;
    write_line(line, used < sizeof(line) - 2 ? used : sizeof(line) - 2);
}

void
tell_finding(const char *code, int certainty, const char *type, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    tell("finding", "%s\t%d\t%s\t0\t-1\t\t%s", code, certainty, type, text);
}

/* The innermost function on the way to an allocation that is not the library's. */
static void
describe_site(const Ouro_CheckReport *report, char *out, size_t size)
{
    Dl_info self, info;
    out[0] = '\0';
    if (dladdr(pipe_to_program >= 0 ? (void *)&pipe_to_program : NULL, &self) == 0) {
        return;
    }
    for (int i = 0; i < report->site_count; i++) {
        if (dladdr(report->sites[i], &info) != 0 && info.dli_fbase != self.dli_fbase) {
            size_t place = (size_t)((char *)report->sites[i] - (char *)info.dli_fbase);
            snprintf(out, size, "%s+0x%zx", info.dli_fname, place);
            return;
        }
    }
}

/* What the checker reports. The process goes on where it can. */
static int
tell_report(const Ouro_CheckReport *report, void *arg)
{
    char site[PATH_MAX];
    (void)arg;
    describe_site(report, site, sizeof(site));
    tell("finding", "%s\t%d\t%s\t%lu\t%ld\t%s\t%s", report->code, report->certainty,
         report->type_name, (unsigned long)report->serial, (long)report->offset, site,
         report->text);
    return !report->is_fatal;
}

/* The pending exception as text; it is gone afterwards. */
void
take_error(char *out, size_t size)
{
    PyObject *error = PyErr_GetRaisedException();
    PyObject *text = error == NULL ? NULL : PyObject_Str(error);
    const char *said = text == NULL ? NULL : PyUnicode_AsUTF8(text);
    snprintf(out, size, "%s%s%s",
             error == NULL ? "no exception" : Py_TYPE(error)->tp_name,
             said == NULL || said[0] == '\0' ? "" : ": ", said == NULL ? "" : said);
    Py_XDECREF(text);
    Py_XDECREF(error);
    PyErr_Clear();
}

/* ---- the types of the module ----------------------------------------------------------------- */

struct module {
    const char *file;
    PyObject *object;
    PyTypeObject *types[500];
    bool is_seen[500];      /* it was told that there are instances */
    long count_before[500]; /* instances that the module has by itself */
    int count;
};

static struct module *loaded; /* the module that is checked */

/* Is this function or table part of the module's file? */
static bool
is_of_file(const struct module *module, void *address)
{
    Dl_info info;
    char file[PATH_MAX];
    return address != NULL && dladdr(address, &info) != 0 &&
           realpath(info.dli_fname, file) != NULL && strcmp(file, module->file) == 0;
}

static void *
address_of(void (*function)(void))
{
    void *address;
    memcpy(&address, &function, sizeof(address));
    return address;
}
#define ADDRESS(function) address_of((void (*)(void))(function))

static bool
is_of_module(const struct module *module, PyTypeObject *type)
{
    return is_of_file(module, type) || is_of_file(module, ADDRESS(type->tp_traverse)) ||
           is_of_file(module, ADDRESS(type->tp_dealloc)) ||
           is_of_file(module, ADDRESS(type->tp_new)) ||
           is_of_file(module, type->tp_methods);
}

static void
add_type(struct module *module, PyTypeObject *type)
{
    for (int i = 0; i < module->count; i++) {
        if (module->types[i] == type) {
            return;
        }
    }
    if (module->count < (int)Py_ARRAY_LENGTH(module->types) &&
        is_of_module(module, type)) {
        module->types[module->count++] = type;
    }
}

static int
add_if_type(PyObject *object, void *arg)
{
    if (PyType_Check(object)) {
        add_type(arg, (PyTypeObject *)object);
    }
    return 1;
}

/* By the whole name, or what is behind its last dot. */
static PyTypeObject *
find_type(const struct module *module, const char *name)
{
    for (int i = 0; i < module->count; i++) {
        const char *whole = module->types[i]->tp_name, *dot = strrchr(whole, '.');
        if (strcmp(whole, name) == 0 || (dot != NULL && strcmp(dot + 1, name) == 0)) {
            return module->types[i];
        }
    }
    return NULL;
}

static int
add_ready_type(PyTypeObject *type, void *arg)
{
    add_type(arg, type);
    return 1;
}

/* Those that it shows, in their order, then those that it keeps to itself. */
static void
find_types(struct module *module)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(PyModule_GetDict(module->object), &position, &key, &value)) {
        add_if_type(value, module);
    }
    PyUnstable_GC_VisitObjects(add_if_type, module);
    Ouro_CheckVisitTypes(add_ready_type, module);
}

/* Fields that the user declares: "borrowed=TYPE:OFFSET". */
static void
declare_borrowed_fields(const struct module *module, char **settings)
{
    for (; *settings != NULL; settings++) {
        char name[300];
        char *colon;
        if (strncmp(*settings, "borrowed=", 9) != 0) {
            continue;
        }
        snprintf(name, sizeof(name), "%s", *settings + 9);
        colon = strrchr(name, ':');
        *colon = '\0';
        PyTypeObject *type = find_type(module, name);
        if (type != NULL) {
            Ouro_CheckBorrowed(type, strtol(colon + 1, NULL, 10));
        }
    }
}

static size_t
place_of_traverse(const struct module *module, const PyTypeObject *type)
{
    Dl_info info;
    void *address = ADDRESS(type->tp_traverse);
    return is_of_file(module, address) && dladdr(address, &info) != 0
               ? (size_t)((char *)address - (char *)info.dli_fbase)
               : 0;
}

static void
tell_types(const struct module *module)
{
    for (int i = 0; i < module->count; i++) {
        PyTypeObject *type = module->types[i];
        tell("type", "%s\t%d\t%d\t%d\t%zd\t%zu", type->tp_name, PyType_IS_GC(type),
             type->tp_new != NULL, PyType_HasFeature(type, Py_TPFLAGS_BASETYPE) != 0,
             type->tp_basicsize, place_of_traverse(module, type));
    }
}

/* ---- instances ------------------------------------------------------------------------------- */

struct tally {
    PyTypeObject *type;
    long count;
};

static int
count_one(PyObject *object, void *arg)
{
    struct tally *tally = arg;
    tally->count += Py_TYPE(object) == tally->type;
    return 1;
}

long
count_instances(PyTypeObject *type)
{
    struct tally tally = {.type = type};
    PyUnstable_GC_VisitObjects(count_one, &tally);
    return tally.count;
}

static int
tell_type_seen(PyObject *object, void *arg)
{
    struct module *module = arg;
    for (int i = 0; i < module->count; i++) {
        if (!module->is_seen[i] && PyObject_TypeCheck(object, module->types[i])) {
            module->is_seen[i] = true;
            tell("seen", "%s", module->types[i]->tp_name);
        }
    }
    return 1;
}

void
tell_seen(void)
{
    if (loaded != NULL) {
        PyUnstable_GC_VisitObjects(tell_type_seen, loaded);
    }
}

static void
count_before_script(struct module *module)
{
    for (int i = 0; i < module->count; i++) {
        module->count_before[i] = count_instances(module->types[i]);
    }
}

/* After a script: what is left of the module's types. */
static void
tell_leftovers(const struct module *module)
{
    for (int i = 0; i < module->count; i++) {
        long left = count_instances(module->types[i]) - module->count_before[i];
        if (left > 0) {
            tell_finding(
                "LEAK", OURO_CHECK_SUSPICION, module->types[i]->tp_name,
                "%ld still alive after the script dropped everything and collected",
                left);
        }
    }
}

/* ---- the worker -------------------------------------------------------------------------------- */

/* If `error`, or its cause, is about a missing module, report that module. */
static void
tell_missing_module(PyObject *error)
{
    PyObject *next;
    for (error = Py_NewRef(error); error != NULL; error = next) {
        PyObject *name = PyErr_GivenExceptionMatches(error, PyExc_ModuleNotFoundError)
                             ? PyObject_GetAttrString(error, "name")
                             : NULL;
        const char *text = name == NULL ? NULL : PyUnicode_AsUTF8(name);
        if (text != NULL) {
            tell("missing", "%s", text);
        }
        Py_XDECREF(name);
        next = PyException_GetCause(error);
        next = next == NULL ? PyException_GetContext(error) : next;
        Py_DECREF(error);
    }
    PyErr_Clear();
}

/* The pending exception: a module that is missing, or another reason. */
static void
tell_import_error(void)
{
    char reason[2000];
    PyObject *error = PyErr_GetRaisedException();
    tell_missing_module(error);
    PyErr_SetRaisedException(error);
    take_error(reason, sizeof(reason));
    tell("error", "%s", reason);
}

/* Load "FILE" or "NAME=FILE" for the module that will import it. False with an exception. */
static bool
preload(const char *text)
{
    const char *equals = strchr(text, '='), *file = equals == NULL ? text : equals + 1;
    char *own_name = symbols_module_name(file);
    PyObject *module = Ouro_ImportFile(own_name == NULL ? "" : own_name, file);
    bool is_ready = module != NULL;
    if (is_ready && equals != NULL) {
        char name[300];
        snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
        is_ready = put_module(name, module);
    }
    Py_XDECREF(module);
    free(own_name);
    return is_ready;
}

/* Do `act` for each setting of this kind. False with an exception. */
static bool
for_each_setting(char **settings, const char *kind, bool (*act)(const char *))
{
    size_t length = strlen(kind);
    bool is_done = true;
    for (; *settings != NULL && is_done; settings++) {
        is_done = strncmp(*settings, kind, length) != 0 || act(*settings + length);
    }
    return is_done;
}

/* What the settings say about modules: those to load first may import the stubs. False after
 * telling an error. */
static bool
prepare_modules(char **settings)
{
    bool is_ready = for_each_setting(settings, "stub=", make_stub) &&
                    for_each_setting(settings, "preload=", preload);
    if (!is_ready) {
        tell_import_error();
    }
    return is_ready;
}

static bool
load_module(struct module *module, const char *name)
{
    tell("at", "loading the module");
    module->object = Ouro_ImportFile(name, module->file);
    if (module->object == NULL) {
        tell_import_error();
        return false;
    }
    if (!PyModule_Check(module->object)) {
        tell("error", "it made a '%s', not a module", Py_TYPE(module->object)->tp_name);
        return false;
    }
    find_types(module);
    tell_types(module);
    loaded = module;
    return true;
}

static void
work(struct module *module, const char *mode, const char *argument)
{
    if (strcmp(mode, "script") == 0) {
        tell("at", "the script");
        count_before_script(module);
        if (run_script(module->object, argument)) {
            PyGC_Collect();
            tell_leftovers(module);
        }
        return;
    }
    PyTypeObject *type = argument == NULL ? NULL : find_type(module, argument);
    if (strcmp(mode, "type") == 0 && type != NULL) {
        Py_INCREF(type);
        exercise_type(type);
        Py_DECREF(type);
    }
}

int
worker_command(int count, char **arguments)
{
    if (count < 5) {
        return STATUS_NOT_CHECKED;
    }
    static struct module module;
    module.file = arguments[2];
    const char *argument = arguments[4][0] == '\0' ? NULL : arguments[4];
    char **settings = arguments + 5;
    crash_watch();
    pipe_to_program = atoi(arguments[0]);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* what the module prints is not our answer */
    PyImport_AppendInittab("datetime", PyInit_datetime); /* modules may want it */
    Py_Initialize();
    Ouro_CheckSetReportHook(tell_report, NULL);
    Ouro_CheckSetNotes(1);
    if (!prepare_modules(settings) || !load_module(&module, arguments[3])) {
        return STATUS_NOT_CHECKED;
    }
    declare_borrowed_fields(&module, settings);
    work(&module, arguments[1], argument);
    tell("at", "the end");
    Py_CLEAR(module.object);
    Py_FinalizeEx();
    tell("done", " ");
    return STATUS_CLEAN;
}
