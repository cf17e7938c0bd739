/* SPDX-License-Identifier: MIT */
/* A heap without an interpreter, and blocks without a type. */
#ifndef OURO_TESTS_HEAP_HELPERS_H
#define OURO_TESTS_HEAP_HELPERS_H

#include "../../src/heap/heap.h"
#include "../../src/object/header.h"
#include "../harness.h"

#define SMALL_RANGE ((size_t)64 << 20)

static inline PyObject *
take_block(struct heap *heap, size_t size)
{
    return ouro_heap_allocate(heap, size, 0);
}

static inline void
give_block(struct heap *heap, PyObject *block)
{
    ouro_heap_give(heap, ouro_heap_page_of(heap, block), block);
}

#endif
