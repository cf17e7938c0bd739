/* SPDX-License-Identifier: MIT */
/* The rules of a collection, as simple as we could write them: reachability over the whole graph,
 * once before finalizers run and once after. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_COLLECTING_H
#define OURO_TESTS_COLLECTOR_MODEL_COLLECTING_H

#include "counting.h"

/* Call f for each pair of things (from, to) with `from` in the set that `flag` names. */
#define EACH_EDGE(from_, to_, condition_, body_)                                         \
    for (int from_ = 0; from_ < thing_count; from_++) {                                  \
        if (things[from_].alive && (condition_)) {                                       \
            for (int i_ = 0; i_ < things[from_].size; i_++) {                            \
                int to_ = things[from_].to[i_];                                          \
                if (to_ >= 0) {                                                          \
                    body_;                                                               \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    }

static int stack_of_things[THINGS_MAX];

/* Sets `reached` for every member of the set (candidates, or trash) that something outside holds,
 * and for every member that these lead to. */
static void
model_reach(bool among_trash)
{
    int depth = 0;
#define IN_SET(i)                                                                        \
    (things[i].alive && (among_trash ? things[i].trash : things[i].candidate))
    for (int i = 0; i < thing_count; i++) {
        things[i].internal = 0;
        things[i].reached = false;
    }
    EACH_EDGE(from, to, IN_SET(from), things[to].internal++);
    for (int i = 0; i < thing_count; i++) {
        if (IN_SET(i) && things[i].refs > things[i].internal) {
            things[i].reached = true;
            stack_of_things[depth++] = i;
        }
    }
    while (depth > 0) {
        const struct thing *thing = &things[stack_of_things[--depth]];
        for (int i = 0; i < thing->size; i++) {
            int to = thing->to[i];
            if (to >= 0 && IN_SET(to) && !things[to].reached) {
                things[to].reached = true;
                stack_of_things[depth++] = to;
            }
        }
    }
#undef IN_SET
}

/* Legacy things and what they reach leave the trash. */
static void
model_split_legacy(void)
{
    int depth = 0;
    for (int i = 0; i < thing_count; i++) {
        things[i].legacy = false;
        if (things[i].trash && things[i].kind == PAIR_LEGACY) {
            things[i].trash = false;
            things[i].legacy = true;
            stack_of_things[depth++] = i;
        }
    }
    while (depth > 0) {
        const struct thing *thing = &things[stack_of_things[--depth]];
        for (int i = 0; i < thing->size; i++) {
            int to = thing->to[i];
            if (to >= 0 && things[to].trash) {
                things[to].trash = false;
                things[to].legacy = true;
                stack_of_things[depth++] = to;
            }
        }
    }
}

static void
model_tell(void)
{
    for (int w = 0; w < weak_count; w++) {
        if (weaks[w].has_callback && !weaks[w].dead && things[weaks[w].thing].trash) {
            weaks[w].dead = true;
            weaks[w].calls++;
            reports += weaks[w].raises;
        }
    }
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        if (thing->trash && thing->alive && has_finalizer(thing->kind) &&
            !thing->finalized) {
            thing->refs++;
            model_act(thing);
            model_release(i);
        }
    }
}

static int
model_destroy_trash(void)
{
    int destroyed = 0;
    model_reach(true);
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        thing->trash = thing->trash && thing->alive && !thing->reached;
        if (thing->trash) {
            destroyed++;
            reports += thing->raises;
            thing->alive = false;
            thing->refs = 0;
            model_kill_weakrefs(i, false);
        }
    }
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        for (int k = 0; thing->trash && k < thing->size; k++) {
            int to = thing->to[k];
            thing->to[k] = -1;
            if (to >= 0 && !things[to].trash) {
                model_release(to);
            }
        }
    }
    return destroyed;
}

static int
model_keep_legacy(void)
{
    int kept = 0;
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        if (thing->legacy && thing->alive) {
            kept++;
            if (thing->kind == PAIR_LEGACY) {
                thing->handles++;
                thing->refs++;
                in_garbage[in_garbage_count++] = i;
            }
        }
        thing->legacy = thing->trash = false;
    }
    return kept;
}

/* A cycle looks at old objects alone. */
static bool model_in_cycle;

/* What a collection of 0..generation must do and return, if there were `count` things when it
 * began. */
static int
model_predict_collection(int generation, int count)
{
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        thing->candidate = i < count && thing->alive && thing->tracked &&
                           !thing->immortal && thing->generation <= generation &&
                           (!model_in_cycle || thing->generation == 2);
    }
    model_reach(false);
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        thing->trash = thing->candidate && !thing->reached;
        if (thing->candidate) {
            thing->generation = generation < 2 ? generation + 1 : 2;
        }
    }
    model_split_legacy();
    model_tell();
    int destroyed = model_destroy_trash();
    return destroyed + model_keep_legacy();
}

#endif
