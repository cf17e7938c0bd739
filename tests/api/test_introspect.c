/* SPDX-License-Identifier: MIT */
/* Looking at the heap: which objects refer to which, and which objects there are: scenarios
 * C90 to C95. */
#include "../collector/nodes.h"

static PyObject *
referents_of(PyObject *op)
{
    PyObject *asked = PyTuple_Pack(1, op);
    PyObject *list = Ouro_GCGetReferents(asked);
    REQUIRE_NOT_NULL(list);
    Py_DECREF(asked);
    return list;
}

/* --- referents ---------------------------------------------------------------------------------- */

TEST_PY(referents_are_what_traverse_visits_in_order_with_duplicates) /* C90 */
{
    PyObject *x = new_node(&N, NULL), *y = new_node(&N, NULL);
    set_a(x, Py_None);
    set_b(x, y);
    PyObject *list = referents_of(x);
    REQUIRE_EQ(PyList_GET_SIZE(list), 2);
    EXPECT_EQ(PyList_GET_ITEM(list, 0), Py_None);
    EXPECT_EQ(PyList_GET_ITEM(list, 1), y);
    Py_DECREF(list);
    set_a(x, y);
    list = referents_of(x);
    REQUIRE_EQ(PyList_GET_SIZE(list), 2);
    EXPECT_EQ(PyList_GET_ITEM(list, 0), y);
    EXPECT_EQ(PyList_GET_ITEM(list, 1), y);
    Py_DECREF(list);
    Py_DECREF(x);
    Py_DECREF(y);
}

TEST_PY(referents_of_a_heap_type_instance_include_the_type) /* C90 */
{
    PyTypeObject *type = node_heap_type(&N);
    PyObject *x = new_node(type, NULL);
    set_a(x, Py_None);
    PyObject *list = referents_of(x);
    REQUIRE_EQ(PyList_GET_SIZE(list), 2);
    EXPECT_EQ(PyList_GET_ITEM(list, 0), type);
    EXPECT_EQ(PyList_GET_ITEM(list, 1), Py_None);
    Py_DECREF(list);
    Py_DECREF(x);
    Py_DECREF(type);
}

TEST_PY(referents_of_several_objects_follow_each_other)
{
    PyObject *x = new_node(&N, NULL), *y = new_node(&N, NULL);
    PyObject *number = PyLong_FromLong(1);
    set_a(x, Py_True);
    set_a(y, Py_False);
    PyObject *asked = PyTuple_Pack(3, y, number, x); /* a number has no referents */
    PyObject *list = Ouro_GCGetReferents(asked);
    REQUIRE_EQ(PyList_GET_SIZE(list), 2);
    EXPECT_EQ(PyList_GET_ITEM(list, 0), Py_False);
    EXPECT_EQ(PyList_GET_ITEM(list, 1), Py_True);
    Py_DECREF(list);
    Py_DECREF(asked);
    Py_DECREF(number);
    Py_DECREF(x);
    Py_DECREF(y);
}

static int
stubborn_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(node_of(self)->a);
    return 3;
}

static PyTypeObject stubborn_type = {NODE_SLOTS("Stubborn"), .tp_clear = node_clear};

TEST_PY(a_traverse_that_returns_non_zero_on_its_own_is_listed_all_the_same)
{
    stubborn_type.tp_traverse = stubborn_traverse;
    PyObject *x = new_node(&stubborn_type, NULL);
    set_a(x, Py_None);
    PyObject *list = referents_of(x);
    REQUIRE_EQ(PyList_GET_SIZE(list), 1);
    EXPECT_EQ(PyList_GET_ITEM(list, 0), Py_None);
    EXPECT_NO_ERROR();
    Py_DECREF(list);
    Py_DECREF(x);
}

static PyTypeObject *
node_base_type(void)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)node_dealloc},
        {Py_tp_traverse, (void *)node_traverse},
        {Py_tp_clear, (void *)node_clear},
        {0, NULL},
    };
    PyType_Spec spec = {"heap.Base", sizeof(struct node), 0,
                        Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};
    PyObject *type = PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    return (PyTypeObject *)type;
}

TEST_PY(an_instance_of_a_class_visits_its_type_once) /* C91 */
{
    baseline_quiet();
    PyTypeObject *base = node_base_type();
    PyObject *sub = subclass_of(base);
    PyObject *x = PyObject_CallNoArgs(sub);
    REQUIRE_NOT_NULL(x);
    PyObject *list = referents_of(x);
    int found = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        found += PyList_GET_ITEM(list, i) == sub;
    }
    EXPECT_EQ(found, 1);
    Py_DECREF(list);
    /* so the type goes with its last instance */
    PyObject *weakref = PyWeakref_NewRef(sub, NULL);
    set_a(x, x);
    Py_DECREF(x);
    Py_DECREF(sub);
    Py_DECREF(base);
    EXPECT_GE(collect(), 2);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

/* --- referrers ----------------------------------------------------------------------------------- */

TEST_PY(referrers_are_the_tracked_containers_that_visit) /* C92 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL), *y = new_node(&N, NULL), *z = new_node(&N, NULL);
    PyObject *hidden = new_untracked_node(&N, NULL);
    set_a(x, z);
    set_b(y, z);
    set_a(y, z); /* refers to z twice, but is listed once */
    set_a(hidden, z);
    PyObject *asked = PyTuple_Pack(1, z); /* refers to z, but is the argument itself */
    PyObject *list = Ouro_GCGetReferrers(asked);
    EXPECT_EQ(PyList_GET_SIZE(list), 2);
    EXPECT(list_holds(list, x) && list_holds(list, y));
    Py_DECREF(list);
    Py_DECREF(asked);
    Py_DECREF(hidden);
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(z);
}

TEST_PY(a_traverse_that_returns_non_zero_on_its_own_is_a_referrer) /* C92 */
{
    baseline_quiet();
    stubborn_type.tp_traverse = stubborn_traverse;
    PyObject *x = new_node(&stubborn_type, NULL), *y = new_node(&N, NULL);
    PyObject *asked = PyTuple_Pack(1, y);
    PyObject *list = Ouro_GCGetReferrers(asked);
    EXPECT_EQ(PyList_GET_SIZE(list), 1);
    EXPECT(list_holds(list, x));
    Py_DECREF(list);
    Py_DECREF(asked);
    Py_DECREF(x);
    Py_DECREF(y);
}

TEST_PY(referrers_and_referents_want_a_tuple)
{
    EXPECT_NULL(Ouro_GCGetReferrers(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(Ouro_GCGetReferents(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
}

static void
look_around(struct node *self)
{
    PyObject *objects = Ouro_GCGetObjects(-1);
    note_event(list_holds(objects, (PyObject *)self) ? "listed" : "not listed");
    PyObject *asked = PyTuple_Pack(1, self->b);
    PyObject *referrers = Ouro_GCGetReferrers(asked);
    note_event(list_holds(referrers, (PyObject *)self) ? "referrer" : "no referrer");
    Py_DECREF(objects);
    Py_DECREF(asked);
    Py_DECREF(referrers);
}

TEST_PY(what_is_being_collected_is_not_listed) /* C93 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, NULL), *y = new_node(&N, NULL);
    set_a(x, x);
    set_b(x, y);
    Py_DECREF(x);
    when_finalized = look_around;
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "not listed, no referrer");
    Py_DECREF(y);
}

TEST_PY(a_list_of_objects_leaves_itself_out)
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL);
    PyObject *list = Ouro_GCGetObjects(-1);
    EXPECT(list_holds(list, x));
    EXPECT(!list_holds(list, list));
    Py_DECREF(list);
    EXPECT_NULL(Ouro_GCGetObjects(3));
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_NULL(Ouro_GCGetObjects(-2));
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(x);
}

/* --- visiting every object ----------------------------------------------------------------------- */

struct walk {
    PyObject *wanted;
    Py_ssize_t visits, seen, count_seen;
    int enabled, stop_after, answer;
    Py_ssize_t collected;
};

static int
walk_object(PyObject *op, void *arg)
{
    struct walk *walk = arg;
    walk->visits++;
    walk->enabled |= PyGC_IsEnabled();
    walk->collected |= PyGC_Collect();
    if (op == walk->wanted) {
        walk->seen++;
        walk->count_seen = Py_REFCNT(op);
    }
    return walk->visits == walk->stop_after ? 0 : walk->answer;
}

TEST_PY(visiting_raises_the_count_and_disables_the_collector) /* C94 */
{
    baseline();
    struct walk walk = {.wanted = new_node(&N, NULL), .answer = 1};
    PyUnstable_GC_VisitObjects(walk_object, &walk);
    EXPECT_EQ(walk.seen, 1);
    EXPECT_EQ(walk.count_seen, 2);
    EXPECT_EQ(Py_REFCNT(walk.wanted), 1);
    EXPECT_EQ(walk.enabled, 0);
    EXPECT_EQ(walk.collected, 0);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
    Py_DECREF(walk.wanted);
}

TEST_PY(visiting_stops_at_once_when_told_and_restores_the_state) /* C94 */
{
    baseline();
    PyObject *x = new_node(&N, NULL), *y = new_node(&N, NULL);
    struct walk walk = {.stop_after = 1, .answer = 1};
    PyUnstable_GC_VisitObjects(walk_object, &walk);
    EXPECT_EQ(walk.visits, 1);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
    PyGC_Disable();
    walk.visits = 0;
    PyUnstable_GC_VisitObjects(walk_object, &walk);
    EXPECT_EQ(walk.visits, 1);
    EXPECT_EQ(PyGC_IsEnabled(), 0);
    Py_DECREF(x);
    Py_DECREF(y);
}

TEST_PY(visiting_goes_on_for_every_answer_but_zero)
{
    baseline();
    PyObject *x = new_node(&N, NULL);
    struct walk one = {.answer = 1}, other = {.answer = -5};
    PyUnstable_GC_VisitObjects(walk_object, &one);
    PyUnstable_GC_VisitObjects(walk_object, &other);
    EXPECT_EQ(one.visits, other.visits);
    EXPECT_GE(one.visits, 1);
    Py_DECREF(x);
}

TEST_PY(untracked_objects_are_not_visited_and_frozen_ones_are) /* C95 */
{
    baseline_quiet();
    struct walk walk = {.wanted = new_untracked_node(&N, NULL), .answer = 1};
    PyUnstable_GC_VisitObjects(walk_object, &walk);
    EXPECT_EQ(walk.seen, 0);
    PyObject_GC_Track(walk.wanted);
    Ouro_GCFreeze();
    PyUnstable_GC_VisitObjects(walk_object, &walk);
    EXPECT_EQ(walk.seen, 1);
    Ouro_GCUnfreeze();
    Py_DECREF(walk.wanted);
}

TEST_PY(objects_of_every_generation_are_visited_once)
{
    PyObject *old = new_node(&N, NULL);
    baseline_quiet();
    PyObject *middle = new_node(&N, NULL);
    Ouro_GCCollect(0);
    PyObject *young = new_node(&N, NULL);
    PyObject *all[] = {old, middle, young};
    for (int i = 0; i < 3; i++) {
        struct walk walk = {.wanted = all[i], .answer = 1};
        PyUnstable_GC_VisitObjects(walk_object, &walk);
        EXPECT_EQ(walk.seen, 1);
        Py_DECREF(all[i]);
    }
}

/* CPython's walk does not survive this; ours must. */
static PyObject *victims[1000];

static int
destroy_everything(PyObject *Py_UNUSED(op), void *arg)
{
    int *visits = arg;
    for (size_t i = 0; i < Py_ARRAY_LENGTH(victims); i++) {
        Py_CLEAR(victims[i]);
    }
    Py_DECREF(new_node(&N, NULL));
    PyObject *fresh = PyUnstable_Object_GC_NewWithExtraData(&N, 3000);
    Py_DECREF(fresh);
    ++*visits;
    return 1;
}

TEST_PY(a_visitor_may_destroy_and_create_objects, .mistakes = true)
{
    baseline_quiet();
    for (size_t i = 0; i < Py_ARRAY_LENGTH(victims); i++) {
        victims[i] = new_node(&N, NULL);
    }
    int visits = 0;
    PyUnstable_GC_VisitObjects(destroy_everything, &visits);
    EXPECT_GE(visits, 1);
    EXPECT_EQ(collect(), 0);
}
