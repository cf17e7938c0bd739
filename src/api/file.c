/* SPDX-License-Identifier: MIT */
/* File objects, by the methods that they have: write(), readline(), fileno(). */
#include <Python.h>

#include <stdbool.h>

int
PyFile_WriteObject(PyObject *obj, PyObject *file, int flags)
{
    if (file == NULL) {
        PyErr_SetString(PyExc_TypeError, "writeobject with NULL file");
        return -1;
    }
    PyObject *text = flags & Py_PRINT_RAW ? PyObject_Str(obj) : PyObject_Repr(obj);
    PyObject *result =
        text == NULL ? NULL : PyObject_CallMethod(file, "write", "(O)", text);
    Py_XDECREF(text);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

int
PyFile_WriteString(const char *text, PyObject *file)
{
    if (PyErr_Occurred()) {
        return -1;
    }
    if (file == NULL) {
        PyErr_SetString(PyExc_SystemError, "null file for PyFile_WriteString");
        return -1;
    }
    PyObject *object = PyUnicode_FromString(text);
    int status = object == NULL ? -1 : PyFile_WriteObject(object, file, Py_PRINT_RAW);
    Py_XDECREF(object);
    return status;
}

/* --- reading a line ------------------------------------------------------------------------ */

/* A line without its newline; EOFError for an empty one. Steals `line`. */
static PyObject *
strip_newline(PyObject *line)
{
    Py_ssize_t size = PyObject_Size(line);
    PyObject *last = size > 0 ? PySequence_GetSlice(line, size - 1, size) : NULL;
    PyObject *result = NULL;
    if (size == 0) {
        PyErr_SetString(PyExc_EOFError, "EOF when reading a line");
    } else if (last != NULL) {
        bool ends = PyBytes_Check(last)
                        ? PyBytes_AS_STRING(last)[0] == '\n'
                        : PyUnicode_CompareWithASCIIString(last, "\n") == 0;
        result = ends ? PySequence_GetSlice(line, 0, size - 1) : Py_NewRef(line);
    }
    Py_XDECREF(last);
    Py_DECREF(line);
    return result;
}

PyObject *
PyFile_GetLine(PyObject *file, int n)
{
    if (file == NULL) {
        PyErr_BadInternalCall();
        return NULL;
    }
    PyObject *line = n > 0 ? PyObject_CallMethod(file, "readline", "i", n)
                           : PyObject_CallMethod(file, "readline", NULL);
    if (line != NULL && !PyBytes_Check(line) && !PyUnicode_Check(line)) {
        Py_DECREF(line);
        PyErr_SetString(PyExc_TypeError, "object.readline() returned non-string");
        return NULL;
    }
    return line != NULL && n < 0 ? strip_newline(line) : line;
}

/* --- descriptors ----------------------------------------------------------------------------- */

/* What fileno() gives: an int, a new reference. */
static PyObject *
ask_fileno(PyObject *file)
{
    PyObject *method;
    if (PyObject_GetOptionalAttrString(file, "fileno", &method) <= 0) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError,
                            "argument must be an int, or have a fileno() method.");
        }
        return NULL;
    }
    PyObject *number = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    if (number != NULL && !PyLong_Check(number)) {
        Py_DECREF(number);
        PyErr_SetString(PyExc_TypeError, "fileno() returned a non-integer");
        return NULL;
    }
    return number;
}

int
PyObject_AsFileDescriptor(PyObject *file)
{
    PyObject *number = PyLong_Check(file) ? Py_NewRef(file) : ask_fileno(file);
    int descriptor = number == NULL ? -1 : PyLong_AsInt(number);
    Py_XDECREF(number);
    if (descriptor < 0 && !PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError,
                     "file descriptor cannot be a negative integer (%i)", descriptor);
        return -1;
    }
    return descriptor;
}

PyObject *
PyFile_FromFd(int fd, const char *Py_UNUSED(name), const char *mode, int buffering,
              const char *encoding, const char *errors, const char *newline, int closefd)
{
    PyObject *io = PyImport_ImportModule("io");
    PyObject *file =
        io == NULL ? NULL
                   : PyObject_CallMethod(io, "open", "isisssO", fd,
                                         mode == NULL ? "r" : mode, buffering, encoding,
                                         errors, newline, closefd ? Py_True : Py_False);
    Py_XDECREF(io);
    return file;
}
