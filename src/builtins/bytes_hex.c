/* SPDX-License-Identifier: MIT */
/* bytes.hex and bytes.fromhex. */
#include "arguments.h"
#include "bytes_argument.h"

/* --- hex ------------------------------------------------------------------------------------------------ */

/* The separator: one ASCII character, str or bytes. -1 with an exception. */
static int
hex_separator(PyObject *sep)
{
    const char *text;
    Py_ssize_t size;
    if (PyUnicode_Check(sep)) {
        text = PyUnicode_AsUTF8(sep);
        size = PyUnicode_GET_LENGTH(sep);
    } else if (PyBytes_Check(sep)) {
        text = PyBytes_AS_STRING(sep);
        size = PyBytes_GET_SIZE(sep);
    } else {
        PyErr_SetString(PyExc_TypeError, "sep must be str or bytes.");
        return -1;
    }
    if (size != 1) {
        PyErr_SetString(PyExc_ValueError, "sep must be length 1.");
        return -1;
    }
    if ((unsigned char)text[0] >= 0x80) {
        PyErr_SetString(PyExc_ValueError, "sep must be ASCII.");
        return -1;
    }
    return text[0];
}

/* hex([sep[, bytes_per_sep]]): groups are counted from the right, from the left when
 * negative. */
PyObject *
ouro_bytes_hex(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static char *names[] = {"sep", "bytes_per_sep", NULL};
    PyObject *separator = NULL;
    int group = 1;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, "|Oi:hex", names, &separator,
                                     &group)) {
        return NULL;
    }
    int sep = separator == NULL ? 0 : hex_separator(separator);
    if (sep < 0) {
        return NULL;
    }
    Py_ssize_t size = PyBytes_GET_SIZE(self),
               every = group < 0 ? -(Py_ssize_t)group : group;
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(size);
    for (Py_ssize_t i = 0; writer != NULL && i < size; i++) {
        unsigned char byte = (unsigned char)PyBytes_AS_STRING(self)[i];
        char text[3] = {(char)sep, "0123456789abcdef"[byte >> 4],
                        "0123456789abcdef"[byte & 15]};
        bool parted = separator != NULL && i > 0 && every != 0 &&
                      (group < 0 ? i : size - i) % every == 0;
        if (PyUnicodeWriter_WriteASCII(writer, parted ? text : text + 1, parted ? 3 : 2) <
            0) {
            PyUnicodeWriter_Discard(writer);
            return NULL;
        }
    }
    return writer == NULL ? NULL : PyUnicodeWriter_Finish(writer);
}

/* --- fromhex ---------------------------------------------------------------------------------------------- */

static int
hex_value(Py_UCS4 c)
{
    return c >= '0' && c <= '9'   ? (int)(c - '0')
           : c >= 'a' && c <= 'f' ? (int)(c - 'a' + 10)
           : c >= 'A' && c <= 'F' ? (int)(c - 'A' + 10)
                                  : -1;
}

/* Pairs of digits with blanks between them. */
PyObject *
ouro_bytes_fromhex(PyObject *type, PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        return ouro_args_wrong_type("fromhex", "argument", "str", text);
    }
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), at = 0;
    PyBytesWriter *writer = PyBytesWriter_Create(0);
    while (writer != NULL && at < length) {
        Py_UCS4 first = PyUnicode_ReadChar(text, at);
        if (first == ' ' || (first >= '\t' && first <= '\r')) {
            at++;
            continue;
        }
        Py_UCS4 second = at + 1 < length ? PyUnicode_ReadChar(text, at + 1) : 0;
        int high = hex_value(first), low = hex_value(second);
        char byte = (char)(high * 16 + low);
        if (high < 0 || low < 0) {
            PyErr_Format(PyExc_ValueError,
                         "non-hexadecimal number found in fromhex() arg at position %zd",
                         high < 0 ? at : at + 1);
        }
        if (high < 0 || low < 0 || PyBytesWriter_WriteBytes(writer, &byte, 1) < 0) {
            PyBytesWriter_Discard(writer);
            return NULL;
        }
        at += 2;
    }
    PyObject *result = writer == NULL ? NULL : PyBytesWriter_Finish(writer);
    if (result != NULL && type != (PyObject *)&PyBytes_Type) {
        Py_SETREF(result, PyObject_CallOneArg(type, result));
    }
    return result;
}
