/* SPDX-License-Identifier: MIT */
/* Work: see work.h. */
#include "work.h"

#include "measure.h"

static volatile uint32_t sink;
static double loops = 1e5;

void
work_do(void)
{
    for (double i = loops; i > 0; i--) {
        sink++;
    }
}

void
work_calibrate(void)
{
    double best = 1e18;
    for (int i = 0; i < 20; i++) {
        double start = clock_read();
        work_do();
        double took = clock_read() - start;
        best = took < best ? took : best;
    }
    loops *= WORK / best;
}
