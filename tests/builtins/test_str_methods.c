/* SPDX-License-Identifier: MIT */
/* The methods and operators of str give what CPython gives. */
#include "../cases.h"

TEST_PY(methods_of_str_do_what_they_do_in_cpython)
{
    static const struct recorded_case cases[] = {
#include "str_method_cases.inc"
    };
    RECORDED_CASES(cases);
}

/* Calls a method of a str without arguments, or with one. */
static PyObject *
call_on_text(const char *receiver, const char *name, const char *arg)
{
    PyObject *self = text(receiver), *given = arg == NULL ? NULL : text(arg);
    PyObject *method = self == NULL ? NULL : PyObject_GetAttrString(self, name);
    PyObject *result = NULL;
    if (method != NULL && (arg == NULL || given != NULL)) {
        result = arg == NULL ? PyObject_CallNoArgs(method)
                             : PyObject_CallOneArg(method, given);
    }
    Py_XDECREF(method);
    Py_XDECREF(self);
    Py_XDECREF(given);
    return result;
}

static PyObject *
split_text(void)
{
    return call_on_text("a,b,\xC3\xA9", "rsplit", ",");
}

static PyObject *
partition_text(void)
{
    return call_on_text("a,b,c", "partition", ",");
}

static PyObject *
upper_text(void)
{
    return call_on_text("stra\xC3\x9F"
                        "e",
                        "upper", NULL);
}

static PyObject *
fill_in_text(void)
{
    return call_on_text("<{0!r:>10}{{}}>", "format", "x");
}

TEST_PY(methods_of_str_survive_any_failing_allocation)
{
    fail_each_allocation(split_text);
    fail_each_allocation(partition_text);
    fail_each_allocation(upper_text);
    fail_each_allocation(fill_in_text);
}

TEST_PY(a_str_iterator_knows_what_is_left_and_is_collected)
{
    PyObject *s = text("a\xC3\xA9");
    PyObject *it = PyObject_GetIter(s);
    EXPECT(Py_IS_TYPE(it, &PyUnicodeIter_Type));
    EXPECT_EQ(PyObject_LengthHint(it, 0), 2);
    EXPECT_REPR_OF(PyIter_Next(it), "'a'");
    EXPECT_EQ(PyObject_LengthHint(it, 0), 1);
    EXPECT_REPR_OF(PyIter_Next(it), "'\xC3\xA9'");
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_NO_ERROR();
    EXPECT_EQ(PyObject_LengthHint(it, 0), 0);
    Py_DECREF(it);
    Py_DECREF(s);
}

TEST_PY(the_methods_of_str_are_there_as_functions)
{
    PyObject *s = text("a-b-c\nd"), *dash = text("-"), *none = text(""),
             *table = Py_BuildValue("{i:s,i:O,i:i}", 'a', "AA", 'b', Py_None, 'c', 'C');
    EXPECT_REPR_OF(PyUnicode_Split(s, dash, 1), "['a', 'b-c\\nd']");
    EXPECT_REPR_OF(PyUnicode_RSplit(s, dash, 1), "['a-b', 'c\\nd']");
    EXPECT_REPR_OF(PyUnicode_RSplit(s, NULL, -1), "['a-b-c', 'd']");
    EXPECT_REPR_OF(PyUnicode_Splitlines(s, 0), "['a-b-c', 'd']");
    EXPECT_REPR_OF(PyUnicode_Splitlines(s, 1), "['a-b-c\\n', 'd']");
    EXPECT_REPR_OF(PyUnicode_Partition(s, dash), "('a', '-', 'b-c\\nd')");
    EXPECT_REPR_OF(PyUnicode_RPartition(s, dash), "('a-b', '-', 'c\\nd')");
    EXPECT_REPR_OF(PyUnicode_Translate(s, table, NULL), "'AA--C\\nd'");
    EXPECT_NULL(PyUnicode_Partition(s, none));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "empty separator");
    EXPECT_NULL(PyUnicode_RSplit(s, none, -1));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "empty separator");
    EXPECT_NULL(PyUnicode_RPartition(Py_None, dash));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "must be str, not NoneType");
    EXPECT_EQ(PyUnicode_IsIdentifier(s), 0);
    EXPECT_EQ(PyUnicode_IsIdentifier(none), 0);
    PyObject *name = text("_n\xC3\xA9"
                          "1");
    EXPECT_EQ(PyUnicode_IsIdentifier(name), 1);
    Py_DECREF(name);
    Py_DECREF(table);
    Py_DECREF(none);
    Py_DECREF(dash);
    Py_DECREF(s);
}
