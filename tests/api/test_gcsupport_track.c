/* SPDX-License-Identifier: MIT */
/* Tracking containers, and the helpers of their handlers. */
#include "boxes.h"

/* --- tracking ---------------------------------------------------------------------------- */

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

/* --- helpers of handlers ----------------------------------------------------------------- */

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

/* Py_VISIT takes any pointer to a structure that starts like an object, and is one statement. */
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
