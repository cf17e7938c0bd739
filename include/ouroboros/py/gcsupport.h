/* SPDX-License-Identifier: MIT */
/* Supporting cyclic garbage collection: what the page of that name documents.
 *
 * A container type sets Py_TPFLAGS_HAVE_GC and supplies tp_traverse, and tp_clear when its
 * instances are mutable. Its constructor allocates with the functions below (usually
 * through type->tp_alloc), initialises every field that tp_traverse reads, and tracks the
 * object. Its destructor untracks the object first and frees it through type->tp_free. */
#ifndef OURO_PY_GCSUPPORT_H
#define OURO_PY_GCSUPPORT_H

#include "current.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

/* --- allocation ------------------------------------------------------------------- */

/* Bits of src/object/header.h. A FRESH object needs only its TRACKED bit to be tracked. Most
 * objects are born with just these two bits. */
#define _Py_GC_TRACKED     0x001u
#define _Py_GC_UNREACHABLE 0x010u
#define _Py_GC_ALLOCATED   0x080u
#define _Py_GC_FRESH       0x800u
#define _Py_GC_BIRTH       (_Py_GC_ALLOCATED | _Py_GC_FRESH)

/* A new object of a GC type: count 1, untracked, body not initialised. Takes a reference
 * to a heap type. May run a collection first. NULL with MemoryError. */
PyAPI_FUNC(PyObject *) _PyObject_GC_New(PyTypeObject *type);
#define PyObject_GC_New(TYPE, typeobj) ((TYPE *)_PyObject_GC_NewInline(typeobj))

/* The same without a call while the current page of the type's size class has a free block
 * that is FRESH, and no collection is due. The checking library gives types no class here. The
 * count of a free block is that of a new one. */
static inline PyObject *
_PyObject_GC_NewInline(PyTypeObject *type)
{
    struct _Py_Heap *heap = (struct _Py_Heap *)_Py_current.interp;
    struct _Py_Page *page = heap->fresh[type->tp_ouro_inline_class];
    PyObject *op = page->free;
    uint64_t link = _Py_FreeLink(op->ob_header);
    if (__builtin_expect(!_Py_IsFreeLink(link) || heap->allocations >= heap->alarm, 0)) {
        return _PyObject_GC_New(type);
    }
    heap->allocations++;
    page->free = (PyObject *)(page->before + link);
    page->left++;
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        Py_INCREF(type);
    }
    op->ob_type = type;
    op->ob_gc = _Py_GC_BIRTH; /* a constant: compilers know what Track will find */
    return op;
}

/* The same with room for `size` items; ob_size is set. A negative size is a SystemError,
 * a size that overflows a MemoryError. */
PyAPI_FUNC(PyVarObject *) _PyObject_GC_NewVar(PyTypeObject *type, Py_ssize_t size);
#define PyObject_GC_NewVar(TYPE, typeobj, size)                                          \
    ((TYPE *)_PyObject_GC_NewVar((typeobj), (size)))
/* The spelling of one 2.x edition of the page. */
#define PyObject_GC_VarNew(TYPE, typeobj, size) PyObject_GC_NewVar(TYPE, typeobj, size)

/* A new object with `extra_size` more bytes from offset tp_basicsize on; everything behind
 * the header is zero. For types without items. NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyUnstable_Object_GC_NewWithExtraData(PyTypeObject *type,
                                                             size_t extra_size);

/* Change the number of items of an object from PyObject_GC_NewVar that is not tracked. The
 * object may move. Its count is kept; new items are not initialised; items that are cut off are
 * not released. On failure NULL with MemoryError (SystemError when newsize is negative), and
 * the object is unchanged. Resizing a tracked object is fatal. */
PyAPI_FUNC(PyVarObject *) _PyObject_GC_Resize(PyVarObject *op, Py_ssize_t newsize);
#define PyObject_GC_Resize(TYPE, op, newsize)                                            \
    ((TYPE *)_PyObject_GC_Resize(_PyVarObject_CAST(op), (newsize)))

/* Free an object of the functions above; untracks it if necessary. Changes neither fields nor
 * the type's count. Freeing twice, or memory of another allocator, is fatal. */
PyAPI_FUNC(void) PyObject_GC_Del(void *op);

/* --- tracking ---------------------------------------------------------------------- */

/* Let the collector see `op`; all fields that tp_traverse reads must be valid. Fatal when
 * `op` is tracked already or was not allocated by the functions above. */
PyAPI_FUNC(void) PyObject_GC_Track(PyObject *op);
/* Hide `op` from the collector; fine when it is not tracked. It may be tracked again. */
PyAPI_FUNC(void) PyObject_GC_UnTrack(void *op);

/* Both without a call where possible: every constructor ends and every destructor begins
 * with them. */
static inline void
_PyObject_GC_Track(PyObject *op)
{
    if (!OURO_CHECK && op->ob_gc == (_Py_GC_ALLOCATED | _Py_GC_FRESH)) {
        op->ob_gc = _Py_GC_ALLOCATED | _Py_GC_FRESH | _Py_GC_TRACKED;
    } else {
        PyObject_GC_Track(op);
    }
}

static inline void
_PyObject_GC_UnTrack(PyObject *op)
{
    op->ob_gc &= ~(_Py_GC_TRACKED | _Py_GC_UNREACHABLE);
}
#define PyObject_GC_Track(op) _PyObject_GC_Track(_PyObject_CAST(op))
#if !OURO_CHECK
#define PyObject_GC_UnTrack(op) _PyObject_GC_UnTrack(_PyObject_CAST(op))
#endif

/* Non-zero if `obj` is an instance of a GC type (and tp_is_gc does not object). */
PyAPI_FUNC(int) PyObject_IS_GC(PyObject *obj);
/* 1 if `op` is of a GC type and tracked, else 0. */
PyAPI_FUNC(int) PyObject_GC_IsTracked(PyObject *op);
/* 1 if `op` is of a GC type and its finalizer has been run, else 0. */
PyAPI_FUNC(int) PyObject_GC_IsFinalized(PyObject *op);

/* Names of the editions up to 3.7. There the second one required a tracked object; the checking
 * library reports it for others. */
#define _PyObject_GC_TRACK(op) PyObject_GC_Track(op)
#if OURO_CHECK
PyAPI_FUNC(void) _PyObject_GC_UnTrackStrict(PyObject *op);
#define _PyObject_GC_UNTRACK(op) _PyObject_GC_UnTrackStrict(_PyObject_CAST(op))
#else
#define _PyObject_GC_UNTRACK(op) PyObject_GC_UnTrack(_PyObject_CAST(op))
#endif

/* --- handlers ------------------------------------------------------------------------ */

/* In a tp_traverse handler whose parameters are named `visit` and `arg`: visit `o` unless
 * it is NULL, and return what the visit returned unless that is 0. */
#define Py_VISIT(o)                                                                      \
    do {                                                                                 \
        if (o) {                                                                         \
            int _py_visit_result = visit(_PyObject_CAST(o), arg);                        \
            if (_py_visit_result) {                                                      \
                return _py_visit_result;                                                 \
            }                                                                            \
        }                                                                                \
    } while (0)

/* --- control ------------------------------------------------------------------------- */

/* Run a full collection. Returns the number of unreachable objects found, collected or
 * not; 0 at once when the collector is disabled or already running. Never raises. */
PyAPI_FUNC(Py_ssize_t) PyGC_Collect(void);
/* Enable, disable, ask. Each returns 1 for "was enabled", 0 for "was disabled". */
PyAPI_FUNC(int) PyGC_Enable(void);
PyAPI_FUNC(int) PyGC_Disable(void);
PyAPI_FUNC(int) PyGC_IsEnabled(void);

/* Return 1 to go on, 0 to stop. */
typedef int (*gcvisitobjects_t)(PyObject *object, void *arg);
/* Call back for every tracked object, frozen ones included, in no particular order. The
 * collector is disabled meanwhile. The callback may free any object. */
PyAPI_FUNC(void) PyUnstable_GC_VisitObjects(gcvisitobjects_t callback, void *arg);

OURO_END_DECLS

#endif
