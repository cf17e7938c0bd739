/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyType_Slot meta_slots[] = {{0, NULL}};
static PyType_Spec meta_spec = {"sample.Meta", 0, 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, meta_slots};

PROGRAM("a type that holds an instance of itself, its metaclass and its subclass")
{
    PyObject *meta = must(PyType_FromSpecWithBases(&meta_spec, (PyObject *)&PyType_Type));
    PyObject *arguments = must(PyTuple_New(3));
    PyTuple_SetItem(arguments, 0, text("Class"));
    PyTuple_SetItem(arguments, 1, PyTuple_New(0));
    PyTuple_SetItem(arguments, 2, PyDict_New());
    PyObject *class = must(PyObject_CallObject(meta, arguments));
    Py_DECREF(arguments);
    trace("type of the class is the metaclass: %d",
          Py_TYPE(class) == (PyTypeObject *)meta);
    PyObject *instance = must(PyObject_CallNoArgs(class));
    must_be_zero(PyObject_SetAttrString(class, "instance", instance));
    must_be_zero(PyObject_SetAttrString(meta, "class_", class));
    PyObject *weak_meta = new_weakref(meta, "meta"),
             *weak_class = new_weakref(class, "class");
    PyObject *weak = new_weakref(instance, "instance");
    Py_DECREF(meta);
    Py_DECREF(class);
    trace("held by the instance: dead %d %d, some found %d", is_dead(weak_meta),
          is_dead(weak_class), collect() > 0);
    Py_DECREF(instance);
    trace("found some: %d", collect() > 4);
    trace("dead: %d %d %d", is_dead(weak_meta), is_dead(weak_class), is_dead(weak));
    trace_notes("events");
    trace("nothing more: %zd", collect());
    Py_DECREF(weak);
    Py_DECREF(weak_class);
    Py_DECREF(weak_meta);
}
