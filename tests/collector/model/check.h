/* SPDX-License-Identifier: MIT */
/* Compares every thing with its object, and checks what the tables of the heap must contain
 * between collections. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_CHECK_H
#define OURO_TESTS_COLLECTOR_MODEL_CHECK_H

#include <limits.h>

#include "../../../src/object/header.h"
#include "../../../src/thread/interpreter.h"
#include "objects.h"

/* Only the first fields of large things are compared. */
static void
check_alive(int id, int most_fields)
{
    const struct thing *thing = &things[id];
    const PyObject *op = thing->op;
    const struct heap *heap = &ouro_current.interp->heap;
    if (!thing->immortal && op->ob_refcnt != (uint32_t)thing->refs) {
        MODEL_FAIL("thing %d has %u references, not %d", id, op->ob_refcnt, thing->refs);
    }
    uint32_t bits = OURO_GC_ALLOCATED;
    bits |= thing->finalized ? OURO_GC_FINALIZED : 0;
    bits |= thing->tracked ? OURO_GC_TRACKED : 0;
    bits |= thing->tracked ? (uint32_t)thing->generation << OURO_GC_GENERATION_SHIFT : 0;
    uint32_t mask =
        ~(uint32_t)(OURO_GC_FRESH | (thing->tracked ? 0 : OURO_GC_GENERATION));
    if ((op->ob_gc & mask) != bits) {
        MODEL_FAIL("thing %d has gc bits %#x, not %#x", id, op->ob_gc & mask, bits);
    }
    const uint8_t *young = heap->sets.scan[OURO_YOUNG];
    if ((op->ob_gc & OURO_GC_FRESH) != 0 && ouro_object_generation(op) == OURO_YOUNG &&
        young[ouro_heap_offset(heap, op) >> OURO_PAGE_SHIFT] != OURO_SCAN_ALL) {
        MODEL_FAIL("thing %d is fresh, but its page is not", id); /* page.inv.fresh */
    }
    if (thing->tracked) { /* page.inv.scan */
        size_t slot = ouro_heap_offset(heap, op) >> OURO_GRAIN_SHIFT;
        uint8_t mode = heap->sets.scan[thing->generation][slot / OURO_PAGE_GRAINS];
        bool bit = (heap->sets.bits[thing->generation][slot / 64] >> (slot % 64)) & 1;
        if (mode != OURO_SCAN_ALL && !(mode == OURO_SCAN_BITS && bit)) {
            MODEL_FAIL("thing %d of generation %d is not found: mode %d", id,
                       thing->generation, mode);
        }
    }
    PyObject **items = items_of(thing->op, thing->kind);
    for (int i = 0; i < thing->size && i < most_fields; i++) {
        PyObject *expected = thing->to[i] >= 0 ? things[thing->to[i]].op : NULL;
        if (items[i] != expected) {
            MODEL_FAIL("field %d of thing %d is wrong", i, id);
        }
    }
}

/* collection.inv.counters and collection.inv.keys */
static void
check_side_tables(void)
{
    const struct heap *heap = &ouro_current.interp->heap;
    size_t slots = (size_t)heap->touched * OURO_PAGE_GRAINS;
    unsigned counters = 0, keys = 0;
    for (size_t i = 0; i < slots; i++) {
        counters |= heap->slots.bytes[i];
        keys |= heap->slots.words[i] & 0xFF0Fu;
    }
    if (counters != 0 || keys != 0) {
        MODEL_FAIL("side tables are not clean: %#x %#x", counters, keys);
    }
    for (uint32_t n = 0; n < heap->touched; n++) {
        if (heap->sets.scan[OURO_CANDIDATES][n] != OURO_SCAN_NONE) {
            MODEL_FAIL("page %u still has candidates", n);
        }
        for (int set = 0; set < OURO_BLOCK_SETS; set++) {
            const uint64_t *words =
                heap->sets.bits[set] + (size_t)n * OURO_PAGE_BIT_WORDS;
            uint64_t any = 0;
            for (size_t i = 0; i < OURO_PAGE_BIT_WORDS; i++) {
                any |= words[i];
            }
            if (heap->sets.scan[set][n] != OURO_SCAN_BITS && any != 0) {
                MODEL_FAIL("page %u has bits for set %d that nothing reads", n, set);
            }
        }
    }
    if (!ouro_heap_verify(heap)) {
        MODEL_FAIL("the heap is not valid");
    }
}

static void
check_things(int most_fields)
{
    for (int i = 0; i < thing_count && !model_failed; i++) {
        const struct thing *thing = &things[i];
        if (thing->seen_deaths != !thing->alive) {
            MODEL_FAIL("thing %d (kind %d) should be %s", i, thing->kind,
                       thing->alive ? "alive" : "dead");
        }
        if (thing->seen_finalizations != thing->finalizations) {
            MODEL_FAIL("thing %d was finalized %d times, not %d", i,
                       thing->seen_finalizations, thing->finalizations);
        }
        if (thing->alive && !model_failed) {
            check_alive(i, most_fields);
        }
    }
    for (int w = 0; w < weak_count && !model_failed; w++) {
        const struct weak *weak = &weaks[w];
        if (PyWeakref_IsDead(weak->ref) != weak->dead ||
            weak->seen_calls != weak->calls) {
            MODEL_FAIL(
                "weak reference %d to thing %d: dead %d, not %d; called %d, not %d", w,
                weak->thing, PyWeakref_IsDead(weak->ref), weak->dead, weak->seen_calls,
                weak->calls);
        }
    }
    if (seen_reports != reports) {
        MODEL_FAIL("%d exceptions were reported, not %d", seen_reports, reports);
    }
    if (PyErr_Occurred() != NULL) {
        MODEL_FAIL("an exception is pending");
    }
}

/* After every step. */
static void
model_check_step(void)
{
    check_things(40);
}

/* After every collection. */
static void
model_check(void)
{
    check_things(INT_MAX);
    check_side_tables();
}

#endif
