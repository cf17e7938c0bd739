/* SPDX-License-Identifier: MIT */
/* The views that keys(), values() and items() return: they show whatever the dict holds at
 * the moment. What they have in common with sets is in dict_view_sets.c. */
#include "dict_object.h"

struct dict_view {
    PyObject_HEAD
    PyObject *dict; /* owned */
};

PyObject *
ouro_dict_view_new(PyObject *dict, PyTypeObject *type)
{
    struct dict_view *self = PyObject_GC_New(struct dict_view, type);
    if (self == NULL) {
        return NULL;
    }
    self->dict = Py_NewRef(dict);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

static PyObject *
dict_of_view(PyObject *self)
{
    return ((struct dict_view *)self)->dict;
}

static int
dict_view_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(dict_of_view(self));
    return 0;
}

static void
dict_view_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_DECREF(dict_of_view(self));
    PyObject_GC_Del(self);
}

static Py_ssize_t
dict_view_length(PyObject *self)
{
    return PyDict_GET_SIZE(dict_of_view(self));
}

static PyObject *
dict_view_repr(PyObject *self)
{
    int entered = Py_ReprEnter(self);
    if (entered != 0) {
        return entered > 0 ? PyUnicode_FromString("...") : NULL;
    }
    PyObject *list = PySequence_List(self);
    PyObject *result = list == NULL
                           ? NULL
                           : PyUnicode_FromFormat("%s(%R)", Py_TYPE(self)->tp_name, list);
    Py_XDECREF(list);
    Py_ReprLeave(self);
    return result;
}

static PyObject *
dict_keys_iter(PyObject *self)
{
    return ouro_dict_iterator_new(dict_of_view(self), &PyDictIterKey_Type);
}

static PyObject *
dict_values_iter(PyObject *self)
{
    return ouro_dict_iterator_new(dict_of_view(self), &PyDictIterValue_Type);
}

static PyObject *
dict_items_iter(PyObject *self)
{
    return ouro_dict_iterator_new(dict_of_view(self), &PyDictIterItem_Type);
}

static int
dict_keys_contains(PyObject *self, PyObject *key)
{
    return PyDict_Contains(dict_of_view(self), key);
}

static int
dict_items_contains(PyObject *self, PyObject *pair)
{
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        return 0;
    }
    PyObject *value;
    int found = PyDict_GetItemRef(dict_of_view(self), PyTuple_GET_ITEM(pair, 0), &value);
    if (found > 0) {
        found = PyObject_RichCompareBool(value, PyTuple_GET_ITEM(pair, 1), Py_EQ);
        Py_DECREF(value);
    }
    return found;
}

/* The views of keys and items compare like sets: a <= b when b has all of a. */
static int
dict_view_is_within(PyObject *a, PyObject *b)
{
    PyObject *iterator = PyObject_GetIter(a), *item;
    int within = iterator == NULL ? -1 : 1;
    while (within > 0 && (item = PyIter_Next(iterator)) != NULL) {
        within = PySequence_Contains(b, item);
        Py_DECREF(item);
    }
    Py_XDECREF(iterator);
    return PyErr_Occurred() ? -1 : within;
}

static PyObject *
dict_view_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!Py_IS_TYPE(b, &PyDictKeys_Type) && !Py_IS_TYPE(b, &PyDictItems_Type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    Py_ssize_t na = dict_view_length(a), nb = dict_view_length(b);
    int result;
    switch (op) {
    case Py_EQ:
    case Py_NE:
        result = na == nb ? dict_view_is_within(a, b) : 0;
        break;
    case Py_LT:
    case Py_LE:
        result = na < nb + (op == Py_LE) ? dict_view_is_within(a, b) : 0;
        break;
    default:
        result = nb < na + (op == Py_GE) ? dict_view_is_within(b, a) : 0;
        break;
    }
    return result < 0 ? NULL : PyBool_FromLong(op == Py_NE ? !result : result);
}

static PySequenceMethods dict_keys_as_sequence = {
    .sq_length = dict_view_length,
    .sq_contains = dict_keys_contains,
};

static PySequenceMethods dict_values_as_sequence = {
    .sq_length = dict_view_length,
};

static PySequenceMethods dict_items_as_sequence = {
    .sq_length = dict_view_length,
    .sq_contains = dict_items_contains,
};

#define DICT_VIEW_TYPE(what_, richcompare_)                                              \
    {                                                                                    \
        PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "dict_" #what_,                 \
                                            .tp_basicsize = sizeof(struct dict_view),    \
                                            .tp_dealloc = dict_view_dealloc,             \
                                            .tp_repr = dict_view_repr,                   \
                                            .tp_as_sequence =                            \
                                                &dict_##what_##_as_sequence,             \
                                            .tp_getattro = PyObject_GenericGetAttr,      \
                                            .tp_flags =                                  \
                                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, \
                                            .tp_traverse = dict_view_traverse,           \
                                            .tp_richcompare = richcompare_,              \
                                            .tp_iter = dict_##what_##_iter,              \
                                            .tp_free = PyObject_GC_Del,                  \
    }

PyTypeObject PyDictKeys_Type = DICT_VIEW_TYPE(keys, dict_view_richcompare);
PyTypeObject PyDictValues_Type = DICT_VIEW_TYPE(values, NULL);
PyTypeObject PyDictItems_Type = DICT_VIEW_TYPE(items, dict_view_richcompare);
