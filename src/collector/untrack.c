/* SPDX-License-Identifier: MIT */
/* A collection untracks exact tuples that can never be part of a cycle, when it finds them
 * reachable: all items are set, and no item can be tracked. */
#include "collection.h"

static bool
item_may_be_tracked(PyObject *item)
{
    if (!ouro_object_is_gc(item)) {
        return false;
    }
    return !Py_IS_TYPE(item, ouro_seam.tuple_type) || ouro_object_is_tracked(item);
}

bool
ouro_tuple_needs_no_tracking(PyObject *op)
{
    Py_ssize_t size = PyTuple_GET_SIZE(op);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PyTuple_GET_ITEM(op, i);
        if (item == NULL || item_may_be_tracked(item)) {
            return false;
        }
    }
    return true;
}

OURO_BODY
untrack_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    uint32_t gc = ouro_sanitize_peek_gc(op);
    uint32_t next = (uint32_t)ouro_next_generation(c) << OURO_GC_GENERATION_SHIFT;
    uint32_t mask = OURO_GC_TRACKED | OURO_GC_UNREACHABLE | OURO_GC_GENERATION;
    bool is_survivor = (gc & mask) == (OURO_GC_TRACKED | next); /* and not frozen */
    if (is_survivor && Py_IS_TYPE(op, ouro_seam.tuple_type) &&
        ouro_tuple_needs_no_tracking(op)) {
        ouro_object_clear(op, OURO_GC_TRACKED);
    }
}

void
ouro_untrack_tuples(struct collection *c)
{
    ouro_each_slot(c, untrack_body);
}
