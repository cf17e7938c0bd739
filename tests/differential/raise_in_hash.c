/* SPDX-License-Identifier: MIT */
#include "differential.h"

static Py_hash_t
raise_hash(PyObject *self)
{
    (void)self;
    PyErr_SetString(PyExc_ValueError, "from tp_hash");
    return -1;
}

static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_hash = raise_hash};

PROGRAM("an exception in tp_hash reaches everybody who hashes")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    trace("hash: %zd", (Py_ssize_t)PyObject_Hash(x));
    trace_error("hash");
    PyObject *dict = must(PyDict_New()), *set = must(PySet_New(NULL));
    trace("store: %d", PyDict_SetItem(dict, x, Py_None));
    trace_error("store");
    trace("look up: %d", PyDict_GetItemWithError(dict, x) == NULL);
    trace_error("look up");
    trace("delete: %d", PyDict_DelItem(dict, x));
    trace_error("delete");
    trace("contains: %d", PyDict_Contains(dict, x));
    trace_error("contains");
    trace("add: %d", PySet_Add(set, x));
    trace_error("add");
    trace("discard: %d", PySet_Discard(set, x));
    trace_error("discard");
    PyObject *tuple = must(PyTuple_Pack(2, Py_None, x));
    trace("hash of a tuple: %zd", (Py_ssize_t)PyObject_Hash(tuple));
    trace_error("hash of a tuple");
    trace("sizes: %zd %zd", PyDict_Size(dict), PySet_Size(set));
    Py_DECREF(tuple);
    Py_DECREF(dict);
    Py_DECREF(set);
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
