/* SPDX-License-Identifier: MIT */
/* The collections at the end of an interpreter's life: scenarios C104 to C106. */
#include "nodes.h"

static PyObject *
count_call(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    note_event("gc callback");
    return Py_NewRef(Py_None);
}

static PyMethodDef count_method = {"count", count_call, METH_VARARGS, NULL};

static void
install_gc_callback(void)
{
    PyObject *callback = PyCFunction_New(&count_method, NULL);
    REQUIRE_NOT_NULL(callback);
    REQUIRE_EQ(PyList_Append(Ouro_GCCallbacks(), callback), 0);
    Py_DECREF(callback);
}

TEST(the_end_collects_even_when_disabled_and_calls_nobody) /* C104 */
{
    Py_Initialize();
    baseline_quiet();
    install_gc_callback();
    drop_self_cycle(&F, "x");
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
}

static double budget_at_the_end;

static void
note_budget(struct node *Py_UNUSED(self))
{
    budget_at_the_end = gc_now()->pause_budget;
}

/* A cycle that started now might not end. */
TEST(no_full_collection_is_done_in_slices_when_the_end_has_begun)
{
    Py_Initialize();
    baseline_quiet();
    Ouro_GCSetPauseBudget(1000);
    budget_at_the_end = -1;
    when_finalized = note_budget;
    drop_self_cycle(&F, "x");
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT(budget_at_the_end == 0);
}

TEST(the_end_of_a_further_interpreter_collects_too)
{
    Py_Initialize();
    PyThreadState *main = PyThreadState_Get();
    PyThreadState *other = Py_NewInterpreter();
    REQUIRE_NOT_NULL(other);
    drop_self_cycle(&F, "x");
    Py_EndInterpreter(other);
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
    PyThreadState_Swap(main);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

/* A finalizer that makes new garbage: the second collection finds it. */
static void
drop_another(struct node *self)
{
    if (strcmp(self->name, "x") == 0) {
        drop_self_cycle(&F, "y");
    }
}

TEST(garbage_made_by_the_first_collection_is_found_by_the_second)
{
    Py_Initialize();
    baseline_quiet();
    when_finalized = drop_another;
    drop_self_cycle(&F, "x");
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
}

/* --- uncollectable objects ---------------------------------------------------------------------- */

static char warning_text[500];

static int
record_warning(PyObject *category, const char *message, void *Py_UNUSED(arg))
{
    note_event(category == PyExc_ResourceWarning ? "resource warning" : "other warning");
    snprintf(warning_text, sizeof warning_text, "%s", message);
    return 0;
}

TEST(an_uncollectable_object_at_the_end_is_a_resource_warning, .no_leak_check = true,
     .mistakes = true) /* C105 */
{
    Py_Initialize();
    baseline_quiet();
    Ouro_SetWarningHook(record_warning, NULL);
    drop_self_cycle(&D, NULL);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_STR(events(), "resource warning");
    EXPECT_STR(warning_text, "gc: 1 uncollectable objects at shutdown; use "
                             "gc.set_debug(gc.DEBUG_UNCOLLECTABLE) to list them");
}

TEST(without_a_hook_the_warning_is_printed, .no_leak_check = true,
     .mistakes = true) /* C105 */
{
    Py_Initialize();
    baseline_quiet();
    drop_self_cycle(&D, NULL);
    drop_self_cycle(&D, NULL);
    capture_stderr_begin();
    EXPECT_EQ(Py_FinalizeEx(), 0);
    char *text = capture_stderr_end();
    EXPECT_STR(text, "ResourceWarning: gc: 2 uncollectable objects at shutdown; use "
                     "gc.set_debug(gc.DEBUG_UNCOLLECTABLE) to list them\n");
    free(text);
}

TEST(with_the_debug_flag_uncollectable_objects_are_listed, .no_leak_check = true,
     .mistakes = true) /* C105 */
{
    Py_Initialize();
    baseline_quiet();
    Ouro_SetWarningHook(record_warning, NULL);
    PyObject *x = new_node(&D, NULL);
    set_a(x, x);
    Py_DECREF(x);
    char line[100];
    snprintf(line, sizeof line, "[<D object at %p>]\n", (void *)x);
    EXPECT_EQ(collect(), 1);
    Ouro_GCSetDebug(OURO_DEBUG_UNCOLLECTABLE);
    capture_stderr_begin();
    EXPECT_EQ(Py_FinalizeEx(), 0);
    char *text = capture_stderr_end();
    EXPECT_STR(events(), "resource warning");
    EXPECT_STR(warning_text, "gc: 1 uncollectable objects at shutdown");
    EXPECT_HAS(text, line);
    free(text);
}

TEST(with_save_all_there_is_no_warning, .no_leak_check = true, .mistakes = true)
{
    Py_Initialize();
    baseline_quiet();
    Ouro_SetWarningHook(record_warning, NULL);
    Ouro_GCSetDebug(OURO_DEBUG_SAVEALL);
    drop_self_cycle(&D, NULL);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_STR(events(), "");
}

TEST(without_garbage_there_is_no_warning)
{
    Py_Initialize();
    Ouro_SetWarningHook(record_warning, NULL);
    EXPECT_EQ(PyList_GET_SIZE(Ouro_GCGarbage()), 0);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_STR(events(), "");
}

/* --- survivors ------------------------------------------------------------------------------------- */

TEST(an_object_that_is_still_referenced_survives_the_end, .no_leak_check = true,
     .mistakes = true) /* C106 */
{
    Py_Initialize();
    PyObject *x = new_node(&F, "x"), *y = new_node(&F, "y");
    set_a(x, y);
    set_b(x, x);
    Py_DECREF(y);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_STR(events(), "");
    EXPECT_STR(node_of(x)->name, "x"); /* it can still be read and written */
    EXPECT_EQ(node_of(x)->a, y);
    EXPECT_STR(node_of(y)->name, "y");
    node_of(x)->b = NULL;
    PyObject_GC_UnTrack(x);
    PyObject_GC_UnTrack(y);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 0);

    Py_Initialize(); /* it does no harm to the next interpreter */
    drop_self_cycle(&F, "z");
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_STR(node_of(y)->name, "y");
}

TEST(frozen_garbage_survives_the_end, .no_leak_check = true)
{
    Py_Initialize();
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    set_a(x, x);
    Py_DECREF(x);
    Ouro_GCFreeze();
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_STR(events(), "");
    EXPECT_STR(node_of(x)->name, "x");
}

/* --- errors on the way -------------------------------------------------------------------------------- */

static void
leave_an_exception(struct node *self)
{
    (void)self;
    PyErr_SetString(PyExc_ValueError, "left behind");
}

TEST(an_exception_left_by_a_destructor_is_dropped_at_the_end, .mistakes = true)
{
    Py_Initialize();
    baseline_quiet();
    record_unraisable();
    when_deallocated = leave_an_exception;
    drop_self_cycle(&N, "x");
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(unraisable_count, 0);
}

TEST(a_resurrecting_finalizer_does_not_stop_the_end, .no_leak_check = true,
     .mistakes = true)
{
    Py_Initialize();
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    set_a(x, x);
    node_of(x)->resurrects = true;
    Py_DECREF(x);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_STR(events(), "finalize x");
    EXPECT_EQ(rescued, x);
    EXPECT_STR(node_of(x)->name, "x");
}

static int
count_settings(void)
{
    int thresholds[3];
    Ouro_GCGetThresholds(thresholds);
    return thresholds[0] + Ouro_GCGetDebug() + (PyGC_IsEnabled() ? 0 : 1000000);
}

TEST(a_new_life_starts_with_the_settings_of_a_new_life)
{
    Py_Initialize();
    Ouro_GCSetThresholds((int[]){7}, 1);
    Ouro_GCSetDebug(OURO_DEBUG_SAVEALL);
    PyGC_Disable();
    install_gc_callback();
    EXPECT_EQ(Py_FinalizeEx(), 0);
    Py_Initialize();
    EXPECT_EQ(count_settings(), 2000);
    EXPECT_EQ(PyList_GET_SIZE(Ouro_GCCallbacks()), 0);
    EXPECT_EQ(PyList_GET_SIZE(Ouro_GCGarbage()), 0);
    EXPECT_EQ(Ouro_GCGetFreezeCount(), 0);
    int counts[3];
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[1] + counts[2], 0);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

static int
refuse_warning(PyObject *category, const char *Py_UNUSED(message), void *Py_UNUSED(arg))
{
    PyErr_SetString(category, "as an error");
    return -1;
}

static PyObject *
fail_repr(PyObject *Py_UNUSED(self))
{
    PyErr_SetString(PyExc_ValueError, "no repr");
    return NULL;
}

static PyTypeObject mute_type = {NODE_SLOTS("Mute"), .tp_clear = node_clear,
                                 .tp_del = node_del, .tp_repr = fail_repr};

TEST(a_warning_that_is_an_error_and_a_list_without_repr_are_reported,
     .no_leak_check = true, .mistakes = true)
{
    Py_Initialize();
    baseline_quiet();
    drop_self_cycle(&mute_type, NULL);
    collect();
    Ouro_GCSetDebug(OURO_DEBUG_UNCOLLECTABLE);
    Ouro_SetWarningHook(refuse_warning, NULL);
    record_unraisable();
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(unraisable_count, 2);
}
