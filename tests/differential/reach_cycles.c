/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("cycles, and what hangs off them, are found when nobody refers to them")
{
    PyObject *x = N("x"), *y = N("y");
    set_a(x, y);
    set_a(y, x);
    Py_DECREF(y);
    trace("held: %zd", collect());
    trace_notes("held");
    Py_DECREF(x);
    trace("dropped: %zd", collect());
    trace_notes("dropped");

    x = N("x");
    PyObject *leaf = N("leaf");
    set_a(x, x);
    set_b(x, leaf);
    Py_DECREF(leaf);
    Py_DECREF(x);
    trace("with a leaf: %zd", collect());
    trace_notes("with a leaf");

    /* a dropped cycle refers to a held node: the node stays, the cycle dies */
    x = N("x"), y = N("y");
    set_a(x, x);
    set_b(x, y);
    set_a(y, y);
    Py_DECREF(x);
    trace("the cycle before a held one: %zd", collect());
    trace_notes("after");
    trace("y has %zd references", (Py_ssize_t)Py_REFCNT(y));
    Py_DECREF(y);
    trace("then the other: %zd", collect());
    trace_notes("after");
    trace("nothing is left: %zd", collect());
}
