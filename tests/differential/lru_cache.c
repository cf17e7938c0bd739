/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* A cache: a dict of entries that form a doubly linked list; all references are strong. */
struct entry {
    PyObject_HEAD
    PyObject *key, *value;
    struct entry *older, *newer;
};

struct cache {
    PyObject_HEAD
    PyObject *entries;
    struct entry *oldest, *newest;
    Py_ssize_t room;
};

static int entries_alive;

static int
entry_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct entry *self = (struct entry *)op;
    Py_VISIT(self->key);
    Py_VISIT(self->value);
    Py_VISIT(self->older);
    Py_VISIT(self->newer);
    return 0;
}

static int
entry_clear(PyObject *op)
{
    struct entry *self = (struct entry *)op;
    Py_CLEAR(self->key);
    Py_CLEAR(self->value);
    Py_CLEAR(self->older);
    Py_CLEAR(self->newer);
    return 0;
}

static void
entry_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    entry_clear(op);
    entries_alive--;
    PyObject_GC_Del(op);
}

static PyTypeObject Entry_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "lru.Entry",
    .tp_basicsize = sizeof(struct entry),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = entry_traverse,
    .tp_clear = entry_clear,
    .tp_dealloc = entry_dealloc,
};

static int
cache_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct cache *self = (struct cache *)op;
    Py_VISIT(self->entries);
    Py_VISIT(self->oldest);
    Py_VISIT(self->newest);
    return 0;
}

static int
cache_clear(PyObject *op)
{
    struct cache *self = (struct cache *)op;
    Py_CLEAR(self->entries);
    Py_CLEAR(self->oldest);
    Py_CLEAR(self->newest);
    return 0;
}

static void
cache_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    cache_clear(op);
    note("cache dealloc");
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject Cache_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "lru.Cache",
    .tp_basicsize = sizeof(struct cache),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = cache_traverse,
    .tp_clear = cache_clear,
    .tp_dealloc = cache_dealloc,
};

static void
unlink_entry(struct cache *cache, struct entry *entry)
{
    struct entry *older = entry->older, *newer = entry->newer;
    entry->older = entry->newer = NULL; /* their references move to the neighbours */
    Py_XSETREF(*(older != NULL ? &older->newer : &cache->oldest),
               (struct entry *)Py_XNewRef(newer));
    Py_XSETREF(*(newer != NULL ? &newer->older : &cache->newest),
               (struct entry *)Py_XNewRef(older));
    Py_XDECREF(older);
    Py_XDECREF(newer);
}

static void
append_entry(struct cache *cache, struct entry *entry)
{
    entry->older = (struct entry *)Py_XNewRef(cache->newest);
    Py_XSETREF(*(entry->older != NULL ? &entry->older->newer : &cache->oldest),
               (struct entry *)Py_NewRef(entry));
    Py_XSETREF(cache->newest, (struct entry *)Py_NewRef(entry));
}

static void
put(struct cache *cache, long key, PyObject *value)
{
    struct entry *entry = PyObject_GC_New(struct entry, &Entry_Type);
    must((PyObject *)entry);
    entry->key = number(key);
    entry->value = Py_NewRef(value);
    entry->older = entry->newer = NULL;
    entries_alive++;
    PyObject_GC_Track((PyObject *)entry);
    append_entry(cache, entry);
    must_be_zero(PyDict_SetItem(cache->entries, entry->key, (PyObject *)entry));
    Py_DECREF(entry);
    if (PyDict_Size(cache->entries) > cache->room) {
        struct entry *oldest = cache->oldest;
        Py_INCREF(oldest);
        must_be_zero(PyDict_DelItem(cache->entries, oldest->key));
        unlink_entry(cache, oldest);
        Py_DECREF(oldest);
    }
}

static bool
touch(struct cache *cache, long key)
{
    PyObject *wanted = number(key);
    struct entry *entry = (struct entry *)PyDict_GetItemWithError(cache->entries, wanted);
    Py_DECREF(wanted);
    if (entry != NULL && entry != cache->newest) {
        Py_INCREF(entry);
        unlink_entry(cache, entry);
        append_entry(cache, entry);
        Py_DECREF(entry);
    }
    return entry != NULL;
}

static void
trace_order(struct cache *cache)
{
    char line[400] = "";
    for (struct entry *at = cache->oldest; at != NULL; at = at->newer) {
        snprintf(line + strlen(line), sizeof line - strlen(line), " %ld",
                 PyLong_AsLong(at->key));
    }
    trace("oldest to newest:%s; %d entries alive", line, entries_alive);
}

PROGRAM("a least-recently-used cache, also one that holds itself")
{
    ready(&Entry_Type);
    ready(&Cache_Type);
    struct cache *cache = (struct cache *)must(PyType_GenericAlloc(&Cache_Type, 0));
    cache->entries = must(PyDict_New());
    cache->room = 5;
    for (long i = 0; i < 8; i++) {
        put(cache, i, Py_None);
    }
    trace_order(cache);
    trace("touch 4: %d, touch 0: %d", touch(cache, 4), touch(cache, 0));
    trace_order(cache);
    put(cache, 100, (PyObject *)cache);
    put(cache, 101, Py_None);
    trace_order(cache);
    trace("held: %zd", collect());
    trace_order(cache);
    Py_DECREF(cache);
    trace("found %zd, %d entries alive", collect(), entries_alive);
    trace_notes("events");
}
