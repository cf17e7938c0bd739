/* SPDX-License-Identifier: MIT */
/* Objects as text: repr, str, ascii, format, print. */
#include <Python.h>

#include "../base/events.h"
#include "methods.h"
#include "protocol.h"

/* Take over what a tp_repr or tp_str returned; it must be a str. */
static PyObject *
text_or_error(PyObject *text, const char *format)
{
    if (text == NULL || PyUnicode_Check(text)) {
        return text;
    }
    ouro_type_error(format, text);
    Py_DECREF(text);
    return NULL;
}

PyObject *
PyObject_Repr(PyObject *o)
{
    ouro_event_entry("PyObject_Repr");
    if (o == NULL) {
        return PyUnicode_FromString("<NULL>");
    }
    reprfunc repr = Py_TYPE(o)->tp_repr;
    if (repr == NULL) {
        return PyUnicode_FromFormat("<%s object at %p>", Py_TYPE(o)->tp_name, (void *)o);
    }
    if (ouro_too_deep(" while getting the repr of an object")) {
        return NULL;
    }
    return text_or_error(repr(o), "__repr__ returned non-string (type %.200s)");
}

PyObject *
PyObject_Str(PyObject *o)
{
    if (o == NULL) {
        return PyUnicode_FromString("<NULL>");
    }
    if (PyUnicode_CheckExact(o)) {
        return Py_NewRef(o);
    }
    reprfunc str = Py_TYPE(o)->tp_str;
    if (str == NULL) {
        return PyObject_Repr(o);
    }
    if (ouro_too_deep(" while getting the str of an object")) {
        return NULL;
    }
    return text_or_error(str(o), "__str__ returned non-string (type %.200s)");
}

/* --- ascii ------------------------------------------------------------------------------ */

/* Read one code point of valid UTF-8. */
static Py_UCS4
read_code_point(const unsigned char **place)
{
    const unsigned char *p = *place;
    int more = p[0] < 0x80 ? 0 : p[0] < 0xE0 ? 1 : p[0] < 0xF0 ? 2 : 3;
    Py_UCS4 point = more == 0 ? p[0] : p[0] & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        point = point << 6 | (p[i] & 0x3Fu);
    }
    *place = p + more + 1;
    return point;
}

/* Write a code point as ASCII, at most 10 characters; returns how many. */
static int
write_escaped(char *out, Py_UCS4 point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    const char *format = point < 0x100     ? "\\x%02x"
                         : point < 0x10000 ? "\\u%04x"
                                           : "\\U%08x";
    return snprintf(out, 11, format, (unsigned)point);
}

PyObject *
PyObject_ASCII(PyObject *o)
{
    PyObject *repr = PyObject_Repr(o);
    if (repr == NULL) {
        return NULL;
    }
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(repr, &size);
    PyObject *result = NULL;
    /* The worst case is \xNN for two bytes: less than three characters a byte. */
    char *escaped = text == NULL ? NULL : PyMem_Malloc((size_t)size * 3 + 11);
    if (escaped != NULL) {
        const unsigned char *in = (const unsigned char *)text;
        char *out = escaped;
        while (in < (const unsigned char *)text + size) {
            out += write_escaped(out, read_code_point(&in));
        }
        result = PyUnicode_FromStringAndSize(escaped, out - escaped);
        PyMem_Free(escaped);
    } else if (text != NULL) {
        PyErr_NoMemory();
    }
    Py_DECREF(repr);
    return result;
}

/* --- format and print --------------------------------------------------------------------- */

PyObject *
PyObject_Format(PyObject *o, PyObject *spec)
{
    if (spec != NULL && !PyUnicode_Check(spec)) {
        return PyErr_Format(PyExc_SystemError,
                            "Format specifier must be a string, not %.200s",
                            Py_TYPE(spec)->tp_name);
    }
    PyObject *method;
    int found = ouro_methods_use() ? ouro_special_get(o, "__format__", &method) : -1;
    if (found <= 0) {
        return found < 0 ? NULL
                         : ouro_type_error("Type %.100s doesn't define __format__", o);
    }
    PyObject *text = NULL;
    PyObject *given = spec != NULL ? Py_NewRef(spec) : PyUnicode_FromString("");
    if (given != NULL) {
        text = PyObject_CallOneArg(method, given);
        Py_DECREF(given);
    }
    Py_DECREF(method);
    return text_or_error(text, "__format__ must return a str, not %.200s");
}

int
PyObject_Print(PyObject *o, FILE *file, int flags)
{
    PyObject *text = (flags & Py_PRINT_RAW) ? PyObject_Str(o) : PyObject_Repr(o);
    if (text == NULL) {
        return -1;
    }
    Py_ssize_t size;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    int result = -1;
    if (bytes != NULL) {
        if (fwrite(bytes, 1, (size_t)size, file) == (size_t)size) {
            result = 0;
        } else {
            clearerr(file);
            PyErr_Format(PyExc_OSError, "cannot write: %s", strerror(errno));
        }
    }
    Py_DECREF(text);
    return result;
}
