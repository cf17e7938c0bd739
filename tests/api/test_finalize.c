/* SPDX-License-Identifier: MIT */
/* Finalizers called by hand and from destructors. The tests of the collector test finalizers that
 * a collection calls. */
#include "../harness.h"

#include <ouroboros.h>

static int finalize_calls;
static int destroyed;
static bool rescue;
static bool raise_error;
static bool mark_seen; /* by the finalizer */
static PyObject *rescued;

static void
count_finalize(PyObject *self)
{
    finalize_calls++;
    EXPECT_NO_ERROR();
    mark_seen = PyObject_GC_IsFinalized(self) != 0;
    if (rescue) {
        rescued = Py_NewRef(self);
    }
    if (raise_error) {
        PyErr_SetString(PyExc_ValueError, "finalizer broke");
    }
}

static void
container_dealloc(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) < 0) {
        return;
    }
    destroyed++;
    PyObject_GC_UnTrack(self);
    Py_TYPE(self)->tp_free(self);
}

static int
visit_nothing(PyObject *Py_UNUSED(self), visitproc Py_UNUSED(visit), void *Py_UNUSED(arg))
{
    return 0;
}

static PyTypeObject container_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Container",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = container_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = visit_nothing,
    .tp_finalize = count_finalize,
    .tp_alloc = PyType_GenericAlloc,
    .tp_free = PyObject_GC_Del,
};

static void
plain_dealloc(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) < 0) {
        return;
    }
    destroyed++;
    PyObject_Free(self);
}

static PyTypeObject plain_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Plain",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = plain_dealloc,
    .tp_finalize = count_finalize,
};

static PyObject *
new_container(void)
{
    REQUIRE_EQ(PyType_Ready(&container_type), 0);
    return container_type.tp_alloc(&container_type, 0);
}

static PyObject *
new_plain(void)
{
    REQUIRE_EQ(PyType_Ready(&plain_type), 0);
    return PyObject_New(PyObject, &plain_type);
}

TEST_PY(dying_by_the_count_calls_the_finalizer_before_the_mark) /* C36 */
{
    PyObject *op = new_container();
    Py_DECREF(op);
    EXPECT_EQ(finalize_calls, 1);
    EXPECT_EQ(destroyed, 1);
    EXPECT(!mark_seen);
}

TEST_PY(a_rescued_container_is_not_finalized_again) /* C44 */
{
    rescue = true;
    PyObject *op = new_container();
    Py_DECREF(op);
    EXPECT_EQ(finalize_calls, 1);
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(rescued, op);
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    Py_CLEAR(rescued);
    EXPECT_EQ(finalize_calls, 1);
    EXPECT_EQ(destroyed, 1);
}

TEST_PY(calling_the_finalizer_of_a_living_container_marks_it) /* C45 */
{
    PyObject *op = new_container();
    PyObject_CallFinalizer(op);
    EXPECT_EQ(finalize_calls, 1);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 1);
    PyObject_CallFinalizer(op);
    EXPECT_EQ(finalize_calls, 1);
    Py_DECREF(op);
    EXPECT_EQ(finalize_calls, 1);
    EXPECT_EQ(destroyed, 1);
}

TEST_PY(a_plain_object_is_finalized_every_time) /* C46 */
{
    PyObject *op = new_plain();
    PyObject_CallFinalizer(op);
    PyObject_CallFinalizer(op);
    EXPECT_EQ(finalize_calls, 2);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 0);
    rescue = true;
    Py_DECREF(op);
    EXPECT_EQ(finalize_calls, 3);
    EXPECT_EQ(destroyed, 0);
    rescue = false;
    Py_CLEAR(rescued);
    EXPECT_EQ(finalize_calls, 4);
    EXPECT_EQ(destroyed, 1);
}

TEST_PY(an_error_in_a_finalizer_is_reported_and_the_pending_one_kept)
{
    raise_error = true;
    PyObject *op = new_container();
    PyErr_SetString(PyExc_KeyError, "pending");
    capture_stderr_begin();
    Py_DECREF(op);
    char *text = capture_stderr_end();
    EXPECT_STR(text, "Exception ignored in tp_finalize of test.Container:\n"
                     "ValueError: finalizer broke\n");
    free(text);
    EXPECT_RAISED(PyExc_KeyError);
    EXPECT_EQ(destroyed, 1);
}

TEST_PY(objects_without_finalizer_are_left_alone)
{
    PyObject *list = PyList_New(0);
    PyObject_CallFinalizer(list);
    EXPECT_EQ(PyObject_GC_IsFinalized(list), 0);
    Py_SET_REFCNT(list, 0); /* as in its destructor */
    EXPECT_EQ(PyObject_CallFinalizerFromDealloc(list), 0);
    Py_SET_REFCNT(list, 1);
    Py_DECREF(list);
}

TEST_PY(finalizing_from_dealloc_with_a_count_is_fatal)
{
    PyObject *op = new_container();
    EXPECT_FATAL(PyObject_CallFinalizerFromDealloc(op), "'test.Container' object");
    Py_DECREF(op);
}

static void
over_release(PyObject *self)
{
    Py_SET_REFCNT(self, 0);
}

TEST_PY(a_finalizer_that_releases_too_much_is_fatal)
{
    PyObject *op = new_container();
    container_type.tp_finalize = over_release;
    EXPECT_FATAL(Py_DECREF(op), "released a reference that it did not own");
    container_type.tp_finalize = count_finalize;
    Py_DECREF(op);
}

static void
make_immortal(PyObject *self)
{
    EXPECT_EQ(PyUnstable_SetImmortal(self), 1);
}

TEST_PY(a_finalizer_may_make_its_object_immortal, .no_leak_check = true)
{
    PyObject *op = new_container();
    container_type.tp_finalize = make_immortal;
    Py_DECREF(op);
    EXPECT_EQ(destroyed, 0);
    EXPECT(PyUnstable_IsImmortal(op));
    EXPECT_EQ(Py_REFCNT(op), _Py_IMMORTAL_REFCNT);
}
