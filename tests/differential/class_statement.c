/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* Classes made by calling type(), as a class statement would. */
static PyObject *
make_class(const char *name, PyObject *base, const char *slot)
{
    PyObject *arguments = must(PyTuple_New(3)), *dict = must(PyDict_New());
    PyObject *module = text("sample");
    must_be_zero(PyDict_SetItemString(dict, "__module__", module));
    Py_DECREF(module);
    if (slot != NULL) {
        PyObject *word = text(slot), *slots = must(PyTuple_Pack(1, word));
        Py_DECREF(word);
        must_be_zero(PyDict_SetItemString(dict, "__slots__", slots));
        Py_DECREF(slots);
    }
    PyTuple_SetItem(arguments, 0, text(name));
    PyTuple_SetItem(arguments, 1, base == NULL ? PyTuple_New(0) : PyTuple_Pack(1, base));
    PyTuple_SetItem(arguments, 2, dict);
    PyObject *class = must(PyObject_CallObject((PyObject *)&PyType_Type, arguments));
    Py_DECREF(arguments);
    return class;
}

PROGRAM("classes with a dict, with slots, and their cycles")
{
    PyObject *plain = make_class("Plain", NULL, NULL);
    PyObject *x = must(PyObject_CallNoArgs(plain));
    trace("tracked %d", PyObject_GC_IsTracked(x));
    must_be_zero(PyObject_SetAttrString(x, "me", x));
    PyObject *weak = new_weakref(x, "plain");
    Py_DECREF(x);
    trace("some found: %d", collect() > 0);
    trace_notes("events");
    Py_DECREF(weak);

    PyObject *slotted = make_class("Slotted", NULL, "slot");
    x = must(PyObject_CallNoArgs(slotted));
    trace("tracked %d", PyObject_GC_IsTracked(x));
    trace("empty slot: %d", PyObject_GetAttrString(x, "slot") != NULL);
    trace("AttributeError %d", PyErr_ExceptionMatches(PyExc_AttributeError));
    PyErr_Clear();
    must_be_zero(PyObject_SetAttrString(x, "slot", x));
    trace("other attribute: %d", PyObject_SetAttrString(x, "other", x));
    trace_error_since(0x030D0000, "other attribute");
    trace("weak references: %d", PyWeakref_NewRef(x, NULL) != NULL);
    trace_error("weak references");
    Py_DECREF(x);
    trace("found %zd", collect());

    PyObject *sub = make_class("Sub", slotted, NULL);
    x = must(PyObject_CallNoArgs(sub));
    must_be_zero(PyObject_SetAttrString(x, "slot", x));
    must_be_zero(PyObject_SetAttrString(x, "other", Py_None));
    weak = new_weakref(x, "sub");
    Py_DECREF(x);
    trace("some found: %d", collect() > 0);
    trace_notes("events");
    Py_DECREF(weak);

    trace("base is object: %d", ((PyTypeObject *)plain)->tp_base == &PyBaseObject_Type);
    trace_repr("str of a class", Py_NewRef(plain));
    trace("is subclass %d %d", PyObject_IsSubclass(sub, slotted),
          PyObject_IsSubclass(slotted, sub));
    trace("attribute on the class: %d", PyObject_SetAttrString(plain, "shared", Py_True));
    x = must(PyObject_CallNoArgs(plain));
    trace_repr("seen by an instance", PyObject_GetAttrString(x, "shared"));
    must_be_zero(PyObject_DelAttrString(plain, "shared"));
    trace_repr("gone", PyObject_GetAttrString(x, "shared"));
    Py_DECREF(x);
    PyErr_Clear();
    trace("some found: %d", collect() > 0);
    Py_DECREF(sub);
    Py_DECREF(slotted);
    weak = new_weakref(plain, "class");
    Py_DECREF(plain);
    trace("some found: %d", collect() > 0);
    trace("the class is gone: %d", is_dead(weak));
    trace("nothing more: %zd", collect());
    Py_DECREF(weak);
    trace_notes("events");
}
