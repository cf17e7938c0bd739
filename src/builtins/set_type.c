/* SPDX-License-Identifier: MIT */
/* The types set and frozenset: memory and slots. */
#include "set_object.h"

#include "arguments.h"

/* --- memory --------------------------------------------------------------------------------------------- */

static int
set_traverse(PyObject *self, visitproc visit, void *arg)
{
    const struct dict_entry *entry;
    Py_ssize_t pos = 0;
    while ((entry = ouro_dict_next_entry(ouro_dict(self), &pos)) != NULL) {
        Py_VISIT(entry->key);
    }
    return 0;
}

static Py_ssize_t
set_traverse_part(PyObject *self, Py_ssize_t from, visitproc visit, void *arg)
{
    const struct dict_entry *entry = NULL;
    Py_ssize_t pos = from;
    for (int i = 0; i < _Py_TRAVERSE_PART; i++) {
        entry = ouro_dict_next_entry(ouro_dict(self), &pos);
        if (entry == NULL) {
            return -1;
        }
        Py_VISIT(entry->key);
    }
    return pos;
}

static int
set_clear(PyObject *self)
{
    ouro_dict_empty(ouro_dict(self));
    return 0;
}

static void
set_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    if (ouro_set(self)->weakreflist != NULL) {
        PyObject_ClearWeakRefs(self);
    }
    ouro_dict_empty(ouro_dict(self));
    Py_TYPE(self)->tp_free(self);
}

static const Ouro_Fields set_fields = {
    .list = ouro_dict_list, .clear = set_clear, .dealloc = set_dealloc};

static PyObject *
set_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    return ouro_set_alloc(type);
}

static int
set_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (!ouro_args_positional("set", kwargs) ||
        !ouro_args_between("set", PyTuple_GET_SIZE(args), 0, 1)) {
        return -1;
    }
    ouro_dict_empty(ouro_dict(self));
    return PyTuple_GET_SIZE(args) == 0 ? 0
                                       : ouro_set_update(self, PyTuple_GET_ITEM(args, 0));
}

/* Keyword arguments are for the tp_init of a subclass. */
static PyObject *
frozenset_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if ((type->tp_init == PyFrozenSet_Type.tp_init &&
         !ouro_args_positional("frozenset", kwargs)) ||
        !ouro_args_between("frozenset", PyTuple_GET_SIZE(args), 0, 1)) {
        return NULL;
    }
    PyObject *iterable = PyTuple_GET_SIZE(args) == 0 ? NULL : PyTuple_GET_ITEM(args, 0);
    return type == &PyFrozenSet_Type ? PyFrozenSet_New(iterable)
                                     : ouro_set_from(type, iterable);
}

/* --- hashing, printing, comparing ------------------------------------------------------------------------- */

/* A sum, so that the order of the items does not matter. */
static Py_hash_t
frozenset_hash(PyObject *self)
{
    if (ouro_set(self)->hash != -1) {
        return ouro_set(self)->hash;
    }
    uint64_t sum = (uint64_t)PySet_GET_SIZE(self);
    const struct dict_entry *entry;
    Py_ssize_t pos = 0;
    while ((entry = ouro_dict_next_entry(ouro_dict(self), &pos)) != NULL) {
        sum += ouro_scatter_hash((uint64_t)entry->hash + 0x9E3779B97F4A7C15u);
    }
    Py_hash_t hash = (Py_hash_t)ouro_scatter_hash(sum);
    hash = hash == -1 ? -2 : hash;
    ouro_set(self)->hash = hash;
    return hash;
}

/* The items between braces. */
static int
write_items(PyUnicodeWriter *writer, PyObject *items)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++) {
        if (PyUnicodeWriter_WriteASCII(writer, i == 0 ? "{" : ", ", i == 0 ? 1 : 2) < 0 ||
            PyUnicodeWriter_WriteRepr(writer, PyTuple_GET_ITEM(items, i)) < 0) {
            return -1;
        }
    }
    return PyUnicodeWriter_WriteChar(writer, '}');
}

static PyObject *
repr_of_items(PyObject *self, PyObject *items)
{
    bool is_plain = PySet_CheckExact(self);
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(PyTuple_GET_SIZE(items) * 3);
    if (writer == NULL) {
        return NULL;
    }
    if ((!is_plain &&
         PyUnicodeWriter_Format(writer, "%s(", Py_TYPE(self)->tp_name) < 0) ||
        write_items(writer, items) < 0 ||
        (!is_plain && PyUnicodeWriter_WriteChar(writer, ')') < 0)) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}

static PyObject *
set_repr(PyObject *self)
{
    int entered = Py_ReprEnter(self);
    if (entered != 0) {
        return entered < 0 ? NULL
                           : PyUnicode_FromFormat("%s(...)", Py_TYPE(self)->tp_name);
    }
    /* These items are printed, whatever printing an item does to the set. */
    PyObject *items = PySequence_Tuple(self);
    PyObject *result = NULL;
    if (items != NULL) {
        result = PyTuple_GET_SIZE(items) == 0
                     ? PyUnicode_FromFormat("%s()", Py_TYPE(self)->tp_name)
                     : repr_of_items(self, items);
        Py_DECREF(items);
    }
    Py_ReprLeave(self);
    return result;
}

static int
sets_are_equal(PyObject *a, PyObject *b)
{
    Py_hash_t x = ouro_set(a)->hash, y = ouro_set(b)->hash;
    if (PySet_GET_SIZE(a) != PySet_GET_SIZE(b) || (x != -1 && y != -1 && x != y)) {
        return 0;
    }
    return ouro_set_is_subset(a, b);
}

static PyObject *
set_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyAnySet_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int answer;
    switch (op) {
    case Py_EQ:
    case Py_NE:
        answer = sets_are_equal(a, b);
        break;
    case Py_LT:
    case Py_GT:
        answer = PySet_GET_SIZE(a) == PySet_GET_SIZE(b) ? 0
                 : op == Py_LT                          ? ouro_set_is_subset(a, b)
                                                        : ouro_set_is_superset(a, b);
        break;
    default:
        answer = op == Py_LE ? ouro_set_is_subset(a, b) : ouro_set_is_superset(a, b);
        break;
    }
    return answer < 0 ? NULL : PyBool_FromLong(op == Py_NE ? !answer : answer);
}

static Py_ssize_t
set_length(PyObject *self)
{
    return PySet_GET_SIZE(self);
}

static PyObject *
set_iter(PyObject *self)
{
    return ouro_dict_iterator_new(self, &PySetIter_Type);
}

/* --- operators: between sets only -------------------------------------------------------------------------- */

static PyObject *
operate_on_sets(PyObject *a, PyObject *b, PyObject *(*combine)(PyObject *, PyObject *))
{
    if (!PyAnySet_Check(a) || !PyAnySet_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return combine(a, b);
}

static PyObject *
unite_two(PyObject *a, PyObject *b)
{
    return ouro_set_union(a, &b, 1);
}

static PyObject *
set_or(PyObject *a, PyObject *b)
{
    return operate_on_sets(a, b, unite_two);
}

static PyObject *
set_and(PyObject *a, PyObject *b)
{
    return operate_on_sets(a, b, ouro_set_intersection);
}

static PyObject *
set_subtract(PyObject *a, PyObject *b)
{
    return operate_on_sets(a, b, ouro_set_difference);
}

static PyObject *
set_xor(PyObject *a, PyObject *b)
{
    return operate_on_sets(a, b, ouro_set_symmetric_difference);
}

static PyObject *
change_set_with(PyObject *self, PyObject *other, int (*update)(PyObject *, PyObject *))
{
    if (!PyAnySet_Check(other)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return update(self, other) < 0 ? NULL : Py_NewRef(self);
}

static PyObject *
set_inplace_or(PyObject *self, PyObject *other)
{
    return change_set_with(self, other, ouro_set_update);
}

static PyObject *
set_inplace_and(PyObject *self, PyObject *other)
{
    return change_set_with(self, other, ouro_set_intersection_update);
}

static PyObject *
set_inplace_subtract(PyObject *self, PyObject *other)
{
    return change_set_with(self, other, ouro_set_difference_update);
}

static PyObject *
set_inplace_xor(PyObject *self, PyObject *other)
{
    return change_set_with(self, other, ouro_set_symmetric_difference_update);
}

static PyNumberMethods set_as_number = {
    .nb_subtract = set_subtract,
    .nb_and = set_and,
    .nb_xor = set_xor,
    .nb_or = set_or,
    .nb_inplace_subtract = set_inplace_subtract,
    .nb_inplace_and = set_inplace_and,
    .nb_inplace_xor = set_inplace_xor,
    .nb_inplace_or = set_inplace_or,
};

static PyNumberMethods frozenset_as_number = {
    .nb_subtract = set_subtract,
    .nb_and = set_and,
    .nb_xor = set_xor,
    .nb_or = set_or,
};

static PySequenceMethods set_as_sequence = {
    .sq_length = set_length,
    .sq_contains = ouro_set_contains,
};

PyTypeObject PySet_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "set",
    .tp_basicsize = sizeof(PySetObject),
    .tp_dealloc = set_dealloc,
    .tp_repr = set_repr,
    .tp_as_number = &set_as_number,
    .tp_as_sequence = &set_as_sequence,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "set(iterable=(), /)\n--\n\nObjects that can be hashed, each once.",
    .tp_traverse = set_traverse,
    .tp_ouro_traverse_part = set_traverse_part,
    .tp_ouro_fields = &set_fields,
    .tp_clear = set_clear,
    .tp_richcompare = set_richcompare,
    .tp_weaklistoffset = offsetof(PySetObject, weakreflist),
    .tp_iter = set_iter,
    .tp_init = set_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = set_new,
    .tp_free = PyObject_GC_Del,
};

PyTypeObject PyFrozenSet_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "frozenset",
    .tp_basicsize = sizeof(PySetObject),
    .tp_dealloc = set_dealloc,
    .tp_repr = set_repr,
    .tp_as_number = &frozenset_as_number,
    .tp_as_sequence = &set_as_sequence,
    .tp_hash = frozenset_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "frozenset(iterable=(), /)\n--\n\nA set that does not change.",
    .tp_traverse = set_traverse,
    .tp_ouro_traverse_part = set_traverse_part,
    .tp_ouro_fields = &set_fields,
    .tp_clear = set_clear,
    .tp_richcompare = set_richcompare,
    .tp_weaklistoffset = offsetof(PySetObject, weakreflist),
    .tp_iter = set_iter,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = frozenset_new,
    .tp_free = PyObject_GC_Del,
};
