/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *held;

PROGRAM("an object that C code still holds is not finalized at the end")
{
    trace_shutdown = true;
    held = F("held");
    set_a(held, held);
    PyObject *gone = F("gone");
    set_a(gone, gone);
    set_b(gone, held);
    Py_DECREF(gone);
    trace_notes("before");
}
