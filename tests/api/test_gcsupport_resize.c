/* SPDX-License-Identifier: MIT */
/* Resizing containers. */
#include "boxes.h"

TEST_PY(resizing_keeps_items_references_and_the_state_of_tracking) /* C117 */
{
    struct row *row = new_row(2);
    PyObject *first = PyLong_FromLong(123456), *second = PyLong_FromLong(654321);
    row->items[0] = first;
    row->items[1] = second;
    Py_SET_REFCNT(row, 3);
    row = PyObject_GC_Resize(struct row, row, 5);
    REQUIRE_NOT_NULL(row);
    EXPECT_EQ(Py_SIZE(row), 5);
    EXPECT_EQ(Py_REFCNT(row), 3);
    EXPECT_EQ(Py_TYPE(row), &row_type);
    EXPECT_EQ(PyObject_GC_IsTracked((PyObject *)row), 0);
    EXPECT_EQ(row->items[0], first);
    EXPECT_EQ(row->items[1], second);
    Py_SET_REFCNT(row, 1);
    row->items[2] = row->items[3] = row->items[4] = NULL;
    Py_DECREF(row);
}

TEST_PY(resizing_works_across_all_sizes_of_blocks)
{
    struct row *row = new_row(1);
    row->items[0] = PyLong_FromLong(123456);
    for (Py_ssize_t size = 2; size < 100000; size *= 3) {
        row = PyObject_GC_Resize(struct row, row, size);
        REQUIRE_NOT_NULL(row);
        EXPECT_EQ(Py_SIZE(row), size);
        EXPECT_EQ(PyLong_AsLong(row->items[0]), 123456);
        for (Py_ssize_t i = 1; i < size; i++) {
            row->items[i] = NULL;
        }
    }
    for (Py_ssize_t size = Py_SIZE(row); size > 0; size /= 3) {
        row = PyObject_GC_Resize(struct row, row, size);
        REQUIRE_NOT_NULL(row);
        EXPECT_EQ(Py_SIZE(row), size);
        EXPECT_EQ(PyLong_AsLong(row->items[0]), 123456);
    }
    Py_CLEAR(row->items[0]);
    row = PyObject_GC_Resize(struct row, row, 0);
    EXPECT_EQ(Py_SIZE(row), 0);
    PyObject_GC_Track(row);
    Py_DECREF(row);
}

TEST_PY(a_resized_object_keeps_its_dict_and_its_weak_references)
{
    PyTypeObject *type = new_managed_row_type();
    PyVarObject *row = PyObject_GC_NewVar(PyVarObject, type, 1);
    REQUIRE_NOT_NULL(row);
    REQUIRE_EQ(PyObject_SetAttrString((PyObject *)row, "x", Py_True), 0);
    PyObject **dict = _PyObject_GetDictPtr((PyObject *)row);
    PyObject *value = *dict;
    row = PyObject_GC_Resize(PyVarObject, row, 1000);
    REQUIRE_NOT_NULL(row);
    EXPECT_NE(_PyObject_GetDictPtr((PyObject *)row), dict);
    EXPECT_EQ(*_PyObject_GetDictPtr((PyObject *)row), value);
    Py_DECREF(row);
    Py_DECREF(type);
}

/* Bytes that pages in use take. */
static size_t
used_bytes(void)
{
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    return usage.used_bytes;
}

TEST_PY(an_object_resized_to_less_than_half_moves_to_a_smaller_block)
{
    SKIP_CHECKED("keeps freed blocks");
    struct row *row = new_row(0);
    row = PyObject_GC_Resize(struct row, row, 100000);
    REQUIRE_NOT_NULL(row);
    size_t before = used_bytes();
    row = PyObject_GC_Resize(struct row, row, 49000);
    row = PyObject_GC_Resize(struct row, row, 0);
    EXPECT_LE(used_bytes(), before - 100000 * sizeof(PyObject *) + 65536);
    Py_DECREF(row);
}

TEST_PY(a_large_object_grows_where_it_is_while_there_is_room_behind_it)
{
    SKIP_CHECKED("always moves");
    struct row *row = new_row(0);
    row = PyObject_GC_Resize(struct row, row, 10000);
    REQUIRE_NOT_NULL(row);
    struct row *before = row;
    for (Py_ssize_t size = 10000; size < 100000; size += 100) {
        row->items[size - 1] = (PyObject *)row;
        row = PyObject_GC_Resize(struct row, row, size + 100);
        REQUIRE_EQ(row, before);
        EXPECT_EQ(row->items[size - 1], (PyObject *)row);
    }
    memset(row->items, 0, 100000 * sizeof row->items[0]);
    struct row *behind = new_row(10000);
    row = PyObject_GC_Resize(struct row, row, 150000);
    REQUIRE_NOT_NULL(row);
    EXPECT_NE(row, before);
    EXPECT_EQ(Py_SIZE(row), 150000);
    memset(row->items, 0, 150000 * sizeof row->items[0]);
    Py_DECREF(row);
    Py_DECREF(behind);
}

/* The object moves to a page of old objects, which must learn of the young one. */
TEST_PY(a_resized_object_is_seen_by_the_next_young_collection)
{
    enum { LONG = 40 };
    struct row *old[3];
    for (int i = 0; i < 3; i++) {
        old[i] = new_row(LONG);
        PyObject_GC_Track(old[i]);
    }
    PyGC_Disable();
    Ouro_GCCollect(2);
    struct row *row = new_row(1);
    row = PyObject_GC_Resize(struct row, row, LONG);
    REQUIRE_NOT_NULL(row);
    for (int i = 1; i < LONG; i++) {
        row->items[i] = NULL;
    }
    Py_SETREF(row->items[0], Py_NewRef(row));
    PyObject_GC_Track(row);
    Py_DECREF(row);
    EXPECT_EQ(Ouro_GCCollect(0), 1); /* without tp_clear it stays */
    Py_CLEAR(row->items[0]);
    for (int i = 0; i < 3; i++) {
        Py_DECREF(old[i]);
    }
}

TEST_PY(items_cut_off_by_resizing_are_not_released)
{
    struct row *row = new_row(1);
    struct box *box = new_box();
    row->items[0] = (PyObject *)box;
    boxes_destroyed = 0;
    row = PyObject_GC_Resize(struct row, row, 0);
    EXPECT_EQ(boxes_destroyed, 0);
    EXPECT_EQ(Py_REFCNT(box), 1);
    Py_DECREF(box);
    Py_DECREF(row);
}

TEST_PY(resizing_that_fails_leaves_the_object_as_it_was) /* C117 */
{
    struct row *row = new_row(2);
    EXPECT_NULL(PyObject_GC_Resize(struct row, row, PY_SSIZE_T_MAX));
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_NULL(PyObject_GC_Resize(struct row, row, PY_SSIZE_T_MAX / 8 - 10));
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_NULL(PyObject_GC_Resize(struct row, row, -1));
    EXPECT_RAISED(PyExc_SystemError);
    ouro_fault_arm(OURO_DEBUG);
    EXPECT(!OURO_DEBUG || PyObject_GC_Resize(struct row, row, 1000) == NULL);
    ouro_fault_arm(0);
    PyErr_Clear();
    EXPECT_EQ(Py_SIZE(row), 2);
    EXPECT_EQ(Py_REFCNT(row), 1);
    EXPECT_EQ(row->items[0], Py_None);
    EXPECT_EQ(row->items[1], Py_None);
    Py_DECREF(row);
}

TEST_PY(the_finalized_mark_moves_with_a_resized_object)
{
    struct row *row = new_row(1);
    row_type.tp_finalize = do_nothing;
    PyObject_CallFinalizer((PyObject *)row);
    row = PyObject_GC_Resize(struct row, row, 500);
    EXPECT_EQ(PyObject_GC_IsFinalized((PyObject *)row), 1);
    row = PyObject_GC_Resize(struct row, row, 1);
    EXPECT_EQ(PyObject_GC_IsFinalized((PyObject *)row), 1);
    Py_DECREF(row);
}

TEST_PY(resizing_a_tracked_object_is_fatal)
{
    struct row *row = new_row(2);
    PyObject_GC_Track(row);
    EXPECT_FATAL((void)PyObject_GC_Resize(struct row, row, 5),
                 "PyObject_GC_Resize: the 'test.Row' object at ");
    EXPECT_FATAL((void)PyObject_GC_Resize(struct row, row, 5),
                 "is tracked; untrack it first");
    EXPECT_FATAL((void)PyObject_GC_Resize(struct row, row, 2), "is tracked");
    Py_DECREF(row);
}

TEST_PY(resizing_foreign_or_freed_memory_is_fatal)
{
    struct row *row = new_row(2);
    PyVarObject *foreign = PyMem_Calloc(1, 200);
    Py_SET_TYPE(foreign, &row_type);
    EXPECT_FATAL((void)PyObject_GC_Resize(struct row, foreign, 5),
                 "PyObject_GC_Resize: the 'test.Row' object at ");
    EXPECT_FATAL((void)PyObject_GC_Resize(struct row, foreign, 5),
                 "was not allocated by");
    PyMem_Free(foreign);
    Py_DECREF(row);
    EXPECT_FATAL((void)PyObject_GC_Resize(struct row, row, 5), "it was freed before");
}
