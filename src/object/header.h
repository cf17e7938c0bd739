/* SPDX-License-Identifier: MIT */
/* The collector's half of the object header.
 *
 * Bits of ob_gc. ALLOCATED belongs to the heap and tells a block in use from a free slot;
 * an object outside the heap (plain, static, immortal) has all bits clear. Every access to
 * these bits goes through this header or heap/page.h.
 *
 *   header.inv.tracked    TRACKED implies ALLOCATED
 *   header.inv.deferred   DEFERRED implies not TRACKED; the count then holds a link
 *   header.inv.young      a fresh object is in generation 0
 *   header.inv.upper      bits 16..31 are zero but in the phases of a collection that count
 *                         there (collector/few.c, rescue.c) */
#ifndef OURO_OBJECT_HEADER_H
#define OURO_OBJECT_HEADER_H

#include <Python.h>
#include <stdbool.h>

#include "../heap/page.h"

/* The sets of blocks (heap/scan.h): the generations 0 young, 1 middle, 2 old, 3 permanent
 * (frozen), and the candidates of the running collection. */
enum {
    OURO_YOUNG = OURO_BIRTH_SET,
    OURO_MIDDLE,
    OURO_OLD,
    OURO_PERMANENT,
    OURO_CANDIDATES,
};
static_assert(OURO_CANDIDATES == OURO_BLOCK_SETS - 1, "the heap has as many sets");

enum {
    OURO_GC_TRACKED = OURO_BLOCK_TRACKED,
    OURO_GC_GENERATION_SHIFT = OURO_BLOCK_SET_SHIFT,
    OURO_GC_GENERATION = OURO_BLOCK_SET,
    OURO_GC_FINALIZED = 1u << 3,
    OURO_GC_UNREACHABLE = 1u << 4, /* in the set that the running collection destroys */
    OURO_GC_DEFERRED = 1u << 5,    /* dead, waiting for stack (object/dealloc.c) */
    OURO_GC_WAS_TRACKED = 1u << 6, /* with DEFERRED: track again before tp_dealloc */
    OURO_GC_ALLOCATED = OURO_BLOCK_ALLOCATED,
    OURO_GC_PINNED = 1u << 8,  /* the running collection holds a reference */
    OURO_GC_PENDING = 1u << 9, /* reached, its references not yet followed */
    OURO_GC_LEGACY = 1u << 10, /* unreachable, but kept because of a tp_del */
    OURO_GC_FRESH = OURO_BLOCK_FRESH,
    OURO_GC_CONDEMNED = 1u << 12, /* a cycle holds a reference, between slices too */
};

static_assert(_Py_GC_TRACKED == OURO_GC_TRACKED &&
                  _Py_GC_UNREACHABLE == OURO_GC_UNREACHABLE &&
                  _Py_GC_ALLOCATED == OURO_GC_ALLOCATED && _Py_GC_FRESH == OURO_GC_FRESH,
              "the public headers know these bits");

static inline bool
ouro_object_has(const PyObject *op, uint32_t bits)
{
    return (op->ob_gc & bits) != 0;
}

static inline bool
ouro_object_is_tracked(const PyObject *op)
{
    return ouro_object_has(op, OURO_GC_TRACKED);
}

static inline void
ouro_object_set(PyObject *op, uint32_t bits)
{
    op->ob_gc |= bits;
}

static inline void
ouro_object_clear(PyObject *op, uint32_t bits)
{
    op->ob_gc &= ~bits;
}

/* One of OURO_YOUNG .. OURO_PERMANENT. */
static inline int
ouro_object_generation(const PyObject *op)
{
    return (int)((op->ob_gc & OURO_GC_GENERATION) >> OURO_GC_GENERATION_SHIFT);
}

static inline void
ouro_object_set_generation(PyObject *op, int generation)
{
    op->ob_gc = (op->ob_gc & ~(uint32_t)OURO_GC_GENERATION) |
                ((uint32_t)generation << OURO_GC_GENERATION_SHIFT);
}

/* Set the generation, but write nothing if it is set already. */
static inline void
ouro_object_promote(PyObject *op, int generation)
{
    if (ouro_object_generation(op) != generation) {
        ouro_object_set_generation(op, generation);
    }
}

/* True once the count has reached zero, also while destruction is deferred. */
static inline bool
ouro_object_is_dying(const PyObject *op)
{
    return op->ob_refcnt == 0 || ouro_object_has(op, OURO_GC_DEFERRED);
}

/* PyObject_IS_GC */
static inline bool
ouro_object_is_gc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    return PyType_IS_GC(type) && (type->tp_is_gc == NULL || type->tp_is_gc(op) != 0);
}

#endif
