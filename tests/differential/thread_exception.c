/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    trace("pending in the thread: %d", PyErr_Occurred() != NULL);
    PyErr_SetString(PyExc_KeyError, "in the thread");
    trace_error("in the thread");
}

PROGRAM("a thread does not see the exception of another")
{
    PyErr_SetString(PyExc_ValueError, "of the main thread");
    in_another_thread(body);
    trace_error("of the main thread");
}
