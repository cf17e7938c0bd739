/* SPDX-License-Identifier: MIT */
/* Comparison, hashes and truth. */
#include "../protocol.h"

static char asked[20]; /* 'b' and 'd': which operand was asked, in order */
static int base_answers, derived_answers;

static PyObject *compare_and_note(PyObject *self, PyObject *Py_UNUSED(other), int op);

static PyType_Slot base_slots[] = {
    {Py_tp_richcompare, compare_and_note},
    {0, NULL},
};
static PyType_Spec base_spec = {"test.Base", sizeof(PyObject), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, base_slots};
static PyType_Spec derived_spec = {"test.Derived", sizeof(PyObject), 0,
                                   Py_TPFLAGS_DEFAULT, base_slots};
static PyObject *base_type, *derived_type, *base, *derived;

static PyObject *
compare_and_note(PyObject *self, PyObject *Py_UNUSED(other), int op)
{
    bool is_base = (PyObject *)Py_TYPE(self) == base_type;
    strcat(asked, is_base ? "b" : "d");
    if (is_base ? base_answers : derived_answers) {
        return PyLong_FromLong(op);
    }
    Py_RETURN_NOTIMPLEMENTED;
}

static void
make_operands(int base_does, int derived_does)
{
    base_answers = base_does;
    derived_answers = derived_does;
    base_type = PyType_FromSpec(&base_spec);
    REQUIRE_NOT_NULL(base_type);
    derived_type = PyType_FromSpecWithBases(&derived_spec, base_type);
    REQUIRE_NOT_NULL(derived_type);
    base = PyObject_CallNoArgs(base_type);
    derived = PyObject_CallNoArgs(derived_type);
    REQUIRE_NOT_NULL(derived);
}

static void
drop_operands(void)
{
    Py_CLEAR(base);
    Py_CLEAR(derived);
    Py_CLEAR(base_type);
    Py_CLEAR(derived_type);
    asked[0] = '\0';
}

TEST_PY(the_left_operand_is_asked_first_and_then_the_right_one_with_the_swapped_operator)
{
    make_operands(0, 1);
    EXPECT_REPR_OF(PyObject_RichCompare(base, Py_None, Py_EQ), "False");
    EXPECT_STR(asked, "b");
    drop_operands();
    make_operands(1, 0);
    EXPECT_REPR_OF(PyObject_RichCompare(derived, base, Py_LT), "4" /* Py_GT */);
    EXPECT_STR(asked, "db");
    drop_operands();
}

TEST_PY(an_operand_of_a_subtype_is_asked_first_and_once)
{
    make_operands(0, 0);
    EXPECT_REPR_OF(PyObject_RichCompare(base, derived, Py_EQ), "False");
    EXPECT_STR(asked, "db");
    drop_operands();
}

TEST_PY(without_an_answer_equality_is_identity_and_order_an_error)
{
    make_operands(0, 0);
    EXPECT_REPR_OF(PyObject_RichCompare(base, base, Py_EQ), "True");
    EXPECT_REPR_OF(PyObject_RichCompare(base, base, Py_NE), "False");
    asked[0] = '\0';
    EXPECT_NULL(PyObject_RichCompare(base, derived, Py_GE));
    EXPECT_RAISED_TEXT(
        PyExc_TypeError,
        "'>=' not supported between instances of 'test.Base' and 'test.Derived'");
    drop_operands();
}

TEST_PY(compare_bool_takes_identity_for_equality)
{
    make_operands(1, 1);
    EXPECT_EQ(PyObject_RichCompareBool(base, base, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(base, base, Py_NE), 0);
    EXPECT_STR(asked, "");
    EXPECT_EQ(PyObject_RichCompareBool(base, base, Py_LT), 0); /* answered: Py_LT is 0 */
    EXPECT_EQ(PyObject_RichCompareBool(base, Py_None, Py_GT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(Py_None, Py_True, Py_LT), -1);
    EXPECT_RAISED(PyExc_TypeError);
    drop_operands();
}

TEST_PY(bad_operands_of_a_comparison_are_a_system_error)
{
    EXPECT_NULL(PyObject_RichCompare(NULL, Py_None, Py_EQ));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyObject_RichCompare(Py_None, Py_None, 6));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyObject_RichCompareBool(NULL, NULL, Py_EQ), -1);
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(comparing_endless_structures_raises_recursion_error)
{
    PyObject *a = PyList_New(0), *b = PyList_New(0);
    PyList_Append(a, b);
    PyList_Append(b, a);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), -1);
    EXPECT_RAISED(PyExc_RecursionError);
    PyList_Clear(a);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(unhashable_types_say_so)
{
    PyObject *list = PyList_New(0), *a = text("some text"), *b = text("some text");
    EXPECT_EQ(PyObject_Hash(list), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unhashable type: 'list'");
    EXPECT_EQ(PyObject_HashNotImplemented(Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unhashable type: 'NoneType'");
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    EXPECT_NE(PyObject_Hash(Py_None), -1);
    Py_DECREF(list);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(truth_comes_from_bool_or_length)
{
    PyObject *list = PyList_New(0), *dict = PyDict_New();
    PyObject *zero = number(0), *one = number(1);
    EXPECT_EQ(PyObject_IsTrue(Py_True), 1);
    EXPECT_EQ(PyObject_IsTrue(Py_False), 0);
    EXPECT_EQ(PyObject_IsTrue(Py_None), 0);
    EXPECT_EQ(PyObject_IsTrue(list), 0);
    EXPECT_EQ(PyObject_IsTrue(dict), 0);
    EXPECT_EQ(PyObject_IsTrue(zero), 0);
    EXPECT_EQ(PyObject_IsTrue(one), 1);
    EXPECT_EQ(PyObject_IsTrue((PyObject *)&PyList_Type), 1);
    EXPECT_EQ(PyObject_Not(list), 1);
    PyList_Append(list, Py_None);
    EXPECT_EQ(PyObject_Not(list), 0);
    Py_DECREF(list);
    Py_DECREF(dict);
}

static int
failing_bool(PyObject *Py_UNUSED(o))
{
    PyErr_SetString(PyExc_ValueError, "undecided");
    return -1;
}

static PyType_Slot undecided_slots[] = {{Py_nb_bool, failing_bool}, {0, NULL}};
static PyType_Spec undecided_spec = {"test.Undecided", sizeof(PyObject), 0,
                                     Py_TPFLAGS_DEFAULT, undecided_slots};

TEST_PY(a_failing_bool_is_reported)
{
    PyObject *type = PyType_FromSpec(&undecided_spec);
    PyObject *o = PyObject_CallNoArgs(type);
    EXPECT_EQ(PyObject_IsTrue(o), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyObject_Not(o), -1);
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(o);
    Py_DECREF(type);
}

TEST_PY(the_hash_of_object_is_of_the_address)
{
    PyObject *o = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    EXPECT(PyBaseObject_Type.tp_hash == PyObject_GenericHash);
    EXPECT_EQ(PyObject_GenericHash(o), PyObject_Hash(o));
    EXPECT_EQ(PyObject_GenericHash(o), Py_HashPointer(o));
    Py_DECREF(o);
    PyObject *list = PyList_New(0); /* identity decides, whatever the type says */
    EXPECT_EQ(PyObject_GenericHash(list), Py_HashPointer(list));
    Py_DECREF(list);
}
