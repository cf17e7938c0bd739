/* SPDX-License-Identifier: MIT */
/* repr() of str. */
#include "str_object.h"

/* Ranges of characters beyond ASCII that are shown as escapes: controls, blanks, format
 * and private characters. Characters not yet assigned are shown as they are; that would
 * need the whole Unicode database. */
static bool
needs_escape(Py_UCS4 ch)
{
    static const struct {
        Py_UCS4 first, last;
    } hidden[] = {
        {0x7F, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
        {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x1680, 0x1680},   {0x180E, 0x180E},
        {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},
        {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
        {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE007F}, {0xE0200, 0x10FFFF},
    };
    if (ch < 0x7F) {
        return ch < ' ';
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(hidden); i++) {
        if (ch >= hidden[i].first && ch <= hidden[i].last) {
            return true;
        }
    }
    return false;
}

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
    if (needs_escape(ch)) {
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
