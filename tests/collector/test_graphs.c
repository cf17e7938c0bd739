/* SPDX-License-Identifier: MIT */
/* Graphs that force what random ones rarely meet: counts around 256, a full mark queue,
 * certificates that hold, fail and rest, sparse pages, young objects in holes of old pages.
 * Each runs in every generation where that matters. */
#include "../../src/thread/interpreter.h"

#include "nodes.h"

/* An object with any number of fields that counts its deaths. */
struct hub {
    PyObject_VAR_HEAD
    PyObject *items[];
};

static Py_ssize_t hub_deaths, node_deaths;

static int
hub_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct hub *self = (struct hub *)op;
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

static int
hub_clear(PyObject *op)
{
    struct hub *self = (struct hub *)op;
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_CLEAR(self->items[i]);
    }
    return 0;
}

static void
hub_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    hub_clear(op);
    hub_deaths++;
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject Hub = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Hub",
    .tp_basicsize = sizeof(struct hub),
    .tp_itemsize = sizeof(PyObject *),
    .tp_dealloc = hub_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = hub_traverse,
    .tp_clear = hub_clear,
    .tp_free = PyObject_GC_Del,
};

/* All fields refer to `target`, or are NULL. */
static PyObject *
new_hub(Py_ssize_t size, PyObject *target)
{
    REQUIRE_EQ(PyType_Ready(&Hub), 0);
    struct hub *self = PyObject_GC_NewVar(struct hub, &Hub, size);
    REQUIRE_NOT_NULL(self);
    for (Py_ssize_t i = 0; i < size; i++) {
        self->items[i] = Py_XNewRef(target);
    }
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

static void
hold_times(PyObject *op, int times)
{
    for (int i = 0; i < times; i++) {
        Py_INCREF(op);
    }
}

static void
drop_times(PyObject *op, int times)
{
    for (int i = 0; i < times; i++) {
        Py_DECREF(op);
    }
}

static void
count_death(struct node *self)
{
    (void)self;
    node_deaths++;
}

static void
begin_graph(void)
{
    baseline_quiet();
    ouro_current.interp->gc.few_pages = UINT32_MAX; /* those are in test_few.c */
    when_deallocated = count_death;
    node_deaths = hub_deaths = 0;
}

/* ---- counts -------------------------------------------------------------------------------- */

static const int round_counts[] = {128, 256, 512, 65536, 65536 + 256, 131072};
#define ROUND_COUNTS ((int)(sizeof round_counts / sizeof round_counts[0]))

TEST_PY(a_round_number_of_outside_references_is_not_zero)
{
    begin_graph();
    for (int i = 0; i < ROUND_COUNTS * 3; i++) {
        int count = round_counts[i % ROUND_COUNTS], generation = i / ROUND_COUNTS;
        PyObject *x = new_node(&N, NULL);
        PyObject *below = new_node(&N, NULL); /* what x refers to needs x */
        link_nodes(x, below);
        link_nodes(below, below);
        Py_DECREF(below);
        hold_times(x, count - 1);
        EXPECT_EQ(Py_REFCNT(x), count);
        EXPECT_EQ(Ouro_GCCollect(generation), 0);
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(Py_REFCNT(x), count);
        EXPECT_EQ(x->ob_gc >> 16, 0); /* where the exact count was kept meanwhile */
        EXPECT_EQ(Py_REFCNT(below), 2);
        drop_times(x, count);
        EXPECT_EQ(collect(), 1);
    }
}

/* The residue is zero although outside and inside references are many. */
TEST_PY(outside_references_are_told_from_many_inside_ones)
{
    begin_graph();
    for (int i = 0; i < ROUND_COUNTS * 3; i++) {
        int count = round_counts[i % ROUND_COUNTS], generation = i / ROUND_COUNTS;
        PyObject *x = new_node(&N, NULL);
        PyObject *hub = new_hub(700, x);
        link_nodes(x, hub);
        hold_times(x, count - 1);
        Py_DECREF(hub);
        EXPECT_EQ(Ouro_GCCollect(generation), 0);
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(Py_REFCNT(x), count + 700);
        drop_times(x, count);
        EXPECT_EQ(collect(), 2);
    }
    EXPECT_EQ(hub_deaths, ROUND_COUNTS * 3);
}

TEST_PY(garbage_with_many_inside_references_is_collected)
{
    static const int sizes[] = {127, 128, 129, 255,   256,   257,   511,
                                512, 513, 700, 65535, 65536, 65537, 70000};
    for (int i = 0; i < 42; i++) {
        begin_graph();
        int size = sizes[i % 14], generation = i / 14;
        PyObject *x = new_node(&N, NULL);
        PyObject *hub = new_hub(size, x);
        link_nodes(x, hub);
        Py_DECREF(hub);
        EXPECT_EQ(collect(), 0);
        PyObject *young = new_node(&N, NULL);
        PyObject *young_hub = new_hub(size, young);
        link_nodes(young, young_hub);
        Py_DECREF(young_hub);
        Py_DECREF(young);
        Py_DECREF(x);
        EXPECT_EQ(Ouro_GCCollect(generation), generation == 2 ? 4 : 2);
        EXPECT_EQ(collect(), generation == 2 ? 0 : 2);
        EXPECT_EQ(hub_deaths, 2);
        EXPECT_EQ(node_deaths, 2);
    }
}

/* The exact counts of all are looked at because the residue of one lies. */
TEST_PY(garbage_with_many_inside_references_is_collected_beside_a_round_count)
{
    begin_graph();
    PyObject *held = new_node(&N, NULL);
    hold_times(held, 127);
    PyObject *x = new_node(&N, NULL);
    PyObject *hub = new_hub(65600, x);
    link_nodes(x, hub);
    Py_DECREF(hub);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(Py_REFCNT(held), 128);
    drop_times(held, 128);
}

/* What decides when the next full collection is worth it. */
TEST_PY(survivors_with_round_counts_are_counted_as_long_lived)
{
    begin_graph();
    static PyObject *nodes[100];
    Py_ssize_t before = ouro_current.interp->gc.long_lived_total;
    for (int i = 0; i < 100; i++) {
        nodes[i] = new_node(&N, NULL);
        hold_times(nodes[i], 255);
    }
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(ouro_current.interp->gc.long_lived_total - before, 100);
    for (int i = 0; i < 100; i++) {
        drop_times(nodes[i], 256);
    }
}

TEST_PY(objects_that_a_full_collection_destroys_are_not_counted_as_long_lived)
{
    begin_graph();
    PyObject *kept = new_node(&N, NULL);
    Py_ssize_t before = ouro_current.interp->gc.long_lived_total;
    for (int i = 0; i < 100; i++) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_EQ(collect(), 100);
    EXPECT_EQ(ouro_current.interp->gc.long_lived_total - before, 1);
    Py_DECREF(kept);
}

/* ---- the queue ---------------------------------------------------------------------------------- */

#define MANY 1150000 /* more than OURO_QUEUE_LENGTH, by enough to wrap */

/* `count` nodes, then a hub that refers to them all: every target lies behind it. */
static PyObject *
new_star(Py_ssize_t count)
{
    static_assert(MANY > OURO_QUEUE_LENGTH + 50000, "the queue cannot hold them");
    REQUIRE_EQ(PyType_Ready(&N), 0);
    PyObject **nodes = malloc((size_t)count * sizeof *nodes);
    REQUIRE_NOT_NULL(nodes);
    for (Py_ssize_t i = 0; i < count; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    PyObject *hub = new_hub(count, NULL);
    for (Py_ssize_t i = 0; i < count; i++) {
        ((struct hub *)hub)->items[i] = nodes[i]; /* steals */
    }
    free(nodes);
    return hub;
}

/* Behind each node of the star hangs another, allocated before it. */
static void
hang_leaves_behind(PyObject *hub, PyObject *leaves)
{
    struct hub *star = (struct hub *)hub, *others = (struct hub *)leaves;
    for (Py_ssize_t i = 0; i < Py_SIZE(hub); i++) {
        set_a(star->items[i], others->items[i]);
    }
}

/* With and without a certificate: those of `generation` rest when `rests`. */
static void
star_survives_and_dies(int generation, bool rests)
{
    int *rest = &ouro_current.interp->gc.generations[generation].certificate_rest;
    begin_graph();
    PyObject *leaves = new_star(MANY);
    PyObject *hub = new_star(MANY);
    hang_leaves_behind(hub, leaves);
    Py_DECREF(leaves);
    PyObject *last = ((struct hub *)hub)->items[MANY - 1];
    link_nodes(last, hub);
    EXPECT_EQ(hub_deaths, 1);
    *rest = rests;
    EXPECT_EQ(Ouro_GCCollect(generation), 0);
    EXPECT_EQ(*rest, 0);
    *rest = rests;
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(node_deaths, 0);
    Py_DECREF(hub);
    EXPECT_EQ(collect(), 2 * MANY + 1);
    EXPECT_EQ(node_deaths, 2 * MANY);
    EXPECT_EQ(hub_deaths, 2);
    EXPECT_EQ(collect(), 0);
}

TEST_PY(more_round_counts_than_the_queue_has_room_for_are_exact, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    begin_graph();
    PyObject *hub = new_star(MANY);
    PyObject **leaves = malloc(MANY * sizeof *leaves);
    REQUIRE(leaves != NULL);
    for (Py_ssize_t i = 0; i < MANY; i++) {
        leaves[i] = ((struct hub *)hub)->items[i];
        link_nodes(leaves[i], leaves[i]);
        Py_SET_REFCNT(leaves[i], 2 + 128);
    }
    Py_DECREF(hub);
    EXPECT_EQ(collect(), 0);
    const struct heap *heap = &ouro_current.interp->heap;
    int marks = 0;
    for (Py_ssize_t i = 0; i < MANY; i++) {
        marks += heap->counters[ouro_heap_offset(heap, leaves[i]) >> OURO_GRAIN_SHIFT];
        Py_SET_REFCNT(leaves[i], 1); /* its own */
    }
    EXPECT_EQ(marks, 0); /* collection.inv.counters */
    free(leaves);
    EXPECT_EQ(collect(), MANY);
}

TEST_PY(a_star_larger_than_the_queue_survives_a_young_collection, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    star_survives_and_dies(0, false);
    star_survives_and_dies(0, true);
}

TEST_PY(a_star_larger_than_the_queue_survives_a_middle_collection, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    star_survives_and_dies(1, false);
    star_survives_and_dies(1, true);
}

TEST_PY(a_star_larger_than_the_queue_survives_a_full_collection, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    star_survives_and_dies(2, false);
    star_survives_and_dies(2, true);
}

static void
save_hub(struct node *self)
{
    Py_XSETREF(rescued, Py_NewRef(self->a));
}

/* Taking more out of the unreachable set than the queue can hold. */
TEST_PY(a_star_larger_than_the_queue_can_be_resurrected, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    begin_graph();
    PyObject *leaves = new_star(MANY);
    PyObject *hub = new_star(MANY);
    hang_leaves_behind(hub, leaves);
    Py_DECREF(leaves);
    hub_deaths = 0;
    PyObject *saviour = new_node(&F, NULL);
    link_nodes(saviour, hub);
    link_nodes(saviour, saviour);
    when_finalized = save_hub;
    Py_DECREF(hub);
    Py_DECREF(saviour);
    EXPECT_EQ(collect(), 1); /* the saviour itself */
    EXPECT_EQ(rescued, hub);
    EXPECT_EQ(node_deaths, 1);
    for (Py_ssize_t i = 0; i < MANY; i++) {
        PyObject *node = ((struct hub *)hub)->items[i];
        REQUIRE(node != NULL && node_of(node)->a != NULL);
        REQUIRE_EQ(Py_REFCNT(node), 1);
        REQUIRE_EQ(PyObject_GC_IsTracked(node), 1);
    }
    EXPECT_EQ(collect(), 0);
    Py_CLEAR(rescued);
    EXPECT_EQ(node_deaths, 2 * MANY + 1);
}

/* And more than it can hold behind a tp_del. */
TEST_PY(a_star_larger_than_the_queue_can_be_uncollectable, .mistakes = true,
        .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    begin_graph();
    PyObject *hub = new_star(MANY);
    PyObject *legacy = new_node(&D, NULL);
    link_nodes(legacy, hub);
    link_nodes(legacy, legacy);
    Py_DECREF(hub);
    Py_DECREF(legacy);
    EXPECT_EQ(collect(), MANY + 2);
    EXPECT_EQ(node_deaths, 0);
    unlink_node(legacy);
    EXPECT_EQ(node_deaths, MANY);
    REQUIRE_EQ(PyList_SetSlice(Ouro_GCGarbage(), 0, 1, NULL), 0);
}

/* ---- certificates ----------------------------------------------------------------------------- */

#define LENGTH 5000

enum shape {
    FORWARDS,
    PREPENDED,
    DOUBLY_LINKED,
    DOUBLY_LINKED_PREPENDED,
    SHUFFLED,
    SHAPES
};

/* A list of `length` nodes that `*head` holds. nodes[] are its members, borrowed. */
static PyObject *
make_list(enum shape shape, PyObject **nodes, int length)
{
    uint32_t random = 12345;
    for (int i = 0; i < length; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    for (int i = length - 1; i > 0 && shape == SHUFFLED; i--) {
        random = random * 1103515245 + 12345;
        int k = (int)((random >> 8) % (uint32_t)(i + 1));
        PyObject *other = nodes[k];
        nodes[k] = nodes[i];
        nodes[i] = other;
    }
    bool prepended = shape == PREPENDED || shape == DOUBLY_LINKED_PREPENDED;
    for (int i = 0; i < length / 2 && prepended; i++) {
        PyObject *other = nodes[length - 1 - i];
        nodes[length - 1 - i] = nodes[i];
        nodes[i] = other;
    }
    for (int i = 0; i + 1 < length; i++) {
        set_a(nodes[i], nodes[i + 1]);
        if (shape == DOUBLY_LINKED || shape == DOUBLY_LINKED_PREPENDED) {
            set_b(nodes[i + 1], nodes[i]);
        }
    }
    for (int i = 1; i < length; i++) {
        Py_DECREF(nodes[i]);
    }
    return nodes[0];
}

/* Members i..i+k-1 leave the list as a ring of their own, which is garbage. */
static void
cut_out_ring(PyObject **nodes, int i, int k, bool doubly)
{
    PyObject *first = Py_NewRef(nodes[i]);
    PyObject *last = nodes[i + k - 1], *after = nodes[i + k];
    set_a(nodes[i - 1], after);
    set_b(after, doubly ? nodes[i - 1] : NULL);
    set_a(last, first);
    set_b(first, NULL);
    Py_DECREF(first);
}

TEST_PY(lists_of_all_shapes_survive_full_collections)
{
    static PyObject *nodes[LENGTH];
    for (int shape = 0; shape < SHAPES; shape++) {
        begin_graph();
        PyObject *head = make_list(shape, nodes, LENGTH);
        for (int i = 0; i < 30; i++) {
            EXPECT_EQ(collect(), 0);
        }
        EXPECT_EQ(node_deaths, 0);
        bool doubly = shape == DOUBLY_LINKED || shape == DOUBLY_LINKED_PREPENDED;
        Py_DECREF(head);
        EXPECT_EQ(node_deaths, doubly ? 0 : LENGTH);
        EXPECT_EQ(collect(), doubly ? LENGTH : 0);
        EXPECT_EQ(node_deaths, LENGTH);
    }
}

/* As before the first full collection of a process. */
static void
forget_all_numbers(void)
{
    ouro_current.interp->gc.is_numbered = false;
}

/* Did a full collection that finds nothing do without marking? */
static bool
collection_is_a_proof(void)
{
    struct generation *old = &ouro_current.interp->gc.generations[2];
    old->certificate_rest = 0;
    EXPECT_EQ(collect(), 0);
    return old->certificate_failures == 0;
}

TEST_PY(addresses_prove_lists_held_at_either_end_the_second_time)
{
    static PyObject *nodes[LENGTH];
    for (int shape = FORWARDS; shape <= DOUBLY_LINKED_PREPENDED; shape++) {
        begin_graph();
        PyObject *head = make_list(shape, nodes, LENGTH);
        forget_all_numbers();
        EXPECT_EQ(collect(), 0);
        EXPECT(collection_is_a_proof());
        EXPECT(collection_is_a_proof());
        EXPECT(!ouro_current.interp->gc.is_numbered);
        Py_DECREF(head);
        collect();
        EXPECT_EQ(node_deaths, LENGTH);
    }
}

TEST_PY(the_first_full_collection_finds_garbage_in_lists_of_all_shapes)
{
    static PyObject *nodes[LENGTH];
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int k = 1; k <= 1025; k *= 4) {
            begin_graph();
            PyObject *head = make_list(shape, nodes, LENGTH);
            bool doubly = shape == DOUBLY_LINKED || shape == DOUBLY_LINKED_PREPENDED;
            cut_out_ring(nodes, 2000, k, doubly);
            forget_all_numbers();
            EXPECT_EQ(collect(), k);
            forget_all_numbers();
            EXPECT_EQ(collect(), 0);
            Py_DECREF(head);
            collect();
            EXPECT_EQ(node_deaths, LENGTH);
        }
    }
}

TEST_PY(nobody_supports_itself_in_the_first_full_collection)
{
    begin_graph();
    REQUIRE_EQ(PyType_Ready(&N), 0);
    for (int i = 0; i < 10; i++) {
        PyObject *node = new_node(&N, NULL);
        set_a(node, node);
        Py_DECREF(node);
    }
    forget_all_numbers();
    EXPECT_EQ(collect(), 10);
}

/* The side word of slot 0 stands for all of them; whatever its count is, it is no suspect. */
TEST_PY(foreign_targets_are_no_suspects_of_the_first_full_collection)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    PyObject *foreign = PyUnicode_FromString("outside the heap");
    PyObject *head = make_list(FORWARDS, nodes, LENGTH);
    for (int i = 0; i < 256; i++) {
        set_b(nodes[i], foreign);
        PyObject *garbage = new_node(&N, NULL);
        set_a(garbage, garbage);
        set_b(garbage, foreign);
        Py_DECREF(garbage);
        forget_all_numbers();
        EXPECT_EQ(collect(), 1);
    }
    Py_DECREF(head);
    Py_DECREF(foreign);
}

TEST_PY(the_first_full_collection_beside_frozen_objects_finds_garbage)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    PyObject *frozen = make_list(FORWARDS, nodes, LENGTH);
    Ouro_GCFreeze();
    PyObject *head = make_list(DOUBLY_LINKED_PREPENDED, nodes, LENGTH);
    link_nodes(head, frozen);
    cut_out_ring(nodes, 2000, 5, true);
    forget_all_numbers();
    EXPECT_EQ(collect(), 5);
    forget_all_numbers();
    EXPECT_EQ(collect(), 0);
    EXPECT(collection_is_a_proof());
    Ouro_GCUnfreeze();
    Py_DECREF(frozen);
    Py_DECREF(head);
    collect();
    EXPECT_EQ(node_deaths, 2 * LENGTH);
}

TEST_PY(new_pages_of_a_list_that_grew_at_its_head_need_no_mark)
{
    static PyObject *nodes[LENGTH];
    struct heap *heap = &ouro_current.interp->heap;
    begin_graph();
    PyObject *head = make_list(PREPENDED, nodes, LENGTH);
    heap->keyed = heap->touched / 2 + 1; /* as if most pages were there before */
    ouro_current.interp->gc.is_numbered = true;
    for (uint32_t n = 1; n < heap->keyed; n++) {
        for (uint32_t i = 0; i < OURO_PAGE_GRAINS; i++) {
            heap->keys[n * OURO_PAGE_GRAINS + i] = 1 << 4;
        }
    }
    EXPECT(collection_is_a_proof());
    Py_DECREF(head);
    EXPECT_EQ(node_deaths, LENGTH);
}

TEST_PY(garbage_cut_out_of_a_certified_list_is_found)
{
    static PyObject *nodes[LENGTH];
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int k = 1; k <= 1025; k *= 4) {
            begin_graph();
            PyObject *head = make_list(shape, nodes, LENGTH);
            bool doubly = shape == DOUBLY_LINKED || shape == DOUBLY_LINKED_PREPENDED;
            EXPECT_EQ(collect(), 0);
            EXPECT_EQ(collect(), 0);
            cut_out_ring(nodes, 3000, k, doubly);
            EXPECT_EQ(collect(), k);
            EXPECT_EQ(node_deaths, k);
            EXPECT_EQ(collect(), 0);
            cut_out_ring(nodes, 100, k, doubly);
            EXPECT_EQ(collect(), k);
            EXPECT_EQ(collect(), 0);
            Py_DECREF(head);
            collect();
            EXPECT_EQ(node_deaths, LENGTH);
        }
    }
}

/* Rotate the order of a live list between collections: old numbers are all wrong, and
 * nothing may be lost. */
TEST_PY(relinked_lists_survive_full_collections)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    for (int i = 0; i < LENGTH; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    PyObject *anchor = new_node(&N, NULL);
    uint32_t random = 1;
    for (int round = 0; round < 25; round++) {
        for (int i = 0; i < LENGTH; i++) { /* all are held while they are relinked */
            set_a(nodes[i], NULL);
        }
        for (int i = LENGTH - 1; i > 0; i--) {
            random = random * 1103515245 + 12345;
            int k = (int)((random >> 8) % (uint32_t)(i + 1));
            PyObject *other = nodes[k];
            nodes[k] = nodes[i];
            nodes[i] = other;
        }
        for (int i = 0; i + 1 < LENGTH; i++) {
            set_a(nodes[i], nodes[i + 1]);
        }
        set_a(anchor, nodes[0]);
        for (int i = 0; i < LENGTH; i++) {
            Py_DECREF(nodes[i]);
        }
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(node_deaths, 0);
        for (int i = 0; i < LENGTH; i++) {
            Py_INCREF(nodes[i]);
        }
    }
    for (int i = 0; i < LENGTH; i++) {
        Py_DECREF(nodes[i]);
    }
    Py_DECREF(anchor);
    EXPECT_EQ(node_deaths, LENGTH + 1);
}

/* A ring that loses its last outside reference keeps its inside numbers: every member but
 * one is supported by another, and all are dead. */
TEST_PY(a_ring_that_was_certified_alive_is_collected_when_dropped)
{
    static PyObject *nodes[LENGTH];
    for (int shape = 0; shape < SHAPES; shape++) {
        begin_graph();
        PyObject *head = make_list(shape, nodes, LENGTH);
        set_a(nodes[LENGTH - 1], head);
        for (int i = 0; i < 5; i++) {
            EXPECT_EQ(collect(), 0);
        }
        Py_DECREF(head);
        EXPECT_EQ(collect(), LENGTH);
        EXPECT_EQ(node_deaths, LENGTH);
    }
}

/* ---- pages ------------------------------------------------------------------------------------- */

#define CROWD 30000

static PyObject *crowd[CROWD];

/* A crowd of which one in `keep` survives; `generation` is collected in between. */
static void
make_sparse_crowd(int keep, int generation)
{
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = new_node(&N, NULL);
    }
    if (generation >= 0) {
        EXPECT_EQ(Ouro_GCCollect(generation), 0);
    }
    for (int i = 0; i < CROWD; i++) {
        if (i % keep != 0) {
            Py_CLEAR(crowd[i]);
        }
    }
}

static int
drop_crowd(void)
{
    int dropped = 0;
    for (int i = 0; i < CROWD; i++) {
        dropped += crowd[i] != NULL;
        Py_CLEAR(crowd[i]);
    }
    return dropped;
}

/* Pairs of survivors hold each other and are then let go. */
static int
tie_crowd_into_garbage(void)
{
    PyObject *previous = NULL;
    for (int i = 0; i < CROWD; i++) {
        if (crowd[i] == NULL) {
            continue;
        }
        if (previous == NULL) {
            previous = crowd[i];
        } else {
            link_both_ways(previous, crowd[i]);
            previous = NULL;
        }
    }
    if (previous != NULL) {
        link_nodes(previous, previous);
    }
    return drop_crowd();
}

TEST_PY(garbage_in_sparse_pages_is_found)
{
    static const int keeps[] = {2, 10, 17, 100, 1000, 3000};
    for (int i = 0; i < 6; i++) {
        for (int before = -1; before <= 2; before++) {
            begin_graph();
            make_sparse_crowd(keeps[i], before);
            EXPECT_EQ(Ouro_GCCollect(before < 0 ? 0 : before), 0);
            Py_ssize_t dead_before = node_deaths;
            int garbage = tie_crowd_into_garbage();
            EXPECT_EQ(collect(), garbage);
            EXPECT_EQ(node_deaths - dead_before, garbage);
            EXPECT_EQ(node_deaths, CROWD);
        }
    }
}

TEST_PY(survivors_in_sparse_pages_keep_what_they_refer_to)
{
    for (int keep = 2; keep <= 2000; keep *= 10) {
        begin_graph();
        make_sparse_crowd(keep, 2);
        int survivors = 0;
        for (int i = 0; i < CROWD; i += keep) {
            PyObject *young = new_node(&N, NULL);
            link_nodes(young, crowd[i]);
            link_nodes(crowd[i], young);
            Py_DECREF(young);
            survivors++;
        }
        Py_ssize_t dead_before = node_deaths;
        EXPECT_EQ(Ouro_GCCollect(0), 0);
        EXPECT_EQ(Ouro_GCCollect(1), 0);
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(node_deaths, dead_before);
        EXPECT_EQ(drop_crowd(), survivors);
        EXPECT_EQ(collect(), 2 * survivors);
    }
}

TEST_PY(young_garbage_in_holes_of_old_pages_is_found)
{
    for (int generation = 0; generation <= 2; generation++) {
        begin_graph();
        make_sparse_crowd(3, 2); /* old pages, two thirds holes */
        Py_ssize_t dead_before = node_deaths;
        for (int i = 0; i < 5000; i++) {
            PyObject *x = new_node(&N, NULL); /* refers to an old neighbour as well */
            link_nodes(x, x);
            link_nodes(x, crowd[i - i % 3]);
            Py_DECREF(x);
        }
        EXPECT_EQ(Ouro_GCCollect(generation), 5000);
        EXPECT_EQ(node_deaths - dead_before, 5000);
        EXPECT_EQ(Ouro_GCCollect(0), 0);
        for (int i = 0; i < CROWD; i += 3) {
            REQUIRE_EQ(Py_REFCNT(crowd[i]), 1);
        }
        drop_crowd();
        EXPECT_EQ(collect(), 0);
    }
}

TEST_PY(young_objects_in_holes_grow_old_with_their_page)
{
    begin_graph();
    make_sparse_crowd(3, 2);
    for (int i = 0; i < CROWD; i++) {
        if (crowd[i] == NULL) {
            crowd[i] = new_node(&N, NULL);
        }
    }
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_EQ(Ouro_GCCollect(1), 0);
    Py_ssize_t dead_before = node_deaths;
    int garbage = tie_crowd_into_garbage();
    EXPECT_EQ(garbage, CROWD);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_EQ(Ouro_GCCollect(1), 0);
    EXPECT_EQ(collect(), garbage);
    EXPECT_EQ(node_deaths - dead_before, garbage);
}

TEST_PY(middle_aged_garbage_is_found_by_middle_collections)
{
    begin_graph();
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = new_node(&N, NULL);
    }
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    int garbage = tie_crowd_into_garbage();
    for (int i = 0; i < 100; i++) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_EQ(Ouro_GCCollect(0), 100);
    EXPECT_EQ(node_deaths, 100);
    EXPECT_EQ(Ouro_GCCollect(1), garbage);
    EXPECT_EQ(node_deaths, CROWD + 100);
}

/* ---- large objects -------------------------------------------------------------------------------- */

TEST_PY(large_objects_are_collected_and_kept_like_others)
{
    static const Py_ssize_t sizes[] = {1000, 4090, 4096, 8190, 9000, 20000, 200000};
    for (int generation = 0; generation <= 2; generation++) {
        begin_graph();
        PyObject *kept[7];
        for (int i = 0; i < 7; i++) {
            PyObject *x = new_node(&N, NULL);
            PyObject *garbage = new_hub(sizes[i], x);
            link_nodes(x, garbage);
            Py_DECREF(x);
            Py_DECREF(garbage);
            PyObject *y = new_node(&N, NULL);
            kept[i] = new_hub(sizes[i], y);
            link_nodes(y, kept[i]);
            Py_DECREF(y);
        }
        EXPECT_EQ(Ouro_GCCollect(generation), 14);
        EXPECT_EQ(hub_deaths, 7);
        EXPECT_EQ(collect(), 0);
        for (int i = 0; i < 7; i++) {
            EXPECT_EQ(Py_SIZE(kept[i]), sizes[i]);
            EXPECT_EQ(Py_REFCNT(((struct hub *)kept[i])->items[0]), sizes[i]);
            Py_DECREF(kept[i]);
        }
        EXPECT_EQ(collect(), 14);
    }
}

static void
free_large_and_allocate_small(struct node *self)
{
    Py_CLEAR(self->a); /* a large block: its pages are free at once */
    for (int i = 0; i < 5000; i++) {
        crowd[i] = new_node(&N, NULL); /* perhaps there */
    }
}

TEST_PY(pages_of_a_large_object_may_be_used_again_by_a_finalizer)
{
    begin_graph();
    PyObject *x = new_node(&F, NULL);
    PyObject *large = new_hub(100000, NULL);
    link_nodes(x, large);
    link_nodes(x, x);
    Py_DECREF(large);
    Py_DECREF(x);
    when_finalized = free_large_and_allocate_small;
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(hub_deaths, 1);
    EXPECT_EQ(node_deaths, 1);
    EXPECT_EQ(drop_crowd(), 5000);
    EXPECT_EQ(node_deaths, 5001);
    EXPECT_EQ(collect(), 0);
}

/* Looking for what explains a large count meets references to all kinds of objects. */
TEST_PY(large_counts_are_explained_beside_references_to_the_outside)
{
    for (int generation = 0; generation <= 2; generation++) {
        baseline_quiet();
        PyObject *x = new_node(&N, NULL), *list = PyList_New(400);
        PyObject *live = new_node(&N, NULL);
        for (int i = 0; i < 400; i++) {
            PyObject *item = i % 100 == 0 ? Py_None : i % 100 == 1 ? live : x;
            PyList_SET_ITEM(list, i, Py_NewRef(item));
        }
        set_a(x, list);
        Py_DECREF(list);
        Py_DECREF(x);
        EXPECT_EQ(Ouro_GCCollect(generation), 2);
        EXPECT_EQ(Py_REFCNT(live), 1);
        Py_DECREF(live);
    }
}
