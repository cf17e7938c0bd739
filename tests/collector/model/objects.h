/* SPDX-License-Identifier: MIT */
/* The objects: types of several sizes and layouts. Their handlers note in the thing what happens
 * to the object. Finalizers do what their thing says, so their effects do not depend on the order
 * of the calls. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_OBJECTS_H
#define OURO_TESTS_COLLECTOR_MODEL_OBJECTS_H

#include "graph.h"

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

/* The id is the third word, except in var objects, whose third word is their size. */
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

/* A mistake that must be found: heap_pair does not visit its second field. */
static bool planted_mistake __attribute__((unused));

static int
model_traverse(PyObject *op, visitproc visit, void *arg)
{
    enum kind kind = thing_of(op)->kind;
    PyObject **items = items_of(op, kind);
    Py_ssize_t size = is_var(kind) ? Py_SIZE(op) : kind == TINY ? 1 : 2;
    if (kind == HEAP_PAIR || kind == LEAD_PAIR) {
        Py_VISIT(Py_TYPE(op));
    }
    size -= planted_mistake && kind == HEAP_PAIR;
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

static int make_thing(enum kind kind, int size, enum action action, int name);

/* A thing that a finalizer makes is named after the thing of the finalizer. */
#define MADE_BASE 100000

static void
model_finalize(PyObject *op)
{
    struct thing *thing = thing_of(op);
    bool by_collector =
        PyObject_GC_IsFinalized(op); /* it sets the mark before the call */
    thing->seen_finalizations++;
    switch (thing->action) {
    case RESURRECT:
        Py_INCREF(op);
        break;
    case DROP:
        model_clear(op);
        break;
    case LINK: /* to itself: nothing else holds an object that dies by its count */
        if (thing->size > 0) {
            Py_XSETREF(items_of(op, thing->kind)[0], Py_NewRef(op));
        }
        break;
    case MAKE_GARBAGE: {
        int id = make_thing(PAIR, 2, NOTHING, MADE_BASE + thing->name);
        struct thing *made = &things[id];
        thing->made = id;
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
    if (thing->raises && by_collector) {
        /* The model does not predict this report. If another finalizer drops this object, the
         * order decides whether the collector or the object's death calls its finalizer. */
        reports++;
        PyErr_SetString(PyExc_ValueError, "a finalizer of the model");
    }
}

static int
model_tp_clear(PyObject *op)
{
    model_clear(op);
    if (thing_of(op)->raises) {
        PyErr_SetString(PyExc_ValueError, "a tp_clear of the model");
        return -1;
    }
    return 0;
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
                                .tp_traverse = model_traverse,                           \
                                .tp_clear = model_tp_clear, .tp_free = PyObject_GC_Del

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
        {Py_tp_clear, (void *)model_tp_clear},
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

#endif
