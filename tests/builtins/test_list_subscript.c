/* SPDX-License-Identifier: MIT */
/* Subscripts of list and tuple: every slice against a plain model, and the errors. */
#include "calls.h"

static PyObject *
slice_of(PyObject *start, PyObject *stop, PyObject *step)
{
    PyObject *slice = PySlice_New(start, stop, step);
    Py_XDECREF(start);
    Py_XDECREF(stop);
    Py_XDECREF(step);
    return slice;
}

/* An int, or None for the value 9. */
static PyObject *
bound(long value)
{
    return value == 9 ? NULL : number(value);
}

/* The items of "01234" that a slice picks, one character each, computed the slow way. */
static void
pick_slowly(long start, long stop, long step, char *picked)
{
    PyObject *slice = slice_of(bound(start), bound(stop), number(step));
    Py_ssize_t a, b, c, count;
    REQUIRE_EQ(PySlice_GetIndicesEx(slice, 5, &a, &b, &c, &count), 0);
    for (Py_ssize_t i = a; c > 0 ? i < b : i > b; i += c) {
        *picked++ = (char)('0' + i);
    }
    *picked = '\0';
    Py_DECREF(slice);
}

static void
expect_one_slice(long start, long stop, long step)
{
    char picked[8], left[8] = "";
    pick_slowly(start, stop, step, picked);
    for (char c = '0'; c < '5'; c++) {
        if (strchr(picked, c) == NULL) {
            strncat(left, &c, 1);
        }
    }
    PyObject *slice = slice_of(bound(start), bound(stop), number(step));
    PyObject *list = list_of("01234"), *tuple = container_of(&PyTuple_Type, "01234");
    PyObject *wanted = list_of(picked), *rest = list_of(left);
    PyObject *got = PyObject_GetItem(list, slice),
             *items = PyObject_GetItem(tuple, slice);
    EXPECT_EQ(PyObject_RichCompareBool(got, wanted, Py_EQ), 1);
    PyObject *as_list = PySequence_List(items);
    EXPECT_EQ(PyObject_RichCompareBool(as_list, wanted, Py_EQ), 1);
    EXPECT(PyTuple_CheckExact(items) && PyList_CheckExact(got));
    /* Assigning the same items changes nothing; deleting leaves the rest. */
    EXPECT_EQ(PyObject_SetItem(list, slice, items), 0);
    EXPECT_EQ(PyObject_Size(list), 5);
    EXPECT_EQ(PyObject_DelItem(list, slice), 0);
    EXPECT_EQ(PyObject_RichCompareBool(list, rest, Py_EQ), 1);
    PyObject *all[] = {slice, list, tuple, wanted, rest, got, items, as_list};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(all); i++) {
        Py_DECREF(all[i]);
    }
}

TEST_PY(every_slice_reads_assigns_and_deletes_its_items)
{
    for (long start = -7; start <= 9; start += 2) {
        for (long stop = -7; stop <= 9; stop++) {
            for (long step = -3; step <= 3; step++) {
                if (step != 0) {
                    expect_one_slice(start, stop, step);
                }
            }
        }
    }
}

/* list[start:stop:step] = values, or NULL to delete. */
static int
assign(PyObject *list, long start, long stop, long step, PyObject *values)
{
    PyObject *slice = slice_of(bound(start), bound(stop), number(step));
    int result = values == NULL ? PyObject_DelItem(list, slice)
                                : PyObject_SetItem(list, slice, values);
    Py_DECREF(slice);
    return result;
}

TEST_PY(slices_of_step_one_change_the_length)
{
    PyObject *list = list_of("123"), *values = list_of("78");
    EXPECT_EQ(assign(list, 2, 1, 1, values), 0);
    EXPECT_REPR_OF(Py_NewRef(list), "[1, 2, 7, 8, 3]");
    EXPECT_EQ(assign(list, 9, 9, 1, list), 0);
    EXPECT_EQ(PyList_GET_SIZE(list), 5);
    EXPECT_EQ(assign(list, 1, 4, 1, values), 0);
    EXPECT_REPR_OF(Py_NewRef(list), "[1, 7, 8, 3]");
    EXPECT_EQ(assign(list, 9, 9, -1, list), 0);
    EXPECT_REPR_OF(list, "[3, 8, 7, 1]");
    Py_DECREF(values);
}

TEST_PY(wrong_subscripts_are_reported)
{
    PyObject *list = list_of("123"), *tuple = container_of(&PyTuple_Type, "1");
    PyObject *key = text("x"), *far = number(7), *near = number(-7), *one = number(1);
    PyObject *huge = PyLong_FromString("1180591620717411303424", NULL, 10);
    EXPECT_NULL(PyObject_GetItem(list, key));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "list indices must be integers or slices, not str");
    EXPECT_NULL(PyObject_GetItem(tuple, key));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "tuple indices must be integers or slices, not str");
    EXPECT_EQ(PyObject_SetItem(list, key, one), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "list indices must be integers or slices, not str");
    PyObject *indices[] = {far, near};
    for (int i = 0; i < 2; i++) {
        EXPECT_NULL(PyObject_GetItem(list, indices[i]));
        EXPECT_RAISED_TEXT(PyExc_IndexError, "list index out of range");
        EXPECT_NULL(PyObject_GetItem(tuple, indices[i]));
        EXPECT_RAISED_TEXT(PyExc_IndexError, "tuple index out of range");
        EXPECT_EQ(PyObject_SetItem(list, indices[i], one), -1);
        EXPECT_RAISED_TEXT(PyExc_IndexError, "list assignment index out of range");
        EXPECT_EQ(PyObject_DelItem(list, indices[i]), -1);
        EXPECT_RAISED_TEXT(PyExc_IndexError, "list assignment index out of range");
    }
    EXPECT_NULL(PyObject_GetItem(list, huge));
    EXPECT_RAISED_TEXT(PyExc_IndexError, "cannot fit 'int' into an index-sized integer");
    PyObject *all[] = {list, tuple, key, far, near, one, huge};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(all); i++) {
        Py_DECREF(all[i]);
    }
}

TEST_PY(wrong_slices_are_reported)
{
    PyObject *list = list_of("123"), *tuple = container_of(&PyTuple_Type, "1");
    PyObject *values = list_of("1"), *word = slice_of(text("x"), NULL, NULL);
    EXPECT_EQ(assign(list, 9, 9, 2, values), -1);
    EXPECT_RAISED_TEXT(
        PyExc_ValueError,
        "attempt to assign sequence of size 1 to extended slice of size 2");
    EXPECT_EQ(assign(list, 9, 9, 2, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "must assign iterable to extended slice");
    EXPECT_EQ(assign(list, 9, 9, 0, values), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "slice step cannot be zero");
    EXPECT_EQ(PyList_SetSlice(list, 0, 1, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "can only assign an iterable");
    const char *reason =
        "slice indices must be integers or None or have an __index__ method";
    EXPECT_NULL(PyObject_GetItem(list, word));
    EXPECT_RAISED_TEXT(PyExc_TypeError, reason);
    EXPECT_NULL(PyObject_GetItem(tuple, word));
    EXPECT_RAISED_TEXT(PyExc_TypeError, reason);
    EXPECT_EQ(PyObject_DelItem(list, word), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, reason);
    EXPECT_EQ(PyObject_SetItem(tuple, word, values), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'tuple' object does not support item assignment");
    EXPECT_REPR_OF(list, "[1, 2, 3]");
    Py_DECREF(tuple);
    Py_DECREF(values);
    Py_DECREF(word);
}

/* --- indices that shorten the list, and destructors that look at it ------------------------------ */

static PyObject *victim;

static PyObject *
empty_victim(PyObject *Py_UNUSED(self))
{
    PyList_Clear(victim);
    return PyLong_FromLong(1);
}

static PyNumberMethods emptier_as_number = {.nb_index = empty_victim};

static PyTypeObject emptier_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Emptier",
    .tp_basicsize = sizeof(PyObject),
    .tp_as_number = &emptier_as_number,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

TEST_PY(an_index_that_empties_the_list_finds_it_empty)
{
    REQUIRE_EQ(PyType_Ready(&emptier_type), 0);
    PyObject *emptier = PyObject_New(PyObject, &emptier_type);
    PyObject *slice = PySlice_New(emptier, NULL, emptier);
    victim = list_of("12345");
    EXPECT_NULL(PyObject_GetItem(victim, emptier));
    EXPECT_RAISED(PyExc_IndexError);
    Py_DECREF(victim);
    victim = list_of("12345");
    EXPECT_REPR_OF(PyObject_GetItem(victim, slice), "[]");
    Py_DECREF(victim);
    victim = list_of("12345");
    EXPECT_EQ(PyObject_DelItem(victim, slice), 0);
    Py_DECREF(victim);
    victim = list_of("12345");
    EXPECT_EQ(PyObject_SetItem(victim, emptier, Py_None), -1);
    EXPECT_RAISED(PyExc_IndexError);
    Py_DECREF(victim);
    Py_DECREF(slice);
    Py_DECREF(emptier);
}

static Py_ssize_t size_seen;

static void
onlooker_dealloc(PyObject *self)
{
    size_seen = PyList_GET_SIZE(victim);
    PyList_Clear(victim);
    PyObject_Free(self);
}

static PyTypeObject onlooker_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Onlooker",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = onlooker_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

TEST_PY(items_leave_the_list_before_they_are_released)
{
    REQUIRE_EQ(PyType_Ready(&onlooker_type), 0);
    victim = list_of("12345");
    PyList_SetItem(victim, 2, PyObject_New(PyObject, &onlooker_type));
    EXPECT_EQ(assign(victim, 9, 9, 2, NULL), 0);
    EXPECT_EQ(size_seen, 2);
    EXPECT_EQ(PyList_GET_SIZE(victim), 0);
    Py_DECREF(victim);
    victim = list_of("12345");
    PyObject *values = list_of("678");
    PyList_SetItem(victim, 2, PyObject_New(PyObject, &onlooker_type));
    EXPECT_EQ(assign(victim, 9, 9, 2, values), 0);
    EXPECT_EQ(size_seen, 5);
    Py_DECREF(victim);
    Py_DECREF(values);
}

static PyObject *
use_slices(void)
{
    PyObject *list = PyList_New(5), *slice = NULL, *two = number(2), *got = NULL;
    for (Py_ssize_t i = 0; list != NULL && i < 5; i++) {
        PyList_SET_ITEM(list, i, Py_NewRef(Py_None));
    }
    if (list != NULL && two != NULL) {
        slice = PySlice_New(NULL, NULL, two);
    }
    if (slice != NULL) {
        got = PyObject_GetItem(list, slice);
    }
    if (got != NULL &&
        (PyObject_SetItem(list, slice, got) < 0 || PyObject_DelItem(list, slice) < 0)) {
        Py_CLEAR(got);
    }
    Py_XDECREF(list);
    Py_XDECREF(slice);
    Py_XDECREF(two);
    return got;
}

TEST_PY(slices_leak_nothing_also_when_memory_ends)
{
    repeat_without_leak(use_slices);
    fail_each_allocation(use_slices);
}
