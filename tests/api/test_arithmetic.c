/* SPDX-License-Identifier: MIT */
/* Operators: each reaches its slot, operands are asked in the right order, and an operation that
 * no operand supports is a TypeError. */
#include "../protocol.h"

static PyObject *
binary_of_ints(binaryfunc f, long a, long b)
{
    PyObject *left = number(a), *right = number(b);
    PyObject *result = f(left, right);
    Py_DECREF(left);
    Py_DECREF(right);
    return result;
}

TEST_PY(each_binary_operator_reaches_its_slot)
{
    EXPECT_REPR_OF(binary_of_ints(PyNumber_Add, 7, 3), "10");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_Subtract, 7, 3), "4");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_Multiply, 7, 3), "21");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_FloorDivide, 7, 3), "2");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_TrueDivide, 7, 2), "3.5");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_Remainder, 7, 3), "1");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_Divmod, 7, 3), "(2, 1)");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_Lshift, 7, 3), "56");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_Rshift, 7, 1), "3");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_And, 7, 9), "1");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_Xor, 7, 9), "14");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_Or, 7, 9), "15");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceAdd, 7, 3), "10");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceSubtract, 7, 3), "4");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceMultiply, 7, 3), "21");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceFloorDivide, 7, 3), "2");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceTrueDivide, 7, 2), "3.5");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceRemainder, 7, 3), "1");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceLshift, 7, 3), "56");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceRshift, 7, 1), "3");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceAnd, 7, 9), "1");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceXor, 7, 9), "14");
    EXPECT_REPR_OF(binary_of_ints(PyNumber_InPlaceOr, 7, 9), "15");
}

TEST_PY(unary_operators_and_power)
{
    PyObject *n = number(-7), *two = number(2), *ten = number(10);
    EXPECT_REPR_OF(PyNumber_Negative(n), "7");
    EXPECT_REPR_OF(PyNumber_Positive(n), "-7");
    EXPECT_REPR_OF(PyNumber_Absolute(n), "7");
    EXPECT_REPR_OF(PyNumber_Invert(n), "6");
    EXPECT_REPR_OF(PyNumber_Power(two, ten, Py_None), "1024");
    EXPECT_REPR_OF(PyNumber_Power(two, ten, ten), "4");
    EXPECT_REPR_OF(PyNumber_InPlacePower(two, ten, Py_None), "1024");
    Py_DECREF(n);
}

static void
expect_refusal(binaryfunc f, const char *operator)
{
    char expected[100];
    snprintf(expected, sizeof(expected),
             "unsupported operand type(s) for %s: 'NoneType' and 'NoneType'", operator);
    EXPECT_NULL(f(Py_None, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, expected);
    EXPECT_NULL(f(NULL, Py_None));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "null argument to internal routine");
}

TEST_PY(operators_that_nobody_has_name_themselves_and_the_types)
{
    expect_refusal(PyNumber_Add, "+");
    expect_refusal(PyNumber_Subtract, "-");
    expect_refusal(PyNumber_Multiply, "*");
    expect_refusal(PyNumber_MatrixMultiply, "@");
    expect_refusal(PyNumber_FloorDivide, "//");
    expect_refusal(PyNumber_TrueDivide, "/");
    expect_refusal(PyNumber_Remainder, "%");
    expect_refusal(PyNumber_Divmod, "divmod()");
    expect_refusal(PyNumber_Lshift, "<<");
    expect_refusal(PyNumber_Rshift, ">>");
    expect_refusal(PyNumber_And, "&");
    expect_refusal(PyNumber_Xor, "^");
    expect_refusal(PyNumber_Or, "|");
    expect_refusal(PyNumber_InPlaceAdd, "+=");
    expect_refusal(PyNumber_InPlaceSubtract, "-=");
    expect_refusal(PyNumber_InPlaceMultiply, "*=");
    expect_refusal(PyNumber_InPlaceMatrixMultiply, "@=");
    expect_refusal(PyNumber_InPlaceFloorDivide, "//=");
    expect_refusal(PyNumber_InPlaceTrueDivide, "/=");
    expect_refusal(PyNumber_InPlaceRemainder, "%=");
    expect_refusal(PyNumber_InPlaceLshift, "<<=");
    expect_refusal(PyNumber_InPlaceRshift, ">>=");
    expect_refusal(PyNumber_InPlaceAnd, "&=");
    expect_refusal(PyNumber_InPlaceXor, "^=");
    expect_refusal(PyNumber_InPlaceOr, "|=");
    EXPECT_NULL(PyNumber_Power(Py_None, Py_None, Py_None));
    EXPECT_RAISED_TEXT(
        PyExc_TypeError,
        "unsupported operand type(s) for ** or pow(): 'NoneType' and 'NoneType'");
    EXPECT_NULL(PyNumber_InPlacePower(Py_None, Py_True, Py_Ellipsis));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unsupported operand type(s) for **=: 'NoneType', "
                       "'bool', 'ellipsis'");
    EXPECT_NULL(PyNumber_Negative(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "bad operand type for unary -: 'NoneType'");
    EXPECT_NULL(PyNumber_Positive(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "bad operand type for unary +: 'NoneType'");
    EXPECT_NULL(PyNumber_Absolute(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "bad operand type for abs(): 'NoneType'");
    EXPECT_NULL(PyNumber_Invert(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "bad operand type for unary ~: 'NoneType'");
    EXPECT_NULL(PyNumber_Invert(NULL));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(sequences_answer_to_plus_and_times)
{
    PyObject *list = PyList_New(0), *three = number(3);
    PyList_Append(list, Py_None);
    EXPECT_REPR_OF(PyNumber_Add(list, list), "[None, None]");
    EXPECT_REPR_OF(PyNumber_Multiply(list, three), "[None, None, None]");
    EXPECT_REPR_OF(PyNumber_Multiply(three, list), "[None, None, None]");
    EXPECT_NULL(PyNumber_Multiply(list, list));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "can't multiply sequence by non-int of type 'list'");
    PyObject *same = PyNumber_InPlaceAdd(list, list);
    EXPECT_EQ(same, list);
    Py_XDECREF(same);
    same = PyNumber_InPlaceMultiply(list, three);
    EXPECT_EQ(same, list);
    Py_XDECREF(same);
    EXPECT_EQ(PyList_Size(list), 6);
    Py_DECREF(list);
}

/* Which operand was asked, in order. */
static char order[20];
static PyObject *weak_type, *strong_type;

static PyObject *
weak_add(PyObject *Py_UNUSED(v), PyObject *Py_UNUSED(w))
{
    strcat(order, "w");
    Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *
strong_add(PyObject *Py_UNUSED(v), PyObject *Py_UNUSED(w))
{
    strcat(order, "s");
    Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *
weak_power(PyObject *v, PyObject *w, PyObject *Py_UNUSED(z))
{
    return weak_add(v, w);
}

static PyObject *
strong_power(PyObject *v, PyObject *w, PyObject *Py_UNUSED(z))
{
    return strong_add(v, w);
}

static PyType_Slot weak_slots[] = {
    {Py_nb_add, weak_add}, {Py_nb_power, weak_power}, {0, NULL}};
static PyType_Slot strong_slots[] = {
    {Py_nb_add, strong_add}, {Py_nb_power, strong_power}, {0, NULL}};
static PyType_Spec weak_spec = {"test.Weak", sizeof(PyObject), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, weak_slots};
static PyType_Spec strong_spec = {"test.Strong", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                  strong_slots};

static void
expect_order(PyObject *v, PyObject *w, const char *expected)
{
    order[0] = '\0';
    EXPECT_NULL(PyNumber_Add(v, w));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_STR(order, expected);
    order[0] = '\0';
    EXPECT_NULL(PyNumber_Power(v, w, Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_STR(order, expected);
}

TEST_PY(a_subtype_on_the_right_is_asked_first_and_nobody_twice)
{
    weak_type = PyType_FromSpec(&weak_spec);
    strong_type = PyType_FromSpecWithBases(&strong_spec, weak_type);
    REQUIRE_NOT_NULL(strong_type);
    PyObject *w = PyObject_CallNoArgs(weak_type), *s = PyObject_CallNoArgs(strong_type);
    expect_order(w, s, "sw");
    expect_order(s, w, "sw");
    expect_order(w, w, "w");
    expect_order(w, Py_None, "w");
    expect_order(Py_None, w, "w");
    Py_DECREF(w);
    Py_DECREF(s);
    Py_DECREF(strong_type);
    Py_DECREF(weak_type);
}
