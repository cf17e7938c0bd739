/* SPDX-License-Identifier: MIT */
/* A program as data: its operations, so that the program can be repeated without some of them
 * (replay.h, shrink.h) and be printed (print.h).
 *
 * An operation names its things by the number of the operation that made them. This number stays
 * the same when other operations are left out. The memory is shared with children, so a program
 * that crashes leaves its record behind. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_RECORD_H
#define OURO_TESTS_COLLECTOR_MODEL_RECORD_H

#include <sys/mman.h>

#include "graph.h"

enum operation_code {
    OP_MAKE, /* kind, size, action */
    OP_LINK, /* from, field, to */
    OP_HOLD, /* thing, times */
    OP_DROP, /* thing, times */
    OP_TRACK,
    OP_UNTRACK,
    OP_WEAKREF, /* thing, with a callback */
    OP_RESIZE,  /* thing, size */
    OP_IMMORTALISE,
    OP_FINALIZE,
    OP_RAISE,
    OP_MARK,      /* whether */
    OP_NUMBER,    /* failures */
    OP_FEW,       /* pages */
    OP_COLLECT,   /* generation */
    OP_AUTOMATIC, /* threshold */
    OP_FORK,      /* generation */
    OP_BUDGET,    /* microseconds */
    OP_CYCLE,     /* batch */
    OP_FREEZE,    /* or unfreeze */
    OP_EMPTY_GARBAGE,
};

struct operation {
    enum operation_code code;
    int name;    /* OP_MAKE: of the new thing */
    int args[3]; /* things by name */
};

enum { RECORD_MAX = 200000 };

static struct {
    struct operation operations[RECORD_MAX];
    int count;
    int names; /* given so far */
    bool on;
} * recorded;

static void
record_begin(void)
{
    if (recorded == NULL) {
        recorded = mmap(NULL, sizeof *recorded, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        REQUIRE(recorded != MAP_FAILED);
    }
    recorded->count = recorded->names = 0;
    recorded->on = true;
}

static void
record_end(void)
{
    recorded->on = false;
}

static void
record(enum operation_code code, int a, int b, int c)
{
    if (recorded != NULL && recorded->on && recorded->count < RECORD_MAX) {
        recorded->operations[recorded->count++] =
            (struct operation){.code = code, .args = {a, b, c}};
    }
}

/* Returns the name of the thing to be made. */
static int
record_make(enum kind kind, int size, enum action action)
{
    if (recorded == NULL) {
        return 0;
    }
    record(OP_MAKE, (int)kind, size, (int)action);
    if (recorded->on && recorded->count > 0) {
        recorded->operations[recorded->count - 1].name = recorded->names;
    }
    return recorded->names++;
}

#endif
