/* SPDX-License-Identifier: MIT */
/* A model of the collector: the same graph twice.
 *
 * Every object of the library has a *thing* here, which says what must be true of it. An
 * operation is first done to the things, by the plainest rules we could write (reference
 * counts, and reachability over the whole graph), and then to the objects; after each
 * collection model_check() compares all of them, and the tables of the heap with what they
 * must hold between collections.
 *
 * Finalizers do what their thing says (resurrect, drop their fields, make new objects), so
 * what they do does not depend on the order in which they are called. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_H
#define OURO_TESTS_COLLECTOR_MODEL_H

#include <ouroboros.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/object/header.h"
#include "../../src/thread/interpreter.h"
#include "../harness.h"

/* ---- objects --------------------------------------------------------------------------- */

enum kind {
    TINY,        /* 32 bytes, one field, no weak references */
    PAIR,        /* two fields */
    PAIR_FINAL,  /* with tp_finalize */
    PAIR_LEGACY, /* with tp_del */
    VAR,         /* any number of fields */
    VAR_FINAL,
    HEAP_PAIR, /* of a heap type */
    LEAD_PAIR, /* of a heap type with managed weak references: a lead before the object */
    KINDS,
};

struct tiny_object {
    PyObject_HEAD
    intptr_t id;
    PyObject *item;
};

struct lead_object {
    PyObject_HEAD
    intptr_t id;
    PyObject *items[2];
};

struct pair_object {
    PyObject_HEAD
    intptr_t id;
    PyObject *items[2];
    PyObject *weaklist;
};

struct var_object {
    PyObject_VAR_HEAD
    intptr_t id;
    PyObject *weaklist;
    PyObject *items[];
};

enum action { NOTHING, RESURRECT, DROP, MAKE_GARBAGE, ACTIONS };

struct thing {
    PyObject *op;
    enum kind kind;
    enum action action; /* what its finalizer does */
    bool alive, tracked, finalized, immortal;
    int generation; /* 0..3; while tracked */
    int handles;    /* references that the test holds */
    int refs;       /* all references */
    int size;       /* fields */
    int *to;        /* the thing that each refers to, or -1 */
    int finalizations;
    int seen_finalizations, seen_deaths;    /* what the object did */
    bool candidate, reached, trash, legacy; /* for one collection */
    int internal;                           /* references from the set looked at */
};

struct weak {
    PyObject *ref;
    int thing;
    bool has_callback, dead;
    int calls, seen_calls;
};

#define THINGS_MAX 60000
#define WEAKS_MAX  2000

static struct thing things[THINGS_MAX];
static struct weak weaks[WEAKS_MAX];
static int thing_count, weak_count;
static int *in_garbage; /* things that the garbage list holds */
static int in_garbage_count;
static PyTypeObject *kind_types[KINDS];

static unsigned model_seed;
static int model_step;
static bool model_failed;
#define MODEL_FAIL(...)                                                                  \
    do {                                                                                 \
        char text_[300];                                                                 \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                      \
        if (!model_failed) {                                                             \
            test_fail(__FILE__, __LINE__, "OURO_MODEL_SEED=%u step %d: %s", model_seed,  \
                      model_step, text_);                                                \
        }                                                                                \
        model_failed = true;                                                             \
    } while (0)

static bool
is_var(enum kind kind)
{
    return kind == VAR || kind == VAR_FINAL;
}

static bool
has_finalizer(enum kind kind)
{
    return kind == PAIR_FINAL || kind == VAR_FINAL;
}

static PyObject **
items_of(PyObject *op, enum kind kind)
{
    switch (kind) {
    case TINY:
        return &((struct tiny_object *)op)->item;
    case LEAD_PAIR:
        return ((struct lead_object *)op)->items;
    case VAR:
    case VAR_FINAL:
        return ((struct var_object *)op)->items;
    default:
        return ((struct pair_object *)op)->items;
    }
}

/* The id is the third word, but for var objects, whose third word is their size. */
static intptr_t *
id_of(PyObject *op)
{
    bool var = Py_TYPE(op)->tp_itemsize != 0;
    return var ? &((struct var_object *)op)->id : &((struct tiny_object *)op)->id;
}

static struct thing *
thing_of(PyObject *op)
{
    return &things[*id_of(op)];
}

static int
model_traverse(PyObject *op, visitproc visit, void *arg)
{
    enum kind kind = thing_of(op)->kind;
    PyObject **items = items_of(op, kind);
    Py_ssize_t size = is_var(kind) ? Py_SIZE(op) : kind == TINY ? 1 : 2;
    if (kind == HEAP_PAIR || kind == LEAD_PAIR) {
        Py_VISIT(Py_TYPE(op));
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_VISIT(items[i]);
    }
    return 0;
}

static int
model_clear(PyObject *op)
{
    enum kind kind = thing_of(op)->kind;
    PyObject **items = items_of(op, kind);
    Py_ssize_t size = is_var(kind) ? Py_SIZE(op) : kind == TINY ? 1 : 2;
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_CLEAR(items[i]);
    }
    return 0;
}

static int model_make(enum kind kind, int size, enum action action);

static void
model_finalize(PyObject *op)
{
    struct thing *thing = thing_of(op);
    thing->seen_finalizations++;
    switch (thing->action) {
    case RESURRECT:
        Py_INCREF(op);
        break;
    case DROP:
        model_clear(op);
        break;
    case MAKE_GARBAGE: {
        int id = model_make(PAIR, 2, NOTHING);
        struct thing *made = &things[id];
        items_of(made->op, PAIR)[1] = Py_NewRef(made->op);
        made->to[1] = id;
        made->refs++;
        PyObject_GC_Track(made->op);
        made->tracked = true;
        if (id % 2 == 0) { /* the other half is kept */
            made->handles = 0;
            made->refs = 1;
            Py_DECREF(made->op);
        }
        break;
    }
    default:
        break;
    }
}

static void
model_del(PyObject *op)
{
    (void)op;
}

static void
model_dealloc(PyObject *op)
{
    struct thing *thing = thing_of(op);
    PyTypeObject *type = Py_TYPE(op);
    if (has_finalizer(thing->kind) && PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    if (type->tp_weaklistoffset != 0) {
        PyObject_ClearWeakRefs(op);
    }
    if (thing->seen_deaths++ != 0) {
        MODEL_FAIL("thing %d dies twice", (int)(thing - things));
    }
    model_clear(op);
    type->tp_free(op);
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(type);
    }
}

#define MODEL_SLOTS(name_, object_)                                                      \
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = name_,                                      \
                                .tp_basicsize = sizeof(struct object_),                  \
                                .tp_dealloc = model_dealloc,                             \
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,     \
                                .tp_traverse = model_traverse, .tp_clear = model_clear,  \
                                .tp_free = PyObject_GC_Del

static PyTypeObject tiny_type = {MODEL_SLOTS("tiny", tiny_object)};
static PyTypeObject pair_type = {
    MODEL_SLOTS("pair", pair_object),
    .tp_weaklistoffset = offsetof(struct pair_object, weaklist),
};
static PyTypeObject pair_final_type = {
    MODEL_SLOTS("pair_final", pair_object),
    .tp_weaklistoffset = offsetof(struct pair_object, weaklist),
    .tp_finalize = model_finalize,
};
static PyTypeObject pair_legacy_type = {
    MODEL_SLOTS("pair_legacy", pair_object),
    .tp_weaklistoffset = offsetof(struct pair_object, weaklist),
    .tp_del = model_del,
};
static PyTypeObject var_type = {
    MODEL_SLOTS("var", var_object),
    .tp_itemsize = sizeof(PyObject *),
    .tp_weaklistoffset = offsetof(struct var_object, weaklist),
};
static PyTypeObject var_final_type = {
    MODEL_SLOTS("var_final", var_object),
    .tp_itemsize = sizeof(PyObject *),
    .tp_weaklistoffset = offsetof(struct var_object, weaklist),
    .tp_finalize = model_finalize,
};

static PyTypeObject *
make_heap_kind(enum kind kind)
{
    PyMemberDef members[] = {
        {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(struct pair_object, weaklist),
         Py_READONLY, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)model_dealloc},
        {Py_tp_traverse, (void *)model_traverse},
        {Py_tp_clear, (void *)model_clear},
        {kind == HEAP_PAIR ? Py_tp_members : 0, kind == HEAP_PAIR ? members : NULL},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = kind == HEAP_PAIR ? "model.heap_pair" : "model.lead_pair",
        .basicsize =
            kind == HEAP_PAIR ? sizeof(struct pair_object) : sizeof(struct lead_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                 (kind == LEAD_PAIR ? Py_TPFLAGS_MANAGED_WEAKREF : 0),
        .slots = slots,
    };
    PyObject *type = PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    return (PyTypeObject *)type;
}

/* Call between Py_Initialize and Py_FinalizeEx, before anything else. */
static void
model_begin(void)
{
    PyTypeObject *statics[] = {&tiny_type,        &pair_type, &pair_final_type,
                               &pair_legacy_type, &var_type,  &var_final_type};
    for (int kind = TINY; kind <= VAR_FINAL; kind++) {
        REQUIRE_EQ(PyType_Ready(statics[kind]), 0);
        kind_types[kind] = statics[kind];
    }
    kind_types[HEAP_PAIR] = make_heap_kind(HEAP_PAIR);
    kind_types[LEAD_PAIR] = make_heap_kind(LEAD_PAIR);
    thing_count = weak_count = in_garbage_count = 0;
    model_failed = false;
    in_garbage = calloc(THINGS_MAX, sizeof *in_garbage);
    Ouro_GCCollect(2);
    PyGC_Disable();
}

static void
model_end(void)
{
    for (int w = 0; w < weak_count; w++) {
        Py_DECREF(weaks[w].ref);
    }
    Py_CLEAR(kind_types[HEAP_PAIR]);
    Py_CLEAR(kind_types[LEAD_PAIR]);
    for (int i = 0; i < thing_count; i++) {
        free(things[i].to);
    }
    free(in_garbage);
}

/* ---- the rules of reference counting ------------------------------------------------------ */

static void model_die(int id);

static void
model_release(int id)
{
    struct thing *thing = &things[id];
    if (thing->immortal) {
        return;
    }
    if (--thing->refs == 0) {
        model_die(id);
    }
}

static void
model_release_fields(struct thing *thing)
{
    for (int i = 0; i < thing->size; i++) {
        int target = thing->to[i];
        thing->to[i] = -1;
        if (target >= 0) {
            model_release(target);
        }
    }
}

/* The finalizer's effect; somebody holds a reference meanwhile. */
static void
model_act(struct thing *thing)
{
    thing->finalized = true;
    thing->finalizations++;
    if (thing->action == RESURRECT) {
        thing->handles++;
        thing->refs++;
    } else if (thing->action == DROP) {
        model_release_fields(thing);
    }
}

static void
model_kill_weakrefs(int id, bool with_calls)
{
    for (int w = 0; w < weak_count; w++) {
        if (weaks[w].thing == id && !weaks[w].dead) {
            weaks[w].dead = true;
            weaks[w].calls += with_calls && weaks[w].has_callback;
        }
    }
}

static void
model_die(int id)
{
    struct thing *thing = &things[id];
    if (has_finalizer(thing->kind) && !thing->finalized) {
        thing->refs = 1;
        model_act(thing);
        if (--thing->refs > 0) {
            return;
        }
    }
    thing->alive = false;
    model_kill_weakrefs(id, true);
    model_release_fields(thing);
}

/* ---- the rules of a collection --------------------------------------------------------------- */

/* Call f for each pair of things (from, to) with `from` in the set that `flag` names. */
#define EACH_EDGE(from_, to_, condition_, body_)                                         \
    for (int from_ = 0; from_ < thing_count; from_++) {                                  \
        if (things[from_].alive && (condition_)) {                                       \
            for (int i_ = 0; i_ < things[from_].size; i_++) {                            \
                int to_ = things[from_].to[i_];                                          \
                if (to_ >= 0) {                                                          \
                    body_;                                                               \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    }

static int stack_of_things[THINGS_MAX];

/* Everything of the set (candidates, or trash) that something outside holds, and what
 * those refer to inside the set, gets `reached`. */
static void
model_reach(bool among_trash)
{
    int depth = 0;
#define IN_SET(i)                                                                        \
    (things[i].alive && (among_trash ? things[i].trash : things[i].candidate))
    for (int i = 0; i < thing_count; i++) {
        things[i].internal = 0;
        things[i].reached = false;
    }
    EACH_EDGE(from, to, IN_SET(from), things[to].internal++);
    for (int i = 0; i < thing_count; i++) {
        if (IN_SET(i) && things[i].refs > things[i].internal) {
            things[i].reached = true;
            stack_of_things[depth++] = i;
        }
    }
    while (depth > 0) {
        const struct thing *thing = &things[stack_of_things[--depth]];
        for (int i = 0; i < thing->size; i++) {
            int to = thing->to[i];
            if (to >= 0 && IN_SET(to) && !things[to].reached) {
                things[to].reached = true;
                stack_of_things[depth++] = to;
            }
        }
    }
#undef IN_SET
}

/* Legacy things and what they reach leave the trash. */
static void
model_split_legacy(void)
{
    int depth = 0;
    for (int i = 0; i < thing_count; i++) {
        things[i].legacy = false;
        if (things[i].trash && things[i].kind == PAIR_LEGACY) {
            things[i].trash = false;
            things[i].legacy = true;
            stack_of_things[depth++] = i;
        }
    }
    while (depth > 0) {
        const struct thing *thing = &things[stack_of_things[--depth]];
        for (int i = 0; i < thing->size; i++) {
            int to = thing->to[i];
            if (to >= 0 && things[to].trash) {
                things[to].trash = false;
                things[to].legacy = true;
                stack_of_things[depth++] = to;
            }
        }
    }
}

static void
model_tell(void)
{
    for (int w = 0; w < weak_count; w++) {
        if (weaks[w].has_callback && !weaks[w].dead && things[weaks[w].thing].trash) {
            weaks[w].dead = true;
            weaks[w].calls++;
        }
    }
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        if (thing->trash && thing->alive && has_finalizer(thing->kind) &&
            !thing->finalized) {
            thing->refs++;
            model_act(thing);
            model_release(i);
        }
    }
}

static int
model_destroy_trash(void)
{
    int destroyed = 0;
    model_reach(true);
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        thing->trash = thing->trash && thing->alive && !thing->reached;
        if (thing->trash) {
            destroyed++;
            thing->alive = false;
            thing->refs = 0;
            model_kill_weakrefs(i, false);
        }
    }
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        for (int k = 0; thing->trash && k < thing->size; k++) {
            int to = thing->to[k];
            thing->to[k] = -1;
            if (to >= 0 && !things[to].trash) {
                model_release(to);
            }
        }
    }
    return destroyed;
}

static int
model_keep_legacy(void)
{
    int kept = 0;
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        if (thing->legacy && thing->alive) {
            kept++;
            if (thing->kind == PAIR_LEGACY) {
                thing->handles++;
                thing->refs++;
                in_garbage[in_garbage_count++] = i;
            }
        }
        thing->legacy = thing->trash = false;
    }
    return kept;
}

/* What a collection of 0..generation must do and return. */
static int
model_predict_collection(int generation)
{
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        thing->candidate = thing->alive && thing->tracked && !thing->immortal &&
                           thing->generation <= generation;
    }
    model_reach(false);
    for (int i = 0; i < thing_count; i++) {
        struct thing *thing = &things[i];
        thing->trash = thing->candidate && !thing->reached;
        if (thing->candidate) {
            thing->generation = generation < 2 ? generation + 1 : 2;
        }
    }
    model_split_legacy();
    model_tell();
    int destroyed = model_destroy_trash();
    return destroyed + model_keep_legacy();
}

/* ---- comparing --------------------------------------------------------------------------------- */

static void
check_alive(int id)
{
    const struct thing *thing = &things[id];
    const PyObject *op = thing->op;
    const struct heap *heap = &ouro_current.interp->heap;
    if (!thing->immortal && op->ob_refcnt != (uint32_t)thing->refs) {
        MODEL_FAIL("thing %d has %u references, not %d", id, op->ob_refcnt, thing->refs);
    }
    uint32_t bits = OURO_GC_ALLOCATED;
    bits |= thing->finalized ? OURO_GC_FINALIZED : 0;
    bits |= thing->tracked ? OURO_GC_TRACKED : 0;
    bits |= thing->tracked ? (uint32_t)thing->generation << OURO_GC_GENERATION_SHIFT : 0;
    uint32_t mask =
        ~(uint32_t)(OURO_GC_FRESH | (thing->tracked ? 0 : OURO_GC_GENERATION));
    if ((op->ob_gc & mask) != bits) {
        MODEL_FAIL("thing %d has gc bits %#x, not %#x", id, op->ob_gc & mask, bits);
    }
    const uint8_t *young = heap->scan[OURO_YOUNG];
    if ((op->ob_gc & OURO_GC_FRESH) != 0 && ouro_object_generation(op) == OURO_YOUNG &&
        young[ouro_heap_offset(heap, op) >> OURO_PAGE_SHIFT] != OURO_SCAN_ALL) {
        MODEL_FAIL("thing %d is fresh, but its page is not", id); /* page.inv.fresh */
    }
    if (thing->tracked) { /* page.inv.scan */
        size_t slot = ouro_heap_offset(heap, op) >> OURO_GRAIN_SHIFT;
        uint8_t mode = heap->scan[thing->generation][slot / OURO_PAGE_GRAINS];
        bool bit = (heap->bits[thing->generation][slot / 64] >> (slot % 64)) & 1;
        if (mode != OURO_SCAN_ALL && !(mode == OURO_SCAN_BITS && bit)) {
            MODEL_FAIL("thing %d of generation %d is not found: mode %d", id,
                       thing->generation, mode);
        }
    }
    PyObject **items = items_of(thing->op, thing->kind);
    for (int i = 0; i < thing->size; i++) {
        PyObject *expected = thing->to[i] >= 0 ? things[thing->to[i]].op : NULL;
        if (items[i] != expected) {
            MODEL_FAIL("field %d of thing %d is wrong", i, id);
        }
    }
}

/* collection.inv.counters and collection.inv.keys */
static void
check_side_tables(void)
{
    const struct heap *heap = &ouro_current.interp->heap;
    size_t slots = (size_t)heap->touched * OURO_PAGE_GRAINS;
    unsigned counters = 0, keys = 0;
    for (size_t i = 0; i < slots; i++) {
        counters |= heap->counters[i];
        keys |= heap->keys[i] & 0xFF0Fu;
    }
    if (counters != 0 || keys != 0) {
        MODEL_FAIL("side tables are not clean: %#x %#x", counters, keys);
    }
    for (uint32_t n = 0; n < heap->touched; n++) {
        if (heap->scan[OURO_CANDIDATES][n] != OURO_SCAN_NONE) {
            MODEL_FAIL("page %u still has candidates", n);
        }
        for (int set = 0; set < OURO_SCAN_SETS; set++) {
            const uint64_t *words = heap->bits[set] + (size_t)n * OURO_PAGE_BIT_WORDS;
            uint64_t any = 0;
            for (size_t i = 0; i < OURO_PAGE_BIT_WORDS; i++) {
                any |= words[i];
            }
            if (heap->scan[set][n] != OURO_SCAN_BITS && any != 0) {
                MODEL_FAIL("page %u has bits for set %d that nobody reads", n, set);
            }
        }
    }
    if (!ouro_heap_verify(heap)) {
        MODEL_FAIL("the heap is not valid");
    }
}

static void
model_check(void)
{
    for (int i = 0; i < thing_count && !model_failed; i++) {
        const struct thing *thing = &things[i];
        if (thing->seen_deaths != !thing->alive) {
            MODEL_FAIL("thing %d (kind %d) should be %s", i, thing->kind,
                       thing->alive ? "alive" : "dead");
        }
        if (thing->seen_finalizations != thing->finalizations) {
            MODEL_FAIL("thing %d was finalized %d times, not %d", i,
                       thing->seen_finalizations, thing->finalizations);
        }
        if (thing->alive && !model_failed) {
            check_alive(i);
        }
    }
    for (int w = 0; w < weak_count && !model_failed; w++) {
        const struct weak *weak = &weaks[w];
        if (PyWeakref_IsDead(weak->ref) != weak->dead ||
            weak->seen_calls != weak->calls) {
            MODEL_FAIL(
                "weak reference %d to thing %d: dead %d, not %d; called %d, not %d", w,
                weak->thing, PyWeakref_IsDead(weak->ref), weak->dead, weak->seen_calls,
                weak->calls);
        }
    }
    check_side_tables();
    if (PyErr_Occurred() != NULL) {
        MODEL_FAIL("an exception is pending");
    }
}

/* ---- operations ---------------------------------------------------------------------------------- */

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
