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

static PyObject *
dict_keys_reversed(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return ouro_dict_iterator_new(dict_of_view(self), &PyDictRevIterKey_Type);
}

static PyObject *
dict_values_reversed(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return ouro_dict_iterator_new(dict_of_view(self), &PyDictRevIterValue_Type);
}

static PyObject *
dict_items_reversed(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return ouro_dict_iterator_new(dict_of_view(self), &PyDictRevIterItem_Type);
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

/* clang-format off */
#define OURO_REVERSED_METHOD(function_)                                                  \
    {"__reversed__", (function_), METH_NOARGS, "Return an iterator that goes backwards."}
#define OURO_ISDISJOINT_METHOD                                                           \
    {"isdisjoint", ouro_dict_view_isdisjoint, METH_O,                                    \
     "Has the view no item in common with an iterable?"}
#define OURO_END_OF_METHODS {NULL, NULL, 0, NULL}
/* clang-format on */

static PyMethodDef dict_keys_methods[] = {
    OURO_ISDISJOINT_METHOD,
    OURO_REVERSED_METHOD(dict_keys_reversed),
    OURO_END_OF_METHODS,
};

static PyMethodDef dict_values_methods[] = {
    OURO_REVERSED_METHOD(dict_values_reversed),
    OURO_END_OF_METHODS,
};

static PyMethodDef dict_items_methods[] = {
    OURO_ISDISJOINT_METHOD,
    OURO_REVERSED_METHOD(dict_items_reversed),
    OURO_END_OF_METHODS,
};

static PyObject *
dict_view_mapping(PyObject *self, void *Py_UNUSED(closure))
{
    return PyDictProxy_New(dict_of_view(self));
}

static PyGetSetDef dict_view_getset[] = {
    {"mapping", dict_view_mapping, NULL, "The dict of the view, read-only.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* clang-format off */
#define OURO_DICT_VIEW(what_, as_number_, richcompare_)                                  \
    {                                                                                    \
        PyVarObject_HEAD_INIT(&PyType_Type, 0)                                           \
        .tp_name = "dict_" #what_,                                                       \
        .tp_basicsize = sizeof(struct dict_view),                                        \
        .tp_dealloc = dict_view_dealloc,                                                 \
        .tp_repr = dict_view_repr,                                                       \
        .tp_as_number = (as_number_),                                                    \
        .tp_as_sequence = &dict_##what_##_as_sequence,                                   \
        .tp_getattro = PyObject_GenericGetAttr,                                          \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |                            \
                    Py_TPFLAGS_DISALLOW_INSTANTIATION,                                   \
        .tp_traverse = dict_view_traverse,                                               \
        .tp_richcompare = (richcompare_),                                                \
        .tp_iter = dict_##what_##_iter,                                                  \
        .tp_methods = dict_##what_##_methods,                                            \
        .tp_getset = dict_view_getset,                                                   \
        .tp_free = PyObject_GC_Del,                                                      \
    }

PyTypeObject PyDictKeys_Type =
    OURO_DICT_VIEW(keys, &ouro_dict_view_as_number, ouro_dict_view_richcompare);
PyTypeObject PyDictValues_Type = OURO_DICT_VIEW(values, NULL, NULL);
PyTypeObject PyDictItems_Type =
    OURO_DICT_VIEW(items, &ouro_dict_view_as_number, ouro_dict_view_richcompare);
/* clang-format on */
