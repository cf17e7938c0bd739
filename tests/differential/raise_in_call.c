/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int mode;

static PyObject *
call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self;
    (void)kwargs;
    if (mode != 2) {
        PyErr_Format(PyExc_ValueError, "called with %zd", PyTuple_Size(args));
    }
    return mode == 1 ? Py_NewRef(Py_None) : NULL;
}

static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_call = call};

static void
trace_type_of_error(const char *label)
{
    trace("%s: reported %d", label, PyErr_ExceptionMatches(PyExc_SystemError));
    PyErr_Clear();
}

PROGRAM("tp_call that raises, and tp_call that breaks the rules")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    trace_repr("no argument", PyObject_CallNoArgs(x));
    trace_repr("one argument", PyObject_CallOneArg(x, Py_None));
    mode = 1;
    trace("result and exception: %d", PyObject_CallNoArgs(x) == NULL);
    trace_type_of_error("result and exception");
    mode = 2;
    trace("neither: %d", PyObject_CallNoArgs(x) == NULL);
    trace_type_of_error("neither");
    trace_repr("not callable", PyObject_CallNoArgs(Py_None));
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
