/* SPDX-License-Identifier: MIT */
/* A model of the collector: the same graph twice.
 *
 * Every object of the library has a *thing* (model/graph.h), which says what must be true of
 * it. An operation (model/operations.h) is first done to the things, by the simplest rules that
 * we could write (model/counting.h, model/collecting.h), and then to the objects
 * (model/objects.h). After each collection model_check() (model/check.h) compares them all.
 * This file has the beginning and the end of a model.
 *
 * generate.h makes up programs, from a seed or from a fuzzer's bytes. They are recorded
 * (record.h). A program that fails is repeated without some of its operations (replay.h) until
 * none can be left out (shrink.h). Then it is printed as a test in C (print.h). What tests and
 * the fuzzer do with all this is in random.h. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_H
#define OURO_TESTS_COLLECTOR_MODEL_H

#include "model/generate.h"
#include "model/print.h"

static int
count_report(const Ouro_Unraisable *report, void *arg)
{
    (void)report;
    (void)arg;
    seen_reports++;
    return 0;
}

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
    reports = seen_reports = 0;
    model_is_automatic = false;
    Ouro_SetUnraisableHook(count_report, NULL);
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

static bool
something_is_alive(void)
{
    for (int id = 0; id < thing_count; id++) {
        if (things[id].alive) {
            return true;
        }
    }
    return false;
}

/* Drop everything, so that the next program starts with an empty heap. This ends, because a
 * finalizer can save its object only once. */
static void
tear_down(void)
{
    record_end();
    model_automatic(0);
    model_freeze(false);
    model_mortalise();
    while (something_is_alive() && !model_failed) {
        model_empty_garbage();
        for (int id = 0; id < thing_count; id++) {
            struct thing *thing = &things[id];
            if (thing->alive && !thing->tracked) {
                model_track(id);
            }
            if (thing->alive && thing->kind == PAIR_LEGACY) {
                model_hold(id, 1);
                model_link(id, 0, -1);
                model_link(id, 1, -1);
            }
            if (thing->alive) {
                model_drop(id, thing->handles);
            }
        }
        model_collect(2);
    }
}

/* Each program runs between a call of this and of the next function. */
static inline void
model_start(void)
{
    Py_Initialize();
    model_begin();
}

static inline void
model_finish(void)
{
    if (!model_failed) {
        tear_down();
    }
    if (!model_failed) {
        model_end();
        if (Py_FinalizeEx() != 0) {
            MODEL_FAIL("Py_FinalizeEx failed");
        }
    }
}

#endif
