/* SPDX-License-Identifier: MIT */
/* Records of subclasses.
 *
 * Static subclasses live for ever: tp_subclasses of a static type is a chain of them that
 * only grows, under the process lock, and is read without it. Heap subclasses come and go,
 * so they are kept as weak references in a dict, by address: tp_subclasses of a heap type
 * is that dict. A static type has one in each interpreter, since interpreters share
 * nothing that can die; all of them are in one dict of the interpreter. */
#include "subclasses.h"

/* One link of the chain of a static type. */
struct static_subclass {
    PyTypeObject *type;
    struct static_subclass *next;
};

static bool
append_static(PyTypeObject *base, PyTypeObject *type)
{
    struct static_subclass *link = PyMem_New(struct static_subclass, 1);
    if (link == NULL) {
        return false;
    }
    *link = (struct static_subclass){type, NULL};
    struct static_subclass **place = (struct static_subclass **)&base->tp_subclasses;
    while (*place != NULL) {
        place = &(*place)->next;
    }
    __atomic_store_n(place, link, __ATOMIC_RELEASE);
    return true;
}

/* --- dicts of weak references ---------------------------------------------------------------- */

/* A key for the address of `type`, a new reference. Without memory, the key that the dict has:
 * destructors must find it. NULL without an exception if it has none. */
static PyObject *
key_of_address(PyObject *dict, const PyTypeObject *type)
{
    PyObject *key = PyLong_FromVoidPtr((void *)(uintptr_t)type), *value;
    Py_ssize_t position = 0;
    if (key != NULL) {
        return key;
    }
    PyErr_Clear();
    while (PyDict_Next(dict, &position, &key, &value)) {
        if (PyLong_AsVoidPtr(key) == type) {
            return Py_NewRef(key);
        }
    }
    return NULL;
}

/* The value under the address of `type` in a dict; a borrowed reference. */
static PyObject *
find_by_address(PyObject *dict, const PyTypeObject *type)
{
    PyObject *key = key_of_address(dict, type);
    PyObject *found = key == NULL ? NULL : PyDict_GetItemWithError(dict, key);
    Py_XDECREF(key);
    return found;
}

static void
remove_by_address(PyObject *dict, const PyTypeObject *type)
{
    PyObject *key = key_of_address(dict, type);
    if (key != NULL) {
        PyDict_Pop(dict, key, NULL);
        Py_DECREF(key);
    }
}

static bool
store_by_address(PyObject *dict, PyTypeObject *type, PyObject *value)
{
    PyObject *key = PyLong_FromVoidPtr(type);
    bool done = key != NULL && PyDict_SetItem(dict, key, value) == 0;
    Py_XDECREF(key);
    return done;
}

/* The record of heap subclasses, borrowed; NULL without an exception when there is none. */
static PyObject *
find_record(PyTypeObject *type)
{
    if (ouro_type_is_heap(type)) {
        return type->tp_subclasses;
    }
    PyObject *records = *_PyInterpreterState_Cache(_Py_CACHE_SUBCLASSES);
    return records == NULL ? NULL : find_by_address(records, type);
}

static void
store_record(PyTypeObject *type, PyObject *record)
{
    if (ouro_type_is_heap(type)) {
        type->tp_subclasses = Py_NewRef(record);
        return;
    }
    PyObject **records = _PyInterpreterState_Cache(_Py_CACHE_SUBCLASSES);
    PyObject *fresh = *records == NULL ? PyDict_New() : NULL;
    if (*records == NULL) {
        *records = fresh;
    } else {
        Py_XDECREF(fresh);
    }
    if (*records != NULL && !store_by_address(*records, type, record) &&
        PyDict_GET_SIZE(*records) == 0) {
        Py_CLEAR(*records);
    }
}

/* The same, made if need be; NULL with MemoryError. */
static PyObject *
get_record(PyTypeObject *type)
{
    PyObject *record = find_record(type);
    if (record != NULL) {
        return record;
    }
    PyObject *fresh = PyDict_New();
    if (fresh == NULL) {
        return NULL;
    }
    /* Making it may have run a collection, and that may have run code which made a subclass. */
    if (find_record(type) == NULL) {
        store_record(type, fresh);
    }
    Py_DECREF(fresh);
    return PyErr_Occurred() ? NULL : find_record(type);
}

static bool
append_heap(PyTypeObject *base, PyTypeObject *type)
{
    /* In this order: a collection that this allocation runs may destroy the last subclass,
     * and the record with it. */
    PyObject *weak = PyWeakref_NewRef((PyObject *)type, NULL);
    PyObject *record = weak == NULL ? NULL : get_record(base);
    bool done = record != NULL && store_by_address(record, type, weak);
    Py_XDECREF(weak);
    return done;
}

bool
ouro_subclasses_add(PyTypeObject *type)
{
    PyObject *bases = type->tp_bases;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(bases, i);
        bool done =
            ouro_type_is_heap(type) ? append_heap(base, type) : append_static(base, type);
        if (!done) {
            return false;
        }
    }
    return true;
}

/* The last subclass is gone. */
static void
drop_record(PyTypeObject *type)
{
    if (ouro_type_is_heap(type)) {
        PyObject *record = type->tp_subclasses;
        type->tp_subclasses = NULL;
        Py_DECREF(record);
        return;
    }
    PyObject **records = _PyInterpreterState_Cache(_Py_CACHE_SUBCLASSES);
    remove_by_address(*records, type);
    if (PyDict_GET_SIZE(*records) == 0) {
        Py_CLEAR(*records);
    }
}

static void
remove_from_record(PyTypeObject *base, PyTypeObject *type)
{
    PyObject *record = find_record(base);
    if (record != NULL) {
        remove_by_address(record, type);
        if (PyDict_GET_SIZE(record) == 0) {
            drop_record(base);
        }
    }
}

void
ouro_subclasses_remove(PyTypeObject *type)
{
    PyObject *pending = PyErr_GetRaisedException();
    PyObject *bases = type->tp_bases;
    for (Py_ssize_t i = 0; bases != NULL && i < PyTuple_GET_SIZE(bases); i++) {
        PyObject *base = PyTuple_GET_ITEM(bases, i);
        if (PyType_Check(base)) {
            remove_from_record((PyTypeObject *)base, type);
        }
    }
    PyErr_SetRaisedException(pending);
}

/* --- reading ----------------------------------------------------------------------------------- */

static int
list_static(PyObject *list, PyTypeObject *type)
{
    struct static_subclass **place = (struct static_subclass **)&type->tp_subclasses;
    struct static_subclass *link;
    while ((link = __atomic_load_n(place, __ATOMIC_ACQUIRE)) != NULL) {
        if (PyList_Append(list, (PyObject *)link->type) < 0) {
            return -1;
        }
        place = &link->next;
    }
    return 0;
}

/* Appending allocates no container: no code runs that could change the record. */
static int
list_record(PyObject *list, PyObject *record)
{
    PyObject *key, *weak;
    Py_ssize_t position = 0;
    while (PyDict_Next(record, &position, &key, &weak)) {
        PyObject *type;
        if (PyWeakref_GetRef(weak, &type) > 0) {
            int appended = PyList_Append(list, type);
            Py_DECREF(type);
            if (appended < 0) {
                return -1;
            }
        }
    }
    return 0;
}

PyObject *
ouro_subclasses_list(PyTypeObject *type)
{
    PyObject *list = PyList_New(0);
    if (list == NULL) {
        return NULL;
    }
    PyObject *record = find_record(type);
    bool done = (ouro_type_is_heap(type) || list_static(list, type) == 0) &&
                (record == NULL || list_record(list, record) == 0);
    if (!done) {
        Py_CLEAR(list);
    }
    return list;
}
