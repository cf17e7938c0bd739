/* SPDX-License-Identifier: MIT */
/* The methods of str that fill up to a width. */
#include "str_methods.h"

#include "arguments.h"

/* `self` with this many fill characters on either side. */
static PyObject *
pad_str(PyObject *self, Py_ssize_t left, Py_ssize_t right, Py_UCS4 fill)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(self);
    if (left <= 0 && right <= 0) {
        return PyUnicode_FromObject(self);
    }
    if (left > PY_SSIZE_T_MAX / 16 || right > PY_SSIZE_T_MAX / 16 ||
        length > PY_SSIZE_T_MAX / 2) {
        PyErr_SetString(PyExc_OverflowError, "padded string is too long");
        return NULL;
    }
    PyObject *result = PyUnicode_New(left + length + right,
                                     Py_MAX(fill, PyUnicode_MAX_CHAR_VALUE(self)));
    if (result != NULL) {
        PyUnicode_Fill(result, 0, left, fill);
        PyUnicode_CopyCharacters(result, left, self, 0, length);
        PyUnicode_Fill(result, left + length, right, fill);
    }
    return result;
}

/* The arguments width and fill. False with an exception. */
static bool
parse_padding(const char *name, PyObject *const *args, Py_ssize_t nargs,
              Py_ssize_t *width, Py_UCS4 *fill)
{
    if (!ouro_args_between(name, nargs, 1, 2)) {
        return false;
    }
    if (!ouro_args_ssize(args[0], width)) {
        return false;
    }
    *fill = ' ';
    if (nargs < 2) {
        return true;
    }
    if (!PyUnicode_Check(args[1])) {
        PyErr_Format(PyExc_TypeError,
                     "The fill character must be a unicode character, not %.100s",
                     Py_TYPE(args[1])->tp_name);
        return false;
    }
    if (ouro_str(args[1])->length != 1) {
        PyErr_SetString(PyExc_TypeError,
                        "The fill character must be exactly one character long");
        return false;
    }
    *fill = PyUnicode_ReadChar(args[1], 0);
    return true;
}

PyObject *
ouro_str_ljust(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t width;
    Py_UCS4 fill;
    return parse_padding("ljust", args, nargs, &width, &fill)
               ? pad_str(self, 0, Py_MAX(width - ouro_str(self)->length, 0), fill)
               : NULL;
}

PyObject *
ouro_str_rjust(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t width;
    Py_UCS4 fill;
    return parse_padding("rjust", args, nargs, &width, &fill)
               ? pad_str(self, Py_MAX(width - ouro_str(self)->length, 0), 0, fill)
               : NULL;
}

/* An odd number of blanks: the extra one goes left when the width is odd. */
PyObject *
ouro_str_center(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t width;
    Py_UCS4 fill;
    if (!parse_padding("center", args, nargs, &width, &fill)) {
        return NULL;
    }
    Py_ssize_t margin = Py_MAX(width - ouro_str(self)->length, 0);
    Py_ssize_t left = margin / 2 + (margin & width & 1);
    return pad_str(self, left, margin - left, fill);
}

PyObject *
ouro_str_zfill(PyObject *self, PyObject *arg)
{
    Py_ssize_t width;
    if (!ouro_args_ssize(arg, &width)) {
        return NULL;
    }
    Py_ssize_t zeros = Py_MAX(width - ouro_str(self)->length, 0);
    PyObject *result = pad_str(self, zeros, 0, '0');
    if (result != NULL && zeros > 0) {
        Py_UCS4 sign = PyUnicode_READ_CHAR(result, zeros);
        if (PyUnicode_GET_LENGTH(self) > 0 && (sign == '+' || sign == '-')) {
            PyUnicode_WriteChar(result, 0, sign);
            PyUnicode_WriteChar(result, zeros, '0');
        }
    }
    return result;
}

/* Fill up to the next multiple of `tabsize` instead of each tab. */
static int
write_expanded(PyUnicodeWriter *writer, PyObject *str, Py_ssize_t tabsize)
{
    struct str_reader r = ouro_str_reader(str);
    Py_ssize_t column = 0;
    for (Py_ssize_t i = 0; i < r.length; i++) {
        Py_UCS4 ch = ouro_str_at(&r, i);
        if (ch != '\t') {
            column = ch == '\n' || ch == '\r' ? 0 : column + 1;
            if (PyUnicodeWriter_WriteChar(writer, ch) < 0) {
                return -1;
            }
            continue;
        }
        for (Py_ssize_t n = tabsize > 0 ? tabsize - column % tabsize : 0; n > 0; n--) {
            column++;
            if (PyUnicodeWriter_WriteChar(writer, ' ') < 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* expandtabs(tabsize=8) */
PyObject *
ouro_str_expandtabs(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    static char *names[] = {"tabsize", NULL};
    int tabsize = 8;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, "|i:expandtabs", names,
                                     &tabsize)) {
        return NULL;
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(PyUnicode_GET_LENGTH(self));
    if (writer == NULL) {
        return NULL;
    }
    if (write_expanded(writer, self, tabsize) < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}
