/* SPDX-License-Identifier: MIT */
#include "differential.h"

static Py_ssize_t results[6];

static void
in_finalizer(struct node *self)
{
    (void)self;
    results[0] += collect();
    results[1] += PyGC_Collect();
}

static void
in_clear(struct node *self)
{
    (void)self;
    results[2] += PyGC_Collect();
}

static void
in_dealloc(struct node *self)
{
    (void)self;
    results[3] += PyGC_Collect();
}

static PyObject *
in_callback(PyObject *self, PyObject *argument)
{
    (void)self;
    (void)argument;
    results[4] += PyGC_Collect();
    Py_RETURN_NONE;
}

static PyObject *
in_gc_callback(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    results[5] += PyGC_Collect() + collect();
    Py_RETURN_NONE;
}

PROGRAM("a collection inside a collection does nothing")
{
    PyObject *gc_callback = new_callable_of_many(in_gc_callback);
    must_be_zero(PyList_Append(gc_callbacks(), gc_callback));
    PyObject *callback = new_callable(in_callback);
    PyObject *x = F("x");
    NODE(x)->when_finalized = in_finalizer;
    NODE(x)->when_cleared = in_clear;
    NODE(x)->when_deallocated = in_dealloc;
    PyObject *weak = must(PyWeakref_NewRef(x, callback));
    set_a(x, x);
    Py_DECREF(x);
    PyObject *other = N("other");
    set_a(other, other);
    Py_DECREF(other);
    trace("found %zd", collect());
    trace_notes("events");
    for (int i = 0; i < 6; i++) {
        trace("inside, %d: %zd", i, results[i]);
    }
    must_be_zero(PyList_SetSlice(gc_callbacks(), 0, 1, NULL));
    Py_DECREF(gc_callback);
    Py_DECREF(callback);
    Py_DECREF(weak);

    /* outside of a collection, a destructor may collect */
    x = N("x");
    NODE(x)->when_deallocated = in_dealloc;
    other = N("other");
    set_a(other, other);
    Py_DECREF(other);
    results[3] = 0;
    Py_DECREF(x);
    trace("collected by a destructor: %zd", results[3]);
    trace_notes("events");
}
