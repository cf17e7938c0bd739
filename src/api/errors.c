/* SPDX-License-Identifier: MIT */
/* The error indicator: the exception that is pending in the calling thread.
 *
 * It is always an exception object, made when the error is raised; the older calls that
 * speak of type, value and traceback convert. Raising MemoryError allocates nothing. What
 * is printed, and where, is in display.c, unraisable.c and warnings.c. */
#include <Python.h>

#include "../base/events.h"
#include "../heap/listeners.h"
#include "../thread/thread.h"
#include "handled.h"

/* --- get and set ------------------------------------------------------------------------ */

PyObject *
PyErr_Occurred(void)
{
    struct _ts *thread = ouro_current.thread;
    return thread != NULL && thread->error != NULL ? (PyObject *)Py_TYPE(thread->error)
                                                   : NULL;
}

PyObject *
PyErr_GetRaisedException(void)
{
    struct _ts *thread = ouro_thread_required("PyErr_GetRaisedException");
    PyObject *exc = thread->error;
    thread->error = NULL;
    return exc;
}

void
PyErr_SetRaisedException(PyObject *exc)
{
    struct _ts *thread = ouro_thread_required("PyErr_SetRaisedException");
    OURO_REQUIRE(exc == NULL || PyExceptionInstance_Check(exc),
                 "PyErr_SetRaisedException: a '%s' object is not an exception",
                 Py_TYPE(exc)->tp_name);
    ouro_event_error("PyErr_SetRaisedException");
    PyObject *old = thread->error;
    thread->error = exc;
    Py_XDECREF(old);
}

void
PyErr_Clear(void)
{
    if (ouro_current.thread != NULL) {
        ouro_event_error("PyErr_Clear");
        Py_CLEAR(ouro_current.thread->error);
    }
}

/* --- raise ------------------------------------------------------------------------------ */

/* The thread's own interpreter decides, also while the thread finishes a static type. An
 * interpreter that is just being made may have to use the process's. */
PyObject *
PyErr_NoMemory(void)
{
    struct _ts *thread = ouro_thread_required("PyErr_NoMemory");
    PyObject *exc = thread->interp->memory_error;
    if (exc == NULL) {
        exc = ouro_shared.memory_error;
    }
    OURO_TELL(allocation_failed, &thread->interp->heap, &(Ouro_Event){0});
    OURO_REQUIRE(exc != NULL, "Py_Initialize: out of memory while starting");
    PyErr_SetRaisedException(exc); /* immortal */
    return NULL;
}

static PyObject *
call_exception_class(PyObject *type, PyObject *value)
{
    if (value == NULL || value == Py_None) {
        return PyObject_CallNoArgs(type);
    }
    if (PyTuple_Check(value)) {
        return PyObject_Call(type, value, NULL);
    }
    return PyObject_CallOneArg(type, value);
}

/* A new reference to an exception of class `type` made from `value`, or `value` itself
 * when it is one already; NULL with another exception. */
static PyObject *
make_exception(PyObject *type, PyObject *value)
{
    if (type == NULL || !PyExceptionClass_Check(type)) {
        return PyErr_Format(PyExc_SystemError,
                            "exception %R is not a BaseException subclass", type);
    }
    if (value != NULL && PyObject_TypeCheck(value, (PyTypeObject *)type)) {
        return Py_NewRef(value);
    }
    PyObject *exc = call_exception_class(type, value);
    if (exc != NULL && !PyExceptionInstance_Check(exc)) {
        PyErr_Format(
            PyExc_TypeError,
            "calling %R should have returned an instance of BaseException, not %s", type,
            Py_TYPE(exc)->tp_name);
        Py_CLEAR(exc);
    }
    return exc;
}

void
PyErr_SetObject(PyObject *type, PyObject *value)
{
    struct _ts *thread = ouro_thread_required("PyErr_SetObject");
    ouro_event_error("PyErr_SetObject");
    PyObject *old = thread->error; /* nothing is pending while the class is called */
    thread->error = NULL;
    PyObject *exc = make_exception(type, value);
    if (exc != NULL) {
        ouro_handled_add_context(exc);
        PyErr_SetRaisedException(exc);
    }
    Py_XDECREF(old);
}

void
PyErr_SetNone(PyObject *type)
{
    PyErr_SetObject(type, NULL);
}

void
PyErr_SetString(PyObject *type, const char *message)
{
    PyErr_Clear();
    PyObject *text =
        PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    if (text != NULL) {
        PyErr_SetObject(type, text);
        Py_DECREF(text);
    }
}

PyObject *
PyErr_FormatV(PyObject *type, const char *format, va_list vargs)
{
    PyErr_Clear();
    PyObject *text = PyUnicode_FromFormatV(format, vargs);
    if (text != NULL) {
        PyErr_SetObject(type, text);
        Py_DECREF(text);
    }
    return NULL;
}

PyObject *
PyErr_Format(PyObject *type, const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    PyErr_FormatV(type, format, vargs);
    va_end(vargs);
    return NULL;
}

void
_PyErr_BadInternalCall(const char *filename, int lineno)
{
    PyErr_Format(PyExc_SystemError, "%s:%d: bad argument to internal function", filename,
                 lineno);
}

/* In parentheses, the name is not the macro. */
void(PyErr_BadInternalCall)(void)
{
    PyErr_SetString(PyExc_SystemError, "bad argument to internal function");
}

int
PyErr_BadArgument(void)
{
    PyErr_SetString(PyExc_TypeError, "bad argument type for built-in operation");
    return 0;
}

/* --- match ------------------------------------------------------------------------------ */

int
PyErr_GivenExceptionMatches(PyObject *given, PyObject *exc)
{
    if (given == NULL || exc == NULL) {
        return 0;
    }
    if (PyTuple_Check(exc)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(exc); i++) {
            if (PyErr_GivenExceptionMatches(given, PyTuple_GET_ITEM(exc, i))) {
                return 1;
            }
        }
        return 0;
    }
    if (PyExceptionInstance_Check(given)) {
        given = PyExceptionInstance_Class(given);
    }
    if (PyExceptionClass_Check(given) && PyExceptionClass_Check(exc)) {
        return PyType_IsSubtype((PyTypeObject *)given, (PyTypeObject *)exc);
    }
    return given == exc;
}

int
PyErr_ExceptionMatches(PyObject *exc)
{
    return PyErr_GivenExceptionMatches(PyErr_Occurred(), exc);
}

/* --- the older triple ------------------------------------------------------------------- */

void
PyErr_Fetch(PyObject **type, PyObject **value, PyObject **traceback)
{
    PyObject *exc = PyErr_GetRaisedException();
    *value = exc;
    *type = exc != NULL ? Py_NewRef(Py_TYPE(exc)) : NULL;
    *traceback = exc != NULL ? PyException_GetTraceback(exc) : NULL;
}

void
PyErr_Restore(PyObject *type, PyObject *value, PyObject *traceback)
{
    if (type == NULL) {
        PyErr_Clear();
    } else {
        PyErr_SetObject(type, value);
        PyObject *exc = ouro_current.thread->error;
        if (traceback != NULL && exc != NULL &&
            PyObject_TypeCheck(exc, (PyTypeObject *)type)) {
            PyException_SetTraceback(exc, traceback);
        }
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

void
PyErr_NormalizeException(PyObject **type, PyObject **value, PyObject **traceback)
{
    if (*type == NULL || (*value != NULL && PyExceptionInstance_Check(*value) &&
                          (PyObject *)Py_TYPE(*value) == *type)) {
        return;
    }
    struct _ts *thread = ouro_thread_required("PyErr_NormalizeException");
    PyObject *pending = thread->error;
    thread->error = NULL;
    PyErr_Restore(*type, *value, Py_XNewRef(*traceback));
    *value = PyErr_GetRaisedException();
    *type = Py_NewRef(Py_TYPE(*value));
    thread->error = pending;
}
