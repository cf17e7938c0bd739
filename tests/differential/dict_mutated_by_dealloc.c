/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *dict;
static int deaths;

static void
meddle(struct node *self)
{
    (void)self;
    deaths++;
    PyObject *key = number(500 + deaths);
    must_be_zero(PyDict_SetItem(dict, key, Py_None));
    Py_DECREF(key);
}

static void
fill(void)
{
    for (long i = 0; i < 20; i++) {
        PyObject *key = number(i), *value = N("value");
        NODE(value)->when_deallocated = meddle;
        must_be_zero(PyDict_SetItem(dict, key, value));
        Py_DECREF(key);
        Py_DECREF(value);
    }
}

static void
clear_it(struct node *self)
{
    (void)self;
    PyDict_Clear(dict);
}

PROGRAM("values whose destructors change the dict that lets them go")
{
    dict = must(PyDict_New());
    fill();
    PyDict_Clear(dict);
    trace("cleared: size %zd, deaths %d", PyDict_Size(dict), deaths);
    fill();
    trace("filled: size %zd", PyDict_Size(dict));
    for (long i = 0; i < 20; i++) {
        PyObject *key = number(i);
        must_be_zero(i % 2 == 0 ? PyDict_DelItem(dict, key)
                                : PyDict_SetItem(dict, key, Py_None));
        Py_DECREF(key);
    }
    trace("deleted and replaced: size %zd, deaths %d", PyDict_Size(dict), deaths);
    trace_notes("events");

    PyDict_Clear(dict);
    PyObject *key = number(1), *value = N("bomb"), *other = number(2);
    NODE(value)->when_deallocated = clear_it;
    must_be_zero(PyDict_SetItem(dict, key, value));
    must_be_zero(PyDict_SetItem(dict, other, Py_True));
    Py_DECREF(value);
    must_be_zero(PyDict_SetItem(dict, key, Py_None)); /* the old value clears the dict */
    trace("cleared by the old value: size %zd", PyDict_Size(dict));
    must_be_zero(PyDict_SetItem(dict, key, Py_None));
    trace_repr("still a dict", Py_NewRef(dict));
    Py_DECREF(key);
    Py_DECREF(other);
    Py_DECREF(dict);
    trace_notes("events");
}
