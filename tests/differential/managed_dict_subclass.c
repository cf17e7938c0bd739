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
    PyObject_ClearManagedDict(op);
    note("dealloc");
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
                               Py_TPFLAGS_MANAGED_DICT,
                           slots};

PROGRAM("subclasses of a type with a managed dict")
{
    PyObject *type = must(PyType_FromSpec(&spec)),
             *sub = must(new_class("Sub", type, NULL));
    PyObject *x = must(PyObject_CallNoArgs(sub));
    PyObject *held = N("held");
    must_be_zero(PyObject_SetAttrString(x, "held", held));
    Py_DECREF(held);
    PyObject *dict = must(PyObject_GenericGetDict(x, NULL));
    trace_repr("keys", PyObject_CallMethod(dict, "keys", NULL));
    Py_DECREF(dict);
    must_be_zero(PyObject_SetAttrString(x, "me", x));
    Py_DECREF(x);
    collect();
    trace_notes("events");
    PyObject *y = must(PyObject_CallNoArgs(type));
    must_be_zero(PyObject_SetAttrString(y, "one", Py_True));
    trace("replace: %d", PyObject_SetAttrString(y, "__dict__", Py_None));
    PyErr_Clear();
    Py_DECREF(y);
    trace_notes("events");
    Py_DECREF(sub);
    Py_DECREF(type);
    collect();
}
#endif
