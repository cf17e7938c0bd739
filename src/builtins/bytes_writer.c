/* SPDX-License-Identifier: MIT */
/* PyBytesWriter: bytes under construction, in a buffer that grows by half. */
#include <Python.h>

struct PyBytesWriter {
    char *data;
    Py_ssize_t size, room;
};

/* Make room for `size` bytes in all. 0, or -1 with MemoryError. */
static int
bytes_writer_reserve(PyBytesWriter *writer, Py_ssize_t size)
{
    if (size <= writer->room) {
        return 0;
    }
    size_t room = (size_t)size + (writer->room == 0 ? 0 : (size_t)size / 2);
    char *data = size > PY_SSIZE_T_MAX / 2 ? NULL : PyMem_Realloc(writer->data, room);
    if (data == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    writer->data = data;
    writer->room = (Py_ssize_t)room;
    return 0;
}

PyBytesWriter *
PyBytesWriter_Create(Py_ssize_t size)
{
    if (size < 0) {
        PyErr_SetString(PyExc_ValueError, "size must be >= 0");
        return NULL;
    }
    PyBytesWriter *writer = PyMem_Malloc(sizeof *writer);
    if (writer == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *writer = (PyBytesWriter){NULL, size, 0};
    /* Never NULL, so that GetData returns a valid place even for no bytes. */
    if (bytes_writer_reserve(writer, Py_MAX(size, 32)) < 0) {
        PyMem_Free(writer);
        return NULL;
    }
    return writer;
}

void
PyBytesWriter_Discard(PyBytesWriter *writer)
{
    if (writer != NULL) {
        PyMem_Free(writer->data);
        PyMem_Free(writer);
    }
}

PyObject *
PyBytesWriter_FinishWithSize(PyBytesWriter *writer, Py_ssize_t size)
{
    PyObject *result = NULL;
    if (size < 0 || size > writer->room) {
        PyErr_SetString(PyExc_ValueError, "invalid size");
    } else {
        result = PyBytes_FromStringAndSize(writer->data, size);
    }
    PyBytesWriter_Discard(writer);
    return result;
}

PyObject *
PyBytesWriter_Finish(PyBytesWriter *writer)
{
    return PyBytesWriter_FinishWithSize(writer, writer->size);
}

PyObject *
PyBytesWriter_FinishWithPointer(PyBytesWriter *writer, void *buf)
{
    return PyBytesWriter_FinishWithSize(writer, (char *)buf - writer->data);
}

void *
PyBytesWriter_GetData(PyBytesWriter *writer)
{
    return writer->data;
}

Py_ssize_t
PyBytesWriter_GetSize(PyBytesWriter *writer)
{
    return writer->size;
}

int
PyBytesWriter_Resize(PyBytesWriter *writer, Py_ssize_t size)
{
    if (size < 0) {
        PyErr_SetString(PyExc_ValueError, "size must be >= 0");
        return -1;
    }
    if (bytes_writer_reserve(writer, size) < 0) {
        return -1;
    }
    writer->size = size;
    return 0;
}

int
PyBytesWriter_Grow(PyBytesWriter *writer, Py_ssize_t size)
{
    if (size < 0 && writer->size + size < 0) {
        PyErr_SetString(PyExc_ValueError, "invalid size");
        return -1;
    }
    if (size > PY_SSIZE_T_MAX - writer->size) {
        PyErr_NoMemory();
        return -1;
    }
    return PyBytesWriter_Resize(writer, writer->size + size);
}

void *
PyBytesWriter_GrowAndUpdatePointer(PyBytesWriter *writer, Py_ssize_t size, void *buf)
{
    Py_ssize_t at = (char *)buf - writer->data;
    return PyBytesWriter_Grow(writer, size) < 0 ? NULL : writer->data + at;
}

int
PyBytesWriter_WriteBytes(PyBytesWriter *writer, const void *bytes, Py_ssize_t size)
{
    Py_ssize_t at = writer->size;
    if (size < 0) {
        size = (Py_ssize_t)strlen(bytes);
    }
    if (PyBytesWriter_Grow(writer, size) < 0) {
        return -1;
    }
    if (size > 0) {
        memcpy(writer->data + at, bytes, (size_t)size);
    }
    return 0;
}

int
PyBytesWriter_Format(PyBytesWriter *writer, const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    PyObject *bytes = PyBytes_FromFormatV(format, vargs);
    va_end(vargs);
    int result = bytes == NULL
                     ? -1
                     : PyBytesWriter_WriteBytes(writer, PyBytes_AS_STRING(bytes),
                                                PyBytes_GET_SIZE(bytes));
    Py_XDECREF(bytes);
    return result;
}
