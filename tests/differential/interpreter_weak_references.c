/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    PyObject *weak = must(PyWeakref_NewRef((PyObject *)&PyLong_Type, NULL));
    trace("alive inside: %d", !is_dead(weak));
    Py_DECREF(weak);
}

PROGRAM("weak references to a static type, in two interpreters")
{
    PyObject *weak = must(PyWeakref_NewRef((PyObject *)&PyLong_Type, NULL));
    in_another_interpreter(body);
    trace("alive outside: %d", !is_dead(weak));
    PyObject *again = must(PyWeakref_NewRef((PyObject *)&PyLong_Type, NULL));
    trace("the same reference: %d", weak == again);
    Py_DECREF(again);
    Py_DECREF(weak);
}
