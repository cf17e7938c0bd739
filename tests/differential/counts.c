/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("the counts of the three generations")
{
    int counts[3];
    collect();
    get_counts(counts);
    trace("after a full collection: %d %d", counts[1], counts[2]);
    collect_generation(0);
    get_counts(counts);
    trace("after a young one: %d %d", counts[1], counts[2]);
    collect_generation(0);
    collect_generation(0);
    get_counts(counts);
    trace("after two more: %d %d", counts[1], counts[2]);
    collect_generation(1);
    get_counts(counts);
    trace("after a middle one: %d %d", counts[1], counts[2]);
    collect_generation(1);
    get_counts(counts);
    trace("and another: %d %d", counts[1], counts[2]);
    collect_generation(2);
    get_counts(counts);
    trace("after a full one: %d %d", counts[1], counts[2]);

    enum { COUNT = 500 };
    PyObject *nodes[COUNT];
    int before[3];
    get_counts(before);
    for (int i = 0; i < COUNT; i++) {
        nodes[i] = new_untracked_node(&N_Type, NULL);
    }
    get_counts(counts);
    trace("%d allocations add %d", COUNT, counts[0] - before[0]);
    for (int i = 0; i < COUNT; i++) {
        Py_DECREF(nodes[i]);
    }
    get_counts(counts);
    trace("their deaths take them back: %d", counts[0] - before[0]);
    collect_generation(0);
    for (int i = 0; i < COUNT; i++) {
        nodes[i] = new_untracked_node(&N_Type, NULL);
    }
    collect_generation(0);
    for (int i = 0; i < COUNT; i++) {
        Py_DECREF(nodes[i]);
    }
    get_counts(counts);
    trace("never below zero: %d", counts[0] >= 0 && counts[0] < 10);
}
