/* SPDX-License-Identifier: MIT */
/* list objects. Sorting is in list_sort.c, subscripts are in list_subscript.c.
 *
 *   list.inv.size       0 <= ob_size <= allocated, and ob_item has `allocated` places
 *   list.inv.released   an item is released only after the list no longer refers to it
 *
 * Releasing and comparing items may run any code, which may change the list. So nothing that
 * was read before such a call is used after it. */
#include <Python.h>
#include <ouro_fields.h>

#include <stdbool.h>

#include "arguments.h"
#include "list_object.h"

/* --- memory ------------------------------------------------------------------------------------------- */

/* Make room for `wanted` items, with some to spare when growing; ob_size is unchanged. */
static int
list_reserve(PyListObject *self, Py_ssize_t wanted)
{
    if (wanted <= self->allocated) {
        return 0;
    }
    Py_ssize_t room = wanted + (wanted >> 3) + 4;
    if (wanted > PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(PyObject *) - (wanted >> 3) - 4) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject **items = PyMem_Realloc(self->ob_item, (size_t)room * sizeof(PyObject *));
    if (items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->ob_item = items;
    self->allocated = room;
    return 0;
}

/* Give memory back when less than half is used. Cannot fail: the larger block is fine. */
static void
list_shrink(PyListObject *self)
{
    Py_ssize_t size = Py_SIZE(self);
    if (size >= self->allocated / 2 || self->allocated < 16) {
        return;
    }
    Py_ssize_t room = size + (size >> 3) + 4;
    PyObject **items = PyMem_Realloc(self->ob_item, (size_t)room * sizeof(PyObject *));
    if (items != NULL) {
        self->ob_item = items;
        self->allocated = room;
    }
}

/* Release an array of references that no object refers to any more. */
static void
release_items(PyObject **items, Py_ssize_t count)
{
    while (count-- > 0) {
        Py_XDECREF(items[count]);
    }
}

/* Empty the list, then release what was in it. */
static void
list_empty(PyListObject *self)
{
    PyObject **items = self->ob_item;
    Py_ssize_t size = Py_SIZE(self);
    self->ob_item = NULL;
    self->allocated = 0;
    Py_SET_SIZE(self, 0);
    release_items(items, size);
    PyMem_Free(items);
}

/* --- making ------------------------------------------------------------------------------------------- */

PyObject *
PyList_New(Py_ssize_t size)
{
    if (size < 0) {
        PyErr_BadInternalCall();
        return NULL;
    }
    PyObject **items = NULL;
    if (size > 0) {
        items = (size_t)size > PY_SSIZE_T_MAX / sizeof(PyObject *)
                    ? NULL
                    : PyMem_Calloc((size_t)size, sizeof(PyObject *));
        if (items == NULL) {
            return PyErr_NoMemory();
        }
    }
    PyListObject *self = PyObject_GC_New(PyListObject, &PyList_Type);
    if (self == NULL) {
        PyMem_Free(items);
        return NULL;
    }
    self->ob_item = items;
    self->allocated = size;
    Py_SET_SIZE(self, size);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

/* --- one item ----------------------------------------------------------------------------------------- */

static bool
require_list(PyObject *op)
{
    if (op != NULL && PyList_Check(op)) {
        return true;
    }
    PyErr_BadInternalCall();
    return false;
}

static bool
list_has_index(PyObject *list, Py_ssize_t index, const char *message)
{
    if ((size_t)index < (size_t)PyList_GET_SIZE(list)) {
        return true;
    }
    PyErr_SetString(PyExc_IndexError, message);
    return false;
}

Py_ssize_t
PyList_Size(PyObject *list)
{
    return require_list(list) ? PyList_GET_SIZE(list) : -1;
}

PyObject *
PyList_GetItem(PyObject *list, Py_ssize_t index)
{
    if (!require_list(list) || !list_has_index(list, index, "list index out of range")) {
        return NULL;
    }
    return PyList_GET_ITEM(list, index);
}

PyObject *
PyList_GetItemRef(PyObject *list, Py_ssize_t index)
{
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "expected a list");
        return NULL;
    }
    if (!list_has_index(list, index, "list index out of range")) {
        return NULL;
    }
    return Py_NewRef(PyList_GET_ITEM(list, index));
}

int
PyList_SetItem(PyObject *list, Py_ssize_t index, PyObject *item)
{
    if (!require_list(list) ||
        !list_has_index(list, index, "list assignment index out of range")) {
        Py_XDECREF(item);
        return -1;
    }
    PyObject *old = PyList_GET_ITEM(list, index);
    PyList_SET_ITEM(list, index, item);
    Py_XDECREF(old);
    return 0;
}

int
PyList_Append(PyObject *list, PyObject *item)
{
    if (!require_list(list) || item == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    PyListObject *self = _PyList_CAST(list);
    Py_ssize_t size = Py_SIZE(self);
    if (list_reserve(self, size + 1) < 0) {
        return -1;
    }
    self->ob_item[size] = Py_NewRef(item);
    Py_SET_SIZE(self, size + 1);
    return 0;
}

int
PyList_Insert(PyObject *list, Py_ssize_t index, PyObject *item)
{
    if (!require_list(list) || item == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    PyListObject *self = _PyList_CAST(list);
    Py_ssize_t size = Py_SIZE(self);
    if (list_reserve(self, size + 1) < 0) {
        return -1;
    }
    index = index < 0 ? index + size : index;
    index = index < 0 ? 0 : index > size ? size : index;
    memmove(self->ob_item + index + 1, self->ob_item + index,
            (size_t)(size - index) * sizeof(PyObject *));
    self->ob_item[index] = Py_NewRef(item);
    Py_SET_SIZE(self, size + 1);
    return 0;
}

/* --- many items ---------------------------------------------------------------------------------------- */

/* Replace items low .. high-1 by `count` new ones, whose references are stolen, also on
 * failure. low and high are in range. */
static int
list_splice(PyListObject *self, Py_ssize_t low, Py_ssize_t high, PyObject **items,
            Py_ssize_t count)
{
    Py_ssize_t size = Py_SIZE(self), cut = high - low;
    if (cut == 0 && count == 0) {
        return 0; /* there may be no array at all */
    }
    /* Keep removed items aside until the list is whole again. Removing a few items needs no
     * memory, so it cannot fail: Py_ReprLeave relies on that. */
    PyObject *few[8];
    PyObject **many = cut <= 8 ? NULL : PyMem_New(PyObject *, cut);
    PyObject **recycled = cut <= 8 ? few : many;
    if (recycled == NULL) {
        PyErr_NoMemory();
        goto undo_items;
    }
    if (list_reserve(self, size - cut + count) < 0) {
        goto undo_items;
    }
    PyObject **place = self->ob_item + low;
    if (cut > 0) {
        memcpy(recycled, place, (size_t)cut * sizeof(PyObject *));
    }
    if (size > high) {
        memmove(place + count, place + cut, (size_t)(size - high) * sizeof(PyObject *));
    }
    if (count > 0) {
        memcpy(place, items, (size_t)count * sizeof(PyObject *));
    }
    Py_SET_SIZE(self, size - cut + count);
    list_shrink(self);
    release_items(recycled, cut);
    PyMem_Free(many);
    return 0;

undo_items:
    PyMem_Free(many);
    release_items(items, count);
    return -1;
}

static PyObject *
tuple_of_items(PyObject *iterable)
{
    PyObject *fast = PySequence_Fast(iterable, "can only assign an iterable");
    PyObject *items = fast == NULL ? NULL : PySequence_Tuple(fast);
    Py_XDECREF(fast);
    return items;
}

int
PyList_SetSlice(PyObject *list, Py_ssize_t low, Py_ssize_t high, PyObject *itemlist)
{
    if (!require_list(list)) {
        return -1;
    }
    /* A tuple of its own: the items may be those of this list, and iterating may change it. */
    PyObject *items = itemlist == NULL ? PyTuple_New(0) : tuple_of_items(itemlist);
    if (items == NULL) {
        return -1;
    }
    Py_ssize_t size = PyList_GET_SIZE(list), count = PyTuple_GET_SIZE(items);
    low = low < 0 ? 0 : low > size ? size : low;
    high = high < low ? low : high > size ? size : high;
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_INCREF(PyTuple_GET_ITEM(items, i));
    }
    int result = list_splice(_PyList_CAST(list), low, high, _PyTuple_ITEMS(items), count);
    Py_DECREF(items);
    return result;
}

/* Append from an iterator. */
static int
list_extend_from(PyObject *list, PyObject *iterator)
{
    PyObject *item;
    while ((item = PyIter_Next(iterator)) != NULL) {
        int failed = PyList_Append(list, item);
        Py_DECREF(item);
        if (failed) {
            return -1;
        }
    }
    return PyErr_Occurred() ? -1 : 0;
}

int
PyList_Extend(PyObject *list, PyObject *iterable)
{
    if (!require_list(list)) {
        return -1;
    }
    if (PyList_CheckExact(iterable) || PyTuple_CheckExact(iterable)) {
        return PyList_SetSlice(list, PyList_GET_SIZE(list), PY_SSIZE_T_MAX, iterable);
    }
    PyObject *iterator = PyObject_GetIter(iterable);
    if (iterator == NULL) {
        return -1;
    }
    int result = list_extend_from(list, iterator);
    Py_DECREF(iterator);
    return result;
}

int
PyList_Clear(PyObject *list)
{
    if (!require_list(list)) {
        return -1;
    }
    list_empty(_PyList_CAST(list));
    return 0;
}

PyObject *
PyList_GetSlice(PyObject *list, Py_ssize_t low, Py_ssize_t high)
{
    if (!require_list(list)) {
        return NULL;
    }
    Py_ssize_t size = PyList_GET_SIZE(list);
    low = low < 0 ? 0 : low > size ? size : low;
    high = high < low ? low : high > size ? size : high;
    /* Allocating may run a collection, and a finalizer may then shorten this list. */
    PyObject *copy = PyList_New(high - low);
    if (copy == NULL) {
        return NULL;
    }
    size = PyList_GET_SIZE(list);
    for (Py_ssize_t i = 0; i < high - low; i++) {
        bool there = low + i < size;
        PyList_SET_ITEM(copy, i,
                        there ? Py_NewRef(PyList_GET_ITEM(list, low + i)) : NULL);
    }
    if (high > size) {
        Py_SET_SIZE(copy, size > low ? size - low : 0);
    }
    return copy;
}

PyObject *
PyList_AsTuple(PyObject *list)
{
    if (!require_list(list)) {
        return NULL;
    }
    while (true) {
        Py_ssize_t size = PyList_GET_SIZE(list);
        PyObject *tuple = PyTuple_New(size);
        if (tuple == NULL) {
            return NULL;
        }
        /* Unless a collection inside PyTuple_New changed the list. */
        if (size == PyList_GET_SIZE(list)) {
            for (Py_ssize_t i = 0; i < size; i++) {
                PyTuple_SET_ITEM(tuple, i, Py_NewRef(PyList_GET_ITEM(list, i)));
            }
            return tuple;
        }
        Py_DECREF(tuple);
    }
}

int
PyList_Reverse(PyObject *list)
{
    if (!require_list(list)) {
        return -1;
    }
    Py_ssize_t size = PyList_GET_SIZE(list);
    PyObject **items = _PyList_CAST(list)->ob_item;
    for (Py_ssize_t i = 0; i < size / 2; i++) {
        PyObject *swap = items[i];
        items[i] = items[size - 1 - i];
        items[size - 1 - i] = swap;
    }
    return 0;
}

int
PyList_Sort(PyObject *list)
{
    return require_list(list) ? ouro_list_sort(_PyList_CAST(list), NULL, false) : -1;
}

/* --- slots ----------------------------------------------------------------------------------------------- */

static int
list_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyListObject *list = _PyList_CAST(self);
    for (Py_ssize_t i = Py_SIZE(list) - 1; i >= 0; i--) {
        Py_VISIT(list->ob_item[i]);
    }
    return 0;
}

static Py_ssize_t
list_traverse_part(PyObject *self, Py_ssize_t from, visitproc visit, void *arg)
{
    PyListObject *list = _PyList_CAST(self);
    Py_ssize_t left = Py_SIZE(list) - from;
    Py_ssize_t end = from + (left < _Py_TRAVERSE_PART ? left : _Py_TRAVERSE_PART);
    for (Py_ssize_t i = from; i < end; i++) {
        Py_VISIT(list->ob_item[i]);
    }
    return left > _Py_TRAVERSE_PART ? end : -1;
}

static int
list_clear(PyObject *self)
{
    list_empty(_PyList_CAST(self));
    return 0;
}

static void
list_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyListObject *list = _PyList_CAST(self);
    release_items(list->ob_item, Py_SIZE(list));
    PyMem_Free(list->ob_item);
    Py_TYPE(self)->tp_free(self);
}

/* For the collector; the handlers are list's own. */
OURO_F_LIST(PyListObject, OURO_COUNTED(ob_item, ob_base.ob_size, PyMem_Free));
static const Ouro_Fields list_fields = {
    .list = PyListObject_ouro_list, .clear = list_clear, .dealloc = list_dealloc};

static Py_ssize_t
list_length(PyObject *self)
{
    return PyList_GET_SIZE(self);
}

static PyObject *
list_repr(PyObject *self)
{
    if (PyList_GET_SIZE(self) == 0) {
        return PyUnicode_FromString("[]");
    }
    int entered = Py_ReprEnter(self);
    if (entered != 0) {
        return entered > 0 ? PyUnicode_FromString("[...]") : NULL;
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(PyList_GET_SIZE(self) * 3);
    PyObject *result = NULL;
    if (writer == NULL || PyUnicodeWriter_WriteChar(writer, '[') < 0) {
        goto done;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(self); i++) {
        PyObject *item = Py_XNewRef(PyList_GET_ITEM(self, i));
        int failed = (i > 0 && PyUnicodeWriter_WriteASCII(writer, ", ", 2) < 0) ||
                     PyUnicodeWriter_WriteRepr(writer, item) < 0;
        Py_XDECREF(item);
        if (failed) {
            goto done;
        }
    }
    if (PyUnicodeWriter_WriteChar(writer, ']') == 0) {
        result = PyUnicodeWriter_Finish(writer);
        writer = NULL;
    }
done:
    PyUnicodeWriter_Discard(writer);
    Py_ReprLeave(self);
    return result;
}

/* Compare two items by ==, keeping them alive meanwhile. */
static int
items_are_equal(PyObject *a, PyObject *b)
{
    Py_INCREF(a);
    Py_INCREF(b);
    int equal = PyObject_RichCompareBool(a, b, Py_EQ);
    Py_DECREF(a);
    Py_DECREF(b);
    return equal;
}

static PyObject *
list_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyList_Check(a) || !PyList_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (PyList_GET_SIZE(a) != PyList_GET_SIZE(b) && (op == Py_EQ || op == Py_NE)) {
        return PyBool_FromLong(op == Py_NE);
    }
    Py_ssize_t i = 0;
    for (; i < PyList_GET_SIZE(a) && i < PyList_GET_SIZE(b); i++) {
        int equal = items_are_equal(PyList_GET_ITEM(a, i), PyList_GET_ITEM(b, i));
        if (equal < 0) {
            return NULL;
        }
        if (!equal) {
            break;
        }
    }
    if (i >= PyList_GET_SIZE(a) || i >= PyList_GET_SIZE(b)) {
        Py_RETURN_RICHCOMPARE(PyList_GET_SIZE(a), PyList_GET_SIZE(b), op);
    }
    if (op == Py_EQ || op == Py_NE) {
        return PyBool_FromLong(op == Py_NE);
    }
    PyObject *x = Py_NewRef(PyList_GET_ITEM(a, i)), *y = Py_NewRef(PyList_GET_ITEM(b, i));
    PyObject *result = PyObject_RichCompare(x, y, op);
    Py_DECREF(x);
    Py_DECREF(y);
    return result;
}

static PyObject *
list_item(PyObject *self, Py_ssize_t index)
{
    if (!list_has_index(self, index, "list index out of range")) {
        return NULL;
    }
    return Py_NewRef(PyList_GET_ITEM(self, index));
}

int
ouro_list_ass_item(PyObject *self, Py_ssize_t index, PyObject *value)
{
    if (!list_has_index(self, index, "list assignment index out of range")) {
        return -1;
    }
    if (value == NULL) {
        return list_splice(_PyList_CAST(self), index, index + 1, NULL, 0);
    }
    return PyList_SetItem(self, index, Py_NewRef(value));
}

static PyObject *
list_concat(PyObject *a, PyObject *b)
{
    if (!PyList_Check(b)) {
        return PyErr_Format(PyExc_TypeError,
                            "can only concatenate list (not \"%.200s\") to list",
                            Py_TYPE(b)->tp_name);
    }
    PyObject *sum = PyList_GetSlice(a, 0, PY_SSIZE_T_MAX);
    if (sum != NULL && PyList_SetSlice(sum, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, b) < 0) {
        Py_CLEAR(sum);
    }
    return sum;
}

static PyObject *
list_inplace_concat(PyObject *self, PyObject *other)
{
    return PyList_Extend(self, other) < 0 ? NULL : Py_NewRef(self);
}

/* Append count - 1 copies of the items. */
static int
list_multiply(PyListObject *self, Py_ssize_t count)
{
    Py_ssize_t size = Py_SIZE(self);
    if (count > 1 && size > PY_SSIZE_T_MAX / count) {
        PyErr_NoMemory();
        return -1;
    }
    if (list_reserve(self, size * count) < 0) {
        return -1;
    }
    for (Py_ssize_t i = size; i < size * count; i++) {
        self->ob_item[i] = Py_NewRef(self->ob_item[i - size]);
    }
    Py_SET_SIZE(self, size * count);
    return 0;
}

static PyObject *
list_repeat(PyObject *self, Py_ssize_t count)
{
    PyObject *result = PyList_GetSlice(self, 0, count <= 0 ? 0 : PY_SSIZE_T_MAX);
    if (result != NULL && PyList_GET_SIZE(result) > 0 &&
        list_multiply(_PyList_CAST(result), count) < 0) {
        Py_CLEAR(result);
    }
    return result;
}

static PyObject *
list_inplace_repeat(PyObject *self, Py_ssize_t count)
{
    if (count <= 0) {
        list_empty(_PyList_CAST(self));
    } else if (PyList_GET_SIZE(self) > 0 &&
               list_multiply(_PyList_CAST(self), count) < 0) {
        return NULL;
    }
    return Py_NewRef(self);
}

static int
list_contains(PyObject *self, PyObject *value)
{
    int found = 0;
    for (Py_ssize_t i = 0; found == 0 && i < PyList_GET_SIZE(self); i++) {
        found = items_are_equal(PyList_GET_ITEM(self, i), value);
    }
    return found;
}

static int
list_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if ((Py_IS_TYPE(self, &PyList_Type) && !ouro_args_positional("list", kwargs)) ||
        !ouro_args_between("list", PyTuple_GET_SIZE(args), 0, 1)) {
        return -1;
    }
    list_empty(_PyList_CAST(self));
    return PyTuple_GET_SIZE(args) == 0 ? 0
                                       : PyList_Extend(self, PyTuple_GET_ITEM(args, 0));
}

static PySequenceMethods list_as_sequence = {
    .sq_length = list_length,
    .sq_concat = list_concat,
    .sq_repeat = list_repeat,
    .sq_item = list_item,
    .sq_ass_item = ouro_list_ass_item,
    .sq_contains = list_contains,
    .sq_inplace_concat = list_inplace_concat,
    .sq_inplace_repeat = list_inplace_repeat,
};

static PyMappingMethods list_as_mapping = {
    .mp_length = list_length,
    .mp_subscript = ouro_list_subscript,
    .mp_ass_subscript = ouro_list_ass_subscript,
};

PyTypeObject PyList_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "list",
    .tp_basicsize = sizeof(PyListObject),
    .tp_dealloc = list_dealloc,
    .tp_repr = list_repr,
    .tp_as_sequence = &list_as_sequence,
    .tp_as_mapping = &list_as_mapping,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_SEQUENCE,
    .tp_doc = "list(iterable=(), /)\n--\n\nA sequence that can change.",
    .tp_traverse = list_traverse,
    .tp_ouro_traverse_part = list_traverse_part,
    .tp_ouro_fields = &list_fields,
    .tp_clear = list_clear,
    .tp_richcompare = list_richcompare,
    .tp_iter = ouro_list_iter,
    .tp_init = list_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = PyType_GenericNew,
    .tp_free = PyObject_GC_Del,
};
