/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
describe(PyObject *self, PyObject *arguments)
{
    (void)self;
    return PyObject_GetAttrString(PyTuple_GetItem(arguments, 0), "__name__");
}

PROGRAM("attributes of a metaclass are seen on classes, not on instances")
{
    PyObject *meta = must(new_class("Meta", (PyObject *)&PyType_Type, "describe",
                                    new_method(describe), "kind", text("meta"), NULL));
    PyObject *class = must(new_class_of(meta, "Thing", NULL, NULL)),
             *x = must(PyObject_CallNoArgs(class));
    trace_repr("method", PyObject_CallMethod(class, "describe", NULL));
    trace_repr("attribute", PyObject_GetAttrString(class, "kind"));
    trace("on the instance: %d", PyObject_HasAttrString(x, "kind"));
    must_be_zero(PyObject_SetAttrString(class, "kind", Py_True));
    trace_repr("hidden", PyObject_GetAttrString(class, "kind"));
    trace_repr("on the instance", PyObject_GetAttrString(x, "kind"));
    trace("delete: %d", PyObject_DelAttrString(class, "kind"));
    trace_repr("back", PyObject_GetAttrString(class, "kind"));
    Py_DECREF(x);
    Py_DECREF(class);
    Py_DECREF(meta);
    collect();
}
