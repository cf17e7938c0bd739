/* SPDX-License-Identifier: MIT */
/* Subscripts of list and tuple: an index, or a slice with any step.
 *
 * Reading an index or a slice may run any code. So the size is read afterwards, and then no
 * other code runs until the items are in place. */
#include "list_object.h"

#include <stdbool.h>

/* A slice cut to a sequence: `count` items, `step` apart, from `start` on. */
struct slice_range {
    Py_ssize_t start, stop, step, count;
};

/* Cut the slice to a sequence of this size. */
static void
fit_slice(struct slice_range *range, Py_ssize_t size)
{
    range->count = PySlice_AdjustIndices(size, &range->start, &range->stop, range->step);
}

static bool
read_slice(PyObject *slice, struct slice_range *range)
{
    range->count = 0;
    return PySlice_Unpack(slice, &range->start, &range->stop, &range->step) == 0;
}

/* Read an index; one that is negative counts from the end. False with an exception. */
static bool
read_index(PyObject *self, PyObject *key, const char *type, Py_ssize_t *index)
{
    if (!PyIndex_Check(key)) {
        PyErr_Format(PyExc_TypeError, "%s indices must be integers or slices, not %.200s",
                     type, Py_TYPE(key)->tp_name);
        return false;
    }
    *index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (*index == -1 && PyErr_Occurred()) {
        return false;
    }
    *index += *index < 0 ? Py_SIZE(self) : 0;
    return true;
}

/* --- reading ----------------------------------------------------------------------------------------- */

static PyObject *
list_get_slice(PyObject *self, PyObject *slice)
{
    struct slice_range range;
    /* Before the size is read, because this may run a collection. */
    PyObject *result = PyList_New(0);
    if (result == NULL || !read_slice(slice, &range)) {
        Py_XDECREF(result);
        return NULL;
    }
    fit_slice(&range, PyList_GET_SIZE(self));
    for (Py_ssize_t i = 0; i < range.count; i++) {
        PyObject *item = PyList_GET_ITEM(self, range.start + i * range.step);
        if (PyList_Append(result, item) < 0) {
            Py_DECREF(result);
            return NULL;
        }
    }
    return result;
}

PyObject *
ouro_list_subscript(PyObject *self, PyObject *key)
{
    if (PySlice_Check(key)) {
        return list_get_slice(self, key);
    }
    Py_ssize_t index;
    return read_index(self, key, "list", &index) ? PyList_GetItemRef(self, index) : NULL;
}

static PyObject *
tuple_get_slice(PyObject *self, PyObject *slice)
{
    struct slice_range range;
    if (!read_slice(slice, &range)) {
        return NULL;
    }
    fit_slice(&range, PyTuple_GET_SIZE(self));
    if (range.step == 1) {
        return PyTuple_GetSlice(self, range.start, range.stop);
    }
    PyObject **picked = PyMem_New(PyObject *, range.count);
    if (picked == NULL) {
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < range.count; i++) {
        picked[i] = PyTuple_GET_ITEM(self, range.start + i * range.step);
    }
    PyObject *result = PyTuple_FromArray(picked, range.count);
    PyMem_Free(picked);
    return result;
}

PyObject *
ouro_tuple_subscript(PyObject *self, PyObject *key)
{
    if (PySlice_Check(key)) {
        return tuple_get_slice(self, key);
    }
    Py_ssize_t index;
    return read_index(self, key, "tuple", &index)
               ? Py_XNewRef(PyTuple_GetItem(self, index))
               : NULL;
}

/* --- changing ------------------------------------------------------------------------------------------ */

static void
release_all(PyObject **items, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_DECREF(items[i]);
    }
    PyMem_Free(items);
}

/* The same items from left to right. */
static void
turn_forwards(struct slice_range *range)
{
    if (range->step < 0 && range->count > 0) {
        range->start += range->step * (range->count - 1);
        range->step = -range->step;
    }
}

/* Delete items that do not stand side by side. They are released when the list is whole
 * again. */
static int
delete_scattered(PyObject *self, struct slice_range range)
{
    PyObject **gone = PyMem_New(PyObject *, range.count);
    if (gone == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    turn_forwards(&range);
    PyObject **items = _PyList_CAST(self)->ob_item;
    Py_ssize_t size = PyList_GET_SIZE(self), taken = 0, to = range.start;
    for (Py_ssize_t from = range.start; from < size; from++) {
        if (taken < range.count && from == range.start + taken * range.step) {
            gone[taken++] = items[from];
        } else {
            items[to++] = items[from];
        }
    }
    Py_SET_SIZE(self, size - taken);
    release_all(gone, taken);
    return 0;
}

static int
list_delete_slice(PyObject *self, PyObject *slice)
{
    struct slice_range range;
    if (!read_slice(slice, &range)) {
        return -1;
    }
    fit_slice(&range, PyList_GET_SIZE(self));
    if (range.count == 0) {
        return 0;
    }
    return range.step == 1 ? PyList_SetSlice(self, range.start, range.stop, NULL)
                           : delete_scattered(self, range);
}

/* Replace items by as many others; `values` is a list or tuple, but not `self`. */
static int
replace_scattered(PyObject *self, struct slice_range range, PyObject *values)
{
    if (PySequence_Fast_GET_SIZE(values) != range.count) {
        PyErr_Format(
            PyExc_ValueError,
            "attempt to assign sequence of size %zd to extended slice of size %zd",
            PySequence_Fast_GET_SIZE(values), range.count);
        return -1;
    }
    PyObject **gone = PyMem_New(PyObject *, range.count);
    if (gone == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject **items = _PyList_CAST(self)->ob_item;
    for (Py_ssize_t i = 0; i < range.count; i++) {
        PyObject **place = &items[range.start + i * range.step];
        gone[i] = *place;
        *place = Py_NewRef(PySequence_Fast_GET_ITEM(values, i));
    }
    release_all(gone, range.count);
    return 0;
}

static int
list_assign_slice(PyObject *self, PyObject *slice, PyObject *value)
{
    struct slice_range range;
    if (!read_slice(slice, &range)) {
        return -1;
    }
    PyObject *values =
        self == value ? PySequence_Tuple(value)
                      : PySequence_Fast(value, "must assign iterable to extended slice");
    if (values == NULL) {
        return -1;
    }
    fit_slice(&range, PyList_GET_SIZE(self));
    int result = range.step == 1 ? PyList_SetSlice(self, range.start, range.stop, values)
                                 : replace_scattered(self, range, values);
    Py_DECREF(values);
    return result;
}

int
ouro_list_ass_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    if (PySlice_Check(key)) {
        return value == NULL ? list_delete_slice(self, key)
                             : list_assign_slice(self, key, value);
    }
    Py_ssize_t index;
    return read_index(self, key, "list", &index) ? ouro_list_ass_item(self, index, value)
                                                 : -1;
}
