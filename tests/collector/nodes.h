/* SPDX-License-Identifier: MIT */
/* The objects that the collector's scenarios are about, and a log of what happens to them.
 *
 *   N   a container with two owned fields, traverse, clear and weak references
 *   F   the same with tp_finalize
 *   D   the same with tp_del
 *
 * N, F and D are static types; node_heap_type() makes heap types of the same kinds. A node
 * with a name writes to the log when it is finalized, cleared and destroyed. So a test can say
 *
 *     EXPECT_STR(events(), "finalize x, clear x, dealloc x");
 *
 * The hooks when_finalized, when_cleared, when_deallocated and when_called let a test do
 * something at that moment. Each test is a process of its own, so all of this is static and
 * starts empty. */
#ifndef OURO_TESTS_COLLECTOR_NODES_H
#define OURO_TESTS_COLLECTOR_NODES_H

#include <ouroboros.h>

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../src/object/header.h"
#include "../../src/thread/interpreter.h"
#include "../harness.h"

/* ---- the log ----------------------------------------------------------------------- */

static char event_text[8192];

/* The log since the last forget_events(); events are separated by ", ". */
static inline const char *
events(void)
{
    return event_text;
}

static inline void
forget_events(void)
{
    event_text[0] = '\0';
}

__attribute__((format(printf, 1, 2))) static inline void
note_event(const char *format, ...)
{
    size_t used = strlen(event_text);
    if (used + 2 < sizeof event_text && used != 0) {
        strcpy(event_text + used, ", ");
        used += 2;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(event_text + used, sizeof event_text - used, format, arguments);
    va_end(arguments);
}

/* How often `event` is in the log. */
static inline int
count_events(const char *event)
{
    int count = 0;
    size_t length = strlen(event);
    for (const char *at = events(); (at = strstr(at, event)) != NULL; at += length) {
        bool starts = at == events() || at[-1] == ' ';
        bool ends = at[length] == '\0' || at[length] == ',';
        count += starts && ends;
    }
    return count;
}

/* Whether the first event happened, and happened before the second. */
static inline bool
happens_before(const char *first, const char *second)
{
    const char *at = strstr(events(), first), *then = strstr(events(), second);
    return at != NULL && then != NULL && at < then;
}

/* ---- nodes ----------------------------------------------------------------------------- */

struct node {
    PyObject_HEAD
    PyObject *a, *b; /* owned, or NULL */
    PyObject *weaklist;
    const char *name; /* NULL: write nothing to the log */
    bool resurrects;  /* F: the finalizer stores a reference in `rescued` */
};

typedef void (*node_hook)(struct node *self);
static node_hook when_finalized __attribute__((unused));
static node_hook when_cleared __attribute__((unused));
static node_hook when_deallocated __attribute__((unused)); /* fields are still there */

/* The last node that saved itself; owned. */
static PyObject *rescued __attribute__((unused));

static inline struct node *
node_of(PyObject *op)
{
    return (struct node *)op;
}

static inline void
node_event(struct node *self, const char *what, node_hook hook)
{
    if (self->name != NULL) {
        note_event("%s %s", what, self->name);
    }
    if (hook != NULL) {
        hook(self);
    }
}

static inline int
node_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct node *self = node_of(op);
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_HEAPTYPE)) {
        Py_VISIT(Py_TYPE(op));
    }
    Py_VISIT(self->a);
    Py_VISIT(self->b);
    return 0;
}

static inline int
node_clear(PyObject *op)
{
    struct node *self = node_of(op);
    node_event(self, "clear", when_cleared);
    Py_CLEAR(self->a);
    Py_CLEAR(self->b);
    return 0;
}

static inline void
node_finalize(PyObject *op)
{
    struct node *self = node_of(op);
    node_event(self, "finalize", when_finalized);
    if (self->resurrects) {
        Py_XSETREF(rescued, Py_NewRef(op));
    }
}

static inline void
node_del(PyObject *op)
{
    node_event(node_of(op), "del", NULL);
}

static inline void
node_dealloc(PyObject *op)
{
    struct node *self = node_of(op);
    PyTypeObject *type = Py_TYPE(op);
    if (type->tp_finalize != NULL && PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    if (self->weaklist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    node_event(self, "dealloc", when_deallocated);
    Py_CLEAR(self->a);
    Py_CLEAR(self->b);
    type->tp_free(op);
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(type);
    }
}

/* The slots that every node type has; a test adds or replaces some for a type of its own:
 * static PyTypeObject T = {NODE_SLOTS("T"), .tp_clear = my_clear}; */
#define NODE_SLOTS(name_)                                                                \
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = name_, .tp_basicsize = sizeof(struct node), \
                                .tp_dealloc = node_dealloc,                              \
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,     \
                                .tp_traverse = node_traverse,                            \
                                .tp_weaklistoffset = offsetof(struct node, weaklist),    \
                                .tp_free = PyObject_GC_Del

static PyTypeObject N __attribute__((unused)) = {NODE_SLOTS("N"), .tp_clear = node_clear};
static PyTypeObject F __attribute__((unused)) = {NODE_SLOTS("F"), .tp_clear = node_clear,
                                                 .tp_finalize = node_finalize};
static PyTypeObject D __attribute__((unused)) = {NODE_SLOTS("D"), .tp_clear = node_clear,
                                                 .tp_del = node_del};

/* A new heap type that behaves like N, F or D; `model` says which. */
static inline PyTypeObject *
node_heap_type(const PyTypeObject *model)
{
    PyMemberDef members[] = {
        {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(struct node, weaklist),
         Py_READONLY, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)node_dealloc},
        {Py_tp_traverse, (void *)node_traverse},
        {Py_tp_clear, (void *)node_clear},
        {Py_tp_members, members},
        {0, NULL},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = model == &F   ? "heap.F"
                : model == &D ? "heap.D"
                              : "heap.N",
        .basicsize = sizeof(struct node),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    if (model == &F) {
        slots[4] = (PyType_Slot){Py_tp_finalize, (void *)node_finalize};
    } else if (model == &D) {
        slots[4] = (PyType_Slot){Py_tp_del, (void *)node_del};
    }
    PyObject *type = PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    return (PyTypeObject *)type;
}

/* A new node that is not tracked. The name is not copied. */
static inline PyObject *
new_untracked_node(PyTypeObject *type, const char *name)
{
    if (!PyType_HasFeature(type, Py_TPFLAGS_READY)) {
        REQUIRE_EQ(PyType_Ready(type), 0);
    }
    struct node *self = PyObject_GC_New(struct node, type);
    REQUIRE_NOT_NULL(self);
    self->a = self->b = self->weaklist = NULL;
    self->name = name;
    self->resurrects = false;
    return (PyObject *)self;
}

/* A new, tracked node. */
static inline PyObject *
new_node(PyTypeObject *type, const char *name)
{
    PyObject *self = new_untracked_node(type, name);
    PyObject_GC_Track(self);
    return self;
}

/* ---- links --------------------------------------------------------------------------------- */

/* from->a = to, from->b = to; `to` may be NULL. The old reference is released. */
static inline void
set_a(PyObject *from, PyObject *to)
{
    Py_XSETREF(node_of(from)->a, Py_XNewRef(to));
}

static inline void
set_b(PyObject *from, PyObject *to)
{
    Py_XSETREF(node_of(from)->b, Py_XNewRef(to));
}

/* from -> to, in the first field that is free. */
static inline void
link_nodes(PyObject *from, PyObject *to)
{
    struct node *self = node_of(from);
    PyObject **field = self->a == NULL ? &self->a : &self->b;
    REQUIRE(*field == NULL);
    *field = Py_NewRef(to);
}

/* x -> y -> x. */
static inline void
link_both_ways(PyObject *x, PyObject *y)
{
    link_nodes(x, y);
    link_nodes(y, x);
}

/* Clear both fields by hand, for objects that no collection finds. This may free the node. */
static inline void
unlink_node(PyObject *x)
{
    Py_INCREF(x);
    set_a(x, NULL);
    set_b(x, NULL);
    Py_DECREF(x);
}

/* A dropped node of `type` that refers to itself: one object of garbage. */
static inline void
drop_self_cycle(PyTypeObject *type, const char *name)
{
    PyObject *x = new_node(type, name);
    link_nodes(x, x);
    Py_DECREF(x);
}

/* ---- collecting ---------------------------------------------------------------------------- */

static inline struct gc_state *
gc_now(void)
{
    return &ouro_current.interp->gc;
}

/* A full collection, also when baseline_quiet() turned the collector off. */
static inline Py_ssize_t
collect(void)
{
    int was_enabled = PyGC_Enable();
    Py_ssize_t found = PyGC_Collect();
    if (!was_enabled) {
        PyGC_Disable();
    }
    return found;
}

/* Collect earlier garbage, so that the next result counts only objects of the scenario. */
static inline void
baseline(void)
{
    collect();
    collect();
    forget_events();
}

/* The same, and switch automatic collections off: even under OURO_STRESS=collect no allocation
 * collects the objects that the scenario has dropped. */
static inline void
baseline_quiet(void)
{
    baseline();
    PyGC_Disable();
}

/* From now on collections mark, even if a proof that all objects are alive would suffice; with
 * `marks` false, no longer. */
static inline void
mark_always(bool marks)
{
    gc_now()->marks_always = marks;
    gc_now()->certificate.rest = marks ? INT_MAX : 0;
}

/* ---- looking ------------------------------------------------------------------------------- */

static inline bool
list_holds(PyObject *list, PyObject *op)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        if (PyList_GET_ITEM(list, i) == op) {
            return true;
        }
    }
    return false;
}

static inline bool
is_in_generation(PyObject *op, int generation)
{
    PyObject *list = Ouro_GCGetObjects(generation);
    REQUIRE_NOT_NULL(list);
    bool found = list_holds(list, op);
    Py_DECREF(list);
    return found;
}

/* ---- weak references ------------------------------------------------------------------------- */

static void (*when_called)(PyObject *weakref) __attribute__((unused));

static inline PyObject *
node_callback(PyObject *name, PyObject *weakref)
{
    note_event("callback %s", PyUnicode_AsUTF8(name));
    if (when_called != NULL) {
        when_called(weakref);
    }
    return PyErr_Occurred() != NULL ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef node_callback_method
    __attribute__((unused)) = {"callback", node_callback, METH_O, NULL};

/* A callable that writes "callback NAME" to the log. */
static inline PyObject *
new_callback(const char *name)
{
    PyObject *self = PyUnicode_FromString(name);
    REQUIRE_NOT_NULL(self);
    PyObject *callback = PyCFunction_New(&node_callback_method, self);
    REQUIRE_NOT_NULL(callback);
    Py_DECREF(self);
    return callback;
}

/* A weak reference to `op`; its callback logs "callback NAME". No callback if name is NULL. */
static inline PyObject *
new_weakref(PyObject *op, const char *name)
{
    PyObject *callback = name != NULL ? new_callback(name) : NULL;
    PyObject *weakref = PyWeakref_NewRef(op, callback);
    REQUIRE_NOT_NULL(weakref);
    Py_XDECREF(callback);
    return weakref;
}

/* ---- unraisable reports ------------------------------------------------------------------------ */

static int unraisable_count __attribute__((unused));
static char unraisable_text[512]
    __attribute__((unused)); /* of the last: "TYPE: MESSAGE" */

static inline int
record_report(const Ouro_Unraisable *report, void *arg)
{
    (void)arg;
    unraisable_count++;
    snprintf(unraisable_text, sizeof unraisable_text, "%s: %s",
             ((PyTypeObject *)report->exc_type)->tp_name,
             report->message != NULL ? report->message : "(none)");
    return 0;
}

/* From now on, count reports and keep the text of the last. */
static inline void
record_unraisable(void)
{
    unraisable_count = 0;
    unraisable_text[0] = '\0';
    Ouro_SetUnraisableHook(record_report, NULL);
}

/* class Sub(heap.N): pass */
static inline PyObject *
subclass_of(PyTypeObject *base)
{
    PyObject *name = PyUnicode_FromString("Sub");
    PyObject *bases = PyTuple_Pack(1, base), *dict = PyDict_New();
    PyObject *sub =
        PyObject_CallFunctionObjArgs((PyObject *)&PyType_Type, name, bases, dict, NULL);
    REQUIRE_NOT_NULL(sub);
    Py_DECREF(name);
    Py_DECREF(bases);
    Py_DECREF(dict);
    return sub;
}

#endif
