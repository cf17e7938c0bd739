/* SPDX-License-Identifier: MIT */
/* What the views of keys and items have in common with sets: operators, comparisons and
 * isdisjoint. Operators accept any iterable on either side, and return a new set. */
#include "set_object.h"

/* Add to `result` the items of `a` that are in `b`, or that are not: `wanted` says which.
 * Only what is added needs to be hashed. */
static int
add_items_where(PyObject *result, PyObject *a, PyObject *b, int wanted)
{
    PyObject *iterator = PyObject_GetIter(a), *item;
    int failed = iterator == NULL ? -1 : 0;
    while (failed == 0 && (failed = PyIter_NextItem(iterator, &item)) > 0) {
        int found = PySequence_Contains(b, item);
        failed = found == wanted ? PySet_Add(result, item) : found < 0 ? -1 : 0;
        Py_DECREF(item);
    }
    Py_XDECREF(iterator);
    return failed;
}

/* `result` unless something failed. */
static PyObject *
set_unless_failed(PyObject *result, int failed)
{
    if (failed < 0) {
        Py_DECREF(result);
        return NULL;
    }
    return result;
}

static PyObject *
dict_view_and(PyObject *a, PyObject *b)
{
    bool swap = !PyDictViewSet_Check(a) ||
                (PyDictViewSet_Check(b) && PyObject_Size(b) > PyObject_Size(a));
    PyObject *view = swap ? b : a, *other = swap ? a : b;
    PyObject *result = PySet_New(NULL);
    return result == NULL
               ? NULL
               : set_unless_failed(result, add_items_where(result, other, view, 1));
}

/* A set of `a`, changed with `b`. */
static PyObject *
change_set_of(PyObject *a, PyObject *b, int (*update)(PyObject *, PyObject *))
{
    PyObject *result = PySet_New(a);
    return result == NULL ? NULL : set_unless_failed(result, update(result, b));
}

static PyObject *
dict_view_or(PyObject *a, PyObject *b)
{
    return change_set_of(a, b, ouro_set_update);
}

static PyObject *
dict_view_subtract(PyObject *a, PyObject *b)
{
    return change_set_of(a, b, ouro_set_difference_update);
}

static PyObject *
dict_view_xor(PyObject *a, PyObject *b)
{
    if (!PyDictViewSet_Check(a) || !PyDictViewSet_Check(b)) {
        return change_set_of(a, b, ouro_set_symmetric_difference_update);
    }
    PyObject *result = PySet_New(NULL);
    if (result == NULL) {
        return NULL;
    }
    int failed = add_items_where(result, a, b, 0);
    return set_unless_failed(result, failed < 0 ? -1 : add_items_where(result, b, a, 0));
}

PyNumberMethods ouro_dict_view_as_number = {
    .nb_subtract = dict_view_subtract,
    .nb_and = dict_view_and,
    .nb_xor = dict_view_xor,
    .nb_or = dict_view_or,
};

/* --- questions ------------------------------------------------------------------------------------------ */

/* Is there an item of `a` that is in `b`, or that is not: `wanted` says which? 1 or 0; -1
 * with an exception. */
static int
any_item_where(PyObject *a, PyObject *b, int wanted)
{
    PyObject *iterator = PyObject_GetIter(a), *item;
    int failed = iterator == NULL ? -1 : 0;
    bool stop = false;
    while (failed == 0 && !stop && (failed = PyIter_NextItem(iterator, &item)) > 0) {
        int found = PySequence_Contains(b, item);
        Py_DECREF(item);
        stop = found == wanted;
        failed = found < 0 ? -1 : 0;
    }
    Py_XDECREF(iterator);
    return failed < 0 ? -1 : stop;
}

/* Is every item of `a` in `b`? */
static int
items_are_within(PyObject *a, PyObject *b)
{
    int missing = any_item_where(a, b, 0);
    return missing < 0 ? -1 : !missing;
}

static bool
is_set_or_view(PyObject *op)
{
    return PyAnySet_Check(op) || PyDictViewSet_Check(op);
}

PyObject *
ouro_dict_view_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!is_set_or_view(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    Py_ssize_t na = PyObject_Size(a), nb = PyObject_Size(b);
    if (na < 0 || nb < 0) {
        return NULL;
    }
    int result;
    switch (op) {
    case Py_EQ:
    case Py_NE:
        result = na == nb ? items_are_within(a, b) : 0;
        break;
    case Py_LT:
    case Py_LE:
        result = na < nb + (op == Py_LE) ? items_are_within(a, b) : 0;
        break;
    default:
        result = nb < na + (op == Py_GE) ? items_are_within(b, a) : 0;
        break;
    }
    return result < 0 ? NULL : PyBool_FromLong(op == Py_NE ? !result : result);
}

PyObject *
ouro_dict_view_isdisjoint(PyObject *self, PyObject *other)
{
    bool swap = is_set_or_view(other) && PyObject_Size(other) > PyObject_Size(self);
    int common = swap ? any_item_where(self, other, 1) : any_item_where(other, self, 1);
    return common < 0 ? NULL : PyBool_FromLong(!common);
}
