/* SPDX-License-Identifier: MIT */
/* The exception that is being handled: caught, not pending. Exceptions raised meanwhile get
 * it as their context. */
#include "handled.h"

#include "../thread/thread.h"

PyObject *
PyErr_GetHandledException(void)
{
    return Py_XNewRef(ouro_thread_required("PyErr_GetHandledException")->handled);
}

void
PyErr_SetHandledException(PyObject *exc)
{
    struct _ts *thread = ouro_thread_required("PyErr_SetHandledException");
    Py_XSETREF(thread->handled, exc == Py_None ? NULL : Py_XNewRef(exc));
}

void
PyErr_GetExcInfo(PyObject **type, PyObject **value, PyObject **traceback)
{
    PyObject *exc = PyErr_GetHandledException();
    PyObject *found = exc == NULL ? NULL : PyException_GetTraceback(exc);
    *type = Py_NewRef(exc == NULL ? Py_None : (PyObject *)Py_TYPE(exc));
    *value = exc;
    *traceback = found == NULL ? Py_NewRef(Py_None) : found;
}

void
PyErr_SetExcInfo(PyObject *type, PyObject *value, PyObject *traceback)
{
    PyErr_SetHandledException(value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

/* Is `sought` in the chain of contexts that begins at `exc`? Then cut the chain there: a
 * context must not lead back to its own exception. In chains that are cyclic for another reason
 * the walk ends where it meets a second walk of half its speed. */
static void
cut_context(PyObject *exc, PyObject *sought)
{
    PyObject *slow = exc;
    bool step = false;
    for (PyObject *e = exc; ((PyBaseExceptionObject *)e)->context != NULL;) {
        PyObject *next = ((PyBaseExceptionObject *)e)->context;
        if (next == sought) {
            PyException_SetContext(e, NULL);
            return;
        }
        e = next;
        if (step) {
            slow = ((PyBaseExceptionObject *)slow)->context;
        }
        step = !step;
        if (e == slow) {
            return;
        }
    }
}

void
ouro_handled_add_context(PyObject *exc)
{
    PyObject *handled = ouro_current.thread->handled;
    if (handled == NULL || handled == exc || !PyExceptionInstance_Check(handled)) {
        return;
    }
    Py_INCREF(handled); /* cutting may destroy what only a context kept */
    cut_context(handled, exc);
    PyException_SetContext(exc, handled);
}
