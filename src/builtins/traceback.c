/* SPDX-License-Identifier: MIT */
/* Tracebacks: the frames that an exception passed. They hold only the frames that extension
 * modules add with PyTraceBack_Here. */
#include <Python.h>

static PyTracebackObject *
traceback_of(PyObject *op)
{
    return (PyTracebackObject *)op;
}

/* A traceback that starts at `frame` and goes on with `next`, which is stolen. */
static PyObject *
new_traceback(PyObject *next, PyFrameObject *frame)
{
    PyTracebackObject *tb = PyType_Ready(&PyTraceBack_Type) < 0
                                ? NULL
                                : PyObject_GC_New(PyTracebackObject, &PyTraceBack_Type);
    if (tb == NULL) {
        Py_XDECREF(next);
        return NULL;
    }
    tb->tb_next = next == NULL ? NULL : traceback_of(next);
    tb->tb_frame = (PyFrameObject *)Py_NewRef(frame);
    tb->tb_lasti = PyFrame_GetLasti(frame);
    tb->tb_lineno = PyFrame_GetLineNumber(frame);
    PyObject_GC_Track(tb);
    return (PyObject *)tb;
}

int
PyTraceBack_Here(PyFrameObject *frame)
{
    PyObject *exc = PyErr_GetRaisedException();
    if (exc == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    PyObject *tb = new_traceback(PyException_GetTraceback(exc), frame);
    if (tb == NULL) {
        PyObject *failure = PyErr_GetRaisedException();
        PyException_SetContext(failure, exc);
        PyErr_SetRaisedException(failure);
        return -1;
    }
    PyException_SetTraceback(exc, tb);
    Py_DECREF(tb);
    PyErr_SetRaisedException(exc);
    return 0;
}

static int
write_entry(PyTracebackObject *tb, PyObject *file)
{
    PyCodeObject *code = PyFrame_GetCode(tb->tb_frame);
    PyObject *line =
        PyUnicode_FromFormat("  File \"%U\", line %d, in %U\n", code->co_filename,
                             tb->tb_lineno, code->co_name);
    int status = line == NULL ? -1 : PyFile_WriteObject(line, file, Py_PRINT_RAW);
    Py_XDECREF(line);
    Py_DECREF(code);
    return status;
}

int
PyTraceBack_Print(PyObject *tb, PyObject *file)
{
    if (tb == NULL || tb == Py_None) {
        return 0;
    }
    if (!PyTraceBack_Check(tb)) {
        PyErr_BadInternalCall();
        return -1;
    }
    int status = PyFile_WriteString("Traceback (most recent call last):\n", file);
    for (PyTracebackObject *at = traceback_of(tb); status == 0 && at != NULL;
         at = at->tb_next) {
        status = write_entry(at, file);
    }
    return status;
}

/* --- the type ---------------------------------------------------------------------------- */

static int
traceback_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(traceback_of(op)->tb_next);
    Py_VISIT(traceback_of(op)->tb_frame);
    return 0;
}

/* The frame stays, so that code that still has the traceback can read it. */
static int
traceback_clear(PyObject *op)
{
    Py_CLEAR(traceback_of(op)->tb_next);
    return 0;
}

static void
traceback_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_XDECREF(traceback_of(op)->tb_next);
    Py_DECREF(traceback_of(op)->tb_frame);
    PyObject_GC_Del(op);
}

static PyMemberDef traceback_members[] = {
    {"tb_next", _Py_T_OBJECT, offsetof(PyTracebackObject, tb_next), Py_READONLY, NULL},
    {"tb_frame", _Py_T_OBJECT, offsetof(PyTracebackObject, tb_frame), Py_READONLY, NULL},
    {"tb_lasti", Py_T_INT, offsetof(PyTracebackObject, tb_lasti), Py_READONLY, NULL},
    {"tb_lineno", Py_T_INT, offsetof(PyTracebackObject, tb_lineno), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject PyTraceBack_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "traceback",
    .tp_basicsize = sizeof(PyTracebackObject),
    .tp_dealloc = traceback_dealloc,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "The frames that an exception came through.",
    .tp_traverse = traceback_traverse,
    .tp_clear = traceback_clear,
    .tp_members = traceback_members,
};
