/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    trace("pending inside: %d", PyErr_Occurred() != NULL);
    PyErr_SetString(PyExc_KeyError, "inside");
    trace_error("inside");
}

PROGRAM("an exception belongs to its thread state")
{
    PyErr_SetString(PyExc_ValueError, "outside");
    in_another_interpreter(body);
    trace_error("outside");
}
