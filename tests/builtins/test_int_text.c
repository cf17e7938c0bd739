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

/* ---- long texts -------------------------------------------------------------------------- */

#define TOO_LONG(digits)                                                                 \
    "Exceeds the limit (" #digits " digits) for integer string conversion"

/* `first`, then zeros: `digits` characters in all. The caller frees the text. */
static char *
new_digits(size_t digits, const char *first)
{
    size_t prefix = strlen(first);
    char *text = malloc(digits + 1);
    REQUIRE_NOT_NULL(text);
    memset(text, '0', digits);
    memcpy(text, first, prefix);
    text[digits] = '\0';
    return text;
}

static PyObject *
int_of_digits(size_t digits, const char *first, int base)
{
    char *text = new_digits(digits, first);
    PyObject *str = PyUnicode_FromString(text);
    PyObject *result = PyLong_FromUnicodeObject(str, base);
    Py_DECREF(str);
    free(text);
    return result;
}

/* 10 ** exponent, whatever the limit is. */
static PyObject *
power_of_ten(int exponent)
{
    PyObject *ten = number(10), *up = number(exponent);
    PyObject *result = PyNumber_Power(ten, up, Py_None);
    Py_DECREF(ten);
    Py_DECREF(up);
    return result;
}

static void
expect_too_long(PyObject *result, const char *text)
{
    EXPECT_NULL(result);
    PyObject *error = PyErr_GetRaisedException();
    REQUIRE_NOT_NULL(error);
    EXPECT(PyErr_GivenExceptionMatches(error, PyExc_ValueError));
    PyObject *message = PyObject_Str(error);
    EXPECT_HAS(PyUnicode_AsUTF8(message), text);
    Py_DECREF(message);
    Py_DECREF(error);
}

TEST_PY(reading_more_digits_than_the_limit_is_refused)
{
    EXPECT_EQ(Ouro_IntGetMaxStrDigits(), 4300);
    Py_XDECREF(int_of_digits(4300, "1", 10));
    EXPECT_NO_ERROR();
    expect_too_long(
        int_of_digits(4301, "1", 10),
        TOO_LONG(4300) ": value has 4301 digits; "
                       "use sys.set_int_max_str_digits() to increase the limit");
    expect_too_long(int_of_digits(4301, "0", 10), "value has 4301 digits");
    expect_too_long(int_of_digits(4302, "1_0", 7), "value has 4301 digits");
    expect_too_long(int_of_digits(4303, "-1", 36), "value has 4302 digits");
    char *text = new_digits(5000, "1");
    expect_too_long(PyLong_FromString(text, NULL, 10), "value has 5000 digits");
    PyObject *bytes = PyBytes_FromString(text);
    expect_too_long(PyNumber_Long(bytes), "value has 5000 digits");
    Py_DECREF(bytes);
    free(text);
}

TEST_PY(writing_more_digits_than_the_limit_is_refused)
{
    PyObject *longest = power_of_ten(4299), *longer = power_of_ten(4300);
    PyObject *negative = PyNumber_Negative(longest), *text = PyObject_Str(longest);
    EXPECT_EQ(PyUnicode_GetLength(text), 4300);
    Py_DECREF(text);
    text = PyObject_Str(negative); /* the sign is no digit */
    EXPECT_EQ(PyUnicode_GetLength(text), 4301);
    Py_DECREF(text);
    expect_too_long(PyObject_Str(longer), TOO_LONG(4300) "; use ");
    expect_too_long(PyObject_Repr(longer), TOO_LONG(4300));
    expect_too_long(PyObject_Format(longer, NULL), TOO_LONG(4300));
    expect_too_long(PyUnicode_FromFormat("%S", longer), TOO_LONG(4300));
    PyObject *format = PyUnicode_FromString("%d");
    expect_too_long(PyUnicode_Format(format, longer), TOO_LONG(4300));
    Py_DECREF(format);
    Py_DECREF(longest);
    Py_DECREF(longer);
    Py_DECREF(negative);
}

TEST_PY(the_limit_of_digits_can_be_set)
{
    EXPECT_EQ(Ouro_IntSetMaxStrDigits(639), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "maxdigits must be 0 or larger than 640");
    EXPECT_EQ(Ouro_IntSetMaxStrDigits(-1), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(Ouro_IntSetMaxStrDigits(640), 0);
    expect_too_long(int_of_digits(641, "1", 10), TOO_LONG(640));
    PyObject *n = power_of_ten(640);
    expect_too_long(PyObject_Str(n), TOO_LONG(640));
    EXPECT_EQ(Ouro_IntSetMaxStrDigits(0), 0);
    PyObject *text = PyObject_Str(n), *again = PyLong_FromUnicodeObject(text, 10);
    EXPECT_EQ(PyObject_RichCompareBool(n, again, Py_EQ), 1);
    Py_XDECREF(text);
    Py_XDECREF(again);
    Py_DECREF(n);
}

TEST_PY(each_interpreter_has_a_limit_of_digits)
{
    PyThreadState *here = PyThreadState_Get();
    EXPECT_EQ(Ouro_IntSetMaxStrDigits(1000), 0);
    PyThreadState *there = Py_NewInterpreter();
    REQUIRE_NOT_NULL(there);
    EXPECT_EQ(Ouro_IntGetMaxStrDigits(), OURO_INT_MAX_STR_DIGITS);
    Py_EndInterpreter(there);
    PyThreadState_Swap(here);
    EXPECT_EQ(Ouro_IntGetMaxStrDigits(), 1000);
}

/* This took ten minutes when every character multiplied the number read so far. */
TEST_PY(bases_that_are_powers_of_two_take_linear_time, .timeout = 20)
{
    static const int bases[] = {2, 4, 8, 16, 32};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(bases); i++) {
        PyObject *n = int_of_digits(3000000, "1_0", bases[i]), *bits = NULL;
        REQUIRE_NOT_NULL(n);
        bits = PyObject_CallMethod(n, "bit_length", NULL);
        EXPECT_EQ(PyLong_AsLong(bits), 2999998L * ((long)i + 1) + 1);
        Py_DECREF(bits);
        Py_DECREF(n);
    }
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
