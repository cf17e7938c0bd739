/* SPDX-License-Identifier: MIT */
/* Parsing by position and keyword. */
#include "args.h"

static int a, b, c;

#define NAMES(...) ((char *[]){__VA_ARGS__, NULL})

/* Parse the tuple and the dict (or NULL), whose references are taken. */
#define PARSE(args, kw, ...) parse_and_drop((args), (kw), __VA_ARGS__)

static int
parse_and_drop(PyObject *args, PyObject *kw, const char *format, char *const *names, ...)
{
    va_list targets;
    va_start(targets, names);
    int result = PyArg_VaParseTupleAndKeywords(args, kw, format, names, targets);
    va_end(targets);
    Py_XDECREF(args);
    Py_XDECREF(kw);
    return result;
}

static PyObject *
none(void)
{
    return PyTuple_New(0);
}

static PyObject *
just(int value)
{
    return Py_BuildValue("(i)", value);
}

static PyObject *
named(const char *name, int value)
{
    return Py_BuildValue("{s:i}", name, value);
}

TEST_PY(arguments_are_found_by_position_and_by_name)
{
    EXPECT_EQ(PARSE(just(1), named("b", 2), "ii:f", NAMES("a", "b"), &a, &b), 1);
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, 2);
    b = 20;
    EXPECT_EQ(PARSE(just(3), NULL, "i|ii:f", NAMES("a", "b", "c"), &a, &b, &c), 1);
    EXPECT_EQ(a, 3);
    EXPECT_EQ(b, 20);
    EXPECT_EQ(PARSE(just(3), named("c", 9), "i|ii:f", NAMES("a", "b", "c"), &a, &b, &c),
              1);
    EXPECT_EQ(b, 20);
    EXPECT_EQ(c, 9);
    EXPECT_EQ(PARSE(none(), NULL, ":f", ((char *[]){NULL})), 1);
}

TEST_PY(missing_arguments_are_named)
{
    EXPECT_EQ(PARSE(none(), NULL, "i|i:f", NAMES("a", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() missing required argument 'a' (pos 1)");
    EXPECT_EQ(PARSE(none(), named("b", 1), "ii", NAMES("a", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "function missing required argument 'a' (pos 1)");
    EXPECT_EQ(PARSE(just(1), NULL, "i$i:f", NAMES("a", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() missing required argument 'b' (pos 2)");
}

TEST_PY(unexpected_arguments_are_named)
{
    EXPECT_EQ(PARSE(just(1), named("a", 1), "i|i:f", NAMES("a", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "argument for f() given by name ('a') and position (1)");
    EXPECT_EQ(PARSE(just(1), named("zzz", 1), "i|i:f", NAMES("a", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() got an unexpected keyword argument 'zzz'");
    EXPECT_EQ(PARSE(just(1), named("zzz", 1), "i|i", NAMES("a", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "this function got an unexpected keyword argument 'zzz'");
    EXPECT_EQ(PARSE(just(1), named("colour", 1), "i|i:f", NAMES("a", "color"), &a, &b),
              0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "f() got an unexpected keyword argument 'colour'. "
                       "Did you mean 'color'?");
    EXPECT_EQ(PARSE(none(), Py_BuildValue("{i:i}", 1, 2), "|i", NAMES("a"), &a), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "keywords must be strings");
}

TEST_PY(too_many_arguments_are_counted)
{
    EXPECT_EQ(PARSE(Py_BuildValue("iii", 1, 2, 3), NULL, "ii:f", NAMES("a", "b"), &a, &b),
              0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() takes at most 2 arguments (3 given)");
    EXPECT_EQ(PARSE(just(1), named("x", 1), "i", NAMES("a"), &a), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "function takes at most 1 argument (2 given)");
    EXPECT_EQ(
        PARSE(none(), Py_BuildValue("{s:i,s:i}", "a", 1, "x", 2), "i:f", NAMES("a"), &a),
        0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() takes at most 1 keyword argument (2 given)");
    EXPECT_EQ(PARSE(just(1), NULL, ":f", ((char *[]){NULL})), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() takes at most 0 arguments (1 given)");
}

TEST_PY(behind_a_dollar_only_names_count)
{
    PyObject *two = Py_BuildValue("ii", 1, 2);
    EXPECT_EQ(PARSE(just(1), named("b", 5), "i|$i:f", NAMES("a", "b"), &a, &b), 1);
    EXPECT_EQ(b, 5);
    EXPECT_EQ(PARSE(Py_NewRef(two), NULL, "i$i:f", NAMES("a", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "f() takes exactly 1 positional argument (2 given)");
    EXPECT_EQ(PARSE(Py_NewRef(two), NULL, "|i$i:f", NAMES("a", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "f() takes at most 1 positional argument (2 given)");
    EXPECT_EQ(PARSE(Py_NewRef(two), NULL, "|$ii:f", NAMES("a", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() takes no positional arguments");
    Py_DECREF(two);
}

TEST_PY(parameters_without_a_name_go_by_position)
{
    EXPECT_EQ(PARSE(just(1), named("b", 2), "ii:f", NAMES("", "b"), &a, &b), 1);
    EXPECT_EQ(b, 2);
    EXPECT_EQ(PARSE(none(), named("b", 7), "|ii:f", NAMES("", "b"), &a, &b), 1);
    EXPECT_EQ(b, 7);
    EXPECT_EQ(PARSE(none(), NULL, "ii:f", NAMES("", ""), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "f() takes exactly 2 positional arguments (0 given)");
    EXPECT_EQ(PARSE(none(), NULL, "i|i:f", NAMES("", ""), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "f() takes at least 1 positional argument (0 given)");
    EXPECT_EQ(PARSE(none(), named("b", 1), "i|i", NAMES("", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "function takes at least 1 positional argument (0 given)");
    EXPECT_EQ(PARSE(just(1), named("", 1), "|ii:f", NAMES("", "b"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() got an unexpected keyword argument ''");
}

TEST_PY(names_may_be_any_text)
{
    EXPECT_EQ(PARSE(none(),
                    named("gr\xc3\xb6\xc3\x9f"
                          "e",
                          5),
                    "i:f",
                    NAMES("gr\xc3\xb6\xc3\x9f"
                          "e"),
                    &a),
              1);
    EXPECT_EQ(a, 5);
    EXPECT_EQ(PARSE(none(), named("\xc3\xa5", 5), "|i:f", NAMES("\xc3\xa4"), &a), 0);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PARSE(none(), named("x", 5), "|i:f", NAMES("\xff"), &a), 0);
    EXPECT_RAISED(PyExc_UnicodeDecodeError);
}

TEST_PY(lists_and_formats_that_disagree_are_system_errors)
{
    EXPECT_EQ(PARSE(just(1), NULL, "i:f", NAMES("a", "b"), &a), 0);
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "More keyword list entries (2) than format specifiers (1)");
    EXPECT_EQ(PARSE(just(1), NULL, "ii:f", NAMES("a"), &a, &b), 0);
    EXPECT_RAISED_TEXT(
        PyExc_SystemError,
        "more argument specifiers than keyword list entries (remaining format:'i:f')");
    EXPECT_EQ(PARSE(just(1), NULL, "ii:f", NAMES("a", ""), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "Empty keyword parameter name");
    EXPECT_EQ(PARSE(none(), NULL, "|$ii:f", NAMES("", "a"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "Empty parameter name after $");
    EXPECT_EQ(PARSE(just(1), named("b", 1), "i$i|i:f", NAMES("a", "b", "c"), &a, &b, &c),
              0);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "Invalid format string ($ before |)");
    EXPECT_EQ(PARSE(Py_BuildValue("ii", 1, 2), named("c", 1), "i|i|i:f",
                    NAMES("a", "b", "c"), &a, &b, &c),
              0);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "Invalid format string (| specified twice)");
    EXPECT_EQ(PARSE(just(1), named("b", 1), "i$i$i:f", NAMES("a", "b", "c"), &a, &b, &c),
              0);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "Invalid format string ($ specified twice)");
    EXPECT_EQ(PARSE(none(), named("z", 1), "|qi:f", NAMES("a", "z"), &a, &b), 0);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "(bad format char 'q'): 'qi:f'");
}

TEST_PY(wrong_containers_are_system_errors)
{
    PyObject *args = none();
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(NULL, NULL, "i", NAMES("a"), &a), 0);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(Py_None, NULL, "i", NAMES("a"), &a), 0);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, args, "i", NAMES("a"), &a), 0);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, NULL, NULL, NAMES("a"), &a), 0);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, NULL, "i", NULL, &a), 0);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(args);
}

static int
never_called(PyObject *Py_UNUSED(o), void *Py_UNUSED(target))
{
    EXPECT(!"the converter of a missing argument is called");
    return 0;
}

TEST_PY(every_unit_can_be_passed_over)
{
    PyObject *o = NULL;
    const char *text = NULL;
    char *encoded = NULL;
    Py_ssize_t size = 0;
    Py_buffer view;
    double d;
    EXPECT_EQ(PARSE(none(), named("z", 8), "|OO!O&s#es#(i(i)d)y*w*pcCUSz:f",
                    NAMES("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
                          "13", "z"),
                    &o, &PyDict_Type, &o, never_called, &a, &text, &size, NULL, &encoded,
                    &size, &a, &b, &d, &view, &view, &a, &b, &c, &o, &o, &text),
              0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() argument 14 must be str or None, not int");
    EXPECT_NULL(o);
    EXPECT_NULL(encoded);
}

TEST_PY(an_array_is_parsed_with_its_names)
{
    PyObject *values[] = {number(1), number(2), number(3)};
    PyObject *names = Py_BuildValue("(ss)", "c", "b");
    char **kwlist = NAMES("a", "b", "c");
    EXPECT_EQ(PyArg_ParseArrayAndKeywords(values, 1, names, "iii:f", kwlist, &a, &b, &c),
              1);
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, 3);
    EXPECT_EQ(c, 2);
    EXPECT_EQ(PyArg_ParseArrayAndKeywords(values, 3, NULL, "iii:f", kwlist, &a, &b, &c),
              1);
    EXPECT_EQ(PyArg_ParseArrayAndKeywords(values, 1, names, "i|ii:f",
                                          NAMES("a", "b", "x"), &a, &b, &c),
              0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() got an unexpected keyword argument 'c'");
    EXPECT_EQ(PyArg_ParseArrayAndKeywords(NULL, 1, NULL, "i", kwlist, &a), 0);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyArg_ParseArrayAndKeywords(values, 1, Py_None, "i", kwlist, &a), 0);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(names);
    for (int i = 0; i < 3; i++) {
        Py_DECREF(values[i]);
    }
}

static PyObject *
parse_with_keywords(void)
{
    PyObject *kw = named("cc", 1), *args = kw == NULL ? NULL : none();
    int parsed =
        args != NULL && PyArg_ParseTupleAndKeywords(args, kw, "|iii:f",
                                                    NAMES("a", "b", "cc"), &a, &b, &c);
    Py_XDECREF(args);
    Py_XDECREF(kw);
    return parsed ? Py_NewRef(Py_None) : NULL;
}

static PyObject *
refuse_a_keyword(void)
{
    EXPECT_EQ(PARSE(just(1), named("cd", 2), "|iii:f", NAMES("a", "b", "cc"), &a, &b, &c),
              0);
    return NULL;
}

TEST_PY(keywords_leak_nothing)
{
    fail_each_allocation(parse_with_keywords);
    repeat_without_leak(parse_with_keywords);
    repeat_without_leak(refuse_a_keyword);
}
