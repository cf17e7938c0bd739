/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("thresholds are kept, and zero means that nothing is collected")
{
    int thresholds[3];
    get_thresholds(thresholds);
    trace("set by this program's start: %d %d %d", thresholds[0], thresholds[1],
          thresholds[2]);
    set_thresholds(700, 5, 3);
    get_thresholds(thresholds);
    trace("set: %d %d %d", thresholds[0], thresholds[1], thresholds[2]);
    set_thresholds(0, 1, 1);
    long collections = get_stat(0, "collections");
    int counts[3];
    collect();
    PyObject *nodes[3000];
    for (int i = 0; i < 3000; i++) {
        nodes[i] = new_untracked_node(&N_Type, NULL);
    }
    PyErr_CheckSignals();
    get_counts(counts);
    trace("collections: %ld, count about 3000: %d",
          get_stat(0, "collections") - collections,
          counts[0] >= 2990 && counts[0] <= 3010);
    for (int i = 0; i < 3000; i++) {
        Py_DECREF(nodes[i]);
    }
}
