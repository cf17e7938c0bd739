/* SPDX-License-Identifier: MIT */
/* The tracked objects as a graph without names; snapshot.h says how long it is valid. */
#include "snapshot.h"

#include "inspect/tracked.h"
#include "stack.h"

#include <stdlib.h>

uint32_t
snapshot_find(const struct snapshot *snapshot, const void *address)
{
    return address == NULL ? OURO_NO_NODE : ouro_graph_find(&snapshot->graph, address);
}

void
snapshot_free(struct snapshot *snapshot)
{
    ouro_graph_free(&snapshot->graph);
    free(snapshot->visits);
    free(snapshot->held);
    *snapshot = (struct snapshot){.visits = NULL};
}

static bool
traverse_all(PyObject *Py_UNUSED(object), void *Py_UNUSED(context))
{
    return true;
}

static void
count_held(PyObject *word, void *arg)
{
    const struct snapshot *snapshot = arg;
    uint32_t node = snapshot_find(snapshot, word);
    if (node != OURO_NO_NODE) {
        snapshot->held[node]++;
    }
}

bool
snapshot_take(struct snapshot *snapshot)
{
    const struct ouro_graph_source source = {
        .objects = tracked_list,
        .is_traversed = traverse_all,
        .only_these = true,
        .no_names = true,
    };
    bool is_taken = ouro_graph_take(&snapshot->graph, &source);
    snapshot->visits = is_taken ? ouro_graph_count_visits(&snapshot->graph) : NULL;
    snapshot->held = is_taken ? calloc(snapshot->graph.count, sizeof(uint32_t)) : NULL;
    if (snapshot->visits == NULL || snapshot->held == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        return false;
    }
    stack_each_word(count_held, snapshot);
    return true;
}
