/* SPDX-License-Identifier: MIT */
/* PyUnicodeWriter: text under construction, as UTF-8 in a buffer that doubles. */
#include "str_object.h"

struct PyUnicodeWriter {
    char *text;
    Py_ssize_t size, room;
    Py_ssize_t length; /* characters written */
};

PyUnicodeWriter *
PyUnicodeWriter_Create(Py_ssize_t length)
{
    if (length < 0) {
        PyErr_SetString(PyExc_ValueError, "length must be positive");
        return NULL;
    }
    PyUnicodeWriter *writer = PyMem_Malloc(sizeof *writer);
    if (writer == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *writer = (PyUnicodeWriter){NULL, 0, 0, 0};
    if (length > 0) {
        writer->text = PyMem_Malloc((size_t)length);
        if (writer->text == NULL) {
            PyMem_Free(writer);
            PyErr_NoMemory();
            return NULL;
        }
        writer->room = length;
    }
    return writer;
}

void
PyUnicodeWriter_Discard(PyUnicodeWriter *writer)
{
    if (writer != NULL) {
        PyMem_Free(writer->text);
        PyMem_Free(writer);
    }
}

PyObject *
PyUnicodeWriter_Finish(PyUnicodeWriter *writer)
{
    PyObject *result = ouro_str_new(writer->text, writer->size, writer->length);
    PyUnicodeWriter_Discard(writer);
    return result;
}

/* Make room for `more` bytes; where to write them, or NULL with MemoryError. */
static char *
writer_reserve(PyUnicodeWriter *writer, Py_ssize_t more)
{
    if (more > PY_SSIZE_T_MAX / 2 - writer->size) {
        PyErr_NoMemory();
        return NULL;
    }
    Py_ssize_t need = writer->size + more;
    if (need > writer->room) {
        Py_ssize_t room = need < 32 ? 64 : need + need / 2;
        char *text = PyMem_Realloc(writer->text, (size_t)room);
        if (text == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        writer->text = text;
        writer->room = room;
    }
    return writer->text + writer->size;
}

/* Text known to be valid. */
static int
writer_append(PyUnicodeWriter *writer, const char *utf8, Py_ssize_t size,
              Py_ssize_t length)
{
    if (size == 0) {
        return 0;
    }
    char *to = writer_reserve(writer, size);
    if (to == NULL) {
        return -1;
    }
    memcpy(to, utf8, (size_t)size);
    writer->size += size;
    writer->length += length;
    return 0;
}

int
PyUnicodeWriter_WriteChar(PyUnicodeWriter *writer, Py_UCS4 ch)
{
    if (ch > 0x10FFFF) {
        PyErr_SetString(PyExc_ValueError, "character must be in range(0x110000)");
        return -1;
    }
    char *to = writer_reserve(writer, 4);
    if (to == NULL) {
        return -1;
    }
    writer->size += ouro_utf8_put(to, ch);
    writer->length++;
    return 0;
}

int
ouro_writer_put(PyUnicodeWriter *writer, struct text_range text)
{
    Py_ssize_t size = ouro_text_size(text);
    return writer_append(writer, text.start, size, ouro_utf8_count(text.start, size));
}

/* Text that is not ASCII is turned to UTF-8 here, and not kept with the str. */
int
ouro_writer_put_str(PyUnicodeWriter *writer, PyObject *str)
{
    struct str_reader r = ouro_str_reader(str);
    if (PyUnicode_IS_ASCII(str)) {
        return writer_append(writer, r.data, r.length, r.length);
    }
    char *to = r.length > PY_SSIZE_T_MAX / 8 ? (char *)PyErr_NoMemory()
                                             : writer_reserve(writer, r.length * 4);
    if (to == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < r.length; i++) {
        to += ouro_utf8_put(to, ouro_str_at(&r, i));
    }
    writer->size = to - writer->text;
    writer->length += r.length;
    return 0;
}

int
PyUnicodeWriter_WriteUTF8(PyUnicodeWriter *writer, const char *str, Py_ssize_t size)
{
    if (size < 0) {
        size = (Py_ssize_t)strlen(str);
    }
    Py_ssize_t length;
    if (ouro_utf8_scan(str, size, &length) == size) {
        return writer_append(writer, str, size, length);
    }
    PyObject *never = PyUnicode_DecodeUTF8(str, size, NULL); /* raises */
    Py_XDECREF(never);
    return -1;
}

int
PyUnicodeWriter_WriteASCII(PyUnicodeWriter *writer, const char *str, Py_ssize_t size)
{
    return PyUnicodeWriter_WriteUTF8(writer, str, size);
}

int
PyUnicodeWriter_WriteWideChar(PyUnicodeWriter *writer, const wchar_t *str,
                              Py_ssize_t size)
{
    PyObject *text = PyUnicode_FromWideChar(str, size);
    int result = text == NULL ? -1 : PyUnicodeWriter_WriteStr(writer, text);
    Py_XDECREF(text);
    return result;
}

int
PyUnicodeWriter_WriteUCS4(PyUnicodeWriter *writer, const Py_UCS4 *str, Py_ssize_t size)
{
    if (size < 0) {
        PyErr_SetString(PyExc_ValueError, "size must be positive");
        return -1;
    }
    Py_ssize_t old_size = writer->size, old_length = writer->length;
    for (Py_ssize_t i = 0; i < size; i++) {
        if (PyUnicodeWriter_WriteChar(writer, str[i]) < 0) {
            writer->size = old_size;
            writer->length = old_length;
            return -1;
        }
    }
    return 0;
}

/* Append a str, which is stolen; NULL is passed on. */
static int
writer_take(PyUnicodeWriter *writer, PyObject *str)
{
    if (str == NULL) {
        return -1;
    }
    int result = ouro_writer_put_str(writer, str);
    Py_DECREF(str);
    return result;
}

int
PyUnicodeWriter_WriteStr(PyUnicodeWriter *writer, PyObject *obj)
{
    return writer_take(writer,
                       PyUnicode_CheckExact(obj) ? Py_NewRef(obj) : PyObject_Str(obj));
}

int
PyUnicodeWriter_WriteRepr(PyUnicodeWriter *writer, PyObject *obj)
{
    if (obj == NULL) {
        return writer_append(writer, "<NULL>", 6, 6);
    }
    return writer_take(writer, PyObject_Repr(obj));
}

int
PyUnicodeWriter_WriteSubstring(PyUnicodeWriter *writer, PyObject *str, Py_ssize_t start,
                               Py_ssize_t end)
{
    if (!ouro_str_require(str)) {
        return -1;
    }
    if (start < 0 || start > end || end > ouro_str(str)->length) {
        PyErr_SetString(PyExc_ValueError, "start and end must lie inside the string");
        return -1;
    }
    return writer_take(writer, PyUnicode_Substring(str, start, end));
}

int
PyUnicodeWriter_Format(PyUnicodeWriter *writer, const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    PyObject *text = PyUnicode_FromFormatV(format, vargs);
    va_end(vargs);
    return writer_take(writer, text);
}
