/* SPDX-License-Identifier: MIT */
/* Two iterators: over the indices of a sequence, and over the results of a callable. */
#include <Python.h>

/* --- seq[0], seq[1], ... ----------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    Py_ssize_t index;
    PyObject *sequence; /* owned; NULL at the end */
} seqiterobject;

PyObject *
PySeqIter_New(PyObject *seq)
{
    if (!PySequence_Check(seq)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    seqiterobject *it = PyObject_GC_New(seqiterobject, &PySeqIter_Type);
    if (it == NULL) {
        return NULL;
    }
    it->index = 0;
    it->sequence = Py_NewRef(seq);
    PyObject_GC_Track(it);
    return (PyObject *)it;
}

static void
seqiter_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_XDECREF(((seqiterobject *)op)->sequence);
    PyObject_GC_Del(op);
}

static int
seqiter_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((seqiterobject *)op)->sequence);
    return 0;
}

static PyObject *
seqiter_next(PyObject *op)
{
    seqiterobject *it = (seqiterobject *)op;
    if (it->sequence == NULL) {
        return NULL;
    }
    if (it->index == PY_SSIZE_T_MAX) {
        PyErr_SetString(PyExc_OverflowError, "iter index too large");
        return NULL;
    }
    PyObject *item = PySequence_GetItem(it->sequence, it->index);
    if (item != NULL) {
        it->index++;
        return item;
    }
    if (PyErr_ExceptionMatches(PyExc_IndexError) ||
        PyErr_ExceptionMatches(PyExc_StopIteration)) {
        PyErr_Clear();
        Py_CLEAR(it->sequence);
    }
    return NULL;
}

/* How many items are left, if the sequence knows its length. */
static PyObject *
seqiter_length_hint(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    seqiterobject *it = (seqiterobject *)op;
    if (it->sequence == NULL) {
        return PyLong_FromLong(0);
    }
    PySequenceMethods *m = Py_TYPE(it->sequence)->tp_as_sequence;
    if (m == NULL || m->sq_length == NULL) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    Py_ssize_t size = PySequence_Size(it->sequence);
    return size < 0 ? NULL : PyLong_FromSsize_t(Py_MAX(size - it->index, 0));
}

static PyMethodDef seqiter_methods[] = {
    {"__length_hint__", seqiter_length_hint, METH_NOARGS, "how many items are left"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject PySeqIter_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "iterator",
    .tp_basicsize = sizeof(seqiterobject),
    .tp_dealloc = seqiter_dealloc,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = seqiter_traverse,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = seqiter_next,
    .tp_methods = seqiter_methods,
};

/* --- callable(), callable(), ... ------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *callable; /* owned, as the sentinel; both NULL at the end */
    PyObject *sentinel;
} calliterobject;

PyObject *
PyCallIter_New(PyObject *callable, PyObject *sentinel)
{
    calliterobject *it = PyObject_GC_New(calliterobject, &PyCallIter_Type);
    if (it == NULL) {
        return NULL;
    }
    it->callable = Py_NewRef(callable);
    it->sentinel = Py_NewRef(sentinel);
    PyObject_GC_Track(it);
    return (PyObject *)it;
}

static void
calliter_end(calliterobject *it)
{
    Py_CLEAR(it->callable);
    Py_CLEAR(it->sentinel);
}

static void
calliter_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    calliter_end((calliterobject *)op);
    PyObject_GC_Del(op);
}

static int
calliter_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((calliterobject *)op)->callable);
    Py_VISIT(((calliterobject *)op)->sentinel);
    return 0;
}

static PyObject *
calliter_next(PyObject *op)
{
    calliterobject *it = (calliterobject *)op;
    if (it->callable == NULL) {
        return NULL;
    }
    /* The call may run this iterator to its end. */
    PyObject *callable = Py_NewRef(it->callable);
    PyObject *result = PyObject_CallNoArgs(callable);
    Py_DECREF(callable);
    if (result == NULL) {
        if (PyErr_ExceptionMatches(PyExc_StopIteration)) {
            PyErr_Clear();
            calliter_end(it);
        }
        return NULL;
    }
    int equal = 1;
    if (it->sentinel != NULL) {
        PyObject *sentinel = Py_NewRef(it->sentinel);
        equal = PyObject_RichCompareBool(result, sentinel, Py_EQ);
        Py_DECREF(sentinel);
    }
    if (equal == 0) {
        return result;
    }
    Py_DECREF(result);
    if (equal > 0) {
        calliter_end(it);
    }
    return NULL;
}

PyTypeObject PyCallIter_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "callable_iterator",
    .tp_basicsize = sizeof(calliterobject),
    .tp_dealloc = calliter_dealloc,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = calliter_traverse,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = calliter_next,
};
