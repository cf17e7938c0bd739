/* SPDX-License-Identifier: MIT */
/* Which objects a collection looks at: generations, sparse pages, young objects in holes of old
 * pages, large objects, and objects that are tracked late. */
#include "graphs.h"

/* ---- pages ------------------------------------------------------------------------------------- */

#define CROWD 30000

static PyObject *crowd[CROWD];

/* Makes a crowd; one object in `keep` survives. `generation` is collected in between. */
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

/* Pairs of survivors refer to each other and are then dropped. */
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
        make_sparse_crowd(3, 2); /* old pages, two thirds of them holes */
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
        crowd[i] = new_node(&N, NULL); /* perhaps in these pages */
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

/* --- generations -------------------------------------------------------------------------------- */

TEST_PY(a_survivor_moves_to_the_next_generation_and_stays_in_the_last) /* C75 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL);
    EXPECT(is_in_generation(x, 0) && !is_in_generation(x, 1) && !is_in_generation(x, 2));
    Ouro_GCCollect(0);
    EXPECT(!is_in_generation(x, 0) && is_in_generation(x, 1) && !is_in_generation(x, 2));
    Ouro_GCCollect(0);
    EXPECT(is_in_generation(x, 1)); /* it was no candidate */
    Ouro_GCCollect(1);
    EXPECT(!is_in_generation(x, 0) && !is_in_generation(x, 1) && is_in_generation(x, 2));
    Ouro_GCCollect(2);
    EXPECT(is_in_generation(x, 2));
    Py_DECREF(x);
}

TEST_PY(a_full_collection_makes_every_survivor_old)
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL);
    Ouro_GCCollect(2);
    EXPECT(is_in_generation(x, 2));
    Py_DECREF(x);
}

TEST_PY(an_object_tracked_again_is_young_again)
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL);
    Ouro_GCCollect(2);
    PyObject_GC_UnTrack(x);
    PyObject_GC_Track(x);
    EXPECT(is_in_generation(x, 0) && !is_in_generation(x, 2));
    set_a(x, x);
    Py_DECREF(x);
    EXPECT_EQ(Ouro_GCCollect(0), 1);
}

TEST_PY(old_garbage_is_found_by_a_full_collection_alone) /* C76 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x"), *y = new_node(&N, "y");
    link_both_ways(x, y);
    Ouro_GCCollect(2);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_EQ(Ouro_GCCollect(1), 0);
    EXPECT_STR(events(), "");
    EXPECT_EQ(Ouro_GCCollect(2), 2);
    EXPECT_EQ(count_events("dealloc x") + count_events("dealloc y"), 2);
}

TEST_PY(middle_garbage_is_found_by_a_middle_collection)
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL);
    set_a(x, x);
    Ouro_GCCollect(0);
    Py_DECREF(x);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_EQ(Ouro_GCCollect(1), 1);
}

TEST_PY(old_garbage_keeps_what_it_refers_to) /* C77 */
{
    baseline_quiet();
    PyObject *old = new_node(&N, "old");
    set_a(old, old);
    Ouro_GCCollect(2);
    PyObject *young = new_node(&N, "young");
    set_a(young, young);
    set_b(old, young);
    Py_DECREF(young);
    Py_DECREF(old);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_STR(events(), "");
    EXPECT_EQ(Ouro_GCCollect(2), 2);
}

TEST_PY(young_garbage_that_refers_to_old_objects_is_collected)
{
    baseline_quiet();
    PyObject *old = new_node(&N, "old");
    Ouro_GCCollect(2);
    PyObject *young = new_node(&N, "young");
    set_a(young, young);
    set_b(young, old);
    Py_DECREF(young);
    EXPECT_EQ(Py_REFCNT(old), 2);
    EXPECT_EQ(Ouro_GCCollect(0), 1);
    EXPECT_EQ(Py_REFCNT(old), 1);
    Py_DECREF(old);
}

/* --- tracked late ------------------------------------------------------------------------------- */

/* Tracking a FRESH object writes its header and nothing else [page.inv.fresh]. So an untracked
 * object must lose this bit when its page begins to be scanned in another way. Otherwise the
 * collector would never see the object again. */

/* A new object that is not tracked, but FRESH: it can be tracked without a call. */
static PyObject *
new_fresh(void)
{
    SKIP_CHECKED("always tracks by a call");
    PyObject *x = new_node(&N, NULL);
    PyObject_GC_UnTrack(x);
    EXPECT_EQ(x->ob_gc, _Py_GC_ALLOCATED | _Py_GC_FRESH);
    return x;
}

/* Track x, and drop it as a cycle: a young collection must find it. A collection of an older
 * generation would prove nothing, because it might look at the whole page anyway. */
static void
expect_it_is_found(PyObject *x)
{
    PyObject_GC_Track(x);
    link_nodes(x, x);
    Py_DECREF(x);
    EXPECT_EQ(Ouro_GCCollect(0), 1);
}

TEST_PY(an_object_tracked_after_a_collection_is_found)
{
    baseline_quiet();
    PyObject *x = new_fresh();
    EXPECT_EQ(collect(), 0);
    expect_it_is_found(x);
}

TEST_PY(an_object_tracked_after_collections_without_a_certificate_is_found)
{
    baseline_quiet();
    PyObject *x = new_fresh();
    mark_always(true);
    EXPECT_EQ(collect(), 0);
    expect_it_is_found(x);
}

TEST_PY(an_object_tracked_after_a_freeze_is_found)
{
    baseline_quiet();
    PyObject *x = new_fresh();
    Ouro_GCFreeze();
    expect_it_is_found(x);
    Ouro_GCUnfreeze();
}

TEST_PY(an_object_tracked_after_its_page_became_sparse_is_found)
{
    enum { COUNT = 8192 };
    static PyObject *others[COUNT];
    baseline_quiet();
    struct heap *heap = &ouro_current.interp->heap;
    for (int i = 0; i < COUNT / 2; i++) {
        others[i] = new_node(&N, NULL);
    }
    PyObject *x = new_fresh();
    for (int i = COUNT / 2; i < COUNT; i++) {
        others[i] = new_node(&N, NULL);
    }
    for (int i = 0; i < COUNT; i++) {
        Py_DECREF(others[i]);
    }
    size_t number = ouro_heap_offset(heap, x) >> OURO_PAGE_SHIFT;
    EXPECT_EQ(heap->birth_scan[number], OURO_SCAN_BITS);
    expect_it_is_found(x);
}
