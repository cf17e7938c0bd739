/* SPDX-License-Identifier: MIT */
/* Full collections in slices: what they free and what they keep. The graphs are random; a simple
 * walk over them says what is garbage. test_cycle_ends.c, test_cycle_handlers.c and
 * test_propose.c test other events during a cycle. */
#include "cycles.h"

#include <math.h>

/* ---- a graph and its oracle ----------------------------------------------------------- */

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

/* Marks the vertices that the roots reach. */
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

/* How much of that garbage still exists. Nothing reachable has died, or find_reachable would
 * have crashed. */
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

/* A vertex that the program can reach: some steps from a root. */
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

/* One change by a program that knows nothing of the collector: it rewires, drops or makes an
 * object, or moves a reference without touching a count. */
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
            set_field(fresh, 1, fresh); /* a cycle: reference counts do not free it */
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

/* A graph of old objects; some of them became unreachable since. */
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

/* ---- what a cycle frees --------------------------------------------------------------- */

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
    for (unsigned seed = 1; seed <= (OURO_CHECK ? 2 : 24); seed++) {
        drive_by_hand(1 + seed % 20, seed % 3);
        gc_now()->slices.watch_trust =
            1; /* one proof is tried for all proposals if there are enough */
        build_graph(seed, 3000);
        start_cycle();
        EXPECT_GT(note_garbage(), 10);
        do {
            for (int i = 0; i < 20 && graph_size < GRAPH_MAX; i++) {
                mutate();
            }
            if (roll(10) == 0) {
                Ouro_GCCollect((int)roll(2)); /* young and middle collections go on */
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

/* Free many pages when a cycle has nothing left to do but to give memory back. */
static uint32_t
unused_pages_before_release(void)
{
    enum { BLOCKS = 200 };
    static PyObject *blocks[BLOCKS];
    struct heap *heap = &ouro_current.interp->heap;
    drive_by_hand(8, 6);
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = PyTuple_New(16400); /* two pages, and a little more */
    }
    drop_old_cycle(&N, "x", NULL);
    start_cycle();
    REQUIRE(step_to(CYCLE_RELEASE));
    for (int i = 0; i < BLOCKS; i++) {
        Py_DECREF(blocks[i]);
    }
    heap->trim.expected = 0; /* the pages are not expected to be needed soon */
    EXPECT_GT(heap->trim.resident_unused, 2 * BLOCKS - 1);
    return heap->trim.resident_unused;
}

/* Unused pages go back to the system a few at a time. */
TEST_PY(memory_is_given_back_in_slices)
{
    SKIP_CHECKED("quarantined blocks stay in their pages");
    uint32_t before = unused_pages_before_release();
    Py_ssize_t slices = cycle_stats().slices;
    finish_cycle();
    EXPECT_LT(ouro_current.interp->heap.trim.resident_unused, before / 2);
    EXPECT_GT(cycle_stats().slices, slices + before / 16);
}

TEST_PY(memory_is_given_back_in_one_slice_when_there_is_time)
{
    SKIP_CHECKED("quarantined blocks stay in their pages");
    uint32_t before = unused_pages_before_release();
    Py_ssize_t slices = cycle_stats().slices;
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    EXPECT_LT(ouro_current.interp->heap.trim.resident_unused, before / 2);
    EXPECT_EQ(cycle_stats().slices, slices + 1);
}

/* ---- the adversary -------------------------------------------------------------------- */

#define PAIRS 1000

/* Holders refer to pairs of objects that refer to each other. While references are counted, the
 * holders have these references. Before marking, the references are moved to the stack, so that
 * marking does not reach the pairs. After the proofs they are put back. No count ever changes. */
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

/* A weak reference is read at any moment of a cycle. The object that it leads to stays alive,
 * together with everything that the object reaches. */
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

/* A documented exception: objects that heap enumeration brings back stay. */
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

TEST_PY(after_a_cycle_only_what_grew_old_meanwhile_counts_as_new)
{
    enum { BEFORE = 5, MEANWHILE = 7 };
    PyObject *nodes[BEFORE + MEANWHILE];
    drive_by_hand(8, 6);
    for (int i = 0; i < BEFORE; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    Ouro_GCCollect(1);
    start_cycle();
    for (int i = BEFORE; i < BEFORE + MEANWHILE; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    Ouro_GCCollect(1);
    finish_cycle();
    EXPECT_EQ(gc_now()->growth.long_lived_pending, MEANWHILE);
    for (int i = 0; i < BEFORE + MEANWHILE; i++) {
        Py_DECREF(nodes[i]);
    }
}

TEST_PY(after_a_cycle_frozen_objects_do_not_count_as_old)
{
    drive_by_hand(8, 6);
    PyObject *node = new_node(&N, NULL);
    Ouro_GCCollect(2);
    EXPECT_GT(gc_now()->growth.long_lived_total, 0);
    Ouro_GCFreeze();
    start_cycle();
    finish_cycle();
    EXPECT_EQ(gc_now()->growth.long_lived_total, 0);
    Ouro_GCUnfreeze();
    Py_DECREF(node);
}

TEST_PY(after_a_cycle_reported_memory_counts_as_known)
{
    drive_by_hand(8, 6); /* nothing is due by itself */
    size_t before = gc_now()->growth.external_bytes;
    Ouro_GCReportExternal(1000);
    EXPECT_EQ(gc_now()->growth.external_after_full, before);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(gc_now()->growth.external_after_full, before + 1000);
    Ouro_GCReportExternal(-1000);
}

TEST_PY(a_cycle_that_starts_sets_all_counts_to_zero)
{
    int counts[3];
    drive_by_hand(8, 6);
    Ouro_GCCollect(1);
    Ouro_GCCollect(0);
    PyObject *node = new_node(&N, NULL);
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[0], 1);
    EXPECT_EQ(counts[1], 1);
    EXPECT_EQ(counts[2], 1);
    start_cycle();
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[0], 0);
    EXPECT_EQ(counts[1], 0);
    EXPECT_EQ(counts[2], 0);
    finish_cycle();
    Py_DECREF(node);
}
