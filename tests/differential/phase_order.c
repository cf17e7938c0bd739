/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int step;

static void
finalized(struct node *self)
{
    trace("%d: finalizer of %s, a is %s", ++step, self->name,
          self->a == NULL ? "NULL" : "there");
}

static void
deallocated(struct node *self)
{
    trace("%d: dealloc of %s", ++step, self->name);
}

static PyObject *
called(PyObject *self, PyObject *weakref)
{
    (void)self;
    trace("%d: callback, dead %d", ++step, is_dead(weakref));
    Py_RETURN_NONE;
}

PROGRAM("weak reference callbacks come before finalizers, and those before destruction")
{
    PyObject *x = F("x");
    NODE(x)->when_finalized = finalized;
    NODE(x)->when_deallocated = deallocated;
    PyObject *callback = new_callable(called);
    PyObject *weak = must(PyWeakref_NewRef(x, callback));
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("noted");
    Py_DECREF(weak);
    Py_DECREF(callback);
}
