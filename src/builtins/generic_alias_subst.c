/* SPDX-License-Identifier: MIT */
/* Parameters of generic aliases, and filling them in: list[T][int].
 *
 * A parameter is any object with __typing_subst__, a method that says what takes its place.
 * An argument with __parameters__, such as another alias, has parameters inside. */
#include "generic_alias.h"

#include <stdbool.h>

static bool
has_no_parameters(PyObject *argument)
{
    return PyType_Check(argument); /* the usual case, and types are what they are */
}

/* 1 if `argument` is a parameter, else 0; -1 with an exception. */
static int
is_type_parameter(PyObject *argument)
{
    return has_no_parameters(argument)
               ? 0
               : PyObject_HasAttrStringWithError(argument, "__typing_subst__");
}

/* The parameters inside an argument: 1 and a tuple that is not empty, 0, or -1. */
static int
parameters_inside(PyObject *argument, PyObject **parameters)
{
    *parameters = NULL;
    int found =
        has_no_parameters(argument)
            ? 0
            : PyObject_GetOptionalAttrString(argument, "__parameters__", parameters);
    if (found > 0 &&
        (!PyTuple_Check(*parameters) || PyTuple_GET_SIZE(*parameters) == 0)) {
        Py_CLEAR(*parameters);
        found = 0;
    }
    return found;
}

static int
append_once(PyObject *list, PyObject *parameter)
{
    int known = PySequence_Contains(list, parameter);
    return known != 0 ? (known < 0 ? -1 : 0) : PyList_Append(list, parameter);
}

/* Append the parameters of one argument to a list. 0 or -1. */
static int
collect_from(PyObject *argument, PyObject *list)
{
    int result = is_type_parameter(argument);
    if (result != 0) {
        return result < 0 ? -1 : append_once(list, argument);
    }
    PyObject *inside;
    result = parameters_inside(argument, &inside);
    for (Py_ssize_t i = 0; result > 0 && i < PyTuple_GET_SIZE(inside); i++) {
        if (append_once(list, PyTuple_GET_ITEM(inside, i)) < 0) {
            result = -1;
        }
    }
    Py_XDECREF(inside);
    return result < 0 ? -1 : 0;
}

PyObject *
ouro_alias_collect_parameters(PyObject *args)
{
    PyObject *list = PyList_New(0), *tuple = NULL;
    if (list == NULL) {
        return NULL;
    }
    Py_ssize_t i = 0, count = PyTuple_GET_SIZE(args);
    while (i < count && collect_from(PyTuple_GET_ITEM(args, i), list) == 0) {
        i++;
    }
    if (i == count) {
        tuple = PyList_AsTuple(list);
    }
    Py_DECREF(list);
    return tuple;
}

/* --- filling in ------------------------------------------------------------------------------ */

/* The item that takes the place of `parameter`, borrowed; NULL with TypeError. */
static PyObject *
item_for(PyObject *parameter, PyObject *parameters, PyObject *items)
{
    Py_ssize_t place = PySequence_Index(parameters, parameter);
    return place < 0 ? NULL : PyTuple_GET_ITEM(items, place);
}

/* An argument with parameters inside, with those filled in. Takes `inside`. */
static PyObject *
fill_inside(PyObject *argument, PyObject *inside, PyObject *parameters, PyObject *items)
{
    Py_ssize_t count = PyTuple_GET_SIZE(inside);
    PyObject *key = PyTuple_New(count), *filled = NULL;
    for (Py_ssize_t i = 0; key != NULL && i < count; i++) {
        PyObject *item = item_for(PyTuple_GET_ITEM(inside, i), parameters, items);
        if (item == NULL) {
            Py_CLEAR(key);
        } else {
            PyTuple_SET_ITEM(key, i, Py_NewRef(item));
        }
    }
    if (key != NULL) {
        filled = PyObject_GetItem(argument, key);
        Py_DECREF(key);
    }
    Py_DECREF(inside);
    return filled;
}

static PyObject *
fill_argument(PyObject *argument, PyObject *parameters, PyObject *items)
{
    int result = is_type_parameter(argument);
    if (result > 0) {
        PyObject *item = item_for(argument, parameters, items);
        PyObject *name =
            item == NULL ? NULL : PyUnicode_InternFromString("__typing_subst__");
        PyObject *filled =
            name == NULL ? NULL : PyObject_CallMethodObjArgs(argument, name, item, NULL);
        Py_XDECREF(name);
        return filled;
    }
    PyObject *inside = NULL;
    if (result == 0) {
        result = parameters_inside(argument, &inside);
    }
    if (result <= 0) {
        return result < 0 ? NULL : Py_NewRef(argument);
    }
    return fill_inside(argument, inside, parameters, items);
}

PyObject *
ouro_alias_substitute(PyObject *alias, PyObject *parameters, PyObject *item)
{
    Py_ssize_t expected = PyTuple_GET_SIZE(parameters);
    if (expected == 0) {
        return PyErr_Format(PyExc_TypeError, "%R is not a generic class", alias);
    }
    PyObject *items = PyTuple_Check(item) ? Py_NewRef(item) : PyTuple_Pack(1, item);
    if (items == NULL) {
        return NULL;
    }
    PyObject *args = OURO_ALIAS(alias)->args, *filled = NULL;
    if (PyTuple_GET_SIZE(items) != expected) {
        PyErr_Format(PyExc_TypeError, "Too %s arguments for %R; actual %zd, expected %zd",
                     PyTuple_GET_SIZE(items) > expected ? "many" : "few", alias,
                     PyTuple_GET_SIZE(items), expected);
    } else {
        filled = PyTuple_New(PyTuple_GET_SIZE(args));
    }
    for (Py_ssize_t i = 0; filled != NULL && i < PyTuple_GET_SIZE(args); i++) {
        PyObject *one = fill_argument(PyTuple_GET_ITEM(args, i), parameters, items);
        if (one == NULL) {
            Py_CLEAR(filled);
        } else {
            PyTuple_SET_ITEM(filled, i, one);
        }
    }
    Py_DECREF(items);
    return filled;
}
