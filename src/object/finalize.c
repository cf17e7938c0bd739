/* SPDX-License-Identifier: MIT */
/* Finalizers of objects that die by their count; the collector has its own phase.
 *
 * A finalizer sees a whole object and may make it live again. An object of the heap is
 * marked after the call, so that its finalizer runs once; plain objects have no place for
 * a mark and are finalized each time they die. */
#include "finalize.h"

#include "../base/events.h"
#include "../thread/interpreter.h"
#include "../thread/seam.h"
#include "../thread/thread.h"

void
ouro_call_finalizer(PyObject *self)
{
    PyObject *pending = ouro_error_take();
    ouro_call_finalize(self);
    if (ouro_current.thread->error != NULL) {
        ouro_seam.report_error("Exception ignored in tp_finalize of %s",
                               Py_TYPE(self)->tp_name);
    }
    ouro_error_restore(pending);
}

void
PyObject_CallFinalizer(PyObject *self)
{
    if (Py_TYPE(self)->tp_finalize == NULL || ouro_object_is_finalized(self)) {
        return;
    }
    ouro_call_finalizer(self);
    ouro_object_mark_finalized(self);
}

/* If the first check fires: this was called outside tp_dealloc, or by a tp_dealloc that was
 * called directly. */
int
PyObject_CallFinalizerFromDealloc(PyObject *self)
{
    OURO_REQUIRE(
        self->ob_refcnt == 0,
        "PyObject_CallFinalizerFromDealloc: the '%s' object at %p has a non-zero "
        "refcount (%u)",
        Py_TYPE(self)->tp_name, (void *)self, (unsigned)self->ob_refcnt);
    if (Py_TYPE(self)->tp_finalize == NULL || ouro_object_is_finalized(self)) {
        return 0;
    }
    self->ob_refcnt = 1; /* held by us */
    PyObject_CallFinalizer(self);
    OURO_REQUIRE(
        self->ob_refcnt != 0,
        "the finalizer of the '%s' object at %p released a reference that it did "
        "not own",
        Py_TYPE(self)->tp_name, (void *)self);
    if (_Py_IsImmortal(self)) {
        return -1;
    }
    if (--self->ob_refcnt == 0) {
        return 0;
    }
    ouro_event_resurrected(self);
    return -1;
}
