/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    int thresholds[3];
    get_thresholds(thresholds);
    trace("threshold is another: %d", thresholds[0] != 123);
    set_thresholds(77, 3, 3);
    set_debug(SAVEALL);
    trace("debug inside: %d", get_debug());
    set_debug(0);
}

PROGRAM("thresholds, debug flags and counts belong to an interpreter")
{
    int thresholds[3];
    set_thresholds(123, 4, 5);
    in_another_interpreter(body);
    get_thresholds(thresholds);
    trace("thresholds here: %d %d %d", thresholds[0], thresholds[1], thresholds[2]);
    trace("debug here: %d", get_debug());
    set_thresholds(0, 10, 10);
}
