/* SPDX-License-Identifier: MIT */
/* The functions that differential.h declares, and main(). This file is compiled twice: with
 * CPython's headers, and with ours. The two differ in how they start, and in the hook for
 * exceptions that no caller can receive. This file handles these differences, so that the programs
 * need not. */
#include "differential.h"

#include <pthread.h>
#include <stdarg.h>
#include <unistd.h>

#ifdef OUROBOROS
#include <ouroboros.h>
#else
#define PEER_HEX PY_VERSION_HEX /* for Ouroboros, the Makefile sets it to CPython's */
#endif

bool trace_shutdown;
static bool silent;

static void
give_up(const char *why)
{
    fflush(stdout);
    fprintf(stderr, "differential: %s\n", why);
    if (PyErr_Occurred() != NULL) {
        PyErr_Print();
    }
    _exit(1);
}

/* ---- printing --------------------------------------------------------------------------------- */

enum { NOTES_MAX = 4000, NOTE_SIZE = 160 };
static char notes[NOTES_MAX][NOTE_SIZE];
static int note_count;

void
trace(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!silent) {
        vprintf(format, arguments);
        putchar('\n');
        fflush(stdout); /* a crash must not lose earlier lines */
    }
    va_end(arguments);
}

void
note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!silent && note_count < NOTES_MAX) {
        vsnprintf(notes[note_count++], NOTE_SIZE, format, arguments);
    }
    va_end(arguments);
}

static int
compare_notes(const void *left, const void *right)
{
    return strcmp(left, right);
}

void
trace_notes(const char *label)
{
    qsort(notes, (size_t)note_count, NOTE_SIZE, compare_notes);
    printf("%s:%s", label, note_count == 0 ? " -" : "");
    for (int i = 0; i < note_count; i++) {
        printf("%s%s", i == 0 ? " " : ", ", notes[i]);
    }
    note_count = 0;
    trace("%s", "");
}

static void
take_error_text(char *out, size_t size)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *string = value == NULL ? NULL : PyObject_Str(value);
    const char *utf8 = string == NULL ? "?" : PyUnicode_AsUTF8(string);
    const char *internal = strstr(utf8, "bad argument to internal function");
    utf8 = internal != NULL ? internal : utf8; /* without the file and the line */
    const char *name = type == NULL ? "?" : ((PyTypeObject *)type)->tp_name;
    snprintf(out, size, "%s: %s", name, utf8);
    Py_XDECREF(string);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

void
trace_error(const char *label)
{
    char said[400];
    if (PyErr_Occurred() == NULL) {
        trace("%s: no error", label);
        return;
    }
    take_error_text(said, sizeof said);
    trace("%s: %s", label, said);
}

void
trace_error_since(unsigned long since, const char *label)
{
    char said[400];
    take_error_text(said, sizeof said);
    if (PEER_HEX >= since) {
        trace("%s: %s", label, said);
    } else {
        trace("version-dependent (since 3.%lu): %s: %.*s", since >> 16 & 0xFF, label,
              (int)strcspn(said, ":"), said);
    }
}

static void
trace_text(const char *label, PyObject *object, PyObject *(*function)(PyObject *))
{
    PyObject *string = object == NULL ? NULL : function(object);
    if (string == NULL) {
        trace_error(label);
    } else {
        trace("%s: %s", label, PyUnicode_AsUTF8(string));
    }
    Py_XDECREF(string);
    Py_XDECREF(object);
}

void
trace_str(const char *label, PyObject *object)
{
    trace_text(label, object, PyObject_Str);
}

void
trace_repr(const char *label, PyObject *object)
{
    trace_text(label, object, PyObject_Repr);
}

void
trace_since(unsigned long since, const char *what, long value, long newest)
{
    if (PEER_HEX >= since) {
        trace("%s: %ld", what, value);
    } else if (PY_VERSION_HEX >= since && value != newest) {
        trace("%s: %ld, but %ld is right since 3.%lu", what, value, newest,
              since >> 16 & 0xFF);
    } else {
        trace("version-dependent (since 3.%lu): %s", since >> 16 & 0xFF, what);
    }
}

PyObject *
must(PyObject *object)
{
    if (object == NULL) {
        give_up("an object is missing");
    }
    return object;
}

void
must_be_zero(int result)
{
    if (result != 0) {
        give_up("a call failed");
    }
}

PyObject *
text(const char *value)
{
    return must(PyUnicode_FromString(value));
}

PyObject *
number(long value)
{
    return must(PyLong_FromLong(value));
}

/* ---- the collector -------------------------------------------------------------------------------- */

Py_ssize_t
collect(void)
{
    Py_ssize_t found = collect_generation(2);
    if (found < 0) {
        give_up("a collection failed");
    }
    return found;
}

bool
is_listed(PyObject *list, PyObject *object)
{
    bool found = false;
    for (Py_ssize_t i = 0; i < PyList_Size(must(list)); i++) {
        found |= PyList_GetItem(list, i) == object;
    }
    Py_DECREF(list);
    return found;
}

Py_ssize_t
count_of(PyObject *list)
{
    Py_ssize_t count = PyList_Size(must(list));
    Py_DECREF(list);
    return count;
}

static PyObject *
gc_module(void)
{
    static PyObject *module;
    if (module == NULL) {
        module = must(PyImport_ImportModule("gc"));
    }
    return module;
}

static long
gc_number(PyObject *result)
{
    long value = PyLong_AsLong(must(result));
    Py_DECREF(result);
    return value;
}

static void
gc_three(const char *function, int numbers[3])
{
    PyObject *tuple = must(PyObject_CallMethod(gc_module(), function, NULL));
    if (!PyArg_ParseTuple(tuple, "iii", &numbers[0], &numbers[1], &numbers[2])) {
        give_up(function);
    }
    Py_DECREF(tuple);
}

Py_ssize_t
collect_generation(int generation)
{
    if (PyErr_Occurred() != NULL) { /* a call failed that the program expected to work */
        give_up("an exception is pending");
    }
    PyObject *result = PyObject_CallMethod(gc_module(), "collect", "i", generation);
    return result == NULL ? -1 : gc_number(result);
}

void
get_counts(int counts[3])
{
    gc_three("get_count", counts);
}

void
get_thresholds(int thresholds[3])
{
    gc_three("get_threshold", thresholds);
}

void
set_thresholds(int first, int second, int third)
{
    Py_DECREF(must(
        PyObject_CallMethod(gc_module(), "set_threshold", "iii", first, second, third)));
}

long
get_stat(int generation, const char *key)
{
    PyObject *stats = must(PyObject_CallMethod(gc_module(), "get_stats", NULL));
    PyObject *dict = PyList_GetItem(stats, generation);
    long value = PyLong_AsLong(must(PyDict_GetItemString(dict, key)));
    Py_DECREF(stats);
    return value;
}

void
freeze(void)
{
    Py_DECREF(must(PyObject_CallMethod(gc_module(), "freeze", NULL)));
}

void
unfreeze(void)
{
    Py_DECREF(must(PyObject_CallMethod(gc_module(), "unfreeze", NULL)));
}

Py_ssize_t
get_freeze_count(void)
{
    return gc_number(PyObject_CallMethod(gc_module(), "get_freeze_count", NULL));
}

int
get_debug(void)
{
    return (int)gc_number(PyObject_CallMethod(gc_module(), "get_debug", NULL));
}

void
set_debug(int flags)
{
    Py_DECREF(must(PyObject_CallMethod(gc_module(), "set_debug", "i", flags)));
}

/* The module holds the list as long as it lives. */
static PyObject *
gc_list(const char *name)
{
    PyObject *list = must(PyObject_GetAttrString(gc_module(), name));
    Py_DECREF(list);
    return list;
}

PyObject *
gc_garbage(void)
{
    return gc_list("garbage");
}

PyObject *
gc_callbacks(void)
{
    return gc_list("callbacks");
}

PyObject *
get_objects(int generation)
{
    return PyObject_CallMethod(gc_module(), "get_objects", "i", generation);
}

/* The call makes no tuple of its own, which would be a referrer, too. */
static PyObject *
ask_about(PyObject *object, const char *function)
{
    PyObject *name = text(function);
    PyObject *list = must(PyObject_CallMethodObjArgs(gc_module(), name, object, NULL));
    Py_DECREF(name);
    return list;
}

PyObject *
get_referrers(PyObject *object)
{
    return ask_about(object, "get_referrers");
}

PyObject *
get_referents(PyObject *object)
{
    return ask_about(object, "get_referents");
}

#ifdef OUROBOROS

static int
note_report(const Ouro_Unraisable *report, void *arg)
{
    (void)arg;
    PyObject *string = PyObject_Str(report->exc_value);
    note("unraisable %s: %s", ((PyTypeObject *)report->exc_type)->tp_name,
         PyUnicode_AsUTF8(string));
    Py_XDECREF(string);
    return 0;
}

void
note_unraisable(void)
{
    Ouro_SetUnraisableHook(note_report, NULL);
}

static void
start(void)
{
    Py_Initialize();
}

#else /* CPython */

static PyObject *
note_report(PyObject *self, PyObject *report)
{
    (void)self;
    PyObject *type = must(PyObject_GetAttrString(report, "exc_type"));
    PyObject *value = must(PyObject_GetAttrString(report, "exc_value"));
    PyObject *string = must(PyObject_Str(value));
    note("unraisable %s: %s", ((PyTypeObject *)type)->tp_name, PyUnicode_AsUTF8(string));
    Py_DECREF(string);
    Py_DECREF(value);
    Py_DECREF(type);
    Py_RETURN_NONE;
}

void
note_unraisable(void)
{
    PyObject *hook = new_callable(note_report);
    must_be_zero(PySys_SetObject("unraisablehook", hook));
    Py_DECREF(hook);
}

/* Without the user's environment and the site module programs start faster. */
static void
start(void)
{
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    PyStatus status = PyConfig_SetBytesString(&config, &config.home, PEER_HOME);
    if (!PyStatus_Exception(status)) {
        status = Py_InitializeFromConfig(&config);
    }
    if (PyStatus_Exception(status)) {
        Py_ExitStatusException(status);
    }
    PyConfig_Clear(&config);
}

#endif

#if PY_VERSION_HEX < 0x030D0000
int
PyWeakref_GetRef(PyObject *ref, PyObject **object)
{
    *object = NULL;
    if (!PyWeakref_Check(ref)) {
        PyErr_SetString(PyExc_TypeError, "expected a weakref");
        return -1;
    }
    PyObject *found = PyWeakref_GetObject(ref);
    if (found == Py_None) {
        return 0;
    }
    *object = Py_NewRef(found);
    return 1;
}
#endif

/* ---- nodes ------------------------------------------------------------------------------------------ */

int
node_traverse(PyObject *op, visitproc visit, void *arg)
{
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_HEAPTYPE)) {
        Py_VISIT(Py_TYPE(op));
    }
    Py_VISIT(NODE(op)->a);
    Py_VISIT(NODE(op)->b);
    return 0;
}

int
node_clear(PyObject *op)
{
    if (NODE(op)->when_cleared != NULL) {
        NODE(op)->when_cleared(NODE(op));
    }
    Py_CLEAR(NODE(op)->a);
    Py_CLEAR(NODE(op)->b);
    return 0;
}

void
node_finalize(PyObject *op)
{
    if (NODE(op)->name != NULL) {
        note("finalize %s", NODE(op)->name);
    }
    if (NODE(op)->when_finalized != NULL) {
        NODE(op)->when_finalized(NODE(op));
    }
}

static void
node_del(PyObject *op)
{
    note("del %s", NODE(op)->name);
}

void
node_dealloc(PyObject *op)
{
    struct node *self = NODE(op);
    PyTypeObject *type = Py_TYPE(op);
    if (type->tp_finalize != NULL && PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    if (self->weaklist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    if (self->name != NULL) {
        note("dealloc %s", self->name);
    }
    if (self->when_deallocated != NULL) {
        self->when_deallocated(self);
    }
    Py_CLEAR(self->a);
    Py_CLEAR(self->b);
    type->tp_free(op);
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(type);
    }
}

PyTypeObject N_Type = {NODE_SLOTS("N"), .tp_clear = node_clear};
PyTypeObject F_Type = {NODE_SLOTS("F"), .tp_clear = node_clear,
                       .tp_finalize = node_finalize};
PyTypeObject D_Type = {NODE_SLOTS("D"), .tp_clear = node_clear, .tp_del = node_del};

void
ready(PyTypeObject *type)
{
    must_be_zero(PyType_Ready(type));
}

PyObject *
new_untracked_node(PyTypeObject *type, const char *name)
{
    struct node *self = PyObject_GC_New(struct node, type);
    must((PyObject *)self);
    memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
    self->name = name;
    return (PyObject *)self;
}

PyObject *
new_node(PyTypeObject *type, const char *name)
{
    PyObject *self = new_untracked_node(type, name);
    PyObject_GC_Track(self);
    return self;
}

void
set_a(PyObject *from, PyObject *to)
{
    Py_XSETREF(NODE(from)->a, Py_XNewRef(to));
}

void
set_b(PyObject *from, PyObject *to)
{
    Py_XSETREF(NODE(from)->b, Py_XNewRef(to));
}

/* ---- weak references and callables ---------------------------------------------------------------------- */

/* A definition that lives as long as the process. */
static PyMethodDef *
new_definition(PyCFunction function, int flags)
{
    static PyMethodDef definitions[256];
    static int count;
    if (count == 256) {
        give_up("too many callables");
    }
    definitions[count] = (PyMethodDef){"callable", function, flags, NULL};
    return &definitions[count++];
}

PyObject *
new_callable(PyObject *(*function)(PyObject *self, PyObject *argument))
{
    return must(PyCFunction_New(new_definition(function, METH_O), NULL));
}

PyObject *
new_callable_of_many(PyObject *(*function)(PyObject *self, PyObject *arguments))
{
    return must(PyCFunction_New(new_definition(function, METH_VARARGS), NULL));
}

static PyObject *
note_callback(PyObject *name, PyObject *weakref)
{
    note("callback %s%s", PyUnicode_AsUTF8(name), is_dead(weakref) ? "" : " (alive)");
    Py_RETURN_NONE;
}

static PyMethodDef note_callback_method = {"callback", note_callback, METH_O, NULL};

PyObject *
new_weakref(PyObject *op, const char *name)
{
    PyObject *callback = NULL;
    if (name != NULL) {
        PyObject *self = text(name);
        callback = must(PyCFunction_New(&note_callback_method, self));
        Py_DECREF(self);
    }
    PyObject *weakref = must(PyWeakref_NewRef(op, callback));
    Py_XDECREF(callback);
    return weakref;
}

PyObject *
new_method(PyObject *(*function)(PyObject *self, PyObject *arguments))
{
    PyObject *callable = new_callable_of_many(function);
    PyObject *method = must(PyInstanceMethod_New(callable));
    Py_DECREF(callable);
    return method;
}

PyObject *
new_class_of(PyObject *metaclass, const char *name, PyObject *base, ...)
{
    PyObject *dict = must(PyDict_New());
    va_list pairs;
    va_start(pairs, base);
    for (const char *key; (key = va_arg(pairs, const char *)) != NULL;) {
        PyObject *value = must(va_arg(pairs, PyObject *));
        must_be_zero(PyDict_SetItemString(dict, key, value));
        Py_DECREF(value);
    }
    va_end(pairs);
    PyObject *bases =
        must(base == NULL || base == Py_None ? PyTuple_New(0) : PyTuple_Pack(1, base));
    PyObject *label = text(name);
    PyObject *class = PyObject_CallFunctionObjArgs(metaclass, label, bases, dict, NULL);
    Py_DECREF(label);
    Py_DECREF(bases);
    Py_DECREF(dict);
    return class;
}

void
in_another_interpreter(void (*body)(void))
{
    PyThreadState *here = PyThreadState_Get();
    PyThreadState *there = Py_NewInterpreter();
    if (there == NULL) {
        PyErr_NoMemory();
        must(NULL);
    }
    body();
    Py_EndInterpreter(there);
    PyThreadState_Swap(here);
}

static void *
run_attached(void *argument)
{
    void (*const *body)(void) = argument;
    PyGILState_STATE state = PyGILState_Ensure();
    (*body)();
    PyGILState_Release(state);
    return NULL;
}

void
in_another_thread(void (*body)(void))
{
    pthread_t thread;
    Py_BEGIN_ALLOW_THREADS
    if (pthread_create(&thread, NULL, run_attached, &body) == 0) {
        pthread_join(thread, NULL);
    } else {
        trace("no thread");
    }
    Py_END_ALLOW_THREADS
}

bool
is_dead(PyObject *weakref)
{
    PyObject *object;
    int state = PyWeakref_GetRef(weakref, &object);
    if (state < 0) {
        give_up("not a weak reference");
    }
    Py_XDECREF(object);
    return state == 0;
}

int
main(void)
{
    if (strncmp(program_claim, "skip: ", 6) == 0) {
        printf("%s\n", program_claim);
        return 0;
    }
    trace("%s", program_claim);
    start();
    ready(&N_Type);
    ready(&F_Type);
    ready(&D_Type);
    set_thresholds(0, 10, 10);
    collect();
    collect();
    program();
    if (PyErr_Occurred() != NULL) {
        trace_error("left behind");
    }
    if (note_count > 0) {
        trace_notes("not printed");
    }
    silent = !trace_shutdown;
    int status = Py_FinalizeEx();
    silent = false;
    if (trace_shutdown) {
        trace_notes("shutdown");
    }
    trace("end %d", status);
    return 0;
}
