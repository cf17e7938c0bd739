/* SPDX-License-Identifier: MIT */
/* Reference counts and identity as functions: for callers that need an address, and for calls
 * that are too rare to be inline. */
#include "../base/events.h"
#include "header.h"

void
Py_IncRef(PyObject *op)
{
    if (op != NULL && !ouro_event_incref(op)) {
        _Py_CountUp(op);
    }
}

void
Py_DecRef(PyObject *op)
{
    if (op != NULL && !ouro_event_decref(op)) {
        _Py_CountDown(op);
    }
}

PyObject *(Py_NewRef)(PyObject *op)
{
    return _Py_NewRef(op);
}

PyObject *(Py_XNewRef)(PyObject *op)
{
    return _Py_XNewRef(op);
}

int(Py_Is)(PyObject *x, PyObject *y)
{
    return x == y;
}

int
PyUnstable_IsImmortal(PyObject *op)
{
    return _Py_IsImmortal(op);
}

int
PyUnstable_SetImmortal(PyObject *op)
{
    if (op->ob_refcnt != 1 || PyUnicode_Check(op)) {
        return 0;
    }
    PyObject_GC_UnTrack(op);
    op->ob_refcnt = _Py_IMMORTAL_REFCNT;
    return 1;
}

int
PyUnstable_Object_IsUniquelyReferenced(PyObject *op)
{
    return op->ob_refcnt == 1;
}

/* Here it cannot be known whether a temporary of an evaluation loop holds the only reference. */
int
PyUnstable_Object_IsUniqueReferencedTemporary(PyObject *Py_UNUSED(op))
{
    return 0;
}

int
PyUnstable_TryIncRef(PyObject *op)
{
    if (ouro_object_is_dying(op)) {
        return 0;
    }
    Py_INCREF(op);
    return 1;
}

void
PyUnstable_EnableTryIncRef(PyObject *Py_UNUSED(op))
{
}

int
PyUnstable_Object_EnableDeferredRefcount(PyObject *Py_UNUSED(op))
{
    return 0;
}
