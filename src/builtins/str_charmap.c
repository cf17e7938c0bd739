/* SPDX-License-Identifier: MIT */
/* Encodings by a table: each byte is one character, and what the table says about it. */
#include "str_codec.h"

/* --- decoding ------------------------------------------------------------------------------------ */

/* What the table has for a number: 1 and a new reference, 0 when it has nothing or None. */
static int
look_up_code(PyObject *mapping, unsigned long code, PyObject **value)
{
    PyObject *key = PyLong_FromUnsignedLong(code);
    *value = key == NULL ? NULL : PyObject_GetItem(mapping, key);
    Py_XDECREF(key);
    if (*value == NULL) {
        if (key == NULL || !PyErr_ExceptionMatches(PyExc_LookupError)) {
            return -1;
        }
        PyErr_Clear();
        return 0;
    }
    if (*value == Py_None) {
        Py_CLEAR(*value);
    }
    return *value != NULL;
}

/* Write a str or the character of a number; 1 when it is the mark of undefined ones. */
static int
write_mapped(PyUnicodeWriter *writer, PyObject *value)
{
    if (PyUnicode_Check(value)) {
        bool is_undefined =
            PyUnicode_GET_LENGTH(value) == 1 && PyUnicode_READ_CHAR(value, 0) == 0xFFFE;
        return is_undefined ? 1 : ouro_writer_put_str(writer, value);
    }
    if (!PyLong_Check(value)) {
        PyErr_SetString(PyExc_TypeError,
                        "character mapping must return integer, None or str");
        return -1;
    }
    long ch = PyLong_AsLong(value);
    if (ch < 0 || ch > 0x10FFFF) {
        PyErr_Clear();
        PyErr_SetString(PyExc_TypeError, "character mapping must be in range(0x110000)");
        return -1;
    }
    return ch == 0xFFFE ? 1 : PyUnicodeWriter_WriteChar(writer, (Py_UCS4)ch);
}

/* 0, or 1 when the byte means nothing; -1 with an exception. */
static int
decode_mapped_byte(PyUnicodeWriter *writer, unsigned char byte, PyObject *mapping)
{
    PyObject *value;
    int found = look_up_code(mapping, byte, &value);
    int status = found <= 0 ? found + (found == 0) : write_mapped(writer, value);
    Py_XDECREF(value);
    return status;
}

PyObject *
PyUnicode_DecodeCharmap(const char *s, Py_ssize_t size, PyObject *mapping,
                        const char *errors)
{
    if (mapping == NULL) {
        return PyUnicode_DecodeLatin1(s, size, errors);
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(size);
    for (Py_ssize_t at = 0; writer != NULL && at < size;) {
        int status = decode_mapped_byte(writer, (unsigned char)s[at], mapping);
        at = status == 0  ? at + 1
             : status < 0 ? -1
                          : ouro_codec_bad_bytes(writer, "charmap", s, size, at, at + 1,
                                                 "character maps to <undefined>", errors);
        if (at < 0) {
            PyUnicodeWriter_Discard(writer);
            return NULL;
        }
    }
    return writer == NULL ? NULL : PyUnicodeWriter_Finish(writer);
}

/* --- encoding ------------------------------------------------------------------------------------- */

/* Write a byte, or bytes. */
static int
write_mapped_bytes(PyBytesWriter *writer, PyObject *value)
{
    if (PyBytes_Check(value)) {
        return PyBytesWriter_WriteBytes(writer, PyBytes_AS_STRING(value),
                                        PyBytes_GET_SIZE(value));
    }
    if (!PyLong_Check(value)) {
        PyErr_Format(PyExc_TypeError,
                     "character mapping must return integer, bytes or None, not %.400s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    long code = PyLong_AsLong(value);
    if (code < 0 || code > 255) {
        PyErr_Clear();
        PyErr_SetString(PyExc_TypeError, "character mapping must be in range(256)");
        return -1;
    }
    char byte = (char)code;
    return PyBytesWriter_WriteBytes(writer, &byte, 1);
}

PyObject *
PyUnicode_AsCharmapString(PyObject *unicode, PyObject *mapping)
{
    if (!PyUnicode_Check(unicode) || mapping == NULL) {
        PyErr_BadArgument();
        return NULL;
    }
    struct str_reader r = ouro_str_reader(unicode);
    PyBytesWriter *writer = PyBytesWriter_Create(0);
    for (Py_ssize_t i = 0; writer != NULL && i < r.length; i++) {
        PyObject *value;
        int found = look_up_code(mapping, ouro_str_at(&r, i), &value);
        if (found == 0) {
            ouro_codec_raise(PyExc_UnicodeEncodeError, "charmap", Py_NewRef(unicode), i,
                             i + 1, "character maps to <undefined>");
        }
        int failed = found <= 0 ? -1 : write_mapped_bytes(writer, value);
        Py_XDECREF(value);
        if (failed < 0) {
            PyBytesWriter_Discard(writer);
            return NULL;
        }
    }
    return writer == NULL ? NULL : PyBytesWriter_Finish(writer);
}

PyObject *
PyUnicode_BuildEncodingMap(PyObject *string)
{
    if (!PyUnicode_Check(string) || PyUnicode_GET_LENGTH(string) == 0) {
        PyErr_BadArgument();
        return NULL;
    }
    struct str_reader r = ouro_str_reader(string);
    PyObject *map = PyDict_New();
    for (Py_ssize_t i = 0; map != NULL && i < Py_MIN(r.length, 256); i++) {
        PyObject *key = PyLong_FromUnsignedLong(ouro_str_at(&r, i));
        PyObject *value = PyLong_FromSsize_t(i);
        if (key == NULL || value == NULL || PyDict_SetItem(map, key, value) < 0) {
            Py_CLEAR(map);
        }
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return map;
}
