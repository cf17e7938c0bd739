/* SPDX-License-Identifier: MIT */
/* Parsing by position: counts, nesting, messages, and what a failure undoes. */
#include "args.h"

static int one, two, three;

static PyObject *
ints(int count)
{
    PyObject *args = PyTuple_New(count);
    for (int i = 0; i < count; i++) {
        PyTuple_SET_ITEM(args, i, number(i + 1));
    }
    return args;
}

TEST_PY(the_number_of_arguments_is_checked)
{
    EXPECT_PARSED(ints(0), "");
    EXPECT_PARSED(ints(0), ":f");
    EXPECT_PARSED(ints(2), "ii", &one, &two);
    EXPECT_EQ(one, 1);
    EXPECT_EQ(two, 2);
    EXPECT_REFUSED(ints(1), PyExc_TypeError, "f() takes exactly 0 arguments (1 given)",
                   ":f");
    EXPECT_REFUSED(ints(1), PyExc_TypeError,
                   "function takes exactly 0 arguments (1 given)", "");
    EXPECT_REFUSED(ints(1), PyExc_TypeError, "f() takes exactly 2 arguments (1 given)",
                   "ii:f", &one, &two);
    EXPECT_REFUSED(ints(0), PyExc_TypeError, "f() takes exactly 1 argument (0 given)",
                   "i:f", &one);
    EXPECT_REFUSED(ints(0), PyExc_TypeError, "f() takes at least 1 argument (0 given)",
                   "i|i:f", &one, &two);
    EXPECT_REFUSED(ints(3), PyExc_TypeError, "f() takes at most 2 arguments (3 given)",
                   "i|i:f", &one, &two);
    EXPECT_REFUSED(ints(0), PyExc_TypeError, "say it so", "i;say it so", &one);
}

TEST_PY(optional_arguments_that_are_missing_are_not_touched)
{
    two = 20;
    three = 30;
    EXPECT_PARSED(ints(1), "i|ii", &one, &two, &three);
    EXPECT_EQ(two, 20);
    EXPECT_EQ(three, 30);
    EXPECT_PARSED(ints(2), "i|ii", &one, &two, &three);
    EXPECT_EQ(two, 2);
    EXPECT_EQ(three, 30);
}

TEST_PY(a_message_of_the_format_replaces_ours)
{
    const char *text;
    EXPECT_REFUSED(PyTuple_Pack(1, Py_None), PyExc_TypeError, "a name, please",
                   "s|i;a name, please", &text, &two);
    EXPECT_REFUSED(PyTuple_Pack(1, Py_None), PyExc_TypeError,
                   "f() argument 1 must be str, not None", "s:f", &text);
}

TEST_PY(nested_tuples_are_taken_apart)
{
    EXPECT_PARSED(Py_BuildValue("(i(ii))", 1, 2, 3), "i(ii)", &one, &two, &three);
    EXPECT_EQ(three, 3);
    EXPECT_PARSED(Py_BuildValue("((i(i)))", 4, 5), "(i(i))", &one, &two);
    EXPECT_EQ(two, 5);
    EXPECT_PARSED(Py_BuildValue("(())"), "()");
    EXPECT_REFUSED(Py_BuildValue("((ii))", 1, 2), PyExc_TypeError,
                   "f() argument 1 must be tuple of length 3, not 2", "(iii):f", &one,
                   &two, &three);
    EXPECT_REFUSED(ints(1), PyExc_TypeError,
                   "f() argument 1 must be 2-item tuple, not int", "(ii):f", &one, &two);
    EXPECT_REFUSED(PyTuple_Pack(1, Py_None), PyExc_TypeError,
                   "argument 1 must be 1-item tuple, not None", "(i)", &one);
}

TEST_PY(the_place_of_a_wrong_item_is_named)
{
    const char *text;
    EXPECT_REFUSED(Py_BuildValue("(i(i(ii)))", 1, 2, 3, 4), PyExc_TypeError,
                   "f() argument 2, item 1, item 1 must be str, not int", "i(i(is)):f",
                   &one, &two, &three, &text);
    EXPECT_REFUSED(Py_BuildValue("(i(i(i)))", 1, 2, 3), PyExc_TypeError,
                   "f() argument 2, item 1 must be tuple of length 2, not 1",
                   "i(i(ii)):f", &one, &two, &three, &three);
}

/* A sequence that is no tuple may make its items for this call only. */
TEST_PY(other_sequences_will_do_where_nothing_is_borrowed)
{
    PyObject *item;
    EXPECT_PARSED(Py_BuildValue("([ii])", 1, 2), "(ii)", &one, &two);
    EXPECT_EQ(two, 2);
    EXPECT_REFUSED(Py_BuildValue("([i])", 1), PyExc_TypeError,
                   "argument 1 must be sequence of length 2, not 1", "(ii)", &one, &two);
    capture_stderr_begin();
    EXPECT_PARSED(Py_BuildValue("([ii])", 1, 2), "(iO)", &one, &item);
    char *said = capture_stderr_end();
    EXPECT_HAS(said, "DeprecationWarning: argument must be 2-item tuple, not list");
    free(said);
    EXPECT_REFUSED(Py_BuildValue("(s)", "ab"), PyExc_TypeError,
                   "argument 1 must be 2-item tuple, not str", "(CC)", &one, &two);
    EXPECT_REFUSED(Py_BuildValue("(y)", "ab"), PyExc_TypeError,
                   "argument 1 must be 2-item tuple, not bytes", "(ii)", &one, &two);
}

TEST_PY(a_bad_format_is_a_system_error)
{
    EXPECT_REFUSED(ints(1), PyExc_SystemError, "f() argument 1 (bad format char 'q')",
                   "q:f", &one);
    EXPECT_REFUSED(ints(1), PyExc_SystemError, "argument 1 (bad format char '$')", "$i",
                   &one);
    EXPECT_REFUSED(ints(1), PyExc_SystemError, "bad format string: i#:f", "i#:f", &one);
    EXPECT_REFUSED(ints(1), PyExc_SystemError, "missing ')' in getargs format: (i", "(i",
                   &one);
    EXPECT_REFUSED(ints(1), PyExc_SystemError, "excess ')' in getargs format: i)", "i)",
                   &one);
    EXPECT_REFUSED(ints(1), PyExc_SystemError,
                   "too many tuple nesting levels in getargs format: "
                   "((((((((((((((((((((((((((((((i))))))))))))))))))))))))))))))",
                   "((((((((((((((((((((((((((((((i))))))))))))))))))))))))))))))", &one);
    EXPECT_REFUSED(Py_BuildValue("((i))", 1), PyExc_SystemError,
                   "argument 1 (bad format char '|')", "(i|)", &one);
    EXPECT_EQ(PyArg_ParseTuple(Py_None, "i", &one), 0);
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "new style getargs format but argument is not a tuple");
    EXPECT_EQ(PyArg_ParseTuple(NULL, "i", &one), 0);
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(what_was_stored_is_undone_when_a_later_argument_fails)
{
    char *text = NULL;
    Py_buffer view;
    PyObject *bytes = PyBytes_FromString("a view of this");
    EXPECT_SAME_COUNT(bytes,
                      EXPECT_REFUSED(Py_BuildValue("(sOO)", "text", bytes, Py_None),
                                     PyExc_TypeError, "argument 3 must be str, not None",
                                     "esy*s", NULL, &text, &view, &text));
    EXPECT_NULL(text);
    EXPECT_NULL(view.obj);
    Py_DECREF(bytes);
}

/* More things than the buffer on the stack has room for. */
TEST_PY(many_things_are_undone)
{
    Py_buffer views[10];
    PyObject *b = PyBytes_FromString("bytes"), *args = PyTuple_New(11);
    for (int i = 0; i < 10; i++) {
        PyTuple_SET_ITEM(args, i, Py_NewRef(b));
    }
    PyTuple_SET_ITEM(args, 10, number(1));
    Py_buffer *v = views;
    EXPECT_SAME_COUNT(b, EXPECT_EQ(PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*y*y*s", v,
                                                    v + 1, v + 2, v + 3, v + 4, v + 5,
                                                    v + 6, v + 7, v + 8, v + 9, &one),
                                   0));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(args);
    Py_DECREF(b);
}

TEST_PY(one_object_is_parsed_without_a_tuple)
{
    PyObject *o = number(5), *pair = ints(2);
    const char *text;
    EXPECT_EQ(PyArg_Parse(o, "i", &one), 1);
    EXPECT_EQ(one, 5);
    EXPECT_EQ(PyArg_Parse(pair, "(ii)", &one, &two), 1);
    EXPECT_EQ(two, 2);
    EXPECT_EQ(PyArg_Parse(NULL, ""), 1);
    EXPECT_EQ(PyArg_Parse(o, "s:f", &text), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() argument must be str, not int");
    EXPECT_EQ(PyArg_Parse(o, ":f"), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() takes no arguments");
    EXPECT_EQ(PyArg_Parse(NULL, "i:f", &one), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() takes at least one argument");
    EXPECT_EQ(PyArg_Parse(o, "ii", &one, &two), 0);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "old style getargs format uses new features");
    Py_DECREF(pair);
    Py_DECREF(o);
}

TEST_PY(an_array_is_parsed_like_a_tuple)
{
    PyObject *args = ints(2), *const *items = &PyTuple_GET_ITEM(args, 0);
    EXPECT_EQ(PyArg_ParseArray(items, 2, "ii", &one, &two), 1);
    EXPECT_EQ(two, 2);
    EXPECT_EQ(PyArg_ParseArray(NULL, 0, "|i", &one), 1);
    EXPECT_EQ(PyArg_ParseArray(items, 2, "i:f", &one), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() takes exactly 1 argument (2 given)");
    Py_DECREF(args);
}

static PyObject *
parse_a_long_format(void)
{
    const char *t;
    char *encoded = NULL;
    PyObject *args =
        Py_BuildValue("(ssssssssss)", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
    if (args == NULL) {
        return NULL;
    }
    int parsed = PyArg_ParseTuple(args, "ssssssssses", &t, &t, &t, &t, &t, &t, &t, &t, &t,
                                  "latin-1", &encoded);
    PyMem_Free(encoded);
    if (!parsed) {
        Py_CLEAR(args);
    }
    return args;
}

TEST_PY(parsing_survives_each_allocation_failing)
{
    fail_each_allocation(parse_a_long_format);
    repeat_without_leak(parse_a_long_format);
}

TEST_PY(a_tuple_is_unpacked)
{
    PyObject *pair = ints(2), *a = NULL, *b = NULL, *c = Py_None;
    EXPECT_EQ(PyArg_UnpackTuple(pair, "f", 1, 3, &a, &b, &c), 1);
    EXPECT_EQ(a, PyTuple_GET_ITEM(pair, 0));
    EXPECT_EQ(b, PyTuple_GET_ITEM(pair, 1));
    EXPECT_EQ(c, Py_None);
    EXPECT_EQ(PyArg_UnpackTuple(pair, "f", 1, 1, &a), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f expected 1 argument, got 2");
    EXPECT_EQ(PyArg_UnpackTuple(pair, "f", 3, 4, &a, &b, &c, &c), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f expected at least 3 arguments, got 2");
    EXPECT_EQ(PyArg_UnpackTuple(pair, "f", 0, 1, &a), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f expected at most 1 argument, got 2");
    EXPECT_EQ(PyArg_UnpackTuple(pair, NULL, 3, 3, &a, &b, &c), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unpacked tuple should have 3 elements, but has 2");
    EXPECT_EQ(PyArg_UnpackTuple(Py_None, "f", 0, 1, &a), 0);
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "PyArg_UnpackTuple() argument list is not a tuple");
    Py_DECREF(pair);
}

TEST_PY(keyword_arguments_have_str_keys)
{
    PyObject *good = Py_BuildValue("{s:i}", "a", 1), *bad = Py_BuildValue("{i:i}", 1, 1);
    EXPECT_EQ(PyArg_ValidateKeywordArguments(good), 1);
    EXPECT_EQ(PyArg_ValidateKeywordArguments(bad), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "keywords must be strings");
    EXPECT_EQ(PyArg_ValidateKeywordArguments(Py_None), 0);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(good);
    Py_DECREF(bad);
}

static int
parse_from_list(PyObject *args, const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    int result = PyArg_VaParse(args, format, vargs);
    va_end(vargs);
    return result;
}

TEST_PY(arguments_are_parsed_into_a_va_list)
{
    PyObject *args = Py_BuildValue("(is)", 7, "seven");
    int value = 0;
    const char *name = NULL;
    EXPECT_EQ(parse_from_list(args, "is:f", &value, &name), 1);
    EXPECT_EQ(value, 7);
    EXPECT_STR(name, "seven");
    EXPECT_EQ(parse_from_list(args, "i:f", &value), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "f() takes exactly 1 argument (2 given)");
    Py_DECREF(args);
}
