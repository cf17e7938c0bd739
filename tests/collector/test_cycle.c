/* SPDX-License-Identifier: MIT */
/* Full collections in slices: what they free, what they leave, and what may happen in the
 * middle of one. The graphs are random; a plain walk over them says what is garbage.
 *
 * Cycles are driven by hand, a page or a batch at a time, so that a test is the same each
 * time and knows between which steps it is. */
#include "nodes.h"

#include "../../src/base/fault.h"
#include "../../src/collector/cycle.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- driving ---------------------------------------------------------------------------- */

static struct gc_state *
gc_now(void)
{
    return &ouro_current.interp->gc;
}

/* Cycles by hand: no automatic collection, the smallest steps. */
static void
drive_by_hand(uint32_t batch, uint32_t rounds)
{
    baseline();
    Ouro_GCSetThresholds((int[]){0}, 1);
    Ouro_GCSetPauseBudget(1000);
    gc_now()->stress = false;
    gc_now()->cycle_batch = batch;
    gc_now()->cycle_rounds = rounds;
    ouro_collector_set_alarm(ouro_current.interp);
}

static void
start_cycle(void)
{
    REQUIRE(gc_now()->cycle == NULL);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
}

/* One step of a cycle that runs. */
static void
run_one_step(void)
{
    gc_now()->stress = true; /* the clock is read at every step */
    ouro_cycle_run(ouro_current.interp, 0);
    gc_now()->stress = false;
    ouro_collector_set_alarm(ouro_current.interp);
}

/* One step; false when no cycle is left. */
static bool
step_cycle(void)
{
    if (gc_now()->cycle != NULL) {
        EXPECT(ouro_cycle_verify(gc_now()->cycle));
        run_one_step();
    }
    return gc_now()->cycle != NULL;
}

static void
finish_cycle(void)
{
    while (step_cycle()) {
    }
}

/* Step until the cycle is in a phase, or over. */
static bool
step_to(enum cycle_phase phase)
{
    while (gc_now()->cycle != NULL && gc_now()->cycle->phase < phase) {
        step_cycle();
    }
    return gc_now()->cycle != NULL;
}

static Ouro_GCCycleStats
cycle_stats(void)
{
    Ouro_GCCycleStats stats;
    Ouro_GCGetCycleStats(&stats);
    return stats;
}

/* ---- a graph and its oracle -------------------------------------------------------------- */

#define FIELDS    3
#define WIDE_MAX  200 /* words of padding: objects of many sizes, on many pages */
#define GRAPH_MAX 40000
#define ROOTS_MAX 64

struct vertex {
    PyObject_VAR_HEAD
    int id;
    PyObject *fields[FIELDS];
    PyObject *weaklist;
    void *padding[];
};

static struct vertex *graph[GRAPH_MAX]; /* NULL when dead */
static int graph_size;
static struct vertex *roots[ROOTS_MAX]; /* owned, or NULL */
static bool reached[GRAPH_MAX], was_garbage[GRAPH_MAX];
static int vertex_clears;

static int
vertex_traverse(PyObject *op, visitproc visit, void *arg)
{
    for (int i = 0; i < FIELDS; i++) {
        Py_VISIT(((struct vertex *)op)->fields[i]);
    }
    return 0;
}

static int
vertex_clear(PyObject *op)
{
    vertex_clears++;
    for (int i = 0; i < FIELDS; i++) {
        Py_CLEAR(((struct vertex *)op)->fields[i]);
    }
    return 0;
}

static void
vertex_dealloc(PyObject *op)
{
    struct vertex *self = (struct vertex *)op;
    PyObject_GC_UnTrack(op);
    if (self->weaklist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    REQUIRE(graph[self->id] == self);
    graph[self->id] = NULL;
    for (int i = 0; i < FIELDS; i++) {
        Py_CLEAR(self->fields[i]);
    }
    PyObject_GC_Del(op);
}

static PyTypeObject vertex_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "vertex",
    .tp_basicsize = sizeof(struct vertex),
    .tp_itemsize = sizeof(void *),
    .tp_dealloc = vertex_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = vertex_traverse,
    .tp_clear = vertex_clear,
    .tp_weaklistoffset = offsetof(struct vertex, weaklist),
};

static uint64_t dice;

static uint32_t
roll(uint32_t limit)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (uint32_t)(dice >> 32) % limit;
}

static void
begin_graph(uint64_t seed)
{
    REQUIRE_EQ(PyType_Ready(&vertex_type), 0);
    dice = seed * UINT64_C(0x9E3779B97F4A7C15) + 88172645463325252u;
    graph_size = 0;
    memset(graph, 0, sizeof graph);
}

static struct vertex *
new_vertex(void)
{
    REQUIRE(graph_size < GRAPH_MAX);
    struct vertex *self =
        PyObject_GC_NewVar(struct vertex, &vertex_type, (Py_ssize_t)roll(WIDE_MAX));
    REQUIRE_NOT_NULL(self);
    self->id = graph_size++;
    memset(self->fields, 0, sizeof self->fields);
    self->weaklist = NULL;
    graph[self->id] = self;
    PyObject_GC_Track(self);
    return self;
}

static void
set_field(struct vertex *self, int field, struct vertex *to)
{
    Py_XSETREF(self->fields[field], Py_XNewRef((PyObject *)to));
}

/* What the roots reach. */
static void
find_reachable(void)
{
    static int stack[GRAPH_MAX];
    int depth = 0;
    memset(reached, 0, sizeof reached);
    for (int i = 0; i < ROOTS_MAX; i++) {
        if (roots[i] != NULL && !reached[roots[i]->id]) {
            reached[roots[i]->id] = true;
            stack[depth++] = roots[i]->id;
        }
    }
    while (depth > 0) {
        const struct vertex *self = graph[stack[--depth]];
        for (int i = 0; i < FIELDS; i++) {
            const struct vertex *to = (struct vertex *)self->fields[i];
            if (to != NULL && !reached[to->id]) {
                reached[to->id] = true;
                stack[depth++] = to->id;
            }
        }
    }
}

/* Remember what is garbage now, among the vertices made so far. */
static int
note_garbage(void)
{
    int count = 0;
    find_reachable();
    for (int i = 0; i < GRAPH_MAX; i++) {
        was_garbage[i] = i < graph_size && graph[i] != NULL && !reached[i];
        count += was_garbage[i];
    }
    return count;
}

/* How much of that is still there; and nothing that is reachable has died: find_reachable
 * would have fallen over it. */
static int
garbage_left(void)
{
    int count = 0;
    find_reachable();
    for (int i = 0; i < graph_size; i++) {
        EXPECT(graph[i] == NULL || graph[i]->id == i);
        count += was_garbage[i] && graph[i] != NULL;
    }
    return count;
}

static void
release_graph(void)
{
    for (int i = 0; i < ROOTS_MAX; i++) {
        Py_CLEAR(roots[i]);
    }
    Ouro_GCCollect(2);
    for (int i = 0; i < graph_size; i++) {
        EXPECT_NULL(graph[i]);
    }
}

static struct vertex *
any_root(void)
{
    return roots[roll(ROOTS_MAX)];
}

/* A vertex that the program can get at: some steps from a root. */
static struct vertex *
any_reachable(void)
{
    struct vertex *at = any_root();
    for (uint32_t steps = roll(12); at != NULL && steps > 0; steps--) {
        struct vertex *next = (struct vertex *)at->fields[roll(FIELDS)];
        at = next != NULL ? next : at;
    }
    return at;
}

/* One change of a program that knows nothing of the collector: rewire, drop, make, move a
 * reference without touching a count. */
static void
mutate(void)
{
    struct vertex *at = any_reachable();
    struct vertex *to = any_reachable();
    uint32_t field = roll(FIELDS), what = roll(10);
    if (what < 3 && graph_size < GRAPH_MAX) {
        struct vertex *fresh = new_vertex();
        set_field(fresh, 0, to);
        if (roll(2) == 0) {
            set_field(fresh, 1, fresh); /* a cycle: counting alone will not free it */
        }
        if (at != NULL) {
            set_field(at, (int)field, fresh);
        } else {
            Py_XSETREF(roots[roll(ROOTS_MAX)], (struct vertex *)Py_NewRef(fresh));
        }
        Py_DECREF(fresh);
    } else if (what < 5 && at != NULL && to != NULL) {
        uint32_t other = roll(FIELDS); /* swap: no count changes */
        PyObject *moved = at->fields[field];
        at->fields[field] = to->fields[other];
        to->fields[other] = moved;
    } else if (what < 7 && at != NULL) {
        uint32_t root = roll(ROOTS_MAX); /* from a field to a root, or back */
        PyObject *moved = at->fields[field];
        at->fields[field] = (PyObject *)roots[root];
        roots[root] = (struct vertex *)moved;
    } else if (what < 9 && at != NULL) {
        set_field(at, (int)field, to);
    } else if (at != NULL) {
        set_field(at, (int)field, NULL);
    }
}

/* A graph of old objects, some of which the program has lost since. */
static void
build_graph(uint64_t seed, int changes)
{
    begin_graph(seed);
    for (int i = 0; i < changes; i++) {
        mutate();
    }
    Ouro_GCCollect(2);
    for (int i = 0; i < changes; i++) {
        mutate();
    }
}

/* ---- what a cycle frees ------------------------------------------------------------------ */

TEST_PY(garbage_at_the_start_is_freed_by_the_end)
{
    drive_by_hand(8, 6);
    for (unsigned seed = 1; seed <= 20; seed++) {
        build_graph(seed, 3000);
        start_cycle();
        EXPECT_GT(note_garbage(), 10); /* young garbage is gone already */
        finish_cycle();
        EXPECT_EQ(garbage_left(), 0);
        release_graph();
    }
}

TEST_PY(garbage_at_the_start_is_freed_whatever_the_program_does_meanwhile, .timeout = 120)
{
    for (unsigned seed = 1; seed <= (OURO_CHECK ? 2 : 60); seed++) {
        drive_by_hand(1 + seed % 20, seed % 3);
        build_graph(seed, 3000);
        start_cycle();
        EXPECT_GT(note_garbage(), 10);
        do {
            for (int i = 0; i < 20 && graph_size < GRAPH_MAX; i++) {
                mutate();
            }
            if (roll(10) == 0) {
                Ouro_GCCollect((int)roll(2)); /* young and middle ones go on */
            }
        } while (step_cycle());
        EXPECT_EQ(garbage_left(), 0);
        release_graph();
    }
}

TEST_PY(a_cycle_keeps_what_is_reachable)
{
    drive_by_hand(8, 6);
    build_graph(7, 4000);
    start_cycle();
    finish_cycle();
    find_reachable();
    for (int i = 0; i < graph_size; i++) {
        EXPECT_EQ(graph[i] != NULL, reached[i]);
    }
    release_graph();
}

TEST_PY(a_cycle_calls_tp_clear_once_for_each_object)
{
    drive_by_hand(8, 6);
    build_graph(9, 3000);
    start_cycle();
    int garbage = note_garbage();
    vertex_clears = 0;
    finish_cycle();
    EXPECT_EQ(vertex_clears, garbage);
    release_graph();
}

/* ---- the adversary ----------------------------------------------------------------------- */

#define PAIRS 1000

/* Holders refer to pairs that refer to each other. While references are counted the holders
 * have them; before marking they are moved to the stack, so that marking does not get
 * there; after the proofs they are put back. No count ever changes. */
TEST_PY(a_hundred_thousand_failed_proofs_free_nothing_alive, .timeout = 240)
{
    static PyObject *stack[PAIRS];
    struct vertex *holders[PAIRS];
    drive_by_hand(4, 0);
    begin_graph(1);
    for (int i = 0; i < PAIRS; i++) {
        struct vertex *a = new_vertex(), *b = new_vertex();
        holders[i] = new_vertex();
        set_field(a, 0, b);
        set_field(b, 0, a);
        holders[i]->fields[0] = (PyObject *)a; /* moved */
        Py_DECREF(b);
    }
    while (cycle_stats().failed_proofs < 100 * 1000) {
        Py_ssize_t before = cycle_stats().failed_proofs;
        start_cycle();
        step_to(CYCLE_MARK);
        for (int i = 0; i < PAIRS; i++) {
            stack[i] = holders[i]->fields[0];
            holders[i]->fields[0] = NULL;
        }
        finish_cycle();
        for (int i = 0; i < PAIRS; i++) {
            holders[i]->fields[0] = stack[i];
            REQUIRE(graph[3 * i] != NULL && graph[3 * i + 1] != NULL);
            REQUIRE_EQ(Py_REFCNT(stack[i]), 2);
        }
        REQUIRE(cycle_stats().failed_proofs >= before + PAIRS / 4);
    }
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    for (int i = 0; i < PAIRS; i++) {
        Py_DECREF(holders[i]);
    }
    EXPECT_EQ(Ouro_GCCollect(2), 2 * PAIRS);
}

/* A weak reference is read at any moment of a cycle; what it leads to lives on, with all
 * that it reaches. */
TEST_PY(garbage_that_a_weak_reference_brings_back_is_kept, .timeout = 120)
{
    int brought_back = 0;
    for (unsigned seed = 1; seed <= 150; seed++) {
        drive_by_hand(1 + seed % 9, seed % 2 * 6);
        begin_graph(seed);
        struct vertex *ring[40];
        for (int i = 0; i < 40; i++) {
            ring[i] = new_vertex();
        }
        for (int i = 0; i < 40; i++) {
            set_field(ring[i], 0, ring[(i + 1) % 40]);
        }
        PyObject *weakref = new_weakref((PyObject *)ring[seed % 40], NULL);
        Ouro_GCCollect(2);
        for (int i = 0; i < 40; i++) {
            Py_DECREF(ring[i]);
        }
        start_cycle();
        for (uint32_t steps = roll(400); steps > 0; steps--) {
            step_cycle();
        }
        PyObject *back = NULL;
        if (PyWeakref_GetRef(weakref, &back) == 1) {
            brought_back++;
            finish_cycle();
            for (int i = 0; i < 40; i++) {
                EXPECT(graph[i] == ring[i] &&
                       Py_REFCNT(ring[i]) == 1 + (back == (PyObject *)ring[i]));
            }
            Py_DECREF(back);
        }
        finish_cycle();
        Ouro_GCCollect(2);
        for (int i = 0; i < 40; i++) {
            EXPECT_NULL(graph[i]);
        }
        Py_DECREF(weakref);
    }
    EXPECT_GT(brought_back, 10);
    EXPECT_LT(brought_back, 150);
}

/* A named exception: what heap enumeration brings back stays. */
TEST_PY(garbage_that_get_objects_brings_back_is_kept)
{
    drive_by_hand(8, 6);
    drop_self_cycle(&N, "x");
    Ouro_GCCollect(0);
    Ouro_GCCollect(1);
    start_cycle();
    PyObject *list = Ouro_GCGetObjects(2);
    finish_cycle();
    EXPECT_STR(events(), "clear x, dealloc x"); /* the young collections found it */
    Py_DECREF(list);

    PyObject *x = new_node(&N, "y");
    set_a(x, x);
    Ouro_GCCollect(2);
    Py_DECREF(x);
    forget_events();
    start_cycle();
    list = Ouro_GCGetObjects(2);
    finish_cycle();
    EXPECT_STR(events(), "");
    Py_DECREF(list);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "clear y, dealloc y");
}

/* ---- weak references, finalizers, legacy -------------------------------------------------- */

/* An old, dropped self-cycle. */
static void
drop_old_cycle(PyTypeObject *type, const char *name, PyObject **weakref)
{
    PyObject *x = new_node(type, name);
    set_a(x, x);
    if (weakref != NULL) {
        *weakref = new_weakref(x, "w");
    }
    Ouro_GCCollect(2);
    Py_DECREF(x);
}

TEST_PY(phases_of_a_cycle_are_those_of_a_collection)
{
    PyObject *weakref;
    drive_by_hand(8, 6);
    drop_old_cycle(&F, "x", &weakref);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "callback w, finalize x, clear x, dealloc x");
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

TEST_PY(a_finalizer_resurrects_in_a_cycle_once)
{
    drive_by_hand(8, 6);
    PyObject *x = new_node(&F, "x");
    set_a(x, x);
    node_of(x)->resurrects = true;
    Ouro_GCCollect(2);
    Py_DECREF(x);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "finalize x");
    EXPECT_EQ((void *)rescued, (void *)x);
    Py_CLEAR(rescued);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
}

TEST_PY(legacy_objects_go_to_the_garbage_list_in_a_cycle, .mistakes = true)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&D, "x", NULL);
    start_cycle();
    finish_cycle();
    PyObject *garbage = Ouro_GCGarbage();
    REQUIRE_EQ(PyList_GET_SIZE(garbage), 1);
    EXPECT_STR(events(), "");
    PyObject *x = Py_NewRef(PyList_GET_ITEM(garbage, 0));
    PyList_SetSlice(garbage, 0, 1, NULL);
    unlink_node(x);
    Py_DECREF(x);
    EXPECT_STR(events(), "dealloc x");
}

static PyObject *
note_phase(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)self;
    REQUIRE_EQ(count, 2);
    PyObject *generation = PyDict_GetItemString(arguments[1], "generation");
    PyObject *collected = PyDict_GetItemString(arguments[1], "collected");
    note_event("%s %ld %ld", PyUnicode_AsUTF8(arguments[0]), PyLong_AsLong(generation),
               PyLong_AsLong(collected));
    return Py_NewRef(Py_None);
}

static PyMethodDef note_phase_method = {"note_phase", (PyCFunction)(void *)note_phase,
                                        METH_FASTCALL, NULL};

TEST_PY(callbacks_are_called_around_a_cycle)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&N, NULL, NULL);
    PyObject *callback = PyCFunction_New(&note_phase_method, NULL);
    PyList_Append(Ouro_GCCallbacks(), callback);
    start_cycle();
    EXPECT_STR(events(), "start 2 0");
    Ouro_GCCollect(0);
    finish_cycle();
    EXPECT_STR(events(), "start 2 0, start 0 0, stop 0 0, stop 2 1");
    PyList_SetSlice(Ouro_GCCallbacks(), 0, 1, NULL);
    Py_DECREF(callback);
}

/* ---- huge components --------------------------------------------------------------------- */

/* A ring of old objects that is garbage now; and a weak reference to one of them. */
static PyObject *
drop_old_ring(PyTypeObject *type, int length)
{
    PyObject *first = new_node(type, NULL), *last = first;
    PyObject *weakref = new_weakref(first, NULL);
    for (int i = 1; i < length; i++) {
        PyObject *next = new_node(type, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, first);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    return weakref;
}

TEST_PY(a_huge_component_is_destroyed_in_slices)
{
    size_t before;
    drive_by_hand(8, 6);
    before = (size_t)Ouro_GCCollect(2);
    Py_DECREF(drop_old_ring(&N, 3000)); /* the weak reference dies before the proof */
    start_cycle();
    bool was_destroying = false;
    Py_ssize_t slices = cycle_stats().slices;
    do {
        was_destroying = was_destroying || (gc_now()->cycle != NULL &&
                                            gc_now()->cycle->phase == CYCLE_CLEAR);
        PyObject *list = Ouro_GCGetObjects(-1); /* never shows what is proved */
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list) && was_destroying; i++) {
            EXPECT(Py_TYPE(PyList_GET_ITEM(list, i)) != &N);
        }
        if (gc_now()->cycle != NULL && gc_now()->cycle->phase < CYCLE_CONDEMN) {
            Py_ssize_t size = PyList_GET_SIZE(list);
            PyList_SetSlice(list, 0, size, NULL);
        }
        Py_DECREF(list);
    } while (step_cycle());
    EXPECT(was_destroying);
    EXPECT_GT(cycle_stats().slices, slices + 1000);
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().most_garbage, 3000);
    EXPECT_EQ(Ouro_GCCollect(2), (Py_ssize_t)before);
}

TEST_PY(a_weak_reference_into_a_huge_component_dies_with_the_proof)
{
    drive_by_hand(8, 6);
    PyObject *weakref = drop_old_ring(&N, 1000);
    start_cycle();
    step_to(CYCLE_CONFIRM);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 0);
    finish_cycle();
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    EXPECT_EQ(cycle_stats().most_garbage, 1000);
    Py_DECREF(weakref);
}

static int hook_calls;

static void
count_call(struct node *Py_UNUSED(self))
{
    hook_calls++;
}

static void
count_call_on_whole_object(struct node *self)
{
    EXPECT_NOT_NULL(self->a);
    hook_calls++;
}

static void
count_call_and_raise(struct node *Py_UNUSED(self))
{
    hook_calls++;
    PyErr_SetString(PyExc_ValueError, "from tp_clear");
}

static PyTypeObject unclearable_type = {NODE_SLOTS("Unclearable")}; /* without tp_clear */

TEST_PY(the_finalizers_of_a_huge_component_are_called)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&F, 1000));
    when_finalized = count_call_on_whole_object;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(hook_calls, 1000);
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().most_garbage, 1000);
}

TEST_PY(a_huge_component_with_tp_del_is_kept, .mistakes = true)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&D, 1000));
    when_cleared = when_deallocated = count_call;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(hook_calls, 0);
    PyObject *garbage = Ouro_GCGarbage();
    EXPECT_EQ(PyList_GET_SIZE(garbage), 1000);
    PyObject *first = Py_NewRef(PyList_GET_ITEM(garbage, 0));
    PyList_SetSlice(garbage, 0, 1000, NULL);
    unlink_node(first);
    Py_DECREF(first);
    EXPECT_EQ(hook_calls, 1000);
}

TEST_PY(a_huge_component_is_saved_when_everything_is)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 1000));
    Ouro_GCSetDebug(OURO_DEBUG_SAVEALL);
    start_cycle();
    finish_cycle();
    Ouro_GCSetDebug(0);
    PyObject *garbage = Ouro_GCGarbage();
    EXPECT_EQ(PyList_GET_SIZE(garbage), 1000);
    PyList_SetSlice(garbage, 0, 1000, NULL);
    EXPECT_EQ(Ouro_GCCollect(2), 1000);
}

TEST_PY(what_tp_clear_raises_in_a_huge_component_is_reported)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 1000));
    record_unraisable();
    when_cleared = count_call_and_raise;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(hook_calls, 1000);
    EXPECT_EQ(unraisable_count, 1000);
    EXPECT_STR(unraisable_text, "ValueError: Exception ignored in tp_clear of N");
}

TEST_PY(an_object_without_tp_clear_dies_with_its_huge_component)
{
    drive_by_hand(8, 6);
    PyObject *x = new_node(&unclearable_type, NULL), *last = x;
    for (int i = 0; i < 1000; i++) {
        PyObject *next = new_node(&N, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, x);
    Ouro_GCCollect(2);
    when_deallocated = count_call;
    Py_DECREF(x);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(hook_calls, 1001);
}

TEST_PY(frees_of_a_slice_do_not_put_young_collections_off)
{
    int counts[3];
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 1000));
    start_cycle();
    PyObject *nodes[50];
    for (int i = 0; i < 50; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    finish_cycle();
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[0], 50);
    for (int i = 0; i < 50; i++) {
        Py_DECREF(nodes[i]);
    }
}

/* ---- what may happen in the middle ------------------------------------------------------- */

TEST_PY(a_full_collection_in_the_middle_is_exact)
{
    drive_by_hand(8, 6);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        Py_DECREF(drop_old_ring(&N, 500));
        start_cycle();
        bool is_there = step_to((enum cycle_phase)phase);
        bool was_proved = is_there && gc_now()->cycle->phase >= CYCLE_CONDEMN;
        Py_ssize_t freed = Ouro_GCCollect(2);
        EXPECT_EQ(freed, was_proved || !is_there ? 0 : 500);
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
}

TEST_PY(the_mode_ends_at_any_moment)
{
    drive_by_hand(8, 6);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        Py_DECREF(drop_old_ring(&N, 500));
        start_cycle();
        step_to((enum cycle_phase)phase);
        EXPECT_EQ(Ouro_GCSetPauseBudget(0), 1000);
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_EQ(Ouro_GCSetPauseBudget(1000), 0);
        Ouro_GCCollect(2);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
}

TEST_PY(freezing_ends_a_cycle)
{
    drive_by_hand(8, 6);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        Py_DECREF(drop_old_ring(&N, 500));
        start_cycle();
        step_to((enum cycle_phase)phase);
        Ouro_GCFreeze();
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
        Ouro_GCUnfreeze();
        Ouro_GCCollect(2);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
}

static void
freeze_once(struct node *self)
{
    (void)self;
    Ouro_GCFreeze();
    Ouro_GCUnfreeze();
}

static void
end_mode(struct node *self)
{
    (void)self;
    EXPECT_EQ(Ouro_GCSetPauseBudget(0), 1000);
    when_finalized = NULL;
}

TEST_PY(a_finalizer_may_freeze_and_end_the_mode_in_a_slice)
{
    drive_by_hand(8, 6);
    when_finalized = freeze_once;
    for (int i = 0; i < 20; i++) {
        drop_old_cycle(&F, NULL, NULL);
    }
    Py_ssize_t dropped = cycle_stats().dropped;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().dropped, dropped + 1);
    when_finalized = NULL;
    Ouro_GCCollect(2);
    EXPECT_EQ(Ouro_GCCollect(2), 0);

    PyObject *x = new_node(&F, NULL); /* two components, too large for one batch */
    set_a(x, x);
    Py_DECREF(drop_old_ring(&F, 20));
    Py_DECREF(x);
    when_finalized = end_mode;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().dropped, dropped + 2);
    Py_ssize_t left = Ouro_GCCollect(2);
    EXPECT(left == 1 || left == 20);
}

TEST_PY(a_collection_called_by_a_handler_in_a_slice_does_nothing)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&F, "x", NULL);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
}

TEST_PY(a_disabled_collector_leaves_a_cycle_where_it_is)
{
    drive_by_hand(8, 6);
    Ouro_GCSetThresholds((int[]){2000}, 1);
    Py_DECREF(drop_old_ring(&N, 500));
    start_cycle();
    PyGC_Disable();
    Py_ssize_t slices = cycle_stats().slices;
    for (int i = 0; i < 5000; i++) {
        Py_DECREF(new_node(&N, NULL));
        Py_DECREF(PyList_New(0));
    }
    EXPECT_EQ(cycle_stats().slices, slices);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Ouro_GCDonateTime(1000), 0);
    PyGC_Enable();
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 500);
}

TEST_PY(a_child_drops_the_cycle_and_collects_by_itself)
{
    drive_by_hand(8, 6);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        Py_DECREF(drop_old_ring(&N, 500));
        start_cycle();
        bool is_there = step_to((enum cycle_phase)phase);
        bool was_proved = is_there && gc_now()->cycle->phase >= CYCLE_CONDEMN;
        PyOS_BeforeFork();
        pid_t child = fork();
        if (child == 0) {
            PyOS_AfterFork_Child();
            bool is_fine = gc_now()->cycle == NULL &&
                           Ouro_GCCollect(2) == (was_proved || !is_there ? 0 : 500) &&
                           ouro_heap_verify(&ouro_current.interp->heap);
            _exit(is_fine ? 0 : 1);
        }
        PyOS_AfterFork_Parent();
        int status = -1;
        REQUIRE_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        finish_cycle();
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
}

TEST(an_interpreter_ends_in_the_middle_of_a_cycle)
{
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        Py_Initialize();
        drive_by_hand(8, 6);
        Py_DECREF(drop_old_ring(&N, 500));
        start_cycle();
        step_to((enum cycle_phase)phase);
        EXPECT_EQ(Py_FinalizeEx(), 0);
    }
}

TEST_PY(lack_of_memory_ends_a_cycle_and_loses_nothing)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    drive_by_hand(8, 6);
    for (int64_t n = 1; n < 30; n++) {
        Py_DECREF(drop_old_ring(&N, 500));
        Py_ssize_t before = cycle_stats().out_of_memory;
        ouro_fault_arm(n);
        bool has_started = ouro_cycle_start(ouro_current.interp);
        if (has_started) {
            finish_cycle();
        }
        bool was_hit = ouro_fault_seen() >= n;
        ouro_fault_arm(0);
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_EQ(cycle_stats().out_of_memory, before + was_hit);
        EXPECT_EQ(Ouro_GCCollect(2), has_started ? 0 : 500);
        if (!was_hit) {
            EXPECT_EQ(n, 18); /* each table is reserved and committed */
            return;
        }
    }
    EXPECT(!"a cycle ends when no allocation fails");
}

/* The tables of a cycle are asked of the system, which may refuse. */
TEST_PY(memory_that_the_system_refuses_ends_a_cycle_before_it_starts)
{
    struct rlimit none = {1, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    if (UNDER_ASAN || UNDER_TSAN) {
        SKIP("a sanitizer needs memory itself");
    }
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    REQUIRE(setrlimit(RLIMIT_DATA, &none) == 0);
    bool has_started = ouro_cycle_start(ouro_current.interp);
    REQUIRE(setrlimit(RLIMIT_DATA, &all) == 0);
    EXPECT(!has_started);
    EXPECT_EQ(cycle_stats().out_of_memory, 1);
    EXPECT_EQ(Ouro_GCCollect(2), 1);
}

static Py_ssize_t
full_collections(void)
{
    Ouro_GCStats stats;
    REQUIRE_EQ(Ouro_GCGetStats(2, &stats), 0);
    return stats.collections;
}

/* The next allocation finds the old generation due. */
static void
make_old_due(void)
{
    Ouro_GCSetThresholds((int[]){5, 10, 0}, 3);
    gc_now()->long_lived_total = 10;
    gc_now()->long_lived_pending = 10;
    gc_now()->generations[OURO_OLD].count = 1;
    ouro_current.interp->heap.allocations = 6;
}

TEST_PY(without_memory_for_a_cycle_an_automatic_collection_is_done_at_once)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    Py_ssize_t before = full_collections();
    make_old_due();
    ouro_fault_arm(1);
    PyObject *y = new_node(&N, NULL);
    ouro_fault_arm(0);
    EXPECT_EQ(cycle_stats().out_of_memory, 1);
    EXPECT_EQ(full_collections(), before + 1);
    EXPECT_STR(events(), "clear x, dealloc x");
    Py_DECREF(y);
}

TEST_PY(a_cycle_that_ends_early_is_not_counted_as_a_collection)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    Py_ssize_t before = full_collections();
    start_cycle();
    Ouro_GCSetPauseBudget(0);
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(full_collections(), before);
    Ouro_GCSetPauseBudget(1000);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(full_collections(), before + 1);
}

TEST_PY(no_second_cycle_starts_while_one_runs)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    start_cycle();
    Py_ssize_t cycles = cycle_stats().cycles, before = full_collections();
    const struct cycle *running = gc_now()->cycle;
    gc_now()->cycle->next_need = 1; /* and no slice is owed */
    make_old_due();
    Py_DECREF(new_node(&N, NULL));
    EXPECT_EQ(gc_now()->cycle, running);
    ouro_current.interp->heap.allocations = 6;
    Ouro_GCReportExternal((Py_ssize_t)1 << 30); /* reported memory is due as well */
    EXPECT_EQ(cycle_stats().cycles, cycles);
    Ouro_GCReportExternal(-((Py_ssize_t)1 << 30));
    EXPECT_EQ(full_collections(), before);
    finish_cycle();
}

TEST_PY(a_pending_exception_survives_a_slice)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&F, "x", NULL);
    start_cycle();
    PyErr_SetString(PyExc_ValueError, "pending");
    finish_cycle();
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
    EXPECT_RAISED(PyExc_ValueError);
}

/* ---- large containers ---------------------------------------------------------------------- */

#define LARGE 100000

/* Step until the cycle is over; the most references that one slice can have visited is
 * bounded, so there are many slices. */
static void
expect_many_slices(void)
{
    Py_ssize_t slices = cycle_stats().slices;
    start_cycle();
    finish_cycle();
    EXPECT_GT(cycle_stats().slices, slices + 2 * LARGE / 4096);
}

TEST_PY(large_containers_are_visited_in_parts)
{
    drive_by_hand(8, 6);
    PyObject *list = PyList_New(LARGE), *tuple = PyTuple_New(LARGE);
    PyObject *dict = PyDict_New(), *set = PySet_New(NULL);
    static PyObject *nodes[4];
    for (int i = 0; i < 4; i++) {
        nodes[i] = new_node(&N, NULL); /* held by one large container each, at its end */
    }
    for (int i = 0; i < LARGE; i++) {
        PyObject *number = PyLong_FromLong(1000 + i);
        bool is_last = i == LARGE - 1;
        PyList_SetItem(list, i, is_last ? nodes[0] : Py_NewRef(number));
        PyTuple_SetItem(tuple, i, is_last ? nodes[1] : Py_NewRef(number));
        PyDict_SetItem(dict, number, is_last ? nodes[2] : Py_None);
        PySet_Add(set, is_last ? nodes[3] : number);
        Py_DECREF(number);
    }
    Py_DECREF(nodes[2]);
    Py_DECREF(nodes[3]);
    for (int i = 0; i < 4; i++) {
        set_a(nodes[i], nodes[i]);
    }
    Ouro_GCCollect(2);
    expect_many_slices();
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(Py_REFCNT(nodes[i]), 2);
    }
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    PyList_Append(list, list); /* garbage, with its node, when it is dropped */
    Ouro_GCCollect(2);
    Py_DECREF(list);
    expect_many_slices();
    EXPECT_EQ(cycle_stats().most_garbage, 2);
    Py_DECREF(tuple);
    Py_DECREF(dict);
    Py_DECREF(set);
    EXPECT_EQ(Ouro_GCCollect(2), 3);
}

/* A page holds more large containers than a cycle can keep in mind. */
TEST_PY(many_large_containers_in_one_page_are_all_visited)
{
    enum { LISTS = 50, ITEMS = 9000 };
    static PyObject *lists[LISTS], *nodes[LISTS];
    drive_by_hand(8, 6);
    for (int i = 0; i < LISTS; i++) {
        lists[i] = PyList_New(ITEMS);
        nodes[i] = new_node(&N, NULL);
        for (int k = 0; k < ITEMS; k++) {
            PyList_SET_ITEM(lists[i], k, Py_NewRef(k == ITEMS - 1 ? nodes[i] : Py_None));
        }
        set_a(nodes[i], nodes[i]);
        Py_DECREF(nodes[i]); /* held by the end of the list, and by itself */
    }
    Ouro_GCCollect(2);
    start_cycle();
    finish_cycle();
    for (int i = 0; i < LISTS; i++) {
        EXPECT_EQ(Py_REFCNT(nodes[i]), 2);
        set_b(nodes[i], lists[i]); /* garbage, once we let go */
        Py_DECREF(lists[i]);
    }
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL); /* and without a look at the clock */
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(cycle_stats().most_garbage, 2 * LISTS);
}

/* A list in a page behind all others; and one that comes next to it, if that is wanted. */
static PyObject *
new_list_in_last_page(Py_ssize_t size, PyObject **next)
{
    enum { FILLERS = 3000 }; /* more than a page holds */
    static PyObject *fillers[FILLERS];
    for (int i = 0; i < FILLERS; i++) {
        fillers[i] = PyList_New(0);
    }
    PyObject *list = PyList_New(size);
    REQUIRE_NOT_NULL(list);
    if (next != NULL) {
        *next = PyList_New(0);
        EXPECT_GT(*next, list);
    }
    for (int i = 0; i < FILLERS; i++) {
        Py_DECREF(fillers[i]);
    }
    return list;
}

/* What a large container refers to is part of its component, whichever part it is in. The
 * nodes at its end come first in the heap: cut off from it, they could not be proved. */
TEST_PY(the_parts_of_a_large_container_are_one_component)
{
    enum { NODES = 20, ITEMS = NODES * 1000 };
    PyObject *nodes[NODES];
    drive_by_hand(8, 0);
    for (int i = 0; i < NODES; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], nodes[i]);
    }
    PyObject *other; /* of another component, in the same page */
    PyObject *list = new_list_in_last_page(ITEMS, &other);
    for (int i = 0; i < ITEMS; i++) {
        PyObject *item = i % 1000 == 0 ? nodes[NODES - 1 - i / 1000] : Py_NewRef(Py_None);
        PyList_SET_ITEM(list, i, item);
    }
    PyList_Append(list, list);
    PyList_Append(other, other);
    Ouro_GCCollect(2);
    Py_DECREF(list);
    Py_DECREF(other);
    Py_ssize_t failed = cycle_stats().failed_proofs;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().failed_proofs, failed);
    EXPECT_EQ(cycle_stats().most_garbage, NODES + 2);
}

static PyObject *doomed_list; /* borrowed */

TEST_PY(a_large_container_that_dies_between_its_parts_is_let_go)
{
    enum { ITEMS = 50000 };
    drive_by_hand(8, 6);
    for (int reuse = 0; reuse < 2; reuse++) {
        doomed_list = PyList_New(ITEMS);
        for (int i = 0; i < ITEMS; i++) {
            PyList_SET_ITEM(doomed_list, i, Py_NewRef(Py_None));
        }
        Ouro_GCCollect(2);
        start_cycle();
        while (gc_now()->cycle->part_count == 0) {
            REQUIRE(step_cycle());
        }
        Py_DECREF(doomed_list);
        if (reuse) { /* its slot holds a young list now, which is not looked at */
            doomed_list = PyList_New(0);
        }
        finish_cycle();
        if (reuse) {
            EXPECT_EQ(PyList_GET_SIZE(doomed_list), 0);
            Py_DECREF(doomed_list);
        }
    }
}

/* ---- many references ------------------------------------------------------------------------ */

/* 65,534 can be counted, and 65,535 stands for something else. */
TEST_PY(garbage_with_more_references_than_can_be_counted_is_freed)
{
    enum { MANY_REFERENCES = 70000 };
    drive_by_hand(8, 6);
    PyObject *node = new_node(&N, "x"), *list = PyList_New(MANY_REFERENCES);
    for (int i = 0; i < MANY_REFERENCES; i++) {
        PyList_SET_ITEM(list, i, Py_NewRef(node));
    }
    set_a(node, list);
    Py_DECREF(list);
    Ouro_GCCollect(2);
    Py_DECREF(node);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "clear x, dealloc x");
    EXPECT_EQ(cycle_stats().most_garbage, 2);
}

/* ---- what the program does to the objects of a cycle ---------------------------------------- */

/* All nodes of N that there are, in a list. */
static PyObject *
list_of_nodes(void)
{
    PyObject *all = Ouro_GCGetObjects(-1), *nodes = PyList_New(0);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); i++) {
        PyObject *op = PyList_GET_ITEM(all, i);
        if (Py_IS_TYPE(op, &N)) {
            PyList_Append(nodes, op);
        }
    }
    Py_DECREF(all);
    return nodes;
}

/* Break the links of every `step`-th node; unlinked nodes die with the list. */
static void
unlink_some(int step)
{
    PyObject *nodes = list_of_nodes();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(nodes); i += step) {
        unlink_node(PyList_GET_ITEM(nodes, i));
    }
    Py_DECREF(nodes);
}

/* Proposals die by their count, and their slots are used again, or their pages are cut into
 * others, or are large, or unused. The cycle has their numbers and finds something else. */
static void
kill_proposals_at(enum cycle_phase phase, int step, int variant)
{
    enum { NODES = 1200, TUPLES = 600 };
    static PyObject *others[TUPLES];
    drive_by_hand(8, phase == CYCLE_JOIN ? 0 : 6);
    for (int i = 0; i < NODES / 100; i++) {
        Py_DECREF(drop_old_ring(&N, 100));
    }
    start_cycle();
    if (!step_to(phase)) {
        return;
    }
    unlink_some(step);
    for (int i = 0; i < TUPLES && variant > 0; i++) {
        Py_ssize_t length = variant == 1 ? 50 : 20000; /* other slots, or whole pages */
        others[i] = i < TUPLES / (variant * variant) ? PyTuple_New(length) : NULL;
    }
    if (variant == 3) { /* the same slots, but young */
        for (int i = 0; i < 100; i++) {
            drop_self_cycle(&N, NULL);
        }
        Ouro_GCCollect(1); /* and old, but late */
    }
    finish_cycle();
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
    for (int i = 0; i < TUPLES && variant > 0; i++) {
        Py_XDECREF(others[i]);
    }
    Ouro_GCCollect(2);
    PyObject *left = list_of_nodes();
    EXPECT_EQ(PyList_GET_SIZE(left), 0);
    Py_DECREF(left);
}

TEST_PY(proposals_that_die_are_passed_over_in_every_phase, .timeout = 240)
{
    for (int phase = CYCLE_COUNT; phase <= CYCLE_CONFIRM; phase++) {
        for (int variant = 0; variant <= 3; variant++) {
            kill_proposals_at((enum cycle_phase)phase, 1, variant);
            kill_proposals_at((enum cycle_phase)phase, 7, variant);
        }
    }
}

/* One component: a ring, and an object that a weak reference brings back before the proof,
 * with what it reaches. The rest is garbage all the same. */
TEST_PY(a_proof_frees_what_is_left_when_members_leave_it)
{
    drive_by_hand(8, 0);
    PyObject *x = new_node(&N, "x"), *y = new_node(&N, "y");
    PyObject *z = new_node(&N, "z"), *w = new_node(&N, "w");
    set_a(x, y); /* x <-> y, w -> y: they die; y -> z: z comes back, with w */
    set_a(y, x);
    set_b(y, z);
    set_a(z, w);
    set_a(w, z);
    PyObject *weakref = new_weakref(z, NULL);
    Ouro_GCCollect(2);
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(z);
    Py_DECREF(w);
    start_cycle();
    REQUIRE(step_to(CYCLE_CONFIRM));
    PyObject *back;
    REQUIRE_EQ(PyWeakref_GetRef(weakref, &back), 1);
    finish_cycle();
    EXPECT_EQ(count_events("dealloc x") + count_events("dealloc y"), 2);
    EXPECT_EQ(count_events("dealloc z") + count_events("dealloc w"), 0);
    EXPECT_EQ(node_of(back)->a, w);
    EXPECT_EQ(Py_REFCNT(w), 1);
    EXPECT_EQ(cycle_stats().failed_proofs, 1);
    Py_DECREF(back);
    Py_DECREF(weakref);
    EXPECT_EQ(Ouro_GCCollect(2), 2);
}

/* Members that died, and nobody to expel. */
TEST_PY(a_proof_frees_what_is_left_when_members_have_died)
{
    drive_by_hand(8, 6);
    PyObject *x = new_node(&N, "x"), *y = new_node(&N, "y"), *z = new_node(&N, "z");
    set_a(x, x);
    set_a(y, x); /* y -> x, z -> y; z refers to itself */
    set_b(z, y);
    set_a(z, z);
    PyObject *weakref = new_weakref(z, NULL);
    Ouro_GCCollect(2);
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(z);
    start_cycle();
    REQUIRE(step_to(CYCLE_CONFIRM));
    PyObject *back;
    REQUIRE_EQ(PyWeakref_GetRef(weakref, &back), 1);
    unlink_node(back);
    Py_DECREF(back); /* z dies, and y with it */
    EXPECT_EQ(count_events("dealloc z") + count_events("dealloc y"), 2);
    forget_events();
    finish_cycle();
    EXPECT_STR(events(), "clear x, dealloc x");
    EXPECT_EQ(cycle_stats().failed_proofs, 0);
    Py_DECREF(weakref);
}

TEST_PY(immortal_objects_and_tuples_of_atoms_are_no_part_of_a_cycle, .mistakes = true,
        .no_leak_check = true)
{
    drive_by_hand(8, 6);
    PyObject *immortal = new_node(&N, "i"), *held = new_node(&N, "h");
    PyObject *tuple = PyTuple_Pack(2, Py_None, Py_True);
    link_both_ways(immortal, held);
    set_a(held, tuple);
    Py_DECREF(held);
    Ouro_GCCollect(0);
    PyObject_GC_Track(tuple); /* the collection untracked it */
    Ouro_GCCollect(0);
    PyObject_GC_IsTracked(tuple) ? (void)0 : PyObject_GC_Track(tuple);
    start_cycle();
    PyObject_GC_IsTracked(tuple) ? (void)0 : PyObject_GC_Track(tuple);
    Py_SET_REFCNT(immortal, (Py_ssize_t)1 << 40);
    finish_cycle();
    EXPECT_EQ(PyObject_GC_IsTracked(immortal), 0);
    EXPECT_EQ(Py_REFCNT(held), 1);
    EXPECT_STR(events(), "");
    Py_DECREF(tuple);
}

/* Proposed while it was mortal. */
TEST_PY(a_proposal_that_becomes_immortal_is_evicted, .no_leak_check = true)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    start_cycle();
    REQUIRE(step_to(CYCLE_RECOUNT));
    PyObject *nodes = list_of_nodes();
    REQUIRE_EQ(PyList_GET_SIZE(nodes), 1);
    Py_SET_REFCNT(PyList_GET_ITEM(nodes, 0), (Py_ssize_t)1 << 40);
    Py_DECREF(nodes);
    finish_cycle();
    EXPECT_STR(events(), "");
}

/* Young, middle and old at a time when the cycle has begun. */
TEST_PY(objects_promoted_while_references_are_counted_are_late)
{
    enum { COUNT = 3000 };
    static PyObject *nodes[COUNT], *late[COUNT];
    drive_by_hand(8, 6);
    for (int i = 0; i < COUNT; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], nodes[i]);
    }
    Ouro_GCCollect(2);
    for (int i = 0; i < COUNT; i += 2) { /* holes in old pages, for what comes late */
        unlink_node(nodes[i]);
        Py_DECREF(nodes[i]);
    }
    start_cycle();
    step_cycle();
    for (int i = 0; i < COUNT; i++) { /* and pages that are new */
        late[i] = new_node(&N, NULL);
        set_a(late[i], late[i]);
    }
    Ouro_GCCollect(1);
    for (int i = 0; i < COUNT; i++) {
        Py_DECREF(late[i]); /* garbage, but not of this cycle */
    }
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(gc_now()->long_lived_pending, COUNT);
    for (int i = 1; i < COUNT; i += 2) {
        EXPECT_EQ(Py_REFCNT(nodes[i]), 2);
        Py_DECREF(nodes[i]);
    }
    EXPECT_EQ(Ouro_GCCollect(2), COUNT + COUNT / 2);
}

/* Proposals that refer to what is none, when components are joined without a recount. */
TEST_PY(components_are_cut_at_what_is_alive)
{
    drive_by_hand(8, 0);
    PyObject *live = new_node(&N, NULL), *nodes[10];
    for (int i = 0; i < 10; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], nodes[i]);
        set_b(nodes[i], live);
    }
    Ouro_GCCollect(2);
    for (int i = 0; i < 10; i++) {
        Py_DECREF(nodes[i]);
    }
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 10);
    EXPECT_EQ(Py_REFCNT(live), 1);
    Py_DECREF(live);
}

/* ---- a million references at once ------------------------------------------------------------- */

#define OVERFLOWING (OURO_QUEUE_LENGTH + 50000)

/* A list refers to more objects than the queue can hold, each of which refers to another. */
static PyObject *
new_wide_list(void)
{
    PyObject *list = PyList_New(OVERFLOWING);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < OVERFLOWING; i++) {
        PyObject *node = new_node(&N, NULL);
        PyList_SET_ITEM(list, i, node);
        if (i % 1000 == 0) {
            node_of(node)->a = new_node(&N, NULL); /* moved */
        }
    }
    return list;
}

static void
expect_wide_list(PyObject *list)
{
    for (Py_ssize_t i = 0; i < OVERFLOWING; i += 1000) {
        PyObject *node = PyList_GET_ITEM(list, i);
        EXPECT_EQ(Py_REFCNT(node), 1);
        EXPECT_EQ(Py_REFCNT(node_of(node)->a), 1);
    }
}

TEST_PY(marking_gets_everywhere_when_its_queue_overflows, .timeout = 240)
{
    drive_by_hand(8, 0);
    PyObject *list = new_wide_list();
    PyObject *last =
        new_list_in_last_page(0, NULL); /* all nodes are behind the sweep then */
    PyList_SetSlice(last, 0, 0, list);
    EXPECT_GT(last, PyList_GET_ITEM(last, OVERFLOWING - 1));
    Py_DECREF(list);
    PyObject
        *behind[5000]; /* pages that the sweep has yet to see when the queue is full */
    for (int i = 0; i < 5000; i++) {
        behind[i] = PyTuple_Pack(1, last);
    }
    Ouro_GCCollect(2);
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(cycle_stats().proofs, 0);
    expect_wide_list(last);
    for (int i = 0; i < 5000; i++) {
        Py_DECREF(behind[i]);
    }
    Py_DECREF(last);
}

/* Everything was proposed, and comes back before the proof. */
TEST_PY(eviction_and_proof_get_everywhere_when_their_queues_overflow, .timeout = 240)
{
    for (uint32_t rounds = 0; rounds <= 2; rounds += 2) {
        drive_by_hand(8, rounds);
        PyObject *list = new_wide_list();
        PyList_Append(list, list);
        PyObject *holder = new_node(&N, NULL);
        set_a(holder, list);
        Ouro_GCCollect(2);
        PyObject *back = PyList_GET_ITEM(list, OVERFLOWING - 1); /* borrowed */
        set_b(back, list); /* all of it is one component, garbage when it is proposed */
        Py_DECREF(list);
        set_a(holder, NULL);
        start_cycle();
        enum cycle_phase phase = rounds == 0 ? CYCLE_CONFIRM : CYCLE_RECOUNT;
        while (gc_now()->cycle->phase < phase) {
            run_one_step();
            REQUIRE_NOT_NULL(gc_now()->cycle);
        }
        PyObject *all = Ouro_GCGetObjects(2);
        Py_ssize_t at = PySequence_Index(all, list);
        REQUIRE(at >= 0);
        set_a(holder, list);
        Py_DECREF(all);
        ouro_cycle_run(ouro_current.interp, HUGE_VAL);
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_EQ(cycle_stats().most_garbage, 0);
        expect_wide_list(list);
        Py_DECREF(holder);
        EXPECT_GT(Ouro_GCCollect(2), OVERFLOWING);
    }
}

/* Large containers in every phase: one is evicted, and the rest of it is followed in parts. */
TEST_PY(an_evicted_container_is_followed_in_parts)
{
    enum { ITEMS = 20000 };
    drive_by_hand(8, 2);
    PyObject *list = PyList_New(ITEMS);
    for (int i = 0; i < ITEMS; i++) {
        PyObject *node = new_node(&N, NULL);
        PyList_SET_ITEM(list, i, node);
        if (i % 1000 == 0) {
            node_of(node)->a = PyList_New(0);
        }
    }
    PyList_Append(list, list);
    PyObject *weakref = new_weakref(PyList_GET_ITEM(list, 0), NULL);
    set_b(PyList_GET_ITEM(list, 0), list); /* the way back to it */
    Ouro_GCCollect(2);
    Py_DECREF(list);
    start_cycle();
    while (gc_now()->cycle->phase < CYCLE_RECOUNT) {
        run_one_step();
    }
    PyObject *back;
    REQUIRE_EQ(PyWeakref_GetRef(weakref, &back), 1);
    while (gc_now()->cycle != NULL) {
        run_one_step();
    }
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    for (int i = 0; i < ITEMS; i += 1000) {
        PyObject *node = PyList_GET_ITEM(node_of(back)->b, i);
        EXPECT_EQ(Py_REFCNT(node_of(node)->a), 1);
    }
    Py_DECREF(back);
    Py_DECREF(weakref);
    EXPECT_EQ(Ouro_GCCollect(2), ITEMS + 1 + ITEMS / 1000);
}

/* The slot of a large container that died holds something that has no parts, and is old. */
TEST_PY(what_took_the_place_of_a_large_container_is_left_alone)
{
    enum { ITEMS = 50000, OTHERS = 40 };
    PyObject *others[OTHERS];
    drive_by_hand(8, 6);
    PyObject *tuple = PyTuple_New(ITEMS); /* a block of its own */
    for (int i = 0; i < ITEMS; i++) {
        PyTuple_SET_ITEM(tuple, i, i == 0 ? PyList_New(0) : Py_NewRef(Py_None));
    }
    Ouro_GCCollect(2);
    start_cycle();
    while (gc_now()->cycle->part_count == 0) {
        run_one_step();
        REQUIRE_NOT_NULL(gc_now()->cycle);
    }
    Py_DECREF(tuple); /* its pages are unused */
    finish_cycle();
    for (int i = 0; i < OTHERS; i++) {
        others[i] = new_node(&N, NULL);
    }
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
    for (int i = 0; i < OTHERS; i++) {
        Py_DECREF(others[i]);
    }
}

/* Unused pages go back to the system a few at a time. */
TEST_PY(memory_is_given_back_in_slices)
{
    SKIP_CHECKED("quarantined blocks stay in their pages");
    enum { BLOCKS = 200 };
    static PyObject *blocks[BLOCKS];
    struct heap *heap = &ouro_current.interp->heap;
    drive_by_hand(8, 6);
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = PyTuple_New(9000); /* two pages */
    }
    drop_old_cycle(&N, "x", NULL);
    start_cycle();
    REQUIRE(step_to(CYCLE_RELEASE));
    for (int i = 0; i < BLOCKS; i++) {
        Py_DECREF(blocks[i]);
    }
    heap->expected = 0; /* nobody is expected to need them soon */
    uint32_t before = heap->resident_unused;
    Py_ssize_t slices = cycle_stats().slices;
    finish_cycle();
    EXPECT_GT(before, 2 * BLOCKS - 1);
    EXPECT_LT(heap->resident_unused, before / 2);
    EXPECT_GT(cycle_stats().slices, slices + BLOCKS / 8);
}
