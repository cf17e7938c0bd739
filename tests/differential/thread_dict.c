/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *weak;

static void
body(void)
{
    PyObject *dict = must(PyThreadState_GetDict()), *x = N("x");
    must_be_zero(PyDict_SetItemString(dict, "x", x));
    weak = new_weakref(x, "x");
    Py_DECREF(x);
    trace("alive in the thread: %d", !is_dead(weak));
}

PROGRAM("what a thread keeps in its dict ends with it")
{
    in_another_thread(body);
    trace("dead %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);
    trace("not in our dict: %d",
          PyDict_GetItemString(PyThreadState_GetDict(), "x") == NULL);
}
