/* SPDX-License-Identifier: MIT */
/* The effect of the rules for types on collections: scenarios C107 to C116, C120, C121. The
 * rules themselves are tested with src/types/. */
#include <pthread.h>

#include "nodes.h"

static PyTypeObject *
type_from(const char *name, int basicsize, unsigned flags, PyType_Slot *slots, void *base)
{
    PyType_Spec spec = {name, basicsize, 0, flags, slots};
    PyObject *type = PyType_FromSpecWithBases(&spec, base);
    REQUIRE_NOT_NULL(type);
    return (PyTypeObject *)type;
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
    return type_from("heap.Base", sizeof(struct node),
                     Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots, NULL);
}

static PyType_Slot no_slots[] = {{0, NULL}};

/* --- inheriting the three ------------------------------------------------------------------------ */

TEST_PY(the_flag_without_traverse_is_an_error_with_either_way_of_making_types) /* C107 */
{
    static PyTypeObject bare = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Bare",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_HAVE_GC,
    };
    EXPECT_EQ(PyType_Ready(&bare), -1);
    EXPECT_RAISED(PyExc_SystemError);
    PyType_Spec spec = {"Bare", sizeof(PyObject), 0, Py_TPFLAGS_HAVE_GC, no_slots};
    EXPECT_NULL(PyType_FromSpec(&spec));
    EXPECT_RAISED(PyExc_SystemError);
    PyTypeObject *base = node_base_type();
    spec.basicsize = 0;
    EXPECT_NULL(PyType_FromSpecWithBases(&spec, (PyObject *)base));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(base);
}

TEST_PY(instances_of_a_subtype_that_inherits_the_three_are_collected) /* C108 */
{
    baseline_quiet();
    PyTypeObject *base = node_base_type();
    PyType_Slot slots[] = {{Py_tp_dealloc, (void *)node_dealloc}, {0, NULL}};
    PyTypeObject *sub = type_from("heap.Sub", 0, 0, slots, base);
    EXPECT(sub->tp_traverse == node_traverse && sub->tp_clear == node_clear);
    EXPECT(PyType_IS_GC(sub));
    EXPECT(sub->tp_free == PyObject_GC_Del);
    collect();
    drop_self_cycle(sub, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "clear x, dealloc x");
    Py_DECREF(sub);
    Py_DECREF(base);
}

TEST_PY(instances_of_a_subtype_that_sets_one_handler_only_are_no_containers,
        .mistakes = true) /* C109 */
{
    PyTypeObject *base = node_base_type();
    PyType_Slot slots[] = {{Py_tp_clear, (void *)node_clear}, {0, NULL}};
    PyTypeObject *sub = type_from("heap.Sub", 0, 0, slots, base);
    EXPECT_EQ(PyType_IS_GC(sub), 0);
    EXPECT(sub->tp_free == PyObject_Free);
    Py_DECREF(sub);
    Py_DECREF(base);
}

TEST_PY(instances_of_a_subtype_with_its_own_traverse_have_no_clear,
        .mistakes = true) /* C110 */
{
    baseline_quiet();
    PyTypeObject *base = node_base_type();
    PyType_Slot slots[] = {
        {Py_tp_traverse, (void *)node_traverse},
        {Py_tp_dealloc, (void *)node_dealloc},
        {0, NULL},
    };
    PyTypeObject *sub = type_from("heap.Sub", 0, Py_TPFLAGS_HAVE_GC, slots, base);
    EXPECT(sub->tp_clear == NULL);
    PyObject *x = new_node(sub, "x");
    set_a(x, x);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), ""); /* so its cycle stays */
    EXPECT_EQ(collect(), 1);
    Py_CLEAR(node_of(x)->a);
    EXPECT_STR(events(), "dealloc x");
    Py_DECREF(sub);
    Py_DECREF(base);
}

/* --- freeing with the wrong function ---------------------------------------------------------------- */

static PyTypeObject plain_free = {NODE_SLOTS("PlainFree"), .tp_clear = node_clear};

TEST_PY(a_final_type_that_frees_plain_memory_is_caught_at_the_first_death) /* C111 */
{
    plain_free.tp_free = PyObject_Free;
    REQUIRE_EQ(PyType_Ready(&plain_free), 0);
    PyObject *x = new_node(&plain_free, NULL);
    EXPECT_FATAL(Py_DECREF(x), "PyObject_Free: the 'PlainFree' object at ");
    plain_free.tp_free = PyObject_GC_Del;
    Py_DECREF(x);
}

TEST_PY(a_base_type_that_frees_plain_memory_is_refused) /* C111 */
{
    static PyTypeObject base = {NODE_SLOTS("PlainFreeBase"), .tp_clear = node_clear};
    base.tp_free = PyObject_Free;
    base.tp_flags |= Py_TPFLAGS_BASETYPE;
    EXPECT_EQ(PyType_Ready(&base), -1);
    EXPECT_RAISED(PyExc_TypeError);
}

/* --- types and their instances ------------------------------------------------------------------------ */

TEST_PY(each_instance_owns_its_type_until_it_is_destroyed) /* C112 */
{
    PyTypeObject *type = node_heap_type(&N);
    Py_ssize_t before = Py_REFCNT(type);
    PyObject *x = new_node(type, NULL), *y = PyType_GenericAlloc(type, 0);
    EXPECT_EQ(Py_REFCNT(type), before + 2);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(Py_REFCNT(type), before);
    drop_self_cycle(type, NULL);
    EXPECT_EQ(Py_REFCNT(type), before + 1);
    collect();
    EXPECT_EQ(Py_REFCNT(type), before);
    Py_DECREF(type);
}

/* type -> dict -> instance -> type. */
static PyObject *
type_with_instance(traverseproc traverse)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)node_dealloc},
        {Py_tp_traverse, (void *)traverse},
        {Py_tp_clear, (void *)node_clear},
        {0, NULL},
    };
    PyTypeObject *type =
        type_from("heap.Own", sizeof(struct node), Py_TPFLAGS_HAVE_GC, slots, NULL);
    PyObject *x = new_node(type, "x");
    REQUIRE_EQ(PyObject_SetAttrString((PyObject *)type, "instance", x), 0);
    Py_DECREF(x);
    PyObject *weakref = PyWeakref_NewRef((PyObject *)type, NULL);
    REQUIRE_NOT_NULL(weakref);
    Py_DECREF(type);
    return weakref;
}

TEST_PY(a_type_that_holds_an_instance_is_collected_when_the_type_is_visited) /* C113 */
{
    baseline_quiet();
    PyObject *weakref = type_with_instance(node_traverse);
    EXPECT_GE(collect(), 2);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    EXPECT_EQ(count_events("dealloc x"), 1);
    Py_DECREF(weakref);
}

static int
forgetful_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(node_of(self)->a);
    Py_VISIT(node_of(self)->b);
    return 0;
}

TEST_PY(a_type_that_holds_an_instance_leaks_when_the_type_is_not_visited,
        .no_leak_check = true, .mistakes = true) /* C113 */
{
    baseline_quiet();
    PyObject *weakref = type_with_instance(forgetful_traverse);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 0);
    EXPECT_STR(events(), "");
    Py_DECREF(weakref);
}

/* A subtype may leave the visit of the type to the traverse of a heap base. */
static int
delegating_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyTypeObject *base = Py_TYPE(self)->tp_base;
    return base->tp_traverse(self, visit, arg);
}

TEST_PY(a_subtype_may_delegate_the_visit_of_its_type)
{
    baseline_quiet();
    PyTypeObject *base = node_base_type();
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)node_dealloc},
        {Py_tp_traverse, (void *)delegating_traverse},
        {Py_tp_clear, (void *)node_clear},
        {0, NULL},
    };
    PyTypeObject *sub = type_from("heap.Sub", 0, Py_TPFLAGS_HAVE_GC, slots, base);
    PyObject *x = new_node(sub, "x");
    PyObject_SetAttrString((PyObject *)sub, "instance", x);
    Py_DECREF(x);
    PyObject *weakref = PyWeakref_NewRef((PyObject *)sub, NULL);
    Py_DECREF(sub);
    EXPECT_GE(collect(), 2);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
    Py_DECREF(base);
}

/* --- data behind the base ------------------------------------------------------------------------------- */

struct added {
    PyObject *owned;
};

static PyTypeObject *added_type;

static int
added_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct added *data = PyObject_GetTypeData_DuringGC(self, added_type);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(data->owned);
    return 0;
}

static int
added_clear(PyObject *self)
{
    struct added *data = PyObject_GetTypeData(self, added_type);
    note_event("clear added");
    Py_CLEAR(data->owned);
    return 0;
}

static void
added_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    added_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* A static base of 24 bytes, as in the scenario. */
struct base24 {
    PyObject_HEAD
    PyObject *unused;
};

static int
visit_nothing(PyObject *Py_UNUSED(self), visitproc Py_UNUSED(visit), void *Py_UNUSED(arg))
{
    return 0;
}

static PyTypeObject base24_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Base24",
    .tp_basicsize = sizeof(struct base24),
    .tp_flags = Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_traverse = visit_nothing,
};

TEST_PY(data_behind_a_base_has_its_place_and_is_visited_there,
        .mistakes = true) /* C114 */
{
    baseline_quiet();
    REQUIRE_EQ(PyType_Ready(&base24_type), 0);
    PyTypeObject *plain = type_from("heap.Inheriting", -24, 0, no_slots, &base24_type);
    EXPECT_EQ(plain->tp_basicsize, 64);
    EXPECT_EQ(PyType_GetTypeDataSize(plain), 32);
    EXPECT(PyType_IS_GC(plain) && plain->tp_traverse == visit_nothing);
    Py_DECREF(plain);

    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)added_dealloc},
        {Py_tp_traverse, (void *)added_traverse},
        {Py_tp_clear, (void *)added_clear},
        {0, NULL},
    };
    added_type = type_from("heap.Added", -24, Py_TPFLAGS_HAVE_GC, slots, &base24_type);
    PyObject *x = PyType_GenericAlloc(added_type, 0);
    EXPECT_EQ((char *)PyObject_GetTypeData(x, added_type) - (char *)x, 32);
    EXPECT_EQ(PyObject_GetTypeData_DuringGC(x, added_type),
              PyObject_GetTypeData(x, added_type));
    ((struct added *)PyObject_GetTypeData(x, added_type))->owned = Py_NewRef(x);
    collect();
    EXPECT_STR(events(), "");
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "clear added, clear added");
    Py_DECREF(added_type);
}

/* --- what a traverse handler may call ---------------------------------------------------------------- */

static int asked_in_traverse;
static int token_of_base;

/* Every traversal-safe function with arguments that make its ordinary form raise. */
static int
asking_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyTypeObject *type = Py_TYPE(self), *found = (PyTypeObject *)self;
    asked_in_traverse++;
    EXPECT_EQ(PyType_GetBaseByToken_DuringGC(type, &token_of_base, &found), 1);
    EXPECT_EQ(found, type);
    EXPECT_EQ(PyType_GetBaseByToken_DuringGC(type, &asked_in_traverse, &found), 0);
    EXPECT_NULL(found);
    EXPECT_EQ(PyType_GetBaseByToken_DuringGC(type, NULL, &found), -1);
    EXPECT_NULL(found);
    EXPECT_EQ(
        PyType_GetBaseByToken_DuringGC((PyTypeObject *)Py_None, &token_of_base, &found),
        -1);
    EXPECT_NULL(found);
    EXPECT_NULL(PyObject_GetItemData_DuringGC(self));
    EXPECT_NULL(PyType_GetModule_DuringGC(type));
    EXPECT_NULL(PyType_GetModule_DuringGC(&PyList_Type));
    EXPECT(PyObject_TypeCheck(self, type) && PyType_IsSubtype(type, &PyBaseObject_Type));
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC));
    EXPECT(!PyTuple_Check(self) && !PyList_CheckExact(self) && !PyDict_Check(self));
    EXPECT_NO_ERROR();
    return node_traverse(self, visit, arg);
}

TEST_PY(traversal_safe_functions_never_raise) /* C121 */
{
    baseline_quiet();
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)node_dealloc},
        {Py_tp_traverse, (void *)asking_traverse},
        {Py_tp_clear, (void *)node_clear},
        {Py_tp_token, &token_of_base},
        {0, NULL},
    };
    PyTypeObject *type =
        type_from("heap.Asking", sizeof(struct node), Py_TPFLAGS_HAVE_GC, slots, NULL);
    PyObject *x = new_node(type, "x");
    set_a(x, x);
    Py_ssize_t count = Py_REFCNT(x), count_of_type = Py_REFCNT(type);
    EXPECT_EQ(collect(), 0);
    EXPECT_GE(asked_in_traverse, 1);
    EXPECT_EQ(Py_REFCNT(x), count);
    EXPECT_EQ(Py_REFCNT(type), count_of_type); /* results are borrowed */
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_NO_ERROR();
    Py_DECREF(type);
}

/* Members that provably cannot be in a cycle need no visit. */
static int
skipping_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(node_of(self)->a);
    return 0;
}

static PyTypeObject skipping_type = {NODE_SLOTS("Skipping"), .tp_clear = node_clear};

TEST_PY(a_member_that_cannot_be_in_a_cycle_may_be_skipped)
{
    baseline_quiet();
    skipping_type.tp_traverse = skipping_traverse;
    PyObject *x = new_node(&skipping_type, "x"), *name = PyUnicode_FromString("a name");
    set_a(x, x);
    set_b(x, name);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "clear x, dealloc x");
    EXPECT_EQ(Py_REFCNT(name), 1);
    Py_DECREF(name);
}

/* The list of weak references is not owned: visiting it is not needed and would be wrong. */
TEST_PY(weak_references_are_not_owned_by_their_referent)
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *weakref = new_weakref(x, "w");
    PyObject *asked = PyTuple_Pack(1, x);
    PyObject *list = Ouro_GCGetReferents(asked);
    EXPECT_EQ(PyList_GET_SIZE(list), 0);
    Py_DECREF(list);
    Py_DECREF(asked);
    Py_DECREF(x);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

/* Any thread may start a collection, and so call the handlers of every object. */
static pthread_t traversing_thread;

static int
noting_traverse(PyObject *self, visitproc visit, void *arg)
{
    traversing_thread = pthread_self();
    return node_traverse(self, visit, arg);
}

static PyTypeObject noting_type = {NODE_SLOTS("Noting"), .tp_clear = node_clear};

static void *
collect_elsewhere(void *found)
{
    PyGILState_STATE state = PyGILState_Ensure();
    *(Py_ssize_t *)found = PyGC_Collect();
    PyGILState_Release(state);
    return NULL;
}

TEST_PY(handlers_are_called_by_whichever_thread_collects)
{
    pthread_t thread;
    Py_ssize_t found = -1;
    baseline_quiet();
    noting_type.tp_traverse = noting_traverse;
    drop_self_cycle(&noting_type, "x");
    PyGC_Enable();
    Py_BEGIN_ALLOW_THREADS
    REQUIRE_EQ(pthread_create(&thread, NULL, collect_elsewhere, &found), 0);
    pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
    EXPECT_EQ(found, 1);
    EXPECT(pthread_equal(traversing_thread, thread));
    EXPECT_STR(events(), "clear x, dealloc x");
}

/* CPython's page forbids this, but nothing may break. */
static int
allocating_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyObject *small = PyList_New(3);
    PyObject *large = PyUnstable_Object_GC_NewWithExtraData(&N, 100000);
    Py_XDECREF(large);
    Py_XDECREF(small);
    return node_traverse(self, visit, arg);
}

static PyTypeObject allocating_type = {NODE_SLOTS("Allocating"), .tp_clear = node_clear};

TEST_PY(a_traverse_that_allocates_and_frees_does_no_harm, .mistakes = true) /* C120 */
{
    baseline_quiet();
    REQUIRE_EQ(PyType_Ready(&N), 0);
    allocating_type.tp_traverse = allocating_traverse;
    PyObject *kept = new_node(&allocating_type, NULL);
    for (int i = 0; i < 100; i++) {
        drop_self_cycle(&allocating_type, NULL);
    }
    EXPECT_EQ(Ouro_GCCollect(0), 100);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(collect(), 0);
    }
    Py_DECREF(kept);
}
