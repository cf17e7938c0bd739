/* SPDX-License-Identifier: MIT */
/* The iterator over the characters of a str. */
#include "str_object.h"

typedef struct {
    PyObject_HEAD
    PyObject *str; /* owned; NULL at the end */
    Py_ssize_t index;
} striterobject;

PyObject *
ouro_str_iter(PyObject *self)
{
    striterobject *it = PyObject_GC_New(striterobject, &PyUnicodeIter_Type);
    if (it == NULL) {
        return NULL;
    }
    it->str = Py_NewRef(self);
    it->index = 0;
    PyObject_GC_Track(it);
    return (PyObject *)it;
}

static void
striter_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_XDECREF(((striterobject *)op)->str);
    PyObject_GC_Del(op);
}

static int
striter_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((striterobject *)op)->str);
    return 0;
}

static PyObject *
striter_next(PyObject *op)
{
    striterobject *it = (striterobject *)op;
    if (it->str == NULL) {
        return NULL;
    }
    struct str_reader r = ouro_str_reader(it->str);
    if (it->index >= r.length) {
        Py_CLEAR(it->str);
        return NULL;
    }
    PyObject *character =
        ouro_str_narrowest(r.kind, (const char *)r.data + it->index * r.kind, 1);
    it->index += character != NULL;
    return character;
}

static PyObject *
striter_length_hint(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    striterobject *it = (striterobject *)op;
    return PyLong_FromSsize_t(it->str == NULL ? 0
                                              : ouro_str(it->str)->length - it->index);
}

static PyMethodDef striter_methods[] = {
    {"__length_hint__", striter_length_hint, METH_NOARGS, "how many items are left"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject PyUnicodeIter_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "str_iterator",
    .tp_basicsize = sizeof(striterobject),
    .tp_dealloc = striter_dealloc,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = striter_traverse,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = striter_next,
    .tp_methods = striter_methods,
};
