/* SPDX-License-Identifier: MIT */
/* The methods of list and tuple, for callers that go through attributes. */
#include "list_object.h"

#include <stdbool.h>

#include "arguments.h"
#include "method_tables.h"

/* None, or NULL when a call failed. */
static PyObject *
none_unless_failed(int result)
{
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
list_append_method(PyObject *self, PyObject *item)
{
    return none_unless_failed(PyList_Append(self, item));
}

static PyObject *
list_extend_method(PyObject *self, PyObject *iterable)
{
    return none_unless_failed(PyList_Extend(self, iterable));
}

static PyObject *
list_clear_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return none_unless_failed(PyList_Clear(self));
}

static PyObject *
list_reverse_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return none_unless_failed(PyList_Reverse(self));
}

/* sort(*, key=None, reverse=False) */
static PyObject *
list_sort_method(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"key", "reverse", NULL};
    PyObject *key = NULL;
    int reverse = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$Op:sort", names, &key, &reverse)) {
        return NULL;
    }
    key = key == Py_None ? NULL : key;
    return none_unless_failed(ouro_list_sort((PyListObject *)self, key, reverse != 0));
}

static PyObject *
list_copy_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyList_GetSlice(self, 0, PY_SSIZE_T_MAX);
}

static PyObject *
list_insert_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (!ouro_args_between("insert", nargs, 2, 2)) {
        return NULL;
    }
    Py_ssize_t index = PyNumber_AsSsize_t(args[0], NULL);
    if (index == -1 && PyErr_Occurred()) {
        return NULL;
    }
    return none_unless_failed(PyList_Insert(self, index, args[1]));
}

static PyObject *
list_pop_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (!ouro_args_between("pop", nargs, 0, 1)) {
        return NULL;
    }
    Py_ssize_t index = nargs == 0 ? -1 : PyNumber_AsSsize_t(args[0], PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) {
        return NULL;
    }
    Py_ssize_t size = PyList_GET_SIZE(self);
    index = index < 0 ? index + size : index;
    if (index < 0 || index >= size) {
        PyErr_SetString(PyExc_IndexError,
                        size == 0 ? "pop from empty list" : "pop index out of range");
        return NULL;
    }
    PyObject *item = Py_NewRef(PyList_GET_ITEM(self, index));
    if (PyList_SetSlice(self, index, index + 1, NULL) < 0) {
        Py_CLEAR(item);
    }
    return item;
}

static PyObject *
list_remove_method(PyObject *self, PyObject *value)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(self); i++) {
        PyObject *item = Py_NewRef(PyList_GET_ITEM(self, i));
        int equal = PyObject_RichCompareBool(item, value, Py_EQ);
        Py_DECREF(item);
        if (equal != 0) {
            return none_unless_failed(equal < 0 ? -1
                                                : PyList_SetSlice(self, i, i + 1, NULL));
        }
    }
    PyErr_SetString(PyExc_ValueError, "list.remove(x): x not in list");
    return NULL;
}

/* --- list and tuple ------------------------------------------------------------------------------------ */

static PyObject *
sequence_count_method(PyObject *self, PyObject *value)
{
    Py_ssize_t count = PySequence_Count(self, value);
    return count < 0 ? NULL : PyLong_FromSsize_t(count);
}

/* An index of the methods below, cut to the sequence; -1 with an exception. */
static Py_ssize_t
bound_of_search(PyObject *arg, Py_ssize_t size)
{
    if (!PyIndex_Check(arg)) {
        PyErr_SetString(PyExc_TypeError,
                        "slice indices must be integers or have an __index__ method");
        return -1;
    }
    Py_ssize_t index = PyNumber_AsSsize_t(arg, NULL);
    if (index == -1 && PyErr_Occurred()) {
        return -1;
    }
    index = index < 0 ? index + size : index;
    return index < 0 ? 0 : index;
}

/* index(value[, start[, stop]]) */
static PyObject *
sequence_index_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (!ouro_args_between("index", nargs, 1, 3)) {
        return NULL;
    }
    Py_ssize_t size = Py_SIZE(self);
    Py_ssize_t start = nargs > 1 ? bound_of_search(args[1], size) : 0;
    Py_ssize_t stop =
        nargs > 2 && start >= 0 ? bound_of_search(args[2], size) : PY_SSIZE_T_MAX;
    if (start < 0 || stop < 0) {
        return NULL;
    }
    for (Py_ssize_t i = start; i < stop && i < Py_SIZE(self); i++) {
        PyObject *item = PySequence_GetItem(self, i);
        int equal = item == NULL ? -1 : PyObject_RichCompareBool(item, args[0], Py_EQ);
        Py_XDECREF(item);
        if (equal != 0) {
            return equal < 0 ? NULL : PyLong_FromSsize_t(i);
        }
    }
    return PyList_Check(self)
               ? PyErr_Format(PyExc_ValueError, "%R is not in list", args[0])
               : PyErr_Format(PyExc_ValueError, "tuple.index(x): x not in tuple");
}

static PyObject *
list_sizeof_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    size_t items = (size_t)((PyListObject *)self)->allocated;
    return PyLong_FromSize_t((size_t)Py_TYPE(self)->tp_basicsize +
                             items * sizeof(PyObject *));
}

PyMethodDef ouro_list_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "Return the type with its parameters filled in."},
    {"__sizeof__", list_sizeof_method, METH_NOARGS, "Return the size in bytes."},
    {"append", list_append_method, METH_O, "Append an object to the end of the list."},
    {"clear", list_clear_method, METH_NOARGS, "Remove all items from the list."},
    {"copy", list_copy_method, METH_NOARGS, "Return a shallow copy of the list."},
    {"count", sequence_count_method, METH_O,
     "Return the number of occurrences of a value."},
    {"extend", list_extend_method, METH_O, "Append all items of an iterable."},
    {"index", _PyCFunction_CAST(sequence_index_method), METH_FASTCALL,
     "Return the first index of a value."},
    {"insert", _PyCFunction_CAST(list_insert_method), METH_FASTCALL,
     "Insert an object before an index."},
    {"pop", _PyCFunction_CAST(list_pop_method), METH_FASTCALL,
     "Remove and return the item at an index, the last by default."},
    {"remove", list_remove_method, METH_O, "Remove the first occurrence of a value."},
    {"reverse", list_reverse_method, METH_NOARGS, "Reverse the list in place."},
    {"__reversed__", ouro_list_reversed, METH_NOARGS,
     "Return an iterator that goes backwards."},
    {"sort", _PyCFunction_CAST(list_sort_method), METH_VARARGS | METH_KEYWORDS,
     "Sort the list in place, by <, stable."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef ouro_tuple_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "Return the type with its parameters filled in."},
    {"count", sequence_count_method, METH_O,
     "Return the number of occurrences of a value."},
    {"index", _PyCFunction_CAST(sequence_index_method), METH_FASTCALL,
     "Return the first index of a value."},
    {NULL, NULL, 0, NULL},
};
