/* SPDX-License-Identifier: MIT */
/* Reference counts, immortality, and the macros that store and release. */
#include <ouroboros.h>

#include "../collector/nodes.h"

static PyObject *
new_n(const char *name)
{
    return new_node(&N, name);
}

/* --- counting -------------------------------------------------------------------------------- */

TEST_PY(references_are_counted_and_the_last_one_destroys)
{
    PyObject *x = new_n("x");
    EXPECT_EQ(Py_REFCNT(x), 1);
    Py_INCREF(x);
    Py_XINCREF(x);
    EXPECT_EQ(Py_REFCNT(x), 3);
    Py_XDECREF(x);
    Py_DECREF(x);
    EXPECT_EQ(Py_REFCNT(x), 1);
    EXPECT_STR(events(), "");
    Py_DECREF(x);
    EXPECT_STR(events(), "dealloc x");
}

TEST_PY(the_function_forms_do_the_same_and_take_null)
{
    PyObject *x = new_n("x");
    Py_IncRef(x);
    EXPECT_EQ(Py_REFCNT(x), 2);
    Py_DecRef(x);
    EXPECT_STR(events(), "");
    Py_DecRef(x);
    EXPECT_STR(events(), "dealloc x");
    PyObject *nothing = NULL;
    Py_IncRef(nothing);
    Py_DecRef(nothing);
    Py_XINCREF(nothing);
    Py_XDECREF(nothing);
}

TEST_PY(new_ref_counts_and_returns_its_argument)
{
    PyObject *x = new_n("x");
    EXPECT_EQ(Py_NewRef(x), x);
    EXPECT_EQ(Py_XNewRef(x), x);
    EXPECT_EQ((Py_NewRef)(x), x);
    EXPECT_EQ((Py_XNewRef)(x), x);
    EXPECT_EQ(Py_REFCNT(x), 5);
    EXPECT_NULL(Py_XNewRef(NULL));
    EXPECT_NULL((Py_XNewRef)(NULL));
    Py_SET_REFCNT(x, 1);
    Py_DECREF(x);
}

TEST_PY(the_count_can_be_set)
{
    PyObject *x = new_n(NULL);
    Py_SET_REFCNT(x, 17);
    EXPECT_EQ(Py_REFCNT(x), 17);
    EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(x), 0);
    Py_SET_REFCNT(x, 1);
    EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(x), 1);
    Py_DECREF(x);
}

TEST_PY(identity_is_asked_by_functions_and_macros)
{
    PyObject *x = new_n(NULL);
    EXPECT(Py_Is(x, x) && !Py_Is(x, Py_None));
    EXPECT(Py_IsNone(Py_None) && !Py_IsNone(x));
    EXPECT(Py_IsTrue(Py_True) && !Py_IsTrue(Py_False));
    EXPECT(Py_IsFalse(Py_False) && !Py_IsFalse(Py_True));
    EXPECT((Py_Is)(x, x) && !(Py_Is)(x, Py_None));
    EXPECT((Py_IsNone)(Py_None) && !(Py_IsNone)(x));
    EXPECT((Py_IsTrue)(Py_True) && !(Py_IsTrue)(Py_False));
    EXPECT((Py_IsFalse)(Py_False) && !(Py_IsFalse)(Py_True));
    Py_DECREF(x);
}

/* --- immortal objects -------------------------------------------------------------------------- */

TEST_PY(counting_leaves_immortal_objects_alone)
{
    PyObject *immortals[] = {Py_None, Py_True, (PyObject *)&PyList_Type, PyTuple_New(0)};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(immortals); i++) {
        PyObject *op = immortals[i];
        Py_ssize_t before = Py_REFCNT(op);
        EXPECT_EQ(PyUnstable_IsImmortal(op), 1);
        Py_INCREF(op);
        EXPECT_EQ(Py_REFCNT(op), before);
        Py_DECREF(op);
        Py_DECREF(op);
        EXPECT_EQ(Py_REFCNT(op), before);
        Py_SET_REFCNT(op, 1);
        EXPECT_EQ(Py_REFCNT(op), before);
        EXPECT_GT(before, 1 << 30);
    }
}

TEST_PY(a_count_that_overflows_keeps_its_object_for_ever, .no_leak_check = true)
{
    PyObject *x = new_n("x");
    Py_SET_REFCNT(x, INT32_MAX);
    EXPECT_EQ(PyUnstable_IsImmortal(x), 0);
    Py_INCREF(x);
    EXPECT_EQ(PyUnstable_IsImmortal(x), 1);
    for (int i = 0; i < 10; i++) {
        Py_DECREF(x);
    }
    EXPECT_EQ(PyUnstable_IsImmortal(x), 1);
    EXPECT_STR(events(), "");

    PyObject *y = new_n("y");
    Py_SET_REFCNT(y, (Py_ssize_t)INT32_MAX + 1);
    EXPECT_EQ(PyUnstable_IsImmortal(y), 1);
    EXPECT_STR(events(), "");
}

TEST_PY(only_the_single_owner_can_make_an_object_immortal, .no_leak_check = true)
{
    PyObject *x = new_n("x");
    Py_INCREF(x);
    EXPECT_EQ(PyUnstable_SetImmortal(x), 0);
    EXPECT_EQ(PyUnstable_IsImmortal(x), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 1);
    Py_DECREF(x);
    EXPECT_EQ(PyUnstable_SetImmortal(x), 1);
    EXPECT_EQ(PyUnstable_IsImmortal(x), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 0);
    EXPECT_EQ(PyUnstable_SetImmortal(x), 0);
    Py_DECREF(x);
    EXPECT_STR(events(), "");
}

TEST_PY(a_str_is_not_made_immortal)
{
    PyObject *text = PyUnicode_FromString("nobody else has this text");
    EXPECT_EQ(Py_REFCNT(text), 1);
    EXPECT_EQ(PyUnstable_SetImmortal(text), 0);
    EXPECT_EQ(PyUnstable_IsImmortal(text), 0);
    Py_DECREF(text);
}

TEST_PY(an_immortal_object_is_no_candidate, .no_leak_check = true)
{
    PyObject *x = new_n("x");
    EXPECT_EQ(PyUnstable_SetImmortal(x), 1);
    set_a(x, x);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "");
}

/* --- attempts ---------------------------------------------------------------------------------- */

static int attempt;

static void
try_to_save(struct node *self)
{
    attempt = PyUnstable_TryIncRef((PyObject *)self);
}

TEST_PY(a_dying_object_cannot_be_taken_again)
{
    PyObject *x = new_n("x");
    PyUnstable_EnableTryIncRef(x);
    EXPECT_EQ(PyUnstable_TryIncRef(x), 1);
    EXPECT_EQ(Py_REFCNT(x), 2);
    Py_DECREF(x);
    attempt = -1;
    when_deallocated = try_to_save;
    Py_DECREF(x);
    EXPECT_EQ(attempt, 0);
    EXPECT_STR(events(), "dealloc x");
}

TEST_PY(deferred_counting_belongs_to_other_builds)
{
    PyObject *x = new_n(NULL);
    EXPECT_EQ(PyUnstable_Object_EnableDeferredRefcount(x), 0);
    EXPECT_EQ(PyUnstable_Object_IsUniqueReferencedTemporary(x), 0);
    Py_DECREF(x);
}

/* --- store and release --------------------------------------------------------------------------- */

static PyObject *owner_field;
static PyObject *seen_by_destructor;
static int destructor_calls;

/* The destructor of the old value looks at the field. */
static void
look_at_field(struct node *self)
{
    (void)self;
    destructor_calls++;
    seen_by_destructor = owner_field;
}

static PyObject **
owner_place(int *evaluations)
{
    ++*evaluations;
    return &owner_field;
}

TEST_PY(clear_stores_null_before_it_releases)
{
    int evaluations = 0;
    owner_field = new_n("x");
    seen_by_destructor = Py_None;
    when_deallocated = look_at_field;
    Py_CLEAR(*owner_place(&evaluations));
    EXPECT_EQ(evaluations, 1);
    EXPECT_NULL(owner_field);
    EXPECT_EQ(destructor_calls, 1);
    EXPECT_NULL(seen_by_destructor);
    Py_CLEAR(owner_field);
    EXPECT_EQ(destructor_calls, 1);
}

TEST_PY(setref_stores_before_it_releases_and_takes_the_reference)
{
    int evaluations = 0;
    PyObject *y = new_n(NULL);
    owner_field = new_n("x");
    when_deallocated = look_at_field;
    Py_SETREF(*owner_place(&evaluations), y);
    EXPECT_EQ(evaluations, 1);
    EXPECT_EQ(owner_field, y);
    EXPECT_EQ(seen_by_destructor, y);
    EXPECT_EQ(Py_REFCNT(y), 1);
    EXPECT_STR(events(), "dealloc x");
    when_deallocated = NULL;
    Py_CLEAR(owner_field);
}

TEST_PY(xsetref_takes_null_on_both_sides)
{
    int evaluations = 0;
    PyObject *x = new_n("x");
    Py_XSETREF(*owner_place(&evaluations), x);
    EXPECT_EQ(owner_field, x);
    EXPECT_EQ(Py_REFCNT(x), 1);
    when_deallocated = look_at_field;
    seen_by_destructor = Py_None;
    Py_XSETREF(*owner_place(&evaluations), NULL);
    EXPECT_EQ(evaluations, 2);
    EXPECT_NULL(seen_by_destructor);
    EXPECT_EQ(destructor_calls, 1);
}

TEST_PY(store_and_release_keep_typed_fields)
{
    struct node *x = node_of(new_n("x"));
    struct node *field = x;
    Py_SETREF(field, node_of(new_n("y")));
    EXPECT_STR(events(), "dealloc x");
    EXPECT_STR(field->name, "y");
    Py_CLEAR(field);
    EXPECT_STR(events(), "dealloc x, dealloc y");
}
