/* SPDX-License-Identifier: MIT */
/* Errors are exceptions of the library.
 *
 * A program's own are scheme.Error, with a message and a list of irritants; a raised
 * value that is no error travels inside a scheme.Raised. Where an error came from is an
 * attribute of the exception: `trace`, the list of places it passed, innermost first. */
#include "scheme.h"

#define TRACE_MAX 8 /* places remembered */

PyObject *scheme_error, *scheme_raised;

int
errors_init(void)
{
    scheme_error = PyErr_NewException("scheme.Error", NULL, NULL);
    scheme_raised = PyErr_NewException("scheme.Raised", NULL, NULL);
    return scheme_error != NULL && scheme_raised != NULL ? 0 : -1;
}

void
errors_finish(void)
{
    Py_CLEAR(scheme_error);
    Py_CLEAR(scheme_raised);
}

/* --- raising ------------------------------------------------------------------------------ */

void
raise_error(PyObject *message, PyObject *irritants)
{
    PyObject *args = PyTuple_Pack(2, message, irritants);
    if (args != NULL) {
        PyErr_SetObject(scheme_error, args);
        Py_DECREF(args);
    }
}

void *
error_about(const char *procedure, const char *problem, PyObject *value)
{
    PyObject *message = PyUnicode_FromFormat("%s: %s:", procedure, problem);
    PyObject *irritants = message != NULL ? cons(value, NIL) : NULL;
    if (irritants != NULL) {
        raise_error(message, irritants);
    }
    Py_XDECREF(irritants);
    Py_XDECREF(message);
    return NULL;
}

int
check_arity(const char *name, Py_ssize_t given, Py_ssize_t least, Py_ssize_t most)
{
    if (given >= least && (most < 0 || given <= most)) {
        return 0;
    }
    PyObject *message;
    if (least == most) {
        message = PyUnicode_FromFormat("%s: takes %zd argument%s, not %zd", name, least,
                                       least == 1 ? "" : "s", given);
    } else {
        message = PyUnicode_FromFormat(
            "%s: takes at %s %zd argument%s, not %zd", name,
            given < least ? "least" : "most", given < least ? least : most,
            (given < least ? least : most) == 1 ? "" : "s", given);
    }
    if (message != NULL) {
        raise_error(message, NIL);
        Py_DECREF(message);
    }
    return -1;
}

/* --- where it came from ---------------------------------------------------------------------- */

/* Is this the MemoryError that the library keeps ready and raises when memory is out? There
 * is only one, so nothing that belongs to one error alone may be stored in it. */
static int
is_bare_memory_error(PyObject *error)
{
    if (!PyErr_GivenExceptionMatches(error, PyExc_MemoryError)) {
        return 0;
    }
    PyObject *args = PyException_GetArgs(error);
    int is_bare = args != NULL && PyTuple_GET_SIZE(args) == 0;
    Py_XDECREF(args);
    return is_bare;
}

/* The list `trace` of an exception, made when it has none; NULL when memory is out. Leaves
 * no exception behind: a place too few is no reason to lose the error itself. */
static PyObject *
trace_of(PyObject *error)
{
    if (is_bare_memory_error(error)) {
        return NULL;
    }
    PyObject *trace = PyObject_GetAttrString(error, "trace");
    if (trace == NULL) {
        PyErr_Clear();
        trace = PyList_New(0);
        if (trace != NULL && PyObject_SetAttrString(error, "trace", trace) < 0) {
            Py_CLEAR(trace);
        }
    }
    PyErr_Clear();
    return trace;
}

/* Take the pending exception; a bare MemoryError is replaced by one with a message. */
static PyObject *
take_error(void)
{
    PyObject *error = PyErr_GetRaisedException();
    if (is_bare_memory_error(error)) {
        raise_out_of_memory();
        Py_SETREF(error, PyErr_GetRaisedException());
    }
    return error;
}

static void
add_place(PyObject *file, int line)
{
    lift_heap_limit(); /* the report of a failure must not fail for the same reason */
    PyObject *error = take_error();
    PyObject *trace = trace_of(error);
    if (trace != NULL && PyList_Check(trace) && PyList_GET_SIZE(trace) < TRACE_MAX) {
        PyObject *place = PyUnicode_FromFormat("%U:%d", file, line);
        if (place == NULL || PyList_Append(trace, place) < 0) {
            PyErr_Clear();
        }
        Py_XDECREF(place);
    }
    Py_XDECREF(trace);
    PyErr_SetRaisedException(error);
    apply_heap_limit();
}

void
error_passes(Node *node)
{
    add_place(node->file, node->line);
}

void *
error_at(PyObject *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    PyObject *message = PyUnicode_FromFormatV(format, args);
    va_end(args);
    if (message != NULL) {
        raise_error(message, NIL);
        Py_DECREF(message);
        add_place(file, line);
    }
    return NULL;
}

/* --- reporting --------------------------------------------------------------------------------- */

PyObject *
error_part(PyObject *error, Py_ssize_t index)
{
    if (is_bare_memory_error(error) && index == 0) {
        return PyUnicode_FromString("out of memory");
    }
    if (!Py_IS_TYPE(error, (PyTypeObject *)scheme_error)) {
        return index == 0 ? PyObject_Str(error) : Py_NewRef(NIL);
    }
    PyObject *args = PyException_GetArgs(error);
    PyObject *part = args != NULL ? PySequence_GetItem(args, index) : NULL;
    Py_XDECREF(args);
    return part;
}

static void
print_error(PyObject *error)
{
    if (Py_IS_TYPE(error, (PyTypeObject *)scheme_raised)) {
        PyObject *args = PyException_GetArgs(error);
        fputs("uncaught: ", stderr);
        scheme_print(stderr, PyTuple_GET_ITEM(args, 0), 1);
        Py_DECREF(args);
        return;
    }
    if (!Py_IS_TYPE(error, (PyTypeObject *)scheme_error)) {
        /* An exception of the library: MemoryError, RecursionError, TypeError ... */
        fprintf(stderr, "%s: ", Py_TYPE(error)->tp_name);
    }
    PyObject *message = error_part(error, 0);
    PyObject *irritants = error_part(error, 1);
    if (message != NULL) {
        scheme_print(stderr, message, 0);
    }
    for (PyObject *i = irritants; i != NULL && is_pair(i); i = CDR(i)) {
        putc(' ', stderr);
        scheme_print(stderr, CAR(i), 1);
    }
    Py_XDECREF(irritants);
    Py_XDECREF(message);
}

static const char *
place_text(PyObject *trace, Py_ssize_t index)
{
    if (trace == NULL || !PyList_Check(trace) || index >= PyList_GET_SIZE(trace)) {
        return NULL;
    }
    return PyUnicode_AsUTF8(PyList_GET_ITEM(trace, index));
}

void
error_report(void)
{
    PyObject *error = take_error();
    PyObject *trace = trace_of(error);
    const char *place = place_text(trace, 0);
    fflush(stdout);
    if (place != NULL) {
        fprintf(stderr, "%s: ", place);
    }
    fputs("error: ", stderr);
    print_error(error);
    putc('\n', stderr);
    for (Py_ssize_t i = 1; (place = place_text(trace, i)) != NULL; i++) {
        fprintf(stderr, "  called from %s\n", place);
    }
    PyErr_Clear(); /* whatever went wrong while printing */
    Py_XDECREF(trace);
    Py_DECREF(error);
}
