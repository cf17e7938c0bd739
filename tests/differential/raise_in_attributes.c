/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
get(PyObject *self, PyObject *name)
{
    if (PyUnicode_CompareWithASCIIString(name, "missing") == 0) {
        PyErr_SetString(PyExc_AttributeError, "there is none");
        return NULL;
    }
    if (PyUnicode_CompareWithASCIIString(name, "bad") == 0) {
        PyErr_SetString(PyExc_ValueError, "from tp_getattro");
        return NULL;
    }
    return PyObject_GenericGetAttr(self, name);
}

static int
set(PyObject *self, PyObject *name, PyObject *value)
{
    (void)self;
    (void)name;
    PyErr_SetString(PyExc_ValueError, value == NULL ? "from deleting" : "from setting");
    return -1;
}

static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_getattro = get, .tp_setattro = set};

PROGRAM("tp_getattro and tp_setattro that raise")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    trace_repr("bad", PyObject_GetAttrString(x, "bad"));
    trace_repr("missing", PyObject_GetAttrString(x, "missing"));
    trace("has missing: %d", PyObject_HasAttrString(x, "missing"));
    trace("set: %d", PyObject_SetAttrString(x, "a", Py_None));
    trace_error("set");
    trace("delete: %d", PyObject_DelAttrString(x, "a"));
    trace_error("delete");
    trace_repr("method", PyObject_CallMethod(x, "bad", NULL));
    trace_repr("missing method", PyObject_CallMethod(x, "missing", NULL));
    trace_repr("class", PyObject_GetAttrString(x, "__class__"));
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
