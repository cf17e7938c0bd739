/* SPDX-License-Identifier: MIT */
/* Numbers from objects. */
#include "../protocol.h"

static PyObject *answer; /* what the conversion slots of test.Number return */

static PyObject *
give_answer(PyObject *Py_UNUSED(o))
{
    return Py_XNewRef(answer);
}

static PyType_Slot all_slots[] = {{Py_nb_int, give_answer},
                                  {Py_nb_index, give_answer},
                                  {Py_nb_float, give_answer},
                                  {0, NULL}};
static PyType_Slot index_slots[] = {{Py_nb_index, give_answer}, {0, NULL}};
static PyType_Spec all_spec = {"test.Number", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                               all_slots};
static PyType_Spec index_spec = {"test.Index", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                 index_slots};

TEST_PY(numbers_and_indices_are_told_by_their_slots)
{
    PyObject *f = PyFloat_FromDouble(1.5), *n = number(1),
             *index = instance_of_spec(&index_spec);
    EXPECT_EQ(PyNumber_Check(n), 1);
    EXPECT_EQ(PyNumber_Check(f), 1);
    EXPECT_EQ(PyNumber_Check(index), 1);
    EXPECT_EQ(PyNumber_Check(Py_None), 0);
    EXPECT_EQ(PyNumber_Check(NULL), 0);
    EXPECT_EQ(PyIndex_Check(n), 1);
    EXPECT_EQ(PyIndex_Check(f), 0);
    Py_DECREF(f);
    Py_DECREF(index);
}

TEST_PY(index_wants_an_int)
{
    PyObject *index = instance_of_spec(&index_spec), *f = PyFloat_FromDouble(1.5);
    answer = number(12);
    EXPECT_REPR_OF(PyNumber_Index(index), "12");
    EXPECT_REPR_OF(PyNumber_Index(answer), "12");
    EXPECT_NULL(PyNumber_Index(f));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'float' object cannot be interpreted as an integer");
    answer = Py_None;
    EXPECT_NULL(PyNumber_Index(index));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__index__ returned non-int (type NoneType)");
    EXPECT_NULL(PyNumber_Index(NULL));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(index);
    Py_DECREF(f);
}

TEST_PY(ssize_values_are_clipped_or_refused)
{
    PyObject *huge = PyLong_FromString("10000000000000000000000", NULL, 10);
    PyObject *low = PyNumber_Negative(huge), *n = number(-1);
    EXPECT_EQ(PyNumber_AsSsize_t(n, NULL), -1);
    EXPECT_NO_ERROR();
    EXPECT_EQ(PyNumber_AsSsize_t(huge, NULL), PY_SSIZE_T_MAX);
    EXPECT_EQ(PyNumber_AsSsize_t(low, NULL), PY_SSIZE_T_MIN);
    EXPECT_EQ(PyNumber_AsSsize_t(huge, PyExc_ValueError), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "cannot fit 'int' into an index-sized integer");
    EXPECT_EQ(PyNumber_AsSsize_t(Py_None, NULL), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(huge);
    Py_DECREF(low);
}

TEST_PY(int_from_anything_that_is_a_number_or_its_text)
{
    PyObject *f = PyFloat_FromDouble(-3.75), *s = text(" 42 "), *bad = text("4x");
    PyObject *b = PyBytes_FromStringAndSize("17", 2);
    PyObject *nul = PyBytes_FromStringAndSize("1\0007", 3);
    PyObject *all = instance_of_spec(&all_spec), *index = instance_of_spec(&index_spec);
    EXPECT_REPR_OF(PyNumber_Long(f), "-3");
    EXPECT_REPR_OF(PyNumber_Long(s), "42");
    EXPECT_REPR_OF(PyNumber_Long(b), "17");
    EXPECT_NULL(PyNumber_Long(bad));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "invalid literal for int() with base 10: '4x'");
    EXPECT_NULL(PyNumber_Long(nul));
    EXPECT_RAISED_TEXT(PyExc_ValueError,
                       "invalid literal for int() with base 10: b'1\\x007'");
    EXPECT_NULL(PyNumber_Long(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "int() argument must be a string, a bytes-like object or a real "
                       "number, not 'NoneType'");
    answer = Py_True; /* a subclass of int: the result is an exact int */
    EXPECT_REPR_OF(PyNumber_Long(all), "1");
    EXPECT_REPR_OF(PyNumber_Long(index), "1");
    answer = Py_None;
    EXPECT_NULL(PyNumber_Long(all));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__int__ returned non-int (type NoneType)");
    Py_DECREF(f);
    Py_DECREF(s);
    Py_DECREF(b);
    Py_DECREF(bad);
    Py_DECREF(nul);
    Py_DECREF(all);
    Py_DECREF(index);
}

TEST_PY(float_from_anything_that_is_a_number_or_its_text)
{
    PyObject *n = number(3), *s = text("2.5"), *all = instance_of_spec(&all_spec);
    PyObject *index = instance_of_spec(&index_spec);
    EXPECT_REPR_OF(PyNumber_Float(n), "3.0");
    EXPECT_REPR_OF(PyNumber_Float(s), "2.5");
    answer = number(4);
    EXPECT_REPR_OF(PyNumber_Float(index), "4.0");
    EXPECT_NULL(PyNumber_Float(all));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "test.Number.__float__ returned non-float (type int)");
    answer = PyFloat_FromDouble(0.5);
    EXPECT_REPR_OF(PyNumber_Float(all), "0.5");
    EXPECT_NULL(PyNumber_Float(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(answer);
    Py_DECREF(s);
    Py_DECREF(all);
    Py_DECREF(index);
}

TEST_PY(digits_in_four_bases)
{
    PyObject *n = number(-30);
    EXPECT_REPR_OF(PyNumber_ToBase(n, 2), "'-0b11110'");
    EXPECT_REPR_OF(PyNumber_ToBase(n, 8), "'-0o36'");
    EXPECT_REPR_OF(PyNumber_ToBase(n, 10), "'-30'");
    EXPECT_REPR_OF(PyNumber_ToBase(n, 16), "'-0x1e'");
    EXPECT_NULL(PyNumber_ToBase(n, 7));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "PyNumber_ToBase: base must be 2, 8, 10 or 16");
    EXPECT_NULL(PyNumber_ToBase(Py_None, 2));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(n);
}
