/* SPDX-License-Identifier: MIT */
/* Strings, symbols, and output. Strings are the library's str and do not change. */
#include "scheme.h"

static int
check_string(const char *name, PyObject *value)
{
    if (!PyUnicode_CheckExact(value)) {
        error_about(name, "not a string", value);
        return -1;
    }
    return 0;
}

static PyObject *
string_length(PyObject *self, PyObject *value)
{
    (void)self;
    return check_string("string-length", value) < 0
               ? NULL
               : PyLong_FromSsize_t(PyUnicode_GetLength(value));
}

static PyObject *
string_append(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    PyObject *result = PyUnicode_FromString("");
    for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
        Py_SETREF(result, check_string("string-append", args[i]) < 0
                              ? NULL
                              : PyUnicode_Concat(result, args[i]));
    }
    return result;
}

/* (substring text start [end]). */
static PyObject *
string_substring(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("substring", count, 2, 3) < 0 ||
        check_string("substring", args[0]) < 0) {
        return NULL;
    }
    Py_ssize_t length = PyUnicode_GetLength(args[0]);
    Py_ssize_t start = PyLong_CheckExact(args[1]) ? PyLong_AsSsize_t(args[1]) : -1;
    Py_ssize_t end = length;
    if (count == 3) {
        end = PyLong_CheckExact(args[2]) ? PyLong_AsSsize_t(args[2]) : -1;
    }
    if (start < 0 || end < start || end > length) {
        PyErr_Clear();
        return error_about("substring", "no such part of", args[0]);
    }
    return PyUnicode_Substring(args[0], start, end);
}

static PyObject *
compare_strings(const char *name, int op, PyObject *const *args, Py_ssize_t count)
{
    if (check_arity(name, count, 2, 2) < 0 || check_string(name, args[0]) < 0 ||
        check_string(name, args[1]) < 0) {
        return NULL;
    }
    return PyUnicode_RichCompare(args[0], args[1], op);
}

static PyObject *
string_equal(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return compare_strings("string=?", Py_EQ, args, count);
}

static PyObject *
string_less(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return compare_strings("string<?", Py_LT, args, count);
}

static PyObject *
string_of_number(PyObject *self, PyObject *value)
{
    (void)self;
    if (!PyLong_CheckExact(value) && !PyFloat_CheckExact(value)) {
        return error_about("number->string", "not a number", value);
    }
    return scheme_text(value, 1);
}

/* #f when the text is no number. */
static PyObject *
string_to_number(PyObject *self, PyObject *value)
{
    (void)self;
    if (check_string("string->number", value) < 0) {
        return NULL;
    }
    Reader reader = {.next = PyUnicode_AsUTF8(value), .file = value};
    PyObject *number = reader.next != NULL ? scheme_read(&reader) : NULL;
    if (number == NULL && PyErr_ExceptionMatches(scheme_error)) {
        PyErr_Clear();
        return Py_NewRef(Py_False);
    }
    if (number != NULL && ((!PyLong_CheckExact(number) && !PyFloat_CheckExact(number)) ||
                           *reader.next != '\0')) {
        Py_SETREF(number, Py_NewRef(Py_False));
    }
    return number;
}

static PyObject *
string_to_symbol(PyObject *self, PyObject *value)
{
    (void)self;
    return check_string("string->symbol", value) < 0 ? NULL : intern_str(value);
}

static PyObject *
symbol_to_string(PyObject *self, PyObject *value)
{
    (void)self;
    if (!is_symbol(value)) {
        return error_about("symbol->string", "not a symbol", value);
    }
    return Py_NewRef(((Symbol *)value)->name);
}

static PyObject *
string_is(PyObject *self, PyObject *value)
{
    (void)self;
    return PyBool_FromLong(PyUnicode_CheckExact(value));
}

static PyObject *
symbol_is(PyObject *self, PyObject *value)
{
    (void)self;
    return PyBool_FromLong(is_symbol(value));
}

/* --- output ---------------------------------------------------------------------------- */

static PyObject *
print_one(PyObject *value, int as_written)
{
    return scheme_print(stdout, value, as_written) < 0 ? NULL : Py_NewRef(UNSPECIFIED);
}

static PyObject *
output_display(PyObject *self, PyObject *value)
{
    (void)self;
    return print_one(value, 0);
}

static PyObject *
output_write(PyObject *self, PyObject *value)
{
    (void)self;
    return print_one(value, 1);
}

static PyObject *
output_newline(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    putchar('\n');
    return Py_NewRef(UNSPECIFIED);
}

/* (print a b ...): display all, and a newline. */
static PyObject *
output_print(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (scheme_print(stdout, args[i], 0) < 0) {
            return NULL;
        }
    }
    return output_newline(self, NULL);
}

static PyMethodDef procedures[] = {
    {"string-length", ONE(string_length)},
    {"string-append", FAST(string_append)},
    {"substring", FAST(string_substring)},
    {"string=?", FAST(string_equal)},
    {"string<?", FAST(string_less)},
    {"number->string", ONE(string_of_number)},
    {"string->number", ONE(string_to_number)},
    {"string->symbol", ONE(string_to_symbol)},
    {"symbol->string", ONE(symbol_to_string)},
    {"string?", ONE(string_is)},
    {"symbol?", ONE(symbol_is)},
    {"display", ONE(output_display)},
    {"write", ONE(output_write)},
    {"newline", NONE(output_newline)},
    {"print", FAST(output_print)},
    {NULL, NULL, 0, NULL},
};

int
strings_init(void)
{
    return define_procedures(procedures);
}
