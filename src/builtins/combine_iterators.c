/* SPDX-License-Identifier: MIT */
/* map, filter and zip: iterators over other iterators. */
#include <Python.h>

#include <stdbool.h>

#include "arguments.h"

/* The three have one layout. */
struct combiner {
    PyObject_HEAD
    PyObject *function;  /* of map and filter; NULL for zip */
    PyObject *iterators; /* tuple; filter has one */
    int strict;          /* all of them must end together */
};

static struct combiner *
combiner_of(PyObject *op)
{
    return (struct combiner *)op;
}

static int
combiner_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(combiner_of(op)->function);
    Py_VISIT(combiner_of(op)->iterators);
    return 0;
}

static int
combiner_clear(PyObject *op)
{
    Py_CLEAR(combiner_of(op)->function);
    Py_CLEAR(combiner_of(op)->iterators);
    return 0;
}

static void
combiner_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    combiner_clear(op);
    Py_TYPE(op)->tp_free(op);
}

/* --- making --------------------------------------------------------------------------------------- */

/* A tuple of iterators over the arguments from `first` on. */
static PyObject *
iterators_over(PyObject *args, Py_ssize_t first)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args) - first;
    PyObject *iterators = PyTuple_New(count);
    for (Py_ssize_t i = 0; iterators != NULL && i < count; i++) {
        PyObject *iterator = PyObject_GetIter(PyTuple_GET_ITEM(args, first + i));
        if (iterator == NULL) {
            Py_CLEAR(iterators);
        } else {
            PyTuple_SET_ITEM(iterators, i, iterator);
        }
    }
    return iterators;
}

/* Is the only keyword argument `strict`, if any? Then its truth. */
static bool
parse_strict(const char *name, PyObject *kwargs, int *strict)
{
    static char *names[] = {"strict", NULL};
    PyObject *none = PyTuple_New(0);
    char format[24];
    snprintf(format, sizeof format, "|$p:%s", name);
    bool parsed =
        none != NULL && PyArg_ParseTupleAndKeywords(none, kwargs, format, names, strict);
    Py_XDECREF(none);
    return parsed;
}

static PyObject *
new_combiner(PyTypeObject *type, PyObject *function, PyObject *args, Py_ssize_t first,
             int strict)
{
    PyObject *iterators = iterators_over(args, first);
    struct combiner *self =
        iterators == NULL ? NULL : (struct combiner *)type->tp_alloc(type, 0);
    if (self == NULL) {
        Py_XDECREF(iterators);
        return NULL;
    }
    self->function = Py_XNewRef(function);
    self->iterators = iterators;
    self->strict = strict;
    return (PyObject *)self;
}

static PyObject *
map_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    int strict = 0;
    if (kwargs != NULL && !parse_strict("map", kwargs, &strict)) {
        return NULL;
    }
    if (PyTuple_GET_SIZE(args) < 2) {
        PyErr_SetString(PyExc_TypeError, "map() must have at least two arguments.");
        return NULL;
    }
    return new_combiner(type, PyTuple_GET_ITEM(args, 0), args, 1, strict);
}

static PyObject *
filter_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (!ouro_args_positional("filter", kwargs) ||
        !ouro_args_between("filter", PyTuple_GET_SIZE(args), 2, 2)) {
        return NULL;
    }
    return new_combiner(type, PyTuple_GET_ITEM(args, 0), args, 1, 0);
}

static PyObject *
zip_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    int strict = 0;
    if (kwargs != NULL && !parse_strict("zip", kwargs, &strict)) {
        return NULL;
    }
    return new_combiner(type, NULL, args, 0, strict);
}

/* --- iterating -------------------------------------------------------------------------------------- */

/* The first `ended` iterators gave an item, and the next one has ended. Strict iterators must
 * all end together. NULL, with ValueError if they did not. */
static PyObject *
ended_at(const char *name, const struct combiner *self, Py_ssize_t ended)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->iterators);
    if (PyErr_Occurred() || !self->strict) {
        return NULL;
    }
    const char *range = ended == 1 ? " " : "s 1-";
    if (ended > 0) {
        return PyErr_Format(PyExc_ValueError,
                            "%s() argument %zd is shorter than argument%s%zd", name,
                            ended + 1, range, ended);
    }
    for (Py_ssize_t i = 1; i < count; i++) {
        PyObject *item = PyIter_Next(PyTuple_GET_ITEM(self->iterators, i));
        if (item != NULL) {
            Py_DECREF(item);
            return PyErr_Format(PyExc_ValueError,
                                "%s() argument %zd is longer than argument%s%zd", name,
                                i + 1, i == 1 ? " " : "s 1-", i);
        }
        if (PyErr_Occurred()) {
            return NULL;
        }
    }
    return NULL;
}

/* The next item of each iterator, as a tuple; NULL at the end. */
static PyObject *
next_of_each(const char *name, const struct combiner *self)
{
    Py_ssize_t count = self->iterators == NULL ? 0 : PyTuple_GET_SIZE(self->iterators);
    PyObject *items = count == 0 ? NULL : PyTuple_New(count);
    for (Py_ssize_t i = 0; items != NULL && i < count; i++) {
        PyObject *item = PyIter_Next(PyTuple_GET_ITEM(self->iterators, i));
        if (item == NULL) {
            Py_DECREF(items);
            return ended_at(name, self, i);
        }
        PyTuple_SET_ITEM(items, i, item);
    }
    return items;
}

static PyObject *
zip_next(PyObject *op)
{
    return next_of_each("zip", combiner_of(op));
}

static PyObject *
map_next(PyObject *op)
{
    PyObject *items = next_of_each("map", combiner_of(op));
    PyObject *result =
        items == NULL ? NULL : PyObject_Call(combiner_of(op)->function, items, NULL);
    Py_XDECREF(items);
    return result;
}

/* Is the item wanted? 1, 0, or -1 with an exception. */
static int
is_wanted(PyObject *function, PyObject *item)
{
    if (function == Py_None || function == (PyObject *)&PyBool_Type) {
        return PyObject_IsTrue(item);
    }
    PyObject *answer = PyObject_CallOneArg(function, item);
    int truth = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return truth;
}

static PyObject *
filter_next(PyObject *op)
{
    struct combiner *self = combiner_of(op);
    PyObject *item = NULL;
    while (self->iterators != NULL &&
           (item = PyIter_Next(PyTuple_GET_ITEM(self->iterators, 0))) != NULL) {
        int wanted = is_wanted(self->function, item);
        if (wanted > 0) {
            return item;
        }
        Py_DECREF(item);
        if (wanted < 0) {
            return NULL;
        }
    }
    return NULL;
}

/* --- the types ---------------------------------------------------------------------------------------- */

/* clang-format off */
#define OURO_COMBINER(type_name, doc, next, new)                                         \
    {                                                                                    \
        PyVarObject_HEAD_INIT(&PyType_Type, 0)                                           \
        .tp_name = (type_name),                                                          \
        .tp_basicsize = sizeof(struct combiner),                                         \
        .tp_dealloc = combiner_dealloc,                                                  \
        .tp_getattro = PyObject_GenericGetAttr,                                          \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,       \
        .tp_doc = (doc),                                                                 \
        .tp_traverse = combiner_traverse,                                                \
        .tp_clear = combiner_clear,                                                      \
        .tp_iter = PyObject_SelfIter,                                                    \
        .tp_iternext = (next),                                                           \
        .tp_alloc = PyType_GenericAlloc,                                                 \
        .tp_new = (new),                                                                 \
        .tp_free = PyObject_GC_Del,                                                      \
    }
/* clang-format on */

PyTypeObject PyMap_Type = OURO_COMBINER(
    "map",
    "map(function, iterable, *iterables, strict=False)\n--\n\nWhat the function returns.",
    map_next, map_new);
PyTypeObject PyFilter_Type = OURO_COMBINER(
    "filter", "filter(function, iterable)\n--\n\nThe items for which it is true.",
    filter_next, filter_new);
PyTypeObject PyZip_Type = OURO_COMBINER(
    "zip", "zip(*iterables, strict=False)\n--\n\nTuples of one item of each.", zip_next,
    zip_new);
