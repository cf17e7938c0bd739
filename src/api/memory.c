/* SPDX-License-Identifier: MIT */
/* The raw, mem and object domains, and objects that are not containers.
 *
 * All three domains are malloc unless the embedding program installs something else.
 * Containers have their own heap: gcsupport.c. */
#include <Python.h>

#include "../base/events.h"
#include "../base/fault.h"
#include "../thread/interpreter.h"
#include "../types/type.h"

/* --- domains ---------------------------------------------------------------------------- */

static void *
default_malloc(void *Py_UNUSED(ctx), size_t size)
{
    return malloc(size != 0 ? size : 1);
}

static void *
default_calloc(void *Py_UNUSED(ctx), size_t nelem, size_t elsize)
{
    return nelem != 0 && elsize != 0 ? calloc(nelem, elsize) : calloc(1, 1);
}

static void *
default_realloc(void *Py_UNUSED(ctx), void *ptr, size_t new_size)
{
    return realloc(ptr, new_size != 0 ? new_size : 1);
}

static void
default_free(void *Py_UNUSED(ctx), void *ptr)
{
    free(ptr);
}

#define DEFAULT_ALLOCATOR                                                                \
    {                                                                                    \
        NULL, default_malloc, default_calloc, default_realloc, default_free              \
    }

static PyMemAllocatorEx domain_allocators[] = {
    [PYMEM_DOMAIN_RAW] = DEFAULT_ALLOCATOR,
    [PYMEM_DOMAIN_MEM] = DEFAULT_ALLOCATOR,
    [PYMEM_DOMAIN_OBJ] = DEFAULT_ALLOCATOR,
};

void
PyMem_GetAllocator(PyMemAllocatorDomain domain, PyMemAllocatorEx *allocator)
{
    *allocator = domain_allocators[domain];
}

void
PyMem_SetAllocator(PyMemAllocatorDomain domain, PyMemAllocatorEx *allocator)
{
    ouro_event_allocators_change();
    domain_allocators[domain] = *allocator;
}

static void *
domain_malloc(PyMemAllocatorDomain domain, size_t size)
{
    const PyMemAllocatorEx *a = &domain_allocators[domain];
    if (size > (size_t)PY_SSIZE_T_MAX || ouro_fault()) {
        return NULL;
    }
    return a->malloc(a->ctx, size);
}

static void *
domain_calloc(PyMemAllocatorDomain domain, size_t nelem, size_t elsize)
{
    const PyMemAllocatorEx *a = &domain_allocators[domain];
    if ((elsize != 0 && nelem > (size_t)PY_SSIZE_T_MAX / elsize) || ouro_fault()) {
        return NULL;
    }
    return a->calloc(a->ctx, nelem, elsize);
}

static void *
domain_realloc(PyMemAllocatorDomain domain, void *ptr, size_t new_size)
{
    const PyMemAllocatorEx *a = &domain_allocators[domain];
    if (new_size > (size_t)PY_SSIZE_T_MAX || ouro_fault()) {
        return NULL;
    }
    return a->realloc(a->ctx, ptr, new_size);
}

static void
domain_free(PyMemAllocatorDomain domain, void *ptr)
{
    const PyMemAllocatorEx *a = &domain_allocators[domain];
    a->free(a->ctx, ptr);
}

void *
PyMem_RawMalloc(size_t size)
{
    return domain_malloc(PYMEM_DOMAIN_RAW, size);
}

void *
PyMem_RawCalloc(size_t nelem, size_t elsize)
{
    return domain_calloc(PYMEM_DOMAIN_RAW, nelem, elsize);
}

void *
PyMem_RawRealloc(void *ptr, size_t new_size)
{
    return domain_realloc(PYMEM_DOMAIN_RAW, ptr, new_size);
}

void
PyMem_RawFree(void *ptr)
{
    domain_free(PYMEM_DOMAIN_RAW, ptr);
}

void *
PyMem_Malloc(size_t size)
{
    return domain_malloc(PYMEM_DOMAIN_MEM, size);
}

void *
PyMem_Calloc(size_t nelem, size_t elsize)
{
    return domain_calloc(PYMEM_DOMAIN_MEM, nelem, elsize);
}

void *
PyMem_Realloc(void *ptr, size_t new_size)
{
    return domain_realloc(PYMEM_DOMAIN_MEM, ptr, new_size);
}

void
PyMem_Free(void *ptr)
{
    if (ouro_event_refuses_free(ptr, "PyMem_Free")) {
        return;
    }
    domain_free(PYMEM_DOMAIN_MEM, ptr);
}

/* Plain objects that are made while a static type is finished are never freed. */
static void *
keep_if_shared(void *block)
{
    if (OURO_UNLIKELY(ouro_current.interp == &ouro_shared) && block != NULL) {
        ouro_shared_keep(block);
    }
    return block;
}

static void
forget_if_shared(const void *block)
{
    if (OURO_UNLIKELY(ouro_current.interp == &ouro_shared)) {
        ouro_shared_forget(block);
    }
}

/* A size that is too large stays too large. */
static size_t
with_red_zone(size_t size)
{
    return size > (size_t)PY_SSIZE_T_MAX ? size : size + OURO_RED_ZONE;
}

void *
PyObject_Malloc(size_t size)
{
    void *block = domain_malloc(PYMEM_DOMAIN_OBJ, with_red_zone(size));
    ouro_event_plain_allocated(block, size, false);
    return keep_if_shared(block);
}

void *
PyObject_Calloc(size_t nelem, size_t elsize)
{
    if (OURO_CHECK) {
        size_t size;
        bool is_size = !__builtin_mul_overflow(nelem, elsize, &size);
        void *block =
            is_size ? domain_calloc(PYMEM_DOMAIN_OBJ, 1, with_red_zone(size)) : NULL;
        ouro_event_plain_allocated(block, size, true);
        return keep_if_shared(block);
    }
    return keep_if_shared(domain_calloc(PYMEM_DOMAIN_OBJ, nelem, elsize));
}

/* A block of the collector's heap in the hands of another allocator would corrupt both.
 * If this fires: a GC type whose tp_free or tp_dealloc calls PyObject_Free, PyObject_Del
 * or PyObject_Realloc; it must use PyObject_GC_Del or type->tp_free. */
static void
require_plain(const void *ptr, const char *function)
{
    if (OURO_UNLIKELY(ouro_heap_contains(&ouro_current.interp->heap, ptr))) {
        const PyObject *op = ptr;
        ouro_fatal(
            "%s: the '%s' object at %p was allocated by PyObject_GC_New and must be "
            "freed by PyObject_GC_Del",
            function, op->ob_type != NULL ? op->ob_type->tp_name : "?", ptr);
    }
}

void *
PyObject_Realloc(void *ptr, size_t new_size)
{
    require_plain(ptr, "PyObject_Realloc");
    uintptr_t old = (uintptr_t)ptr;
    void *block = domain_realloc(PYMEM_DOMAIN_OBJ, ptr, with_red_zone(new_size));
    if (block != NULL) {
        forget_if_shared((const void *)old);
        ouro_event_plain_moved((const void *)old, block, new_size);
    }
    return keep_if_shared(block);
}

void
PyObject_Free(void *ptr)
{
    if (ouro_event_refuses_free(ptr, "PyObject_Free")) {
        return;
    }
    require_plain(ptr, "PyObject_Free");
    forget_if_shared(ptr);
    if (!ouro_event_keeps_plain(ptr)) {
        domain_free(PYMEM_DOMAIN_OBJ, ptr);
    }
}

/* --- plain objects ------------------------------------------------------------------------ */

PyObject *
PyObject_Init(PyObject *op, PyTypeObject *type)
{
    if (op == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    ouro_event_init(op, type);
    op->ob_refcnt = ouro_current.interp->birth_count;
    if (!ouro_heap_contains(&ouro_current.interp->heap, op)) {
        op->ob_gc = 0; /* a container from a type's free list still belongs to the heap */
    }
    op->ob_type = type;
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_INCREF(type);
    }
    return op;
}

/* Types call this for an object from their free list, which still owns its reference to the
 * type. */
void
_Py_NewReference(PyObject *op)
{
    bool counted = PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_HEAPTYPE);
    PyObject_Init(op, Py_TYPE(op));
    if (counted) {
        Py_DECREF(Py_TYPE(op));
    }
}

PyVarObject *
PyObject_InitVar(PyVarObject *op, PyTypeObject *type, Py_ssize_t size)
{
    if (PyObject_Init((PyObject *)op, type) == NULL) {
        return NULL;
    }
    op->ob_size = size;
    return op;
}

PyObject *
_PyObject_New(PyTypeObject *type)
{
    ouro_event_plain_new(type);
    if (!ouro_type_use(type)) {
        return NULL;
    }
    return PyObject_Init(PyObject_Malloc((size_t)type->tp_basicsize), type);
}

PyVarObject *
_PyObject_NewVar(PyTypeObject *type, Py_ssize_t size)
{
    size_t bytes;
    if (size < 0) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (__builtin_mul_overflow((size_t)size, (size_t)type->tp_itemsize, &bytes) ||
        __builtin_add_overflow(bytes, (size_t)type->tp_basicsize, &bytes) ||
        bytes > PY_SSIZE_T_MAX - sizeof(void *)) {
        PyErr_NoMemory();
        return NULL;
    }
    ouro_event_plain_new(type);
    if (!ouro_type_use(type)) {
        return NULL;
    }
    bytes = Py_SIZE_ROUND_UP(bytes, sizeof(void *)); /* as _PyObject_VAR_SIZE says */
    return PyObject_InitVar(PyObject_Malloc(bytes), type, size);
}
