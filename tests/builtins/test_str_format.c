/* SPDX-License-Identifier: MIT */
/* PyUnicode_FromFormat: every code, flag, width and precision. */
#include "../protocol.h"

#define EXPECT_FORMAT(expected, ...)                                                     \
    do {                                                                                 \
        PyObject *made_ = PyUnicode_FromFormat(__VA_ARGS__);                             \
        EXPECT_STR(made_ == NULL ? NULL : PyUnicode_AsUTF8(made_), expected);            \
        Py_XDECREF(made_);                                                               \
    } while (0)

TEST_PY(integers_are_formatted_as_by_printf)
{
    EXPECT_FORMAT("-5|5|7|a|A|17", "%d|%i|%u|%x|%X|%o", -5, 5, 7u, 10u, 10u, 15u);
    EXPECT_FORMAT("-1|4294967295", "%ld|%lu", -1L, 4294967295UL);
    EXPECT_FORMAT("-1|18446744073709551615", "%lld|%llu", -1LL, ULLONG_MAX);
    EXPECT_FORMAT("-2|3", "%zd|%zu", (Py_ssize_t)-2, (size_t)3);
    EXPECT_FORMAT("-2|3|ff", "%jd|%td|%jx", (intmax_t)-2, (ptrdiff_t)3, (uintmax_t)255);
    EXPECT_FORMAT("-9223372036854775808", "%lld", LLONG_MIN);
    EXPECT_FORMAT("   42|42   |00042|00042|  -042", "%5d|%-5d|%05d|%.5d|%6.3d", 42, 42,
                  42, 42, -42);
    EXPECT_FORMAT("   42|0042", "%*d|%.*d", 5, 42, 4, 42);
    EXPECT_FORMAT("100%", "%d%%", 100);
}

TEST_PY(text_is_cut_and_padded_by_characters)
{
    PyObject *s = text("\xC3\xA9t\xC3\xA9");
    EXPECT_FORMAT("abc|  abc|abc  |ab", "%s|%5s|%-5s|%.2s", "abc", "abc", "abc", "abc");
    EXPECT_FORMAT("\xC3\xA9t\xC3\xA9|  \xC3\xA9t\xC3\xA9|\xC3\xA9t", "%U|%5U|%.2U", s, s,
                  s);
    EXPECT_FORMAT("x\xEF\xBF\xBDy", "%s", "x\xFFy");
    EXPECT_FORMAT("\xE2\x82\xAC|z", "%c|%c", 0x20AC, 'z');
    EXPECT_FORMAT("wide|wi", "%ls|%.2ls", L"wide", L"wide");
    EXPECT_FORMAT("\xC3\xA9t\xC3\xA9|plain|wide", "%V|%V|%lV", s, "unused", NULL, "plain",
                  NULL, L"wide");
    Py_DECREF(s);
}

TEST_PY(objects_are_formatted_through_their_slots)
{
    PyObject *s = text("\xC3\xA9");
    EXPECT_FORMAT("\xC3\xA9|'\xC3\xA9'|'\\xe9'", "%S|%R|%A", s, s, s);
    EXPECT_FORMAT("None      |'\xC3\xA9'", "%-10S|%.5R", Py_None, s);
    EXPECT_FORMAT("str|list|int", "%T|%N|%T", s, &PyList_Type, number(1));
    EXPECT_NULL(PyUnicode_FromFormat("%N", s));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "%N argument must be a type");
    Py_DECREF(s);
}

TEST_PY(names_of_types_have_their_module)
{
    PyType_Slot slots[] = {{0, NULL}};
    PyType_Spec spec = {"pack.mod.Class", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject *type = PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    EXPECT_FORMAT("pack.mod.Class|pack.mod:Class", "%N|%#N", type, type);
    Py_DECREF(type);
}

TEST_PY(pointers_begin_with_0x)
{
    EXPECT_FORMAT("0xdeadbeef", "%p", (void *)(uintptr_t)0xdeadbeef);
}

TEST_PY(unsupported_codes_are_named)
{
    EXPECT_NULL(PyUnicode_FromFormat("a %f b", 1.5));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "invalid format string: unsupported code '%f'");
    EXPECT_NULL(PyUnicode_FromFormat("%5.2lQ"));
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "invalid format string: unsupported code '%5.2lQ'");
    EXPECT_NULL(PyUnicode_FromFormat("100%"));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyUnicode_FromFormat("%#d", 1));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyUnicode_FromFormat("%c", 0x110000));
    EXPECT_RAISED(PyExc_OverflowError);
    EXPECT_NULL(PyUnicode_FromFormat("%99999999999999999999d", 1));
    EXPECT_RAISED(PyExc_ValueError);
}

TEST_PY(formatting_keeps_no_reference)
{
    PyObject *list = PyList_New(0);
    EXPECT_SAME_COUNT(list, EXPECT_FORMAT("[] [] list", "%R %S %T", list, list, list));
    Py_DECREF(list);
}

static PyObject *
format_something(void)
{
    return PyUnicode_FromFormat("%s %d %R %50s %T", "text", 42, Py_None, "pad", Py_None);
}

TEST_PY(formatting_survives_any_failing_allocation)
{
    fail_each_allocation(format_something);
}
