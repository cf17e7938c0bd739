/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *weaks[4];
static int calls[4];

static PyObject *
drop_the_next(PyObject *self, PyObject *weakref)
{
    (void)weakref;
    long i = PyLong_AsLong(self);
    calls[i]++;
    if (i > 0) {
        Py_CLEAR(weaks[i - 1]); /* it would have been called after us */
    }
    Py_RETURN_NONE;
}

static PyMethodDef method = {"drop_the_next", drop_the_next, METH_O, NULL};

static void
watch(PyObject *x)
{
    for (int i = 0; i < 4; i++) {
        PyObject *self = number(i);
        PyObject *callback = must(PyCFunction_New(&method, self));
        calls[i] = 0;
        weaks[i] = must(PyWeakref_NewRef(x, callback));
        Py_DECREF(callback);
        Py_DECREF(self);
    }
}

static void
report(const char *what)
{
    trace("%s: calls %d %d %d %d, left %d %d %d %d", what, calls[0], calls[1], calls[2],
          calls[3], weaks[0] != NULL, weaks[1] != NULL, weaks[2] != NULL,
          weaks[3] != NULL);
    for (int i = 0; i < 4; i++) {
        Py_CLEAR(weaks[i]);
    }
}

PROGRAM("a callback that drops weak references whose callbacks were still to come")
{
    PyObject *x = N("x");
    watch(x);
    Py_DECREF(x);
    report("by count");
    trace_notes("events");
    x = N("x");
    watch(x);
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    report("by collection");
    trace_notes("events");
}
