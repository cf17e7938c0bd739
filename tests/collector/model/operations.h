/* SPDX-License-Identifier: MIT */
/* What a program can do: each operation is done to the things first, and then to the objects.
 * A collection compares the two. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_OPERATIONS_H
#define OURO_TESTS_COLLECTOR_MODEL_OPERATIONS_H

#include "../../../src/collector/cycle.h"
#include "check.h"
#include "collecting.h"

/* A new thing with one handle, not tracked. */
static int
model_make(enum kind kind, int size, enum action action)
{
    REQUIRE(thing_count < THINGS_MAX);
    int id = thing_count++;
    struct thing *thing = &things[id];
    size = kind == TINY ? 1 : is_var(kind) ? size : 2;
    *thing = (struct thing){.kind = kind,
                            .action = action,
                            .alive = true,
                            .handles = 1,
                            .refs = 1,
                            .size = size};
    thing->to = malloc((size_t)(size + 1) * sizeof *thing->to);
    PyTypeObject *type = kind_types[kind];
    thing->op = is_var(kind)
                    ? (PyObject *)PyObject_GC_NewVar(struct var_object, type, size)
                    : PyObject_GC_New(PyObject, type);
    REQUIRE_NOT_NULL(thing->op);
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

static void
model_track(int id)
{
    things[id].tracked = true;
    things[id].generation = 0;
    PyObject_GC_Track(things[id].op);
}

static void
model_untrack(int id)
{
    things[id].tracked = false;
    PyObject_GC_UnTrack(things[id].op);
}

static void
model_hold(int id, int times)
{
    for (int i = 0; i < times && !things[id].immortal; i++) {
        things[id].handles++;
        things[id].refs++;
        Py_INCREF(things[id].op);
    }
}

static void
model_drop(int id, int times)
{
    for (int i = 0; i < times && !things[id].immortal; i++) {
        things[id].handles--;
        model_release(id);
        Py_DECREF(things[id].op);
    }
}

/* from.field = to; -1 for nothing. */
static void
model_link(int from, int field, int to)
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

static PyObject *
model_callback(PyObject *number, PyObject *ref)
{
    int w = (int)PyLong_AsLong(number);
    weaks[w].seen_calls++;
    if (weaks[w].ref != ref || PyWeakref_IsDead(ref) != 1) {
        MODEL_FAIL("weak reference %d: its callback got something else", w);
    }
    return Py_NewRef(Py_None);
}

static PyMethodDef model_callback_method = {"callback", model_callback, METH_O, NULL};

static void
model_weakref(int id, bool with_callback)
{
    if (weak_count == WEAKS_MAX || things[id].kind == TINY) {
        return;
    }
    struct weak *weak = &weaks[weak_count];
    *weak = (struct weak){.thing = id, .has_callback = with_callback};
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

/* Only what nobody else knows the address of may move. */
static void
model_resize(int id, int size)
{
    struct thing *thing = &things[id];
    if (!is_var(thing->kind) || thing->tracked || thing->refs != 1 ||
        thing->handles != 1 || thing->immortal || model_has_weakrefs(id)) {
        return;
    }
    for (int i = size; i < thing->size; i++) {
        model_link(id, i, -1);
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
    struct thing *thing = &things[id];
    if (!has_finalizer(thing->kind) || thing->finalized || thing->handles == 0) {
        return;
    }
    model_act(thing);
    PyObject_CallFinalizer(thing->op);
}

/* Make the next collection of a generation count and mark, without a certificate. */
static void
model_rest_certificate(int generation)
{
    ouro_current.interp->gc.generations[generation].certificate_rest = 1;
}

static void
model_collect(int generation)
{
    int expected = model_predict_collection(generation);
    Py_ssize_t found = Ouro_GCCollect(generation);
    model_check();
    if (found != expected) {
        MODEL_FAIL("a collection of generation %d found %zd, not %d", generation, found,
                   expected);
    }
}

/* A full collection in slices: the young are collected and promoted, then all that is old
 * then is looked at, the smallest step at a time. */
static inline void
model_cycle(void)
{
    struct _is *interp = ouro_current.interp;
    Ouro_GCCycleStats stats;
    interp->gc.cycle_batch = 1 + (uint32_t)model_step % 20;
    model_predict_collection(1);
    REQUIRE(ouro_cycle_start(interp));
    model_in_cycle = true;
    model_predict_collection(2);
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

static void
model_freeze(bool freeze)
{
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

/* Handles that the garbage list has are not the test's to drop. */
static int
model_own_handles(int id)
{
    int own = things[id].handles;
    for (int i = 0; i < in_garbage_count; i++) {
        own -= in_garbage[i] == id;
    }
    return own;
}

#endif
