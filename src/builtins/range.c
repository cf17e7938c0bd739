/* SPDX-License-Identifier: MIT */
/* range: numbers from start to stop in equal steps, of any size, and their iterator. */
#include <Python.h>

#include <stdbool.h>

#include "arguments.h"

struct range {
    PyObject_HEAD
    PyObject *start, *stop, *step; /* ints; the step is not 0 */
    PyObject *length;              /* int */
};

static struct range *
range_of(PyObject *op)
{
    return (struct range *)op;
}

/* --- numbers ----------------------------------------------------------------------------------- */

/* a op b, releasing both; NULL is passed on. */
static PyObject *
combine(PyObject *a, PyObject *b, binaryfunc operation)
{
    PyObject *result = a == NULL || b == NULL ? NULL : operation(a, b);
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

/* -1, 0 or 1; -2 with an exception. */
static int
sign_of(PyObject *number)
{
    int sign;
    return PyLong_GetSign(number, &sign) < 0 ? -2 : sign;
}

/* How many numbers there are: (stop - start - sign) // step + 1, at least 0. */
static PyObject *
compute_length(PyObject *start, PyObject *stop, PyObject *step)
{
    PyObject *distance = PyNumber_Subtract(stop, start);
    PyObject *short_of =
        combine(distance, PyLong_FromLong(sign_of(step)), PyNumber_Subtract);
    PyObject *whole = combine(short_of, Py_NewRef(step), PyNumber_FloorDivide);
    PyObject *length = combine(whole, PyLong_FromLong(1), PyNumber_Add);
    if (length != NULL && sign_of(length) < 0) {
        Py_SETREF(length, PyLong_FromLong(0));
    }
    return length;
}

/* start + index * step; `index` is stolen. */
static PyObject *
number_at(const struct range *r, PyObject *index)
{
    PyObject *offset = combine(index, Py_NewRef(r->step), PyNumber_Multiply);
    return combine(offset, Py_NewRef(r->start), PyNumber_Add);
}

/* --- making ---------------------------------------------------------------------------------------- */

/* Steals the numbers, any of which may be NULL with an exception. */
static PyObject *
new_range(PyObject *start, PyObject *stop, PyObject *step)
{
    PyObject *length = NULL;
    struct range *r = NULL;
    if (start != NULL && stop != NULL && step != NULL) {
        length = compute_length(start, stop, step);
    }
    if (length != NULL && PyType_Ready(&PyRange_Type) == 0) {
        r = PyObject_New(struct range, &PyRange_Type);
    }
    if (r == NULL) {
        Py_XDECREF(start);
        Py_XDECREF(stop);
        Py_XDECREF(step);
        Py_XDECREF(length);
        return NULL;
    }
    r->start = start;
    r->stop = stop;
    r->step = step;
    r->length = length;
    return (PyObject *)r;
}

static PyObject *
range_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    PyObject *first, *second = NULL, *third = NULL;
    if (!ouro_args_positional("range", kwargs) ||
        !PyArg_UnpackTuple(args, "range", 1, 3, &first, &second, &third)) {
        return NULL;
    }
    PyObject *step = third == NULL ? PyLong_FromLong(1) : PyNumber_Index(third);
    if (step != NULL && sign_of(step) == 0) {
        PyErr_SetString(PyExc_ValueError, "range() arg 3 must not be zero");
        Py_DECREF(step);
        return NULL;
    }
    PyObject *start = second == NULL ? PyLong_FromLong(0) : PyNumber_Index(first);
    PyObject *stop =
        start == NULL ? NULL : PyNumber_Index(second == NULL ? first : second);
    return new_range(start, stop, step);
}

static void
range_dealloc(PyObject *op)
{
    struct range *r = range_of(op);
    Py_DECREF(r->start);
    Py_DECREF(r->stop);
    Py_DECREF(r->step);
    Py_DECREF(r->length);
    PyObject_Free(op);
}

/* --- as a sequence -------------------------------------------------------------------------------------- */

static Py_ssize_t
range_length(PyObject *op)
{
    return PyLong_AsSsize_t(range_of(op)->length);
}

/* The number at an index, counted from the end when negative. `index` is stolen. */
static PyObject *
range_at(struct range *r, PyObject *index)
{
    if (index != NULL && sign_of(index) < 0) {
        index = combine(index, Py_NewRef(r->length), PyNumber_Add);
    }
    if (index == NULL) {
        return NULL;
    }
    int below = PyObject_RichCompareBool(index, r->length, Py_LT);
    if (below > 0 && sign_of(index) >= 0) {
        return number_at(r, index);
    }
    Py_DECREF(index);
    if (below >= 0) {
        PyErr_SetString(PyExc_IndexError, "range object index out of range");
    }
    return NULL;
}

static PyObject *
range_item(PyObject *op, Py_ssize_t index)
{
    return range_at(range_of(op), PyLong_FromSsize_t(index));
}

static PyObject *
range_slice(struct range *r, PyObject *slice)
{
    Py_ssize_t start, stop, step, length = range_length((PyObject *)r);
    if ((length == -1 && PyErr_Occurred()) ||
        PySlice_Unpack(slice, &start, &stop, &step) < 0) {
        return NULL;
    }
    Py_ssize_t count = PySlice_AdjustIndices(length, &start, &stop, step);
    PyObject *new_step =
        combine(PyLong_FromSsize_t(step), Py_NewRef(r->step), PyNumber_Multiply);
    return new_range(number_at(r, PyLong_FromSsize_t(start)),
                     number_at(r, PyLong_FromSsize_t(count == 0 ? start : stop)),
                     new_step);
}

static PyObject *
range_subscript(PyObject *op, PyObject *key)
{
    if (PySlice_Check(key)) {
        return range_slice(range_of(op), key);
    }
    if (!PyIndex_Check(key)) {
        return PyErr_Format(PyExc_TypeError,
                            "range indices must be integers or slices, not %.200s",
                            Py_TYPE(key)->tp_name);
    }
    return range_at(range_of(op), PyNumber_Index(key));
}

/* The index of an int, a new reference; NULL without an exception when it is not there. */
static PyObject *
index_of_number(struct range *r, PyObject *number)
{
    PyObject *distance = PyNumber_Subtract(number, r->start);
    PyObject *rest = distance == NULL ? NULL : PyNumber_Remainder(distance, r->step);
    PyObject *index = rest == NULL || sign_of(rest) != 0
                          ? NULL
                          : PyNumber_FloorDivide(distance, r->step);
    Py_XDECREF(distance);
    Py_XDECREF(rest);
    if (index != NULL &&
        (sign_of(index) < 0 || PyObject_RichCompareBool(index, r->length, Py_GE) != 0)) {
        Py_CLEAR(index);
    }
    return index;
}

static int
range_contains(PyObject *op, PyObject *value)
{
    if (!PyLong_CheckExact(value) && !PyBool_Check(value)) {
        PyObject *list = PySequence_List(op);
        int found = list == NULL ? -1 : PySequence_Contains(list, value);
        Py_XDECREF(list);
        return found;
    }
    PyObject *index = index_of_number(range_of(op), value);
    int found = index != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
    Py_XDECREF(index);
    return found;
}

static PyObject *
range_count(PyObject *op, PyObject *value)
{
    int found = range_contains(op, value);
    return found < 0 ? NULL : PyLong_FromLong(found);
}

static PyObject *
range_index(PyObject *op, PyObject *value)
{
    PyObject *index = PyLong_Check(value) ? index_of_number(range_of(op), value) : NULL;
    if (index == NULL && !PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "%R is not in range", value);
    }
    return index;
}

/* --- comparing, text ----------------------------------------------------------------------------------------- */

/* What tells two ranges apart: the length; then the start; then the step. */
static PyObject *
range_key(struct range *r)
{
    int length = sign_of(r->length);
    PyObject *one = PyLong_FromLong(1);
    bool single = one != NULL && PyObject_RichCompareBool(r->length, one, Py_EQ) == 1;
    Py_XDECREF(one);
    return PyTuple_Pack(3, r->length, length == 0 ? Py_None : r->start,
                        length == 0 || single ? Py_None : r->step);
}

static PyObject *
range_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!Py_IS_TYPE(b, &PyRange_Type) || (op != Py_EQ && op != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *left = range_key(range_of(a)), *right = range_key(range_of(b));
    PyObject *result =
        left == NULL || right == NULL ? NULL : PyObject_RichCompare(left, right, op);
    Py_XDECREF(left);
    Py_XDECREF(right);
    return result;
}

static Py_hash_t
range_hash(PyObject *op)
{
    PyObject *key = range_key(range_of(op));
    Py_hash_t hash = key == NULL ? -1 : PyObject_Hash(key);
    Py_XDECREF(key);
    return hash;
}

static PyObject *
range_repr(PyObject *op)
{
    struct range *r = range_of(op);
    Py_ssize_t step = PyLong_AsSsize_t(r->step);
    if (step == -1 && PyErr_Occurred()) {
        PyErr_Clear();
    }
    return step == 1
               ? PyUnicode_FromFormat("range(%R, %R)", r->start, r->stop)
               : PyUnicode_FromFormat("range(%R, %R, %R)", r->start, r->stop, r->step);
}

/* --- iterating ------------------------------------------------------------------------------------------------- */

struct range_iterator {
    PyObject_HEAD
    PyObject *next, *step, *left; /* the next number, and how many are left */
};

static PyObject *
new_range_iterator(PyObject *next, PyObject *step, PyObject *left)
{
    struct range_iterator *it = NULL;
    if (next != NULL && step != NULL && PyType_Ready(&PyRangeIter_Type) == 0) {
        it = PyObject_New(struct range_iterator, &PyRangeIter_Type);
    }
    if (it == NULL) {
        Py_XDECREF(next);
        Py_XDECREF(step);
        return NULL;
    }
    it->next = next;
    it->step = step;
    it->left = Py_NewRef(left);
    return (PyObject *)it;
}

static PyObject *
range_iter(PyObject *op)
{
    struct range *r = range_of(op);
    return new_range_iterator(Py_NewRef(r->start), Py_NewRef(r->step), r->length);
}

static PyObject *
range_reversed(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    struct range *r = range_of(op);
    PyObject *last = PyNumber_Subtract(r->length, Py_True); /* True is 1 */
    return new_range_iterator(last == NULL ? NULL : number_at(r, last),
                              PyNumber_Negative(r->step), r->length);
}

static void
range_iterator_dealloc(PyObject *op)
{
    struct range_iterator *it = (struct range_iterator *)op;
    Py_DECREF(it->next);
    Py_DECREF(it->step);
    Py_DECREF(it->left);
    PyObject_Free(op);
}

static PyObject *
range_iterator_next(PyObject *op)
{
    struct range_iterator *it = (struct range_iterator *)op;
    if (sign_of(it->left) <= 0) {
        return NULL;
    }
    PyObject *after = PyNumber_Add(it->next, it->step);
    PyObject *left = after == NULL ? NULL : PyNumber_Subtract(it->left, Py_True);
    if (left == NULL) {
        Py_XDECREF(after);
        return NULL;
    }
    PyObject *number = it->next;
    it->next = after;
    Py_SETREF(it->left, left);
    return number;
}

static PyObject *
range_iterator_length_hint(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return Py_NewRef(((struct range_iterator *)op)->left);
}

static PyMethodDef range_iterator_methods[] = {
    {"__length_hint__", range_iterator_length_hint, METH_NOARGS,
     "how many items are left"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject PyRangeIter_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "range_iterator",
    .tp_basicsize = sizeof(struct range_iterator),
    .tp_dealloc = range_iterator_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = range_iterator_next,
    .tp_methods = range_iterator_methods,
};

/* --- the type ---------------------------------------------------------------------------------------------------- */

static PySequenceMethods range_as_sequence = {
    .sq_length = range_length,
    .sq_item = range_item,
    .sq_contains = range_contains,
};

static PyMappingMethods range_as_mapping = {
    .mp_length = range_length,
    .mp_subscript = range_subscript,
};

static PyMethodDef range_methods[] = {
    {"__reversed__", range_reversed, METH_NOARGS,
     "The numbers from the last to the first."},
    {"count", range_count, METH_O, "How often a value is there: 0 or 1."},
    {"index", range_index, METH_O, "Where a value is, or ValueError."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef range_members[] = {
    {"start", _Py_T_OBJECT, offsetof(struct range, start), Py_READONLY, NULL},
    {"stop", _Py_T_OBJECT, offsetof(struct range, stop), Py_READONLY, NULL},
    {"step", _Py_T_OBJECT, offsetof(struct range, step), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject PyRange_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "range",
    .tp_basicsize = sizeof(struct range),
    .tp_dealloc = range_dealloc,
    .tp_repr = range_repr,
    .tp_as_sequence = &range_as_sequence,
    .tp_as_mapping = &range_as_mapping,
    .tp_hash = range_hash,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_SEQUENCE,
    .tp_doc = "range(stop) or range(start, stop, step=1)\n--\n\nNumbers in equal steps.",
    .tp_richcompare = range_richcompare,
    .tp_iter = range_iter,
    .tp_methods = range_methods,
    .tp_members = range_members,
    .tp_new = range_new,
};
