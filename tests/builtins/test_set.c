/* SPDX-License-Identifier: MIT */
/* Sets through the C functions: single items, and items that change the set in a lookup. */
#include "calls.h"
#include "meddler.h"

TEST_PY(items_are_added_found_and_discarded)
{
    PyObject *set = PySet_New(NULL), *key = text("key"), *other = number(7000);
    REQUIRE_NOT_NULL(set);
    EXPECT(PySet_CheckExact(set) && PyAnySet_CheckExact(set) && !PyFrozenSet_Check(set));
    EXPECT_EQ(PySet_Add(set, key), 0);
    EXPECT_EQ(PySet_Add(set, key), 0);
    EXPECT_EQ(Py_REFCNT(key), 2);
    EXPECT_EQ(PySet_Size(set), 1);
    EXPECT_EQ(PySet_GET_SIZE(set), 1);
    EXPECT_EQ(PySet_Contains(set, key), 1);
    EXPECT_EQ(PySet_Contains(set, other), 0);
    EXPECT_EQ(PySet_Discard(set, other), 0);
    EXPECT_EQ(PySet_Discard(set, key), 1);
    EXPECT_EQ(Py_REFCNT(key), 1);
    EXPECT_EQ(PySet_Size(set), 0);
    EXPECT_EQ(PySet_Add(set, key), 0);
    PyObject *popped = PySet_Pop(set);
    EXPECT_EQ(popped, key);
    Py_DECREF(popped);
    EXPECT_EQ(Py_REFCNT(key), 1);
    EXPECT_NULL(PySet_Pop(set));
    EXPECT_RAISED_TEXT(PyExc_KeyError, "'pop from an empty set'");
    EXPECT_EQ(PySet_Add(set, key), 0);
    EXPECT_EQ(PySet_Clear(set), 0);
    EXPECT_EQ(Py_REFCNT(key), 1);
    Py_DECREF(set);
    Py_DECREF(key);
    Py_DECREF(other);
}

TEST_PY(what_is_no_set_is_a_system_error)
{
    PyObject *list = PyList_New(0), *frozen = PyFrozenSet_New(NULL),
             *set = PySet_New(NULL);
    PyObject *wrong[] = {NULL, list, frozen};
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(PySet_Discard(wrong[i], Py_None), -1);
        EXPECT_RAISED(PyExc_SystemError);
        EXPECT_NULL(PySet_Pop(wrong[i]));
        EXPECT_RAISED(PyExc_SystemError);
        EXPECT_EQ(PySet_Clear(wrong[i]), -1);
        EXPECT_RAISED(PyExc_SystemError);
    }
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(PySet_Size(wrong[i]), -1);
        EXPECT_RAISED(PyExc_SystemError);
        EXPECT_EQ(PySet_Contains(wrong[i], Py_None), -1);
        EXPECT_RAISED(PyExc_SystemError);
        EXPECT_EQ(PySet_Add(wrong[i], Py_None), -1);
        EXPECT_RAISED(PyExc_SystemError);
    }
    EXPECT_EQ(PySet_Add(set, NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PySet_Contains(set, NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PySet_Discard(set, NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(list);
    Py_DECREF(frozen);
    Py_DECREF(set);
}

TEST_PY(items_that_cannot_be_hashed_are_refused)
{
    PyObject *list = PyList_New(0), *set = PySet_New(NULL), *inner = PySet_New(NULL);
    const char *reason = "cannot use 'list' as a set element (unhashable type: 'list')";
    EXPECT_EQ(PySet_Add(set, list), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, reason);
    EXPECT_EQ(PySet_Discard(set, list), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, reason);
    /* The C functions do not look for a frozenset instead. */
    EXPECT_EQ(PySet_Contains(set, inner), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(Py_REFCNT(list), 1);
    Py_DECREF(list);
    Py_DECREF(set);
    Py_DECREF(inner);
}

TEST_PY(sets_are_made_from_iterables)
{
    PyObject *list = list_of("31213"), *frozen = PyFrozenSet_New(list);
    EXPECT_REPR_OF(PySet_New(list), "{3, 1, 2}");
    EXPECT_REPR_OF(PySet_New(frozen), "{3, 1, 2}");
    EXPECT_REPR_OF(Py_NewRef(frozen), "frozenset({3, 1, 2})");
    PyObject *same = PyFrozenSet_New(frozen);
    EXPECT_EQ(same, frozen);
    Py_DECREF(same);
    EXPECT_NULL(PySet_New(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not iterable");
    EXPECT_NULL(PyFrozenSet_New(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    PyList_Append(list, list);
    EXPECT_NULL(PyFrozenSet_New(list));
    EXPECT_RAISED(PyExc_TypeError);
    PyList_Clear(list);
    Py_DECREF(list);
    Py_DECREF(frozen);
}

TEST_PY(a_frozenset_can_be_filled_while_only_its_maker_knows_it)
{
    PyObject *frozen = PyFrozenSet_New(NULL), *node = PyList_New(0);
    EXPECT_EQ(PySet_Add(frozen, Py_None), 0);
    EXPECT_EQ(PySet_Contains(frozen, Py_None), 1);
    Py_INCREF(frozen);
    EXPECT_EQ(PySet_Add(frozen, Py_True), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(frozen);
    Py_DECREF(frozen);
    Py_DECREF(node);
}

/* Numbers 0 .. below-1 in a set, beside an array that says what must be there. */
TEST_PY(a_set_agrees_with_an_array_after_many_changes)
{
    enum { BELOW = 2000 };
    static bool model[BELOW];
    PyObject *set = PySet_New(NULL);
    uint64_t state = 7;
    Py_ssize_t used = 0;
    for (int step = 0; step < 40000; step++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        long k = (long)(state >> 33) % BELOW;
        PyObject *key = number(k);
        /* Waves of growing and shrinking. */
        if ((state >> 20) % 100 < (step / 10000 % 2 == 0 ? 70u : 30u)) {
            used += !model[k];
            model[k] = true;
            EXPECT_EQ(PySet_Add(set, key), 0);
        } else {
            EXPECT_EQ(PySet_Discard(set, key), model[k]);
            used -= model[k];
            model[k] = false;
        }
        Py_DECREF(key);
    }
    EXPECT_EQ(PySet_Size(set), used);
    for (long k = 0; k < BELOW; k++) {
        PyObject *key = number(k);
        EXPECT_EQ(PySet_Contains(set, key), model[k]);
        Py_DECREF(key);
    }
    Py_DECREF(set);
}

/* --- items whose == runs code ------------------------------------------------------------------- */

static PyObject *target; /* the set that the items change */

static void
clear_target(PyObject *Py_UNUSED(key))
{
    PySet_Clear(target);
}

static void
grow_target(PyObject *Py_UNUSED(key))
{
    for (long i = 0; i < 100; i++) {
        PyObject *n = number(1000 + i);
        PySet_Add(target, n);
        Py_DECREF(n);
    }
}

static void
discard_from_target(PyObject *key)
{
    PySet_Discard(target, key);
}

static void
rebuild_target(PyObject *key)
{
    PySet_Clear(target);
    PySet_Add(target, key);
}

static PyObject *
set_of_keys(long first, long count)
{
    PyObject *set = PySet_New(NULL);
    for (long i = first; i < first + count; i++) {
        PyObject *key = new_key(i);
        PySet_Add(set, key);
        Py_DECREF(key);
    }
    return set;
}

static void
operate_while_meddling(PyObject *set, PyObject *other, int operation)
{
    static const char *const methods[] = {
        "update",
        "intersection_update",
        "difference_update",
        "union",
        "intersection",
        "difference",
        "issubset",
        "issuperset",
        "symmetric_difference",
        "isdisjoint",
        "__contains__",
        "symmetric_difference_update",
        "add",
        "discard",
    };
    PyObject *key = new_key(4);
    bool one_item = operation == 10 || operation >= 12;
    PyObject *result = invoke(set, methods[operation], one_item ? key : other, NULL);
    EXPECT_NOT_NULL(result);
    EXPECT_NO_ERROR();
    Py_XDECREF(result);
    Py_DECREF(key);
}

/* Size and content agree, and every item is found. */
static void
expect_whole_set(PyObject *set)
{
    PyObject *items = PySequence_List(set);
    EXPECT_EQ(PyList_GET_SIZE(items), PySet_Size(set));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i++) {
        EXPECT_EQ(PySet_Contains(set, PyList_GET_ITEM(items, i)), 1);
    }
    Py_DECREF(items);
}

TEST_PY(comparisons_that_change_a_set_do_no_harm)
{
    void (*actions[])(PyObject *) = {clear_target, grow_target, discard_from_target,
                                     rebuild_target};
    for (size_t a = 0; a < Py_ARRAY_LENGTH(actions); a++) {
        for (int after = 1; after <= 6; after++) {
            for (int operation = 0; operation < 14; operation++) {
                for (int victim = 0; victim < 2; victim++) {
                    PyObject *set = set_of_keys(0, 5), *other = set_of_keys(3, 5);
                    target = victim == 0 ? set : other;
                    meddling = actions[a];
                    meddle_after = after;
                    operate_while_meddling(set, other, operation);
                    meddling = NULL;
                    expect_whole_set(set);
                    expect_whole_set(other);
                    Py_DECREF(set);
                    Py_DECREF(other);
                }
            }
        }
    }
}

/* --- items whose destructor looks at the set ------------------------------------------------------- */

static Py_ssize_t size_at_death;

static void
set_mourner_dealloc(PyObject *self)
{
    size_at_death = PySet_GET_SIZE(target);
    PySet_Add(target, Py_None);
    PyObject_Free(self);
}

static PyTypeObject set_mourner_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Mourner",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = set_mourner_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

static PyObject *
set_with_mourner(void)
{
    REQUIRE_EQ(PyType_Ready(&set_mourner_type), 0);
    target = PySet_New(NULL);
    PyObject *mourner = PyObject_New(PyObject, &set_mourner_type);
    PySet_Add(target, Py_True);
    PySet_Add(target, mourner);
    Py_DECREF(mourner);
    size_at_death = -1;
    return target;
}

TEST_PY(an_item_leaves_the_set_before_its_destructor_runs)
{
    PyObject *set = set_with_mourner(), *keep = PySet_New(NULL);
    Py_DECREF(PySet_Pop(set));
    EXPECT_EQ(size_at_death, 1);
    EXPECT_REPR_OF(set, "{True, None}");

    set = set_with_mourner();
    EXPECT_EQ(PySet_Clear(set), 0);
    EXPECT_EQ(size_at_death, 0);
    EXPECT_REPR_OF(set, "{None}");

    set = set_with_mourner();
    PySet_Add(keep, Py_True);
    Py_XDECREF(invoke(set, "intersection_update", keep, NULL));
    EXPECT_EQ(size_at_death, 1);
    EXPECT_REPR_OF(set, "{True, None}");
    Py_DECREF(keep);
}

/* --- the collector ------------------------------------------------------------------------------------ */

TEST_PY(sets_are_tracked_and_frozensets_when_they_must_be)
{
    PyObject *set = PySet_New(NULL), *atoms = list_of("123");
    PyObject *object = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    EXPECT_EQ(PyObject_GC_IsTracked(set), 1);
    PyObject *frozen = PyFrozenSet_New(atoms);
    EXPECT_EQ(PyObject_GC_IsTracked(frozen), 0);
    /* The outer set cannot know whether the inner frozenset will still be filled. */
    PySet_Add(set, frozen);
    PyObject *outer = PyFrozenSet_New(set);
    EXPECT_EQ(PyObject_GC_IsTracked(outer), 1);
    PyObject *filled = PyFrozenSet_New(NULL);
    EXPECT_EQ(PyObject_GC_IsTracked(filled), 0);
    EXPECT_EQ(PySet_Add(filled, Py_None), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(filled), 0);
    EXPECT_EQ(PySet_Add(filled, frozen), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(filled), 1);
    /* This also holds for results of operations. */
    PyObject *sum = PyNumber_Or(frozen, outer);
    EXPECT_EQ(PyObject_GC_IsTracked(sum), 1);
    PyObject *common = PyNumber_And(frozen, sum);
    EXPECT_EQ(PyObject_GC_IsTracked(common), 0);
    PyObject *all[] = {set, atoms, object, frozen, outer, filled, sum, common};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(all); i++) {
        Py_DECREF(all[i]);
    }
}

TEST_PY(cycles_through_sets_are_collected)
{
    PyObject *type = class_of(&PySet_Type, "Hashable");
    PyObject *list = PyList_New(0), *frozen, *pair = PyTuple_New(1);
    PyObject *set = PySet_New(NULL);
    /* list -> set -> tuple -> frozenset -> an object whose dict has the list */
    PyObject *plain = class_of(&PyBaseObject_Type, "Plain");
    PyObject *object = PyObject_CallNoArgs(plain);
    EXPECT_EQ(PyObject_SetAttrString(object, "list", list), 0);
    frozen = PyFrozenSet_New(NULL);
    EXPECT_EQ(PySet_Add(frozen, object), 0);
    PyTuple_SET_ITEM(pair, 0, frozen);
    EXPECT_EQ(PySet_Add(set, pair), 0);
    EXPECT_EQ(PyList_Append(list, set), 0);
    Py_DECREF(object);
    Py_DECREF(pair);
    Py_DECREF(set);
    PyGC_Collect();
    Py_DECREF(list);
    EXPECT_GE(PyGC_Collect(), 5);
    Py_DECREF(plain);
    Py_DECREF(type);
}

TEST_PY(sets_can_be_referred_to_weakly)
{
    PyTypeObject *types[] = {&PySet_Type, &PyFrozenSet_Type};
    for (int i = 0; i < 2; i++) {
        PyObject *set = container_of(types[i], "12");
        PyObject *ref = PyWeakref_NewRef(set, NULL), *alive;
        REQUIRE_NOT_NULL(ref);
        EXPECT_EQ(PyWeakref_GetRef(ref, &alive), 1);
        Py_XDECREF(alive);
        Py_DECREF(set);
        EXPECT_EQ(PyWeakref_GetRef(ref, &alive), 0);
        Py_DECREF(ref);
    }
}

/* --- ownership and memory -------------------------------------------------------------------------------- */

static PyObject *
use_c_functions(void)
{
    PyObject *key = text("a new key"), *list = list_of("123");
    PyObject *set = PySet_New(list), *frozen = PyFrozenSet_New(set), *popped = NULL;
    bool made = set != NULL && frozen != NULL && PySet_Add(set, key) == 0 &&
                PySet_Contains(set, key) == 1 && PySet_Discard(set, key) == 1 &&
                (popped = PySet_Pop(set)) != NULL && PySet_Clear(set) == 0;
    Py_XDECREF(popped);
    Py_XDECREF(key);
    Py_XDECREF(list);
    Py_XDECREF(set);
    if (!made) {
        Py_CLEAR(frozen);
    }
    return frozen;
}

static PyObject *
make_a_large_frozenset(void)
{
    PyObject *set = PySet_New(NULL), *frozen = NULL;
    for (long i = 0; set != NULL && i < 50; i++) {
        PyObject *n = number(1000 + i);
        if (n == NULL || PySet_Add(set, n) < 0) {
            Py_CLEAR(set);
        }
        Py_XDECREF(n);
    }
    if (set != NULL) {
        frozen = PyFrozenSet_New(set);
        Py_DECREF(set);
    }
    return frozen;
}

TEST_PY(the_c_functions_keep_and_leak_nothing)
{
    repeat_without_leak(use_c_functions);
    fail_each_allocation(make_a_large_frozenset);
}
