/* SPDX-License-Identifier: MIT */
/* Statistics of pauses: how long they are, and how much of its time the program keeps.
 *
 * Every pause goes into a histogram and into a ring of the most recent pauses. The ring gives
 * the minimum mutator utilisation: the smallest share of a time window that the program had.
 * Only windows that end with a pause need a look, because the share of pauses in a sliding
 * window is largest there.
 *
 * Everything is kept twice: by wall clock time, and by the thread's CPU time, which other
 * programs on the machine do not disturb. */
#include "pauses.h"

#include <stdlib.h>
#include <string.h>

#include "../base/fault.h"
#include "../platform/platform.h"
#include "../thread/interpreter.h"
#include "tuning.h"

static const int64_t windows[OURO_PAUSE_WINDOWS] = {1000000, 10000000, 20000000,
                                                    100000000};

struct pause {
    int64_t end, length; /* nanoseconds */
};

struct window {
    uint64_t first; /* number of the first pause in the window */
    int64_t paused; /* the lengths from there on */
    int64_t worst;
};

/* One clock's view. */
struct pause_line {
    Ouro_GCPauseStats stats;
    struct window windows[OURO_PAUSE_WINDOWS];
    uint64_t count;
    struct pause ring[OURO_PAUSES_KEPT];
    int64_t begun;
};

struct pauses {
    struct pause_line lines[2];
    int depth;
    const struct _Py_Current
        *thread; /* thread of the last pause: each has its own CPU clock */
};

static int64_t
nanoseconds_of(int clock)
{
    double now =
        clock == OURO_CLOCK_WALL ? ouro_platform_clock() : ouro_platform_thread_clock();
    return (int64_t)(now * 1e9);
}

void
ouro_pauses_record(struct _is *interp, bool flag)
{
    struct gc_state *gc = &interp->gc;
    if (!flag) {
        free(gc->pauses);
        gc->pauses = NULL;
    } else if (gc->pauses == NULL && !ouro_fault()) {
        gc->pauses = calloc(1, sizeof *gc->pauses);
    }
}

/* --- recording --------------------------------------------------------------------------- */

/* Buckets are quarters of powers of two, from 256 ns on. */
static int
bucket_of(int64_t length)
{
    uint64_t ns = length > 256 ? (uint64_t)length : 256;
    int top = 63 - __builtin_clzll(ns);
    int bucket = (top - 8) * 4 + (int)((ns >> (top - 2)) & 3);
    return bucket < OURO_PAUSE_BUCKETS ? bucket : OURO_PAUSE_BUCKETS - 1;
}

static double
end_of_bucket(int bucket)
{
    return (double)((uint64_t)(5 + bucket % 4) << (bucket / 4 + 6)) * 1e-9;
}

static void
slide_window(struct pause_line *line, int which, const struct pause *pause)
{
    struct window *window = &line->windows[which];
    int64_t begin = pause->end - windows[which];
    const struct pause *first = &line->ring[window->first % OURO_PAUSES_KEPT];
    window->paused += pause->length;
    while (first->end <= begin || line->count - window->first >= OURO_PAUSES_KEPT) {
        window->paused -= first->length;
        first = &line->ring[++window->first % OURO_PAUSES_KEPT];
    }
    int64_t outside = begin - (first->end - first->length);
    int64_t inside = window->paused - (outside > 0 ? outside : 0);
    window->worst = inside > window->worst ? inside : window->worst;
}

static void
record_pause(struct pause_line *line, int64_t end)
{
    struct pause *pause = &line->ring[line->count % OURO_PAUSES_KEPT];
    int64_t length = end - line->begun;
    Ouro_GCPauseStats *stats = &line->stats;
    *pause = (struct pause){end, length};
    for (int w = 0; w < OURO_PAUSE_WINDOWS; w++) {
        slide_window(line, w, pause);
    }
    line->count++;
    stats->pauses++;
    stats->total += 1e-9 * (double)length;
    stats->longest =
        1e-9 * (double)length > stats->longest ? 1e-9 * (double)length : stats->longest;
    stats->histogram[bucket_of(length)]++;
}

void
ouro_pause_begin(struct _is *interp)
{
    struct pauses *pauses = interp->gc.pauses;
    if (pauses == NULL || pauses->depth++ != 0) {
        return;
    }
    if (pauses->thread != &ouro_current) { /* another CPU clock: start new windows */
        struct pause_line *line = &pauses->lines[OURO_CLOCK_CPU];
        pauses->thread = &ouro_current;
        for (int w = 0; w < OURO_PAUSE_WINDOWS; w++) {
            line->windows[w].first = line->count;
            line->windows[w].paused = 0;
        }
    }
    for (int clock = 0; clock < 2; clock++) {
        pauses->lines[clock].begun = nanoseconds_of(clock);
    }
}

double
ouro_pause_begun(const struct _is *interp)
{
    const struct pauses *pauses = interp->gc.pauses;
    bool is_known =
        pauses != NULL && pauses->depth > 0 && pauses->thread == &ouro_current;
    return is_known ? 1e-9 * (double)pauses->lines[OURO_CLOCK_CPU].begun
                    : ouro_platform_thread_clock();
}

void
ouro_pause_end(struct _is *interp)
{
    struct pauses *pauses = interp->gc.pauses;
    if (pauses != NULL && pauses->depth > 0 && --pauses->depth == 0) {
        for (int clock = 0; clock < 2; clock++) {
            record_pause(&pauses->lines[clock], nanoseconds_of(clock));
        }
    }
}

/* --- reading ------------------------------------------------------------------------------- */

bool
ouro_pauses_read(const struct _is *interp, int clock, Ouro_GCPauseStats *stats)
{
    const struct pauses *pauses = interp->gc.pauses;
    memset(stats, 0, sizeof *stats);
    if (pauses != NULL) {
        *stats = pauses->lines[clock].stats;
    }
    for (int w = 0; w < OURO_PAUSE_WINDOWS; w++) {
        int64_t worst = pauses != NULL ? pauses->lines[clock].windows[w].worst : 0;
        double share = (double)worst / (double)windows[w];
        stats->utilisation[w] = share < 1 ? 1 - share : 0;
    }
    stats->half_below = ouro_pauses_percentile(stats, 0.5);
    stats->p99_below = ouro_pauses_percentile(stats, 0.99);
    stats->p999_below = ouro_pauses_percentile(stats, 0.999);
    return pauses != NULL;
}

double
ouro_pauses_percentile(const Ouro_GCPauseStats *stats, double share)
{
    double wanted = share * (double)stats->pauses, seen = 0;
    for (int b = 0; b < OURO_PAUSE_BUCKETS && stats->pauses != 0; b++) {
        seen += (double)stats->histogram[b];
        if (seen >= wanted && stats->histogram[b] != 0) {
            double end = end_of_bucket(b);
            return end < stats->longest ? end : stats->longest;
        }
    }
    return stats->longest;
}
