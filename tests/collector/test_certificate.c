/* SPDX-License-Identifier: MIT */
/* Proofs by order numbers. They succeed, fail or are paused; garbage is found in every case. */
#include "graphs.h"

#include "../../src/collector/tuning.h"

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

/* The side word of slot 0 stands for all foreign targets. Whatever its count is, it is no
 * suspect. */
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
    heap->slots.ready = heap->touched / 2 + 1; /* as if most pages had existed before */
    ouro_current.interp->gc.certificate.is_numbered = true;
    for (uint32_t n = 1; n < heap->slots.ready; n++) {
        for (uint32_t i = 0; i < OURO_PAGE_GRAINS; i++) {
            heap->slots.words[n * OURO_PAGE_GRAINS + i] = 1 << 4;
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

/* A ring that loses its last reference from outside keeps the order numbers of its members.
 * Every member but one is supported by another, although all are dead. */
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

/* A shuffled list, which addresses do not prove; `garbage` objects are dropped each time. */
static bool
is_numbered_after(int collections, int garbage)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    forget_all_numbers();
    gc_now()->certificate.failures = 0;
    PyObject *head = make_list(SHUFFLED, nodes, LENGTH);
    for (int i = 0; i < collections; i++) {
        for (int k = 0; k < garbage; k++) {
            PyObject *x = new_node(&N, NULL);
            set_a(x, x);
            Py_DECREF(x);
        }
        EXPECT_EQ(collect(), garbage);
    }
    bool is_numbered = gc_now()->certificate.is_numbered;
    Py_DECREF(head);
    return is_numbered;
}

TEST_PY(a_heap_that_stays_alive_is_numbered_by_the_second_full_collection)
{
    EXPECT(!is_numbered_after(1, 0));
    EXPECT(is_numbered_after(2, 0));
    EXPECT(is_numbered_after(2, LENGTH / OURO_STEADY_SHARE - 1));
}

TEST_PY(a_heap_in_which_garbage_is_found_is_not_numbered)
{
    EXPECT(!is_numbered_after(5, LENGTH / OURO_STEADY_SHARE + 10));
    EXPECT_EQ(ouro_current.interp->heap.slots.ready, 0); /* no number was ever written */
}

/* A full collection that begins with a proof by numbers, after `failures` failures in a row. */
static const struct certificate *
collect_after_failures(int failures, int garbage)
{
    struct certificate *certificate = &gc_now()->certificate;
    certificate->failures = failures;
    certificate->rest = 0;
    certificate->is_numbered = true;
    EXPECT_EQ(collect(), garbage);
    return certificate;
}

TEST_PY(from_the_third_failure_on_each_doubles_the_rest)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    PyObject *head = make_list(SHUFFLED, nodes, LENGTH);
    EXPECT_EQ(collect(), 0);
    for (int failures = 0; failures < 7; failures++) {
        forget_all_numbers();
        const struct certificate *certificate = collect_after_failures(failures, 0);
        EXPECT_EQ(certificate->rest, failures < 2 ? 0 : 1 << (failures - 2));
        EXPECT_EQ(certificate->failures, failures + 1);
    }
    int rest = gc_now()->certificate.rest;
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(gc_now()->certificate.rest, rest - 1);
    Py_DECREF(head);
}

TEST_PY(after_the_longest_rest_no_rest_is_longer)
{
    static PyObject *nodes[LENGTH];
    int failures = 2;
    while (1 << (failures - 2) < OURO_PROOF_REST_MAX) {
        failures++;
    }
    begin_graph();
    PyObject *head = make_list(SHUFFLED, nodes, LENGTH);
    EXPECT_EQ(collect(), 0);
    forget_all_numbers();
    const struct certificate *certificate = collect_after_failures(failures, 0);
    EXPECT_EQ(certificate->rest, OURO_PROOF_REST_MAX);
    EXPECT_EQ(certificate->failures, failures);
    Py_DECREF(head);
}

TEST_PY(a_proof_that_succeeds_ends_a_row_of_failures)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    PyObject *head = make_list(FORWARDS, nodes, LENGTH);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(collect_after_failures(3, 0)->failures, 0);
    PyObject *suspect = new_node(&N, NULL);
    set_a(suspect, suspect);
    Py_DECREF(suspect);
    EXPECT_EQ(collect_after_failures(3, 1)->failures, 0);
    Py_DECREF(head);
}

/* The suspects of the proof are other garbage, too. */
TEST_PY(an_object_with_tp_del_keeps_nothing_but_what_it_refers_to, .mistakes = true)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    PyObject *head = make_list(FORWARDS, nodes, LENGTH);
    EXPECT_EQ(collect(), 0);
    forget_events();
    drop_self_cycle(&N, "x");
    drop_self_cycle(&D, "y");
    EXPECT_EQ(collect_after_failures(0, 2)->failures, 0);
    EXPECT_STR(events(), "clear x, dealloc x");
    PyObject *garbage = Ouro_GCGarbage();
    REQUIRE_EQ(PyList_GET_SIZE(garbage), 1);
    unlink_node(PyList_GET_ITEM(garbage, 0));
    EXPECT_EQ(PyList_SetSlice(garbage, 0, 1, NULL), 0);
    Py_DECREF(head);
}
