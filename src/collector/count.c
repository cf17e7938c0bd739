/* SPDX-License-Identifier: MIT */
/* Count, for each candidate, the references that come from outside.
 *
 * One pass in address order: a candidate's counter gains its reference count and loses one
 * for each edge that ends at it. Counters are 8 bits wide and wrap: a residue other than
 * zero proves an outside reference, while zero is settled later (rescue.c) for objects
 * with 256 references or more. Narrow counters are what makes the pass fast, since edges
 * go to random places: 1.3 to 1.8 times faster than 32 bits in the prototype. */
#include "collection.h"

static int
forget_one_reference(PyObject *op, void *arg)
{
    struct collection *c = arg;
    c->counters[ouro_candidate_offset(c, op, false) >> OURO_GRAIN_SHIFT]--;
    return 0;
}

static int
forget_one_reference_filtered(PyObject *op, void *arg)
{
    struct collection *c = arg;
    c->counters[ouro_candidate_offset(c, op, true) >> OURO_GRAIN_SHIFT]--;
    return 0;
}

static inline __attribute__((always_inline)) void
count_edges_of(struct collection *c, PyObject *op, visitproc visit)
{
    if (!ouro_take_candidate(c, op)) {
        return;
    }
    c->counters[(size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT] +=
        (uint8_t)op->ob_refcnt;
    ouro_call_traverse(op, visit, c);
}

OURO_BODY
count_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    ouro_prefetch_targets(c, op, (const char *)c->counters, 0);
    count_edges_of(c, op, forget_one_reference);
}

/* Without prefetching: most such collections are young, and their objects in the cache. */
OURO_BODY
count_body_filtered(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    count_edges_of(c, op, forget_one_reference_filtered);
}

void
ouro_count_external_references(struct collection *c)
{
    if (c->filtered) {
        ouro_each_slot(c, count_body_filtered);
    } else {
        ouro_each_slot(c, count_body);
    }
}
