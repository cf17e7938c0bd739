/* SPDX-License-Identifier: MIT */
/* Printing exceptions, in CPython's format. There are no tracebacks to print. */
#include "display.h"

#include "../thread/thread.h"

/* How far a chain of causes and contexts is followed. */
#define CHAIN_MOST 100

static void
display_text(PyObject *text, const char *failed)
{
    const char *utf8 = text != NULL ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    fputs(utf8 != NULL ? utf8 : failed, stderr);
    PyErr_Clear();
    Py_XDECREF(text);
}

void
ouro_display_str(PyObject *o, const char *failed)
{
    display_text(PyObject_Str(o), failed);
}

void
ouro_display_repr(PyObject *o, const char *failed)
{
    display_text(PyObject_Repr(o), failed);
}

void
ouro_display_exception_line(PyObject *exc)
{
    fputs(Py_TYPE(exc)->tp_name, stderr);
    PyObject *text = PyObject_Str(exc);
    if (text == NULL || !PyUnicode_Check(text) || PyUnicode_GET_LENGTH(text) != 0) {
        fputs(": ", stderr);
        display_text(text, "<exception str() failed>");
    } else {
        Py_DECREF(text);
    }
    fputs("\n", stderr);
}

static void
display_chain(PyObject *exc, int links)
{
    const PyBaseExceptionObject *e = (PyBaseExceptionObject *)exc;
    if (links > 0 && e->cause != NULL) {
        display_chain(e->cause, links - 1);
        fputs(
            "\nThe above exception was the direct cause of the following exception:\n\n",
            stderr);
    } else if (links > 0 && e->context != NULL && !e->suppress_context) {
        display_chain(e->context, links - 1);
        fputs("\nDuring handling of the above exception, another exception occurred:\n\n",
              stderr);
    }
    ouro_display_exception_line(exc);
}

void
PyErr_DisplayException(PyObject *exc)
{
    struct _ts *thread = ouro_thread_required("PyErr_DisplayException");
    PyObject *pending = thread->error;
    thread->error = NULL;
    fflush(stdout);
    if (exc != NULL && PyExceptionInstance_Check(exc)) {
        display_chain(exc, CHAIN_MOST);
    } else {
        fprintf(stderr,
                "TypeError: print_exception(): Exception expected for value, %s found\n",
                exc != NULL ? Py_TYPE(exc)->tp_name : "NULL");
    }
    fflush(stderr);
    thread->error = pending;
}

void
PyErr_Display(PyObject *Py_UNUSED(type), PyObject *value, PyObject *Py_UNUSED(traceback))
{
    PyErr_DisplayException(value);
}

/* End the process as a SystemExit with this code, which is taken, asks for. */
static void Py_NO_RETURN
exit_with_code(PyObject *code)
{
    int status = 0;
    fflush(stdout);
    if (code != NULL && PyLong_Check(code)) {
        status = (int)PyLong_AsLong(code); /* -1 when it does not fit, as in CPython */
        PyErr_Clear();
    } else if (code != NULL && code != Py_None) {
        status = 1;
        ouro_display_str(code, "");
        fputs("\n", stderr);
        fflush(stderr);
    }
    Py_XDECREF(code);
    Py_Exit(status);
}

void
PyErr_PrintEx(int Py_UNUSED(set_sys_last_vars))
{
    PyObject *exc = PyErr_GetRaisedException();
    if (exc != NULL && PyErr_GivenExceptionMatches(exc, PyExc_SystemExit)) {
        PyObject *code;
        (void)_PyObject_FindAttrString(exc, "code", &code);
        PyErr_Clear();
        Py_DECREF(exc);
        exit_with_code(code);
    }
    if (exc != NULL) {
        PyErr_DisplayException(exc);
        Py_DECREF(exc);
    }
}

void
PyErr_Print(void)
{
    PyErr_PrintEx(1);
}
