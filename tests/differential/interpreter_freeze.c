/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    trace("frozen inside: %zd", get_freeze_count());
    PyObject *list = must(PyList_New(0));
    freeze();
    trace("frozen some: %d", get_freeze_count() > 0);
    unfreeze();
    Py_DECREF(list);
}

PROGRAM("frozen objects of one interpreter are not frozen in another")
{
    freeze();
    trace("frozen some: %d", get_freeze_count() > 0);
    in_another_interpreter(body);
    trace("still frozen: %d", get_freeze_count() > 0);
    unfreeze();
    trace("none: %zd", get_freeze_count());
}
