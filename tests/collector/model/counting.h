/* SPDX-License-Identifier: MIT */
/* The rules of reference counting: what the release of a reference does to things. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_COUNTING_H
#define OURO_TESTS_COLLECTOR_MODEL_COUNTING_H

#include "graph.h"

static void model_die(int id);

static void
model_release(int id)
{
    struct thing *thing = &things[id];
    if (thing->immortal) {
        return;
    }
    if (--thing->refs == 0) {
        model_die(id);
    }
}

static void
model_release_fields(struct thing *thing)
{
    for (int i = 0; i < thing->size; i++) {
        int target = thing->to[i];
        thing->to[i] = -1;
        if (target >= 0) {
            model_release(target);
        }
    }
}

/* The finalizer's effect; the caller holds a reference meanwhile. */
static void
model_act(struct thing *thing)
{
    thing->finalized = true;
    thing->finalizations++;
    if (thing->action == RESURRECT) {
        thing->handles++;
        thing->refs++;
    } else if (thing->action == DROP) {
        model_release_fields(thing);
    } else if (thing->action == LINK && thing->size > 0) {
        int before = thing->to[0];
        thing->to[0] = (int)(thing - things);
        thing->refs++;
        if (before >= 0) {
            model_release(before);
        }
    }
}

static void
model_kill_weakrefs(int id, bool with_calls)
{
    for (int w = 0; w < weak_count; w++) {
        if (weaks[w].thing == id && !weaks[w].dead) {
            weaks[w].dead = true;
            weaks[w].calls += with_calls && weaks[w].has_callback;
            reports += with_calls && weaks[w].has_callback && weaks[w].raises;
        }
    }
}

static void
model_die(int id)
{
    struct thing *thing = &things[id];
    if (has_finalizer(thing->kind) && !thing->finalized) {
        thing->refs = 1;
        model_act(thing);
        if (--thing->refs > 0) {
            return;
        }
    }
    thing->alive = false;
    model_kill_weakrefs(id, true);
    model_release_fields(thing);
}

#endif
