/* SPDX-License-Identifier: MIT */
/* Runs operations on the example modules: `drive linked`. It links them statically, as a program
 * does that embeds a runtime. */
#include "drive.h"

#include <string.h>

PyMODINIT_FUNC PyInit_linked(void);
PyMODINIT_FUNC PyInit_lru(void);
PyMODINIT_FUNC PyInit_pmap(void);
PyMODINIT_FUNC PyInit_words(void);

/* --- printing -------------------------------------------------------------------------- */

static void
print_text(PyObject *text)
{
    const char *utf8 = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
    if (utf8 == NULL) {
        PyErr_Clear();
    }
    fputs(utf8 != NULL ? utf8 : "(no text)", stdout);
    Py_XDECREF(text);
}

static void
print_error(void)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (type == NULL) {
        fputs("NULL without exception\n", stdout);
        return;
    }
    PyErr_NormalizeException(&type, &value, &traceback);
    printf("%s: ", ((PyTypeObject *)type)->tp_name);
    print_text(PyObject_Str(value));
    putchar('\n');
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

void
show(const char *what, PyObject *result)
{
    printf("%s: ", what);
    if (result == NULL) {
        print_error();
        return;
    }
    if (PyErr_Occurred()) {
        fputs("result with exception ", stdout);
        print_error();
    }
    print_text(PyObject_Repr(result));
    putchar('\n');
    Py_DECREF(result);
}

void
show_number(const char *what, Py_ssize_t result)
{
    printf("%s: ", what);
    if (result == -1 && PyErr_Occurred()) {
        print_error();
    } else {
        printf("%zd\n", result);
    }
}

/* --- objects --------------------------------------------------------------------------- */

PyObject *
need(PyObject *object)
{
    if (object == NULL) {
        print_error();
        exit(1);
    }
    return object;
}

PyObject *
number(long value)
{
    return need(PyLong_FromLong(value));
}

PyObject *
attr(PyObject *object, const char *name)
{
    return need(PyObject_GetAttrString(object, name));
}

PyObject *
list_of(PyObject *iterable)
{
    PyObject *list = PySequence_List(need(iterable));
    Py_DECREF(iterable);
    return list;
}

int
is_same(PyObject *object, PyObject *other)
{
    Py_DECREF(need(object));
    return object == other;
}

static struct {
    PyObject *type;
    Py_ssize_t references;
} types[8];

void
remember_type(PyObject *type)
{
    for (int i = 0; i < 8; i++) {
        if (types[i].type == NULL) {
            types[i].type = type;
            types[i].references = Py_REFCNT(type);
            return;
        }
    }
}

void
show_instances(const char *when, PyObject *type)
{
    for (int i = 0; i < 8; i++) {
        if (types[i].type == type) {
            printf("%s: %zd of %s\n", when, Py_REFCNT(type) - types[i].references,
                   ((PyTypeObject *)type)->tp_name);
        }
    }
}

long
many(long count)
{
    return getenv("DRIVE_QUICK") != NULL ? 100 : count;
}

Py_ssize_t
collect(void)
{
    PyGC_Enable();
    Py_ssize_t found = PyGC_Collect();
    if (getenv("DRIVE_QUICK") == NULL) {
        PyGC_Disable();
    }
    return found;
}

static PyObject *
append_to_log(PyObject *log, PyObject *args)
{
    if (PyList_Append(log, args) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef logger_def = {"logger", append_to_log, METH_VARARGS, NULL};

PyObject *
new_logger(PyObject *log)
{
    return need(PyCFunction_New(&logger_def, log));
}

typedef struct {
    PyObject_HEAD
    long value;
} Collider;

static void
collider_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static Py_hash_t
collider_hash(PyObject *self)
{
    (void)self;
    return 77;
}

static PyObject *
collider_compare(PyObject *a, PyObject *b, int op)
{
    if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int equal = ((Collider *)a)->value == ((Collider *)b)->value;
    return PyBool_FromLong(equal == (op == Py_EQ));
}

static PyObject *
collider_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<%ld>", ((Collider *)self)->value);
}

static PyType_Slot collider_slots[] = {
    {Py_tp_dealloc, collider_dealloc},
    {Py_tp_hash, collider_hash},
    {Py_tp_richcompare, collider_compare},
    {Py_tp_repr, collider_repr},
    {0, NULL},
};

static PyType_Spec collider_spec = {
    .name = "drive.Collider",
    .basicsize = sizeof(Collider),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = collider_slots,
};

PyObject *
new_collider_type(void)
{
    return need(PyType_FromSpec(&collider_spec));
}

PyObject *
new_collider(PyObject *type, long value)
{
    Collider *self = (Collider *)need(PyType_GenericAlloc((PyTypeObject *)type, 0));
    self->value = value;
    return (PyObject *)self;
}

/* --- the program ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    PyObject *(*init)(void);
    void (*drive)(PyObject *module);
} modules[] = {
    {"linked", PyInit_linked, drive_linked},
    {"lru", PyInit_lru, drive_lru},
    {"pmap", PyInit_pmap, drive_pmap},
    {"words", PyInit_words, drive_words},
};

int
main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof(modules) / sizeof(modules[0]); i++) {
        if (strcmp(argv[1], modules[i].name) != 0) {
            continue;
        }
        PyImport_AppendInittab(modules[i].name, modules[i].init);
        Py_Initialize();
        collect(); /* from here on collections run only on request */
        PyObject *module = need(PyImport_ImportModule(modules[i].name));
        SHOW(PyObject_GetAttrString(module, "__name__"));
        SHOW(PyObject_GetAttrString(module, "__doc__"));
        modules[i].drive(module);
        Py_DECREF(module);
        PyGC_Enable();
        printf("end: %d\n", Py_FinalizeEx());
        return 0;
    }
    fputs("usage: drive linked|lru|pmap|words\n", stderr);
    return 2;
}
