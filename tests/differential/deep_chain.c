/* SPDX-License-Identifier: MIT */
#include "differential.h"

static long dead;

static void
counting_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, counting_dealloc) dead++;
    Py_CLEAR(NODE(op)->a);
    Py_CLEAR(NODE(op)->b);
    Py_TYPE(op)->tp_free(op);
    Py_TRASHCAN_END
}

static PyTypeObject Chain_Type = {NODE_SLOTS("Chain"), .tp_clear = node_clear};

static PyObject *
make_chain(int length, PyObject **last)
{
    PyObject *first = new_node(&Chain_Type, NULL), *at = first;
    for (int i = 1; i < length; i++) {
        NODE(at)->a = new_node(&Chain_Type, NULL);
        at = NODE(at)->a;
    }
    *last = at;
    return first;
}

PROGRAM("long chains and rings die without using up the stack")
{
    Chain_Type.tp_dealloc = counting_dealloc;
    ready(&Chain_Type);
    PyObject *last;
    PyObject *first = make_chain(200000, &last);
    trace("held: %zd", collect());
    Py_DECREF(first);
    trace("dead: %ld", dead);
    dead = 0;
    first = make_chain(100000, &last);
    set_a(last, first);
    Py_DECREF(first);
    trace("ring: %zd, dead %ld", collect(), dead);
    dead = 0;
    first = make_chain(50000, &last);
    set_b(first, first); /* a cycle that refers to a long chain */
    Py_DECREF(first);
    trace("tail: %zd, dead %ld", collect(), dead);

    /* lists in lists, and tuples in tuples */
    PyObject *nested = must(PyList_New(0));
    for (int i = 0; i < 100000; i++) {
        PyObject *outer = must(PyList_New(1));
        PyList_SetItem(outer, 0, nested);
        nested = outer;
    }
    Py_DECREF(nested);
    nested = must(PyTuple_New(0));
    for (int i = 0; i < 100000; i++) {
        PyObject *outer = must(PyTuple_New(1));
        PyTuple_SetItem(outer, 0, nested);
        nested = outer;
    }
    Py_DECREF(nested);
    nested = Py_NewRef(Py_None);
    for (int i = 0; i < 50000; i++) {
        PyObject *outer = must(PyDict_New());
        must_be_zero(PyDict_SetItemString(outer, "inner", nested));
        Py_DECREF(nested);
        nested = outer;
    }
    Py_DECREF(nested);
    trace("nested containers are gone: %zd", collect());
}
