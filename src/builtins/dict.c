/* SPDX-License-Identifier: MIT */
/* dict objects: looking up, changing, walking. The table is in dict_table.c, the slots of
 * the type in dict_type.c, views and iterators in dict_views.c. */
#include "dict_object.h"

/* --- lookup -------------------------------------------------------------------------------------------- */

/* What is at an entry with the right hash? */
enum match { MATCH_NO, MATCH_YES, MATCH_ERROR, MATCH_CHANGED };

/* Compare by ==, which may run any code: MATCH_CHANGED when that changed the dict. */
static enum match
compare_key(PyDictObject *self, PyObject *stored, PyObject *key)
{
    uint64_t version = self->ma_version;
    Py_INCREF(stored);
    int equal = PyObject_RichCompareBool(stored, key, Py_EQ);
    Py_DECREF(stored);
    if (equal < 0) {
        return MATCH_ERROR;
    }
    if (version != self->ma_version) {
        return MATCH_CHANGED;
    }
    return equal ? MATCH_YES : MATCH_NO;
}

static enum match
match_entry(PyDictObject *self, const struct dict_entry *entry, PyObject *key,
            Py_hash_t hash)
{
    if (entry->key == key) {
        return MATCH_YES;
    }
    if (entry->hash != hash) {
        return MATCH_NO;
    }
    if (PyUnicode_CheckExact(key) && PyUnicode_CheckExact(entry->key)) {
        return PyUnicode_Equal(entry->key, key) ? MATCH_YES : MATCH_NO;
    }
    return compare_key(self, entry->key, key);
}

/* A search through one table; -3 when the dict changed meanwhile. */
static Py_ssize_t
search_table(PyDictObject *self, PyObject *key, Py_hash_t hash)
{
    struct ouro_dict_table *table = self->ma_table;
    if (table == NULL) {
        return -1;
    }
    struct dict_search search = ouro_dict_search_begin(table, hash);
    while (true) {
        Py_ssize_t number = ouro_dict_place(table, search.place);
        if (number == OURO_DICT_EMPTY) {
            return -1;
        }
        if (number >= 0) {
            switch (match_entry(self, &table->entries[number], key, hash)) {
            case MATCH_YES:
                return number;
            case MATCH_ERROR:
                return -2;
            case MATCH_CHANGED:
                return -3;
            case MATCH_NO:
                break;
            }
        }
        ouro_dict_search_next(&search);
    }
}

Py_ssize_t
ouro_dict_find(PyDictObject *self, PyObject *key, Py_hash_t hash)
{
    Py_ssize_t number;
    do {
        number = search_table(self, key, hash);
    } while (number == -3);
    return number;
}

/* Say for what purpose an unhashable object was used. */
static void
explain_unhashable(PyObject *key, const char *role)
{
    PyObject *raised = PyErr_GetRaisedException();
    if (!Py_IS_TYPE(raised, (PyTypeObject *)PyExc_TypeError)) {
        PyErr_SetRaisedException(raised);
        return;
    }
    PyErr_Format(PyExc_TypeError, "cannot use '%.200s' as a %s (%S)",
                 Py_TYPE(key)->tp_name, role, raised);
    Py_DECREF(raised);
}

Py_hash_t
ouro_hash_key(PyObject *key, const char *role)
{
    if (PyUnicode_CheckExact(key)) {
        /* Strings have theirs with them. */
        Py_hash_t hash = __atomic_load_n(&((PyASCIIObject *)key)->hash, __ATOMIC_RELAXED);
        if (hash != -1) {
            return hash;
        }
    }
    Py_hash_t hash = PyObject_Hash(key);
    if (hash == -1) {
        explain_unhashable(key, role);
    }
    return hash;
}

static bool
require_dict(PyObject *op)
{
    if (op != NULL && PyDict_Check(op)) {
        return true;
    }
    PyErr_BadInternalCall();
    return false;
}

/* These also read a frozendict. */
static bool
require_any_dict(PyObject *op)
{
    if (op != NULL && PyAnyDict_Check(op)) {
        return true;
    }
    PyErr_BadInternalCall();
    return false;
}

/* Number of the entry of `key`; -1 when missing, -2 with an exception. */
static Py_ssize_t
find_key(PyObject *mp, PyObject *key)
{
    if (!require_any_dict(mp) || key == NULL) {
        PyErr_BadInternalCall();
        return -2;
    }
    Py_hash_t hash = ouro_hash_key(key, PyDict_Check(mp) ? "dict key" : "frozendict key");
    return hash == -1 ? -2 : ouro_dict_find(ouro_dict(mp), key, hash);
}

static struct dict_entry *
entry_of(PyObject *mp, Py_ssize_t number)
{
    return &ouro_dict(mp)->ma_table->entries[number];
}

/* --- getting ------------------------------------------------------------------------------------------- */

int
PyDict_Contains(PyObject *mp, PyObject *key)
{
    Py_ssize_t number = find_key(mp, key);
    return number == -2 ? -1 : number >= 0;
}

int
PyDict_GetItemRef(PyObject *mp, PyObject *key, PyObject **result)
{
    Py_ssize_t number = find_key(mp, key);
    *result = number >= 0 ? Py_NewRef(entry_of(mp, number)->value) : NULL;
    return number == -2 ? -1 : number >= 0;
}

PyObject *
PyDict_GetItemWithError(PyObject *mp, PyObject *key)
{
    Py_ssize_t number = find_key(mp, key);
    return number >= 0 ? entry_of(mp, number)->value : NULL;
}

PyObject *
_PyDict_GetItem_KnownHash(PyObject *mp, PyObject *key, Py_hash_t hash)
{
    if (!require_any_dict(mp)) {
        return NULL;
    }
    Py_ssize_t number = ouro_dict_find(ouro_dict(mp), key, hash);
    return number >= 0 ? entry_of(mp, number)->value : NULL;
}

/* Wrong arguments and failing comparisons are reported as unraisable, not raised: callers do
 * not check. A pending exception is kept. */
PyObject *
PyDict_GetItem(PyObject *mp, PyObject *key)
{
    if (mp == NULL || !PyAnyDict_Check(mp)) {
        return NULL;
    }
    PyObject *pending = PyErr_GetRaisedException();
    PyObject *value = PyDict_GetItemWithError(mp, key);
    if (value == NULL && PyErr_Occurred()) {
        PyErr_FormatUnraisable(
            "in PyDict_GetItem(); consider using PyDict_GetItemRef() or "
            "PyDict_GetItemWithError()");
    }
    PyErr_SetRaisedException(pending);
    return value;
}

/* --- changing ------------------------------------------------------------------------------------------ */

/* Insert or replace; both references are stolen, also on failure. */
static int
insert_item(PyDictObject *self, PyObject *key, Py_hash_t hash, PyObject *value)
{
    Py_ssize_t number = ouro_dict_find(self, key, hash);
    if (number >= 0) {
        struct dict_entry *entry = &self->ma_table->entries[number];
        PyObject *old = entry->value;
        entry->value = value;
        Py_DECREF(old);
        Py_DECREF(key);
        return 0;
    }
    if (number == -2 || ouro_dict_reserve(self) < 0) {
        Py_DECREF(key);
        Py_DECREF(value);
        return -1;
    }
    ouro_dict_append(self, key, hash, value);
    return 0;
}

int
_PyDict_SetItem_KnownHash(PyObject *mp, PyObject *key, PyObject *value, Py_hash_t hash)
{
    if (!require_dict(mp) || key == NULL || value == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    return insert_item(ouro_dict(mp), Py_NewRef(key), hash, Py_NewRef(value));
}

int
PyDict_SetItem(PyObject *mp, PyObject *key, PyObject *value)
{
    if (!require_dict(mp) || key == NULL || value == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    /* Own the key before hashing: __hash__ may drop the caller's reference. */
    Py_INCREF(key);
    Py_INCREF(value);
    Py_hash_t hash = ouro_hash_key(key, "dict key");
    if (hash == -1) {
        Py_DECREF(key);
        Py_DECREF(value);
        return -1;
    }
    return insert_item(ouro_dict(mp), key, hash, value);
}

int
PyDict_SetDefaultRef(PyObject *mp, PyObject *key, PyObject *default_value,
                     PyObject **result)
{
    if (result != NULL) {
        *result = NULL;
    }
    if (!require_dict(mp) || key == NULL || default_value == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    Py_hash_t hash = ouro_hash_key(key, "dict key");
    Py_ssize_t number = hash == -1 ? -2 : ouro_dict_find(ouro_dict(mp), key, hash);
    if (number == -2 || (number == -1 && ouro_dict_reserve(ouro_dict(mp)) < 0)) {
        return -1;
    }
    if (number == -1) {
        ouro_dict_append(ouro_dict(mp), Py_NewRef(key), hash, Py_NewRef(default_value));
    }
    if (result != NULL) {
        *result = Py_NewRef(number >= 0 ? entry_of(mp, number)->value : default_value);
    }
    return number >= 0;
}

PyObject *
PyDict_SetDefault(PyObject *mp, PyObject *key, PyObject *default_value)
{
    PyObject *value;
    if (PyDict_SetDefaultRef(mp, key, default_value, &value) < 0) {
        return NULL;
    }
    Py_DECREF(value); /* the dict holds it */
    return value;
}

int
PyDict_Pop(PyObject *mp, PyObject *key, PyObject **result)
{
    if (result != NULL) {
        *result = NULL;
    }
    Py_ssize_t number = require_dict(mp) ? find_key(mp, key) : -2;
    if (number < 0) {
        return number == -2 ? -1 : 0;
    }
    struct dict_entry gone = *entry_of(mp, number);
    ouro_dict_remove(ouro_dict(mp), number);
    if (result != NULL) {
        *result = gone.value;
    } else {
        Py_DECREF(gone.value);
    }
    Py_DECREF(gone.key);
    return 1;
}

int
PyDict_DelItem(PyObject *mp, PyObject *key)
{
    int found = PyDict_Pop(mp, key, NULL);
    if (found == 0) {
        ouro_raise_key_error(key);
    }
    return found > 0 ? 0 : -1;
}

void
ouro_raise_key_error(PyObject *key)
{
    /* In a tuple, because a key that is a tuple would be taken for the arguments. */
    PyObject *args = PyTuple_Pack(1, key);
    if (args != NULL) {
        PyErr_SetObject(PyExc_KeyError, args);
        Py_DECREF(args);
    }
}

/* Take the table away, then release what is in it. */
void
ouro_dict_empty(PyDictObject *self)
{
    struct ouro_dict_table *table = self->ma_table;
    if (table == NULL) {
        return;
    }
    self->ma_table = NULL;
    self->ma_used = 0;
    self->ma_version++;
    for (Py_ssize_t i = 0; i < table->count; i++) {
        Py_XDECREF(table->entries[i].key);
        Py_XDECREF(table->entries[i].value);
    }
    ouro_dict_table_free(table);
}

void
PyDict_Clear(PyObject *mp)
{
    if (mp != NULL && PyDict_Check(mp)) {
        ouro_dict_empty(ouro_dict(mp));
    }
}

/* --- with keys that are C strings ------------------------------------------------------------------------ */

int
PyDict_ContainsString(PyObject *mp, const char *key)
{
    PyObject *name = PyUnicode_FromString(key);
    int result = name == NULL ? -1 : PyDict_Contains(mp, name);
    Py_XDECREF(name);
    return result;
}

int
PyDict_GetItemStringRef(PyObject *mp, const char *key, PyObject **result)
{
    PyObject *name = PyUnicode_FromString(key);
    if (name == NULL) {
        *result = NULL;
        return -1;
    }
    int found = PyDict_GetItemRef(mp, name, result);
    Py_DECREF(name);
    return found;
}

PyObject *
_PyDict_GetItemStringWithError(PyObject *mp, const char *key)
{
    PyObject *name = PyUnicode_FromString(key);
    PyObject *value = name == NULL ? NULL : PyDict_GetItemWithError(mp, name);
    Py_XDECREF(name);
    return value;
}

PyObject *
PyDict_GetItemString(PyObject *mp, const char *key)
{
    PyObject *pending = PyErr_GetRaisedException();
    PyObject *name = PyUnicode_FromString(key);
    PyObject *value = name == NULL ? NULL : PyDict_GetItem(mp, name);
    if (name == NULL) {
        PyErr_FormatUnraisable("in PyDict_GetItemString()");
    }
    Py_XDECREF(name);
    PyErr_SetRaisedException(pending);
    return value;
}

int
PyDict_SetItemString(PyObject *mp, const char *key, PyObject *value)
{
    PyObject *name = PyUnicode_FromString(key);
    if (name == NULL) {
        return -1;
    }
    PyUnicode_InternInPlace(&name);
    int result = PyDict_SetItem(mp, name, value);
    Py_DECREF(name);
    return result;
}

int
PyDict_DelItemString(PyObject *mp, const char *key)
{
    PyObject *name = PyUnicode_FromString(key);
    int result = name == NULL ? -1 : PyDict_DelItem(mp, name);
    Py_XDECREF(name);
    return result;
}

int
PyDict_PopString(PyObject *mp, const char *key, PyObject **result)
{
    PyObject *name = PyUnicode_FromString(key);
    if (name == NULL) {
        if (result != NULL) {
            *result = NULL;
        }
        return -1;
    }
    int found = PyDict_Pop(mp, name, result);
    Py_DECREF(name);
    return found;
}

/* --- all items ------------------------------------------------------------------------------------------- */

Py_ssize_t
PyDict_Size(PyObject *mp)
{
    return require_any_dict(mp) ? PyDict_GET_SIZE(mp) : -1;
}

int
PyDict_Next(PyObject *mp, Py_ssize_t *pos, PyObject **key, PyObject **value)
{
    if (mp == NULL || !PyAnyDict_Check(mp) || *pos < 0) {
        return 0;
    }
    const struct dict_entry *entry = ouro_dict_next_entry(ouro_dict(mp), pos);
    if (entry == NULL) {
        return 0;
    }
    if (key != NULL) {
        *key = entry->key;
    }
    if (value != NULL) {
        *value = entry->value;
    }
    return 1;
}

enum part { PART_KEY, PART_VALUE, PART_ITEM };

/* A list of keys, values or items. Making the pairs may run a collection, which may change the
 * dict; then it starts again. */
static PyObject *
list_parts(PyObject *mp, enum part part)
{
    if (!require_any_dict(mp)) {
        return NULL;
    }
    Py_ssize_t size;
    PyObject *list = NULL;
    do {
        Py_XDECREF(list);
        size = PyDict_GET_SIZE(mp);
        list = PyList_New(size);
        for (Py_ssize_t i = 0; part == PART_ITEM && list != NULL && i < size; i++) {
            PyObject *pair = PyTuple_New(2);
            if (pair == NULL) {
                Py_CLEAR(list);
            } else {
                PyList_SET_ITEM(list, i, pair);
            }
        }
        if (list == NULL) {
            return NULL;
        }
    } while (size != PyDict_GET_SIZE(mp));

    PyObject *key, *value;
    for (Py_ssize_t i = 0, pos = 0; PyDict_Next(mp, &pos, &key, &value); i++) {
        if (part == PART_ITEM) {
            PyTuple_SET_ITEM(PyList_GET_ITEM(list, i), 0, Py_NewRef(key));
            PyTuple_SET_ITEM(PyList_GET_ITEM(list, i), 1, Py_NewRef(value));
        } else {
            PyList_SET_ITEM(list, i, Py_NewRef(part == PART_KEY ? key : value));
        }
    }
    return list;
}

PyObject *
PyDict_Keys(PyObject *mp)
{
    return list_parts(mp, PART_KEY);
}

PyObject *
PyDict_Values(PyObject *mp)
{
    return list_parts(mp, PART_VALUE);
}

PyObject *
PyDict_Items(PyObject *mp)
{
    return list_parts(mp, PART_ITEM);
}
