/* SPDX-License-Identifier: MIT */
/* _PyUnicodeWriter: what extension modules used before PyUnicodeWriter was public. A
 * PyUnicodeWriter behind a struct that the caller owns, made at the first write. */
#include "str_object.h"

void
_PyUnicodeWriter_Init(_PyUnicodeWriter *writer)
{
    *writer = (_PyUnicodeWriter){.writer = NULL};
}

/* The writer inside; NULL with MemoryError. */
static PyUnicodeWriter *
writer_inside(_PyUnicodeWriter *writer)
{
    if (writer->writer == NULL) {
        writer->writer = PyUnicodeWriter_Create(Py_MAX(writer->min_length, 0));
    }
    return writer->writer;
}

int
_PyUnicodeWriter_WriteChar(_PyUnicodeWriter *writer, Py_UCS4 ch)
{
    PyUnicodeWriter *inside = writer_inside(writer);
    return inside == NULL ? -1 : PyUnicodeWriter_WriteChar(inside, ch);
}

int
_PyUnicodeWriter_WriteStr(_PyUnicodeWriter *writer, PyObject *str)
{
    PyUnicodeWriter *inside = ouro_str_require(str) ? writer_inside(writer) : NULL;
    return inside == NULL ? -1 : ouro_writer_put_str(inside, str);
}

int
_PyUnicodeWriter_WriteSubstring(_PyUnicodeWriter *writer, PyObject *str, Py_ssize_t start,
                                Py_ssize_t end)
{
    PyUnicodeWriter *inside = writer_inside(writer);
    return inside == NULL ? -1 : PyUnicodeWriter_WriteSubstring(inside, str, start, end);
}

int
_PyUnicodeWriter_WriteASCIIString(_PyUnicodeWriter *writer, const char *str,
                                  Py_ssize_t len)
{
    PyUnicodeWriter *inside = writer_inside(writer);
    return inside == NULL ? -1 : PyUnicodeWriter_WriteASCII(inside, str, len);
}

int
_PyUnicodeWriter_WriteLatin1String(_PyUnicodeWriter *writer, const char *str,
                                   Py_ssize_t len)
{
    PyObject *text =
        PyUnicode_DecodeLatin1(str, len < 0 ? (Py_ssize_t)strlen(str) : len, NULL);
    int result = text == NULL ? -1 : _PyUnicodeWriter_WriteStr(writer, text);
    Py_XDECREF(text);
    return result;
}

PyObject *
_PyUnicodeWriter_Finish(_PyUnicodeWriter *writer)
{
    PyUnicodeWriter *inside = writer_inside(writer);
    writer->writer = NULL;
    return inside == NULL ? NULL : PyUnicodeWriter_Finish(inside);
}

void
_PyUnicodeWriter_Dealloc(_PyUnicodeWriter *writer)
{
    PyUnicodeWriter_Discard(writer->writer);
    writer->writer = NULL;
}
