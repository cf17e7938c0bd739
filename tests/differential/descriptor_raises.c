/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
bad_get(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    PyErr_SetString(PyExc_KeyError, "from __get__");
    return NULL;
}

static PyObject *
missing_get(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    PyErr_SetString(PyExc_AttributeError, "from __get__");
    return NULL;
}

PROGRAM("exceptions in __get__, __set__ and __delete__")
{
    PyObject *bad =
        must(new_class("Bad", NULL, "__get__", new_method(bad_get), "__set__",
                       new_method(bad_get), "__delete__", new_method(bad_get), NULL));
    PyObject *missing =
        must(new_class("Missing", NULL, "__get__", new_method(missing_get), NULL));
    PyObject *class = must(new_class("C", NULL, "bad", PyObject_CallNoArgs(bad),
                                     "missing", PyObject_CallNoArgs(missing), NULL));
    PyObject *x = must(PyObject_CallNoArgs(class));
    trace_repr("get", PyObject_GetAttrString(x, "bad"));
    trace("set: %d", PyObject_SetAttrString(x, "bad", Py_None));
    trace_error("set");
    trace("delete: %d", PyObject_DelAttrString(x, "bad"));
    trace_error("delete");
    trace_repr("missing", PyObject_GetAttrString(x, "missing"));
    trace("has missing: %d", PyObject_HasAttrString(x, "missing"));
    trace_repr("of the class", PyObject_GetAttrString(class, "bad"));
    Py_DECREF(x);
    Py_DECREF(class);
    Py_DECREF(bad);
    Py_DECREF(missing);
    collect();
}
