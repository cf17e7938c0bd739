/* SPDX-License-Identifier: MIT */
#include "differential.h"

#if PY_VERSION_HEX < 0x030D0000
SKIP_PROGRAM("PyObject_VisitManagedDict is new in 3.13")
#else

static int
thing_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    return PyObject_VisitManagedDict(op, visit, arg);
}

static int
thing_clear(PyObject *op)
{
    PyObject_ClearManagedDict(op);
    return 0;
}

static void
thing_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    PyObject_ClearManagedDict(op);
    note("thing dealloc");
    type->tp_free(op);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {{Py_tp_dealloc, thing_dealloc},
                              {Py_tp_traverse, thing_traverse},
                              {Py_tp_clear, thing_clear},
                              {Py_tp_new, PyType_GenericNew},
                              {0, NULL}};
static PyType_Spec spec = {"sample.Thing", sizeof(PyObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE |
                               Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF,
                           slots};

PROGRAM("objects with a managed dict and managed weak references")
{
    PyObject *type = must(PyType_FromSpec(&spec));
    PyObject *x = must(PyObject_CallNoArgs(type));
    trace_repr("missing", PyObject_GetAttrString(x, "a"));
    must_be_zero(PyObject_SetAttrString(x, "a", Py_True));
    must_be_zero(PyObject_SetAttrString(x, "b", Py_None));
    trace_repr("a", PyObject_GetAttrString(x, "a"));
    PyObject *weak = new_weakref(x, "x");
    must_be_zero(PyObject_SetAttrString(x, "me", x));
    Py_DECREF(x);
    trace_notes("before");
    trace("some found: %d", collect() >= 1);
    trace_notes("events");
    trace("dead %d", is_dead(weak));
    Py_DECREF(weak);

    /* with a dict that was asked for, and is kept */
    x = must(PyObject_CallNoArgs(type));
    must_be_zero(PyObject_SetAttrString(x, "a", Py_True));
    PyObject *dict = must(PyObject_GenericGetDict(x, NULL));
    must_be_zero(PyObject_SetAttrString(x, "b", Py_False));
    Py_DECREF(x);
    trace_notes("events");
    trace_repr("dict", dict);

    /* clearing twice does no harm */
    x = must(PyObject_CallNoArgs(type));
    must_be_zero(PyObject_SetAttrString(x, "a", Py_True));
    PyObject_ClearManagedDict(x);
    PyObject_ClearManagedDict(x);
    trace_repr("cleared", PyObject_GetAttrString(x, "a"));
    Py_DECREF(x);
    trace_notes("events");
    Py_DECREF(type);
}
#endif
