/* SPDX-License-Identifier: MIT */
/* Objects from C values.
 *
 * After a failure the rest of the format is still read, because references given for N must be
 * released. The first error is kept aside meanwhile. Only a malformed format ends the walk at
 * once: the types of the remaining C arguments are unknown then. */
#include "buildvalue.h"

#include <stdbool.h>

struct build {
    const char *format; /* the next unit */
    va_list values;
    PyObject *error; /* the first exception, owned, or NULL */
    bool bad_format; /* no further C argument can be read */
};

static PyObject *build_unit(struct build *b);

/* --- failing --------------------------------------------------------------------------------- */

/* Pass `o` on; when it is NULL, keep the pending exception aside if it is the first. A
 * function given for O& may have failed without one. */
static PyObject *
keep_error(struct build *b, PyObject *o)
{
    if (o == NULL) {
        if (b->error == NULL && PyErr_Occurred() == NULL) {
            PyErr_SetString(PyExc_SystemError, "NULL object passed to Py_BuildValue");
        }
        PyObject *error = PyErr_GetRaisedException();
        if (b->error == NULL) {
            b->error = error;
        } else {
            Py_XDECREF(error);
        }
    }
    return o;
}

static PyObject *
fail_format(struct build *b, const char *what)
{
    b->bad_format = true;
    PyErr_SetString(PyExc_SystemError, what);
    return NULL;
}

static PyObject *
fail_unit(struct build *b, char unit)
{
    b->bad_format = true;
    return PyErr_Format(PyExc_SystemError, "bad format char '%c' passed to Py_BuildValue",
                        unit);
}

/* --- several units ----------------------------------------------------------------------------- */

static bool
is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ':';
}

/* The number of units up to `end`; -1 with SystemError when there is no `end`. */
static Py_ssize_t
count_build_units(const char *format, char end)
{
    Py_ssize_t count = 0;
    int level = 0;
    for (; level > 0 || *format != end; format++) {
        switch (*format) {
        case '\0':
            PyErr_SetString(PyExc_SystemError, "unmatched paren in format");
            return -1;
        case '(':
        case '[':
        case '{':
            count += level++ == 0;
            break;
        case ')':
        case ']':
        case '}':
            level--;
            break;
        case '#':
        case '&':
            break;
        default:
            count += level == 0 && !is_separator(*format);
        }
    }
    return count;
}

/* Read `end` behind the units, or SystemError. */
static bool
pass_end(struct build *b, char end)
{
    while (is_separator(*b->format)) {
        b->format++;
    }
    if (b->bad_format) {
        return false;
    }
    if (*b->format != end) {
        bool stray = end == '\0' && strchr(")]}", *b->format) == NULL;
        keep_error(b, stray ? fail_unit(b, *b->format)
                            : fail_format(b, "Unmatched paren in format"));
        return false;
    }
    b->format += end != '\0';
    return true;
}

/* Fill a new tuple or list with `count` units; NULL with the error kept. */
static PyObject *
build_items(struct build *b, char end, Py_ssize_t count, bool is_list)
{
    PyObject *sequence = keep_error(b, is_list ? PyList_New(count) : PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count && !b->bad_format; i++) {
        PyObject *item = keep_error(b, build_unit(b));
        if (sequence == NULL || item == NULL) {
            Py_XDECREF(item);
        } else if (is_list) {
            PyList_SET_ITEM(sequence, i, item);
        } else {
            PyTuple_SET_ITEM(sequence, i, item);
        }
    }
    if (!pass_end(b, end) || b->error != NULL) {
        Py_CLEAR(sequence);
    }
    return sequence;
}

static PyObject *
build_dict(struct build *b, Py_ssize_t count)
{
    if (count % 2 != 0) {
        return keep_error(b, fail_format(b, "Bad dict format"));
    }
    PyObject *dict = keep_error(b, PyDict_New());
    for (Py_ssize_t i = 0; i < count && !b->bad_format; i += 2) {
        PyObject *key = keep_error(b, build_unit(b));
        PyObject *value = b->bad_format ? NULL : keep_error(b, build_unit(b));
        if (b->error == NULL && PyDict_SetItem(dict, key, value) < 0) {
            keep_error(b, NULL);
        }
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    if (!pass_end(b, '}') || b->error != NULL) {
        Py_CLEAR(dict);
    }
    return dict;
}

/* The opening parenthesis has been read. */
static PyObject *
build_container(struct build *b, char open)
{
    char end = open == '(' ? ')' : open == '[' ? ']' : '}';
    Py_ssize_t count = count_build_units(b->format, end);
    if (count < 0) {
        b->bad_format = true;
        return NULL;
    }
    return open == '{' ? build_dict(b, count) : build_items(b, end, count, open == '[');
}

/* --- one unit ------------------------------------------------------------------------------------ */

/* s z U: str; y: bytes; u: str from wide characters. With '#', a length. */
static PyObject *
build_text(struct build *b, char unit)
{
    const void *text = va_arg(b->values, const void *);
    Py_ssize_t size = -1;
    if (*b->format == '#') {
        b->format++;
        size = va_arg(b->values, Py_ssize_t);
    }
    if (text == NULL) {
        return Py_NewRef(Py_None);
    }
    if (unit == 'u') {
        return PyUnicode_FromWideChar(text, size);
    }
    if (size < 0) {
        size = (Py_ssize_t)strlen(text);
    }
    return unit == 'y' ? PyBytes_FromStringAndSize(text, size)
                       : PyUnicode_FromStringAndSize(text, size);
}

/* O S N, and with '&' what a function makes of a pointer. */
static PyObject *
build_object(struct build *b, char unit)
{
    if (*b->format == '&') {
        typedef PyObject *(*converter_function)(void *);
        converter_function converter = va_arg(b->values, converter_function);
        void *value = va_arg(b->values, void *);
        b->format++;
        return converter(value);
    }
    PyObject *o = va_arg(b->values, PyObject *);
    if (o == NULL && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_SystemError, "NULL object passed to Py_BuildValue");
    }
    return unit == 'N' ? o : Py_XNewRef(o);
}

static PyObject *
build_byte(struct build *b)
{
    char byte = (char)va_arg(b->values, int);
    return PyBytes_FromStringAndSize(&byte, 1);
}

static PyObject *
build_number(struct build *b, char unit)
{
    switch (unit) {
    case 'H':
    case 'I':
        return PyLong_FromUnsignedLong(va_arg(b->values, unsigned int));
    case 'n':
        return PyLong_FromSsize_t(va_arg(b->values, Py_ssize_t));
    case 'l':
        return PyLong_FromLong(va_arg(b->values, long));
    case 'k':
        return PyLong_FromUnsignedLong(va_arg(b->values, unsigned long));
    case 'L':
        return PyLong_FromLongLong(va_arg(b->values, long long));
    case 'K':
        return PyLong_FromUnsignedLongLong(va_arg(b->values, unsigned long long));
    case 'f':
    case 'd':
        return PyFloat_FromDouble(va_arg(b->values, double));
    case 'D':
        return PyComplex_FromCComplex(*va_arg(b->values, Py_complex *));
    case 'p':
        return PyBool_FromLong(va_arg(b->values, int));
    default: /* b B h i */
        return PyLong_FromLong(va_arg(b->values, int));
    }
}

static PyObject *
build_unit(struct build *b)
{
    while (is_separator(*b->format)) {
        b->format++;
    }
    char unit = *b->format++;
    switch (unit) {
    case '(':
    case '[':
    case '{':
        return build_container(b, unit);
    case 'b':
    case 'B':
    case 'h':
    case 'i':
    case 'H':
    case 'I':
    case 'n':
    case 'l':
    case 'k':
    case 'L':
    case 'K':
    case 'f':
    case 'd':
    case 'D':
    case 'p':
        return build_number(b, unit);
    case 'c':
        return build_byte(b);
    case 'C':
        return PyUnicode_FromOrdinal(va_arg(b->values, int));
    case 's':
    case 'z':
    case 'U':
    case 'y':
    case 'u':
        return build_text(b, unit);
    case 'O':
    case 'S':
    case 'N':
        return build_object(b, unit);
    default:
        return fail_unit(b, unit);
    }
}

/* --- the functions ---------------------------------------------------------------------------------- */

/* What the format of `count` units says; NULL with the error kept. */
static PyObject *
build_all(struct build *b, Py_ssize_t count)
{
    if (count == 0) {
        return Py_NewRef(Py_None);
    }
    if (count > 1) {
        return build_items(b, '\0', count, false);
    }
    PyObject *result = keep_error(b, build_unit(b));
    if (result != NULL && !pass_end(b, '\0')) {
        Py_CLEAR(result);
    }
    return result;
}

static PyObject *
build_value(const char *format, Py_ssize_t count, va_list vargs)
{
    struct build b = {.format = format};
    va_copy(b.values, vargs);
    PyObject *result = build_all(&b, count);
    va_end(b.values);
    if (b.error != NULL) {
        PyErr_SetRaisedException(b.error);
    }
    return result;
}

PyObject *
Py_VaBuildValue(const char *format, va_list vargs)
{
    Py_ssize_t count = count_build_units(format, '\0');
    return count < 0 ? NULL : build_value(format, count, vargs);
}

PyObject *
Py_BuildValue(const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    PyObject *result = Py_VaBuildValue(format, vargs);
    va_end(vargs);
    return result;
}

PyObject *
ouro_build_arguments(const char *format, va_list vargs)
{
    Py_ssize_t count = format == NULL ? 0 : count_build_units(format, '\0');
    if (count <= 0) {
        return count < 0 ? NULL : PyTuple_New(0);
    }
    PyObject *value = build_value(format, count, vargs);
    if (value == NULL || PyTuple_Check(value)) {
        return value;
    }
    PyObject *args = PyTuple_Pack(1, value);
    Py_DECREF(value);
    return args;
}
