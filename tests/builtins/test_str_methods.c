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
