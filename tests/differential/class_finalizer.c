/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *saved;
static bool saving;

static PyObject *
del(PyObject *ignored, PyObject *self)
{
    (void)ignored;
    note("__del__");
    if (saving) {
        saved = Py_NewRef(self);
    }
    Py_RETURN_NONE;
}

static PyMethodDef del_method = {"__del__", del, METH_O, NULL};

/* Binds the instance: only a class attribute that is a descriptor is bound. */
static PyObject *
bind(PyObject *function, PyObject *instance, PyObject *type)
{
    (void)type;
    return instance == NULL ? Py_NewRef(function)
                            : PyMethod_New(NODE(function)->a, instance);
}

static PyTypeObject Binder_Type = {NODE_SLOTS("Binder"), .tp_clear = node_clear,
                                   .tp_descr_get = bind};

PROGRAM("a class with __del__, in a cycle, by count, and one that saves its object")
{
    ready(&Binder_Type);
    PyObject *binder = new_node(&Binder_Type, NULL);
    PyObject *function = must(PyCFunction_New(&del_method, NULL));
    set_a(binder, function);
    Py_DECREF(function);
    PyObject *arguments = must(PyTuple_New(3)), *dict = must(PyDict_New());
    PyObject *module = text("sample");
    must_be_zero(PyDict_SetItemString(dict, "__module__", module));
    must_be_zero(PyDict_SetItemString(dict, "__del__", binder));
    Py_DECREF(module);
    Py_DECREF(binder);
    PyTuple_SetItem(arguments, 0, text("Class"));
    PyTuple_SetItem(arguments, 1, PyTuple_New(0));
    PyTuple_SetItem(arguments, 2, dict);
    PyObject *class = must(PyObject_CallObject((PyObject *)&PyType_Type, arguments));
    Py_DECREF(arguments);

    Py_DECREF(must(PyObject_CallNoArgs(class)));
    trace_notes("by count");
    PyObject *x = must(PyObject_CallNoArgs(class));
    must_be_zero(PyObject_SetAttrString(x, "me", x));
    Py_DECREF(x);
    trace("some found: %d", collect() > 0);
    trace_notes("in a cycle");
    saving = true;
    x = must(PyObject_CallNoArgs(class));
    must_be_zero(PyObject_SetAttrString(x, "me", x));
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("saved");
    trace("saved %d, finalized %d", saved == x, PyObject_GC_IsFinalized(x));
    Py_CLEAR(saved);
    trace("some found: %d", collect() > 0);
    trace_notes("not again");
    Py_DECREF(class);
    trace("the class: %d", collect() > 0);
}
