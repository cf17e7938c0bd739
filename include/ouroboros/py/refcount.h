/* SPDX-License-Identifier: MIT */
/* Reference counts.
 *
 * A count is 32 bits wide. Values with the sign bit set are immortal: increments and decrements
 * leave them alone. A count that overflows becomes immortal: the object leaks, rather than
 * being freed while a reference still exists. */
#ifndef OURO_PY_REFCOUNT_H
#define OURO_PY_REFCOUNT_H

#include "current.h"
#include "object.h"

OURO_BEGIN_DECLS

/* Destroy an object whose count has reached zero: calls its tp_dealloc. When the C stack
 * is nearly used up, an object of a GC type is set aside and destroyed from a shallower
 * frame, before the outermost Py_DECREF returns. */
PyAPI_FUNC(void) _Py_Dealloc(PyObject *op);

/* The head of PyTypeObject, which is defined later. */
struct __attribute__((may_alias)) _Py_Type {
    PyVarObject ob_base;
    const char *name;
    Py_ssize_t sizes[2];
    void (*dealloc)(PyObject *);
};

static inline int
_Py_IsImmortal(const PyObject *op)
{
    return (int32_t)op->ob_refcnt < 0;
}
#define _Py_IsImmortal(op) _Py_IsImmortal((const PyObject *)(op))

/* The count; for an immortal object, some very large number. */
static inline Py_ssize_t
Py_REFCNT(const PyObject *op)
{
    return (Py_ssize_t)op->ob_refcnt;
}
#define Py_REFCNT(op) Py_REFCNT((const PyObject *)(op))

/* Set the count. Ignored when the object is immortal; a value beyond 31 bits makes it so. */
static inline void
Py_SET_REFCNT(PyObject *op, Py_ssize_t count)
{
    if (!_Py_IsImmortal(op)) {
        op->ob_refcnt = count > INT32_MAX ? _Py_IMMORTAL_REFCNT : (uint32_t)count;
    }
}
#define Py_SET_REFCNT(op, count) Py_SET_REFCNT(_PyObject_CAST(op), (count))

/* Function forms, for callers that need an address or another language; NULL is fine in
 * Py_IncRef, Py_DecRef and Py_XNewRef. */
PyAPI_FUNC(void) Py_IncRef(PyObject *op);
PyAPI_FUNC(void) Py_DecRef(PyObject *op);
PyAPI_FUNC(PyObject *) Py_NewRef(PyObject *op);
PyAPI_FUNC(PyObject *) Py_XNewRef(PyObject *op);

/* What both forms do. */
static inline void
_Py_CountUp(PyObject *op)
{
    uint32_t count = op->ob_refcnt;
    if ((int32_t)count >= 0) {
        op->ob_refcnt = count + 1;
    }
}

static inline void
_Py_CountDown(PyObject *op)
{
    uint32_t count = op->ob_refcnt;
    if ((int32_t)count >= 0) {
        op->ob_refcnt = --count;
        if (count == 0) {
            /* What _Py_Dealloc does, without a call in between; but the checking library
             * watches every destruction. */
            if (OURO_CHECK ||
                __builtin_expect(_Py_StackPointer() < _Py_current.stack_half, 0)) {
                _Py_Dealloc(op);
            } else {
                ((struct _Py_Type *)op->ob_type)->dealloc(op);
            }
        }
    }
}

/* The checking library sees every change of a count: there these are calls. */
static inline void
Py_INCREF(PyObject *op)
{
#if OURO_CHECK
    Py_IncRef(op);
#else
    _Py_CountUp(op);
#endif
}
#define Py_INCREF(op) Py_INCREF(_PyObject_CAST(op))

static inline void
Py_DECREF(PyObject *op)
{
#if OURO_CHECK
    Py_DecRef(op);
#else
    _Py_CountDown(op);
#endif
}
#define Py_DECREF(op) Py_DECREF(_PyObject_CAST(op))

static inline void
Py_XINCREF(PyObject *op)
{
    if (op != NULL) {
        Py_INCREF(op);
    }
}
#define Py_XINCREF(op) Py_XINCREF(_PyObject_CAST(op))

static inline void
Py_XDECREF(PyObject *op)
{
    if (op != NULL) {
        Py_DECREF(op);
    }
}
#define Py_XDECREF(op) Py_XDECREF(_PyObject_CAST(op))

/* A new reference to the same object. */
static inline PyObject *
_Py_NewRef(PyObject *op)
{
    Py_INCREF(op);
    return op;
}

static inline PyObject *
_Py_XNewRef(PyObject *op)
{
    Py_XINCREF(op);
    return op;
}

#define Py_NewRef(op)  _Py_NewRef(_PyObject_CAST(op))
#define Py_XNewRef(op) _Py_XNewRef(_PyObject_CAST(op))

/* Set `op` to NULL, then release what it referred to. `op` is evaluated once. */
#define Py_CLEAR(op)                                                                     \
    do {                                                                                 \
        __typeof__(op) *_py_place = &(op);                                               \
        __typeof__(op) _py_old = *_py_place;                                             \
        if (_py_old != NULL) {                                                           \
            *_py_place = NULL;                                                           \
            Py_DECREF(_py_old);                                                          \
        }                                                                                \
    } while (0)

/* Store `src` (its reference is stolen), then release what `dst` referred to before. */
#define Py_SETREF(dst, src)                                                              \
    do {                                                                                 \
        __typeof__(dst) *_py_place = &(dst);                                             \
        __typeof__(dst) _py_old = *_py_place;                                            \
        *_py_place = (__typeof__(dst))(src);                                             \
        Py_DECREF(_py_old);                                                              \
    } while (0)

#define Py_XSETREF(dst, src)                                                             \
    do {                                                                                 \
        __typeof__(dst) *_py_place = &(dst);                                             \
        __typeof__(dst) _py_old = *_py_place;                                            \
        *_py_place = (__typeof__(dst))(src);                                             \
        Py_XDECREF(_py_old);                                                             \
    } while (0)

/* 1 if `op` is immortal, else 0. */
PyAPI_FUNC(int) PyUnstable_IsImmortal(PyObject *op);
/* Make `op` immortal and untrack it. Returns 1; or 0 and does nothing when `op` is a str
 * or has other owners than the caller. */
PyAPI_FUNC(int) PyUnstable_SetImmortal(PyObject *op);
/* 1 if the caller holds the only reference, else 0. */
PyAPI_FUNC(int) PyUnstable_Object_IsUniquelyReferenced(PyObject *op);
PyAPI_FUNC(int) PyUnstable_Object_IsUniqueReferencedTemporary(PyObject *op);
/* Take a reference unless the object is already dying: 1 on success, 0 otherwise. */
PyAPI_FUNC(int) PyUnstable_TryIncRef(PyObject *op);
PyAPI_FUNC(void) PyUnstable_EnableTryIncRef(PyObject *op);
/* Free-threaded builds only: does nothing and returns 0. */
PyAPI_FUNC(int) PyUnstable_Object_EnableDeferredRefcount(PyObject *op);

OURO_END_DECLS

#endif
