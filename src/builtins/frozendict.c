/* SPDX-License-Identifier: MIT */
/* frozendict: a dict that does not change, and can be hashed when its values can.
 *
 * Its items are collected in a dict, whose table it takes over: an unfinished frozendict is
 * never visible. */
#include "dict_object.h"

static PyFrozenDictObject *
frozen(PyObject *op)
{
    return (PyFrozenDictObject *)op;
}

PyObject *
ouro_frozendict_steal(PyTypeObject *type, PyObject *dict)
{
    PyObject *self = dict == NULL ? NULL : type->tp_alloc(type, 0);
    if (self != NULL) {
        PyDictObject *from = ouro_dict(dict), *to = ouro_dict(self);
        frozen(self)->ma_hash = -1;
        to->ma_used = from->ma_used;
        to->ma_table = from->ma_table;
        from->ma_used = 0;
        from->ma_table = NULL;
        from->ma_version++;
    }
    Py_XDECREF(dict);
    return self;
}

PyObject *
PyFrozenDict_New(PyObject *iterable)
{
    if (iterable != NULL && PyFrozenDict_CheckExact(iterable)) {
        return Py_NewRef(iterable);
    }
    PyObject *dict = PyDict_New();
    if (dict != NULL && iterable != NULL && ouro_dict_update_from(dict, iterable) < 0) {
        Py_CLEAR(dict);
    }
    return ouro_frozendict_steal(&PyFrozenDict_Type, dict);
}

static PyObject *
frozendict_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    bool one_argument =
        PyTuple_GET_SIZE(args) == 1 && (kwargs == NULL || PyDict_GET_SIZE(kwargs) == 0);
    if (type == &PyFrozenDict_Type && one_argument) {
        return PyFrozenDict_New(PyTuple_GET_ITEM(args, 0));
    }
    PyObject *dict = PyDict_New();
    if (dict != NULL && ouro_dict_update(dict, "frozendict", args, kwargs) < 0) {
        Py_CLEAR(dict);
    }
    return ouro_frozendict_steal(type, dict);
}

/* A sum over the items, so that their order does not matter. */
static Py_hash_t
frozendict_hash(PyObject *self)
{
    if (frozen(self)->ma_hash != -1) {
        return frozen(self)->ma_hash;
    }
    uint64_t sum = (uint64_t)PyDict_GET_SIZE(self);
    const struct dict_entry *entry;
    Py_ssize_t pos = 0;
    while ((entry = ouro_dict_next_entry(ouro_dict(self), &pos)) != NULL) {
        Py_hash_t value_hash = PyObject_Hash(entry->value);
        if (value_hash == -1) {
            return -1;
        }
        sum += ouro_scatter_hash(ouro_scatter_hash((uint64_t)entry->hash) +
                                 (uint64_t)value_hash);
    }
    Py_hash_t hash = (Py_hash_t)ouro_scatter_hash(sum);
    frozen(self)->ma_hash = hash == -1 ? -2 : hash;
    return frozen(self)->ma_hash;
}

static PyObject *
frozendict_repr(PyObject *self)
{
    if (PyDict_GET_SIZE(self) == 0) {
        return PyUnicode_FromFormat("%s()", Py_TYPE(self)->tp_name);
    }
    PyObject *items = ouro_dict_repr(self);
    PyObject *result =
        items == NULL ? NULL
                      : PyUnicode_FromFormat("%s(%U)", Py_TYPE(self)->tp_name, items);
    Py_XDECREF(items);
    return result;
}

static PyNumberMethods frozendict_as_number = {
    .nb_or = ouro_dict_or,
};

static PySequenceMethods frozendict_as_sequence = {
    .sq_contains = PyDict_Contains,
};

static PyMappingMethods frozendict_as_mapping = {
    .mp_length = ouro_dict_length,
    .mp_subscript = ouro_dict_subscript,
};

PyTypeObject PyFrozenDict_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "frozendict",
    .tp_basicsize = sizeof(PyFrozenDictObject),
    .tp_dealloc = ouro_dict_dealloc,
    .tp_repr = frozendict_repr,
    .tp_as_number = &frozendict_as_number,
    .tp_as_sequence = &frozendict_as_sequence,
    .tp_as_mapping = &frozendict_as_mapping,
    .tp_hash = frozendict_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_MAPPING,
    .tp_doc = "frozendict(mapping_or_pairs=(), /, **items)\n--\n\nA dict that does not "
              "change.",
    .tp_traverse = ouro_dict_traverse,
    .tp_ouro_fields = &ouro_dict_fields,
    .tp_clear = ouro_dict_clear,
    .tp_richcompare = ouro_dict_richcompare,
    .tp_iter = ouro_dict_iter,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = frozendict_new,
    .tp_free = PyObject_GC_Del,
};
