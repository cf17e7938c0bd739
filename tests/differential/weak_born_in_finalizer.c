/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *born, *born_with;
static int alive_in_clear = -1, calls;

static PyObject *
count_call(PyObject *self, PyObject *weakref)
{
    (void)self;
    (void)weakref;
    calls++;
    Py_RETURN_NONE;
}

static void
bear(struct node *self)
{
    born = new_weakref((PyObject *)self, NULL);
    PyObject *callback = new_callable(count_call);
    born_with = must(PyWeakref_NewRef((PyObject *)self, callback));
    Py_DECREF(callback);
}

static void
look(struct node *self)
{
    (void)self;
    if (born != NULL && alive_in_clear < 0) {
        alive_in_clear = !is_dead(born);
    }
}

PROGRAM("weak references that a finalizer makes")
{
    PyObject *x = F("x");
    NODE(x)->when_finalized = bear;
    NODE(x)->when_cleared = look;
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    VERSION_DEPENDENT(0x030F0000, "they are alive in tp_clear", alive_in_clear, 0);
    VERSION_DEPENDENT(0x030F0000, "calls of their callbacks", calls, 0);
    trace_notes("events");
    trace("dead afterwards: %d %d", is_dead(born), is_dead(born_with));
    Py_DECREF(born);
    Py_DECREF(born_with);
}
