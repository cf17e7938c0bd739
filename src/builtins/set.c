/* SPDX-License-Identifier: MIT */
/* Sets, one item at a time: making, looking up, adding, removing, walking. Operations on
 * whole sets are in set_algebra.c, the slots of the types in set_type.c. */
#include "set_object.h"

#include "tracking.h"

/* --- making ------------------------------------------------------------------------------------------- */

PyObject *
ouro_set_alloc(PyTypeObject *type)
{
    PySetObject *self = (PySetObject *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->hash = -1;
    }
    return (PyObject *)self;
}

PyObject *
ouro_set_settle(PyObject *self)
{
    if (!PyFrozenSet_CheckExact(self)) {
        return self;
    }
    const struct dict_entry *entry;
    Py_ssize_t pos = 0;
    while ((entry = ouro_dict_next_entry(ouro_dict(self), &pos)) != NULL) {
        if (ouro_may_be_in_cycle(entry->key)) {
            return self;
        }
    }
    PyObject_GC_UnTrack(self);
    return self;
}

PyObject *
ouro_set_from(PyTypeObject *type, PyObject *iterable)
{
    PyObject *self = ouro_set_alloc(type);
    if (self == NULL) {
        return NULL;
    }
    if (iterable != NULL && ouro_set_update(self, iterable) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return ouro_set_settle(self);
}

PyObject *
PySet_New(PyObject *iterable)
{
    return ouro_set_from(&PySet_Type, iterable);
}

PyObject *
PyFrozenSet_New(PyObject *iterable)
{
    if (iterable != NULL && PyFrozenSet_CheckExact(iterable)) {
        return Py_NewRef(iterable);
    }
    return ouro_set_from(&PyFrozenSet_Type, iterable);
}

/* --- one item, whose hash is known ---------------------------------------------------------------------- */

int
ouro_set_has(PyObject *self, PyObject *key, Py_hash_t hash)
{
    Py_ssize_t number = ouro_dict_find(ouro_dict(self), key, hash);
    return number == -2 ? -1 : number >= 0;
}

int
ouro_set_add(PyObject *self, PyObject *key, Py_hash_t hash)
{
    Py_ssize_t number = ouro_dict_find(ouro_dict(self), key, hash);
    if (number >= 0) {
        return 0;
    }
    if (number == -2 || ouro_dict_reserve(ouro_dict(self)) < 0) {
        return -1;
    }
    ouro_dict_append(ouro_dict(self), Py_NewRef(key), hash, NULL);
    return 0;
}

/* Take out entry `number`; its item goes to the caller. */
static PyObject *
take_out_item(PyObject *self, Py_ssize_t number)
{
    PyObject *item = ouro_dict(self)->ma_table->entries[number].key;
    ouro_dict_remove(ouro_dict(self), number);
    return item;
}

int
ouro_set_discard(PyObject *self, PyObject *key, Py_hash_t hash)
{
    Py_ssize_t number = ouro_dict_find(ouro_dict(self), key, hash);
    if (number < 0) {
        return number == -2 ? -1 : 0;
    }
    Py_DECREF(take_out_item(self, number));
    return 1;
}

/* --- one item --------------------------------------------------------------------------------------------- */

static bool
require_set(bool is_right_kind)
{
    if (!is_right_kind) {
        PyErr_BadInternalCall();
    }
    return is_right_kind;
}

/* Hash `key` and hand it to one of the functions above, alive until that returns. */
static int
with_hash(int (*operation)(PyObject *, PyObject *, Py_hash_t), PyObject *set,
          PyObject *key)
{
    Py_INCREF(key);
    Py_hash_t hash = ouro_hash_key(key, "set element");
    int result = hash == -1 ? -1 : operation(set, key, hash);
    Py_DECREF(key);
    return result;
}

Py_ssize_t
PySet_Size(PyObject *anyset)
{
    return require_set(anyset != NULL && PyAnySet_Check(anyset)) ? PySet_GET_SIZE(anyset)
                                                                 : -1;
}

int
PySet_Contains(PyObject *anyset, PyObject *key)
{
    if (!require_set(anyset != NULL && PyAnySet_Check(anyset) && key != NULL)) {
        return -1;
    }
    return with_hash(ouro_set_has, anyset, key);
}

int
PySet_Add(PyObject *set, PyObject *key)
{
    bool is_new = set != NULL && PyFrozenSet_Check(set) && Py_REFCNT(set) == 1;
    if (!require_set(key != NULL && (is_new || (set != NULL && PySet_Check(set))))) {
        return -1;
    }
    if (is_new && !PyObject_GC_IsTracked(set) && ouro_may_be_in_cycle(key)) {
        PyObject_GC_Track(set);
    }
    ouro_set(set)->hash = -1;
    return with_hash(ouro_set_add, set, key);
}

int
PySet_Discard(PyObject *set, PyObject *key)
{
    if (!require_set(set != NULL && PySet_Check(set) && key != NULL)) {
        return -1;
    }
    return with_hash(ouro_set_discard, set, key);
}

PyObject *
PySet_Pop(PyObject *set)
{
    if (!require_set(set != NULL && PySet_Check(set))) {
        return NULL;
    }
    /* The last item: no other one is found as fast again and again. */
    Py_ssize_t number = PY_SSIZE_T_MAX;
    if (ouro_dict_previous_entry(ouro_dict(set), &number) == NULL) {
        PyErr_SetString(PyExc_KeyError, "pop from an empty set");
        return NULL;
    }
    return take_out_item(set, number);
}

int
PySet_Clear(PyObject *set)
{
    if (!require_set(set != NULL && PySet_Check(set))) {
        return -1;
    }
    ouro_dict_empty(ouro_dict(set));
    return 0;
}

/* --- walking ------------------------------------------------------------------------------------------------ */

PyDictObject *
ouro_set_table(PyObject *op)
{
    return PyAnySet_Check(op) || PyAnyDict_CheckExact(op) ? ouro_dict(op) : NULL;
}

int
ouro_walk_begin(struct item_walk *walk, PyObject *iterable)
{
    *walk = (struct item_walk){.table = ouro_set_table(iterable)};
    if (walk->table == NULL) {
        walk->iterator = PyObject_GetIter(iterable);
    }
    return walk->table == NULL && walk->iterator == NULL ? -1 : 0;
}

int
ouro_walk_next(struct item_walk *walk)
{
    Py_CLEAR(walk->item);
    if (walk->iterator != NULL) {
        int found = PyIter_NextItem(walk->iterator, &walk->item);
        if (found > 0) {
            walk->hash = ouro_hash_key(walk->item, "set element");
            found = walk->hash == -1 ? -1 : 1;
        }
        return found;
    }
    const struct dict_entry *entry = ouro_dict_next_entry(walk->table, &walk->pos);
    if (entry == NULL) {
        return 0;
    }
    walk->item = Py_NewRef(entry->key);
    walk->hash = entry->hash;
    return 1;
}

int
ouro_walk_end(struct item_walk *walk, int result)
{
    Py_CLEAR(walk->item);
    Py_CLEAR(walk->iterator);
    return result;
}

/* --- a set as key ----------------------------------------------------------------------------------- */

int
ouro_set_with_key(int (*operation)(PyObject *, PyObject *), PyObject *self, PyObject *key)
{
    int result = operation(self, key);
    if (result >= 0 || !PySet_Check(key) || !PyErr_ExceptionMatches(PyExc_TypeError)) {
        return result;
    }
    PyErr_Clear();
    PyObject *frozen = ouro_set_from(&PyFrozenSet_Type, key);
    if (frozen == NULL) {
        return -1;
    }
    result = operation(self, frozen);
    Py_DECREF(frozen);
    return result;
}

int
ouro_set_contains(PyObject *self, PyObject *key)
{
    return ouro_set_with_key(PySet_Contains, self, key);
}
