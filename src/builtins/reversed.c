/* SPDX-License-Identifier: MIT */
/* reversed: a sequence from its last index to its first. */
#include <Python.h>

#include "arguments.h"

struct reversed {
    PyObject_HEAD
    Py_ssize_t index;   /* of the next item */
    PyObject *sequence; /* owned; NULL at the end */
};

/* sequence.__reversed__(), as its type defines it. 1 and the result, which is NULL with an
 * exception on failure; 0 when there is no such method. */
static int
call_own_reversed(PyObject *sequence, PyObject **result)
{
    PyObject *method;
    PyObject *type = (PyObject *)Py_TYPE(sequence);
    *result = NULL;
    int found = PyObject_GetOptionalAttrString(type, "__reversed__", &method);
    if (found <= 0) {
        return found != 0; /* with the exception of the lookup */
    }
    if (method == Py_None) {
        PyErr_Format(PyExc_TypeError, "'%.200s' object is not reversible",
                     Py_TYPE(sequence)->tp_name);
    } else {
        *result = PyObject_CallOneArg(method, sequence);
    }
    Py_DECREF(method);
    return 1;
}

static PyObject *
reversed_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *result;
    if ((type == &PyReversed_Type && !ouro_args_positional("reversed", kwargs)) ||
        !ouro_args_between("reversed", PyTuple_GET_SIZE(args), 1, 1)) {
        return NULL;
    }
    PyObject *sequence = PyTuple_GET_ITEM(args, 0);
    if (call_own_reversed(sequence, &result)) {
        return result;
    }
    if (!PySequence_Check(sequence)) {
        return PyErr_Format(PyExc_TypeError, "'%.200s' object is not reversible",
                            Py_TYPE(sequence)->tp_name);
    }
    Py_ssize_t size = PySequence_Size(sequence);
    result = size < 0 ? NULL : type->tp_alloc(type, 0);
    if (result != NULL) {
        ((struct reversed *)result)->index = size - 1;
        ((struct reversed *)result)->sequence = Py_NewRef(sequence);
    }
    return result;
}

static void
reversed_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_XDECREF(((struct reversed *)op)->sequence);
    Py_TYPE(op)->tp_free(op);
}

static int
reversed_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct reversed *)op)->sequence);
    return 0;
}

static PyObject *
reversed_next(PyObject *op)
{
    struct reversed *self = (struct reversed *)op;
    PyObject *item = NULL;
    if (self->sequence == NULL) {
        return NULL;
    }
    if (self->index >= 0) {
        item = PySequence_GetItem(self->sequence, self->index);
    }
    if (item != NULL) {
        self->index--;
        return item;
    }
    /* A sequence that became shorter is at its end. */
    if (PyErr_Occurred() != NULL) {
        if (!PyErr_ExceptionMatches(PyExc_IndexError) &&
            !PyErr_ExceptionMatches(PyExc_StopIteration)) {
            return NULL;
        }
        PyErr_Clear();
    }
    Py_CLEAR(self->sequence);
    return NULL;
}

static PyObject *
reversed_length_hint(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    struct reversed *self = (struct reversed *)op;
    if (self->sequence == NULL) {
        return PyLong_FromLong(0);
    }
    Py_ssize_t size = PySequence_Size(self->sequence);
    if (size < 0) {
        return NULL;
    }
    return PyLong_FromSsize_t(size <= self->index ? 0 : self->index + 1);
}

static PyMethodDef reversed_methods[] = {
    {"__length_hint__", reversed_length_hint, METH_NOARGS, "How many items are left."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject PyReversed_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "reversed",
    .tp_basicsize = sizeof(struct reversed),
    .tp_dealloc = reversed_dealloc,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_doc = "reversed(sequence, /)\n--\n\nAn iterator from the last item to the first.",
    .tp_traverse = reversed_traverse,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = reversed_next,
    .tp_methods = reversed_methods,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = reversed_new,
    .tp_free = PyObject_GC_Del,
};
