/* SPDX-License-Identifier: MIT */
/* A model of the collector: the same graph twice.
 *
 * Every object of the library has a *thing* (model/graph.h), which says what must be true of
 * it. An operation (model/operations.h) is first done to the things, by the plainest rules we
 * could write (model/counting.h, model/collecting.h), and then to the objects
 * (model/objects.h); after each collection model_check() (model/check.h) compares them all.
 * Here is how a model begins and ends. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_H
#define OURO_TESTS_COLLECTOR_MODEL_H

#include "model/operations.h"

/* Call between Py_Initialize and Py_FinalizeEx, before anything else. */
static void
model_begin(void)
{
    PyTypeObject *statics[] = {&tiny_type,        &pair_type, &pair_final_type,
                               &pair_legacy_type, &var_type,  &var_final_type};
    for (int kind = TINY; kind <= VAR_FINAL; kind++) {
        REQUIRE_EQ(PyType_Ready(statics[kind]), 0);
        kind_types[kind] = statics[kind];
    }
    kind_types[HEAP_PAIR] = make_heap_kind(HEAP_PAIR);
    kind_types[LEAD_PAIR] = make_heap_kind(LEAD_PAIR);
    thing_count = weak_count = in_garbage_count = 0;
    model_failed = false;
    in_garbage = calloc(THINGS_MAX, sizeof *in_garbage);
    Ouro_GCCollect(2);
    PyGC_Disable();
}

static void
model_end(void)
{
    for (int w = 0; w < weak_count; w++) {
        Py_DECREF(weaks[w].ref);
    }
    Py_CLEAR(kind_types[HEAP_PAIR]);
    Py_CLEAR(kind_types[LEAD_PAIR]);
    for (int i = 0; i < thing_count; i++) {
        free(things[i].to);
    }
    free(in_garbage);
}

#endif
