/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
pair(PyObject *first, PyObject *second) /* takes both */
{
    PyObject *tuple = must(PyTuple_New(2));
    PyTuple_SetItem(tuple, 0, first);
    PyTuple_SetItem(tuple, 1, second);
    return tuple;
}

static PyTypeObject Sub_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "SubTuple",
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                .tp_base = &PyTuple_Type};

PROGRAM("tuples of what cannot be tracked are untracked by a collection that meets them")
{
    PyObject *atoms = pair(number(1000), text("two"));
    PyObject *list = pair(number(1), PyList_New(0));
    PyObject *partial = must(PyTuple_New(2));
    PyTuple_SetItem(partial, 0, number(5));
    PyObject *nested = pair(Py_NewRef(atoms), Py_NewRef(Py_None));
    PyObject *function = pair(new_callable(NULL), Py_NewRef(Py_None));
    trace("before: %d %d %d %d", PyObject_GC_IsTracked(atoms),
          PyObject_GC_IsTracked(list), PyObject_GC_IsTracked(partial),
          PyObject_GC_IsTracked(nested));
    collect();
    collect();
    trace("after: atoms %d, with a list %d, partial %d, nested %d, with a function %d",
          PyObject_GC_IsTracked(atoms), PyObject_GC_IsTracked(list),
          PyObject_GC_IsTracked(partial), PyObject_GC_IsTracked(nested),
          PyObject_GC_IsTracked(function));
    PyTuple_SetItem(partial, 1, number(6));
    collect();
    trace("filled: %d", PyObject_GC_IsTracked(partial));
    Py_DECREF(atoms);
    Py_DECREF(list);
    Py_DECREF(partial);
    Py_DECREF(nested);
    Py_DECREF(function);

    ready(&Sub_Type);
    PyObject *sub = must(PyObject_CallNoArgs((PyObject *)&Sub_Type));
    trace("subclass: %d", PyObject_GC_IsTracked(sub));
    collect();
    trace("subclass after: %d", PyObject_GC_IsTracked(sub));
    Py_DECREF(sub);

    PyObject *young = pair(number(1), number(2));
    collect_generation(0);
    trace("by a young collection: %d", PyObject_GC_IsTracked(young));
    Py_DECREF(young);
    PyObject *none = must(PyTuple_Pack(1, Py_None));
    collect();
    trace("packed None: %d", PyObject_GC_IsTracked(none));
    Py_DECREF(none);
}
