/* SPDX-License-Identifier: MIT */
/* The module builtins: functions that go through iterables. */
#include "calls.h"

#define EXPECT_BUILTIN(expected, function, args, kwargs)                                 \
    EXPECT_CALL(expected, "builtins", function, args, kwargs)
#define EXPECT_BUILTIN_RAISES(type, message, function, args, kwargs)                     \
    EXPECT_CALL_RAISES(type, message, "builtins", function, args, kwargs)

TEST_PY(iterators_are_made_and_advanced)
{
    PyObject *iterator = call_with("builtins", "iter", ARGS("([i])", 1), NULL);
    EXPECT_BUILTIN("1", "next", ARGS("(O)", iterator), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_StopIteration, "", "next", ARGS("(O)", iterator), NULL);
    EXPECT_BUILTIN("'end'", "next", ARGS("(Os)", iterator, "end"), NULL);
    Py_DECREF(iterator);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "'int' object is not an iterator", "next",
                          ARGS("(i)", 3), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "'int' object is not iterable", "iter",
                          ARGS("(i)", 3), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "iter(v, w): v must be callable", "iter",
                          ARGS("(ii)", 3, 4), NULL);
    PyObject *type = (PyObject *)&PyList_Type; /* list() is never None */
    PyObject *calls = call_with("builtins", "iter", ARGS("(OO)", type, Py_None), NULL);
    EXPECT_BUILTIN("[]", "next", ARGS("(O)", calls), NULL);
    Py_DECREF(calls);
}

TEST_PY(truth_of_all_or_any)
{
    EXPECT_BUILTIN("True", "all", ARGS("([ii])", 1, 2), NULL);
    EXPECT_BUILTIN("False", "all", ARGS("([iii])", 1, 0, 2), NULL);
    EXPECT_BUILTIN("True", "all", ARGS("([])"), NULL);
    EXPECT_BUILTIN("True", "any", ARGS("([ii])", 0, 2), NULL);
    EXPECT_BUILTIN("False", "any", ARGS("([ii])", 0, 0), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "'int' object is not iterable", "any",
                          ARGS("(i)", 3), NULL);
}

TEST_PY(the_greatest_and_the_least)
{
    PyObject *absolute = PyImport_ImportModuleAttrString("builtins", "abs");
    EXPECT_BUILTIN("3", "max", ARGS("([iii])", 1, 3, 2), NULL);
    EXPECT_BUILTIN("1", "min", ARGS("(iii)", 3, 1, 2), NULL);
    EXPECT_BUILTIN("-5", "max", ARGS("(iii)", 3, -5, 2), KWARGS("{sO}", "key", absolute));
    EXPECT_BUILTIN("9", "max", ARGS("([])"), KWARGS("{si}", "default", 9));
    EXPECT_BUILTIN("1", "min", ARGS("([ii])", 1, 2), KWARGS("{sO}", "key", Py_None));
    EXPECT_BUILTIN_RAISES(PyExc_ValueError, "max() iterable argument is empty", "max",
                          ARGS("([])"), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "max expected at least 1 argument, got 0",
                          "max", ARGS("()"), NULL);
    EXPECT_BUILTIN_RAISES(
        PyExc_TypeError,
        "Cannot specify a default for min() with multiple positional arguments", "min",
        ARGS("(ii)", 1, 2), KWARGS("{si}", "default", 3));
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "'int' object is not callable", "min",
                          ARGS("(ii)", 1, 2), KWARGS("{si}", "key", 3));
    EXPECT_BUILTIN_RAISES(PyExc_TypeError,
                          "max() got an unexpected keyword argument 'foo'", "max",
                          ARGS("(ii)", 1, 2), KWARGS("{si}", "foo", 3));
    EXPECT_BUILTIN_RAISES(PyExc_TypeError,
                          "'>' not supported between instances of 'str' and 'int'", "max",
                          ARGS("(is)", 1, "x"), NULL);
    Py_DECREF(absolute);
}

TEST_PY(items_are_added_and_sorted)
{
    EXPECT_BUILTIN("3", "sum", ARGS("([ii])", 1, 2), NULL);
    EXPECT_BUILTIN("6", "sum", ARGS("([ii])", 1, 2), KWARGS("{si}", "start", 3));
    EXPECT_BUILTIN_RAISES(PyExc_TypeError,
                          "unsupported operand type(s) for +: 'int' and 'str'", "sum",
                          ARGS("([s])", "a"), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError,
                          "sum() can't sum strings [use ''.join(seq) instead]", "sum",
                          ARGS("([i]s)", 1, ""), NULL);
    EXPECT_BUILTIN("[1, 2]", "sorted", ARGS("([ii])", 2, 1), NULL);
    EXPECT_BUILTIN("[2, 1]", "sorted", ARGS("([ii])", 1, 2),
                   KWARGS("{sO}", "reverse", Py_True));
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "sorted expected 1 argument, got 2", "sorted",
                          ARGS("([]O)", Py_None), NULL);
}
