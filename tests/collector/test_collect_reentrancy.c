/* SPDX-License-Identifier: MIT */
/* Switching the collector on and off, and calling it from inside a collection: scenarios
 * C81 to C84. */
#include "nodes.h"

TEST_PY(the_collector_is_enabled_at_the_start)
{
    EXPECT_EQ(PyGC_IsEnabled(), 1);
}

TEST_PY(enable_and_disable_return_the_state_before) /* C82 */
{
    EXPECT_EQ(PyGC_Enable(), 1);
    EXPECT_EQ(PyGC_Disable(), 1);
    EXPECT_EQ(PyGC_IsEnabled(), 0);
    EXPECT_EQ(PyGC_Disable(), 0);
    EXPECT_EQ(PyGC_Enable(), 0);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
}

TEST_PY(a_disabled_collector_collects_only_when_told_by_generation) /* C81 */
{
    baseline_quiet();
    drop_self_cycle(&F, "x");
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_STR(events(), "");
    EXPECT_EQ(Ouro_GCCollect(2), 1);
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
    EXPECT_EQ(PyGC_IsEnabled(), 0);
}

static void
collect_in_node(struct node *self)
{
    (void)self;
    Py_ssize_t full = PyGC_Collect();
    note_event("got %zd %zd", full, Ouro_GCCollect(0));
}

static void
collect_in_callback(PyObject *weakref)
{
    (void)weakref;
    collect_in_node(NULL);
}

/* x and another garbage object, so that a nested collection would find something. */
static void
expect_nested_collection_gets_zero(const char *expected)
{
    PyGC_Enable();
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_STR(events(), expected);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
    EXPECT_EQ(PyGC_Collect(), 0);
}

TEST_PY(a_finalizer_that_collects_gets_zero) /* C83 */
{
    baseline_quiet();
    when_finalized = collect_in_node;
    drop_self_cycle(&N, NULL);
    drop_self_cycle(&F, "x");
    expect_nested_collection_gets_zero("finalize x, got 0 0, clear x, dealloc x");
}

TEST_PY(a_clear_handler_that_collects_gets_zero) /* C83 */
{
    baseline_quiet();
    drop_self_cycle(&F, "x"); /* F and N are cleared by the same function */
    PyObject *list = PyList_New(1);
    PyList_SET_ITEM(list, 0, Py_NewRef(list));
    Py_DECREF(list);
    when_cleared = collect_in_node;
    expect_nested_collection_gets_zero("finalize x, clear x, got 0 0, dealloc x");
}

TEST_PY(a_destructor_that_collects_during_a_collection_gets_zero) /* C83 */
{
    baseline_quiet();
    drop_self_cycle(&N, "x");
    PyObject *list = PyList_New(1);
    PyList_SET_ITEM(list, 0, Py_NewRef(list));
    Py_DECREF(list);
    when_deallocated = collect_in_node;
    expect_nested_collection_gets_zero("clear x, dealloc x, got 0 0");
}

TEST_PY(a_weak_reference_callback_that_collects_gets_zero) /* C83 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    set_a(x, x);
    PyObject *weakref = new_weakref(x, "w");
    Py_DECREF(x);
    drop_self_cycle(&N, NULL);
    when_called = collect_in_callback;
    expect_nested_collection_gets_zero("callback w, got 0 0, clear x, dealloc x");
    Py_DECREF(weakref);
}

TEST_PY(a_destructor_outside_a_collection_may_collect)
{
    baseline_quiet();
    drop_self_cycle(&N, NULL);
    PyObject *x = new_node(&N, "x");
    when_deallocated = NULL;
    PyGC_Enable();
    when_deallocated = collect_in_node;
    Py_DECREF(x);
    /* the nested destructor asks too, and gets zero */
    EXPECT_STR(events(), "dealloc x, got 0 0, got 1 0");
}

static void
disable_in_node(struct node *self)
{
    (void)self;
    PyGC_Disable();
}

TEST_PY(disabling_inside_a_collection_does_not_stop_it) /* C84 */
{
    baseline_quiet();
    drop_self_cycle(&F, "x");
    drop_self_cycle(&F, "y");
    when_finalized = disable_in_node;
    PyGC_Enable();
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(count_events("dealloc x") + count_events("dealloc y"), 2);
    EXPECT_EQ(PyGC_IsEnabled(), 0);
    EXPECT_EQ(PyGC_Collect(), 0);
    PyGC_Enable();
}

static void
enable_in_node(struct node *self)
{
    (void)self;
    PyGC_Enable();
}

TEST_PY(enabling_inside_a_collection_lasts)
{
    baseline_quiet();
    drop_self_cycle(&F, "x");
    when_finalized = enable_in_node;
    EXPECT_EQ(Ouro_GCCollect(2), 1);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
}

static void
finalize_everything(struct node *Py_UNUSED(self))
{
    Py_FinalizeEx();
}

TEST_PY(ending_the_library_inside_a_finalizer_is_fatal)
{
    baseline();
    PyObject *x = new_node(&F, "x");
    link_nodes(x, x);
    when_finalized = finalize_everything;
    Py_DECREF(x);
    EXPECT_FATAL(PyGC_Collect(), "while the collector runs");
    when_finalized = NULL;
}
