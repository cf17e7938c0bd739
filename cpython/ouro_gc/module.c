/* SPDX-License-Identifier: MIT */
/* _ouro_gc: the module behind the package ouro_gc.
 *
 * This file has the functions that Python calls, the place in gc.callbacks, and the versions of
 * CPython that were tested. collect.c has a collection. */
#define PY_SSIZE_T_CLEAN
#include "collect.h"
#include "sentinel.h"

#include <string.h>

struct module_state {
    struct collector collector;
    PyTypeObject *sentinel_type;
    PyObject *callback; /* what stands in gc.callbacks */
    PyObject *put_back;
    Py_ssize_t turns; /* calls at the "start" that is under way */
};

static struct module_state *
state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

/* --- versions --------------------------------------------------------------------------------- */

/* GIL builds of these versions, from the patch release `micro` on. tests/scripts/ouro_gc.sh has
 * passed on one or more of each. Differences between patch releases are found at run time. */
static const struct {
    int minor, micro;
} tested_versions[] = {
    {9, 0}, {10, 0}, {11, 0}, {12, 0}, {13, 0}, {14, 5}, {15, 0},
};
#define TESTED_TEXT "3.9 to 3.13, 3.14.5 and newer, and 3.15"

static bool
is_tested(int minor, int micro)
{
    for (size_t i = 0; i < sizeof(tested_versions) / sizeof(tested_versions[0]); i++) {
        if (tested_versions[i].minor == minor && micro >= tested_versions[i].micro) {
            return true;
        }
    }
    return false;
}

/* The version that runs, which may be newer than the one the module was built for. */
static bool
check_version(bool is_untested_allowed)
{
#ifdef Py_GIL_DISABLED
    (void)is_untested_allowed;
    PyErr_Format(
        PyExc_RuntimeError,
        "ouro_gc cannot work in a free-threaded CPython (%s): its collector has no "
        "lists of objects",
        Py_GetVersion());
    return false;
#else
    int minor = 0, micro = 0;
    if (sscanf(Py_GetVersion(), "3.%d.%d", &minor, &micro) != 2 &&
        sscanf(Py_GetVersion(), "3.%d", &minor) != 1) {
        minor = -1;
    }
    bool is_incremental = minor == 14 && micro < 5;
    if (is_incremental || (!is_tested(minor, micro) && !is_untested_allowed)) {
        PyErr_Format(PyExc_RuntimeError,
                     "ouro_gc is tested with CPython " TESTED_TEXT ", and this is %s%s",
                     Py_GetVersion(),
                     is_incremental ? ": its incremental collector cannot be helped"
                                    : "; enable(untested=True) tries it all the same");
        return false;
    }
    return true;
#endif
}

/* --- the place in gc.callbacks ---------------------------------------------------------------- */

static Py_ssize_t
count_callbacks(const struct module_state *state, PyObject *callbacks)
{
    Py_ssize_t found = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(callbacks); i++) {
        found += PyList_GET_ITEM(callbacks, i) == state->callback;
    }
    return found;
}

/* Remove all entries of ours except the last `keep`. */
static void
remove_callbacks(const struct module_state *state, PyObject *callbacks, Py_ssize_t keep)
{
    Py_ssize_t found = 0;
    for (Py_ssize_t i = PyList_GET_SIZE(callbacks); i-- > 0;) {
        if (PyList_GET_ITEM(callbacks, i) == state->callback && found++ >= keep) {
            PyList_SetSlice(callbacks, i, i + 1, NULL);
        }
    }
    PyErr_Clear();
}

/* Whether this is the call of the last entry in gc.callbacks.
 *
 * Other callbacks must not see lists from which objects are hidden. So ours must be the last at
 * "start". CPython goes through gc.callbacks by index: an entry that is appended now is called in
 * the same round. When that call has come, earlier entries of ours can be removed without skipping
 * other callbacks. */
static bool
is_last_turn(struct module_state *state)
{
    PyObject *callbacks = state->collector.gc.callbacks;
    Py_ssize_t size = PyList_GET_SIZE(callbacks);
    state->turns++;
    if (size == 0 || PyList_GET_ITEM(callbacks, size - 1) != state->callback) {
        /* At most two entries: another copy of this module may want to be the last, too. */
        if (count_callbacks(state, callbacks) < 2 &&
            PyList_Append(callbacks, state->callback) < 0) {
            PyErr_Clear(); /* CPython collects without us */
        }
        return false;
    }
    if (state->turns < count_callbacks(state, callbacks)) {
        return false;
    }
    remove_callbacks(state, callbacks, 1);
    state->turns = 0;
    return true;
}

/* --- calls from the collector ----------------------------------------------------------------- */

static long long
number_of(PyObject *info, const char *key)
{
    PyObject *value = PyDict_Check(info) ? PyDict_GetItemString(info, key) : NULL;
    long long number =
        value != NULL && PyLong_Check(value) ? PyLong_AsLongLong(value) : -1;
    PyErr_Clear();
    return number;
}

static void
on_stop(struct module_state *state, PyObject *info)
{
    state->turns = 0;
    collect_after(&state->collector,
                  number_of(info, "collected") + number_of(info, "uncollectable"));
}

/* Called without a tuple of arguments, which would count as an allocation. */
static PyObject *
on_collection(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    struct module_state *state = state_of(module);
    if (count != 2 || !PyUnicode_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError,
                        "on_collection(phase, info) is for gc.callbacks");
        return NULL;
    }
    const char *phase = PyUnicode_AsUTF8(args[0]);
    PyObject *info = args[1];
    if (phase == NULL) {
        return NULL;
    }
    long long generation = number_of(info, "generation");
    if (state->collector.is_enabled && generation >= 0 && generation < GENERATIONS) {
        if (strcmp(phase, "stop") == 0) {
            on_stop(state, info);
        } else if (strcmp(phase, "start") == 0 && is_last_turn(state)) {
            collect_before(&state->collector, (int)generation);
        }
    }
    Py_RETURN_NONE;
}

static PyObject *
put_back(PyObject *module, PyObject *Py_UNUSED(watch))
{
    collect_put_back(&state_of(module)->collector);
    Py_RETURN_NONE;
}

/* --- functions of the package ----------------------------------------------------------------- */

PyDoc_STRVAR(
    enable_doc,
    "enable(*, untested=False)\n--\n\n"
    "Find garbage with ouro_gc from the next collection on. A second call changes\n"
    "nothing. Raises RuntimeError if this CPython was not tested (untested=True tries\n"
    "it all the same), or if its collector cannot be found.");

static PyObject *
enable(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"untested", "pause_budget_us", NULL};
    struct module_state *state = state_of(module);
    int untested = 0;
    double budget = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$pd", names, &untested, &budget) ||
        !check_version(untested != 0)) {
        return NULL;
    }
    if (!(budget >= 0 && budget <= 1e7)) {
        PyErr_SetString(PyExc_ValueError, "pause_budget_us must be from 0 to 10,000,000");
        return NULL;
    }
    if (!state->collector.is_enabled &&
        !collector_init(&state->collector, state->sentinel_type, state->put_back,
                        budget / 1e6)) {
        return NULL;
    }
    state->turns = 0;
    PyObject *callbacks = state->collector.gc.callbacks;
    if (count_callbacks(state, callbacks) == 0 &&
        PyList_Append(callbacks, state->callback) < 0) {
        collector_free(&state->collector);
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(
    disable_doc,
    "disable()\n--\n\n"
    "CPython collects alone again, as before enable(). All memory is given back.");

static PyObject *
disable(PyObject *module, PyObject *Py_UNUSED(unused))
{
    struct module_state *state = state_of(module);
    if (state->collector.is_enabled) {
        remove_callbacks(state, state->collector.gc.callbacks, 0);
        collector_free(&state->collector);
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(
    is_enabled_doc,
    "is_enabled()\n--\n\n"
    "Return whether ouro_gc takes part in the next collection. This is also False when\n"
    "other code has removed our callback from gc.callbacks; enable() adds it again.");

static PyObject *
is_enabled(PyObject *module, PyObject *Py_UNUSED(unused))
{
    struct module_state *state = state_of(module);
    return PyBool_FromLong(state->collector.is_enabled &&
                           count_callbacks(state, state->collector.gc.callbacks) != 0);
}

static bool
set_and_drop(PyObject *dict, const char *name, PyObject *value)
{
    bool is_set = value != NULL && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return is_set;
}

static bool
fill_cycle_stats(const struct cycle_stats *stats, PyObject *dict)
{
#define X(field, name)                                                                   \
    if (!set_and_drop(dict, name, PyLong_FromLongLong(stats->field))) {                  \
        return false;                                                                    \
    }
    CYCLE_COUNTERS(X)
#undef X
    return set_and_drop(dict, "longest_slice_seconds",
                        PyFloat_FromDouble(stats->longest_slice));
}

static bool
fill_stats(const struct collector *collector, PyObject *dict)
{
    const struct collect_stats *stats = &collector->stats;
#define X(field, name)                                                                   \
    if (!set_and_drop(dict, name, PyLong_FromLongLong(stats->field))) {                  \
        return false;                                                                    \
    }
    COLLECT_COUNTERS(X)
#undef X
    return fill_cycle_stats(&collector->cycle.stats, dict) &&
           set_and_drop(dict, "collections",
                        Py_BuildValue("(LLL)", stats->collections[0],
                                      stats->collections[1], stats->collections[2])) &&
           set_and_drop(dict, "cpu_seconds", PyFloat_FromDouble(stats->cpu_seconds)) &&
           set_and_drop(dict, "detection_seconds",
                        PyFloat_FromDouble(stats->detection_seconds)) &&
           set_and_drop(dict, "longest_seconds",
                        PyFloat_FromDouble(stats->longest_seconds)) &&
           set_and_drop(dict, "memory", PyLong_FromSize_t(collector_memory(collector)));
}

PyDoc_STRVAR(stats_doc, "stats()\n--\n\nWhat happened since enable(), as a dict.");

static PyObject *
get_stats(PyObject *module, PyObject *Py_UNUSED(unused))
{
    PyObject *dict = PyDict_New();
    if (dict != NULL && !fill_stats(&state_of(module)->collector, dict)) {
        Py_CLEAR(dict);
    }
    return dict;
}

PyDoc_STRVAR(
    donate_doc,
    "donate(seconds)\n--\n\n"
    "The program is idle for about this time: continue a full collection in slices, or\n"
    "begin one if objects have become old. Return whether there is more to do. Without\n"
    "a pause budget nothing happens.");

static PyObject *
donate(PyObject *module, PyObject *argument)
{
    struct collector *collector = &state_of(module)->collector;
    double seconds = PyFloat_AsDouble(argument);
    if (seconds == -1 && PyErr_Occurred()) {
        return NULL;
    }
    PyObject *gc = PyImport_ImportModule("gc");
    double deadline = collect_clock() + seconds;
    bool is_good = gc != NULL;
    while (is_good && collector->is_enabled && collect_donate(collector, deadline)) {
        PyObject *collected = PyObject_CallMethod(gc, "collect", "i", 0);
        is_good = collected != NULL;
        Py_XDECREF(collected);
    }
    Py_XDECREF(gc);
    return is_good ? PyBool_FromLong(collector->cycle.phase != CYCLE_IDLE) : NULL;
}

/* --- for tests -------------------------------------------------------------------------------- */

PyDoc_STRVAR(
    testing_doc,
    "testing(*, fail_request=None, propose_one_in=None, core=None, always=None,\n"
    "        along=None)\n"
    "--\n\n"
    "For tests. fail_request=n: the n-th request for memory fails; returns how many\n"
    "there were since the last call. propose_one_in=n: live objects are proposed as\n"
    "garbage, one in n; 0 ends that. core=n: how many objects are marked in order\n"
    "before a closure is tried. along=n: the next n young collections of each "
    "generation\n"
    "count along references.");

static PyObject *
testing(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"fail_request", "propose_one_in", "core",
                            "always",       "along",          NULL};
    long fail = -1, propose = -1, core = -1, along = -1;
    int always = -1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$lllpl", names, &fail, &propose,
                                     &core, &always, &along)) {
        return NULL;
    }
    if (propose >= 0) {
        state_of(module)->collector.propose_one_in = (unsigned)propose;
    }
    if (core >= 0) {
        state_of(module)->collector.core_least = (size_t)core;
    }
    if (always >= 0) {
        state_of(module)->collector.cycle.is_always_due = always != 0;
    }
    for (int i = 0; i < OLDEST && along >= 0; i++) {
        state_of(module)->collector.directions[i].along = (unsigned)along;
    }
    return PyLong_FromLong(fail >= 0 ? memory_fail(fail) : 0);
}

PyDoc_STRVAR(inexact_doc,
             "inexact(object)\n--\n\n"
             "For tests: whether our reader and tp_traverse find different references.");

static PyObject *
inexact(PyObject *module, PyObject *object)
{
    struct collector *collector = &state_of(module)->collector;
    if (!collector->is_enabled) {
        PyErr_SetString(PyExc_RuntimeError, "enable() first");
        return NULL;
    }
    return PyBool_FromLong(PyObject_IS_GC(object) &&
                           Py_TYPE(object)->tp_traverse != NULL &&
                           !plan_is_exact(&collector->detector.plans, object));
}

/* --- the module ------------------------------------------------------------------------------- */

static PyMethodDef module_methods[] = {
    {"enable", (PyCFunction)(void (*)(void))enable, METH_VARARGS | METH_KEYWORDS,
     enable_doc},
    {"disable", disable, METH_NOARGS, disable_doc},
    {"is_enabled", is_enabled, METH_NOARGS, is_enabled_doc},
    {"donate", donate, METH_O, donate_doc},
    {"stats", get_stats, METH_NOARGS, stats_doc},
    {"testing", (PyCFunction)(void (*)(void))testing, METH_VARARGS | METH_KEYWORDS,
     testing_doc},
    {"inexact", inexact, METH_O, inexact_doc},
    {"on_collection", (PyCFunction)(void (*)(void))on_collection, METH_FASTCALL,
     "What stands in gc.callbacks."},
    {"put_back", put_back, METH_O,
     "Called by the collector, before any code of the program."},
    {NULL, NULL, 0, NULL},
};

static int
module_exec(PyObject *module)
{
    struct module_state *state = state_of(module);
    state->collector.generation = -1;
    list_init(&state->collector.hidden);
    state->sentinel_type = (PyTypeObject *)PyType_FromSpec(&sentinel_spec);
    state->callback = PyObject_GetAttrString(module, "on_collection");
    state->put_back = PyObject_GetAttrString(module, "put_back");
    return state->sentinel_type != NULL && state->callback != NULL &&
                   state->put_back != NULL
               ? 0
               : -1;
}

static int
module_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct module_state *state = state_of(module);
    if (state != NULL) {
        Py_VISIT(state->sentinel_type);
        Py_VISIT(state->callback);
        Py_VISIT(state->put_back);
        Py_VISIT(state->collector.put_back);
        Py_VISIT(state->collector.watch);
        Py_VISIT(state->collector.cycle.here);
        Py_VISIT(state->collector.cycle.end);
        Py_VISIT(state->collector.gc.callbacks);
        Py_VISIT(state->collector.gc.get_debug);
    }
    return 0;
}

static int
module_clear(PyObject *module)
{
    struct module_state *state = state_of(module);
    if (state != NULL) {
        collector_free(&state->collector);
        Py_CLEAR(state->sentinel_type);
        Py_CLEAR(state->callback);
        Py_CLEAR(state->put_back);
    }
    return 0;
}

static void
module_free(void *module)
{
    module_clear(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_ouro_gc",
    .m_doc =
        "Detection of garbage in front of CPython's collector; use the package ouro_gc.",
    .m_size = sizeof(struct module_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC
PyInit__ouro_gc(void)
{
    return PyModuleDef_Init(&module_def);
}
