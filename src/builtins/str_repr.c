/* SPDX-License-Identifier: MIT */
/* repr() of str. */
#include "str_object.h"

static int
write_escape(PyUnicodeWriter *writer, Py_UCS4 ch)
{
    char text[12];
    const char *format = ch < 0x100 ? "\\x%02x" : ch < 0x10000 ? "\\u%04x" : "\\U%08x";
    int length = snprintf(text, sizeof text, format, (unsigned)ch);
    return PyUnicodeWriter_WriteASCII(writer, text, length);
}

static int
write_repr_character(PyUnicodeWriter *writer, Py_UCS4 ch, Py_UCS4 quote)
{
    switch (ch) {
    case '\n':
        return PyUnicodeWriter_WriteASCII(writer, "\\n", 2);
    case '\r':
        return PyUnicodeWriter_WriteASCII(writer, "\\r", 2);
    case '\t':
        return PyUnicodeWriter_WriteASCII(writer, "\\t", 2);
    default:
        break;
    }
    if (!Py_UNICODE_ISPRINTABLE(ch)) {
        return write_escape(writer, ch);
    }
    if ((ch == quote || ch == '\\') && PyUnicodeWriter_WriteChar(writer, '\\') < 0) {
        return -1;
    }
    return PyUnicodeWriter_WriteChar(writer, ch);
}

PyObject *
ouro_str_repr(PyObject *self)
{
    PyUnicodeObject *u = ouro_str(self);
    bool single = memchr(u->utf8, '\'', (size_t)u->size) != NULL;
    bool twofold = memchr(u->utf8, '"', (size_t)u->size) != NULL;
    Py_UCS4 quote = single && !twofold ? '"' : '\'';
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(u->size);
    if (writer == NULL || PyUnicodeWriter_WriteChar(writer, quote) < 0) {
        goto undo_writer;
    }
    const char *p = u->utf8, *end = p + u->size;
    while (p < end) {
        if (write_repr_character(writer, ouro_utf8_next(&p), quote) < 0) {
            goto undo_writer;
        }
    }
    if (PyUnicodeWriter_WriteChar(writer, quote) < 0) {
        goto undo_writer;
    }
    return PyUnicodeWriter_Finish(writer);

undo_writer:
    PyUnicodeWriter_Discard(writer);
    return NULL;
}
