/* SPDX-License-Identifier: MIT */
/* Sorting. */
#include "calls.h"

static uint64_t sort_state = 1;

static long
next_random(long below)
{
    sort_state = sort_state * 6364136223846793005u + 1442695040888963407u;
    return (long)((sort_state >> 33) % (uint64_t)below);
}

/* Is the list in order? */
static bool
is_sorted(PyObject *list)
{
    for (Py_ssize_t i = 1; i < PyList_GET_SIZE(list); i++) {
        if (PyObject_RichCompareBool(PyList_GET_ITEM(list, i),
                                     PyList_GET_ITEM(list, i - 1), Py_LT) != 0) {
            return false;
        }
    }
    return true;
}

TEST_PY(lists_of_all_shapes_are_sorted)
{
    static const int sizes[] = {0, 1, 2, 3, 7, 31, 32, 33, 100, 1000, 4097};
    for (size_t s = 0; s < Py_ARRAY_LENGTH(sizes); s++) {
        for (int shape = 0; shape < 6; shape++) {
            PyObject *list = PyList_New(0);
            long sum = 0;
            for (int i = 0; i < sizes[s]; i++) {
                long value = shape == 0   ? next_random(1000000)
                             : shape == 1 ? i
                             : shape == 2 ? -i
                             : shape == 3 ? next_random(3)
                             : shape == 4 ? i % 50
                                          : i ^ 1;
                PyObject *n = number(value);
                PyList_Append(list, n);
                Py_DECREF(n);
                sum += value;
            }
            EXPECT_EQ(PyList_Sort(list), 0);
            EXPECT_EQ(PyList_Size(list), sizes[s]);
            EXPECT(is_sorted(list));
            for (Py_ssize_t i = 0; i < sizes[s]; i++) {
                sum -= PyLong_AsLong(PyList_GET_ITEM(list, i));
            }
            EXPECT_EQ(sum, 0);
            Py_DECREF(list);
        }
    }
}

TEST_PY(equal_items_keep_their_order)
{
    /* Lists of one int and None: compared by the int alone, as None is never reached. */
    PyObject *list = PyList_New(0), *firsts[200];
    for (int i = 0; i < 200; i++) {
        firsts[i] = PyList_New(0);
        PyObject *n = number(next_random(5));
        PyList_Append(firsts[i], n);
        PyList_Append(list, firsts[i]);
        Py_DECREF(firsts[i]);
    }
    EXPECT_EQ(PyList_Sort(list), 0);
    for (Py_ssize_t i = 1; i < 200; i++) {
        PyObject *a = PyList_GET_ITEM(list, i - 1), *b = PyList_GET_ITEM(list, i);
        if (PyObject_RichCompareBool(a, b, Py_EQ)) {
            int place_a = 0, place_b = 0;
            while (firsts[place_a] != a) {
                place_a++;
            }
            while (firsts[place_b] != b) {
                place_b++;
            }
            EXPECT_LT(place_a, place_b);
        }
    }
    Py_DECREF(list);
}

TEST_PY(a_failing_comparison_keeps_all_items)
{
    PyObject *list = PyList_New(0), *item = PyList_New(0);
    for (int i = 0; i < 50; i++) {
        PyList_Append(list, i == 30 ? Py_None : item);
    }
    EXPECT_EQ(PyList_Sort(list), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyList_Size(list), 50);
    EXPECT_EQ(Py_REFCNT(item), 50);
    Py_DECREF(list);
    EXPECT_EQ(Py_REFCNT(item), 1);
    Py_DECREF(item);
}

static PyObject *list_being_sorted;

static PyObject *
meddle(PyObject *Py_UNUSED(a), PyObject *Py_UNUSED(b), int Py_UNUSED(op))
{
    EXPECT_EQ(PyList_GET_SIZE(list_being_sorted), 0);
    PyList_Append(list_being_sorted, Py_None);
    PyList_Clear(list_being_sorted);
    PyList_Append(list_being_sorted, Py_None);
    PyObject *first = PyList_GetItemRef(list_being_sorted, 0);
    Py_XDECREF(first);
    Py_RETURN_TRUE;
}

static PyTypeObject meddler_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Meddler",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_richcompare = meddle,
};

TEST_PY(changing_a_list_while_it_is_sorted_is_a_value_error)
{
    REQUIRE_EQ(PyType_Ready(&meddler_type), 0);
    PyObject *list = list_being_sorted = PyList_New(0);
    for (int i = 0; i < 2; i++) {
        PyObject *item = PyObject_New(PyObject, &meddler_type);
        PyList_Append(list, item);
        Py_DECREF(item);
    }
    EXPECT_EQ(PyList_Sort(list), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "list modified during sort");
    EXPECT_EQ(PyList_Size(list), 2);
    Py_DECREF(list);
}

/* --- key and reverse ---------------------------------------------------------------------------- */

/* list.sort(key=key, reverse=reverse) */
static PyObject *
sort_with(PyObject *list, PyObject *key, PyObject *reverse)
{
    PyObject *keywords = PyDict_New(), *none = PyTuple_New(0), *result = NULL;
    PyObject *sort = PyObject_GetAttrString(list, "sort");
    if (keywords != NULL && sort != NULL &&
        PyDict_SetItemString(keywords, "key", key) == 0 &&
        PyDict_SetItemString(keywords, "reverse", reverse) == 0) {
        result = PyObject_Call(sort, none, keywords);
    }
    Py_XDECREF(keywords);
    Py_XDECREF(sort);
    return result;
}

static PyObject *
last_digit(PyObject *Py_UNUSED(self), PyObject *item)
{
    return PyLong_FromLong(PyLong_AsLong(item) % 10);
}

static PyObject *
fail_at_three(PyObject *Py_UNUSED(self), PyObject *item)
{
    if (PyLong_AsLong(item) == 3) {
        return PyErr_Format(PyExc_KeyError, "three");
    }
    return Py_NewRef(item);
}

static PyObject *sorted_list;

static PyObject *
append_to_sorted(PyObject *Py_UNUSED(self), PyObject *item)
{
    EXPECT_EQ(PyList_GET_SIZE(sorted_list) < 3, 1); /* the sort holds the items */
    PyList_Append(sorted_list, item);
    return Py_NewRef(item);
}

static PyMethodDef last_digit_def = {"last_digit", last_digit, METH_O, NULL};
static PyMethodDef fail_def = {"fail", fail_at_three, METH_O, NULL};
static PyMethodDef append_def = {"append", append_to_sorted, METH_O, NULL};

static PyObject *
list_of_numbers(const long *values, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *n = number(values[i]);
        if (n == NULL || PyList_Append(list, n) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(n);
    }
    return list;
}

static const long mixed[] = {31, 12, 21, 42, 11, 53};

TEST_PY(a_key_function_says_what_is_compared)
{
    PyObject *key = PyCFunction_New(&last_digit_def, NULL);
    PyObject *list = list_of_numbers(mixed, 6);
    EXPECT_REPR_OF(sort_with(list, key, Py_False), "None");
    EXPECT_REPR_OF(Py_NewRef(list), "[31, 21, 11, 12, 42, 53]");
    EXPECT_REPR_OF(sort_with(list, key, Py_True), "None");
    EXPECT_REPR_OF(Py_NewRef(list), "[53, 12, 42, 31, 21, 11]");
    EXPECT_REPR_OF(sort_with(list, Py_None, Py_True), "None");
    EXPECT_REPR_OF(list, "[53, 42, 31, 21, 12, 11]");
    Py_DECREF(key);
}

TEST_PY(many_items_are_sorted_by_key_in_both_directions)
{
    PyObject *key = PyCFunction_New(&last_digit_def, NULL);
    for (int reverse = 0; reverse < 2; reverse++) {
        PyObject *list = PyList_New(0);
        for (int i = 0; i < 3000; i++) {
            PyObject *n = number(i * 10 + next_random(10));
            PyList_Append(list, n);
            Py_DECREF(n);
        }
        EXPECT_REPR_OF(sort_with(list, key, reverse ? Py_True : Py_False), "None");
        EXPECT_EQ(PyList_Size(list), 3000);
        for (Py_ssize_t i = 1; i < PyList_GET_SIZE(list); i++) {
            long a = PyLong_AsLong(PyList_GET_ITEM(list, i - 1));
            long b = PyLong_AsLong(PyList_GET_ITEM(list, i));
            /* Sorted by the last digit; equal items stay in their order. */
            EXPECT(reverse ? a % 10 >= b % 10 : a % 10 <= b % 10);
            EXPECT(a % 10 != b % 10 || a < b);
        }
        Py_DECREF(list);
    }
    Py_DECREF(key);
}

TEST_PY(a_key_function_that_fails_leaves_the_items_in_the_list)
{
    PyObject *key = PyCFunction_New(&fail_def, NULL), *list = list_of("4132");
    EXPECT_NULL(sort_with(list, key, Py_False));
    EXPECT_RAISED_TEXT(PyExc_KeyError, "'three'");
    EXPECT_REPR_OF(Py_NewRef(list), "[4, 1, 3, 2]");
    EXPECT_NULL(sort_with(list, Py_True, Py_False));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'bool' object is not callable");
    EXPECT_NULL(invoke(list, "sort", Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "sort() takes no positional arguments");
    Py_DECREF(list);
    Py_DECREF(key);
}

TEST_PY(a_key_function_that_changes_the_list_is_reported)
{
    PyObject *key = PyCFunction_New(&append_def, NULL);
    sorted_list = list_of("312");
    EXPECT_NULL(sort_with(sorted_list, key, Py_False));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "list modified during sort");
    EXPECT_REPR_OF(sorted_list, "[1, 2, 3]");
    Py_DECREF(key);
}

static PyObject *
sort_by_last_digit(void)
{
    PyObject *key = PyCFunction_New(&last_digit_def, NULL);
    PyObject *list = key == NULL ? NULL : list_of_numbers(mixed, 6);
    PyObject *result = list == NULL ? NULL : sort_with(list, key, Py_True);
    Py_XDECREF(key);
    Py_XDECREF(list);
    return result;
}

TEST_PY(sorting_by_key_leaks_nothing_also_when_memory_ends)
{
    repeat_without_leak(sort_by_last_digit);
    fail_each_allocation(sort_by_last_digit);
}
