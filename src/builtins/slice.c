/* SPDX-License-Identifier: MIT */
/* slice objects, and the arithmetic of their indices. */
#include <Python.h>

#include "arguments.h"

#define OURO_SLICE(op) ((PySliceObject *)(op))

static PyObject *
none_or(PyObject *value)
{
    return Py_NewRef(value == NULL ? Py_None : value);
}

PyObject *
PySlice_New(PyObject *start, PyObject *stop, PyObject *step)
{
    PySliceObject *slice = PyObject_GC_New(PySliceObject, &PySlice_Type);
    if (slice == NULL) {
        return NULL;
    }
    slice->start = none_or(start);
    slice->stop = none_or(stop);
    slice->step = none_or(step);
    PyObject_GC_Track(slice);
    return (PyObject *)slice;
}

/* slice(stop), slice(start, stop), slice(start, stop, step) */
static PyObject *
slice_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    if (!ouro_args_positional("slice", kwargs) || !ouro_args_between("slice", n, 1, 3)) {
        return NULL;
    }
    PyObject *first = PyTuple_GET_ITEM(args, 0);
    return PySlice_New(n > 1 ? first : NULL, n > 1 ? PyTuple_GET_ITEM(args, 1) : first,
                       n > 2 ? PyTuple_GET_ITEM(args, 2) : NULL);
}

/* --- indices -------------------------------------------------------------------------------- */

static int
slice_index(PyObject *value, Py_ssize_t *index, const char *message)
{
    if (!PyIndex_Check(value)) {
        PyErr_SetString(PyExc_TypeError, message);
        return 0;
    }
    Py_ssize_t number = PyNumber_AsSsize_t(value, NULL);
    if (number == -1 && PyErr_Occurred()) {
        return 0;
    }
    *index = number;
    return 1;
}

int
_PyEval_SliceIndex(PyObject *value, Py_ssize_t *index)
{
    return value == Py_None ||
           slice_index(value, index,
                       "slice indices must be integers or None or have an "
                       "__index__ method");
}

int
_PyEval_SliceIndexNotNone(PyObject *value, Py_ssize_t *index)
{
    return slice_index(value, index,
                       "slice indices must be integers or have an __index__ method");
}

int
PySlice_Unpack(PyObject *slice, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t *step)
{
    *step = 1;
    if (!_PyEval_SliceIndex(OURO_SLICE(slice)->step, step)) {
        return -1;
    }
    if (*step == 0) {
        PyErr_SetString(PyExc_ValueError, "slice step cannot be zero");
        return -1;
    }
    /* So that -step is a number too; no sequence is long enough for a difference. */
    *step = Py_MAX(*step, -PY_SSIZE_T_MAX);
    *start = *step < 0 ? PY_SSIZE_T_MAX : 0;
    *stop = *step < 0 ? PY_SSIZE_T_MIN : PY_SSIZE_T_MAX;
    bool converted = _PyEval_SliceIndex(OURO_SLICE(slice)->start, start) &&
                     _PyEval_SliceIndex(OURO_SLICE(slice)->stop, stop);
    return converted ? 0 : -1;
}

/* One end of the slice, counted from the front and clipped. Going backwards, the place in
 * front of the first item is -1. */
static Py_ssize_t
clip_index(Py_ssize_t index, Py_ssize_t length, Py_ssize_t step)
{
    if (index < 0) {
        index += length;
        return index >= 0 ? index : step < 0 ? -1 : 0;
    }
    return index < length ? index : step < 0 ? length - 1 : length;
}

Py_ssize_t
PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t *start, Py_ssize_t *stop,
                      Py_ssize_t step)
{
    *start = clip_index(*start, length, step);
    *stop = clip_index(*stop, length, step);
    if (step < 0) {
        return *stop < *start ? (*start - *stop - 1) / -step + 1 : 0;
    }
    return *start < *stop ? (*stop - *start - 1) / step + 1 : 0;
}

int
PySlice_GetIndicesEx(PyObject *slice, Py_ssize_t length, Py_ssize_t *start,
                     Py_ssize_t *stop, Py_ssize_t *step, Py_ssize_t *slicelength)
{
    if (PySlice_Unpack(slice, start, stop, step) < 0) {
        return -1;
    }
    *slicelength = PySlice_AdjustIndices(length, start, stop, *step);
    return 0;
}

/* An index that must be an int; a negative one counts from the end. */
static bool
read_plain_index(PyObject *value, Py_ssize_t length, Py_ssize_t *index)
{
    if (value == Py_None) {
        return true;
    }
    if (!PyLong_Check(value)) {
        return false;
    }
    *index = PyLong_AsSsize_t(value);
    if (*index == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    *index += *index < 0 ? length : 0;
    return true;
}

int
PySlice_GetIndices(PyObject *slice, Py_ssize_t length, Py_ssize_t *start,
                   Py_ssize_t *stop, Py_ssize_t *step)
{
    PySliceObject *s = OURO_SLICE(slice);
    *step = 1;
    if (!read_plain_index(s->step, 0, step)) {
        return -1;
    }
    *start = *step < 0 ? length - 1 : 0;
    *stop = *step < 0 ? -1 : length;
    if (!read_plain_index(s->start, length, start) ||
        !read_plain_index(s->stop, length, stop)) {
        return -1;
    }
    return *stop > length || *start >= length || *step == 0 ? -1 : 0;
}

/* --- the type ------------------------------------------------------------------------------------ */

static int
slice_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(OURO_SLICE(op)->start);
    Py_VISIT(OURO_SLICE(op)->stop);
    Py_VISIT(OURO_SLICE(op)->step);
    return 0;
}

static void
slice_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_DECREF(OURO_SLICE(op)->start);
    Py_DECREF(OURO_SLICE(op)->stop);
    Py_DECREF(OURO_SLICE(op)->step);
    PyObject_GC_Del(op);
}

static PyObject *
slice_repr(PyObject *op)
{
    return PyUnicode_FromFormat("slice(%R, %R, %R)", OURO_SLICE(op)->start,
                                OURO_SLICE(op)->stop, OURO_SLICE(op)->step);
}

static PyObject *
slice_tuple(PyObject *op)
{
    return PyTuple_Pack(3, OURO_SLICE(op)->start, OURO_SLICE(op)->stop,
                        OURO_SLICE(op)->step);
}

/* Slices compare and hash as tuples of their three parts do. */
static PyObject *
slice_richcompare(PyObject *v, PyObject *w, int op)
{
    if (!PySlice_Check(v) || !PySlice_Check(w)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *result = NULL;
    PyObject *left = slice_tuple(v);
    PyObject *right = left == NULL ? NULL : slice_tuple(w);
    if (right != NULL) {
        result = PyObject_RichCompare(left, right, op);
    }
    Py_XDECREF(left);
    Py_XDECREF(right);
    return result;
}

static Py_hash_t
slice_hash(PyObject *op)
{
    PyObject *parts = slice_tuple(op);
    if (parts == NULL) {
        return -1;
    }
    Py_hash_t hash = PyObject_Hash(parts);
    Py_DECREF(parts);
    return hash;
}

/* slice.indices(length): the clipped numbers as a tuple. */
static PyObject *
slice_indices(PyObject *op, PyObject *arg)
{
    Py_ssize_t length = PyNumber_AsSsize_t(arg, PyExc_OverflowError);
    if (length == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (length < 0) {
        PyErr_SetString(PyExc_ValueError, "length should not be negative");
        return NULL;
    }
    Py_ssize_t numbers[3], count;
    if (PySlice_GetIndicesEx(op, length, &numbers[0], &numbers[1], &numbers[2], &count) <
        0) {
        return NULL;
    }
    PyObject *result = PyTuple_New(3);
    for (int i = 0; result != NULL && i < 3; i++) {
        PyObject *number = PyLong_FromSsize_t(numbers[i]);
        if (number == NULL) {
            Py_CLEAR(result);
        } else {
            PyTuple_SET_ITEM(result, i, number);
        }
    }
    return result;
}

static PyMethodDef slice_methods[] = {
    {"indices", slice_indices, METH_O,
     "indices(length): start, stop and step for a sequence of that length"},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef slice_members[] = {
    {"start", _Py_T_OBJECT, offsetof(PySliceObject, start), Py_READONLY, NULL},
    {"stop", _Py_T_OBJECT, offsetof(PySliceObject, stop), Py_READONLY, NULL},
    {"step", _Py_T_OBJECT, offsetof(PySliceObject, step), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject PySlice_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "slice",
    .tp_basicsize = sizeof(PySliceObject),
    .tp_dealloc = slice_dealloc,
    .tp_repr = slice_repr,
    .tp_hash = slice_hash,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "slice(stop), slice(start, stop[, step]): a range of indices",
    .tp_traverse = slice_traverse,
    .tp_richcompare = slice_richcompare,
    .tp_methods = slice_methods,
    .tp_members = slice_members,
    .tp_new = slice_new,
};
