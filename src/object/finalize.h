/* SPDX-License-Identifier: MIT */
/* Calling tp_finalize. The two public calls, PyObject_CallFinalizer and
 * PyObject_CallFinalizerFromDealloc, are in finalize.c as well. */
#ifndef OURO_OBJECT_FINALIZE_H
#define OURO_OBJECT_FINALIZE_H

#include "header.h"

/* Call the object's tp_finalize, which is not NULL. The caller's pending exception is kept;
 * one that the finalizer leaves behind is reported as unraisable. The caller holds a
 * reference and sets the mark. */
void ouro_call_finalizer(PyObject *self);

/* Has the object's finalizer been called? Only objects of the heap can be marked. */
static inline bool
ouro_object_is_finalized(const PyObject *op)
{
    return ouro_object_has(op, OURO_GC_FINALIZED);
}

static inline void
ouro_object_mark_finalized(PyObject *op)
{
    if (ouro_object_has(op, OURO_GC_ALLOCATED)) {
        ouro_object_set(op, OURO_GC_FINALIZED);
    }
}

#endif
