/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int calls;

static void
plain_finalize(PyObject *op)
{
    (void)op;
    calls++;
}

static void
plain_dealloc(PyObject *op)
{
    if (PyObject_CallFinalizerFromDealloc(op) == 0) {
        PyObject_Free(op);
    }
}

static PyTypeObject Plain_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Plain",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = plain_dealloc,
    .tp_finalize = plain_finalize,
};

PROGRAM("PyObject_CallFinalizer calls once for a container, and each time for others")
{
    PyObject *x = F("x");
    set_a(x, x);
    PyObject_CallFinalizer(x);
    trace("marked %d", PyObject_GC_IsFinalized(x));
    PyObject_CallFinalizer(x);
    trace_notes("called twice");
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    x = N("x");
    PyObject_CallFinalizer(x);
    trace("without a finalizer: marked %d", PyObject_GC_IsFinalized(x));
    Py_DECREF(x);
    trace_notes("events");

    ready(&Plain_Type);
    PyObject *plain = PyObject_New(PyObject, &Plain_Type);
    PyObject_CallFinalizer(plain);
    PyObject_CallFinalizer(plain);
    trace("calls %d, marked %d", calls, PyObject_GC_IsFinalized(plain));
    Py_DECREF(plain);
    trace("calls %d", calls);
}
