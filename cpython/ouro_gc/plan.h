/* SPDX-License-Identifier: MIT */
/* Where the references of an object are. They are read from memory, without a call for each.
 *
 * tuple, list, dict, set and frozenset are read by their layout. For other types there is a
 * plan: the offsets of fields, whether attributes are kept in or beside the instance, and a
 * tp_traverse for references that the plan does not cover. A plan is compared with the type's own
 * tp_traverse on the first instance. If they differ, the plan is to call tp_traverse. A plan is
 * valid as long as the type's version tag stays the same, or for one collection if there is no
 * tag. */
#ifndef OURO_GC_PLAN_H
#define OURO_GC_PLAN_H

#include "layout.h"

#include <stdbool.h>

#define OURO_INLINE static inline __attribute__((always_inline))

#define PLAN_FIELDS 14
#define PLANS       1024 /* a power of two */

enum plan_kind {
    PLAN_FIELDS_AND_REST,
    PLAN_DEQUE,
    PLAN_FRAME, /* some references are borrowed */
};

struct plan {
    PyTypeObject *type;
    traverseproc rest; /* or NULL */
    unsigned tag;      /* the type's version, or 0 */
    unsigned stamp;    /* the collection that made the plan */
    uint8_t kind, field_count;
    bool has_attributes; /* managed by CPython */
    bool visits_type;
    uint16_t fields[PLAN_FIELDS]; /* offsets */
};

struct plans {
    struct plan table[PLANS];
    unsigned stamp;
    traverseproc class_traverse;   /* of classes made by `class` */
    traverseproc deque_traverse;   /* of collections.deque, whose name proves nothing */
    bool dict_has_embedded_values; /* a dict visits values that lie in an instance */
    void *general_lookup; /* of dicts with keys that are no strings, before 3.11 */
};

/* Learn what differs between builds. False with an exception. */
bool plans_init(struct plans *plans);

/* The plan of an object whose type has none, or an old one. */
struct plan *plan_make(struct plans *plans, struct plan *plan, PyObject *object);

/* What every edge needs. Passed by value, so that it stays in registers; a visitproc gets `arg`. */
struct view {
    uint8_t *bytes;
    const uint32_t *windows;
    void *arg;
    struct type_run *types; /* the caller's, if objects of one type follow each other */
};

/* What happens at an edge. */
typedef void (*edge_function)(PyObject *target, struct view view);

/* Whether the readers and tp_traverse agree about this object. */
bool plan_is_exact(struct plans *plans, PyObject *object);

/* --- reading --------------------------------------------------------------------------------- */

#define OURO_EDGE(target)                                                                \
    do {                                                                                 \
        PyObject *edge_target = (PyObject *)(target);                                    \
        if (edge_target != NULL) {                                                       \
            edge(edge_target, view);                                                     \
        }                                                                                \
    } while (0)

OURO_INLINE void
read_items(PyObject **items, Py_ssize_t count, edge_function edge, struct view view)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        OURO_EDGE(items[i]);
    }
}

/* Entries of a dict from number `first` on, at most `most` of them. */
OURO_INLINE void
read_dict_part(const struct plans *plans, PyObject *object, Py_ssize_t first,
               Py_ssize_t most, edge_function edge, struct view view)
{
    PyDictObject *dict = (PyDictObject *)object;
    struct dict_keys *keys = (struct dict_keys *)dict->ma_keys;
    Py_ssize_t count =
        keys->entry_count - first < most ? keys->entry_count - first : most;
#if DICT_KEYS_HAVE_KINDS
    bool is_general = keys->kind == DICT_KIND_GENERAL;
#else
    bool is_general = (void *)keys->lookup == plans->general_lookup;
#endif
    if (is_general) {
        struct dict_entry *entry = (struct dict_entry *)dict_entries(keys) + first;
        for (; count-- > 0; entry++) {
            if (entry->value != NULL) {
                edge(entry->value, view);
                edge(entry->key, view);
            }
        }
        return;
    }
    if (dict->ma_values != NULL) {
#if DICT_VALUES_MAY_BE_EMBEDDED
        struct shared_values *values = (struct shared_values *)dict->ma_values;
        if (values->is_embedded && !plans->dict_has_embedded_values) {
            return;
        }
#endif
        read_items(shared_items(dict->ma_values) + first, count, edge, view);
        return;
    }
#if DICT_KEYS_HAVE_KINDS
    struct dict_name_entry *entry = (struct dict_name_entry *)dict_entries(keys) + first;
#else
    struct dict_entry *entry = (struct dict_entry *)dict_entries(keys) + first;
#endif
    (void)plans;
    for (; count-- > 0; entry++) {
        OURO_EDGE(entry->value);
    }
}

OURO_INLINE void
read_dict(const struct plans *plans, PyObject *object, edge_function edge,
          struct view view)
{
    read_dict_part(plans, object, 0, PY_SSIZE_T_MAX, edge, view);
}

OURO_INLINE void
read_set(PyObject *object, edge_function edge, struct view view)
{
    PySetObject *set = (PySetObject *)object;
    setentry *end = set->table + set->mask + 1;
    for (setentry *entry = set->table; entry < end; entry++) {
        if (entry->key != NULL && entry->hash != -1) { /* -1: the mark of a removed key */
            edge(entry->key, view);
        }
    }
}

#define DEQUE_BLOCK 64

struct deque_block {
    struct deque_block *left;
    PyObject *items[DEQUE_BLOCK];
    struct deque_block *right;
};

struct deque {
    PyObject_VAR_HEAD
    struct deque_block *left_block, *right_block;
    Py_ssize_t left_index, right_index;
};

OURO_INLINE void
read_deque(PyObject *object, edge_function edge, struct view view)
{
    struct deque *deque = (struct deque *)object;
    struct deque_block *block = deque->left_block;
    Py_ssize_t low = deque->left_index;
    for (; block != deque->right_block; block = block->right) {
        read_items(block->items + low, DEQUE_BLOCK - low, edge, view);
        low = 0;
    }
    read_items(block->items + low, deque->right_index - low + 1, edge, view);
}

/* Attributes in the instance or beside it, or the dict that they have become. */
OURO_INLINE void
read_attributes(const struct plans *plans, PyObject *object, edge_function edge,
                struct view view)
{
    (void)plans;
#if PY_VERSION_HEX >= 0x030D0000
    PyTypeObject *type = Py_TYPE(object);
    PyObject *dict = ((PyObject **)object)[MANAGED_DICT_WORD];
    if ((type->tp_flags & Py_TPFLAGS_INLINE_VALUES) != 0 &&
        (dict == NULL || !plans->dict_has_embedded_values)) {
        struct shared_values *values =
            (struct shared_values *)((char *)object + type->tp_basicsize);
        if (values->is_valid) { /* in this case 3.13.0 does not visit the dict */
            read_items(values->items, values->capacity, edge, view);
            return;
        }
    }
    OURO_EDGE(dict);
#elif HAS_MANAGED_DICTS
    struct dict_keys *keys =
        (struct dict_keys *)((PyHeapTypeObject *)Py_TYPE(object))->ht_cached_keys;
#if PY_VERSION_HEX >= 0x030C0000
    uintptr_t either = ((uintptr_t *)object)[MANAGED_DICT_WORD]; /* an odd word: values */
    PyObject **values = (either & 1) != 0 ? (PyObject **)(either + 1) : NULL;
    PyObject *dict = (either & 1) != 0 ? NULL : (PyObject *)either;
#else
    PyObject **values = ((PyObject ***)object)[MANAGED_VALUES_WORD_OF_311];
    PyObject *dict = ((PyObject **)object)[MANAGED_DICT_WORD];
#endif
    if (values != NULL) {
        read_items(values, keys->entry_count, edge, view);
    }
    OURO_EDGE(dict);
#else
    (void)object;
    (void)edge;
    (void)view;
#endif
}

OURO_INLINE void
read_by_plan(const struct plans *plans, const struct plan *plan, PyObject *object,
             edge_function edge, edge_function type_edge, visitproc visit,
             struct view view)
{
    for (int i = 0; i < plan->field_count; i++) {
        OURO_EDGE(*(PyObject **)((char *)object + plan->fields[i]));
    }
    if (plan->has_attributes) {
        read_attributes(plans, object, edge, view);
    }
    if (plan->visits_type) {
        type_edge((PyObject *)plan->type, view);
    }
    if (plan->kind == PLAN_DEQUE) {
        read_deque(object, edge, view);
    } else if (plan->rest != NULL && visit != NULL) {
        plan->rest(object, visit, view.arg);
    }
}

OURO_INLINE struct plan *
plan_find(struct plans *plans, PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    uintptr_t word = (uintptr_t)type;
    struct plan *plan = &plans->table[(word >> 4 ^ word >> 12) & (PLANS - 1)];
    bool is_good = plan->type == type && (plan->stamp == plans->stamp ||
                                          (TAGS_ARE_UNIQUE && plan->tag != 0 &&
                                           plan->tag == (unsigned)type->tp_version_tag));
    return is_good ? plan : plan_make(plans, plan, object);
}

/* Every reference of the object: edge() is called for those that are read, type_edge() for the one
 * to the type of an instance, visit() for those that a tp_traverse visits. borrow() is called
 * instead of visit() if some references may be borrowed. If these two are NULL, no tp_traverse is
 * called. */
OURO_INLINE void
read_edges_and_type(struct plans *plans, PyObject *object, edge_function edge,
                    edge_function type_edge, visitproc visit, visitproc borrow,
                    struct view view)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type == &PyTuple_Type) {
        read_items(((PyTupleObject *)object)->ob_item, Py_SIZE(object), edge, view);
    } else if (type == &PyList_Type) {
        read_items(((PyListObject *)object)->ob_item, Py_SIZE(object), edge, view);
    } else if (type == &PyDict_Type) {
        read_dict(plans, object, edge, view);
    } else if (type == &PySet_Type || type == &PyFrozenSet_Type) {
        read_set(object, edge, view);
    } else {
        struct plan *plan = plan_find(plans, object);
        if (!FRAMES_BORROW || plan->kind != PLAN_FRAME) {
            read_by_plan(plans, plan, object, edge, type_edge, visit, view);
        } else if (borrow != NULL) {
            plan->rest(object, borrow, view.arg);
        }
    }
}

OURO_INLINE void
read_edges(struct plans *plans, PyObject *object, edge_function edge, visitproc visit,
           visitproc borrow, struct view view)
{
    read_edges_and_type(plans, object, edge, edge, visit, borrow, view);
}

/* The words before the collector's header, and the first fields: often two cache lines. */
OURO_INLINE void
fetch_object(const PyObject *object)
{
    __builtin_prefetch((const char *)object - 32);
    __builtin_prefetch((const char *)object + 32);
}

/* Lists, dicts and sets keep their contents elsewhere. */
OURO_INLINE void
fetch_contents(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type == &PyList_Type) {
        __builtin_prefetch(((PyListObject *)object)->ob_item);
    } else if (type == &PyDict_Type) {
        char *keys = (char *)((PyDictObject *)object)->ma_keys;
        __builtin_prefetch(keys);
        __builtin_prefetch(keys + 64);
        __builtin_prefetch(keys + 128);
        __builtin_prefetch(((PyDictObject *)object)->ma_values);
    } else if (type == &PySet_Type || type == &PyFrozenSet_Type) {
        char *table = (char *)((PySetObject *)object)->table;
        __builtin_prefetch(table);
        __builtin_prefetch(table + 64);
    }
}

#endif
