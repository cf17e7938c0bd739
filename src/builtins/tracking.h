/* SPDX-License-Identifier: MIT */
/* Which immutable containers need not be tracked. */
#ifndef OURO_BUILTINS_TRACKING_H
#define OURO_BUILTINS_TRACKING_H

#include <Python.h>

#include <stdbool.h>

/* Could a reference to `op` be part of a cycle? A tuple says so itself: once it has been
 * untracked it never changes again. */
static inline bool
ouro_may_be_in_cycle(PyObject *op)
{
    return PyObject_IS_GC(op) && (!PyTuple_CheckExact(op) || PyObject_GC_IsTracked(op));
}

#endif
