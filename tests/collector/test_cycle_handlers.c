/* SPDX-License-Identifier: MIT */
/* What a cycle calls, and when: weak reference callbacks, finalizers, tp_clear, the program's
 * own callbacks. Legacy finalizers are kept. */
#include "cycles.h"

TEST_PY(phases_of_a_cycle_are_those_of_a_collection)
{
    PyObject *weakref;
    drive_by_hand(8, 6);
    drop_old_cycle(&F, "x", &weakref);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "callback w, finalize x, clear x, dealloc x");
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

TEST_PY(a_finalizer_resurrects_in_a_cycle_once)
{
    drive_by_hand(8, 6);
    PyObject *x = new_node(&F, "x");
    set_a(x, x);
    node_of(x)->resurrects = true;
    Ouro_GCCollect(2);
    Py_DECREF(x);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "finalize x");
    EXPECT_EQ((void *)rescued, (void *)x);
    Py_CLEAR(rescued);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
}

TEST_PY(legacy_objects_go_to_the_garbage_list_in_a_cycle, .mistakes = true)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&D, "x", NULL);
    start_cycle();
    finish_cycle();
    PyObject *garbage = Ouro_GCGarbage();
    REQUIRE_EQ(PyList_GET_SIZE(garbage), 1);
    EXPECT_STR(events(), "");
    PyObject *x = Py_NewRef(PyList_GET_ITEM(garbage, 0));
    PyList_SetSlice(garbage, 0, 1, NULL);
    unlink_node(x);
    Py_DECREF(x);
    EXPECT_STR(events(), "dealloc x");
}

static PyObject *
note_phase(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)self;
    REQUIRE_EQ(count, 2);
    PyObject *generation = PyDict_GetItemString(arguments[1], "generation");
    PyObject *collected = PyDict_GetItemString(arguments[1], "collected");
    note_event("%s %ld %ld", PyUnicode_AsUTF8(arguments[0]), PyLong_AsLong(generation),
               PyLong_AsLong(collected));
    return Py_NewRef(Py_None);
}

static PyMethodDef note_phase_method = {"note_phase", (PyCFunction)(void *)note_phase,
                                        METH_FASTCALL, NULL};

TEST_PY(callbacks_are_called_around_a_cycle)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&N, NULL, NULL);
    PyObject *callback = PyCFunction_New(&note_phase_method, NULL);
    PyList_Append(Ouro_GCCallbacks(), callback);
    start_cycle();
    EXPECT_STR(events(), "start 2 0");
    Ouro_GCCollect(0);
    finish_cycle();
    EXPECT_STR(events(), "start 2 0, start 0 0, stop 0 0, stop 2 1");
    PyList_SetSlice(Ouro_GCCallbacks(), 0, 1, NULL);
    Py_DECREF(callback);
}

TEST_PY(a_collection_called_by_a_handler_in_a_slice_does_nothing)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&F, "x", NULL);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
}

TEST_PY(a_pending_exception_survives_a_slice)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&F, "x", NULL);
    start_cycle();
    PyErr_SetString(PyExc_ValueError, "pending");
    finish_cycle();
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
    EXPECT_RAISED(PyExc_ValueError);
}
