/* SPDX-License-Identifier: MIT */
/* Weak references during a collection: scenarios C22 to C34. Where versions of CPython differ,
 * the rule of 3.15 applies: before finalizers only weak references with a callback die. */
#include "nodes.h"

static PyObject *watched; /* a weak reference that hooks look at */

static void
note_watched(const char *when)
{
    note_event("%s in %s", PyWeakref_IsDead(watched) ? "dead" : "alive", when);
}

static void
note_watched_in_callback(PyObject *weakref)
{
    (void)weakref;
    note_watched("callback");
}

static void
note_watched_in_finalizer(struct node *self)
{
    (void)self;
    note_watched("finalizer");
}

static void
note_watched_in_clear(struct node *self)
{
    (void)self;
    note_watched("clear");
}

static void
watch_all_phases(void)
{
    when_called = note_watched_in_callback;
    when_finalized = note_watched_in_finalizer;
    when_cleared = note_watched_in_clear;
}

TEST_PY(a_weakref_with_callback_is_dead_from_its_callback_on) /* C22 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    link_nodes(x, x);
    watched = new_weakref(x, "w");
    watch_all_phases();
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "callback w, dead in callback, finalize x, dead in finalizer, "
                         "clear x, dead in clear, dealloc x");
    Py_DECREF(watched);
}

TEST_PY(a_weakref_without_callback_is_alive_in_finalizers) /* C23, C24 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    link_nodes(x, x);
    watched = new_weakref(x, NULL);
    watch_all_phases();
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(),
               "finalize x, alive in finalizer, clear x, dead in clear, dealloc x");
    EXPECT_EQ(PyWeakref_IsDead(watched), 1);
    Py_DECREF(watched);
}

TEST_PY(a_weakref_owned_by_trash_never_calls_back) /* C25 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *weakref = new_weakref(x, "w");
    link_nodes(x, x);
    link_nodes(x, weakref);
    PyObject *callback = Py_NewRef(((PyWeakReference *)weakref)->wr_callback);
    Py_DECREF(weakref);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
    EXPECT_STR(events(), "clear x, dealloc x");
    EXPECT_EQ(Py_REFCNT(callback), 1);
    Py_DECREF(callback);
}

TEST_PY(a_callback_owned_by_its_weakref_in_trash_counts_too) /* C25 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *weakref = new_weakref(x, "w");
    link_nodes(x, x);
    link_nodes(x, weakref);
    Py_DECREF(weakref);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 3); /* x, the weak reference, the builtin function */
    EXPECT_EQ(count_events("callback w"), 0);
}

TEST_PY(a_weakref_in_trash_to_a_live_object_is_silenced) /* C26 */
{
    baseline_quiet();
    PyObject *live = new_node(&N, "live");
    PyObject *x = new_node(&N, "x");
    PyObject *weakref = new_weakref(live, "w");
    link_nodes(x, x);
    link_nodes(x, weakref);
    PyObject *callback = Py_NewRef(((PyWeakReference *)weakref)->wr_callback);
    Py_DECREF(weakref);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(PyObject_GC_IsTracked(live), 1);
    EXPECT_NULL(node_of(live)->weaklist);
    Py_DECREF(live);
    EXPECT_EQ(count_events("callback w"), 0);
    EXPECT_EQ(count_events("dealloc live"), 1);
    Py_DECREF(callback);
}

static void
look_up_in_clear(struct node *self)
{
    (void)self;
    PyObject *target;
    EXPECT_EQ(PyWeakref_GetRef(watched, &target), 0);
    EXPECT_NULL(target);
}

TEST_PY(a_weakref_in_trash_to_a_live_object_is_dead_in_clear) /* C26 */
{
    baseline_quiet();
    PyObject *live = new_node(&N, "live");
    PyObject *x = new_node(&N, "x");
    watched = new_weakref(live, NULL);
    link_nodes(x, x);
    link_nodes(x, watched);
    when_cleared = look_up_in_clear;
    Py_DECREF(watched);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("clear x"), 1);
    when_cleared = NULL;
    Py_DECREF(live);
}

static PyObject *
return_none(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    return Py_NewRef(Py_None);
}

static PyMethodDef return_none_method = {"none", return_none, METH_VARARGS, NULL};

/* Proxies are weak references of two other types: one for callables, one for other objects. */
TEST_PY(a_proxy_in_trash_to_a_live_object_is_dead_in_clear) /* C26 */
{
    PyObject *live[] = {new_node(&N, "live"), PyCFunction_New(&return_none_method, NULL)};
    for (int i = 0; i < 2; i++) {
        baseline_quiet();
        PyObject *x = new_node(&N, "x");
        watched = PyWeakref_NewProxy(live[i], NULL);
        REQUIRE_NOT_NULL(watched);
        link_nodes(x, x);
        link_nodes(x, watched);
        when_cleared = look_up_in_clear;
        Py_DECREF(watched);
        Py_DECREF(x);
        EXPECT_EQ(collect(), 2);
        EXPECT_EQ(count_events("clear x"), 1);
        when_cleared = NULL;
        Py_DECREF(live[i]);
    }
}

TEST_PY(callbacks_run_newest_first) /* C27 */
{
    baseline_quiet();
    for (int by_collection = 0; by_collection <= 1; by_collection++) {
        PyObject *x = new_node(&N, NULL);
        PyObject *refs[] = {new_weakref(x, "0"), new_weakref(x, "1"),
                            new_weakref(x, "2")};
        if (by_collection) {
            link_nodes(x, x);
        }
        forget_events();
        Py_DECREF(x);
        EXPECT_EQ(collect(), by_collection);
        EXPECT_STR(events(), "callback 2, callback 1, callback 0");
        for (int i = 0; i < 3; i++) {
            EXPECT_EQ(PyWeakref_IsDead(refs[i]), 1);
            Py_DECREF(refs[i]);
        }
    }
}

static PyObject *raising; /* the weak reference whose callback raises */

static void
raise_in_callback(PyObject *weakref)
{
    if (weakref == raising) {
        PyErr_SetString(PyExc_ValueError, "from a callback");
    }
}

TEST_PY(a_raising_callback_is_reported_and_stops_nothing) /* C28 */
{
    baseline_quiet();
    record_unraisable();
    PyObject *x = new_node(&N, "x");
    link_nodes(x, x);
    PyObject *first = new_weakref(x, "first");
    raising = new_weakref(x, "second");
    PyObject *third = new_weakref(x, "third");
    when_called = raise_in_callback;
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(),
               "callback third, callback second, callback first, clear x, dealloc x");
    EXPECT_EQ(unraisable_count, 1);
    EXPECT_HAS(unraisable_text,
               "ValueError: Exception ignored on calling weakref callback");
    EXPECT_NO_ERROR();
    Py_DECREF(first);
    Py_DECREF(raising);
    Py_DECREF(third);
}

TEST_PY(resurrection_keeps_weakrefs_without_callback) /* C29 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    node_of(x)->resurrects = true;
    link_nodes(x, x);
    PyObject *plain = new_weakref(x, NULL);
    PyObject *calling = new_weakref(x, "w");
    Py_DECREF(x);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "callback w, finalize x");
    EXPECT_EQ(rescued, x);
    EXPECT_EQ(PyWeakref_IsDead(plain), 0);
    EXPECT_EQ(PyWeakref_IsDead(calling), 1);
    Py_CLEAR(rescued);
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(PyWeakref_IsDead(plain), 1);
    EXPECT_EQ(count_events("callback w"), 1);
    Py_DECREF(plain);
    Py_DECREF(calling);
}

static void
make_weakref_in_finalizer(struct node *self)
{
    watched = new_weakref((PyObject *)self, NULL);
}

TEST_PY(a_weakref_made_by_a_finalizer_is_dead_in_clear) /* C30 */
{
    baseline_quiet();
    when_finalized = make_weakref_in_finalizer;
    when_cleared = note_watched_in_clear;
    drop_self_cycle(&F, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "finalize x, clear x, dead in clear, dealloc x");
    Py_DECREF(watched);
}

static void
make_calling_weakref_in_finalizer(struct node *self)
{
    watched = new_weakref((PyObject *)self, "late");
}

TEST_PY(a_callback_added_by_a_finalizer_is_never_called) /* C30 */
{
    baseline_quiet();
    when_finalized = make_calling_weakref_in_finalizer;
    when_cleared = note_watched_in_clear;
    drop_self_cycle(&F, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "finalize x, clear x, dead in clear, dealloc x");
    Py_DECREF(watched);
}

TEST_PY(weakrefs_without_callback_are_shared) /* C31 */
{
    PyObject *x = new_node(&N, NULL);
    PyObject *one = new_weakref(x, NULL), *two = new_weakref(x, NULL);
    PyObject *callback = new_callback("w");
    PyObject *three = PyWeakref_NewRef(x, callback);
    PyObject *four = PyWeakref_NewRef(x, callback);
    EXPECT_EQ(one, two);
    EXPECT(three != NULL && four != NULL && three != four && three != one);
    Py_DECREF(x);
    EXPECT_EQ(count_events("callback w"), 2);
    Py_DECREF(one);
    Py_DECREF(two);
    Py_DECREF(three);
    Py_DECREF(four);
    Py_DECREF(callback);
}

static void
drop_watched(PyObject *weakref)
{
    EXPECT_EQ(weakref, watched);
    Py_CLEAR(watched);
}

TEST_PY(a_weakref_freed_by_its_own_callback_counts) /* C32 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    link_nodes(x, x);
    watched = new_weakref(x, "w");
    when_called = drop_watched;
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
    EXPECT_STR(events(), "callback w, clear x, dealloc x");
    EXPECT_NULL(watched);
}

TEST_PY(types_must_support_weakrefs) /* C33 */
{
    static PyTypeObject Bare = {NODE_SLOTS("Bare"), .tp_clear = node_clear};
    Bare.tp_weaklistoffset = 0;
    PyObject *x = new_node(&Bare, NULL);
    EXPECT_NULL(PyWeakref_NewRef(x, NULL));
    PyObject *error = PyErr_GetRaisedException();
    REQUIRE_NOT_NULL(error);
    EXPECT(Py_IS_TYPE(error, (PyTypeObject *)PyExc_TypeError));
    PyObject *text = PyObject_Str(error);
    REQUIRE_NOT_NULL(text);
    EXPECT_STR(PyUnicode_AsUTF8(text), "cannot create weak reference to 'Bare' object");
    Py_DECREF(text);
    Py_DECREF(error);
    Py_DECREF(x);
}

static void
collect_in_callback(PyObject *weakref)
{
    (void)weakref;
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
}

TEST_PY(collecting_in_a_callback_does_nothing) /* C34 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    link_nodes(x, x);
    PyObject *weakref = new_weakref(x, "w");
    when_called = collect_in_callback;
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "callback w, clear x, dealloc x");
    Py_DECREF(weakref);
}

/* The other way to the trash: through a weak reference without callback. */
static void
rescue_through_watched(PyObject *weakref)
{
    (void)weakref;
    EXPECT_EQ(PyWeakref_GetRef(watched, &rescued), 1);
}

TEST_PY(a_callback_can_resurrect_through_another_weakref) /* C22, C29 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *y = new_node(&N, "y");
    link_both_ways(x, y);
    watched = new_weakref(x, NULL);
    PyObject *calling = new_weakref(y, "w");
    when_called = rescue_through_watched;
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "callback w");
    EXPECT_EQ(rescued, x);
    EXPECT_EQ(node_of(x)->a, y);
    EXPECT_EQ(PyWeakref_IsDead(watched), 0);
    Py_CLEAR(rescued);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(PyWeakref_IsDead(watched), 1);
    Py_DECREF(watched);
    Py_DECREF(calling);
}
