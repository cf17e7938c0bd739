/* SPDX-License-Identifier: MIT */
/* Random programs with cycles, whose finalizers and callbacks bring garbage back, cut it up, make weak
 * references to it, and make objects where others died. After each step the program looks whether what
 * it can reach is alive and whole, and in the end whether everything is dead. */
#include "short_cycles.h"

#include <math.h>

enum { THINGS = 300, WEAKS = 200, ROUNDS = 14, CHANGES = 120, SEEDS = 30 };

struct thing {
    struct node node;
    int number;
    uint32_t serial, check;
};

static struct {
    PyObject *op;    /* NULL: dead */
    uint32_t serial; /* of the object that has this number now */
    bool is_held, is_reachable, was_finalized, was_cleared;
} things[THINGS];

static struct {
    PyObject *op; /* held by the program, or NULL */
    int target;   /* the number of a thing */
    uint32_t serial;
    bool calls, was_called;
    bool is_late; /* made while the collector ran: it need not be called */
} weaks[WEAKS];

static PyTypeObject Thing_Type = {NODE_SLOTS("Thing"), .tp_clear = node_clear};
static PyTypeObject Final_Type = {NODE_SLOTS("Final"), .tp_clear = node_clear,
                                  .tp_finalize = node_finalize};
static uint32_t dice, serial;
static bool is_quiet; /* user code does nothing */
static long short_cycles, sets_with_ends, proofs_again, failed_again;

static uint32_t
roll(uint32_t sides)
{
    dice = dice * 1664525u + 1013904223u;
    return (dice >> 8) % sides;
}

/* ---- what must hold ------------------------------------------------------------------------- */

static bool
is_thing(PyObject *op)
{
    return op != NULL && (Py_IS_TYPE(op, &Thing_Type) || Py_IS_TYPE(op, &Final_Type));
}

/* The number of a thing, which must be whole. */
static int
number_of(PyObject *op)
{
    const struct thing *thing = (const struct thing *)op;
    REQUIRE_EQ(thing->check, (uint32_t)thing->number * 31u + thing->serial);
    REQUIRE(things[thing->number].op == op);
    return thing->number;
}

static void
reach(PyObject *op)
{
    while (op != NULL) {
        if (PyTuple_CheckExact(op)) {
            op = PyTuple_GET_ITEM(op, 0);
        } else if (!is_thing(op) || things[number_of(op)].is_reachable) {
            return;
        } else {
            things[number_of(op)].is_reachable = true;
            reach(node_of(op)->a);
            op = node_of(op)->b;
        }
    }
}

static void
find_reachable(void)
{
    for (int i = 0; i < THINGS; i++) {
        things[i].is_reachable = false;
    }
    for (int i = 0; i < THINGS; i++) {
        if (things[i].is_held) {
            REQUIRE_NOT_NULL(things[i].op);
            reach(things[i].op);
        }
    }
}

static bool
leads_to(int weak, int number)
{
    return weaks[weak].op != NULL && weaks[weak].target == number &&
           weaks[weak].serial == things[number].serial;
}

static void
expect_all_is_well(void)
{
    find_reachable();
    for (int i = 0; i < WEAKS; i++) {
        PyObject *op;
        if (weaks[i].op != NULL && PyWeakref_GetRef(weaks[i].op, &op) == 1) {
            EXPECT(leads_to(i, number_of(op)));
            Py_DECREF(op);
        }
    }
}

static void
thing_cleared(struct node *self)
{
    int number = number_of((PyObject *)self);
    find_reachable();
    EXPECT(!things[number].is_reachable);
    things[number].was_cleared = true;
}

static void
thing_died(struct node *self)
{
    int number = number_of((PyObject *)self);
    EXPECT(!things[number].is_held);
    EXPECT(Py_IS_TYPE(self, &Thing_Type) || things[number].was_finalized);
    for (int i = 0; i < WEAKS; i++) {
        EXPECT(!leads_to(i, number) || PyWeakref_IsDead(weaks[i].op) == 1);
    }
    things[number].op = NULL;
}

/* ---- what the program does ------------------------------------------------------------------ */

static void
make_thing(uint32_t number)
{
    PyObject *op = new_node(roll(3) == 0 ? &Final_Type : &Thing_Type, NULL);
    struct thing *thing = (struct thing *)op;
    thing->number = (int)number;
    thing->serial = ++serial;
    thing->check = number * 31u + serial;
    things[number].op = op;
    things[number].serial = serial;
    things[number].was_finalized = things[number].was_cleared = false;
    things[number].is_held = true;
}

static PyObject *weakref_calls(PyObject *self, PyObject *weakref);
static PyMethodDef weakref_method = {"weakref_calls", weakref_calls, METH_O, NULL};

static void
make_weakref(int number)
{
    uint32_t i = roll(WEAKS);
    PyObject *callback = NULL;
    Py_CLEAR(weaks[i].op);
    if (roll(2) == 0) {
        PyObject *self = PyLong_FromLong((long)i);
        callback = PyCFunction_New(&weakref_method, self);
        Py_DECREF(self);
    }
    weaks[i].op = PyWeakref_NewRef(things[number].op, callback);
    REQUIRE_NOT_NULL(weaks[i].op);
    weaks[i].target = number;
    weaks[i].serial = things[number].serial;
    weaks[i].calls = callback != NULL;
    weaks[i].was_called = false;
    weaks[i].is_late = gc_now()->running.is_collecting;
    Py_XDECREF(callback);
}

/* What a field gets: the object, or a tuple or a weak reference with it. */
static PyObject *
wrapped(PyObject *op)
{
    if (op == NULL || roll(5) != 0) {
        return Py_XNewRef(op);
    }
    return roll(3) == 0 ? PyWeakref_NewRef(op, NULL) : PyTuple_Pack(1, op);
}

static void
set_field(PyObject *from, PyObject *to)
{
    PyObject **field = roll(2) ? &node_of(from)->a : &node_of(from)->b;
    PyObject *value = wrapped(to);
    Py_INCREF(from);
    Py_XSETREF(*field, value);
    Py_DECREF(from);
}

static void
hold(PyObject *op)
{
    int number = number_of(op);
    if (!things[number].is_held) {
        things[number].is_held = true;
        Py_INCREF(op);
    }
}

static void
release(int number)
{
    if (things[number].is_held) {
        things[number].is_held = false;
        Py_DECREF(things[number].op);
    }
}

/* A thing that a weak reference still leads to, as a new reference, or NULL. */
static PyObject *
read_weakref(void)
{
    uint32_t i = roll(WEAKS);
    PyObject *op = NULL;
    if (weaks[i].op != NULL) {
        (void)PyWeakref_GetRef(weaks[i].op, &op);
    }
    return op;
}

/* Now and then an object that is found so is held from then on: it may have been garbage. */
static void
look_at_all(void)
{
    PyObject *all = Ouro_GCGetObjects(-1);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); i++) {
        PyObject *op = PyList_GET_ITEM(all, i);
        if (is_thing(op) && !things[number_of(op)].was_cleared && roll(100) == 0) {
            hold(op);
        }
    }
    Py_DECREF(all);
}

static void
change_something(void)
{
    uint32_t i = roll(THINGS), j = roll(THINGS);
    if (things[i].op == NULL) {
        make_thing(i);
        return;
    }
    find_reachable();
    if (!things[i].is_reachable) {
        return;
    }
    PyObject *op;
    switch (roll(40) == 0 ? 6 : roll(6)) {
    case 0:
    case 1:
        set_field(things[i].op,
                  things[j].is_reachable && roll(10) != 0 ? things[j].op : NULL);
        break;
    case 2:
        make_weakref((int)i);
        break;
    case 3:
        op = read_weakref();
        if (op != NULL && roll(2)) {
            hold(op);
        }
        Py_XDECREF(op);
        break;
    case 6:
        look_at_all();
        break;
    default:
        release((int)i);
    }
}

/* ---- what user code does -------------------------------------------------------------------- */

static PyObject *
walk_from(PyObject *op)
{
    for (uint32_t steps = roll(6); steps > 0; steps--) {
        PyObject *next = roll(2) ? node_of(op)->a : node_of(op)->b;
        next =
            next != NULL && PyTuple_CheckExact(next) ? PyTuple_GET_ITEM(next, 0) : next;
        op = is_thing(next) ? next : op;
    }
    return op;
}

static void
make_things_in_free_places(void)
{
    for (int n = 0; n < 6; n++) {
        uint32_t i = roll(THINGS);
        if (things[i].op == NULL) {
            make_thing(i);
            set_field(things[i].op, things[i].op);
        }
    }
}

static void
do_something_rare(PyObject *op)
{
    switch (roll(60)) {
    case 0:
        Ouro_GCSetPauseBudget(0);
        break;
    case 1:
        Ouro_GCFreeze();
        Ouro_GCUnfreeze();
        break;
    case 2:
    case 3:
        PyObject_GC_UnTrack(op);
        PyObject_GC_Track(op);
        break;
    case 4:
        if (gc_now()->running.is_collecting) {
            EXPECT_EQ(PyGC_Collect(), 0);
        }
        break;
    default:
        look_at_all();
    }
}

static void
do_user_code(PyObject *from)
{
    PyObject *x = walk_from(from), *y = walk_from(from);
    uint32_t i = roll(THINGS);
    switch (is_quiet ? UINT32_MAX : roll(12)) {
    case 0:
        hold(x);
        break;
    case 1:
        Py_INCREF(x);
        unlink_node(x);
        Py_DECREF(x);
        break;
    case 2:
        make_weakref(number_of(x));
        break;
    case 3:
        make_things_in_free_places();
        break;
    case 4:
        set_field(x, y);
        break;
    case 5:
        if (things[i].is_held) {
            set_field(things[i].op, x);
        }
        break;
    case 6:
        do_something_rare(x);
        break;
    default:
        break;
    }
}

static void
thing_finalized(struct node *self)
{
    int number = number_of((PyObject *)self);
    EXPECT(!things[number].was_finalized);
    EXPECT(!things[number].was_cleared);
    things[number].was_finalized = true;
    do_user_code((PyObject *)self);
}

static PyObject *
weakref_calls(PyObject *self, PyObject *weakref)
{
    long i = PyLong_AsLong(self);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    if (weaks[i].op == weakref) {
        EXPECT(!weaks[i].was_called);
        weaks[i].was_called = true;
    }
    PyObject *op = is_quiet ? NULL : read_weakref();
    if (op != NULL) {
        (void)number_of(op);
        do_user_code(op);
        if (roll(4) == 0) {
            hold(op);
        }
        Py_DECREF(op);
    }
    Py_RETURN_NONE;
}

/* ---- programs ------------------------------------------------------------------------------- */

static void
note_progress(const struct cycle *cy)
{
    sets_with_ends += cy->phase == CYCLE_SEVER && ouro_proof_lists_ends(cy);
    if (cy->phase == CYCLE_CONDEMN && cy->follow.is_on && cy->farewell.ran_user_code) {
        proofs_again += cy->proof.lists_ends;
        failed_again += !cy->proof.lists_ends;
    }
}

static void
begin_random_cycle(void)
{
    Ouro_GCSetPauseBudget(1000);
    finish_cycle();
    gc_now()->slices.follow_trust = roll(6) == 0 ? -1 : 1;
    if (roll(3) == 0) {
        forget_beliefs();
    }
    gc_now()->slices.short_distrust = 0;
    gc_now()->slices.short_left = ROUNDS;
    start_cycle();
    gc_now()->cycle->pace.start_objects += 100 * 1000;
    short_cycles += gc_now()->cycle->is_short;
}

static void
run_random_cycle(void)
{
    uint32_t changes = 1 + roll(2) * 5, drops = roll(6);
    begin_random_cycle();
    do {
        note_progress(gc_now()->cycle);
        for (uint32_t left = roll(changes) + 1; left > 0; left--) {
            change_something();
        }
        if (roll(12) == 0) {
            Ouro_GCCollect((int)roll(2));
        }
        if (drops == 0 && roll(60) == 0) {
            Ouro_GCCollect(2);
        }
        expect_all_is_well();
    } while (step_cycle());
    expect_all_is_well();
}

static void
expect_the_end(void)
{
    is_quiet = true;
    for (int i = 0; i < THINGS; i++) {
        release(i);
    }
    Ouro_GCCollect(2);
    Ouro_GCCollect(2);
    for (int i = 0; i < THINGS; i++) {
        EXPECT_NULL(things[i].op);
    }
    for (int i = 0; i < WEAKS; i++) {
        if (weaks[i].op != NULL) {
            EXPECT_EQ(PyWeakref_IsDead(weaks[i].op), 1);
            EXPECT(weaks[i].is_late || weaks[i].was_called == weaks[i].calls);
            Py_CLEAR(weaks[i].op);
        }
    }
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
    is_quiet = false;
}

static void
run_random_program(uint32_t seed)
{
    dice = seed * 7919u;
    doubt_by_hand();
    gc_now()->slices.batch = 1 + roll(3) * 7;
    when_deallocated = thing_died;
    when_finalized = thing_finalized;
    when_cleared = thing_cleared;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CHANGES; i++) {
            change_something();
        }
        run_random_cycle();
    }
    expect_the_end();
    when_deallocated = when_finalized = when_cleared = NULL;
}

TEST_PY(random_user_code_in_cycles_loses_nothing_and_keeps_nothing, .timeout = 300)
{
    SKIP_CHECKED("reports what the handlers do");
    Thing_Type.tp_basicsize = Final_Type.tp_basicsize = sizeof(struct thing);
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        run_random_program(seed);
    }
    EXPECT_GT(short_cycles, SEEDS);
    EXPECT_GT(sets_with_ends, 0);
    EXPECT_GT(proofs_again, SEEDS);
    EXPECT_GT(failed_again, SEEDS / 2);
}
