/* SPDX-License-Identifier: MIT */
/* What a program can do: each operation is done to the things first, and then to the objects.
 * A collection compares the two. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_OPERATIONS_H
#define OURO_TESTS_COLLECTOR_MODEL_OPERATIONS_H

#include <sys/wait.h>
#include <unistd.h>

#include "../../../src/collector/cycle.h"
#include "check.h"
#include "collecting.h"
#include "record.h"

static bool model_is_automatic; /* allocations of things may collect */

/* Whether an allocation may collect this generation, by the counts before it. */
static bool
may_collect(int generation, const int counts[3])
{
    int thresholds[3];
    Ouro_GCGetThresholds(thresholds);
    return counts[generation] + (generation == 0) > thresholds[generation];
}

/* Allocate an object. If this causes a collection, the model predicts its result afterwards, from
 * the things alone. */
static PyObject *
allocate(enum kind kind, int size)
{
    int counts[3], count = thing_count;
    long before[3], after[3];
    Ouro_GCStats stats;
    PyTypeObject *type = kind_types[kind];
    Ouro_GCGetCounts(counts);
    for (int g = 0; g < 3; g++) {
        Ouro_GCGetStats(g, &stats);
        before[g] = stats.collections;
    }
    if (model_is_automatic) {
        PyGC_Enable();
    }
    PyObject *op = is_var(kind)
                       ? (PyObject *)PyObject_GC_NewVar(struct var_object, type, size)
                       : PyObject_GC_New(PyObject, type);
    PyGC_Disable();
    for (int g = 0; g < 3; g++) {
        Ouro_GCGetStats(g, &stats);
        after[g] = stats.collections;
        if (after[g] != before[g]) {
            if (!model_is_automatic || !may_collect(g, counts)) {
                MODEL_FAIL("generation %d was collected, but is not due", g);
            }
            model_predict_collection(g, count);
        }
    }
    return op;
}

static int
make_thing(enum kind kind, int size, enum action action, int name)
{
    size = kind == TINY ? 1 : is_var(kind) ? size : 2;
    PyObject *op = allocate(kind, size);
    REQUIRE_NOT_NULL(op);
    REQUIRE(thing_count < THINGS_MAX);
    int id = thing_count++;
    struct thing *thing = &things[id];
    *thing = (struct thing){.op = op,
                            .name = name,
                            .made = -1,
                            .kind = kind,
                            .action = action,
                            .alive = true,
                            .handles = 1,
                            .refs = 1,
                            .size = size};
    thing->to = malloc((size_t)(size + 1) * sizeof *thing->to);
    *id_of(thing->op) = id;
    if (is_var(kind)) {
        ((struct var_object *)thing->op)->weaklist = NULL;
    } else if (kind != TINY && kind != LEAD_PAIR) {
        ((struct pair_object *)thing->op)->weaklist = NULL;
    }
    for (int i = 0; i < size; i++) {
        items_of(thing->op, kind)[i] = NULL;
        thing->to[i] = -1;
    }
    return id;
}

/* A new thing with one handle, not tracked. */
static int
model_make(enum kind kind, int size, enum action action)
{
    int name = record_make(kind, size, action);
    return make_thing(kind, size, action, name);
}

static void
model_track(int id)
{
    record(OP_TRACK, things[id].name, 0, 0);
    things[id].tracked = true;
    things[id].generation = 0;
    PyObject_GC_Track(things[id].op);
}

static void
model_untrack(int id)
{
    record(OP_UNTRACK, things[id].name, 0, 0);
    things[id].tracked = false;
    PyObject_GC_UnTrack(things[id].op);
}

static void
model_hold(int id, int times)
{
    record(OP_HOLD, things[id].name, times, 0);
    for (int i = 0; i < times && !things[id].immortal; i++) {
        things[id].handles++;
        things[id].refs++;
        Py_INCREF(things[id].op);
    }
}

static void
model_drop(int id, int times)
{
    record(OP_DROP, things[id].name, times, 0);
    for (int i = 0; i < times && !things[id].immortal; i++) {
        things[id].handles--;
        model_release(id);
        Py_DECREF(things[id].op);
    }
}

static void
link_things(int from, int field, int to)
{
    struct thing *thing = &things[from];
    int old = thing->to[field];
    PyObject **item = &items_of(thing->op, thing->kind)[field];
    if (to >= 0) {
        things[to].refs += !things[to].immortal;
        Py_INCREF(things[to].op);
    }
    thing->to[field] = to;
    if (old >= 0) {
        model_release(old);
    }
    PyObject *old_item = *item;
    *item = to >= 0 ? things[to].op : NULL;
    Py_XDECREF(old_item);
}

/* from.field = to; -1 for nothing. */
static void
model_link(int from, int field, int to)
{
    record(OP_LINK, things[from].name, field, to >= 0 ? things[to].name : -1);
    link_things(from, field, to);
}

static PyObject *
model_callback(PyObject *number, PyObject *ref)
{
    int w = (int)PyLong_AsLong(number);
    weaks[w].seen_calls++;
    if (weaks[w].ref != ref || PyWeakref_IsDead(ref) != 1) {
        MODEL_FAIL("weak reference %d: its callback got something else", w);
    }
    if (weaks[w].raises) {
        PyErr_SetString(PyExc_ValueError, "a callback of the model");
        return NULL;
    }
    return Py_NewRef(Py_None);
}

static PyMethodDef model_callback_method = {"callback", model_callback, METH_O, NULL};

static void
model_weakref(int id, bool with_callback)
{
    record(OP_WEAKREF, things[id].name, with_callback, 0);
    if (weak_count == WEAKS_MAX || things[id].kind == TINY) {
        return;
    }
    struct weak *weak = &weaks[weak_count];
    *weak = (struct weak){
        .thing = id, .has_callback = with_callback, .raises = things[id].raises};
    PyObject *number = PyLong_FromLong(weak_count);
    PyObject *callback = PyCFunction_New(&model_callback_method, number);
    REQUIRE(number != NULL && callback != NULL);
    weak->ref = PyWeakref_NewRef(things[id].op, with_callback ? callback : NULL);
    REQUIRE_NOT_NULL(weak->ref);
    Py_DECREF(callback);
    Py_DECREF(number);
    weak_count++;
}

static bool
model_has_weakrefs(int id)
{
    for (int w = 0; w < weak_count; w++) {
        if (weaks[w].thing == id && !weaks[w].dead) {
            return true;
        }
    }
    return false;
}

/* An object may move only if no other code knows its address. */
static void
model_resize(int id, int size)
{
    record(OP_RESIZE, things[id].name, size, 0);
    struct thing *thing = &things[id];
    if (!is_var(thing->kind) || thing->tracked || thing->refs != 1 ||
        thing->handles != 1 || thing->immortal || model_has_weakrefs(id)) {
        return;
    }
    for (int i = size; i < thing->size; i++) {
        link_things(id, i, -1);
    }
    struct var_object *op = PyObject_GC_Resize(struct var_object, thing->op, size);
    REQUIRE_NOT_NULL(op);
    thing->op = (PyObject *)op;
    thing->to = realloc(thing->to, (size_t)(size + 1) * sizeof *thing->to);
    for (int i = thing->size; i < size; i++) {
        op->items[i] = NULL;
        thing->to[i] = -1;
    }
    thing->size = size;
    if (Py_SIZE(op) != size) {
        MODEL_FAIL("thing %d has the wrong size after resizing", id);
    }
}

static void
model_immortalise(int id)
{
    record(OP_IMMORTALISE, things[id].name, 0, 0);
    struct thing *thing = &things[id];
    if (thing->refs == 1 && thing->handles == 1 && !thing->immortal) {
        thing->immortal = true;
        thing->tracked = false;
        thing->handles = 0;
        if (PyUnstable_SetImmortal(thing->op) != 1) {
            MODEL_FAIL("thing %d did not become immortal", id);
        }
    }
}

/* Give immortal things a count again. Nothing but a test can do that. */
static void
model_mortalise(void)
{
    for (int i = 0; i < thing_count; i++) {
        things[i].internal = 0;
    }
    EACH_EDGE(from, to, true, things[to].internal++);
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        if (thing->alive && thing->immortal) {
            thing->immortal = false;
            thing->handles = 1;
            thing->refs = thing->internal + 1;
            thing->op->ob_refcnt = (uint32_t)thing->refs;
        }
    }
}

static void
model_call_finalizer(int id)
{
    record(OP_FINALIZE, things[id].name, 0, 0);
    struct thing *thing = &things[id];
    if (!has_finalizer(thing->kind) || thing->finalized || thing->handles == 0) {
        return;
    }
    model_act(thing);
    PyObject_CallFinalizer(thing->op);
}

/* From now on its handlers raise an exception. */
static void
model_raise(int id)
{
    record(OP_RAISE, things[id].name, 0, 0);
    things[id].raises = true;
}

/* From now on collections count and mark, without a proof; with 0 they use proofs again. */
static void
model_mark_always(int marks)
{
    struct gc_state *gc = &ouro_current.interp->gc;
    record(OP_MARK, marks, 0, 0);
    gc->marks_always = marks;
    gc->certificate.rest = marks ? INT_MAX : 0;
}

/* Full collections are proved by order numbers, or by addresses, after this many failed proofs. */
static void
model_number_after(int failures)
{
    struct gc_state *gc = &ouro_current.interp->gc;
    record(OP_NUMBER, failures, 0, 0);
    gc->certificate.is_numbered = failures > 1;
    gc->certificate.failures = failures;
}

/* Few candidates are counted in their headers if they are in this many pages or more. */
static void
model_count_in_headers_from(int pages)
{
    record(OP_FEW, pages, 0, 0);
    ouro_current.interp->gc.few_pages = (uint32_t)pages;
}

static void
collect_things(int generation)
{
    int expected = model_predict_collection(generation, thing_count);
    Py_ssize_t found = Ouro_GCCollect(generation);
    model_check();
    if (found != expected) {
        MODEL_FAIL("a collection of generation %d found %zd, not %d", generation, found,
                   expected);
    }
}

static void
model_collect(int generation)
{
    record(OP_COLLECT, generation, 0, 0);
    collect_things(generation);
}

/* Pauses of a full collection are bounded; see model_cycle(). */
static void
model_budget(int budget)
{
    record(OP_BUDGET, budget, 0, 0);
    Ouro_GCSetPauseBudget(budget);
}

/* A full collection in slices. The young are collected and promoted. Then all old objects are
 * looked at, in the smallest steps. */
static void
model_cycle(int batch)
{
    record(OP_CYCLE, batch, 0, 0);
    struct _is *interp = ouro_current.interp;
    Ouro_GCCycleStats stats;
    interp->gc.slices.batch = (uint32_t)batch;
    /* Whole components are finalized together. A set that is found by following references is finalized
     * without objects that it leads to and that were left before. */
    interp->gc.slices.follow_trust = -1;
    interp->gc.slices.beliefs = NULL;   /* a short cycle may miss garbage */
    if (interp->gc.pause_budget == 0) { /* a program that was shortened may lack it */
        Ouro_GCSetPauseBudget(1000);
    }
    model_predict_collection(1, thing_count);
    REQUIRE(ouro_cycle_start(interp));
    model_in_cycle = true;
    model_predict_collection(2, thing_count);
    model_in_cycle = false;
    interp->gc.stress = true; /* the clock is read at every step */
    while (interp->gc.cycle != NULL) {
        if (!ouro_cycle_verify(interp->gc.cycle)) {
            MODEL_FAIL("the cycle is not valid");
        }
        ouro_cycle_run(interp, 0);
    }
    interp->gc.stress = false;
    ouro_collector_set_alarm(interp);
    model_check();
    Ouro_GCGetCycleStats(&stats);
    if (stats.failed_proofs != 0) {
        MODEL_FAIL("a proof failed, though nothing changed");
    }
}

/* An allocation collects when more than `threshold` things are new; 0: never. */
static void
model_automatic(int threshold)
{
    record(OP_AUTOMATIC, threshold, 0, 0);
    if (getenv("OURO_STRESS") != NULL || getenv("OURO_PAUSE_BUDGET") != NULL) {
        return; /* the counts would no longer say which collection an allocation runs */
    }
    model_is_automatic = threshold > 0;
    Ouro_GCSetThresholds((int[]){threshold, 3, 3}, 3);
}

/* The child of a fork goes on with its own copy of everything. */
static void
model_fork(int generation)
{
    record(OP_FORK, generation, 0, 0);
    fflush(NULL);
    PyOS_BeforeFork();
    pid_t child = fork();
    if (child == 0) {
        PyOS_AfterFork_Child();
        collect_things(generation);
        _exit(model_failed);
    }
    PyOS_AfterFork_Parent();
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        MODEL_FAIL("the child of a fork ended with status %#x", status);
    }
}

static void
model_freeze(bool freeze)
{
    record(OP_FREEZE, freeze, 0, 0);
    for (int i = 0; i < thing_count; i++) {
        if (things[i].tracked && (freeze || things[i].generation == 3)) {
            things[i].generation = freeze ? 3 : 2;
        }
    }
    if (freeze) {
        Ouro_GCFreeze();
    } else {
        Ouro_GCUnfreeze();
    }
}

static void
model_empty_garbage(void)
{
    record(OP_EMPTY_GARBAGE, 0, 0, 0);
    PyObject *garbage = Ouro_GCGarbage();
    REQUIRE_NOT_NULL(garbage);
    if (PyList_GET_SIZE(garbage) != in_garbage_count) {
        MODEL_FAIL("%zd objects in the garbage list, not %d", PyList_GET_SIZE(garbage),
                   in_garbage_count);
    }
    for (int i = 0; i < in_garbage_count; i++) {
        things[in_garbage[i]].handles--;
        model_release(in_garbage[i]);
    }
    in_garbage_count = 0;
    REQUIRE_EQ(PyList_SetSlice(garbage, 0, PyList_GET_SIZE(garbage), NULL), 0);
}

#endif
