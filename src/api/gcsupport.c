/* SPDX-License-Identifier: MIT */
/* Allocation and tracking of containers: the rules for constructors and destructors of the
 * documented page.
 *
 * Every container goes through four functions: New, Track, UnTrack and Del. Their usual cases take
 * a few instructions; rare cases are out of line. Misuse that would corrupt the heap is a fatal
 * error, which names the type and the mistake. */
#include <Python.h>

#include "../base/events.h"
#include "../base/fault.h"
#include "../collector/collector.h"
#include "../object/header.h"
#include "../thread/interpreter.h"
#include "../types/type.h"

/* --- allocation --------------------------------------------------------------------------- */

/* The heap set the count and the gc bits. */
static inline PyObject *
set_type(PyObject *op, PyTypeObject *type)
{
    op->ob_type = type;
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_INCREF(type);
    }
    return op;
}

static size_t
lead_of(const PyTypeObject *type)
{
    return (type->tp_flags & Py_TPFLAGS_PREHEADER) != 0 ? OURO_LEAD : 0;
}

/* While static types are finished: memory of the process, immortal, outside every heap. */
static PyObject *
allocate_shared(PyTypeObject *type, size_t size)
{
    char *memory = PyMem_RawCalloc(1, size + OURO_LEAD);
    if (memory == NULL) {
        return PyErr_NoMemory();
    }
    ouro_shared_keep(memory);
    PyObject *op = (PyObject *)(memory + OURO_LEAD);
    op->ob_refcnt = _Py_IMMORTAL_REFCNT;
    op->ob_type = type;
    return op;
}

/* Finds a block. If the heap has none left, a full collection runs, and this tries again. */
static PyObject *
find_block(struct _is *interp, size_t size, size_t lead)
{
    if (ouro_fault()) {
        return NULL;
    }
    PyObject *op = ouro_heap_allocate(&interp->heap, size, lead);
    if (OURO_UNLIKELY(op == NULL) && ouro_event_makes_room(&interp->heap)) {
        op = ouro_heap_allocate(&interp->heap, size, lead);
    }
    if (OURO_UNLIKELY(op == NULL) && ouro_collector_make_room(interp)) {
        (void)ouro_event_makes_room(&interp->heap);
        op = ouro_heap_allocate(&interp->heap, size, lead);
    }
    return op;
}

static PyObject *
allocate_block(struct _is *interp, size_t size, size_t lead)
{
    if (OURO_LIKELY(!ouro_heap_has_canaries(&interp->heap))) {
        return find_block(interp, size, lead);
    }
    PyObject *op = find_block(interp, size + OURO_CANARY, lead);
    if (op != NULL) {
        ouro_canary_put(&interp->heap, op, size);
    }
    return op;
}

/* For any type and any size. Collects first if a collection is due. */
__attribute__((noinline)) static PyObject *
allocate_object(PyTypeObject *type, size_t size)
{
    struct _is *interp = ouro_current.interp;
    OURO_REQUIRE(
        interp != &ouro_nowhere,
        "PyObject_GC_New: a '%s' is allocated by a thread that is not attached to an "
        "interpreter",
        type->tp_name);
    if (!ouro_type_use(type)) {
        return NULL;
    }
    if (interp == &ouro_shared) {
        return allocate_shared(type, size);
    }
    if (interp->heap.allocations > interp->heap.alarm) {
        ouro_collector_alarm(interp);
    }
    size_t lead = lead_of(type);
    PyObject *op = size > (size_t)PY_SSIZE_T_MAX
                       ? NULL
                       : allocate_block(interp, size + OURO_RED_ZONE, lead);
    if (op == NULL) {
        return PyErr_NoMemory();
    }
    if (lead != 0) {
        memset((char *)op - lead, 0, lead);
    }
    set_type(op, type);
    ouro_event_allocated(op, size);
    return op;
}

/* Count an allocation. True if no collection is due. When faults are injected, no allocation takes
 * the fast path, because it could not fail there. */
static inline bool
is_nothing_due(struct heap *heap)
{
    return ++heap->allocations <= heap->alarm && !(OURO_DEBUG && ouro_fault_is_watched());
}

PyObject *
_PyObject_GC_New(PyTypeObject *type)
{
    struct heap *heap = &ouro_current.interp->heap;
    if (OURO_LIKELY(is_nothing_due(heap))) {
        PyObject *op = ouro_heap_take(heap, type->tp_ouro_size_class);
        if (OURO_LIKELY(op != NULL)) {
            return set_type(op, type);
        }
    }
    return allocate_object(type, (size_t)type->tp_basicsize);
}

/* The size of an instance with `count` items, in bytes; SIZE_MAX when that overflows. */
static size_t
bytes_with_items(const PyTypeObject *type, size_t count)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, (size_t)type->tp_itemsize, &bytes) ||
        __builtin_add_overflow(bytes, (size_t)type->tp_basicsize, &bytes) ||
        bytes > (size_t)PY_SSIZE_T_MAX) {
        return SIZE_MAX;
    }
    return (bytes + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
}

PyVarObject *
_PyObject_GC_NewVar(PyTypeObject *type, Py_ssize_t size)
{
    if (size < 0) {
        PyErr_BadInternalCall();
        return NULL;
    }
    struct heap *heap = &ouro_current.interp->heap;
    size_t bytes = bytes_with_items(type, (size_t)size);
    const unsigned long usual = Py_TPFLAGS_READY, unusual = Py_TPFLAGS_PREHEADER;
    bool is_plain = (type->tp_flags & (usual | unusual)) == usual;
    bool takes_short_way =
        is_nothing_due(heap) && is_plain && bytes <= OURO_SMALL_MAX && !OURO_CHECK;
    PyVarObject *op = NULL;
    if (OURO_LIKELY(takes_short_way)) {
        op = (PyVarObject *)ouro_heap_take(heap, ouro_size_class(bytes));
        if (OURO_LIKELY(op != NULL)) {
            set_type((PyObject *)op, type);
        }
    }
    if (op == NULL) {
        op = (PyVarObject *)allocate_object(type, bytes);
    }
    if (op != NULL) {
        op->ob_size = size;
    }
    return op;
}

PyObject *
PyUnstable_Object_GC_NewWithExtraData(PyTypeObject *type, size_t extra_size)
{
    size_t bytes;
    ouro_current.interp->heap.allocations++;
    if (__builtin_add_overflow((size_t)type->tp_basicsize, extra_size, &bytes) ||
        bytes > (size_t)PY_SSIZE_T_MAX) {
        return PyErr_NoMemory();
    }
    PyObject *op = allocate_object(type, bytes);
    if (op != NULL) {
        memset(op + 1, 0, bytes - sizeof(PyObject));
    }
    return op;
}

/* --- freeing -------------------------------------------------------------------------------- */

/* If the first fires: the memory is from PyObject_New or malloc, or the object belongs to
 * another interpreter. If the second fires: a destructor freed twice, or ran twice because the
 * program released a reference that it did not own. */
__attribute__((noinline, cold)) static void
refuse_block(const PyObject *op, const char *function)
{
    OURO_REQUIRE(op != NULL, "%s: NULL is not an object", function);
    OURO_REQUIRE(ouro_is_attached(),
                 "%s: the calling thread is not attached to an interpreter", function);
    OURO_REQUIRE(ouro_heap_contains(&ouro_current.interp->heap, op),
                 "%s: the '%s' object at %p was not allocated by PyObject_GC_New or "
                 "PyObject_GC_NewVar of this interpreter",
                 function, ouro_heap_type_name(&ouro_current.interp->heap, op),
                 (const void *)op);
    ouro_fatal("%s: the '%s' object at %p is not allocated: it was freed before",
               function, ouro_heap_dead_type_name(&ouro_current.interp->heap, op),
               (const void *)op);
}

static inline bool
is_allocated_here(const struct heap *heap, const PyObject *op)
{
    return ouro_heap_contains(heap, op) &&
           (ouro_sanitize_peek_gc(op) & OURO_GC_ALLOCATED) != 0;
}

static inline void
free_block(struct heap *heap, PyObject *op)
{
    heap->allocations -= heap->allocations != 0; /* no branch: it is not predictable */
    if (!ouro_event_keeps(op)) {
        ouro_heap_give(heap, ouro_heap_page_of(heap, op), op);
    }
}

/* The cases that the usual path does not cover: mistakes, heaps with canaries, and constructors
 * that fail, where the count is 1. The object may still refer to itself, unless there are
 * canaries. */
__attribute__((noinline, cold)) static void
look_and_free(struct heap *heap, PyObject *op)
{
    if (!is_allocated_here(heap, op)) {
        refuse_block(op, "PyObject_GC_Del");
    }
    if (ouro_heap_has_canaries(heap)) {
        ouro_canary_check(heap, op);
    }
    uint32_t most = ouro_heap_has_canaries(heap) ? 1 : UINT32_MAX - 1;
    OURO_REQUIRE(
        op->ob_refcnt <= most,
        "PyObject_GC_Del: the '%s' object at %p has the count %u: a reference was "
        "released once too often, or taken, while it died",
        ouro_heap_type_name(heap, op), (const void *)op, op->ob_refcnt);
    free_block(heap, op);
}

void
PyObject_GC_Del(void *block)
{
    struct heap *heap = &ouro_current.interp->heap;
    PyObject *op = block;
    if (ouro_event_refuses_del(op)) {
        return;
    }
    /* A free block has another count. Reading its bits, too, took 4 % longer. */
    bool is_usual = ouro_heap_offset(heap, op) < heap->bare &&
                    (uint32_t)ouro_sanitize_peek_header(op) == 0;
    if (OURO_UNLIKELY(!is_usual)) {
        look_and_free(heap, op); /* a tail call: no register has to be saved for it */
    } else {
        free_block(heap, op);
    }
}

/* --- resizing ---------------------------------------------------------------------------------- */

/* Copy an object to a block of another size and free the old one. */
static PyVarObject *
move_object(struct _is *interp, PyVarObject *op, size_t bytes)
{
    PyObject *old = (PyObject *)op;
    size_t lead = lead_of(Py_TYPE(op));
    PyObject *fresh = allocate_block(interp, bytes + OURO_RED_ZONE, lead);
    if (fresh == NULL) {
        return (PyVarObject *)PyErr_NoMemory();
    }
    size_t holds = ouro_heap_block_size(&interp->heap, old);
    uint32_t gc =
        (fresh->ob_gc & OURO_GC_FRESH) | (old->ob_gc & ~(uint32_t)OURO_GC_FRESH);
    memcpy((char *)fresh - lead, (char *)old - lead,
           lead + (bytes < holds ? bytes : holds));
    fresh->ob_gc = gc;
    if (ouro_heap_has_canaries(&interp->heap)) {
        ouro_canary_check(&interp->heap, old);
    }
    if (!ouro_event_moved(old, fresh, bytes)) {
        ouro_heap_give(&interp->heap, ouro_heap_page_of(&interp->heap, old), old);
    }
    return (PyVarObject *)fresh;
}

PyVarObject *
_PyObject_GC_Resize(PyVarObject *op, Py_ssize_t newsize)
{
    struct _is *interp = ouro_current.interp;
    bool is_ours = is_allocated_here(&interp->heap, (PyObject *)op);
    size_t bytes = is_ours ? bytes_with_items(Py_TYPE(op), (size_t)newsize) : 0;
    if (ouro_event_refuses_resize(op, newsize, bytes)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (!is_ours) {
        refuse_block((PyObject *)op, "PyObject_GC_Resize");
    }
    OURO_REQUIRE(!ouro_object_is_tracked((PyObject *)op),
                 "PyObject_GC_Resize: the '%s' object at %p is tracked; untrack it first",
                 Py_TYPE(op)->tp_name, (void *)op);
    if (newsize < 0) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (bytes == SIZE_MAX) {
        return (PyVarObject *)PyErr_NoMemory();
    }
    size_t holds = ouro_heap_block_size(&interp->heap, (PyObject *)op);
    bool stays =
        !OURO_CHECK && !ouro_heap_has_canaries(&interp->heap) && /* these always move */
        bytes >= holds / 2 &&
        (bytes <= holds || ouro_heap_extend(&interp->heap, (PyObject *)op, bytes));
    if (!stays) {
        op = move_object(interp, op, bytes);
        if (op == NULL) {
            return NULL;
        }
    }
    op->ob_size = newsize;
    return op;
}

/* --- tracking ------------------------------------------------------------------------------------ */

/* The cases that the usual path of Track does not cover: objects made while static types are
 * finished, which are never tracked, and mistakes. */
__attribute__((noinline, cold)) static void
refuse_track(PyObject *op)
{
    if (op != NULL && !ouro_heap_contains(&ouro_current.interp->heap, op) &&
        _Py_IsImmortal(op)) {
        return;
    }
    if (op != NULL && ouro_heap_contains(&ouro_current.interp->heap, op)) {
        OURO_REQUIRE(
            (ouro_sanitize_peek_gc(op) & OURO_GC_TRACKED) == 0,
            "PyObject_GC_Track: object already tracked by the garbage collector: '%s' "
            "object at %p",
            ouro_heap_type_name(&ouro_current.interp->heap, op), (void *)op);
    }
    refuse_block(op, "PyObject_GC_Track");
}

void(PyObject_GC_Track)(PyObject *op)
{
    if (ouro_event_track(op)) {
        return;
    }
    struct heap *heap = &ouro_current.interp->heap;
    size_t offset = ouro_heap_offset(heap, op);
    uint32_t gc = OURO_LIKELY(offset < heap->size) ? ouro_sanitize_peek_gc(op) : 0;
    if (OURO_UNLIKELY((gc & (OURO_GC_ALLOCATED | OURO_GC_TRACKED)) !=
                      OURO_GC_ALLOCATED)) {
        refuse_track(op);
        return;
    }
    op->ob_gc = (gc & ~(uint32_t)(OURO_GC_GENERATION | OURO_GC_FRESH)) | OURO_GC_TRACKED;
    if (OURO_UNLIKELY(heap->birth_scan[offset >> OURO_PAGE_SHIFT] != OURO_SCAN_ALL)) {
        ouro_scan_note_birth(heap, offset);
    }
}

#undef PyObject_GC_UnTrack
void
PyObject_GC_UnTrack(void *op)
{
    if (!ouro_event_untrack(op)) {
        _PyObject_GC_UnTrack(op);
    }
}

int
PyObject_IS_GC(PyObject *obj)
{
    return ouro_object_is_gc(obj);
}

int
PyObject_GC_IsTracked(PyObject *op)
{
    return PyObject_IS_GC(op) && ouro_object_is_tracked(op);
}

int
PyObject_GC_IsFinalized(PyObject *op)
{
    return PyObject_IS_GC(op) && ouro_object_has(op, OURO_GC_FINALIZED);
}
