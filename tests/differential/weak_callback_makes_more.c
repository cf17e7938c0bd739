/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *other, *made[3];
static int calls, late_calls;

static PyObject *
count_call(PyObject *self, PyObject *weakref)
{
    (void)self;
    (void)weakref;
    late_calls++;
    Py_RETURN_NONE;
}

static PyObject *
make_weakrefs(PyObject *self, PyObject *weakref)
{
    (void)self;
    (void)weakref;
    trace("called, %d", ++calls);
    /* to an object that is garbage as well, and to one that is alive */
    PyObject *count = new_callable(count_call);
    made[0] = must(PyWeakref_NewRef(other, count));
    Py_DECREF(count);
    made[1] = new_weakref(other, NULL);
    PyObject *alive = N("temporary");
    made[2] = new_weakref(alive, "temporary");
    Py_DECREF(alive);
    Py_RETURN_NONE;
}

PROGRAM("a callback that makes new weak references, also to garbage")
{
    PyObject *callback = new_callable(make_weakrefs);
    PyObject *x = N("x");
    other = N("other");
    set_a(x, other);
    set_a(other, x);
    PyObject *weak = must(PyWeakref_NewRef(x, callback));
    Py_DECREF(x);
    Py_DECREF(other);
    trace("found %zd", collect());
    trace("dead: %d %d %d %d", is_dead(weak), is_dead(made[0]), is_dead(made[1]),
          is_dead(made[2]));
    trace_notes("events");
    VERSION_DEPENDENT(0x030F0000, "calls for the one made in a callback", late_calls, 0);
    for (int i = 0; i < 3; i++) {
        Py_DECREF(made[i]);
    }
    Py_DECREF(weak);
    Py_DECREF(callback);
    trace("nothing left: %zd", collect());
}
