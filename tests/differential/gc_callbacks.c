/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *born;

static long
entry(PyObject *info, const char *key)
{
    PyObject *value = PyDict_GetItemString(info, key);
    return value == NULL ? -1 : PyLong_AsLong(value);
}

static PyObject *
report(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyObject *phase = PyTuple_GetItem(arguments, 0),
             *info = PyTuple_GetItem(arguments, 1);
    trace("%zd arguments, %s: generation %ld, collected %ld, uncollectable %ld",
          PyTuple_Size(arguments), PyUnicode_AsUTF8(phase), entry(info, "generation"),
          entry(info, "collected"), entry(info, "uncollectable"));
    VERSION_DEPENDENT(0x030F0000, "has candidates",
                      PyDict_GetItemString(info, "candidates") != NULL, 1);
    VERSION_DEPENDENT(0x030F0000, "has duration",
                      PyDict_GetItemString(info, "duration") != NULL, 1);
    Py_RETURN_NONE;
}

static PyObject *
make_garbage(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(arguments, 0), "start") == 0) {
        born = N("born");
        set_a(born, born);
        Py_DECREF(born);
    }
    Py_RETURN_NONE;
}

PROGRAM("gc.callbacks are called at the start and the end, with numbers")
{
    PyObject *callback = new_callable_of_many(report);
    must_be_zero(PyList_Append(gc_callbacks(), callback));
    PyObject *x = N("x"), *d = D("d");
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    set_a(d, d);
    Py_DECREF(d);
    trace("found %zd", collect());
    trace("young: %zd", collect_generation(0));
    trace("middle: %zd", collect_generation(1));
    set_a(d, NULL);
    must_be_zero(PyList_SetSlice(gc_garbage(), 0, 1, NULL));
    trace_notes("events");

    PyObject *maker = new_callable_of_many(make_garbage);
    must_be_zero(PyList_Append(gc_callbacks(), maker));
    trace("with a callback that makes garbage: %zd", collect());
    trace_notes("events");
    must_be_zero(PyList_SetSlice(gc_callbacks(), 0, 2, NULL));
    Py_DECREF(maker);
    Py_DECREF(callback);
}
