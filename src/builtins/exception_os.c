/* SPDX-License-Identifier: MIT */
/* OSError and the classes that stand for one errno each: OSError(errno, text) makes an
 * instance of the class for that errno. */
#include "exception_object.h"

enum {
    OS_ERROR_ERRNO,
    OS_ERROR_STRERROR,
    OS_ERROR_FILENAME,
    OS_ERROR_FILENAME2,
    OS_ERROR_WRITTEN,
};

/* --- which class ------------------------------------------------------------------------- */

#define EACH_OS_ERROR(X)                                                                 \
    X(BlockingIOError, OSError, "I/O operation would block.")                            \
    X(ChildProcessError, OSError, "Child process error.")                                \
    X(ConnectionError, OSError, "Connection error.")                                     \
    X(BrokenPipeError, ConnectionError, "Broken pipe.")                                  \
    X(ConnectionAbortedError, ConnectionError, "Connection aborted.")                    \
    X(ConnectionRefusedError, ConnectionError, "Connection refused.")                    \
    X(ConnectionResetError, ConnectionError, "Connection reset.")                        \
    X(FileExistsError, OSError, "File already exists.")                                  \
    X(FileNotFoundError, OSError, "File not found.")                                     \
    X(InterruptedError, OSError, "Interrupted by signal.")                               \
    X(IsADirectoryError, OSError, "Operation doesn't work on directories.")              \
    X(NotADirectoryError, OSError, "Operation only works on directories.")               \
    X(PermissionError, OSError, "Not enough permissions.")                               \
    X(ProcessLookupError, OSError, "Process not found.")                                 \
    X(TimeoutError, OSError, "Timeout expired.")

#define DECLARE_OS_ERROR(name, base, doc) static PyTypeObject os_##name;
EACH_OS_ERROR(DECLARE_OS_ERROR)

static PyTypeObject *
class_for_errno(int number)
{
    if (number == EWOULDBLOCK) { /* on most systems another name of EAGAIN */
        return &os_BlockingIOError;
    }
    switch (number) {
    case EAGAIN:
    case EALREADY:
    case EINPROGRESS:
        return &os_BlockingIOError;
    case ECHILD:
        return &os_ChildProcessError;
    case EPIPE:
    case ESHUTDOWN:
        return &os_BrokenPipeError;
    case ECONNABORTED:
        return &os_ConnectionAbortedError;
    case ECONNREFUSED:
        return &os_ConnectionRefusedError;
    case ECONNRESET:
        return &os_ConnectionResetError;
    case EEXIST:
        return &os_FileExistsError;
    case ENOENT:
        return &os_FileNotFoundError;
    case EINTR:
        return &os_InterruptedError;
    case EISDIR:
        return &os_IsADirectoryError;
    case ENOTDIR:
        return &os_NotADirectoryError;
    case EACCES:
    case EPERM:
        return &os_PermissionError;
    case ESRCH:
        return &os_ProcessLookupError;
    case ETIMEDOUT:
        return &os_TimeoutError;
    default:
        return &ouro_OSError;
    }
}

/* --- life -------------------------------------------------------------------------------- */

/* Two to five arguments are an errno, a text and file names; anything else is a message. */
static bool
args_are_parts(PyObject *args)
{
    return PyTuple_GET_SIZE(args) >= 2 && PyTuple_GET_SIZE(args) <= 5;
}

static PyObject *
os_error_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (type == &ouro_OSError && args_are_parts(args) &&
        PyLong_Check(PyTuple_GET_ITEM(args, 0))) {
        int overflow;
        long number = PyLong_AsLongAndOverflow(PyTuple_GET_ITEM(args, 0), &overflow);
        if (overflow == 0 && number == (int)number) {
            type = class_for_errno((int)number);
        }
    }
    return ouro_exception_new(type, args, kwargs);
}

/* The third argument: the number of characters written for BlockingIOError, else a file
 * name, which may be followed by (on Windows) another number and a second name. */
static int
set_file_names(PyObject *self, PyObject *args)
{
    PyObject *name = PyTuple_GET_ITEM(args, 2);
    if (name == Py_None) {
        return 0;
    }
    if (Py_IS_TYPE(self, &os_BlockingIOError) && PyNumber_Check(name)) {
        PyObject *written = PyNumber_Index(name);
        ouro_exception_set_field(self, OS_ERROR_WRITTEN, written);
        Py_XDECREF(written);
        return written == NULL ? -1 : 0;
    }
    ouro_exception_set_field(self, OS_ERROR_FILENAME, name);
    if (PyTuple_GET_SIZE(args) == 5 && PyTuple_GET_ITEM(args, 4) != Py_None) {
        ouro_exception_set_field(self, OS_ERROR_FILENAME2, PyTuple_GET_ITEM(args, 4));
    }
    /* args stays (errno, strerror), so that it can be unpacked. */
    PyObject *pair = PyTuple_GetSlice(args, 0, 2);
    if (pair == NULL) {
        return -1;
    }
    Py_XSETREF(ouro_exception(self)->args, pair);
    return 0;
}

static int
os_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (ouro_exception_init(self, args, kwargs) < 0) {
        return -1;
    }
    for (int i = 0; i < OURO_EXCEPTION_FIELDS_MAX; i++) {
        ouro_exception_set_field(self, i, NULL);
    }
    if (!args_are_parts(args)) {
        return 0;
    }
    ouro_exception_set_field(self, OS_ERROR_ERRNO, PyTuple_GET_ITEM(args, 0));
    ouro_exception_set_field(self, OS_ERROR_STRERROR, PyTuple_GET_ITEM(args, 1));
    return PyTuple_GET_SIZE(args) > 2 ? set_file_names(self, args) : 0;
}

/* --- text -------------------------------------------------------------------------------- */

static PyObject *
os_error_str(PyObject *self)
{
    PyObject **fields = ouro_exception_fields(self);
    PyObject *number = fields[OS_ERROR_ERRNO], *text = fields[OS_ERROR_STRERROR];
    number = number == NULL ? Py_None : number;
    text = text == NULL ? Py_None : text;
    if (fields[OS_ERROR_FILENAME] == NULL) {
        return fields[OS_ERROR_ERRNO] == NULL || fields[OS_ERROR_STRERROR] == NULL
                   ? ouro_exception_str(self)
                   : PyUnicode_FromFormat("[Errno %S] %S", number, text);
    }
    if (fields[OS_ERROR_FILENAME2] == NULL) {
        return PyUnicode_FromFormat("[Errno %S] %S: %R", number, text,
                                    fields[OS_ERROR_FILENAME]);
    }
    return PyUnicode_FromFormat("[Errno %S] %S: %R -> %R", number, text,
                                fields[OS_ERROR_FILENAME], fields[OS_ERROR_FILENAME2]);
}

/* --- the types ---------------------------------------------------------------------------- */

static PyMemberDef os_error_members[] = {
    OURO_EXCEPTION_MEMBER("errno", OS_ERROR_ERRNO, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("strerror", OS_ERROR_STRERROR, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("filename", OS_ERROR_FILENAME, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("filename2", OS_ERROR_FILENAME2, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("characters_written", OS_ERROR_WRITTEN, Py_T_OBJECT_EX),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_OSError = {
    OURO_EXCEPTION_TYPE("OSError", 5),
    .tp_str = os_error_str,
    .tp_doc = "Base class for I/O related errors.",
    .tp_base = &ouro_Exception,
    .tp_members = os_error_members,
    .tp_init = os_error_init,
    .tp_new = os_error_new,
};

PyObject *PyExc_OSError = (PyObject *)&ouro_OSError;
PyObject *PyExc_EnvironmentError = (PyObject *)&ouro_OSError;
PyObject *PyExc_IOError = (PyObject *)&ouro_OSError;

#define os_OSError ouro_OSError
#define DEFINE_OS_ERROR(name_, base_, doc_)                                              \
    static PyTypeObject os_##name_ =                                                     \
        {                                                                                \
            OURO_EXCEPTION_TYPE(#name_, 5),                                              \
            .tp_str = os_error_str,                                                      \
            .tp_doc = doc_,                                                              \
            .tp_base = &os_##base_,                                                      \
            .tp_init = os_error_init,                                                    \
            .tp_new = os_error_new,                                                      \
    };                                                                                   \
    PyObject *PyExc_##name_ = (PyObject *)&os_##name_;
EACH_OS_ERROR(DEFINE_OS_ERROR)
