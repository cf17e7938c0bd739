/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *weak;

static PyObject *
drop_it(PyObject *self, PyObject *weakref)
{
    (void)self;
    trace("the callback gets it: %d", weakref == weak);
    Py_CLEAR(weak);
    Py_RETURN_NONE;
}

PROGRAM("a weak reference whose owner drops it in its callback")
{
    PyObject *callback = new_callable(drop_it);
    PyObject *x = N("x");
    weak = must(PyWeakref_NewRef(x, callback));
    set_a(x, x);
    Py_DECREF(x);
    trace("found, with the weak reference: %zd", collect());
    trace_notes("events");
    x = N("x");
    weak = must(PyWeakref_NewRef(x, callback));
    Py_DECREF(x);
    trace_notes("by count");
    trace("gone: %d", weak == NULL);
    Py_DECREF(callback);
    trace("nothing left: %zd", collect());
}
