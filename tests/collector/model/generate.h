/* SPDX-License-Identifier: MIT */
/* Makes up programs: which operation comes next, and on which things. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_GENERATE_H
#define OURO_TESTS_COLLECTOR_MODEL_GENERATE_H

#include "chance.h"
#include "replay.h"

/* The id of a live thing, half of the time a recent one; -1 when none is found. */
static int
any_alive(void)
{
    for (int i = 0; i < 50 && thing_count > 0; i++) {
        int recent = thing_count < 64 ? thing_count : 64;
        int id = one_in(2) ? thing_count - 1 - below(recent) : below(thing_count);
        if (things[id].alive) {
            return id;
        }
    }
    return -1;
}

static bool sizes_are_large; /* in this program: see struct mix */

static int
any_size(void)
{
    static const int small[] = {0, 1, 2, 3, 5, 9, 17, 40, 57, 70, 100};
    static const int large[] = {300, 1000, 1030, 3000, 4100, 9000, 20000, 140000};
    if (sizes_are_large && !one_in(3)) {
        return 4100 + below(one_in(4) ? 30000 : 6000);
    }
    return one_in(30) ? large[below(8)] : small[below(11)];
}

/* How often each operation occurs, relative to the sum of all. */
struct mix {
    int make, link, unlink, hold, drop, track, weak, structure, burst, freeze, other;
    int automatic, fork;
    int collect[3];
    bool slices; /* most full collections are cycles */
    bool large;  /* most objects with items have a block beyond 32 KiB */
    int steps;
};

static int
make_any(void)
{
    enum kind kind = (enum kind)below(KINDS);
    if (kind == PAIR_LEGACY && !one_in(8)) {
        kind = PAIR;
    }
    return model_make(kind, any_size(), (enum action)below(ACTIONS));
}

static void
link_any(int from)
{
    int to = any_alive();
    int size = from >= 0 ? things[from].size : 0;
    if (to < 0 || size == 0) {
        return;
    }
    int field = one_in(3) ? below(size) : below(size < 4 ? size : 4);
    int repeat =
        size > 300 && one_in(4) ? 300 : 1; /* more than 256 references from one */
    for (int i = 0; i < repeat && field + i < size && things[to].alive; i++) {
        if (!things[from].alive) {
            return;
        }
        model_link(from, field + i, to);
    }
}

static void
step_make(void)
{
    int id = make_any();
    for (int i = below(3); i > 0; i--) {
        link_any(id);
    }
    int owner = any_alive();
    if (owner >= 0 && things[owner].size > 0 && one_in(2)) {
        model_link(owner, below(things[owner].size), id);
    }
    if (one_in(4)) {
        model_resize(id, any_size());
    }
    if (!one_in(12)) {
        model_track(id);
    }
    if (things[id].alive && one_in(2)) {
        model_drop(id, 1);
    }
}

static void
step_hold(int id)
{
    static const int times[] = {1, 2, 255, 256, 257, 512};
    model_hold(id, times[one_in(3) ? below(6) : 0]);
}

static void
step_drop(int id)
{
    static const int times[] = {256, 255, 512, 1};
    int own = model_own_handles(id);
    int wanted = one_in(3) ? times[below(4)] : own;
    model_drop(id, wanted < own ? wanted : own);
}

static void
step_track(int id)
{
    if (things[id].immortal) {
        return;
    }
    if (!things[id].tracked) {
        model_track(id);
    } else if (one_in(3)) {
        model_untrack(id);
    }
}

/* A list (built forwards or by prepending), doubly linked, a ring, a star. */
static void
step_structure(int length)
{
    int shape = below(5);
    bool tracked = !one_in(10);
    enum kind kind = one_in(4) ? PAIR_FINAL : one_in(3) ? LEAD_PAIR : PAIR;
    int first = -1, last = -1;
    int hub = shape == 4 ? model_make(VAR, length, NOTHING) : -1;
    for (int i = 0; i < length; i++) {
        int id = model_make(kind, 2, one_in(20) ? RESURRECT : NOTHING);
        if (shape == 0 && last >= 0) { /* forwards: the last refers to the new */
            model_link(last, 0, id);
        } else if (shape == 1 && last >= 0) { /* prepended: the new refers to the last */
            model_link(id, 0, last);
        } else if (shape >= 2 && shape <= 3 && last >= 0) {
            model_link(last, 0, id);
            if (shape == 2) {
                model_link(id, 1, last);
            }
        } else if (shape == 4) {
            model_link(hub, i, id);
        }
        if (tracked) {
            model_track(id);
        }
        first = first < 0 ? id : first;
        last = id;
        int previous = id - 1;
        if (i > 0 && shape != 1 && things[previous].handles > 0 && previous != first &&
            things[previous].refs > 1) {
            model_drop(previous, 1);
        } else if (i > 0 && shape == 1) {
            model_drop(previous, 1);
        }
    }
    if (shape == 3) {
        model_link(last, 0, first);
    }
    if (hub >= 0) {
        if (one_in(2)) {
            model_link(last, 0, hub);
        }
        model_track(hub);
    }
    int owner = any_alive();
    if (owner >= 0 && things[owner].size > 0 && one_in(2)) {
        model_link(owner, 0, shape == 1 ? last : first);
    }
    if (one_in(2) && things[first].alive && things[first].handles > 0) {
        model_drop(first, 1);
    }
    if (one_in(2) && things[last].alive && things[last].handles > 0) {
        model_drop(last, 1);
    }
}

/* All ways of finding garbage must agree with the model. */
static void
step_collect(int generation)
{
    if (one_in(8)) {
        model_count_in_headers_from(one_in(2) ? 0 : OURO_FEW_PAGES);
    }
    if (one_in(3)) {
        model_mark_always(one_in(2));
    }
    if (one_in(3)) {
        model_number_after(one_in(2) ? 2 : one_in(2));
    }
    model_collect(generation);
}

/* Fill pages, then leave few objects in them: holes for young ones, sparse pages. */
static void
step_burst(int count)
{
    enum kind kind = one_in(3) ? TINY : one_in(2) ? PAIR : LEAD_PAIR;
    int keep_one_in = one_in(2) ? 60 : 3;
    int from = thing_count;
    for (int i = 0; i < count; i++) {
        int id = model_make(kind, 2, NOTHING);
        model_track(id);
        if (one_in(4)) {
            model_link(id, 0, from + below(id - from + 1));
        }
    }
    int to = thing_count;
    if (one_in(2)) {
        step_collect(below(3));
    }
    for (int id = from; id < to; id++) {
        if (!one_in(keep_one_in) && things[id].alive && things[id].handles > 0) {
            model_drop(id, 1);
        }
    }
}

static void
step_other(int id)
{
    switch (below(7)) {
    case 3:
        model_raise(id);
        break;
    case 0:
        if (one_in(4)) {
            model_immortalise(id);
        }
        break;
    case 1:
        model_call_finalizer(id);
        break;
    case 2:
        model_empty_garbage();
        break;
    default:
        if (things[id].alive) {
            model_resize(id, any_size());
        }
    }
}

static void
step_on(const struct mix *mix, int id)
{
    int pick = below(mix->link + mix->unlink + mix->hold + mix->drop + mix->track +
                     mix->weak + mix->other);
    if ((pick -= mix->link) < 0) {
        link_any(id);
    } else if ((pick -= mix->unlink) < 0) {
        if (things[id].size > 0) {
            model_link(id, below(things[id].size < 4 ? things[id].size : 4), -1);
        }
    } else if ((pick -= mix->hold) < 0) {
        step_hold(id);
    } else if ((pick -= mix->drop) < 0) {
        step_drop(id);
    } else if ((pick -= mix->track) < 0) {
        step_track(id);
    } else if ((pick -= mix->weak) < 0) {
        model_weakref(id, one_in(2));
    } else {
        step_other(id);
    }
}

static void
generate_step(const struct mix *mix)
{
    int on_one = mix->link + mix->unlink + mix->hold + mix->drop + mix->track +
                 mix->weak + mix->other;
    int collects = mix->collect[0] + mix->collect[1] + mix->collect[2];
    int pick = below(on_one + mix->make + mix->structure + mix->burst + mix->freeze +
                     mix->automatic + mix->fork + collects);
    if ((pick -= mix->automatic) < 0) {
        model_automatic(one_in(2) ? 0 : 1 + below(200));
    } else if ((pick -= mix->fork) < 0) {
        model_fork(below(3));
    } else if ((pick -= mix->make) < 0) {
        step_make();
    } else if ((pick -= mix->structure) < 0) {
        step_structure(2 + below(one_in(4) ? 600 : 12));
    } else if ((pick -= mix->burst) < 0) {
        step_burst(500 + below(3000));
    } else if ((pick -= mix->freeze) < 0) {
        model_freeze(one_in(2));
    } else if ((pick -= mix->collect[0]) < 0) {
        step_collect(0);
    } else if ((pick -= mix->collect[1]) < 0) {
        step_collect(1);
    } else if ((pick -= mix->collect[2]) < 0) {
        if (mix->slices && !one_in(4)) {
            model_cycle(1 + below(20));
        } else {
            step_collect(2);
        }
    } else {
        int id = any_alive();
        if (id >= 0) {
            step_on(mix, id);
        }
    }
}

#endif
