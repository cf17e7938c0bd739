/* SPDX-License-Identifier: MIT */
/* Iterators over the table of a dict or a set, forwards and backwards.
 *
 * An iterator refuses to go on when the number of items has changed. It yields no more items
 * than there were at first, so a loop that removes items and adds them again ends. */
#include "dict_object.h"

struct table_iterator {
    PyObject_HEAD
    PyObject *container; /* owned: a dict or a set; NULL at the end */
    Py_ssize_t pos;      /* of ouro_dict_next_entry or ouro_dict_previous_entry */
    Py_ssize_t used;     /* items at first; -1 once that was wrong */
    Py_ssize_t left;     /* items still to come */
};


static bool
is_reverse_iterator(PyTypeObject *type)
{
    return type == &PyDictRevIterKey_Type || type == &PyDictRevIterValue_Type ||
           type == &PyDictRevIterItem_Type;
}

PyObject *
ouro_dict_iterator_new(PyObject *container, PyTypeObject *type)
{
    struct table_iterator *self = PyObject_GC_New(struct table_iterator, type);
    if (self == NULL) {
        return NULL;
    }
    self->container = Py_NewRef(container);
    self->pos = is_reverse_iterator(type) ? PY_SSIZE_T_MAX : 0;
    self->used = self->left = ouro_dict(container)->ma_used;
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

static int
table_iterator_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct table_iterator *)self)->container);
    return 0;
}

static void
table_iterator_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((struct table_iterator *)self)->container);
    PyObject_GC_Del(self);
}

/* Is the number of items still the one that the iterator began with? */
static bool
size_is_unchanged(struct table_iterator *self)
{
    if (self->used == ouro_dict(self->container)->ma_used) {
        return true;
    }
    PyErr_SetString(PyExc_RuntimeError, Py_IS_TYPE(self, &PySetIter_Type)
                                            ? "Set changed size during iteration"
                                            : "dictionary changed size during iteration");
    self->used = -1; /* and so it stays */
    return false;
}

/* The next entry; NULL at the end, or with an exception. */
static const struct dict_entry *
advance_iterator(PyObject *op)
{
    struct table_iterator *self = (struct table_iterator *)op;
    if (self->container == NULL || !size_is_unchanged(self)) {
        return NULL;
    }
    PyDictObject *table = ouro_dict(self->container);
    const struct dict_entry *entry = is_reverse_iterator(Py_TYPE(op))
                                         ? ouro_dict_previous_entry(table, &self->pos)
                                         : ouro_dict_next_entry(table, &self->pos);
    if (entry != NULL && self->left > 0) {
        self->left--;
        return entry;
    }
    if (entry != NULL && !Py_IS_TYPE(op, &PySetIter_Type)) {
        PyErr_SetString(PyExc_RuntimeError, "dictionary keys changed during iteration");
    }
    Py_CLEAR(self->container);
    return NULL;
}

static PyObject *
dict_next_key(PyObject *op)
{
    const struct dict_entry *entry = advance_iterator(op);
    return entry == NULL ? NULL : Py_NewRef(entry->key);
}

static PyObject *
dict_next_value(PyObject *op)
{
    const struct dict_entry *entry = advance_iterator(op);
    return entry == NULL ? NULL : Py_NewRef(entry->value);
}

static PyObject *
dict_next_item(PyObject *op)
{
    const struct dict_entry *entry = advance_iterator(op);
    if (entry == NULL) {
        return NULL;
    }
    PyObject *pair[2] = {Py_NewRef(entry->key), Py_NewRef(entry->value)};
    return _PyTuple_FromArraySteal(pair, 2);
}

static PyObject *
table_iterator_length_hint(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    struct table_iterator *self = (struct table_iterator *)op;
    bool goes_on =
        self->container != NULL && self->used == ouro_dict(self->container)->ma_used;
    return PyLong_FromSsize_t(goes_on ? self->left : 0);
}

static PyMethodDef table_iterator_methods[] = {
    {"__length_hint__", table_iterator_length_hint, METH_NOARGS,
     "How many items are left."},
    {NULL, NULL, 0, NULL},
};

/* clang-format off */
#define OURO_TABLE_ITERATOR(name_, next_)                                                \
    {                                                                                    \
        PyVarObject_HEAD_INIT(&PyType_Type, 0)                                           \
        .tp_name = (name_),                                                              \
        .tp_basicsize = sizeof(struct table_iterator),                                   \
        .tp_dealloc = table_iterator_dealloc,                                            \
        .tp_getattro = PyObject_GenericGetAttr,                                          \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |                            \
                    Py_TPFLAGS_DISALLOW_INSTANTIATION,                                   \
        .tp_traverse = table_iterator_traverse,                                          \
        .tp_iter = PyObject_SelfIter,                                                    \
        .tp_iternext = (next_),                                                          \
        .tp_methods = table_iterator_methods,                                            \
        .tp_free = PyObject_GC_Del,                                                      \
    }

PyTypeObject PyDictIterKey_Type = OURO_TABLE_ITERATOR("dict_keyiterator", dict_next_key);
PyTypeObject PyDictIterValue_Type = OURO_TABLE_ITERATOR("dict_valueiterator", dict_next_value);
PyTypeObject PyDictIterItem_Type = OURO_TABLE_ITERATOR("dict_itemiterator", dict_next_item);
PyTypeObject PyDictRevIterKey_Type = OURO_TABLE_ITERATOR("dict_reversekeyiterator", dict_next_key);
PyTypeObject PyDictRevIterValue_Type = OURO_TABLE_ITERATOR("dict_reversevalueiterator", dict_next_value);
PyTypeObject PyDictRevIterItem_Type = OURO_TABLE_ITERATOR("dict_reverseitemiterator", dict_next_item);
PyTypeObject PySetIter_Type = OURO_TABLE_ITERATOR("set_iterator", dict_next_key);
/* clang-format on */
