/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
show(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("%zd arguments, first is a type %d", PyTuple_Size(arguments),
         PyTuple_Size(arguments) > 0 && PyType_Check(PyTuple_GetItem(arguments, 0)));
    Py_RETURN_NONE;
}

PROGRAM("class methods and static methods, from the class and from instances")
{
    PyObject *f = new_callable_of_many(show);
    PyObject *class = must(new_class("C", NULL, "cm", PyClassMethod_New(f), "sm",
                                     PyStaticMethod_New(f), NULL));
    PyObject *sub = must(new_class("D", class, NULL)),
             *x = must(PyObject_CallNoArgs(sub));
    trace_repr("cm of the class", PyObject_CallMethod(class, "cm", NULL));
    trace_repr("cm of an instance", PyObject_CallMethod(x, "cm", "i", 1));
    trace_notes("events");
    trace_repr("sm of the class", PyObject_CallMethod(class, "sm", NULL));
    trace_repr("sm of an instance", PyObject_CallMethod(x, "sm", "i", 1));
    trace_notes("events");
    PyObject *bound = must(PyObject_GetAttrString(x, "cm"));
    PyObject *self = must(PyObject_GetAttrString(bound, "__self__"));
    trace("bound to the subclass: %d", self == sub);
    Py_DECREF(self);
    Py_DECREF(bound);
    PyObject *sm = must(PyObject_GetAttrString(x, "sm"));
    trace("the function itself: %d", sm == f);
    Py_DECREF(sm);
    Py_DECREF(x);
    Py_DECREF(sub);
    Py_DECREF(class);
    Py_DECREF(f);
    trace("some found: %d", collect() > 0);
}
