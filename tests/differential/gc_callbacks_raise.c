/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
raise_error(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyErr_Format(PyExc_RuntimeError, "at %U", PyTuple_GetItem(arguments, 0));
    return NULL;
}

static PyObject *
remove_me(PyObject *self, PyObject *arguments)
{
    (void)self;
    trace("once, at %s", PyUnicode_AsUTF8(PyTuple_GetItem(arguments, 0)));
    must_be_zero(PyList_SetSlice(gc_callbacks(), 0, 1, NULL));
    Py_RETURN_NONE;
}

static PyObject *
note_me(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("called at %s", PyUnicode_AsUTF8(PyTuple_GetItem(arguments, 0)));
    Py_RETURN_NONE;
}

static PyObject *appended;

static PyObject *
append_one(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    if (PyList_Size(gc_callbacks()) < 3) {
        must_be_zero(PyList_Append(gc_callbacks(), appended));
    }
    Py_RETURN_NONE;
}

PROGRAM("gc.callbacks that raise, remove themselves or add others")
{
    note_unraisable();
    PyObject *bad = new_callable_of_many(raise_error);
    must_be_zero(PyList_Append(gc_callbacks(), bad));
    PyObject *x = N("x");
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    must_be_zero(PyList_SetSlice(gc_callbacks(), 0, 1, NULL));

    PyObject *once = new_callable_of_many(remove_me);
    must_be_zero(PyList_Append(gc_callbacks(), once));
    trace("found %zd", collect());
    trace("callbacks left: %zd", PyList_Size(gc_callbacks()));
    trace("found %zd", collect());

    /* the list is read again at each step: an added callback is called in the same round */
    appended = new_callable_of_many(note_me);
    PyObject *adder = new_callable_of_many(append_one);
    must_be_zero(PyList_Append(gc_callbacks(), adder));
    trace("found %zd", collect());
    trace("callbacks: %zd", PyList_Size(gc_callbacks()));
    trace_notes("events");
    must_be_zero(PyList_SetSlice(gc_callbacks(), 0, PyList_Size(gc_callbacks()), NULL));

    /* an object that is not callable is reported, too */
    must_be_zero(PyList_Append(gc_callbacks(), Py_None));
    trace("found %zd", collect());
    trace_notes("events");
    must_be_zero(PyList_SetSlice(gc_callbacks(), 0, 1, NULL));
    Py_DECREF(bad);
    Py_DECREF(once);
    Py_DECREF(adder);
    Py_DECREF(appended);
}
