/* SPDX-License-Identifier: MIT */
/* list objects. */
#include "../protocol.h"

/* [0, 1, ... count-1] */
static PyObject *
counted_list(Py_ssize_t count)
{
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyList_SET_ITEM(list, i, PyLong_FromSsize_t(i));
    }
    return list;
}

TEST_PY(lists_are_tracked_from_birth)
{
    PyObject *list = PyList_New(0);
    EXPECT_EQ(PyObject_GC_IsTracked(list), 1);
    PyGC_Collect();
    EXPECT_EQ(PyObject_GC_IsTracked(list), 1);
    Py_DECREF(list);
}

TEST_PY(appending_takes_its_own_reference)
{
    PyObject *list = PyList_New(0), *item = PyList_New(0);
    for (int i = 0; i < 1000; i++) {
        EXPECT_EQ(PyList_Append(list, item), 0);
    }
    EXPECT_EQ(Py_REFCNT(item), 1001);
    EXPECT_EQ(PyList_Size(list), 1000);
    Py_DECREF(list);
    EXPECT_EQ(Py_REFCNT(item), 1);
    EXPECT_EQ(PyList_Append(Py_None, item), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyList_Append(item, NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(item);
}

TEST_PY(items_are_borrowed_or_new)
{
    PyObject *list = PyList_New(0), *item = text("x");
    PyList_Append(list, item);
    EXPECT_SAME_COUNT(item, EXPECT_EQ(PyList_GetItem(list, 0), item));
    EXPECT_EQ(PyList_GetItemRef(list, 0), item);
    EXPECT_EQ(Py_REFCNT(item), 3);
    Py_DECREF(item);
    EXPECT_NULL(PyList_GetItem(list, 1));
    EXPECT_RAISED_TEXT(PyExc_IndexError, "list index out of range");
    EXPECT_NULL(PyList_GetItemRef(list, -1));
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_NULL(PyList_GetItem(item, 0));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyList_GetItemRef(item, 0));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(list);
    Py_DECREF(item);
}

TEST_PY(setting_steals_also_on_failure)
{
    PyObject *list = PyList_New(1), *item = PyList_New(0);
    EXPECT_EQ(PyList_SetItem(list, 0, Py_NewRef(item)), 0);
    EXPECT_EQ(Py_REFCNT(item), 2);
    EXPECT_EQ(PyList_SetItem(list, 1, Py_NewRef(item)), -1);
    EXPECT_RAISED_TEXT(PyExc_IndexError, "list assignment index out of range");
    EXPECT_EQ(Py_REFCNT(item), 2);
    EXPECT_EQ(PyList_SetItem(Py_None, 0, Py_NewRef(item)), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(Py_REFCNT(item), 2);
    Py_DECREF(list);
    EXPECT_EQ(Py_REFCNT(item), 1);
    Py_DECREF(item);
}

TEST_PY(inserting_cuts_the_index_to_the_list)
{
    PyObject *list = counted_list(2);
    EXPECT_EQ(PyList_Insert(list, -99, Py_None), 0);
    EXPECT_EQ(PyList_Insert(list, 99, Py_True), 0);
    EXPECT_EQ(PyList_Insert(list, -1, Py_False), 0);
    EXPECT_REPR_OF(list, "[None, 0, 1, False, True]");
}

TEST_PY(slices_are_read_and_replaced)
{
    PyObject *list = counted_list(5), *pair = PyTuple_Pack(2, Py_None, Py_True);
    EXPECT_REPR_OF(PyList_GetSlice(list, 1, 3), "[1, 2]");
    EXPECT_REPR_OF(PyList_GetSlice(list, -4, 99), "[0, 1, 2, 3, 4]");
    EXPECT_EQ(PyList_SetSlice(list, 1, 4, pair), 0);
    EXPECT_REPR_OF(Py_NewRef(list), "[0, None, True, 4]");
    EXPECT_EQ(PyList_SetSlice(list, 4, 99, pair), 0);
    EXPECT_EQ(PyList_SetSlice(list, 1, 1, list), 0);
    EXPECT_REPR_OF(Py_NewRef(list),
                   "[0, 0, None, True, 4, None, True, None, True, 4, None, True]");
    EXPECT_EQ(PyList_SetSlice(list, 0, 99, NULL), 0);
    EXPECT_REPR_OF(Py_NewRef(list), "[]");
    EXPECT_EQ(PyList_SetSlice(list, 0, 0, number(1)), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(list);
    Py_DECREF(pair);
}

TEST_PY(a_list_can_extend_itself)
{
    PyObject *list = counted_list(2), *iterator = PyObject_GetIter(list);
    EXPECT_EQ(PyList_Extend(list, list), 0);
    EXPECT_REPR_OF(Py_NewRef(list), "[0, 1, 0, 1]");
    PyObject *other = PyList_New(0);
    EXPECT_EQ(PyList_Extend(other, iterator), 0);
    EXPECT_REPR_OF(other, "[0, 1, 0, 1]");
    EXPECT_REPR_OF(PyList_AsTuple(list), "(0, 1, 0, 1)");
    EXPECT_EQ(PyList_Reverse(list), 0);
    EXPECT_REPR_OF(Py_NewRef(list), "[1, 0, 1, 0]");
    EXPECT_EQ(PyList_Clear(list), 0);
    EXPECT_EQ(PyList_Size(list), 0);
    Py_DECREF(iterator);
    Py_DECREF(list);
}

/* --- destructors that look at the list ------------------------------------------------------ */

static PyObject *watched_list;
static Py_ssize_t size_seen;
static bool self_seen;

/* A type whose destructor looks at `watched_list`, and changes it. */
typedef struct {
    PyObject_HEAD
} WatcherObject;

static void
watcher_dealloc(PyObject *self)
{
    size_seen = PyList_GET_SIZE(watched_list);
    for (Py_ssize_t i = 0; i < size_seen; i++) {
        self_seen |= PyList_GET_ITEM(watched_list, i) == self;
    }
    PyList_Append(watched_list, Py_None);
    PyObject_Free(self);
}

static PyTypeObject watcher_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Watcher",
    .tp_basicsize = sizeof(WatcherObject),
    .tp_dealloc = watcher_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

static PyObject *
new_watcher(void)
{
    REQUIRE_EQ(PyType_Ready(&watcher_type), 0);
    return (PyObject *)PyObject_New(WatcherObject, &watcher_type);
}

static PyObject *
list_with_watcher(void)
{
    watched_list = counted_list(3);
    PyList_SetItem(watched_list, 1, new_watcher());
    size_seen = -1;
    self_seen = false;
    return watched_list;
}

TEST_PY(an_item_leaves_the_list_before_its_destructor_runs)
{
    PyObject *list = list_with_watcher();
    EXPECT_EQ(PyList_SetItem(list, 1, Py_NewRef(Py_True)), 0);
    EXPECT(!self_seen && size_seen == 3);
    EXPECT_REPR_OF(list, "[0, True, 2, None]");

    list = list_with_watcher();
    EXPECT_EQ(PyList_SetSlice(list, 1, 2, NULL), 0);
    EXPECT(!self_seen && size_seen == 2);
    EXPECT_REPR_OF(list, "[0, 2, None]");

    list = list_with_watcher();
    EXPECT_EQ(PySequence_DelItem(list, 1), 0);
    EXPECT(!self_seen && size_seen == 2);
    Py_DECREF(list);

    list = list_with_watcher();
    EXPECT_EQ(PyList_Clear(list), 0);
    EXPECT(!self_seen && size_seen == 0);
    EXPECT_REPR_OF(list, "[None]");
}

/* --- slots ------------------------------------------------------------------------------------ */

TEST_PY(lists_compare_item_by_item)
{
    PyObject *a = counted_list(3), *b = counted_list(3), *c = counted_list(2);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(c, a, Py_LT), 1);
    PyList_SetItem(b, 0, number(9));
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_NE), 1);
    EXPECT_EQ(PyObject_Hash(a), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
}

TEST_PY(lists_are_sequences_that_change)
{
    PyObject *list = counted_list(3);
    EXPECT_REPR_OF(PySequence_Concat(list, list), "[0, 1, 2, 0, 1, 2]");
    EXPECT_REPR_OF(PySequence_Repeat(list, 2), "[0, 1, 2, 0, 1, 2]");
    EXPECT_REPR_OF(PySequence_Repeat(list, -1), "[]");
    PyObject *same = PySequence_InPlaceRepeat(list, 2);
    EXPECT_EQ(same, list);
    Py_DECREF(same);
    EXPECT_EQ(PyList_Size(list), 6);
    EXPECT_EQ(PyObject_SetItem(list, number(-1), Py_None), 0);
    EXPECT_EQ(PyObject_DelItem(list, number(0)), 0);
    EXPECT_REPR_OF(Py_NewRef(list), "[1, 2, 0, 1, None]");
    EXPECT_EQ(PyObject_DelItem(list, number(5)), -1);
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_EQ(PyObject_SetItem(list, Py_None, Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PySequence_Contains(list, Py_None), 1);
    EXPECT_NULL(PySequence_Concat(list, Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    PyList_Append(list, list);
    EXPECT_REPR_OF(Py_NewRef(list), "[1, 2, 0, 1, None, [...]]");
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 1);
}

TEST_PY(list_can_be_called)
{
    PyObject *t = PyTuple_Pack(2, Py_None, Py_True);
    EXPECT_REPR_OF(PyObject_CallOneArg((PyObject *)&PyList_Type, t), "[None, True]");
    EXPECT_NULL(PyObject_CallOneArg((PyObject *)&PyList_Type, Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(t);
}

static PyObject *
build_a_list(void)
{
    PyObject *list = PyList_New(0);
    for (long i = 0; list != NULL && i < 40; i++) {
        if (PyList_Append(list, Py_None) < 0 || PyList_Insert(list, 0, Py_True) < 0) {
            Py_CLEAR(list);
        }
    }
    if (list != NULL &&
        (PyList_SetSlice(list, 3, 60, list) < 0 || PyList_Sort(list) < 0)) {
        PyErr_Clear(); /* None < True */
    }
    return list;
}

TEST_PY(lists_survive_any_failing_allocation)
{
    fail_each_allocation(build_a_list);
}
