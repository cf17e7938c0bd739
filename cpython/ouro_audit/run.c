/* SPDX-License-Identifier: MIT */
/* The audit of src/check/audit.h for objects of a running CPython.
 *
 * This file has the environment that the audit needs (which objects exist, how large they are,
 * which fields are borrowed), and turns findings into Python objects. Findings of one kind (code,
 * type, offset) are one finding with a count. No Python object is made between the snapshot and the
 * last audit. */
#include "blocks.h"
#include "check/audit.h"
#include "maps.h"
#include "module.h"
#include "snapshot.h"

#include <frameobject.h>

#include <stdlib.h>
#include <string.h>

struct kind {
    struct ouro_audit_finding first;
    Py_ssize_t count; /* objects that show it */
};

struct session {
    struct ouro_audit_environment environment;
    struct snapshot snapshot;
    struct maps maps;
    PyObject *borrowed; /* a set of (type name, offset) */
    struct kind *kinds;
    size_t count, room;
    Py_ssize_t audited, given_up;
    bool no_memory;
    bool trusts_frames; /* references that frames may hold are accounted for */
};

/* --- the environment ----------------------------------------------------------------------- */

static bool
is_tracked(const void *address, void *context)
{
    struct session *session = context;
    return snapshot_find(&session->snapshot, address) != OURO_NO_NODE;
}

static Py_ssize_t
count_unexplained(PyObject *referent, void *context)
{
    struct session *session = context;
    const struct snapshot *snapshot = &session->snapshot;
    uint32_t node = snapshot_find(snapshot, referent);
    if (node == OURO_NO_NODE) {
        return OURO_AUDIT_UNKNOWN;
    }
    Py_ssize_t left = Py_REFCNT(referent) - (Py_ssize_t)snapshot->visits[node];
    if (left <= 0 || !session->trusts_frames) {
        return left;
    }
    Py_ssize_t held = (Py_ssize_t)snapshot->held[node];
    return left > held ? left - held : 0;
}

/* The size of an object with items. Its ob_size may be something else (generators and frames have
 * none since 3.11), and __sizeof__ may count memory that the object owns elsewhere. The smaller of
 * the two sizes lies inside the object. */
static size_t
find_extent(PyObject *object, void *Py_UNUSED(context))
{
    PyTypeObject *type = Py_TYPE(object);
    size_t fixed = (size_t)type->tp_basicsize;
    if (PyLong_Check(object)) {
        return fixed; /* digits */
    }
    size_t items = (size_t)llabs((long long)Py_SIZE(object));
    size_t asked =
        PyTuple_CheckExact(object) ? SIZE_MAX : ouro_describe_asked_size(object);
    if (asked < fixed || items > (SIZE_MAX - fixed) / (size_t)type->tp_itemsize) {
        return asked > fixed ? asked : fixed;
    }
    size_t counted = fixed + items * (size_t)type->tp_itemsize;
    return counted < asked ? counted : asked;
}

static PyObject *const *
find_block(const void *address, size_t *count, void *context)
{
    struct session *session = context;
    return block_words(&session->maps, address, count);
}

static bool is_borrowed_in_cpython(PyTypeObject *owner, size_t offset);

static bool
is_declared_borrowed(PyObject *Py_UNUSED(object), PyTypeObject *owner, size_t offset,
                     void *context)
{
    struct session *session = context;
    if (is_borrowed_in_cpython(owner, offset)) {
        return true;
    }
    PyObject *key = Py_BuildValue("(sn)", owner->tp_name, (Py_ssize_t)offset);
    int found = key == NULL ? 0 : PySet_Contains(session->borrowed, key);
    Py_XDECREF(key);
    PyErr_Clear();
    return found == 1;
}

/* All modules have the same type, but each has its own m_traverse. */
static bool
is_same_kind(const struct ouro_audit_finding *a, const struct ouro_audit_finding *b)
{
    return a->code == b->code && a->type == b->type && a->offset == b->offset &&
           a->certainty == b->certainty &&
           (a->object == b->object || !PyModule_Check(a->object));
}

static void
keep_finding(const struct ouro_audit_finding *finding, void *context)
{
    struct session *session = context;
    for (size_t i = 0; i < session->count; i++) {
        if (is_same_kind(&session->kinds[i].first, finding)) {
            session->kinds[i].count++;
            return;
        }
    }
    if (session->count == session->room) {
        size_t room = session->room * 2 + 16;
        struct kind *kinds = realloc(session->kinds, room * sizeof(*kinds));
        if (kinds == NULL) {
            session->no_memory = true;
            return;
        }
        session->kinds = kinds;
        session->room = room;
    }
    session->kinds[session->count++] = (struct kind){.first = *finding, .count = 1};
}

/* --- what CPython's own types leave out on purpose -------------------------------------------- */

/* Fields that CPython leaves out on purpose. Types own, but do not visit, objects that cannot be
 * part of a cycle: the dict of weak references to their subclasses and the names of their slots.
 * Frames, and generators, which contain a frame, borrow globals and builtins from the function, and
 * have unused places on their stack. Code objects, which are containers in free-threaded builds
 * only, own names and constants. The block with the keys of a dict also has their hashes, and the
 * hash of an int may look like the address of any object. */
static bool
is_borrowed_in_cpython(PyTypeObject *owner, size_t offset)
{
    if (owner == &PyType_Type) {
        return offset == offsetof(PyTypeObject, tp_subclasses) ||
               offset == offsetof(PyHeapTypeObject, ht_slots);
    }
    if (owner == &PyDict_Type) {
        return offset == offsetof(PyDictObject, ma_keys);
    }
    return owner == &PyCode_Type || owner == &PyFrame_Type || owner == &PyGen_Type ||
           owner == &PyCoro_Type || owner == &PyAsyncGen_Type;
}

/* --- auditing ------------------------------------------------------------------------------------ */

static void
audit_one(struct session *session, PyObject *object)
{
    if (ouro_audit_object(object, &session->environment) < 0) {
        session->given_up++;
    } else {
        session->audited++;
    }
}

static bool
is_wanted(PyObject *object, PyObject *types)
{
    for (Py_ssize_t i = 0; types != NULL && i < PyTuple_GET_SIZE(types); i++) {
        if (PyType_IsSubtype(Py_TYPE(object),
                             (PyTypeObject *)PyTuple_GET_ITEM(types, i))) {
            return true;
        }
    }
    return types == NULL;
}

static void
audit_tracked(struct session *session, PyObject *types)
{
    const struct ouro_graph *graph = &session->snapshot.graph;
    for (uint32_t n = OURO_GROUPS; n < graph->count; n++) {
        PyObject *object = (PyObject *)(uintptr_t)graph->nodes[n].object;
        if (is_wanted(object, types)) {
            audit_one(session, object);
        }
    }
}

/* The referent if it is safe to hand it out, else None. */
static PyObject *
known_referent(const struct session *session, PyObject *referent)
{
    return snapshot_find(&session->snapshot, referent) != OURO_NO_NODE ? referent
                                                                       : Py_None;
}

/* Take references to objects that were borrowed so far, before anything else runs. */
static void
own_findings(struct session *session)
{
    for (size_t i = 0; i < session->count; i++) {
        struct ouro_audit_finding *finding = &session->kinds[i].first;
        bool is_type = finding->referent == (PyObject *)Py_TYPE(finding->object);
        finding->referent =
            is_type ? finding->referent : known_referent(session, finding->referent);
        Py_INCREF(finding->object);
        Py_INCREF(finding->type);
        Py_INCREF(finding->referent);
    }
}

/* (code, is_certain, object, type, offset or None, referent or None, visits, expected, text,
 * count); steals the references that own_findings() took. */
static PyObject *
describe_kind(const struct kind *kind)
{
    const struct ouro_audit_finding *finding = &kind->first;
    PyObject *offset = Py_None;
    if (finding->offset == OURO_AUDIT_NO_OFFSET) {
        Py_INCREF(offset);
    } else {
        offset = PyLong_FromSize_t(finding->offset);
    }
    return Py_BuildValue("(sNNNNNnnsn)", finding->code,
                         PyBool_FromLong(finding->certainty == OURO_AUDIT_CERTAIN),
                         finding->object, (PyObject *)finding->type, offset,
                         finding->referent, (Py_ssize_t)finding->visits,
                         (Py_ssize_t)finding->expected, finding->text, kind->count);
}

static PyObject *
list_findings(const struct session *session)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < session->count; i++) {
        PyObject *item = describe_kind(&session->kinds[i]);
        if (list != NULL && (item == NULL || PyList_Append(list, item) < 0)) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

const char ouro_audit_run_doc[] =
    "run(objects, types, borrowed, trusts_frames)\n--\n\n"
    "Audit the objects of a tuple, or with None all tracked objects whose type is in\n"
    "the tuple `types` or derived from one of them (None: any). `borrowed` is a set of\n"
    "(type name, offset). `trusts_frames`: references that running functions may hold\n"
    "are accounted for; if not, unvisited fields are reported too often rather than\n"
    "too seldom. The collector must be disabled. Return (list of findings, number of\n"
    "audited objects, number of objects that could not be audited).";

PyObject *
ouro_audit_run_all(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *objects, *types, *result = NULL;
    struct session session = {0};
    session.environment = (struct ouro_audit_environment){
        .context = &session,
        .is_object = is_tracked,
        .extent = find_extent,
        .block = find_block,
        .is_borrowed = is_declared_borrowed,
        .unexplained = count_unexplained,
        .report = keep_finding,
        .class_traverse = ouro_audit_class_traverse(),
    };
    int trusts_frames;
    if (!PyArg_ParseTuple(args, "OOO!p", &objects, &types, &PySet_Type, &session.borrowed,
                          &trusts_frames)) {
        return NULL;
    }
    session.trusts_frames = trusts_frames;
    if (maps_read(&session.maps) && snapshot_take(&session.snapshot)) {
        for (Py_ssize_t i = 0; objects != Py_None && i < PyTuple_GET_SIZE(objects); i++) {
            audit_one(&session, PyTuple_GET_ITEM(objects, i));
        }
        if (objects == Py_None) {
            audit_tracked(&session, types == Py_None ? NULL : types);
        }
        own_findings(&session);
        result = session.no_memory ? PyErr_NoMemory()
                                   : Py_BuildValue("(Nnn)", list_findings(&session),
                                                   session.audited, session.given_up);
    }
    maps_free(&session.maps);
    snapshot_free(&session.snapshot);
    free(session.kinds);
    return result;
}
