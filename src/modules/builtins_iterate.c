/* SPDX-License-Identifier: MIT */
/* Functions of builtins that go through iterables. */
#include "modules.h"

/* --- iterators -------------------------------------------------------------------------------- */

static PyObject *
builtin_iter(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *op, *sentinel = NULL;
    if (!PyArg_UnpackTuple(args, "iter", 1, 2, &op, &sentinel)) {
        return NULL;
    }
    if (sentinel == NULL) {
        return PyObject_GetIter(op);
    }
    if (!PyCallable_Check(op)) {
        return PyErr_Format(PyExc_TypeError, "iter(v, w): v must be callable");
    }
    return PyCallIter_New(op, sentinel);
}

/* The pending exception is StopIteration, or there is none: the iterator has ended. */
static bool
has_ended(void)
{
    return !PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_StopIteration);
}

static PyObject *
builtin_next(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *iterator, *fallback = NULL;
    if (!PyArg_UnpackTuple(args, "next", 1, 2, &iterator, &fallback)) {
        return NULL;
    }
    if (!PyIter_Check(iterator)) {
        return PyErr_Format(PyExc_TypeError, "'%.200s' object is not an iterator",
                            Py_TYPE(iterator)->tp_name);
    }
    if (Py_EnterRecursiveCall(" while getting the next item")) {
        return NULL;
    }
    PyObject *item = Py_TYPE(iterator)->tp_iternext(iterator);
    Py_LeaveRecursiveCall();
    if (item == NULL && fallback != NULL && has_ended()) {
        PyErr_Clear();
        return Py_NewRef(fallback);
    }
    if (item == NULL && !PyErr_Occurred()) {
        PyErr_SetNone(PyExc_StopIteration);
    }
    return item;
}

/* --- all, any ------------------------------------------------------------------------------------- */

/* Is there an item whose truth is `wanted`? 1, 0, or -1 with an exception. */
static int
find_truth(PyObject *iterable, int wanted)
{
    PyObject *iterator = PyObject_GetIter(iterable);
    if (iterator == NULL) {
        return -1;
    }
    PyObject *item;
    int status, found = 0;
    while (found == 0 && (status = PyIter_NextItem(iterator, &item)) != 0) {
        int truth = status < 0 ? -1 : PyObject_IsTrue(item);
        Py_XDECREF(item);
        found = truth < 0 ? -1 : truth == wanted;
    }
    Py_DECREF(iterator);
    return found;
}

static PyObject *
builtin_all(PyObject *Py_UNUSED(module), PyObject *iterable)
{
    int found = find_truth(iterable, 0);
    return found < 0 ? NULL : PyBool_FromLong(!found);
}

static PyObject *
builtin_any(PyObject *Py_UNUSED(module), PyObject *iterable)
{
    int found = find_truth(iterable, 1);
    return found < 0 ? NULL : PyBool_FromLong(found);
}

/* --- max, min --------------------------------------------------------------------------------------- */

/* What is compared for an item; a new reference, or NULL. */
static PyObject *
value_of_item(PyObject *item, PyObject *key)
{
    return key == NULL || key == Py_None ? Py_NewRef(item)
                                         : PyObject_CallOneArg(key, item);
}

/* The item that is greatest (Py_GT) or least (Py_LT); a new reference, NULL with an
 * exception, or without when there are no items. */
static PyObject *
find_extreme(PyObject *iterator, PyObject *key, int op)
{
    PyObject *best = NULL, *best_value = NULL, *item;
    int status;
    while ((status = PyIter_NextItem(iterator, &item)) > 0) {
        PyObject *value = value_of_item(item, key);
        status = value == NULL  ? -1
                 : best == NULL ? 1
                                : PyObject_RichCompareBool(value, best_value, op);
        if (status > 0) {
            Py_XSETREF(best, Py_NewRef(item));
            Py_XSETREF(best_value, Py_NewRef(value));
        }
        Py_XDECREF(value);
        Py_DECREF(item);
        if (status < 0) {
            break;
        }
    }
    Py_XDECREF(best_value);
    if (status < 0) {
        Py_CLEAR(best);
    }
    return best;
}

static PyObject *
find_extreme_argument(PyObject *args, PyObject *kwargs, int op, const char *name)
{
    static char *keywords[] = {"key", "default", NULL};
    PyObject *key = NULL, *fallback = NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count == 0) {
        return PyErr_Format(PyExc_TypeError, "%s expected at least 1 argument, got 0",
                            name);
    }
    char format[] = "|$OO:max";
    memcpy(format + 5, name, 3);
    PyObject *none = PyTuple_New(0);
    int parsed = none != NULL && PyArg_ParseTupleAndKeywords(none, kwargs, format,
                                                             keywords, &key, &fallback);
    Py_XDECREF(none);
    if (!parsed) {
        return NULL;
    }
    if (count > 1 && fallback != NULL) {
        return PyErr_Format(PyExc_TypeError,
                            "Cannot specify a default for %s() with multiple positional "
                            "arguments",
                            name);
    }
    PyObject *iterator = PyObject_GetIter(count > 1 ? args : PyTuple_GET_ITEM(args, 0));
    PyObject *best = iterator == NULL ? NULL : find_extreme(iterator, key, op);
    Py_XDECREF(iterator);
    if (best == NULL && !PyErr_Occurred()) {
        best = Py_XNewRef(fallback);
        if (best == NULL) {
            PyErr_Format(PyExc_ValueError, "%s() iterable argument is empty", name);
        }
    }
    return best;
}

static PyObject *
builtin_max(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    return find_extreme_argument(args, kwargs, Py_GT, "max");
}

static PyObject *
builtin_min(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    return find_extreme_argument(args, kwargs, Py_LT, "min");
}

/* --- sum, sorted ---------------------------------------------------------------------------------------- */

/* `sum` is taken. */
static PyObject *
add_items(PyObject *iterator, PyObject *sum)
{
    PyObject *item;
    int status = 0;
    while (sum != NULL && (status = PyIter_NextItem(iterator, &item)) > 0) {
        Py_SETREF(sum, PyNumber_Add(sum, item));
        Py_DECREF(item);
    }
    if (status < 0) {
        Py_CLEAR(sum);
    }
    return sum;
}

static PyObject *
builtin_sum(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"", "start", NULL};
    PyObject *iterable, *start = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:sum", keywords, &iterable,
                                     &start)) {
        return NULL;
    }
    if (start != NULL && (PyUnicode_Check(start) || PyBytes_Check(start))) {
        return PyErr_Format(
            PyExc_TypeError, "sum() can't sum %s [use %s''.join(seq) instead]",
            PyBytes_Check(start) ? "bytes" : "strings", PyBytes_Check(start) ? "b" : "");
    }
    PyObject *iterator = PyObject_GetIter(iterable);
    if (iterator == NULL) {
        return NULL;
    }
    PyObject *sum =
        add_items(iterator, start != NULL ? Py_NewRef(start) : PyLong_FromLong(0));
    Py_DECREF(iterator);
    return sum;
}

/* list.sort() knows the keyword arguments. */
static PyObject *
builtin_sorted(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    PyObject *iterable;
    if (!PyArg_UnpackTuple(args, "sorted", 1, 1, &iterable)) {
        return NULL;
    }
    PyObject *list = PySequence_List(iterable);
    PyObject *sort = list == NULL ? NULL : PyObject_GetAttrString(list, "sort");
    PyObject *none = Py_GetConstantBorrowed(Py_CONSTANT_EMPTY_TUPLE);
    PyObject *result = sort == NULL ? NULL : PyObject_Call(sort, none, kwargs);
    Py_XDECREF(sort);
    if (result == NULL) {
        Py_CLEAR(list);
    }
    Py_XDECREF(result);
    return list;
}

PyMethodDef ouro_iterating_builtins[] = {
    {"all", builtin_all, METH_O, "Are all items true?"},
    {"any", builtin_any, METH_O, "Is one of the items true?"},
    {"iter", builtin_iter, METH_VARARGS,
     "iter(iterable)\niter(callable, sentinel)\n\nAn iterator over the items, or over "
     "what the callable returns until it returns the sentinel."},
    {"max", OURO_KEYWORDS(builtin_max),
     "max(iterable, *[, default=obj, key=func])\nmax(arg1, arg2, *args, *[, "
     "key=func])\n\n"
     "The greatest item or argument."},
    {"min", OURO_KEYWORDS(builtin_min),
     "min(iterable, *[, default=obj, key=func])\nmin(arg1, arg2, *args, *[, "
     "key=func])\n\n"
     "The least item or argument."},
    {"next", builtin_next, METH_VARARGS,
     "next(iterator[, default])\n\nThe next item, or the default at the end."},
    {"sorted", OURO_KEYWORDS(builtin_sorted),
     "sorted(iterable, /, *, key=None, reverse=False)\n\nA new list of the items in "
     "order."},
    {"sum", OURO_KEYWORDS(builtin_sum), "sum(iterable, /, start=0)\n\nThe sum of items."},
    OURO_METHODS_END,
};
