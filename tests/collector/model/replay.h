/* SPDX-License-Identifier: MIT */
/* Repeats recorded operations. Some may have been left out. So an operation that has lost its
 * meaning, because its thing was not made or is dead, is skipped. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_REPLAY_H
#define OURO_TESTS_COLLECTOR_MODEL_REPLAY_H

#include "operations.h"

/* The id of the thing with that name if it is alive, or -1. */
static int
alive_by_name(int name)
{
    for (int id = thing_count - 1; id >= 0; id--) {
        if (things[id].name == name) {
            return things[id].alive ? id : -1;
        }
    }
    return -1;
}

/* The program may not drop handles that belong to the garbage list. */
static int
model_own_handles(int id)
{
    int own = things[id].handles;
    for (int i = 0; i < in_garbage_count; i++) {
        own -= in_garbage[i] == id;
    }
    return own;
}

static void
replay_on_thing(const struct operation *operation, int id)
{
    int number = operation->args[1];
    switch (operation->code) {
    case OP_LINK: {
        int to = operation->args[2] < 0 ? -1 : alive_by_name(operation->args[2]);
        if (number < things[id].size && (to >= 0 || operation->args[2] < 0)) {
            model_link(id, number, to);
        }
        break;
    }
    case OP_HOLD:
        model_hold(id, number);
        break;
    case OP_DROP:
        model_drop(id, number < model_own_handles(id) ? number : model_own_handles(id));
        break;
    case OP_TRACK:
        if (!things[id].tracked && !things[id].immortal) {
            model_track(id);
        }
        break;
    case OP_UNTRACK:
        if (things[id].tracked) {
            model_untrack(id);
        }
        break;
    case OP_WEAKREF:
        model_weakref(id, number != 0);
        break;
    case OP_RESIZE:
        model_resize(id, number);
        break;
    case OP_IMMORTALISE:
        model_immortalise(id);
        break;
    case OP_FINALIZE:
        model_call_finalizer(id);
        break;
    default:
        model_raise(id);
    }
}

static void
replay_operation(const struct operation *operation)
{
    const int *args = operation->args;
    switch (operation->code) {
    case OP_MAKE:
        make_thing((enum kind)args[0], args[1], (enum action)args[2], operation->name);
        break;
    case OP_MARK:
        model_mark_always(args[0]);
        break;
    case OP_NUMBER:
        model_number_after(args[0]);
        break;
    case OP_FEW:
        model_count_in_headers_from(args[0]);
        break;
    case OP_COLLECT:
        model_collect(args[0]);
        break;
    case OP_AUTOMATIC:
        model_automatic(args[0]);
        break;
    case OP_FORK:
        model_fork(args[0]);
        break;
    case OP_BUDGET:
        model_budget(args[0]);
        break;
    case OP_CYCLE:
        model_cycle(args[0]);
        break;
    case OP_FREEZE:
        model_freeze(args[0] != 0);
        break;
    case OP_EMPTY_GARBAGE:
        model_empty_garbage();
        break;
    default: {
        int id = alive_by_name(args[0]);
        if (id >= 0) {
            replay_on_thing(operation, id);
        }
    }
    }
}

#endif
