/* SPDX-License-Identifier: MIT */
/* tuple objects.
 *
 *   tuple.inv.tracked   every tuple but the empty one is tracked, unless all its items are
 *                       there and none of them can be tracked
 *
 * There is no tp_clear: a tuple cannot change, so a cycle through it always goes through
 * something that can. */
#include <Python.h>
#include <ouro_fields.h>

#include <stdbool.h>

#include "arguments.h"
#include "list_object.h"
#include "tracking.h"

/* The one tuple without items. It has the size of a tuple with one item, which is never read. */
static PyTupleObject empty_tuple = {
    PyVarObject_HEAD_INIT(&PyTuple_Type, 0).ob_item = {NULL},
};

/* --- making ------------------------------------------------------------------------------------------- */

PyObject *
PyTuple_New(Py_ssize_t size)
{
    if (size == 0) {
        return (PyObject *)&empty_tuple;
    }
    PyTupleObject *self = PyObject_GC_NewVar(PyTupleObject, &PyTuple_Type, size);
    if (self != NULL) {
        memset(_PyTuple_ITEMS(self), 0, (size_t)size * sizeof(PyObject *));
        PyObject_GC_Track(self);
    }
    return (PyObject *)self;
}

/* A tuple with room for `size` items, which the caller fills without running other code,
 * and then hands to finish_tuple. */
static PyTupleObject *
begin_tuple(Py_ssize_t size)
{
    return PyObject_GC_NewVar(PyTupleObject, &PyTuple_Type, size);
}

static PyObject *
finish_tuple(PyTupleObject *self)
{
    PyObject **items = _PyTuple_ITEMS(self);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); i++) {
        if (ouro_may_be_in_cycle(items[i])) {
            PyObject_GC_Track(self);
            break;
        }
    }
    return (PyObject *)self;
}

PyObject *
PyTuple_Pack(Py_ssize_t n, ...)
{
    if (n == 0) {
        return (PyObject *)&empty_tuple;
    }
    PyTupleObject *self = begin_tuple(n);
    if (self == NULL) {
        return NULL;
    }
    PyObject **items = _PyTuple_ITEMS(self);
    va_list vargs;
    va_start(vargs, n);
    for (Py_ssize_t i = 0; i < n; i++) {
        items[i] = Py_NewRef(va_arg(vargs, PyObject *));
    }
    va_end(vargs);
    return finish_tuple(self);
}

PyObject *
PyTuple_FromArray(PyObject *const *array, Py_ssize_t size)
{
    if (size == 0) {
        return (PyObject *)&empty_tuple;
    }
    PyTupleObject *self = begin_tuple(size);
    if (self == NULL) {
        return NULL;
    }
    PyObject **items = _PyTuple_ITEMS(self);
    for (Py_ssize_t i = 0; i < size; i++) {
        items[i] = Py_NewRef(array[i]);
    }
    return finish_tuple(self);
}

PyObject *
_PyTuple_FromArraySteal(PyObject *const *array, Py_ssize_t size)
{
    PyObject *self = PyTuple_FromArray(array, size);
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_DECREF(array[i]);
    }
    return self;
}

int
_PyTuple_Resize(PyObject **p, Py_ssize_t newsize)
{
    PyObject *old = *p;
    if (old == NULL || !PyTuple_CheckExact(old) || newsize < 0 ||
        (Py_SIZE(old) != 0 && Py_REFCNT(old) != 1)) {
        *p = NULL;
        Py_XDECREF(old);
        PyErr_BadInternalCall();
        return -1;
    }
    Py_ssize_t size = Py_SIZE(old);
    if (size == newsize) {
        return 0;
    }
    if (size == 0 || newsize == 0) {
        *p = PyTuple_New(newsize);
        Py_DECREF(old);
        return *p == NULL ? -1 : 0;
    }
    PyObject **items = _PyTuple_ITEMS(old);
    PyObject_GC_UnTrack(old);
    for (Py_ssize_t i = newsize; i < size; i++) {
        Py_CLEAR(items[i]);
    }
    PyTupleObject *self = PyObject_GC_Resize(PyTupleObject, old, newsize);
    if (self == NULL) {
        *p = NULL;
        Py_DECREF(old);
        return -1;
    }
    if (newsize > size) {
        memset(_PyTuple_ITEMS(self) + size, 0,
               (size_t)(newsize - size) * sizeof(PyObject *));
    }
    PyObject_GC_Track(self);
    *p = (PyObject *)self;
    return 0;
}

/* --- reading and filling -------------------------------------------------------------------------------- */

Py_ssize_t
PyTuple_Size(PyObject *p)
{
    if (!PyTuple_Check(p)) {
        PyErr_BadInternalCall();
        return -1;
    }
    return PyTuple_GET_SIZE(p);
}

PyObject *
PyTuple_GetItem(PyObject *p, Py_ssize_t pos)
{
    if (!PyTuple_Check(p)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (pos < 0 || pos >= PyTuple_GET_SIZE(p)) {
        PyErr_SetString(PyExc_IndexError, "tuple index out of range");
        return NULL;
    }
    return PyTuple_GET_ITEM(p, pos);
}

int
PyTuple_SetItem(PyObject *p, Py_ssize_t pos, PyObject *o)
{
    /* The tuples of static types are immortal from birth. */
    if (!PyTuple_Check(p) || (Py_REFCNT(p) != 1 && !_Py_IsImmortal(p))) {
        Py_XDECREF(o);
        PyErr_BadInternalCall();
        return -1;
    }
    if (pos < 0 || pos >= PyTuple_GET_SIZE(p)) {
        Py_XDECREF(o);
        PyErr_SetString(PyExc_IndexError, "tuple assignment index out of range");
        return -1;
    }
    PyObject **items = _PyTuple_ITEMS(p);
    PyObject *old = items[pos];
    items[pos] = o;
    /* A tuple that PyTuple_Pack left untracked may now hold something else. */
    if (!PyObject_GC_IsTracked(p) && (o == NULL || ouro_may_be_in_cycle(o))) {
        PyObject_GC_Track(p);
    }
    Py_XDECREF(old);
    return 0;
}

PyObject *
PyTuple_GetSlice(PyObject *p, Py_ssize_t low, Py_ssize_t high)
{
    if (p == NULL || !PyTuple_Check(p)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    Py_ssize_t size = PyTuple_GET_SIZE(p);
    low = low < 0 ? 0 : low;
    high = high > size ? size : high;
    high = high < low ? low : high;
    if (low == 0 && high == size && PyTuple_CheckExact(p)) {
        return Py_NewRef(p);
    }
    return PyTuple_FromArray(_PyTuple_ITEMS(p) + low, high - low);
}

/* --- slots ---------------------------------------------------------------------------------------------- */

static int
tuple_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyObject **items = _PyTuple_ITEMS(self);
    for (Py_ssize_t i = PyTuple_GET_SIZE(self) - 1; i >= 0; i--) {
        Py_VISIT(items[i]);
    }
    return 0;
}

static Py_ssize_t
tuple_traverse_part(PyObject *self, Py_ssize_t from, visitproc visit, void *arg)
{
    PyObject **items = _PyTuple_ITEMS(self);
    Py_ssize_t left = PyTuple_GET_SIZE(self) - from;
    Py_ssize_t end = from + (left < _Py_TRAVERSE_PART ? left : _Py_TRAVERSE_PART);
    for (Py_ssize_t i = from; i < end; i++) {
        Py_VISIT(items[i]);
    }
    return left > _Py_TRAVERSE_PART ? end : -1;
}

static void
tuple_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyObject **items = _PyTuple_ITEMS(self);
    for (Py_ssize_t i = PyTuple_GET_SIZE(self) - 1; i >= 0; i--) {
        Py_XDECREF(items[i]);
    }
    Py_TYPE(self)->tp_free(self);
}

/* For the collector; the handlers are tuple's own. */
OURO_F_LIST(PyTupleObject, OURO_ITEMS(ob_item));
static const Ouro_Fields tuple_fields = {.list = PyTupleObject_ouro_list,
                                         .dealloc = tuple_dealloc};

static Py_ssize_t
tuple_length(PyObject *self)
{
    return PyTuple_GET_SIZE(self);
}

/* Each item is mixed in at its place, so that order matters and (0, 0) is not 0. */
static Py_hash_t
tuple_hash(PyObject *self)
{
    PyObject **items = _PyTuple_ITEMS(self);
    uint64_t state = 0x2545F4914F6CDD1Du ^ (uint64_t)PyTuple_GET_SIZE(self);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); i++) {
        Py_hash_t hash = PyObject_Hash(items[i]);
        if (hash == -1) {
            return -1;
        }
        state += (uint64_t)hash * 0x9E3779B97F4A7C15u;
        state = (state << 29 | state >> 35) * 0xBF58476D1CE4E5B9u;
    }
    state ^= state >> 32;
    return (Py_hash_t)state == -1 ? -2 : (Py_hash_t)state;
}

static PyObject *
tuple_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyTuple_Check(a) || !PyTuple_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    Py_ssize_t na = PyTuple_GET_SIZE(a), nb = PyTuple_GET_SIZE(b);
    PyObject **x = _PyTuple_ITEMS(a), **y = _PyTuple_ITEMS(b);
    Py_ssize_t i = 0;
    while (i < na && i < nb) {
        int equal = PyObject_RichCompareBool(x[i], y[i], Py_EQ);
        if (equal < 0) {
            return NULL;
        }
        if (!equal) {
            break;
        }
        i++;
    }
    if (i >= na || i >= nb) {
        Py_RETURN_RICHCOMPARE(na, nb, op);
    }
    if (op == Py_EQ || op == Py_NE) {
        return PyBool_FromLong(op == Py_NE);
    }
    return PyObject_RichCompare(x[i], y[i], op);
}

static PyObject *
tuple_repr(PyObject *self)
{
    Py_ssize_t size = PyTuple_GET_SIZE(self);
    if (size == 0) {
        return PyUnicode_FromString("()");
    }
    int entered = Py_ReprEnter(self);
    if (entered != 0) {
        return entered > 0 ? PyUnicode_FromString("(...)") : NULL;
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(size * 3);
    PyObject *result = NULL;
    if (writer == NULL || PyUnicodeWriter_WriteChar(writer, '(') < 0) {
        goto done;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        if ((i > 0 && PyUnicodeWriter_WriteASCII(writer, ", ", 2) < 0) ||
            PyUnicodeWriter_WriteRepr(writer, PyTuple_GET_ITEM(self, i)) < 0) {
            goto done;
        }
    }
    if (PyUnicodeWriter_WriteASCII(writer, size == 1 ? ",)" : ")", -1) == 0) {
        result = PyUnicodeWriter_Finish(writer);
        writer = NULL;
    }
done:
    PyUnicodeWriter_Discard(writer);
    Py_ReprLeave(self);
    return result;
}

static PyObject *
tuple_item(PyObject *self, Py_ssize_t index)
{
    if (index < 0 || index >= PyTuple_GET_SIZE(self)) {
        PyErr_SetString(PyExc_IndexError, "tuple index out of range");
        return NULL;
    }
    return Py_NewRef(PyTuple_GET_ITEM(self, index));
}

static PyObject *
tuple_concat(PyObject *a, PyObject *b)
{
    if (!PyTuple_Check(b)) {
        return PyErr_Format(PyExc_TypeError,
                            "can only concatenate tuple (not \"%.200s\") to tuple",
                            Py_TYPE(b)->tp_name);
    }
    Py_ssize_t na = PyTuple_GET_SIZE(a), nb = PyTuple_GET_SIZE(b);
    if (nb == 0 && PyTuple_CheckExact(a)) {
        return Py_NewRef(a);
    }
    if (na > PY_SSIZE_T_MAX - nb) {
        return PyErr_NoMemory();
    }
    if (na + nb == 0) {
        return (PyObject *)&empty_tuple;
    }
    PyTupleObject *self = begin_tuple(na + nb);
    if (self == NULL) {
        return NULL;
    }
    PyObject **items = _PyTuple_ITEMS(self);
    for (Py_ssize_t i = 0; i < na + nb; i++) {
        items[i] =
            Py_NewRef(i < na ? PyTuple_GET_ITEM(a, i) : PyTuple_GET_ITEM(b, i - na));
    }
    return finish_tuple(self);
}

static PyObject *
tuple_repeat(PyObject *self, Py_ssize_t count)
{
    Py_ssize_t size = PyTuple_GET_SIZE(self);
    if (count == 1 && PyTuple_CheckExact(self)) {
        return Py_NewRef(self);
    }
    if (count <= 0 || size == 0) {
        return (PyObject *)&empty_tuple;
    }
    if (size > PY_SSIZE_T_MAX / count) {
        return PyErr_NoMemory();
    }
    PyTupleObject *result = begin_tuple(size * count);
    if (result == NULL) {
        return NULL;
    }
    PyObject **items = _PyTuple_ITEMS(result);
    for (Py_ssize_t i = 0; i < size * count; i++) {
        items[i] = Py_NewRef(PyTuple_GET_ITEM(self, i % size));
    }
    return finish_tuple(result);
}

static int
tuple_contains(PyObject *self, PyObject *value)
{
    int found = 0;
    for (Py_ssize_t i = 0; found == 0 && i < PyTuple_GET_SIZE(self); i++) {
        found = PyObject_RichCompareBool(PyTuple_GET_ITEM(self, i), value, Py_EQ);
    }
    return found;
}

static PyObject *
tuple_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if ((type == &PyTuple_Type && !ouro_args_positional("tuple", kwargs)) ||
        !ouro_args_between("tuple", PyTuple_GET_SIZE(args), 0, 1)) {
        return NULL;
    }
    PyObject *value = PyTuple_GET_SIZE(args) == 0
                          ? PyTuple_New(0)
                          : PySequence_Tuple(PyTuple_GET_ITEM(args, 0));
    if (value == NULL || type == &PyTuple_Type) {
        return value;
    }
    PyObject *self = type->tp_alloc(type, PyTuple_GET_SIZE(value));
    if (self != NULL) {
        PyObject **items = _PyTuple_ITEMS(self);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); i++) {
            items[i] = Py_NewRef(PyTuple_GET_ITEM(value, i));
        }
    }
    Py_DECREF(value);
    return self;
}

static PySequenceMethods tuple_as_sequence = {
    .sq_length = tuple_length,
    .sq_concat = tuple_concat,
    .sq_repeat = tuple_repeat,
    .sq_item = tuple_item,
    .sq_contains = tuple_contains,
};

static PyMappingMethods tuple_as_mapping = {
    .mp_length = tuple_length,
    .mp_subscript = ouro_tuple_subscript,
};

PyTypeObject PyTuple_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "tuple",
    .tp_basicsize = offsetof(PyTupleObject, ob_item),
    .tp_itemsize = sizeof(PyObject *),
    .tp_dealloc = tuple_dealloc,
    .tp_repr = tuple_repr,
    .tp_as_sequence = &tuple_as_sequence,
    .tp_as_mapping = &tuple_as_mapping,
    .tp_hash = tuple_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_TUPLE_SUBCLASS | Py_TPFLAGS_SEQUENCE,
    .tp_doc = "tuple(iterable=(), /)\n--\n\nA sequence that does not change.",
    .tp_traverse = tuple_traverse,
    .tp_ouro_traverse_part = tuple_traverse_part,
    .tp_ouro_fields = &tuple_fields,
    .tp_richcompare = tuple_richcompare,
    .tp_iter = ouro_tuple_iter,
    .tp_new = tuple_new,
    .tp_free = PyObject_GC_Del,
};
