/* SPDX-License-Identifier: MIT */
/* Iterators over list and tuple. They go by index, so a list may change meanwhile; once at
 * the end, an iterator stays there. */
#include "list_object.h"

struct index_iterator {
    PyObject_HEAD
    Py_ssize_t index;   /* of the next item */
    PyObject *sequence; /* owned; NULL at the end */
};

static PyObject *
new_index_iterator(PyTypeObject *type, PyObject *sequence, Py_ssize_t index)
{
    struct index_iterator *it = PyObject_GC_New(struct index_iterator, type);
    if (it == NULL) {
        return NULL;
    }
    it->index = index;
    it->sequence = Py_NewRef(sequence);
    PyObject_GC_Track(it);
    return (PyObject *)it;
}

PyObject *
ouro_list_iter(PyObject *list)
{
    return new_index_iterator(&PyListIter_Type, list, 0);
}

PyObject *
ouro_list_reversed(PyObject *list, PyObject *Py_UNUSED(ignored))
{
    return new_index_iterator(&PyListRevIter_Type, list, PyList_GET_SIZE(list) - 1);
}

PyObject *
ouro_tuple_iter(PyObject *tuple)
{
    return new_index_iterator(&PyTupleIter_Type, tuple, 0);
}

static void
index_iterator_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_XDECREF(((struct index_iterator *)op)->sequence);
    PyObject_GC_Del(op);
}

static int
index_iterator_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct index_iterator *)op)->sequence);
    return 0;
}

/* --- the next item -------------------------------------------------------------------------------------- */

static PyObject *
list_iterator_next(PyObject *op)
{
    struct index_iterator *it = (struct index_iterator *)op;
    if (it->sequence != NULL && it->index < PyList_GET_SIZE(it->sequence)) {
        return Py_NewRef(PyList_GET_ITEM(it->sequence, it->index++));
    }
    Py_CLEAR(it->sequence);
    return NULL;
}

static PyObject *
list_reverse_iterator_next(PyObject *op)
{
    struct index_iterator *it = (struct index_iterator *)op;
    if (it->sequence != NULL && it->index >= 0 &&
        it->index < PyList_GET_SIZE(it->sequence)) {
        return Py_NewRef(PyList_GET_ITEM(it->sequence, it->index--));
    }
    Py_CLEAR(it->sequence);
    return NULL;
}

static PyObject *
tuple_iterator_next(PyObject *op)
{
    struct index_iterator *it = (struct index_iterator *)op;
    if (it->sequence != NULL && it->index < PyTuple_GET_SIZE(it->sequence)) {
        return Py_NewRef(PyTuple_GET_ITEM(it->sequence, it->index++));
    }
    Py_CLEAR(it->sequence);
    return NULL;
}

/* --- how many are left ------------------------------------------------------------------------------------ */

static PyObject *
index_iterator_length_hint(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    struct index_iterator *it = (struct index_iterator *)op;
    Py_ssize_t left = it->sequence == NULL ? 0 : Py_SIZE(it->sequence) - it->index;
    return PyLong_FromSsize_t(Py_MAX(left, 0));
}

static PyObject *
reverse_iterator_length_hint(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    struct index_iterator *it = (struct index_iterator *)op;
    Py_ssize_t left = it->sequence == NULL ? 0 : it->index + 1;
    return PyLong_FromSsize_t(
        it->sequence == NULL || Py_SIZE(it->sequence) < left ? 0 : left);
}

static PyMethodDef index_iterator_methods[] = {
    {"__length_hint__", index_iterator_length_hint, METH_NOARGS,
     "How many items are left."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef reverse_iterator_methods[] = {
    {"__length_hint__", reverse_iterator_length_hint, METH_NOARGS,
     "How many items are left."},
    {NULL, NULL, 0, NULL},
};

/* clang-format off */
#define OURO_INDEX_ITERATOR(name_, next_, methods_)                                      \
    {                                                                                    \
        PyVarObject_HEAD_INIT(&PyType_Type, 0)                                           \
        .tp_name = (name_),                                                              \
        .tp_basicsize = sizeof(struct index_iterator),                                   \
        .tp_dealloc = index_iterator_dealloc,                                            \
        .tp_getattro = PyObject_GenericGetAttr,                                          \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |                            \
                    Py_TPFLAGS_DISALLOW_INSTANTIATION,                                   \
        .tp_traverse = index_iterator_traverse,                                          \
        .tp_iter = PyObject_SelfIter,                                                    \
        .tp_iternext = (next_),                                                          \
        .tp_methods = (methods_),                                                        \
        .tp_free = PyObject_GC_Del,                                                      \
    }

PyTypeObject PyListIter_Type =
    OURO_INDEX_ITERATOR("list_iterator", list_iterator_next, index_iterator_methods);
PyTypeObject PyListRevIter_Type =
    OURO_INDEX_ITERATOR("list_reverseiterator", list_reverse_iterator_next, reverse_iterator_methods);
PyTypeObject PyTupleIter_Type =
    OURO_INDEX_ITERATOR("tuple_iterator", tuple_iterator_next, index_iterator_methods);
/* clang-format on */
