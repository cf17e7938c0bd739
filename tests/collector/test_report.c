/* SPDX-License-Identifier: MIT */
/* Results, statistics and callbacks of collections: scenarios C63 to C68. */
#include "nodes.h"

#include "../../src/base/fault.h"

/* --- a callback that writes down what it was told ------------------------------------------- */

static Py_ssize_t told_candidates, told_generation;
static double told_duration;
static int told_keys;
static void (*when_told)(const char *phase);

static Py_ssize_t
number_in(PyObject *info, const char *key)
{
    PyObject *value = PyDict_GetItemString(info, key);
    EXPECT_NOT_NULL(value);
    return value != NULL ? PyLong_AsSsize_t(value) : -1;
}

static PyObject *
tell(PyObject *Py_UNUSED(self), PyObject *const *args, Py_ssize_t nargs)
{
    EXPECT_EQ(nargs, 2);
    const char *phase = PyUnicode_AsUTF8(args[0]);
    PyObject *info = args[1];
    note_event("%s g%zd c%zd u%zd", phase, number_in(info, "generation"),
               number_in(info, "collected"), number_in(info, "uncollectable"));
    told_generation = number_in(info, "generation");
    told_candidates = number_in(info, "candidates");
    told_duration = PyFloat_AsDouble(PyDict_GetItemString(info, "duration"));
    told_keys = (int)PyDict_Size(info);
    if (when_told != NULL) {
        when_told(phase);
    }
    return PyErr_Occurred() != NULL ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef tell_method = {"tell", (PyCFunction)(void (*)(void))tell,
                                  METH_FASTCALL, NULL};

static PyObject *
install_callback(PyMethodDef *method)
{
    PyObject *callback = PyCFunction_New(method, NULL);
    REQUIRE_NOT_NULL(callback);
    REQUIRE_EQ(PyList_Append(Ouro_GCCallbacks(), callback), 0);
    Py_DECREF(callback);
    return callback;
}

/* --- results -------------------------------------------------------------------------------- */

TEST_PY(the_result_is_collected_plus_uncollectable, .mistakes = true) /* C66 */
{
    Ouro_GCStats before, after;
    baseline_quiet();
    drop_self_cycle(&N, NULL);
    drop_self_cycle(&N, NULL);
    drop_self_cycle(&D, NULL);
    Ouro_GCGetStats(2, &before);
    EXPECT_EQ(collect(), 3);
    Ouro_GCGetStats(2, &after);
    EXPECT_EQ(after.collected - before.collected, 2);
    EXPECT_EQ(after.uncollectable - before.uncollectable, 1);
    node_of(PyList_GetItem(Ouro_GCGarbage(), 0))->a = NULL;
    Py_SET_REFCNT(PyList_GetItem(Ouro_GCGarbage(), 0), 1);
    PyList_Clear(Ouro_GCGarbage());
}

TEST_PY(a_full_collection_counts_for_generation_2_alone) /* C66 */
{
    Ouro_GCStats before[3], after[3];
    baseline_quiet();
    drop_self_cycle(&N, NULL);
    for (int g = 0; g < 3; g++) {
        Ouro_GCGetStats(g, &before[g]);
    }
    EXPECT_EQ(collect(), 1);
    for (int g = 0; g < 3; g++) {
        Ouro_GCGetStats(g, &after[g]);
    }
    for (int g = 0; g < 2; g++) {
        EXPECT_EQ(memcmp(&before[g], &after[g], sizeof before[g]), 0);
    }
    EXPECT_EQ(after[2].collections, before[2].collections + 1);
    EXPECT_EQ(after[2].collected, before[2].collected + 1);
    EXPECT_EQ(after[2].uncollectable, before[2].uncollectable);
    EXPECT_GE(after[2].candidates, before[2].candidates + 1);
    EXPECT(after[2].wall_seconds > before[2].wall_seconds);
}

TEST_PY(a_young_collection_counts_for_generation_0_alone) /* C67 */
{
    Ouro_GCStats before[3], after[3];
    baseline_quiet();
    drop_self_cycle(&N, NULL);
    for (int g = 0; g < 3; g++) {
        Ouro_GCGetStats(g, &before[g]);
    }
    EXPECT_EQ(Ouro_GCCollect(0), 1);
    for (int g = 0; g < 3; g++) {
        Ouro_GCGetStats(g, &after[g]);
    }
    for (int g = 1; g < 3; g++) {
        EXPECT_EQ(memcmp(&before[g], &after[g], sizeof before[g]), 0);
    }
    EXPECT_EQ(after[0].collections, before[0].collections + 1);
    EXPECT_EQ(after[0].collected, before[0].collected + 1);
}

TEST_PY(statistics_of_a_generation_that_is_none_are_an_error)
{
    Ouro_GCStats stats;
    EXPECT_EQ(Ouro_GCGetStats(3, &stats), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(Ouro_GCGetStats(-1, &stats), -1);
    EXPECT_RAISED(PyExc_ValueError);
}

/* --- callbacks ------------------------------------------------------------------------------ */

TEST_PY(a_callback_is_told_of_the_start_and_the_end) /* C63 */
{
    baseline_quiet();
    install_callback(&tell_method);
    drop_self_cycle(&N, NULL);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "start g2 c0 u0, stop g2 c1 u0");
    EXPECT_EQ(told_keys, 5);
}

TEST_PY(the_end_tells_how_much_was_examined_and_how_long_it_took) /* C64 */
{
    baseline_quiet();
    install_callback(&tell_method);
    collect(); /* the callback and its list are old now */
    Ouro_GCCollect(0);
    EXPECT_EQ(told_generation, 0);
    Py_ssize_t before = told_candidates; /* objects that the callback itself makes */
    for (int i = 0; i < 10; i++) {
        drop_self_cycle(&N, NULL);
    }
    PyObject *alive[5];
    for (int i = 0; i < 5; i++) {
        alive[i] = new_node(&N, NULL);
    }
    EXPECT_EQ(Ouro_GCCollect(0), 10);
    EXPECT_EQ(told_candidates, before + 15);
    EXPECT(told_duration > 0.0 && told_duration < 60.0);
    for (int i = 0; i < 5; i++) {
        Py_DECREF(alive[i]);
    }
}

TEST_PY(the_start_tells_nothing_but_the_generation, .mistakes = true) /* C63 */
{
    baseline_quiet();
    install_callback(&tell_method);
    drop_self_cycle(&N, NULL);
    drop_self_cycle(&D, NULL);
    EXPECT_EQ(Ouro_GCCollect(1), 2);
    EXPECT_STR(events(), "start g1 c0 u0, stop g1 c1 u1");
    PyObject *kept = Py_NewRef(PyList_GetItem(Ouro_GCGarbage(), 0));
    PyList_Clear(Ouro_GCGarbage());
    Py_CLEAR(node_of(kept)->a);
    Py_DECREF(kept);
}

static void
fail_when_told(const char *Py_UNUSED(phase))
{
    PyErr_SetString(PyExc_ValueError, "callback broke");
}

TEST_PY(a_failing_callback_is_reported_twice_and_changes_nothing) /* C65 */
{
    baseline_quiet();
    record_unraisable();
    when_told = fail_when_told;
    install_callback(&tell_method);
    drop_self_cycle(&N, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(unraisable_count, 2);
    EXPECT_HAS(unraisable_text,
               "ValueError: Exception ignored while calling GC callback <");
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_NO_ERROR();
}

static void
add_garbage_at_start(const char *phase)
{
    if (strcmp(phase, "start") == 0) {
        drop_self_cycle(&N, "born");
    }
}

TEST_PY(what_a_start_callback_tracks_is_a_candidate) /* C68 */
{
    baseline_quiet();
    when_told = add_garbage_at_start;
    install_callback(&tell_method);
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(count_events("dealloc born"), 1);
}

static PyObject *
remove_itself(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    note_event("first");
    PyList_SetSlice(Ouro_GCCallbacks(), 0, 1, NULL);
    return Py_NewRef(Py_None);
}

static PyMethodDef remove_method = {"remove", remove_itself, METH_VARARGS, NULL};

static PyObject *
note_last(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    note_event("last");
    return Py_NewRef(Py_None);
}

static PyMethodDef last_method = {"last", note_last, METH_VARARGS, NULL};

TEST_PY(the_list_of_callbacks_is_read_anew_at_each_step)
{
    baseline_quiet();
    install_callback(&remove_method);
    install_callback(&tell_method);
    install_callback(&last_method);
    collect();
    /* "tell" moved to the place of the callback that removed itself, and is skipped once */
    EXPECT_STR(events(), "first, last, stop g2 c0 u0, last");
}

static PyObject *
collect_inside(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    note_event("nested %zd", PyGC_Collect());
    note_event("nested %zd", Ouro_GCCollect(2));
    return Py_NewRef(Py_None);
}

static PyMethodDef collect_method = {"collect", collect_inside, METH_VARARGS, NULL};

TEST_PY(a_callback_that_collects_gets_zero) /* C83 */
{
    baseline_quiet();
    install_callback(&collect_method);
    drop_self_cycle(&N, NULL);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "nested 0, nested 0, nested 0, nested 0");
}

TEST_PY(a_pending_exception_is_hidden_from_callbacks_and_kept)
{
    baseline_quiet();
    install_callback(&tell_method);
    PyErr_SetString(PyExc_KeyError, "pending");
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "start g2 c0 u0, stop g2 c0 u0");
    EXPECT_RAISED(PyExc_KeyError);
}

TEST_PY(an_automatic_trigger_that_finds_nothing_due_calls_nobody)
{
    baseline_quiet();
    install_callback(&tell_method);
    PyGC_Enable();
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_STR(events(), "");
}

TEST_PY(an_automatic_collection_calls_back)
{
    baseline_quiet();
    install_callback(&tell_method);
    Ouro_GCSetThresholds((int[]){5, 1000, 1000}, 3);
    Ouro_GCSetSafePointsOnly(1);
    PyObject *alive[8];
    for (int i = 0; i < 8; i++) {
        alive[i] = new_node(&N, NULL);
    }
    PyGC_Enable();
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_STR(events(), "start g0 c0 u0, stop g0 c0 u0");
    for (int i = 0; i < 8; i++) {
        Py_DECREF(alive[i]);
    }
}

/* The callback holds the only reference to the object it was made with. */
static PyObject *
remove_itself_and_go_on(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    PyObject *callbacks = Ouro_GCCallbacks();
    PyList_SetSlice(callbacks, 0, PyList_GET_SIZE(callbacks), NULL);
    note_event("goes on");
    return Py_NewRef(Py_None);
}

static PyMethodDef remove_and_go_on_method = {"remove", remove_itself_and_go_on,
                                              METH_VARARGS, NULL};

TEST_PY(a_callback_that_removes_itself_lives_until_it_returns)
{
    baseline_quiet();
    PyObject *self = new_node(&N, "self");
    PyObject *callback = PyCFunction_New(&remove_and_go_on_method, self);
    Py_DECREF(self);
    PyList_Append(Ouro_GCCallbacks(), callback);
    Py_DECREF(callback);
    collect();
    EXPECT_STR(events(), "goes on, dealloc self");
}

static int tells;

static PyObject *
count_tells(PyObject *Py_UNUSED(self), PyObject *const *Py_UNUSED(args),
            Py_ssize_t Py_UNUSED(nargs))
{
    tells++;
    return Py_NewRef(Py_None);
}

static PyMethodDef count_method = {"count", (PyCFunction)(void (*)(void))count_tells,
                                   METH_FASTCALL, NULL};

TEST_PY(without_memory_a_collection_reports_instead_of_telling)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    baseline_quiet();
    install_callback(&count_method);
    bool was_hit = true;
    int64_t n = 1;
    for (; was_hit; n++) {
        record_unraisable();
        tells = 0;
        drop_self_cycle(&N, NULL);
        ouro_fault_arm(n);
        EXPECT_EQ(Ouro_GCCollect(2), 1);
        was_hit = ouro_fault_seen() >= n;
        ouro_fault_arm(0);
        EXPECT_NO_ERROR();
        EXPECT_EQ(tells + unraisable_count, 2);
        EXPECT_LE(unraisable_count, was_hit);
    }
    EXPECT_GT(n, 8); /* the dict, its keys, values that are not cached; twice */
}

static void
leave_an_exception(struct node *Py_UNUSED(self))
{
    PyErr_SetString(PyExc_ValueError, "left behind");
}

TEST_PY(an_exception_left_by_a_destructor_is_reported, .mistakes = true)
{
    baseline_quiet();
    record_unraisable();
    when_deallocated = leave_an_exception;
    drop_self_cycle(&N, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_NO_ERROR();
    EXPECT_EQ(unraisable_count, 1);
    EXPECT_STR(unraisable_text, "ValueError: Exception ignored in garbage collection");
}
