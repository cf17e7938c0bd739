/* SPDX-License-Identifier: MIT */
/* Short cycles in random programs, with surveys and without. */
#include "short_cycles.h"

/* A table of objects, some of them held. Fields change at random, between cycles and in them. An object
 * dies only when nothing that is held reaches it, and after a whole cycle all of these are dead. */
enum { THINGS = 400 };
static PyObject *things[THINGS]; /* NULL: dead, or not made yet */
static bool is_held[THINGS], is_reachable[THINGS];
static uint32_t dice;

static uint32_t
roll(uint32_t sides)
{
    dice = dice * 1664525u + 1013904223u;
    return (dice >> 8) % sides;
}

struct thing {
    struct node node;
    int number;
};
static PyTypeObject Thing = {NODE_SLOTS("Thing"), .tp_clear = node_clear};
static PyTypeObject Final = {NODE_SLOTS("Final"), .tp_clear = node_clear,
                             .tp_finalize = node_finalize};

static int
number_of(const struct node *self)
{
    return ((const struct thing *)self)->number;
}

static void
note_thing_died(struct node *self)
{
    things[number_of(self)] = NULL;
}

static void
reach_thing(PyObject *op)
{
    if (op != NULL && !is_reachable[number_of(node_of(op))]) {
        is_reachable[number_of(node_of(op))] = true;
        reach_thing(node_of(op)->a);
        reach_thing(node_of(op)->b);
    }
}

static void
find_reachable(void)
{
    memset(is_reachable, 0, sizeof is_reachable);
    for (int i = 0; i < THINGS; i++) {
        if (is_held[i]) {
            reach_thing(things[i]);
        }
    }
}

static void
expect_none_lost(void)
{
    find_reachable();
    for (int i = 0; i < THINGS; i++) {
        EXPECT(!is_held[i] || things[i] != NULL);
        EXPECT(!is_reachable[i] || Py_REFCNT(things[i]) > 0);
    }
}

static void
change_something(void)
{
    uint32_t i = roll(THINGS), j = roll(THINGS);
    if (things[i] == NULL) {
        things[i] = new_node(roll(8) == 0 ? &Final : &Thing, NULL);
        ((struct thing *)things[i])->number = (int)i;
        is_held[i] = true;
        return;
    }
    find_reachable();
    if (!is_reachable[i]) {
        return; /* the program has no way to get at it */
    }
    PyObject *to = is_reachable[j] && roll(8) != 0 ? things[j] : NULL;
    switch (roll(3)) {
    case 0:
        set_a(things[i], to);
        break;
    case 1:
        set_b(things[i], to);
        break;
    default:
        if (is_held[i]) {
            is_held[i] = false;
            Py_DECREF(things[i]);
        }
    }
}

/* Without surveys a whole cycle finds the rest; with them short cycles do. */
static void
run_random_program(uint32_t seed, int survey_cycles)
{
    dice = seed;
    Thing.tp_basicsize = Final.tp_basicsize = sizeof(struct thing);
    doubt_by_hand();
    gc_now()->slices.survey_cycles = survey_cycles;
    gc_now()->slices.survey_rest = 0;
    when_deallocated = note_thing_died;
    for (int cycle = 0; cycle < 12; cycle++) {
        for (int i = 0; i < 150; i++) {
            change_something();
        }
        if (roll(2) == 0) {
            Ouro_GCCollect(1);
        }
        start_cycle();
        while (step_cycle()) {
            change_something();
            expect_none_lost();
        }
    }
    for (int i = 0; i < THINGS; i++) {
        if (is_held[i]) {
            is_held[i] = false;
            Py_DECREF(things[i]);
        }
    }
    if (survey_cycles == 0) {
        forget_beliefs();
        run_whole_cycle();
    }
    for (int i = 0; i < 3 * survey_cycles; i++) {
        start_cycle();
        finish_cycle();
    }
    for (int i = 0; i < THINGS; i++) {
        EXPECT_NULL(things[i]);
    }
    when_deallocated = NULL;
}

TEST_PY(random_programs_lose_nothing_in_short_cycles, .timeout = 120)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        run_random_program(seed, 0);
    }
}

TEST_PY(random_programs_lose_nothing_and_leave_no_garbage_with_surveys, .timeout = 120)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        run_random_program(seed, 1 + (int)(seed % 4));
    }
}
