/* SPDX-License-Identifier: MIT */
/* Sorting. */
#include "../protocol.h"

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
