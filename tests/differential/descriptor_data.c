/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
get(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("get of %s",
         PyTuple_GetItem(arguments, 1) == Py_None ? "the class" : "an instance");
    return number(42);
}

static PyObject *
set(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("set");
    (void)arguments;
    Py_RETURN_NONE;
}

PROGRAM("a data descriptor wins over the instance dict, another one does not")
{
    PyObject *plain = must(new_class("Plain", NULL, "__get__", new_method(get), NULL));
    PyObject *data = must(new_class("Data", NULL, "__get__", new_method(get), "__set__",
                                    new_method(set), NULL));
    PyObject *class = must(new_class("C", NULL, "plain", PyObject_CallNoArgs(plain),
                                     "data", PyObject_CallNoArgs(data), NULL));
    PyObject *x = must(PyObject_CallNoArgs(class)),
             *dict = must(PyObject_GetAttrString(x, "__dict__"));
    trace_repr("plain", PyObject_GetAttrString(x, "plain"));
    trace_repr("data", PyObject_GetAttrString(x, "data"));
    must_be_zero(PyDict_SetItemString(dict, "plain", Py_True));
    must_be_zero(PyDict_SetItemString(dict, "data", Py_True));
    trace_repr("plain hidden", PyObject_GetAttrString(x, "plain"));
    trace_repr("data not hidden", PyObject_GetAttrString(x, "data"));
    trace("set: %d", PyObject_SetAttrString(x, "data", Py_None));
    trace_repr("dict", dict);
    trace_repr("of the class", PyObject_GetAttrString(class, "plain"));
    trace_notes("events");
    Py_DECREF(x);
    Py_DECREF(class);
    Py_DECREF(data);
    Py_DECREF(plain);
    collect();
}
