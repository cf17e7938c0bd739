/* SPDX-License-Identifier: MIT */
/* enumerate: the items of an iterable, with numbers. */
#include <Python.h>

struct enumerate {
    PyObject_HEAD
    PyObject *iterator;
    Py_ssize_t index; /* the next number */
    PyObject *large;  /* it, instead, when it does not fit; else NULL */
};

/* Both may be NULL: an object that could not be finished. */
static int
enumerate_clear(PyObject *op)
{
    Py_CLEAR(((struct enumerate *)op)->iterator);
    Py_CLEAR(((struct enumerate *)op)->large);
    return 0;
}

static void
enumerate_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    enumerate_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static int
enumerate_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct enumerate *)op)->iterator);
    Py_VISIT(((struct enumerate *)op)->large);
    return 0;
}

/* Begin with the number `start`; NULL is 0. */
static int
set_first_number(struct enumerate *self, PyObject *start)
{
    if (start == NULL) {
        return 0;
    }
    PyObject *number = PyNumber_Index(start);
    if (number == NULL) {
        return -1;
    }
    self->index = PyLong_AsSsize_t(number);
    if (self->index == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        self->index = PY_SSIZE_T_MAX;
        self->large = Py_NewRef(number);
    }
    Py_DECREF(number);
    return 0;
}

static PyObject *
enumerate_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"iterable", "start", NULL};
    PyObject *iterable, *start = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:enumerate", names, &iterable,
                                     &start)) {
        return NULL;
    }
    struct enumerate *self = (struct enumerate *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    if (set_first_number(self, start) == 0) {
        self->iterator = PyObject_GetIter(iterable);
    }
    if (self->iterator == NULL) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* The next number, a new reference. */
static PyObject *
next_number(struct enumerate *self)
{
    if (self->large == NULL && self->index < PY_SSIZE_T_MAX) {
        return PyLong_FromSsize_t(self->index++);
    }
    PyObject *number =
        self->large == NULL ? PyLong_FromSsize_t(self->index) : Py_NewRef(self->large);
    PyObject *one = number == NULL ? NULL : PyLong_FromLong(1);
    PyObject *after = one == NULL ? NULL : PyNumber_Add(number, one);
    Py_XDECREF(one);
    if (after == NULL) {
        Py_CLEAR(number);
    } else {
        Py_XSETREF(self->large, after);
    }
    return number;
}

static PyObject *
enumerate_next(PyObject *op)
{
    struct enumerate *self = (struct enumerate *)op;
    if (self->iterator == NULL) {
        return NULL;
    }
    PyObject *item = PyIter_Next(self->iterator);
    if (item == NULL) {
        return NULL;
    }
    PyObject *number = next_number(self);
    if (number == NULL) {
        Py_DECREF(item);
        return NULL;
    }
    PyObject *pair[2] = {number, item};
    return _PyTuple_FromArraySteal(pair, 2);
}

static PyMethodDef enumerate_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "Return the type with its parameters filled in."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject PyEnum_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "enumerate",
    .tp_basicsize = sizeof(struct enumerate),
    .tp_dealloc = enumerate_dealloc,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_doc = "enumerate(iterable, start=0)\n--\n\nPairs of a number and an item.",
    .tp_traverse = enumerate_traverse,
    .tp_clear = enumerate_clear,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = enumerate_next,
    .tp_methods = enumerate_methods,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = enumerate_new,
    .tp_free = PyObject_GC_Del,
};
