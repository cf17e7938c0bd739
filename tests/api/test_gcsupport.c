/* SPDX-License-Identifier: MIT */
/* Allocating, resizing, freeing and tracking containers, the helpers of their handlers, and
 * what the library says to those who get it wrong. Rows of api.md A1 to A4 and A8. */
#include <ouroboros.h>

#include "../protocol.h"

/* --- the types ---------------------------------------------------------------------------- */

/* A container with one reference. */
struct box {
    PyObject_HEAD
    PyObject *ref;
};

static int
box_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct box *)self)->ref);
    return 0;
}

static int
box_clear(PyObject *self)
{
    Py_CLEAR(((struct box *)self)->ref);
    return 0;
}

static int boxes_destroyed;

static void
box_dealloc(PyObject *self)
{
    boxes_destroyed++;
    PyObject_GC_UnTrack(self);
    box_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject box_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Box",
    .tp_basicsize = sizeof(struct box),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_dealloc = box_dealloc,
    .tp_traverse = box_traverse,
    .tp_clear = box_clear,
};

/* A container with any number of references. */
struct row {
    PyObject_VAR_HEAD
    PyObject *items[1];
};

static int
row_traverse(PyObject *self, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_VISIT(((struct row *)self)->items[i]);
    }
    return 0;
}

static void
row_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_XDECREF(((struct row *)self)->items[i]);
    }
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject row_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Row",
    .tp_basicsize = offsetof(struct row, items),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = row_dealloc,
    .tp_traverse = row_traverse,
};

/* Not a container. */
static PyTypeObject plain_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Plain",
    .tp_basicsize = sizeof(struct box),
};

static void
ready_types(void)
{
    REQUIRE_EQ(PyType_Ready(&box_type), 0);
    REQUIRE_EQ(PyType_Ready(&row_type), 0);
    REQUIRE_EQ(PyType_Ready(&plain_type), 0);
}

static struct box *
new_box(void)
{
    ready_types();
    struct box *box = PyObject_GC_New(struct box, &box_type);
    REQUIRE_NOT_NULL(box);
    box->ref = NULL;
    return box;
}

static struct row *
new_row(Py_ssize_t size)
{
    ready_types();
    struct row *row = PyObject_GC_NewVar(struct row, &row_type, size);
    REQUIRE_NOT_NULL(row);
    for (Py_ssize_t i = 0; i < size; i++) {
        row->items[i] = Py_NewRef(Py_None);
    }
    return row;
}

static int
heap_box_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static PyTypeObject *
new_heap_type(unsigned flags)
{
    PyType_Slot slots[] = {{Py_tp_traverse, (void *)heap_box_traverse}, {0, NULL}};
    PyType_Spec spec = {"test.HeapBox", sizeof(struct box), 0, flags | Py_TPFLAGS_HAVE_GC,
                        slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    return type;
}

static int
young_count(void)
{
    int counts[3];
    Ouro_GCGetCounts(counts);
    return counts[0];
}

static size_t
block_count(void)
{
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    return usage.objects;
}

/* --- allocation ---------------------------------------------------------------------------- */

TEST_PY(a_new_container_has_one_reference_and_is_untracked)
{
    struct box *box = new_box();
    EXPECT_EQ(Py_REFCNT(box), 1);
    EXPECT_EQ(Py_TYPE(box), &box_type);
    EXPECT_EQ(PyObject_GC_IsTracked((PyObject *)box), 0);
    EXPECT_EQ(PyObject_GC_IsFinalized((PyObject *)box), 0);
    Py_DECREF(box);

    PyObject *more = PyUnstable_Object_GC_NewWithExtraData(&box_type, 100);
    EXPECT_EQ(Py_REFCNT(more), 1);
    EXPECT_EQ(Py_TYPE(more), &box_type);
    EXPECT_EQ(PyObject_GC_IsTracked(more), 0);
    Py_DECREF(more);
}

TEST_PY(a_slot_used_before_hands_out_a_fresh_header, .mistakes = true)
{
    for (int i = 0; i < 3; i++) {
        struct box *box = new_box();
        EXPECT_EQ(Py_REFCNT(box), 1);
        EXPECT_EQ(PyObject_GC_IsTracked((PyObject *)box), 0);
        EXPECT_EQ(PyObject_GC_IsFinalized((PyObject *)box), 0);
        PyObject_GC_Track(box);
        Py_SET_REFCNT(box, 7);
        PyObject_GC_Del(box);
    }
}

TEST_PY(a_new_container_with_items_knows_how_many)
{
    struct row *row = new_row(5);
    EXPECT_EQ(Py_SIZE(row), 5);
    EXPECT_EQ(Py_REFCNT(row), 1);
    EXPECT_EQ(Py_TYPE(row), &row_type);
    EXPECT_EQ(PyObject_GC_IsTracked((PyObject *)row), 0);
    Py_DECREF(row);

    row = new_row(0);
    EXPECT_EQ(Py_SIZE(row), 0);
    Py_DECREF(row);
}

TEST_PY(items_have_room_at_every_size)
{
    for (Py_ssize_t size = 1; size < 20000; size = size * 3 / 2 + 1) {
        struct row *first = new_row(size), *second = new_row(size);
        for (Py_ssize_t i = 0; i < size; i++) {
            EXPECT_EQ(first->items[i], Py_None); /* not overwritten by the second */
        }
        Py_DECREF(first);
        Py_DECREF(second);
    }
}

TEST_PY(the_spelling_of_a_2x_edition_compiles)
{
    ready_types();
    struct row *row = PyObject_GC_VarNew(struct row, &row_type, 2);
    EXPECT_EQ(Py_SIZE(row), 2);
    row->items[0] = row->items[1] = NULL;
    Py_DECREF(row);
}

TEST_PY(a_negative_number_of_items_is_a_system_error)
{
    ready_types();
    char text[200];
    EXPECT_NULL(PyObject_GC_NewVar(struct row, &row_type, -1));
    EXPECT(PyErr_ExceptionMatches(PyExc_SystemError));
    take_raised_text(text, sizeof text);
    EXPECT_HAS(text, "bad argument to internal function");
    EXPECT_NULL(PyObject_GC_NewVar(struct row, &row_type, PY_SSIZE_T_MIN));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(a_number_of_items_that_overflows_is_a_memory_error)
{
    ready_types();
    const Py_ssize_t sizes[] = {PY_SSIZE_T_MAX,         PY_SSIZE_T_MAX / 2,
                                PY_SSIZE_T_MAX / 4 + 1, PY_SSIZE_T_MAX / 8,
                                PY_SSIZE_T_MAX / 8 - 2, (Py_ssize_t)1 << 61,
                                (Py_ssize_t)1 << 40};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(sizes); i++) {
        EXPECT_NULL(PyObject_GC_NewVar(struct row, &row_type, sizes[i]));
        EXPECT_RAISED(PyExc_MemoryError);
    }
}

TEST_PY(extra_data_starts_behind_the_instance_and_is_zero)
{
    static const size_t sizes[] = {0, 1, 8, 100, 5000, 100000};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(sizes); i++) {
        ready_types();
        for (int again = 0; again < 2; again++) { /* the second gets used memory */
            PyObject *op = PyUnstable_Object_GC_NewWithExtraData(&box_type, sizes[i]);
            REQUIRE_NOT_NULL(op);
            char *body = (char *)(op + 1);
            size_t bytes = sizeof(struct box) - sizeof(PyObject) + sizes[i];
            size_t zeros = 0;
            for (size_t b = 0; b < bytes; b++) {
                zeros += body[b] == 0;
            }
            EXPECT_EQ(zeros, bytes);
            memset(body, 0x55, bytes);
            PyObject_GC_Del(op);
        }
    }
}

TEST_PY(extra_data_is_freed_with_its_object)
{
    ready_types();
    size_t before = block_count();
    PyObject *op = PyUnstable_Object_GC_NewWithExtraData(&box_type, 100000);
    EXPECT_EQ(block_count(), before + 1);
    Py_DECREF(op);
    EXPECT_EQ(block_count(), before);
}

TEST_PY(extra_data_that_overflows_is_a_memory_error)
{
    ready_types();
    const size_t sizes[] = {SIZE_MAX,
                            SIZE_MAX - sizeof(struct box),
                            SIZE_MAX - sizeof(struct box) + 1,
                            (size_t)PY_SSIZE_T_MAX,
                            (size_t)PY_SSIZE_T_MAX - sizeof(struct box),
                            (size_t)PY_SSIZE_T_MAX + 1};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(sizes); i++) {
        EXPECT_NULL(PyUnstable_Object_GC_NewWithExtraData(&box_type, sizes[i]));
        EXPECT_RAISED(PyExc_MemoryError);
    }
}

TEST_PY(every_allocator_takes_a_reference_to_a_heap_type_and_del_gives_none_back,
        .mistakes = true)
{
    PyTypeObject *type = new_heap_type(0);
    Py_ssize_t before = Py_REFCNT(type);
    PyObject *ops[] = {
        PyObject_GC_New(PyObject, type),
        PyUnstable_Object_GC_NewWithExtraData(type, 8),
        PyType_GenericAlloc(type, 0),
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(ops); i++) {
        REQUIRE_NOT_NULL(ops[i]);
    }
    EXPECT_EQ(Py_REFCNT(type), before + 3);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(ops); i++) {
        PyObject_GC_Del(ops[i]);
    }
    EXPECT_EQ(Py_REFCNT(type), before + 3);
    Py_SET_REFCNT(type, before);
    Py_DECREF(type);

    PyType_Slot slots[] = {{Py_tp_traverse, (void *)row_traverse}, {0, NULL}};
    PyType_Spec spec = {"test.HeapRow", offsetof(struct row, items), sizeof(PyObject *),
                        Py_TPFLAGS_HAVE_GC, slots};
    type = (PyTypeObject *)PyType_FromSpec(&spec);
    before = Py_REFCNT(type);
    PyVarObject *row = PyObject_GC_NewVar(PyVarObject, type, 3);
    EXPECT_EQ(Py_REFCNT(type), before + 1);
    PyObject_GC_Del(row);
    Py_SET_REFCNT(type, before);
    Py_DECREF(type);
}

/* The hidden words, read as the library's own code reads them. */
TEST_PY(hidden_words_of_managed_types_are_zero_in_used_memory_too, .mistakes = true)
{
    PyTypeObject *type =
        new_heap_type(Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF);
    Py_ssize_t before = Py_REFCNT(type);
    for (int i = 0; i < 4; i++) {
        PyObject *op = i % 2 == 0 ? PyObject_GC_New(PyObject, type)
                                  : PyUnstable_Object_GC_NewWithExtraData(type, 8);
        PyObject **hidden = (PyObject **)op - 2;
        EXPECT_NULL(hidden[0]);
        EXPECT_NULL(hidden[1]);
        EXPECT_EQ(_PyObject_GetDictPtr(op), hidden);
        hidden[0] = hidden[1] = Py_None;
        PyObject_GC_Del(op);
    }
    Py_SET_REFCNT(type, before);
    Py_DECREF(type);
}

/* A container with items, a managed dict and managed weak references. */
static PyTypeObject *
new_managed_row_type(void)
{
    PyType_Slot slots[] = {{Py_tp_traverse, (void *)heap_box_traverse}, {0, NULL}};
    PyType_Spec spec = {"test.ManagedRow", offsetof(struct row, items),
                        sizeof(PyObject *),
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                            Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF,
                        slots};
    PyObject *type = PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    return (PyTypeObject *)type;
}

TEST_PY(hidden_words_of_containers_with_items_are_their_own, .mistakes = true)
{
    enum { COUNT = 200, ITEMS = 6 };
    static struct row *rows[COUNT];
    PyTypeObject *type = new_managed_row_type();
    Py_ssize_t before = Py_REFCNT(type);
    for (int i = 0; i < COUNT; i++) {
        rows[i] = PyObject_GC_NewVar(struct row, type, ITEMS);
        REQUIRE_NOT_NULL(rows[i]);
        for (int k = 0; k < ITEMS; k++) {
            rows[i]->items[k] = (PyObject *)&rows[i];
        }
    }
    for (int i = 0; i < COUNT; i++) {
        PyObject **hidden = (PyObject **)rows[i] - 2;
        hidden[0] = hidden[1] = Py_None;
    }
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < ITEMS; k++) {
            EXPECT_EQ(rows[i]->items[k], (PyObject *)&rows[i]);
        }
        PyObject_GC_Del(rows[i]);
    }
    Py_SET_REFCNT(type, before);
    Py_DECREF(type);
}

TEST_PY(allocations_and_frees_are_counted_and_the_count_stays_above_zero)
{
    ready_types();
    PyGC_Disable(); /* nothing else sets it back meanwhile */
    Ouro_GCCollect(2);
    EXPECT_EQ(young_count(), 0);
    struct box *box = new_box();
    struct row *row = new_row(3);
    PyObject *more = PyUnstable_Object_GC_NewWithExtraData(&box_type, 10);
    PyObject *large = PyUnstable_Object_GC_NewWithExtraData(&box_type, 200000);
    EXPECT_EQ(young_count(), 4);
    PyObject_GC_Del(box);
    PyObject_GC_Del(more);
    EXPECT_EQ(young_count(), 2);
    Ouro_GCCollect(2);
    EXPECT_EQ(young_count(), 0);
    PyObject_GC_Del(row);
    PyObject_GC_Del(large);
    EXPECT_EQ(young_count(), 0);
}

static PyObject *
allocate_small(void)
{
    return PyObject_GC_New(PyObject, &box_type);
}

static PyObject *
allocate_items(void)
{
    return PyObject_GC_NewVar(PyObject, &row_type, 0);
}

static PyObject *
allocate_extra(void)
{
    return PyUnstable_Object_GC_NewWithExtraData(&box_type, 1000);
}

TEST_PY(every_allocator_reports_a_memory_error)
{
    PyObject *(*allocators[])(void) = {allocate_small, allocate_items, allocate_extra};
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    ready_types();
    PyGC_Disable(); /* the first allocation is the object's */
    for (size_t i = 0; i < Py_ARRAY_LENGTH(allocators); i++) {
        size_t before = block_count();
        ouro_fault_arm(1);
        EXPECT_NULL(allocators[i]());
        EXPECT_EQ(ouro_fault_seen(), 1);
        ouro_fault_arm(0);
        EXPECT_RAISED(PyExc_MemoryError);
        EXPECT_EQ(block_count(), before);
    }
}

TEST_PY(a_full_heap_collects_before_it_gives_up)
{
    if (OURO_DEBUG && getenv("OURO_STRESS") != NULL) {
        SKIP("every allocation collects");
    }
    ready_types();
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    Ouro_GCSetThresholds((int[]){0}, 1); /* no automatic collections */
    Ouro_HeapSetLimit(usage.used_bytes + (2 << 20));
    boxes_destroyed = 0;
    for (int i = 0; i < 200000; i++) { /* garbage, several times the limit */
        struct box *box = new_box();
        box->ref = Py_NewRef(box);
        PyObject_GC_Track(box);
        Py_DECREF(box);
    }
    EXPECT_GT(boxes_destroyed, 0);

    struct box *chain = NULL; /* and live objects, until it is full */
    int length = 0;
    for (;;) {
        struct box *box = PyObject_GC_New(struct box, &box_type);
        if (box == NULL) {
            break;
        }
        box->ref = (PyObject *)chain;
        PyObject_GC_Track(box);
        chain = box;
        length++;
    }
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_GT(length, 1000);
    Py_DECREF(chain);
    Ouro_HeapSetLimit(0);
    Py_DECREF(new_box());
}

/* --- resizing -------------------------------------------------------------------------------- */

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

/* Into a page of old objects, where a new one must be told to the page. */
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

static void
do_nothing(PyObject *Py_UNUSED(self))
{
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

/* --- freeing ---------------------------------------------------------------------------------- */

TEST_PY(del_of_a_tracked_object_untracks_it, .mistakes = true)
{
    size_t before = block_count();
    struct box *box = new_box();
    box->ref = Py_NewRef(box);
    PyObject_GC_Track(box);
    PyObject_GC_Del(box);
    EXPECT_EQ(block_count(), before);
    EXPECT_EQ(PyGC_Collect(), 0);
}

TEST_PY(del_keeps_the_pending_exception)
{
    struct box *box = new_box();
    PyErr_SetString(PyExc_ValueError, "pending");
    PyObject_GC_Del(box);
    EXPECT_RAISED(PyExc_ValueError);
}

TEST_PY(del_serves_as_tp_free)
{
    ready_types();
    EXPECT(box_type.tp_free == PyObject_GC_Del);
    EXPECT(plain_type.tp_free == PyObject_Free);
}

TEST_PY(freeing_twice_is_fatal)
{
    struct box *box = new_box();
    PyObject_GC_Del(box);
    EXPECT_FATAL(PyObject_GC_Del(box), "PyObject_GC_Del: the 'test.Box' object at ");
    EXPECT_FATAL(PyObject_GC_Del(box), "it was freed before");
}

/* The type went first, so the message cannot name it. */
TEST_PY(freeing_twice_is_fatal_when_the_type_is_gone)
{
    PyTypeObject *type = new_heap_type(0);
    PyObject *op = PyObject_GC_New(PyObject, type);
    PyObject_GC_Del(op);
    Py_DECREF(type);
    Py_DECREF(type);
    PyGC_Collect();
    EXPECT_FATAL(PyObject_GC_Del(op), "it was freed before");
}

TEST_PY(freeing_a_large_object_twice_is_fatal)
{
    ready_types();
    PyObject *op = PyUnstable_Object_GC_NewWithExtraData(&box_type, 40000);
    PyObject_GC_Del(op);
    EXPECT_FATAL(PyObject_GC_Del(op), "PyObject_GC_Del: the 'test.Box' object at ");
}

TEST_PY(freeing_memory_of_another_family_is_fatal)
{
    ready_types();
    PyObject *plain = PyObject_New(PyObject, &plain_type);
    EXPECT_FATAL(PyObject_GC_Del(plain), "PyObject_GC_Del: the 'test.Plain' object at ");
    EXPECT_FATAL(PyObject_GC_Del(plain), "was not allocated by PyObject_GC_New");
    Py_DECREF(plain);
    EXPECT_FATAL(PyObject_GC_Del(Py_None), "was not allocated by PyObject_GC_New");
    EXPECT_FATAL(PyObject_GC_Del(&box_type), "was not allocated by PyObject_GC_New");
    EXPECT_FATAL(PyObject_GC_Del(NULL), "NULL is not an object");
}

TEST_PY(a_container_freed_as_a_plain_object_is_fatal)
{
    struct box *box = new_box();
    EXPECT_FATAL(PyObject_Free(box), "PyObject_Free: the 'test.Box' object at ");
    EXPECT_FATAL(PyObject_Free(box), "must be freed by PyObject_GC_Del");
    EXPECT_FATAL(PyObject_Realloc(box, 100),
                 "PyObject_Realloc: the 'test.Box' object at ");
    Py_DECREF(box);
}

TEST_PY(an_object_of_another_interpreter_is_refused)
{
    struct box *box = new_box();
    PyThreadState *main = PyThreadState_Get();
    PyThreadState *other = Py_NewInterpreter();
    EXPECT_FATAL(PyObject_GC_Del(box), "of this interpreter");
    EXPECT_FATAL((PyObject_GC_Track)((PyObject *)box), "of this interpreter");
    Py_EndInterpreter(other);
    PyThreadState_Swap(main);
    Py_DECREF(box);
}

TEST(allocating_in_a_detached_thread_is_fatal)
{
    Py_Initialize();
    ready_types();
    struct box *box = new_box();
    PyThreadState *state = PyEval_SaveThread();
    EXPECT_FATAL((void)PyObject_GC_New(struct box, &box_type),
                 "not attached to an interpreter");
    EXPECT_FATAL(PyObject_GC_Del(box), "not attached to an interpreter");
    PyEval_RestoreThread(state);
    Py_DECREF(box);
    Py_Finalize();
}

/* Dying objects that are still tracked are garbage to a collection. */
static void
collecting_dealloc(PyObject *self)
{
    PyGC_Collect();
    PyObject_GC_Del(self);
}

TEST_PY(a_destructor_that_collects_before_it_untracks_is_fatal)
{
    struct box *box = new_box();
    PyObject_GC_Track(box);
    box_type.tp_dealloc = collecting_dealloc;
    EXPECT_FATAL(Py_DECREF(box), "PyObject_GC_Del: the 'test.Box' object at ");
    box_type.tp_dealloc = box_dealloc;
    Py_DECREF(box);
}

static int results_of_finalizing;

static void
finalizing_dealloc(PyObject *self)
{
    results_of_finalizing += PyObject_CallFinalizerFromDealloc(self) == 0;
    box_dealloc(self);
}

TEST_PY(a_destructor_may_finalize_an_object_that_is_not_tracked)
{
    struct box *box = new_box();
    box_type.tp_dealloc = finalizing_dealloc;
    box_type.tp_finalize = do_nothing;
    Py_DECREF(box);
    EXPECT_EQ(results_of_finalizing, 1);
}

/* --- tracking --------------------------------------------------------------------------------- */

TEST_PY(track_and_untrack_are_seen_by_is_tracked)
{
    PyObject *op = (PyObject *)new_box();
    PyObject_GC_Track(op);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    PyObject_GC_UnTrack(op);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
    PyObject_GC_UnTrack(op);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
    PyObject_GC_Track(op);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    Py_DECREF(op);
}

TEST_PY(tracking_does_not_change_the_count_or_the_fields)
{
    struct box *box = new_box();
    box->ref = Py_NewRef(Py_None);
    PyObject_GC_Track(box);
    PyObject_GC_UnTrack(box);
    EXPECT_EQ(Py_REFCNT(box), 1);
    EXPECT_EQ(box->ref, Py_None);
    Py_DECREF(box);
}

TEST_PY(tracking_twice_is_fatal)
{
    struct box *box = new_box();
    PyObject_GC_Track(box);
    EXPECT_FATAL(PyObject_GC_Track(box),
                 "object already tracked by the garbage collector");
    EXPECT_FATAL(PyObject_GC_Track(box), "'test.Box' object at ");
    EXPECT_FATAL(_PyObject_GC_TRACK(box),
                 "object already tracked by the garbage collector");
    Py_DECREF(box);
}

TEST_PY(tracking_what_is_no_container_is_fatal)
{
    ready_types();
    PyObject *plain = PyObject_New(PyObject, &plain_type);
    EXPECT_FATAL(PyObject_GC_Track(plain),
                 "PyObject_GC_Track: the 'test.Plain' object at ");
    EXPECT_FATAL(PyObject_GC_Track(plain), "was not allocated by PyObject_GC_New");
    Py_DECREF(plain);
    EXPECT_FATAL((PyObject_GC_Track)(NULL), "NULL is not an object");
    struct box *box = new_box();
    Py_DECREF(box);
    EXPECT_FATAL((PyObject_GC_Track)((PyObject *)box), "it was freed before");
    EXPECT_DIES(PyObject_GC_Track(box), /* which reads the header in the caller */
                UNDER_ASAN ? "use-after-poison" : "it was freed before");
}

TEST_PY(untracking_what_is_no_container_does_nothing)
{
    ready_types();
    PyObject *plain = PyObject_New(PyObject, &plain_type);
    PyObject_GC_UnTrack(plain);
    PyObject_GC_UnTrack(Py_None);
    PyObject_GC_UnTrack(&box_type);
    EXPECT_EQ(PyObject_GC_IsTracked(plain), 0);
    EXPECT_EQ(Py_REFCNT(plain), 1);
    Py_DECREF(plain);
}

TEST_PY(the_macros_of_older_editions_track_and_untrack, .mistakes = true)
{
    struct box *box = new_box();
    _PyObject_GC_TRACK(box);
    EXPECT_EQ(PyObject_GC_IsTracked((PyObject *)box), 1);
    _PyObject_GC_UNTRACK(box);
    EXPECT_EQ(PyObject_GC_IsTracked((PyObject *)box), 0);
    _PyObject_GC_UNTRACK(box); /* tolerated */
    Py_DECREF(box);
}

TEST_PY(untracking_keeps_the_finalized_mark)
{
    PyObject *op = (PyObject *)new_box();
    box_type.tp_finalize = do_nothing;
    PyObject_GC_Track(op);
    PyObject_CallFinalizer(op);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 1);
    PyObject_GC_UnTrack(op);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 1);
    PyObject_GC_Track(op);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 1);
    Py_DECREF(op);
}

static int
is_gc_by_size(PyObject *self)
{
    return ((struct box *)self)->ref == NULL ? 7 : 0;
}

TEST_PY(is_gc_asks_the_type_and_its_veto)
{
    PyObject *op = (PyObject *)new_box();
    EXPECT(PyObject_IS_GC(op));
    box_type.tp_is_gc = is_gc_by_size;
    EXPECT(PyObject_IS_GC(op));
    ((struct box *)op)->ref = Py_None;
    EXPECT_EQ(PyObject_IS_GC(op), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 0);
    ((struct box *)op)->ref = NULL;
    box_type.tp_is_gc = NULL;
    Py_DECREF(op);
}

TEST_PY(is_gc_is_true_for_untracked_containers_and_false_for_others)
{
    PyObject *empty = PyTuple_New(0);
    EXPECT(PyObject_IS_GC(empty));
    EXPECT_EQ(PyObject_GC_IsTracked(empty), 0);
    EXPECT_EQ(PyObject_GC_IsFinalized(empty), 0);
    Py_DECREF(empty);

    PyObject *number_object = PyLong_FromLong(1000000);
    EXPECT_EQ(PyObject_IS_GC(number_object), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(number_object), 0);
    EXPECT_EQ(PyObject_GC_IsFinalized(number_object), 0);
    Py_DECREF(number_object);
    EXPECT_NO_ERROR();
}

/* --- helpers of handlers -------------------------------------------------------------------------- */

struct visits {
    int count;
    PyObject *last;
    int answer;
};

static int
record_visit(PyObject *op, void *arg)
{
    struct visits *visits = arg;
    visits->count++;
    visits->last = op;
    return visits->answer;
}

TEST_PY(visit_skips_null_and_hands_on_the_object_and_the_argument)
{
    struct box *box = new_box();
    struct visits visits = {0};
    EXPECT_EQ(box_traverse((PyObject *)box, record_visit, &visits), 0);
    EXPECT_EQ(visits.count, 0);
    box->ref = Py_NewRef(Py_None);
    EXPECT_EQ(box_traverse((PyObject *)box, record_visit, &visits), 0);
    EXPECT_EQ(visits.count, 1);
    EXPECT_EQ(visits.last, Py_None);
    Py_DECREF(box);
}

TEST_PY(visit_returns_the_first_result_that_is_not_zero)
{
    struct row *row = new_row(3);
    struct visits visits = {.answer = -17};
    EXPECT_EQ(row_traverse((PyObject *)row, record_visit, &visits), -17);
    EXPECT_EQ(visits.count, 1);
    Py_DECREF(row);
}

/* Any pointer to a structure that starts as an object does; each is one statement. */
static int
odd_traverse(struct box *self, visitproc visit, void *arg)
{
    struct box *inner = (struct box *)self->ref;
    if (inner == NULL)
        Py_VISIT(self);
    else
        Py_VISIT(inner);
    return 0;
}

TEST_PY(visit_is_one_statement_and_takes_any_object_pointer)
{
    struct box *box = new_box();
    struct visits visits = {0};
    EXPECT_EQ(odd_traverse(box, record_visit, &visits), 0);
    EXPECT_EQ(visits.last, box);
    box->ref = Py_NewRef(Py_None);
    EXPECT_EQ(odd_traverse(box, record_visit, &visits), 0);
    EXPECT_EQ(visits.last, Py_None);
    EXPECT_EQ(visits.count, 2);
    Py_DECREF(box);
}

TEST_PY(the_slot_types_fit_the_handlers)
{
    visitproc visit = record_visit;
    traverseproc traverse = box_traverse;
    inquiry clear = box_clear;
    struct box *box = new_box();
    struct visits visits = {0};
    box->ref = Py_NewRef(Py_None);
    EXPECT_EQ(traverse((PyObject *)box, visit, &visits), 0);
    EXPECT_EQ(visits.count, 1);
    EXPECT_EQ(clear((PyObject *)box), 0);
    EXPECT_EQ(clear((PyObject *)box), 0); /* the object is valid after it */
    EXPECT_EQ(Py_TPFLAGS_HAVE_GC, 1UL << 14);
    EXPECT_EQ(Py_tp_traverse, 71);
    EXPECT_EQ(Py_tp_clear, 51);
    EXPECT_EQ(Py_tp_is_gc, 61);
    Py_DECREF(box);
}

/* --- a heap that is full ------------------------------------------------------------------------ */

static size_t
fill_heap_with_boxes(struct box **chain)
{
    size_t length = 0;
    for (;;) {
        struct box *box = PyObject_GC_New(struct box, &box_type);
        if (box == NULL) {
            EXPECT_RAISED(PyExc_MemoryError);
            return length;
        }
        box->ref = (PyObject *)*chain;
        PyObject_GC_Track(box);
        *chain = box;
        length++;
    }
}

static Py_ssize_t
full_collections(void)
{
    Ouro_GCStats stats;
    REQUIRE_EQ(Ouro_GCGetStats(2, &stats), 0);
    return stats.collections;
}

TEST_PY(a_full_heap_gives_up_at_once_when_the_collector_is_disabled)
{
    struct box *chain = NULL;
    ready_types();
    PyGC_Disable();
    Ouro_HeapSetLimit((size_t)4 << 20);
    Py_ssize_t before = full_collections();
    EXPECT_GT(fill_heap_with_boxes(&chain), 1000);
    EXPECT_EQ(full_collections(), before);
    Py_XDECREF(chain);
    Ouro_HeapSetLimit(0);
}

static void
fill_heap_in_finalizer(PyObject *Py_UNUSED(self))
{
    struct box *chain = NULL;
    EXPECT_GT(fill_heap_with_boxes(&chain), 1000);
    Py_XDECREF(chain);
}

TEST_PY(a_heap_that_a_finalizer_fills_does_not_collect_again)
{
    struct box *box = new_box();
    box_type.tp_finalize = fill_heap_in_finalizer;
    box->ref = Py_NewRef(box);
    PyObject_GC_Track(box);
    PyGC_Disable(); /* until the collection */
    Py_DECREF(box);
    Ouro_HeapSetLimit((size_t)4 << 20);
    Py_ssize_t before = full_collections();
    PyGC_Enable();
    EXPECT_EQ(Ouro_GCCollect(2), 1);
    EXPECT_EQ(full_collections(), before + 1);
    Ouro_HeapSetLimit(0);
}
