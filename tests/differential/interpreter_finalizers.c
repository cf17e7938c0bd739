/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    PyObject *x = F("x"), *y = F("y");
    set_a(x, y);
    set_a(y, x);
    PyObject *dict = must(PyInterpreterState_GetDict(PyInterpreterState_Get()));
    must_be_zero(PyDict_SetItemString(dict, "x", x));
    Py_DECREF(x);
    Py_DECREF(y);
    collect();
    trace_notes("before the end");
}

PROGRAM("finalizers of objects that outlive their program run when the interpreter ends")
{
    in_another_interpreter(body);
    trace_notes("after the end");
}
