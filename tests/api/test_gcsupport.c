/* SPDX-License-Identifier: MIT */
/* Allocating and freeing containers, and the messages about mistakes. Resizing, tracking and a
 * full heap have test files of their own. */
#include "boxes.h"

/* --- allocation -------------------------------------------------------------------------- */

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
    PyGC_Disable(); /* otherwise a collection would reset the count */
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

/* --- freeing ----------------------------------------------------------------------------- */

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

/* A dead object of each kind, as code with a stale pointer sees it. */
static PyObject *
dead_small(void)
{
    PyObject *box = (PyObject *)new_box();
    Py_DECREF(box);
    return box;
}

static PyObject *
dead_large(void)
{
    PyObject *op = PyUnstable_Object_GC_NewWithExtraData(&box_type, 40000);
    Py_DECREF(op);
    return op;
}

static PyObject *
dead_in_a_cycle(void)
{
    struct box *box = new_box();
    box->ref = (PyObject *)box;
    PyObject_GC_Track(box);
    EXPECT_EQ(PyGC_Collect(), 1);
    return (PyObject *)box;
}

TEST_PY(a_reference_dropped_after_the_end_is_fatal_at_once)
{
    SKIP_CHECKED("reports it in its own words");
    ready_types();
    PyObject *(*kinds[])(void) = {dead_small, dead_large, dead_in_a_cycle};
    const char *message = UNDER_ASAN ? "use-after-poison" : "object at 0x";
    for (size_t i = 0; i < Py_ARRAY_LENGTH(kinds); i++) {
        EXPECT_DIES(Py_DECREF(kinds[i]()), message);
        EXPECT_DIES(Py_DecRef(kinds[i]()), message);
    }
    message = UNDER_ASAN ? message : "Py_DECREF: a reference to the 'test.Box' object at";
    EXPECT_DIES(Py_DECREF(dead_small()), message);
    message =
        UNDER_ASAN ? message : "was released after it was freed (page 2 of the heap)";
    EXPECT_DIES(Py_DECREF(dead_small()), message);
}

TEST_PY(a_reference_taken_after_the_end_is_fatal_when_the_memory_is_used_again)
{
    SKIP_CHECKED("reports it at once");
    PyObject *box = dead_small();
    EXPECT_DIES(
        {
            Py_INCREF(box);
            new_box();
        },
        UNDER_ASAN ? "use-after-poison" : "was changed after it was freed");
}

static void
hasty_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    _Py_CountDown(op); /* a stray Py_DECREF, but none that the checker sees */
    PyObject_GC_Del(op);
}

TEST_PY(a_reference_dropped_while_an_object_dies_is_fatal_when_it_is_freed)
{
    ready_types();
    PyTypeObject *type = new_heap_type(0);
    type->tp_dealloc = hasty_dealloc;
    PyObject *op = PyObject_GC_New(PyObject, type);
    EXPECT_FATAL(Py_DECREF(op), "released once too often");
    EXPECT_FATAL(Py_DECREF(op), "object at 0x");
    PyObject_GC_Del(op);
    Py_DECREF(type);
    Py_DECREF(type);
}

/* The type was freed first, so the message cannot name it. */
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

TEST_PY(freeing_an_object_twice_whose_memory_went_back_is_fatal)
{
    SKIP_CHECKED("keeps it");
    if (UNDER_ASAN) {
        SKIP("AddressSanitizer reports it first");
    }
    ready_types();
    PyObject *op = PyUnstable_Object_GC_NewWithExtraData(&box_type, 4 << 20);
    PyObject_GC_Del(op);
    EXPECT_FATAL(PyObject_GC_Del(op), "it was freed before");
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

/* A collection takes dying objects that are still tracked for garbage. */
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
