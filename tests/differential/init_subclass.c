/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
seen(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("%s", ((PyTypeObject *)PyTuple_GetItem(arguments, 0))->tp_name);
    Py_RETURN_NONE;
}

static PyObject *
refuse(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    PyErr_SetString(PyExc_ValueError, "no subclasses");
    return NULL;
}

PROGRAM("__init_subclass__ sees every subclass, and may refuse it")
{
    PyObject *f = new_callable_of_many(seen), *g = new_callable_of_many(refuse);
    PyObject *base =
        must(new_class("Base", NULL, "__init_subclass__", PyClassMethod_New(f), NULL));
    trace_notes("itself");
    PyObject *a = must(new_class("A", base, NULL)), *b = must(new_class("B", a, NULL));
    trace_notes("subclasses");
    PyObject *never =
        must(new_class("Never", NULL, "__init_subclass__", PyClassMethod_New(g), NULL));
    PyObject *c = new_class("C", never, NULL);
    trace("refused: %d", c == NULL);
    trace_error("refused");
    PyObject *list = must(PyObject_CallMethod(never, "__subclasses__", NULL));
    collect();
    Py_DECREF(list);
    list = must(PyObject_CallMethod(never, "__subclasses__", NULL));
    trace("subclasses left: %zd", PyList_Size(list));
    Py_DECREF(list);
    Py_DECREF(b);
    Py_DECREF(a);
    Py_DECREF(base);
    Py_DECREF(never);
    Py_DECREF(f);
    Py_DECREF(g);
    collect();
}
