/* SPDX-License-Identifier: MIT */
/* Procedures that call procedures, raise errors, or end the program; and the start and
 * end of the whole. */
#include "scheme.h"

#include <signal.h>
#include <time.h>

/* --- calling --------------------------------------------------------------------------- */

/* (apply f a b '(c d)) calls f with a b c d. */
static PyObject *
control_apply(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("apply", count, 2, -1) < 0) {
        return NULL;
    }
    PyObject *list = args[count - 1];
    Py_ssize_t fixed = count - 2, more = list_length(list);
    if (more < 0) {
        return error_about("apply", "not a list", list);
    }
    if (!PyCallable_Check(args[0])) {
        return error_about("apply", "not a procedure", args[0]);
    }
    PyObject *all = PyTuple_New(fixed + more);
    for (Py_ssize_t i = 0; all != NULL && i < fixed; i++) {
        PyTuple_SET_ITEM(all, i, Py_NewRef(args[i + 1]));
    }
    for (Py_ssize_t i = fixed; all != NULL && i < fixed + more; i++, list = CDR(list)) {
        PyTuple_SET_ITEM(all, i, Py_NewRef(CAR(list)));
    }
    PyObject *result = all != NULL ? PyObject_CallObject(args[0], all) : NULL;
    Py_XDECREF(all);
    return result;
}

static PyObject *
control_eval(PyObject *self, PyObject *datum)
{
    (void)self;
    PyObject *file = PyUnicode_FromString("eval");
    Node *node = file != NULL ? scheme_compile(datum, file) : NULL;
    PyObject *result = node != NULL ? scheme_eval(node, NULL) : NULL;
    Py_XDECREF(node);
    Py_XDECREF(file);
    return result;
}

/* --- errors ---------------------------------------------------------------------------- */

/* (error message irritant ...). */
static PyObject *
control_error(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("error", count, 1, -1) < 0) {
        return NULL;
    }
    PyObject *irritants = Py_NewRef(NIL);
    while (irritants != NULL && --count >= 1) {
        Py_SETREF(irritants, cons(args[count], irritants));
    }
    if (irritants != NULL) {
        raise_error(args[0], irritants);
        Py_DECREF(irritants);
    }
    return NULL;
}

static PyObject *
control_raise(PyObject *self, PyObject *value)
{
    (void)self;
    if (PyExceptionInstance_Check(value)) {
        PyErr_SetRaisedException(Py_NewRef(value));
        return NULL;
    }
    PyObject *args = PyTuple_Pack(1, value);
    if (args != NULL) {
        PyErr_SetObject(scheme_raised, args);
        Py_DECREF(args);
    }
    return NULL;
}

/* (call-guarded attempt receive): the value of (attempt); when that raises something,
 * the value of (receive something). ^C and exit pass through. */
static PyObject *
control_guarded(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("call-guarded", count, 2, 2) < 0) {
        return NULL;
    }
    PyObject *result = PyObject_CallNoArgs(args[0]);
    if (result != NULL || !PyErr_ExceptionMatches(PyExc_Exception)) {
        return result;
    }
    PyObject *raised = PyErr_GetRaisedException();
    if (Py_IS_TYPE(raised, (PyTypeObject *)scheme_raised)) {
        PyObject *wrapped = PyException_GetArgs(raised);
        Py_SETREF(raised, Py_NewRef(PyTuple_GET_ITEM(wrapped, 0)));
        Py_DECREF(wrapped);
    }
    result = PyObject_CallOneArg(args[1], raised);
    Py_DECREF(raised);
    return result;
}

static PyObject *
error_field(const char *name, PyObject *error, Py_ssize_t index)
{
    return PyExceptionInstance_Check(error) ? error_part(error, index)
                                            : error_about(name, "not an error", error);
}

static PyObject *
control_error_message(PyObject *self, PyObject *error)
{
    (void)self;
    return error_field("error-message", error, 0);
}

static PyObject *
control_error_irritants(PyObject *self, PyObject *error)
{
    (void)self;
    return error_field("error-irritants", error, 1);
}

static PyObject *
control_is_error(PyObject *self, PyObject *value)
{
    (void)self;
    return PyBool_FromLong(PyExceptionInstance_Check(value));
}

/* --- the program ----------------------------------------------------------------------- */

static PyObject *
control_exit(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("exit", count, 0, 1) < 0) {
        return NULL;
    }
    if (count == 1) {
        PyErr_SetObject(PyExc_SystemExit, args[0]);
    } else {
        PyErr_SetNone(PyExc_SystemExit);
    }
    return NULL;
}

/* Seconds of processor time, as a double. */
static PyObject *
control_runtime(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyFloat_FromDouble((double)clock() / CLOCKS_PER_SEC);
}

static volatile sig_atomic_t interrupted;

static void
on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* A signal handler can only leave a note; this finds it. PyErr_CheckSignals is the
 * library's own safe point, where a collection that is due may run. */
int
scheme_safe_point(void)
{
    if (interrupted) {
        interrupted = 0;
        PyErr_SetString(PyExc_KeyboardInterrupt, "interrupted");
        return -1;
    }
    return PyErr_CheckSignals();
}

static PyMethodDef procedures[] = {
    {"apply", FAST(control_apply)},
    {"eval", ONE(control_eval)},
    {"error", FAST(control_error)},
    {"raise", ONE(control_raise)},
    {"call-guarded", FAST(control_guarded)},
    {"error?", ONE(control_is_error)},
    {"error-message", ONE(control_error_message)},
    {"error-irritants", ONE(control_error_irritants)},
    {"exit", FAST(control_exit)},
    {"runtime", NONE(control_runtime)},
    {NULL, NULL, 0, NULL},
};

int
control_init(void)
{
    signal(SIGINT, on_interrupt);
    return define_procedures(procedures);
}

/* --- start and end --------------------------------------------------------------------- */

int
define_procedures(PyMethodDef *table)
{
    for (; table->ml_name != NULL; table++) {
        PyObject *symbol = intern(table->ml_name);
        PyObject *function = symbol != NULL ? PyCFunction_New(table, NULL) : NULL;
        if (function == NULL) {
            Py_XDECREF(symbol);
            return -1;
        }
        Py_XSETREF(((Symbol *)symbol)->value, function);
        Py_DECREF(symbol);
    }
    return 0;
}

int
scheme_init(void)
{
    if (types_init() < 0 || errors_init() < 0 || compile_init() < 0 ||
        numbers_init() < 0 || lists_init() < 0 || tables_init() < 0 ||
        strings_init() < 0 || control_init() < 0 || memory_init() < 0) {
        return -1;
    }
    return 0;
}

void
scheme_finish(void)
{
    types_finish();
    errors_finish();
}
