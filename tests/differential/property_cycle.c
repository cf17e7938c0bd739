/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
get_it(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    Py_RETURN_NONE;
}

PROGRAM("a property whose getter holds the class is collected with it")
{
    PyObject *class = must(new_class("C", NULL, NULL));
    PyObject *node = N("held");
    PyObject *property = must(
        PyObject_CallFunctionObjArgs((PyObject *)&PyProperty_Type, node, class, NULL));
    must_be_zero(PyObject_SetAttrString(class, "p", property));
    PyObject *get = new_callable_of_many(get_it);
    PyObject *other = must(PyObject_CallMethod(property, "getter", "O", get));
    trace("a copy: %d", other != property);
    trace_repr("its doc", PyObject_GetAttrString(other, "__doc__"));
    Py_DECREF(other);
    Py_DECREF(get);
    Py_DECREF(property);
    PyObject *weak = new_weakref(class, "class");
    Py_DECREF(node);
    Py_DECREF(class);
    trace("dead before: %d", is_dead(weak));
    trace("some found: %d", collect() > 2);
    trace("dead: %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);
}
