/* SPDX-License-Identifier: MIT */
#include "differential.h"

struct base {
    PyObject_HEAD
    PyObject *value;
};

static int
base_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((struct base *)op)->value);
    return 0;
}

static int
base_clear(PyObject *op)
{
    Py_CLEAR(((struct base *)op)->value);
    return 0;
}

static void
base_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    note("base dealloc of %s", type->tp_name);
    base_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyType_Slot base_slots[] = {{Py_tp_dealloc, base_dealloc},
                                   {Py_tp_traverse, base_traverse},
                                   {Py_tp_clear, base_clear},
                                   {Py_tp_new, PyType_GenericNew},
                                   {0, NULL}};
static PyType_Spec base_spec = {
    "sample.Base", sizeof(struct base), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, base_slots};

static PyType_Slot no_slots[] = {{0, NULL}};
static PyType_Spec inherit_spec = {"sample.Inherits", sizeof(struct base), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, no_slots};

PROGRAM("subclasses of a heap type, made from a spec and by calling type()")
{
    PyObject *base = must(PyType_FromSpec(&base_spec));
    PyObject *inherits = must(PyType_FromSpecWithBases(&inherit_spec, base));
    trace("gc %d", PyType_IS_GC((PyTypeObject *)inherits));
    PyObject *arguments = must(PyTuple_New(3));
    PyTuple_SetItem(arguments, 0, text("Class"));
    PyTuple_SetItem(arguments, 1, must(PyTuple_Pack(1, inherits)));
    PyTuple_SetItem(arguments, 2, must(PyDict_New()));
    PyObject *class = must(PyObject_CallObject((PyObject *)&PyType_Type, arguments));
    Py_DECREF(arguments);

    PyObject *types[] = {base, inherits, class};
    for (int i = 0; i < 3; i++) {
        PyTypeObject *type = (PyTypeObject *)types[i];
        Py_ssize_t before = Py_REFCNT(type);
        struct base *x = (struct base *)must(PyObject_CallNoArgs(types[i]));
        x->value = Py_NewRef(x);
        PyObject *referents = get_referents((PyObject *)x);
        int visits = 0;
        for (Py_ssize_t k = 0; k < PyList_Size(referents); k++) {
            visits += PyList_GetItem(referents, k) == types[i];
        }
        Py_DECREF(referents);
        trace("%s: the type is visited %d times, tracked %d", type->tp_name, visits,
              PyObject_GC_IsTracked((PyObject *)x));
        Py_DECREF(x);
        trace("found %zd", collect());
        trace_notes("events");
        trace("type references kept: %zd", (Py_ssize_t)Py_REFCNT(type) - before);
    }
    /* attributes of a class instance form a cycle through its dict */
    PyObject *x = must(PyObject_CallNoArgs(class));
    must_be_zero(PyObject_SetAttrString(x, "me", x));
    PyObject *weak = new_weakref(x, "x");
    Py_DECREF(x);
    trace("some found: %d", collect() > 0);
    trace_notes("events");
    Py_DECREF(weak);
    Py_DECREF(class);
    Py_DECREF(inherits);
    Py_DECREF(base);
    trace("types found: %d", collect() > 0);
}
