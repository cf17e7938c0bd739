/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
trace_state(const char *name, PyObject *object)
{
    must(object);
    trace("%s: is gc %d, tracked %d", name, PyObject_IS_GC(object),
          PyObject_GC_IsTracked(object));
    Py_DECREF(object);
}

PROGRAM("which objects are tracked, and when")
{
    PyObject *x = new_untracked_node(&N_Type, "x");
    trace("new: %d", PyObject_GC_IsTracked(x));
    PyObject_GC_Track(x);
    trace("tracked: %d", PyObject_GC_IsTracked(x));
    PyObject_GC_UnTrack(x);
    trace("untracked: %d", PyObject_GC_IsTracked(x));
    PyObject_GC_UnTrack(x);
    trace("untracked twice: %d", PyObject_GC_IsTracked(x));
    PyObject_GC_Track(x);
    trace("again: %d", PyObject_GC_IsTracked(x));
    Py_DECREF(x);
    trace_notes("dropped");

    trace_state("allocated by PyType_GenericAlloc", PyType_GenericAlloc(&N_Type, 0));
    trace_notes("it has no name");
    trace_state("int", PyLong_FromLong(123456));
    trace_state("float", PyFloat_FromDouble(1.5));
    trace_state("str", PyUnicode_FromString("some text"));
    trace_state("bytes", PyBytes_FromString("bytes"));
    trace_state("None", Py_NewRef(Py_None));
    trace_state("True", Py_NewRef(Py_True));
    trace_state("object()", PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type));
    trace_state("static type", Py_NewRef((PyObject *)&N_Type));
    trace_state("list", PyList_New(0));
    trace_state("empty tuple", PyTuple_New(0));
    trace_state("tuple", PyTuple_New(1));
    x = N("x");
    trace_state("weak reference", PyWeakref_NewRef(x, NULL));
    trace_state("function", new_callable(NULL));
    trace_state("bound method", PyMethod_New(x, x));
    PyObject *list = must(PyList_New(0));
    trace_state("iterator", PySeqIter_New(list));
    Py_DECREF(list);
    trace_state("exception", PyObject_CallNoArgs(PyExc_ValueError));
    Py_DECREF(x);
    trace_notes("dropped");
}
