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
    struct str_reader r = ouro_str_reader(self);
    bool single = PyUnicode_FindChar(self, '\'', 0, r.length, 1) >= 0;
    bool twofold = PyUnicode_FindChar(self, '"', 0, r.length, 1) >= 0;
    Py_UCS4 quote = single && !twofold ? '"' : '\'';
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(r.length);
    int failed = writer == NULL ? -1 : PyUnicodeWriter_WriteChar(writer, quote);
    for (Py_ssize_t i = 0; failed == 0 && i < r.length; i++) {
        failed = write_repr_character(writer, ouro_str_at(&r, i), quote);
    }
    if (failed || PyUnicodeWriter_WriteChar(writer, quote) < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}
