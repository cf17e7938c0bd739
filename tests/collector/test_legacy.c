/* SPDX-License-Identifier: MIT */
/* Objects with a tp_del: scenarios C51 to C55b. */
#include "../../src/base/fault.h"

#include "nodes.h"

#include "../../src/base/fault.h"

static Py_ssize_t
garbage_size(void)
{
    PyObject *garbage = Ouro_GCGarbage();
    REQUIRE_NOT_NULL(garbage);
    return PyList_GET_SIZE(garbage);
}

static void
empty_garbage(void)
{
    REQUIRE_EQ(PyList_SetSlice(Ouro_GCGarbage(), 0, garbage_size(), NULL), 0);
}

/* D x <-> N y, N z -> x and z -> z; all dropped. */
static PyObject *x, *y, *z;

static void
drop_three(void)
{
    x = new_node(&D, "x");
    y = new_node(&N, "y");
    z = new_node(&N, "z");
    link_both_ways(x, y);
    link_nodes(z, x);
    link_nodes(z, z);
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(z);
}

/* Shutdown warns of objects in the garbage list, so leave none. */
static void
break_and_empty(void)
{
    set_a(y, NULL);
    empty_garbage();
}

TEST_PY(a_tp_del_keeps_itself_and_what_it_reaches, .mistakes = true) /* C51 */
{
    baseline_quiet();
    drop_three();
    EXPECT_EQ(collect(), 3);
    EXPECT_STR(events(), "clear z, dealloc z");
    REQUIRE_EQ(garbage_size(), 1);
    EXPECT_EQ(PyList_GET_ITEM(Ouro_GCGarbage(), 0), x);
    EXPECT_EQ(PyObject_GC_IsTracked(x) + PyObject_GC_IsTracked(y), 2);
    break_and_empty();
}

TEST_PY(the_statistics_tell_collected_from_uncollectable, .mistakes = true) /* C51 */
{
    baseline_quiet();
    Ouro_GCStats before, after;
    REQUIRE_EQ(Ouro_GCGetStats(2, &before), 0);
    drop_three();
    EXPECT_EQ(collect(), 3);
    REQUIRE_EQ(Ouro_GCGetStats(2, &after), 0);
    EXPECT_EQ(after.collected - before.collected, 1);
    EXPECT_EQ(after.uncollectable - before.uncollectable, 2);
    break_and_empty();
}

TEST_PY(the_garbage_list_holds_what_is_uncollectable, .mistakes = true) /* C52 */
{
    baseline_quiet();
    drop_three();
    EXPECT_EQ(collect(), 3);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(garbage_size(), 1);
    break_and_empty();
}

TEST_PY(emptying_the_list_alone_changes_nothing, .mistakes = true) /* C53 */
{
    baseline_quiet();
    drop_three();
    EXPECT_EQ(collect(), 3);
    for (int i = 0; i < 3; i++) {
        empty_garbage();
        EXPECT_EQ(collect(), 2);
        REQUIRE_EQ(garbage_size(), 1);
        EXPECT_EQ(PyList_GET_ITEM(Ouro_GCGarbage(), 0), x);
    }
    break_and_empty();
}

TEST_PY(breaking_the_cycle_by_hand_frees_it, .mistakes = true) /* C54 */
{
    baseline_quiet();
    drop_three();
    EXPECT_EQ(collect(), 3);
    forget_events();
    set_a(y, NULL);
    EXPECT_STR(events(), "");
    empty_garbage();
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
    EXPECT_EQ(collect(), 0);
}

TEST_PY(a_list_that_cannot_grow_is_no_error, .mistakes = true) /* C55 */
{
    if (!OURO_DEBUG) {
        SKIP("allocations can be made to fail in debug builds only");
    }
    baseline_quiet();
    drop_three();
    EXPECT_EQ(garbage_size(), 0); /* the list exists, with room for nothing */
    ouro_fault_arm(1);
    EXPECT_EQ(collect(), 3);
    ouro_fault_arm(0);
    EXPECT_EQ(garbage_size(), 0);
    EXPECT_NO_ERROR();
    EXPECT_STR(events(), "clear z, dealloc z");
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(garbage_size(), 1);
    break_and_empty();
}

TEST_PY(a_tp_del_that_hangs_off_a_cycle_dies_with_it, .mistakes = true) /* C55b */
{
    baseline_quiet();
    PyObject *cycle = new_node(&N, "cycle");
    PyObject *leaf = new_node(&D, "leaf");
    link_nodes(cycle, cycle);
    link_nodes(cycle, leaf);
    Py_DECREF(leaf);
    Py_DECREF(cycle);
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(garbage_size(), 0);
    EXPECT_EQ(count_events("dealloc cycle"), 1);
    EXPECT_EQ(count_events("dealloc leaf"), 1);
    EXPECT_EQ(count_events("clear leaf"), 0);
}

TEST_PY(nobody_is_told_of_uncollectable_objects, .mistakes = true)
{
    baseline_quiet();
    x = new_node(&D, "x");
    y = new_node(&F, "y");
    link_both_ways(x, y);
    PyObject *one = new_weakref(x, "one"), *two = new_weakref(y, "two");
    PyObject *plain = new_weakref(y, NULL);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 2);
    EXPECT_STR(events(), "");
    EXPECT_EQ(PyWeakref_IsDead(one) + PyWeakref_IsDead(two) + PyWeakref_IsDead(plain), 0);
    break_and_empty();
    EXPECT_EQ(count_events("callback one"), 1);
    EXPECT_EQ(count_events("callback two"), 1);
    EXPECT_EQ(count_events("finalize y"), 1);
    Py_DECREF(one);
    Py_DECREF(two);
    Py_DECREF(plain);
}

TEST_PY(uncollectable_objects_move_to_the_next_generation, .mistakes = true)
{
    baseline_quiet();
    drop_three();
    EXPECT_EQ(Ouro_GCCollect(0), 3);
    empty_garbage();
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_EQ(Ouro_GCCollect(1), 2);
    empty_garbage();
    EXPECT_EQ(Ouro_GCCollect(1), 0);
    EXPECT_EQ(Ouro_GCCollect(2), 2);
    break_and_empty();
}

static void
let_go_of_leaf(struct node *self)
{
    Py_CLEAR(self->a);
}

TEST_PY(a_finalizer_may_free_what_is_uncollectable, .mistakes = true) /* C39 */
{
    baseline_quiet();
    PyObject *cycle = new_node(&F, "cycle");
    PyObject *leaf = new_node(&D, "leaf");
    link_nodes(cycle, leaf);
    link_nodes(cycle, cycle);
    when_finalized = let_go_of_leaf;
    Py_DECREF(leaf);
    Py_DECREF(cycle);
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(garbage_size(), 0);
    EXPECT_EQ(count_events("dealloc leaf"), 1);
}

TEST_PY(without_memory_for_the_garbage_list_legacy_objects_are_kept_all_the_same,
        .mistakes = true)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    bool was_hit = true;
    int64_t n = 1;
    for (; was_hit; n++) {
        baseline_quiet();
        PyObject *x = new_node(&D, "x");
        set_a(x, x);
        Py_DECREF(x);
        Py_CLEAR(ouro_current.interp->gc.garbage); /* the list is made on demand */
        ouro_fault_arm(n);
        EXPECT_EQ(Ouro_GCCollect(2), 1);
        was_hit = ouro_fault_seen() >= n;
        ouro_fault_arm(0);
        EXPECT_NO_ERROR();
        EXPECT_STR(events(), "");
        Py_CLEAR(ouro_current.interp->gc.garbage);
        unlink_node(x);
    }
    EXPECT_GT(n, 3); /* the list, and room in it */
}
