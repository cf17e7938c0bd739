/* SPDX-License-Identifier: MIT */
/* int from and to text. */
#include "../protocol.h"

TEST_PY(text_is_parsed_in_any_base)
{
    EXPECT_REPR_OF(PyLong_FromString("  -42\n", NULL, 10), "-42");
    EXPECT_REPR_OF(PyLong_FromString("+1_000_000", NULL, 10), "1000000");
    EXPECT_REPR_OF(PyLong_FromString("0x_Ff", NULL, 16), "255");
    EXPECT_REPR_OF(PyLong_FromString("0b101", NULL, 0), "5");
    EXPECT_REPR_OF(PyLong_FromString("0o17", NULL, 0), "15");
    EXPECT_REPR_OF(PyLong_FromString("000", NULL, 0), "0");
    EXPECT_REPR_OF(PyLong_FromString("zz", NULL, 36), "1295");
    EXPECT_REPR_OF(PyLong_FromString("0b1", NULL, 16), "177");
    EXPECT_REPR_OF(PyLong_FromString(
                       "100000000000000000000000000000000000000000000000001", NULL, 10),
                   "100000000000000000000000000000000000000000000000001");
}

TEST_PY(what_is_no_number_is_a_value_error)
{
    static const char *const bad[] = {"",   " ",  "-",   "+-1", "1__0", "_1",
                                      "1_", "0x", "12a", "1 2", "0b2",  "012x"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(bad); i++) {
        EXPECT_NULL(PyLong_FromString(bad[i], NULL, 0));
        EXPECT_RAISED(PyExc_ValueError);
    }
    EXPECT_NULL(PyLong_FromString("012", NULL, 0));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "invalid literal for int() with base 0: '012'");
    EXPECT_NULL(PyLong_FromString("1", NULL, 37));
    EXPECT_RAISED(PyExc_ValueError);
    PyObject *nul = PyUnicode_FromStringAndSize("12\0", 3);
    EXPECT_NULL(PyLong_FromUnicodeObject(nul, 10));
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(nul);
}

TEST_PY(the_end_of_the_number_is_reported)
{
    const char *source = "123 rest";
    char *end = NULL;
    EXPECT_REPR_OF(PyLong_FromString(source, &end, 10), "123");
    EXPECT_STR(end, "rest");
    EXPECT_NULL(PyLong_FromString("rest", &end, 10));
    EXPECT_STR(end, "rest");
    PyErr_Clear();
}

TEST_PY(ints_are_printed_in_bases_with_a_prefix)
{
    PyObject *n = PyLong_FromString("-1208925819614629174706176", NULL, 10); /* 2^80 */
    EXPECT_REPR_OF(Py_NewRef(n), "-1208925819614629174706176");
    EXPECT_REPR_OF(_PyLong_Format(n, 16), "'-0x100000000000000000000'");
    EXPECT_REPR_OF(_PyLong_Format(number(8), 8), "'0o10'");
    EXPECT_REPR_OF(_PyLong_Format(number(0), 2), "'0b0'");
    EXPECT_NULL(_PyLong_Format(n, 7));
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(n);
}

static PyObject *
parse_and_print(void)
{
    PyObject *n = PyLong_FromString("123456789012345678901234567890", NULL, 10);
    PyObject *result = n == NULL ? NULL : PyObject_Repr(n);
    Py_XDECREF(n);
    return result;
}

TEST_PY(text_of_ints_survives_any_failing_allocation)
{
    fail_each_allocation(parse_and_print);
}
