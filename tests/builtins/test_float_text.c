/* SPDX-License-Identifier: MIT */
/* Doubles as text. */
#include "../protocol.h"

#include <locale.h>

TEST_PY(repr_is_the_shortest_text_that_reads_back)
{
    struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0.0"},
                 {-0.0, "-0.0"},
                 {0.1, "0.1"},
                 {100.0, "100.0"},
                 {1e16, "1e+16"},
                 {1e15, "1000000000000000.0"},
                 {123456789012345680.0, "1.2345678901234568e+17"},
                 {0.0001, "0.0001"},
                 {0.00001, "1e-05"},
                 {5e-324, "5e-324"},
                 {2.2250738585072014e-308, "2.2250738585072014e-308"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {1.0 / 3, "0.3333333333333333"},
                 {2.0 / 3, "0.6666666666666666"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"}};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        EXPECT_REPR_OF(PyFloat_FromDouble(cases[i].value), cases[i].text);
    }
}

TEST_PY(every_double_reads_back_from_its_repr)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double value;
        memcpy(&value, &state, sizeof value);
        if (isnan(value)) {
            continue;
        }
        PyObject *f = PyFloat_FromDouble(value), *repr = PyObject_Repr(f);
        EXPECT(PyOS_string_to_double(PyUnicode_AsUTF8(repr), NULL, NULL) == value);
        Py_DECREF(f);
        Py_DECREF(repr);
    }
}

TEST_PY(the_locale_changes_nothing)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        SKIP("no locale with a decimal comma");
    }
    EXPECT_REPR_OF(PyFloat_FromDouble(1.5), "1.5");
    PyObject *source = text("2.25");
    EXPECT_REPR_OF(PyFloat_FromString(source), "2.25");
    Py_DECREF(source);
}

TEST_PY(what_is_no_number_is_a_value_error)
{
    static const char *const bad[] = {"",     ".",   "1.2.3", "0x10", "1e",
                                      "nanx", "1 2", "_1",    "e5"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(bad); i++) {
        PyObject *source = text(bad[i]);
        EXPECT_NULL(PyFloat_FromString(source));
        EXPECT_RAISED(PyExc_ValueError);
        Py_DECREF(source);
    }
    EXPECT_NULL(PyFloat_FromString(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    PyObject *words[] = {text("-Infinity"), text("NaN"), text(".5"), text("5.")};
    const char *values[] = {"-inf", "nan", "0.5", "5.0"};
    for (int i = 0; i < 4; i++) {
        EXPECT_REPR_OF(PyFloat_FromString(words[i]), values[i]);
        Py_DECREF(words[i]);
    }
}

TEST_PY(strings_to_doubles_stop_where_they_must)
{
    char *end;
    const char *source = "1.5abc";
    EXPECT(PyOS_string_to_double(source, &end, NULL) == 1.5);
    EXPECT_STR(end, "abc");
    EXPECT(PyOS_string_to_double(source, NULL, NULL) == -1.0);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT(isinf(PyOS_string_to_double("1e999", NULL, NULL)));
    EXPECT(PyOS_string_to_double("1e999", NULL, PyExc_OverflowError) == -1.0);
    EXPECT_RAISED(PyExc_OverflowError);
}

TEST_PY(doubles_are_printed_in_the_formats_of_printf)
{
    struct {
        double value;
        char code;
        int precision, flags;
        const char *text;
    } cases[] = {{1.5, 'r', 0, 0, "1.5"},
                 {2, 'r', 0, 0, "2"},
                 {2, 'r', 0, Py_DTSF_ADD_DOT_0, "2.0"},
                 {2, 'r', 0, Py_DTSF_SIGN, "+2"},
                 {3.14159, 'f', 2, 0, "3.14"},
                 {314, 'e', 1, 0, "3.1e+02"},
                 {0.5, 'g', 6, 0, "0.5"}};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        int type = 9;
        char *s = PyOS_double_to_string(cases[i].value, cases[i].code, cases[i].precision,
                                        cases[i].flags, &type);
        EXPECT_STR(s, cases[i].text);
        EXPECT_EQ(type, Py_DTST_FINITE);
        PyMem_Free(s);
    }
    EXPECT_NULL(PyOS_double_to_string(1, 'q', 0, 0, NULL));
    EXPECT_RAISED(PyExc_SystemError);
}
