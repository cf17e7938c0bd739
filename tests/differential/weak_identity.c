/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("one weak reference without a callback is shared; others are their own")
{
    PyObject *x = N("x");
    PyObject *a = new_weakref(x, NULL), *b = must(PyWeakref_NewRef(x, Py_None));
    trace("without: same %d", a == b);
    PyObject *c = new_weakref(x, "c"), *d = new_weakref(x, "d");
    trace("with: same %d %d", c == d, c == a);
    trace("equal while alive: %d", PyObject_RichCompareBool(a, c, Py_EQ));
    Py_hash_t hash = PyObject_Hash(a);
    trace("hash is that of the object: %d", hash == PyObject_Hash(x));
    trace("check %d %d %d", PyWeakref_Check(a), PyWeakref_CheckRef(a),
          PyWeakref_CheckProxy(a));
    PyObject *called = must(PyObject_CallNoArgs(a));
    trace("called gives it: %d", called == x);
    Py_DECREF(called);
    Py_DECREF(x);
    trace_notes("dead");
    called = must(PyObject_CallNoArgs(a));
    trace("called gives None: %d", called == Py_None);
    Py_DECREF(called);
    trace("the hash is kept: %d", PyObject_Hash(a) == hash);
    trace("equal when dead: %d", PyObject_RichCompareBool(a, c, Py_EQ));
    PyObject_Hash(c);
    trace_error("a hash that was never asked for");
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(d);
    PyObject *n = number(1000);
    PyWeakref_NewRef(n, NULL);
    trace_error("to an int");
    PyWeakref_NewProxy(n, NULL);
    trace_error("a proxy of an int");
    Py_DECREF(n);
    PyObject *tuple = PyTuple_New(2);
    PyWeakref_NewRef(tuple, NULL);
    trace_error("to a tuple");
    Py_DECREF(tuple);
    PyObject *object = NULL;
    trace("GetRef of None: %d", PyWeakref_GetRef(Py_None, &object));
    trace_error("GetRef of None");
}
