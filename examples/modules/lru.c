/* SPDX-License-Identifier: MIT */
/* The extension module `lru`: a cache that forgets what was not used for longest, and tells
 * observers what it forgets.
 *
 *     cache = lru.Cache(2)
 *     cache.watch(function)         # weakly: the cache does not keep it alive
 *     cache["a"] = 1; cache["b"] = 2
 *     cache.get("a")                # now "b" is the oldest
 *     cache["c"] = 3                # calls function("b", 2)
 *
 * Observers are held by weak references with a callback that strikes dead ones off the list.
 * The callback in turn knows the cache only weakly: cache -> observers -> callback -> cache
 * would be a cycle in every cache that was ever watched.
 *
 * Keys are compared by their own code, which may call the cache. A key that changes the cache
 * while it is compared can confuse what is evicted when; it cannot do more harm than that.
 *
 * The same source is an extension module of CPython and a part of a program with Ouroboros. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <structmember.h>

/* A key and its value. Entries form a chain from the newest to the oldest; each owns the
 * next older one, and the way back is borrowed, so the chain itself has no cycle. */
typedef struct Entry {
    PyObject_HEAD
    PyObject *key, *value; /* owned */
    struct Entry *older;   /* owned, or NULL */
    struct Entry *newer;   /* borrowed, or NULL */
    int is_linked;
} Entry;

typedef struct {
    PyObject_HEAD
    PyObject *entries;   /* owned: dict, key -> Entry */
    PyObject *observers; /* owned: list of weak references */
    PyObject *forget;    /* owned: their callback, or NULL before the first */
    Entry *newest;       /* owned, or NULL */
    Entry *oldest;       /* borrowed, or NULL */
    Py_ssize_t capacity, hits, misses;
    PyObject *weakrefs;
} Cache;

typedef struct {
    PyTypeObject *cache_type, *entry_type; /* owned */
} State;

static struct PyModuleDef lru_module;

static State *
state_of(PyObject *self)
{
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(self), &lru_module);
    return module != NULL ? PyModule_GetState(module) : NULL;
}

/* What a weak reference refers to, as a new reference; NULL when it is dead. */
static PyObject *
referent(PyObject *weak)
{
    PyObject *object = NULL;
#if PY_VERSION_HEX >= 0x030D0000
    if (PyWeakref_GetRef(weak, &object) < 0) {
        PyErr_Clear(); /* not a weak reference: cannot happen here */
    }
#else
    object = PyWeakref_GetObject(weak);
    object = object == Py_None ? NULL : Py_XNewRef(object);
#endif
    return object;
}

/* --- Entry ----------------------------------------------------------------------------- */

/* Only owned references are visited: `newer` is borrowed. */
static int
entry_traverse(PyObject *op, visitproc visit, void *arg)
{
    Entry *self = (Entry *)op;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->key);
    Py_VISIT(self->value);
    Py_VISIT(self->older);
    return 0;
}

/* The chain is the business of the cache, which takes it apart without recursion. */
static int
entry_clear(PyObject *op)
{
    Py_CLEAR(((Entry *)op)->key);
    Py_CLEAR(((Entry *)op)->value);
    return 0;
}

static void
entry_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    entry_clear(op);
    Py_XDECREF(((Entry *)op)->older);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyType_Slot entry_slots[] = {
    {Py_tp_traverse, entry_traverse},
    {Py_tp_clear, entry_clear},
    {Py_tp_dealloc, entry_dealloc},
    {0, NULL},
};

static PyType_Spec entry_spec = {
    .name = "lru.Entry",
    .basicsize = sizeof(Entry),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = entry_slots,
};

static Entry *
new_entry(Cache *cache, PyObject *key, PyObject *value)
{
    State *state = state_of((PyObject *)cache);
    Entry *entry = state != NULL ? PyObject_GC_New(Entry, state->entry_type) : NULL;
    if (entry == NULL) {
        return NULL;
    }
    entry->key = Py_NewRef(key);
    entry->value = Py_NewRef(value);
    entry->older = entry->newer = NULL;
    entry->is_linked = 0;
    PyObject_GC_Track(entry);
    return entry;
}

/* --- the chain ------------------------------------------------------------------------- */

/* Put an entry in front. Takes over the caller's reference. */
static void
link_newest(Cache *cache, Entry *entry)
{
    entry->older = cache->newest; /* the reference moves on */
    if (cache->newest != NULL) {
        cache->newest->newer = entry;
    } else {
        cache->oldest = entry;
    }
    cache->newest = entry;
    entry->is_linked = 1;
}

/* Take an entry out of the chain. Returns the reference that the chain had. */
static Entry *
unlink_entry(Cache *cache, Entry *entry)
{
    *(entry->newer != NULL ? &entry->newer->older : &cache->newest) = entry->older;
    if (entry->older != NULL) {
        entry->older->newer = entry->newer;
    } else {
        cache->oldest = entry->newer;
    }
    entry->older = entry->newer = NULL;
    entry->is_linked = 0;
    return entry;
}

/* The same for an entry that may be out of it already, and to which the caller has another
 * reference. */
static void
leave_chain(Cache *cache, Entry *entry)
{
    if (entry->is_linked) {
        Entry *linked = unlink_entry(cache, entry);
        Py_DECREF(linked);
    }
}

/* Make an entry the newest. */
static void
touch_entry(Cache *cache, Entry *entry)
{
    Py_INCREF(entry);
    leave_chain(cache, entry);
    link_newest(cache, entry);
}

/* Forget all entries. What they refer to dies at the end, when table and chain agree again
 * that they are empty, because that may run any code. */
static void
drop_entries(Cache *cache)
{
    Entry *chain = cache->newest;
    cache->newest = cache->oldest = NULL;
    for (Entry *entry = chain; entry != NULL; entry = entry->older) {
        entry->newer = NULL;
        entry->is_linked = 0;
    }
    if (cache->entries != NULL) {
        PyDict_Clear(cache->entries);
    }
    while (chain != NULL) { /* one by one: no recursion along the chain */
        Entry *older = chain->older;
        chain->older = NULL;
        Py_DECREF(chain);
        chain = older;
    }
}

/* --- observers ------------------------------------------------------------------------- */

/* The callback of every observer's weak reference; `self` is a weak reference to the cache.
 * The dead reference is found by identity. */
static PyObject *
forget_observer(PyObject *self, PyObject *weak)
{
    Cache *cache = (Cache *)referent(self);
    if (cache == NULL || cache->observers == NULL) {
        Py_XDECREF(cache);
        Py_RETURN_NONE;
    }
    int status = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(cache->observers); i++) {
        if (PyList_GET_ITEM(cache->observers, i) == weak) {
            status = PyList_SetSlice(cache->observers, i, i + 1, NULL);
            break;
        }
    }
    Py_DECREF(cache);
    if (status < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef forget_def = {"forget", forget_observer, METH_O, NULL};

static int
prepare_callback(Cache *self)
{
    if (self->forget != NULL) {
        return 0;
    }
    PyObject *weak = PyWeakref_NewRef((PyObject *)self, NULL);
    if (weak != NULL) {
        self->forget = PyCFunction_New(&forget_def, weak);
        Py_DECREF(weak);
    }
    return self->forget != NULL ? 0 : -1;
}

static PyObject *
cache_watch(PyObject *op, PyObject *observer)
{
    Cache *self = (Cache *)op;
    if (!PyCallable_Check(observer)) {
        PyErr_Format(PyExc_TypeError, "watch() takes a callable, not '%.200s'",
                     Py_TYPE(observer)->tp_name);
        return NULL;
    }
    if (prepare_callback(self) < 0) {
        return NULL;
    }
    PyObject *weak = PyWeakref_NewRef(observer, self->forget);
    if (weak == NULL) {
        return NULL;
    }
    int status = PyList_Append(self->observers, weak);
    Py_DECREF(weak);
    if (status < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Call every observer with the key and value of an entry. They may change the list of
 * observers, so this goes over a copy. The first exception ends it. */
static int
notify(Cache *self, Entry *entry)
{
    PyObject *observers = PyList_GetSlice(self->observers, 0, PY_SSIZE_T_MAX);
    int status = observers != NULL ? 0 : -1;
    for (Py_ssize_t i = 0; status == 0 && i < PyList_GET_SIZE(observers); i++) {
        PyObject *observer = referent(PyList_GET_ITEM(observers, i));
        if (observer != NULL) {
            PyObject *result =
                PyObject_CallFunctionObjArgs(observer, entry->key, entry->value, NULL);
            status = result != NULL ? 0 : -1;
            Py_XDECREF(result);
            Py_DECREF(observer);
        }
    }
    Py_XDECREF(observers);
    return status;
}

/* --- looking up and changing ----------------------------------------------------------- */

/* The entry of a key, as a new reference: comparing keys may run code that removes it. NULL
 * with an exception, or without one when there is none. */
static Entry *
find_entry(Cache *self, PyObject *key)
{
    return (Entry *)Py_XNewRef(PyDict_GetItemWithError(self->entries, key));
}

/* Remove an entry from chain and table. Finding it in the table compares keys, which may run
 * code that evicts it, or finds it and makes it the newest again: it leaves the chain first
 * and, if it is back, last. 1; 0 when that code has removed it already; -1 with an exception,
 * and the entry is still there. */
static int
remove_entry(Cache *self, Entry *entry)
{
    leave_chain(self, entry);
    if (PyDict_DelItem(self->entries, entry->key) == 0) {
        leave_chain(self, entry);
        return 1;
    }
    if (PyErr_ExceptionMatches(PyExc_KeyError)) {
        PyErr_Clear();
        return 0;
    }
    touch_entry(self, entry);
    return -1;
}

static int
evict_oldest(Cache *self)
{
    Entry *entry = (Entry *)Py_NewRef((PyObject *)self->oldest);
    int status = remove_entry(self, entry);
    if (status == 1) {
        status = notify(self, entry);
    }
    Py_DECREF(entry);
    return status;
}

static int
store_value(Cache *self, PyObject *key, PyObject *value)
{
    Entry *made = new_entry(self, key, value);
    if (made == NULL) {
        return -1;
    }
    Entry *entry =
        (Entry *)Py_XNewRef(PyDict_SetDefault(self->entries, key, (PyObject *)made));
    if (entry == made) {
        link_newest(self, (Entry *)Py_NewRef((PyObject *)made));
    } else if (entry != NULL) { /* the key was there */
        touch_entry(self, entry);
        Py_SETREF(entry->value, Py_NewRef(value));
    }
    int status = entry != NULL ? 0 : -1;
    Py_XDECREF(entry);
    Py_DECREF(made);
    while (status == 0 && self->oldest != NULL &&
           PyDict_GET_SIZE(self->entries) > self->capacity) {
        status = evict_oldest(self);
    }
    return status;
}

/* The value of a key as a new reference, NULL with or without an exception. Counts. */
static PyObject *
look_up(Cache *self, PyObject *key)
{
    Entry *entry = find_entry(self, key);
    if (entry == NULL) {
        self->misses += PyErr_Occurred() ? 0 : 1;
        return NULL;
    }
    self->hits++;
    touch_entry(self, entry);
    PyObject *value = Py_NewRef(entry->value);
    Py_DECREF(entry);
    return value;
}

/* Remove a key. Its value as a new reference; NULL with or without an exception. */
static PyObject *
take_out(Cache *self, PyObject *key)
{
    Entry *entry = find_entry(self, key);
    if (entry == NULL) {
        return NULL;
    }
    PyObject *value = remove_entry(self, entry) == 1 ? Py_NewRef(entry->value) : NULL;
    Py_DECREF(entry);
    return value;
}

/* --- Cache: methods -------------------------------------------------------------------- */

static PyObject *
cache_get(PyObject *op, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"key", "default", NULL};
    PyObject *key, *fallback = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:get", names, &key, &fallback)) {
        return NULL;
    }
    PyObject *value = look_up((Cache *)op, key);
    return value != NULL || PyErr_Occurred() ? value : Py_NewRef(fallback);
}

static PyObject *
cache_put(PyObject *op, PyObject *args)
{
    PyObject *key, *value;
    if (!PyArg_ParseTuple(args, "OO:put", &key, &value) ||
        store_value((Cache *)op, key, value) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
cache_pop(PyObject *op, PyObject *args)
{
    PyObject *key, *fallback = NULL;
    if (!PyArg_ParseTuple(args, "O|O:pop", &key, &fallback)) {
        return NULL;
    }
    PyObject *value = take_out((Cache *)op, key);
    if (value == NULL && !PyErr_Occurred()) {
        if (fallback != NULL) {
            return Py_NewRef(fallback);
        }
        PyErr_SetObject(PyExc_KeyError, key);
    }
    return value;
}

/* The keys, newest first. Appending to a list runs no code, so the chain stands still. */
static PyObject *
cache_keys(PyObject *op, PyObject *Py_UNUSED(unused))
{
    PyObject *keys = PyList_New(0);
    for (Entry *entry = ((Cache *)op)->newest; keys != NULL && entry != NULL;
         entry = entry->older) {
        if (PyList_Append(keys, entry->key) < 0) {
            Py_CLEAR(keys);
        }
    }
    return keys;
}

static PyObject *
cache_info(PyObject *op, PyObject *Py_UNUSED(unused))
{
    Cache *self = (Cache *)op;
    return Py_BuildValue("{s:n,s:n,s:n,s:n,s:n}", "hits", self->hits, "misses",
                         self->misses, "size", PyDict_GET_SIZE(self->entries), "capacity",
                         self->capacity, "observers", PyList_GET_SIZE(self->observers));
}

static PyObject *
cache_method_clear(PyObject *op, PyObject *Py_UNUSED(unused))
{
    drop_entries((Cache *)op);
    Py_RETURN_NONE;
}

static Py_ssize_t
cache_length(PyObject *op)
{
    return PyDict_GET_SIZE(((Cache *)op)->entries);
}

static int
cache_contains(PyObject *op, PyObject *key)
{
    return PyDict_Contains(((Cache *)op)->entries, key);
}

static PyObject *
cache_subscript(PyObject *op, PyObject *key)
{
    PyObject *value = look_up((Cache *)op, key);
    if (value == NULL && !PyErr_Occurred()) {
        PyErr_SetObject(PyExc_KeyError, key);
    }
    return value;
}

static int
cache_ass_subscript(PyObject *op, PyObject *key, PyObject *value)
{
    if (value != NULL) {
        return store_value((Cache *)op, key, value);
    }
    PyObject *old = take_out((Cache *)op, key);
    if (old == NULL && !PyErr_Occurred()) {
        PyErr_SetObject(PyExc_KeyError, key);
    }
    Py_XDECREF(old);
    return old != NULL ? 0 : -1;
}

/* --- Cache: its life ------------------------------------------------------------------- */

/* Everything that can fail is done before the object exists for anyone else. */
static PyObject *
cache_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"capacity", NULL};
    Py_ssize_t capacity;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "n:Cache", names, &capacity)) {
        return NULL;
    }
    if (capacity < 1) {
        PyErr_Format(PyExc_ValueError, "capacity must be positive, not %zd", capacity);
        return NULL;
    }
    Cache *self = (Cache *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->capacity = capacity;
    self->entries = PyDict_New();
    self->observers = PyList_New(0);
    if (self->entries == NULL || self->observers == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static int
cache_traverse(PyObject *op, visitproc visit, void *arg)
{
    Cache *self = (Cache *)op;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->entries);
    Py_VISIT(self->observers);
    Py_VISIT(self->forget);
    Py_VISIT(self->newest);
    return 0;
}

/* The dict and the list are emptied, not dropped: a method that is called on a cache in this
 * state finds it empty. */
static int
cache_clear(PyObject *op)
{
    Cache *self = (Cache *)op;
    drop_entries(self);
    Py_CLEAR(self->forget);
    if (self->observers != NULL) {
        return PyList_SetSlice(self->observers, 0, PY_SSIZE_T_MAX, NULL);
    }
    return 0;
}

static void
cache_dealloc(PyObject *op)
{
    Cache *self = (Cache *)op;
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    drop_entries(self);
    Py_XDECREF(self->entries);
    Py_XDECREF(self->observers);
    Py_XDECREF(self->forget);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyMethodDef cache_methods[] = {
    {"get", (PyCFunction)(void (*)(void))cache_get, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("get(key, default=None): the value; makes the key the newest.")},
    {"put", cache_put, METH_VARARGS, PyDoc_STR("put(key, value)")},
    {"pop", cache_pop, METH_VARARGS, PyDoc_STR("pop(key[, default])")},
    {"keys", cache_keys, METH_NOARGS, PyDoc_STR("A list of the keys, newest first.")},
    {"watch", cache_watch, METH_O,
     PyDoc_STR("Call observer(key, value) when a key is evicted, while observer lives.")},
    {"info", cache_info, METH_NOARGS, PyDoc_STR("A dict of numbers.")},
    {"clear", cache_method_clear, METH_NOARGS, PyDoc_STR("Remove everything.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef cache_members[] = {
    {"capacity", T_PYSSIZET, offsetof(Cache, capacity), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Cache, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot cache_slots[] = {
    {Py_tp_doc, (void *)PyDoc_STR("Cache(capacity): forgets what was not used longest.")},
    {Py_tp_new, cache_new},
    {Py_tp_traverse, cache_traverse},
    {Py_tp_clear, cache_clear},
    {Py_tp_dealloc, cache_dealloc},
    {Py_mp_length, cache_length},
    {Py_mp_subscript, cache_subscript},
    {Py_mp_ass_subscript, cache_ass_subscript},
    {Py_sq_contains, cache_contains},
    {Py_tp_methods, cache_methods},
    {Py_tp_members, cache_members},
    {0, NULL},
};

static PyType_Spec cache_spec = {
    .name = "lru.Cache",
    .basicsize = sizeof(Cache),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = cache_slots,
};

/* --- the module ------------------------------------------------------------------------ */

static int
lru_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    state->entry_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &entry_spec, NULL);
    state->cache_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &cache_spec, NULL);
    if (state->entry_type == NULL || state->cache_type == NULL) {
        return -1;
    }
    return PyModule_AddType(module, state->cache_type);
}

static int
lru_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->cache_type);
    Py_VISIT(state->entry_type);
    return 0;
}

static int
lru_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->cache_type);
    Py_CLEAR(state->entry_type);
    return 0;
}

static void
lru_free(void *module)
{
    lru_clear((PyObject *)module);
}

static PyModuleDef_Slot lru_slots[] = {
    {Py_mod_exec, lru_exec},
    {0, NULL},
};

static struct PyModuleDef lru_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lru",
    .m_doc = PyDoc_STR("A cache with weak observers."),
    .m_size = sizeof(State),
    .m_slots = lru_slots,
    .m_traverse = lru_traverse,
    .m_clear = lru_clear,
    .m_free = lru_free,
};

PyMODINIT_FUNC
PyInit_lru(void)
{
    return PyModuleDef_Init(&lru_module);
}
