/* SPDX-License-Identifier: MIT */
/* The methods of dict and frozendict, for callers that go through attributes. */
#include "dict_object.h"

#include "arguments.h"
#include "method_tables.h"

/* get(key, default=None) */
static PyObject *
dict_get_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *value;
    if (!ouro_args_between("get", nargs, 1, 2) ||
        PyDict_GetItemRef(self, args[0], &value) < 0) {
        return NULL;
    }
    return value != NULL ? value : Py_NewRef(nargs > 1 ? args[1] : Py_None);
}

/* setdefault(key, default=None) */
static PyObject *
dict_setdefault_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *value;
    if (!ouro_args_between("setdefault", nargs, 1, 2) ||
        PyDict_SetDefaultRef(self, args[0], nargs > 1 ? args[1] : Py_None, &value) < 0) {
        return NULL;
    }
    return value;
}

/* pop(key[, default]) */
static PyObject *
dict_pop_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *value;
    if (!ouro_args_between("pop", nargs, 1, 2) || PyDict_Pop(self, args[0], &value) < 0) {
        return NULL;
    }
    if (value == NULL && nargs > 1) {
        return Py_NewRef(args[1]);
    }
    if (value == NULL) {
        ouro_raise_key_error(args[0]);
    }
    return value;
}

static PyObject *
dict_popitem_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    /* This comes first: it may run a collection, which may change the dict. */
    PyObject *pair = PyTuple_New(2);
    if (pair == NULL) {
        return NULL;
    }
    PyDictObject *dict = ouro_dict(self);
    Py_ssize_t last = PY_SSIZE_T_MAX;
    const struct dict_entry *entry = ouro_dict_previous_entry(dict, &last);
    if (entry == NULL) {
        Py_DECREF(pair);
        PyErr_SetString(PyExc_KeyError, "popitem(): dictionary is empty");
        return NULL;
    }
    PyTuple_SET_ITEM(pair, 0, entry->key);
    PyTuple_SET_ITEM(pair, 1, entry->value);
    ouro_dict_remove(dict, last);
    return pair;
}

static PyObject *
dict_update_method(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return ouro_dict_update(self, "update", args, kwargs) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
dict_clear_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyDict_Clear(self);
    Py_RETURN_NONE;
}

static PyObject *
dict_copy_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyDict_Copy(self);
}

/* Set all keys of an iterable; `dict` is stolen and returned. */
static PyObject *
set_all_keys(PyObject *dict, PyObject *iterable, PyObject *value)
{
    PyObject *iterator = dict == NULL ? NULL : PyObject_GetIter(iterable), *key;
    int failed = iterator == NULL ? -1 : 0;
    while (failed == 0 && (failed = PyIter_NextItem(iterator, &key)) > 0) {
        failed = PyObject_SetItem(dict, key, value);
        Py_DECREF(key);
    }
    Py_XDECREF(iterator);
    if (failed < 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

/* fromkeys(iterable, value=None). For a class that cannot be changed, the items are first
 * collected in a dict. */
static PyObject *
dict_fromkeys_method(PyObject *cls, PyObject *const *args, Py_ssize_t nargs)
{
    if (!ouro_args_between("fromkeys", nargs, 1, 2)) {
        return NULL;
    }
    PyObject *value = nargs > 1 ? args[1] : Py_None;
    if (!PyType_IsSubtype((PyTypeObject *)cls, &PyFrozenDict_Type)) {
        return set_all_keys(PyObject_CallNoArgs(cls), args[0], value);
    }
    PyObject *items = set_all_keys(PyDict_New(), args[0], value);
    PyObject *result = items == NULL ? NULL : PyObject_CallOneArg(cls, items);
    Py_XDECREF(items);
    return result;
}

static PyObject *
dict_reversed_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return ouro_dict_iterator_new(self, &PyDictRevIterKey_Type);
}

/* An exact frozendict is its own copy. */
static PyObject *
frozendict_copy_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    if (PyFrozenDict_CheckExact(self)) {
        return Py_NewRef(self);
    }
    return ouro_frozendict_steal(&PyFrozenDict_Type, ouro_dict_copy_any(self));
}

static PyObject *
dict_keys_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return ouro_dict_view_new(self, &PyDictKeys_Type);
}

static PyObject *
dict_values_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return ouro_dict_view_new(self, &PyDictValues_Type);
}

static PyObject *
dict_items_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return ouro_dict_view_new(self, &PyDictItems_Type);
}

static PyObject *
dict_sizeof_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    size_t own = (size_t)Py_TYPE(self)->tp_basicsize;
    return PyLong_FromSize_t(own + ouro_dict_table_bytes(ouro_dict(self)->ma_table));
}

/* clang-format off */
#define OURO_METHODS_THAT_READ                                                           \
    {"__sizeof__", dict_sizeof_method, METH_NOARGS, "Return the size in bytes."},        \
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,                          \
     "Return the type with its parameters filled in."},                                  \
    {"__reversed__", dict_reversed_method, METH_NOARGS,                                  \
     "Return an iterator over the keys that goes backwards."},                           \
    {"fromkeys", _PyCFunction_CAST(dict_fromkeys_method), METH_FASTCALL | METH_CLASS,    \
     "Return a new dict with keys of an iterable, all with one value."},                 \
    {"get", _PyCFunction_CAST(dict_get_method), METH_FASTCALL,                           \
     "Return the value of a key, or a default."},                                        \
    {"items", dict_items_method, METH_NOARGS, "Return a view on the items."},            \
    {"keys", dict_keys_method, METH_NOARGS, "Return a view on the keys."},               \
    {"values", dict_values_method, METH_NOARGS, "Return a view on the values."}
/* clang-format on */

PyMethodDef ouro_dict_methods[] = {
    OURO_METHODS_THAT_READ,
    {"clear", dict_clear_method, METH_NOARGS, "Remove all items from the dict."},
    {"copy", dict_copy_method, METH_NOARGS, "Return a shallow copy of the dict."},
    {"pop", _PyCFunction_CAST(dict_pop_method), METH_FASTCALL,
     "Remove a key and return its value, or a default."},
    {"popitem", dict_popitem_method, METH_NOARGS, "Remove and return the last item."},
    {"setdefault", _PyCFunction_CAST(dict_setdefault_method), METH_FASTCALL,
     "Return the value of a key, inserting a default if need be."},
    {"update", _PyCFunction_CAST(dict_update_method), METH_VARARGS | METH_KEYWORDS,
     "Copy items from a mapping or an iterable of pairs."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef ouro_frozendict_methods[] = {
    OURO_METHODS_THAT_READ,
    {"copy", frozendict_copy_method, METH_NOARGS, "Return a shallow copy."},
    {NULL, NULL, 0, NULL},
};
