/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
trace_chain(const char *label)
{
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    PyObject *at = Py_XNewRef(error);
    for (int depth = 0; at != NULL && depth < 5; depth++) {
        PyObject *cause = PyException_GetCause(at);
        char name[80];
        snprintf(name, sizeof name, "%s, %d%s", label, depth,
                 cause ? " with a cause" : "");
        Py_XDECREF(cause);
        PyObject *next = PyException_GetContext(at);
        trace_repr(name, at);
        at = next;
    }
    Py_XDECREF(at);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
}

PROGRAM("setting, fetching, matching and normalising exceptions")
{
    PyErr_SetString(PyExc_ValueError, "one");
    PyErr_SetString(PyExc_KeyError, "two"); /* replaces "one"; no handler, no context */
    trace_chain("replaced");
    PyErr_SetNone(PyExc_StopIteration);
    trace_chain("none");
    PyObject *args = must(PyTuple_Pack(2, Py_None, Py_True));
    PyErr_SetObject(PyExc_TypeError, args);
    trace_chain("a tuple is the arguments");
    Py_DECREF(args);
    PyErr_SetObject(PyExc_TypeError, Py_None);
    trace_chain("None is no argument");
    PyErr_Format(PyExc_OverflowError, "%s %d %zd %R %S %% %c %5d", "text", 42,
                 (Py_ssize_t)-7, Py_None, Py_True, 'x', 12);
    trace_chain("formatted");
    PyErr_SetString(PyExc_ZeroDivisionError, "z");
    trace("matches ArithmeticError %d, LookupError %d",
          PyErr_ExceptionMatches(PyExc_ArithmeticError),
          PyErr_ExceptionMatches(PyExc_LookupError));
    PyObject *both = must(PyTuple_Pack(2, PyExc_LookupError, PyExc_ZeroDivisionError));
    trace("matches a tuple %d", PyErr_ExceptionMatches(both));
    Py_DECREF(both);
    PyErr_Clear();
    PyErr_SetObject(Py_None, Py_None);
    trace("not an exception class: SystemError %d",
          PyErr_ExceptionMatches(PyExc_SystemError));
    PyErr_Clear();
    PyErr_BadArgument();
    trace_error("bad argument");
    PyErr_NoMemory();
    trace_error("no memory");

    PyObject *custom = must(PyErr_NewException("sample.Custom", PyExc_KeyError, NULL));
    PyErr_SetString(custom, "custom");
    trace("matches KeyError %d", PyErr_ExceptionMatches(PyExc_KeyError));
    trace_chain("custom");
    PyObject *weak = new_weakref(custom, "custom");
    Py_DECREF(custom);
    trace("some found: %d", collect() > 0);
    trace_notes("events");
    Py_DECREF(weak);
    trace("bad name: %d", PyErr_NewException("nodot", NULL, NULL) != NULL);
    trace_error("bad name");

    /* normalising: arguments that the class refuses */
    PyErr_Restore(Py_NewRef(PyExc_ValueError), text("text"), NULL);
    trace_chain("restored with text");
    PyErr_Restore(Py_NewRef(PyExc_ValueError), NULL, NULL);
    trace_chain("restored with nothing");
}
