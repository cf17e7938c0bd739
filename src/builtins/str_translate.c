/* SPDX-License-Identifier: MIT */
/* Replacing characters by a table: translate and maketrans. */
#include "str_methods.h"

#include "arguments.h"

/* --- translate ------------------------------------------------------------------------------------------- */

/* What the table has for a character: 1 and a new reference, 0 when it has nothing. */
static int
look_up_character(PyObject *table, Py_UCS4 ch, PyObject **value)
{
    PyObject *key = PyLong_FromUnsignedLong(ch);
    *value = key == NULL ? NULL : PyObject_GetItem(table, key);
    Py_XDECREF(key);
    if (*value != NULL) {
        return 1;
    }
    if (key != NULL && PyErr_ExceptionMatches(PyExc_LookupError)) {
        PyErr_Clear();
        return 0;
    }
    return -1;
}

static int
write_translated(PyUnicodeWriter *writer, PyObject *value)
{
    if (value == Py_None) {
        return 0;
    }
    if (PyUnicode_Check(value)) {
        return ouro_writer_put_str(writer, value);
    }
    if (!PyLong_Check(value)) {
        PyErr_SetString(PyExc_TypeError,
                        "character mapping must return integer, None or str");
        return -1;
    }
    int overflow;
    long ch = PyLong_AsLongAndOverflow(value, &overflow);
    if (overflow != 0 || ch < 0 || ch > 0x10FFFF) {
        PyErr_SetString(PyExc_ValueError, "character mapping must be in range(0x110000)");
        return -1;
    }
    return PyUnicodeWriter_WriteChar(writer, (Py_UCS4)ch);
}

PyObject *
PyUnicode_Translate(PyObject *str, PyObject *table, const char *Py_UNUSED(errors))
{
    if (!ouro_str_require(str)) {
        return NULL;
    }
    struct str_reader r = ouro_str_reader(str);
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(r.length);
    if (writer == NULL) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < r.length; i++) {
        Py_UCS4 ch = ouro_str_at(&r, i);
        PyObject *value;
        int found = look_up_character(table, ch, &value);
        if (found == 0) {
            found = PyUnicodeWriter_WriteChar(writer, ch);
        } else if (found > 0) {
            found = write_translated(writer, value);
            Py_DECREF(value);
        }
        if (found < 0) {
            PyUnicodeWriter_Discard(writer);
            return NULL;
        }
    }
    return PyUnicodeWriter_Finish(writer);
}

PyObject *
ouro_str_translate(PyObject *self, PyObject *table)
{
    return PyUnicode_Translate(self, table, NULL);
}

/* --- maketrans -------------------------------------------------------------------------------------------- */

static int
set_character(PyObject *dict, Py_UCS4 ch, PyObject *value)
{
    PyObject *key = PyLong_FromUnsignedLong(ch);
    int result = key == NULL || value == NULL ? -1 : PyDict_SetItem(dict, key, value);
    Py_XDECREF(key);
    return result;
}

/* Copy a table, with characters as keys replaced by their numbers. */
static int
copy_translation(PyObject *dict, PyObject *from)
{
    if (!PyDict_CheckExact(from)) {
        PyErr_SetString(PyExc_TypeError,
                        "if you give only one argument to maketrans it must be a dict");
        return -1;
    }
    Py_ssize_t at = 0;
    PyObject *key, *value;
    while (PyDict_Next(from, &at, &key, &value)) {
        int failed;
        if (PyLong_Check(key)) {
            failed = PyDict_SetItem(dict, key, value);
        } else if (!PyUnicode_Check(key)) {
            PyErr_SetString(PyExc_TypeError,
                            "keys in translate table must be strings or integers");
            failed = -1;
        } else if (ouro_str(key)->length != 1) {
            PyErr_SetString(PyExc_ValueError,
                            "string keys in translate table must be of length 1");
            failed = -1;
        } else {
            failed = set_character(dict, PyUnicode_ReadChar(key, 0), value);
        }
        if (failed < 0) {
            return -1;
        }
    }
    return 0;
}

/* Each character of `from` becomes the one of `to` at its place; `to` is NULL for None. */
static int
pair_characters(PyObject *dict, PyObject *from, PyObject *to)
{
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(from); i++) {
        PyObject *value = to == NULL
                              ? Py_NewRef(Py_None)
                              : PyLong_FromUnsignedLong(PyUnicode_READ_CHAR(to, i));
        int failed = set_character(dict, PyUnicode_READ_CHAR(from, i), value);
        Py_XDECREF(value);
        if (failed < 0) {
            return -1;
        }
    }
    return 0;
}

static int
fill_translation(PyObject *dict, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs == 1) {
        return copy_translation(dict, args[0]);
    }
    if (!PyUnicode_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "first maketrans argument must be a string if "
                                         "there is a second argument");
        return -1;
    }
    if (ouro_str(args[0])->length != ouro_str(args[1])->length) {
        PyErr_SetString(PyExc_ValueError,
                        "the first two maketrans arguments must have equal length");
        return -1;
    }
    int failed = pair_characters(dict, args[0], args[1]);
    return failed < 0 || nargs < 3 ? failed : pair_characters(dict, args[2], NULL);
}

PyObject *
ouro_str_maketrans(PyObject *Py_UNUSED(ignored), PyObject *const *args, Py_ssize_t nargs)
{
    if (!ouro_args_between("maketrans", nargs, 1, 3) ||
        (nargs > 1 && !ouro_args_str("maketrans", "argument 2", args[1])) ||
        (nargs > 2 && !ouro_args_str("maketrans", "argument 3", args[2]))) {
        return NULL;
    }
    PyObject *dict = PyDict_New();
    if (dict != NULL && fill_translation(dict, args, nargs) < 0) {
        Py_CLEAR(dict);
    }
    return dict;
}
