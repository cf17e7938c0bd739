/* SPDX-License-Identifier: MIT */
/* PyUnicode_FromFormatV.
 *
 * A directive is parsed into a struct first, then its argument is fetched and written. */
#include "str_object.h"

struct directive {
    char code;
    const char *text; /* from the % to the code, for messages */
    int text_length;
    bool zero, left, alternate;
    Py_ssize_t width;     /* 0: none */
    Py_ssize_t precision; /* -1: none */
    char size;            /* 0, 'l', 'q' for ll, 'z', 'j', 't' */
};

/* --- parsing ------------------------------------------------------------------------------------------ */

/* A number, or * for the next argument. False with an exception when it is too large. */
static bool
parse_amount(const char **p, va_list *vargs, Py_ssize_t *amount)
{
    if (**p == '*') {
        *amount = va_arg(*vargs, int);
        (*p)++;
        return true;
    }
    *amount = 0;
    for (; **p >= '0' && **p <= '9'; (*p)++) {
        if (*amount > (PY_SSIZE_T_MAX - 9) / 10) {
            PyErr_SetString(PyExc_ValueError, "width or precision too big");
            return false;
        }
        *amount = *amount * 10 + (**p - '0');
    }
    return true;
}

static char
parse_size(const char **p)
{
    char size = 0;
    if (**p == 'l') {
        (*p)++;
        size = 'l';
        if (**p == 'l') {
            (*p)++;
            size = 'q';
        }
    } else if (**p == 'z' || **p == 'j' || **p == 't') {
        size = *(*p)++;
    }
    return size;
}

/* Parse the directive that begins at *p (a %); *p is moved behind it. */
static bool
parse_directive(const char **p, va_list *vargs, struct directive *d)
{
    *d = (struct directive){.text = *p, .precision = -1};
    for ((*p)++;; (*p)++) {
        if (**p == '0') {
            d->zero = true;
        } else if (**p == '-') {
            d->left = true;
        } else if (**p == '#') {
            d->alternate = true;
        } else {
            break;
        }
    }
    if (!parse_amount(p, vargs, &d->width)) {
        return false;
    }
    if (d->width < 0) {
        d->left = true;
        d->width = -d->width;
    }
    if (**p == '.') {
        (*p)++;
        if (!parse_amount(p, vargs, &d->precision)) {
            return false;
        }
        d->precision = d->precision < 0 ? -1 : d->precision;
    }
    d->size = parse_size(p);
    d->code = **p;
    *p += d->code != '\0';
    d->text_length = (int)(*p - d->text);
    return true;
}

/* --- writing -------------------------------------------------------------------------------------------- */

static int
write_padding(PyUnicodeWriter *writer, Py_ssize_t count, char fill)
{
    while (count-- > 0) {
        if (PyUnicodeWriter_WriteChar(writer, (Py_UCS4)fill) < 0) {
            return -1;
        }
    }
    return 0;
}

/* A str cut to the precision and filled up to the width, in characters. */
static int
write_padded(PyUnicodeWriter *writer, const struct directive *d, PyObject *str)
{
    Py_ssize_t length = ouro_str(str)->length;
    if (d->precision >= 0 && d->precision < length) {
        length = d->precision;
    }
    if (!d->left && write_padding(writer, d->width - length, ' ') < 0) {
        return -1;
    }
    if (PyUnicodeWriter_WriteSubstring(writer, str, 0, length) < 0) {
        return -1;
    }
    return d->left ? write_padding(writer, d->width - length, ' ') : 0;
}

/* The same for a new reference, or NULL with an exception. */
static int
write_and_release(PyUnicodeWriter *writer, const struct directive *d, PyObject *str)
{
    int result = str == NULL ? -1 : write_padded(writer, d, str);
    Py_XDECREF(str);
    return result;
}

/* --- integers ---------------------------------------------------------------------------------------------- */

static uint64_t
fetch_unsigned(char size, va_list *vargs)
{
    switch (size) {
    case 'l':
        return va_arg(*vargs, unsigned long);
    case 'q':
        return va_arg(*vargs, unsigned long long);
    case 'z':
        return va_arg(*vargs, size_t);
    case 'j':
        return va_arg(*vargs, uintmax_t);
    case 't':
        return (uint64_t)va_arg(*vargs, ptrdiff_t);
    default:
        return va_arg(*vargs, unsigned int);
    }
}

static int64_t
fetch_signed(char size, va_list *vargs)
{
    switch (size) {
    case 'l':
        return va_arg(*vargs, long);
    case 'q':
        return va_arg(*vargs, long long);
    case 'z':
        return va_arg(*vargs, Py_ssize_t);
    case 'j':
        return va_arg(*vargs, intmax_t);
    case 't':
        return va_arg(*vargs, ptrdiff_t);
    default:
        return va_arg(*vargs, int);
    }
}

static int
write_integer(PyUnicodeWriter *writer, const struct directive *d, va_list *vargs)
{
    char text[32];
    bool negative = false;
    uint64_t value;
    if (d->code == 'd' || d->code == 'i') {
        int64_t number = fetch_signed(d->size, vargs);
        negative = number < 0;
        value = negative ? 0 - (uint64_t)number : (uint64_t)number;
    } else {
        value = fetch_unsigned(d->size, vargs);
    }
    const char *format = d->code == 'o'   ? "%" PRIo64
                         : d->code == 'x' ? "%" PRIx64
                         : d->code == 'X' ? "%" PRIX64
                                          : "%" PRIu64;
    Py_ssize_t digits = snprintf(text, sizeof text, format, value);
    Py_ssize_t zeros = d->precision > digits ? d->precision - digits : 0;
    Py_ssize_t rest = d->width - digits - zeros - negative;
    if (d->zero && !d->left && d->precision < 0 && rest > 0) {
        zeros = rest;
        rest = 0;
    }
    if ((!d->left && write_padding(writer, rest, ' ') < 0) ||
        (negative && PyUnicodeWriter_WriteChar(writer, '-') < 0) ||
        write_padding(writer, zeros, '0') < 0 ||
        PyUnicodeWriter_WriteASCII(writer, text, digits) < 0) {
        return -1;
    }
    return d->left ? write_padding(writer, rest, ' ') : 0;
}

static int
write_pointer(PyUnicodeWriter *writer, const struct directive *d, void *pointer)
{
    char text[24];
    int length = snprintf(text, sizeof text, "0x%" PRIxPTR, (uintptr_t)pointer);
    return write_and_release(writer, d, PyUnicode_FromStringAndSize(text, length));
}

/* --- text --------------------------------------------------------------------------------------------------- */

/* Bytes in UTF-8, of which the precision counts; reads no further than it allows. */
static int
write_bytes(PyUnicodeWriter *writer, const struct directive *d, const char *text)
{
    size_t size = d->precision >= 0 ? strnlen(text, (size_t)d->precision) : strlen(text);
    return write_and_release(writer, d,
                             PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace"));
}

static int
write_wide(PyUnicodeWriter *writer, const struct directive *d, const wchar_t *text)
{
    size_t size = 0;
    while ((d->precision < 0 || size < (size_t)d->precision) && text[size] != 0) {
        size++;
    }
    return write_and_release(writer, d, PyUnicode_FromWideChar(text, (Py_ssize_t)size));
}

/* The full name of a type; with # a colon stands between module and name. */
static int
write_type_name(PyUnicodeWriter *writer, const struct directive *d, PyTypeObject *type)
{
    PyObject *name = PyType_GetFullyQualifiedName(type);
    if (name != NULL && d->alternate) {
        PyObject *module = PyType_GetModuleName(type), *prefix = NULL, *changed = NULL;
        if (module != NULL && PyUnicode_Check(module)) {
            Py_ssize_t length = ouro_str(module)->length;
            prefix = PyUnicode_Substring(name, 0, length);
            if (prefix != NULL && PyUnicode_Compare(prefix, module) == 0 &&
                ouro_str(name)->length > length &&
                PyUnicode_ReadChar(name, length) == '.') {
                PyObject *rest = PyUnicode_Substring(name, length + 1, PY_SSIZE_T_MAX);
                changed =
                    rest == NULL ? NULL : PyUnicode_FromFormat("%U:%U", module, rest);
                Py_XDECREF(rest);
            } else {
                changed = Py_NewRef(name);
            }
        }
        Py_XDECREF(module);
        Py_XDECREF(prefix);
        Py_SETREF(name, changed);
    }
    return write_and_release(writer, d, name);
}

/* %V: a str if there is one, else plain text. */
static int
write_either(PyUnicodeWriter *writer, const struct directive *d, va_list *vargs)
{
    PyObject *str = va_arg(*vargs, PyObject *);
    if (d->size == 'l') {
        const wchar_t *wide = va_arg(*vargs, const wchar_t *);
        return str != NULL ? write_padded(writer, d, str) : write_wide(writer, d, wide);
    }
    const char *text = va_arg(*vargs, const char *);
    return str != NULL ? write_padded(writer, d, str) : write_bytes(writer, d, text);
}

static int
write_character(PyUnicodeWriter *writer, const struct directive *d, int ordinal)
{
    if (ordinal < 0 || ordinal > 0x10FFFF) {
        PyErr_SetString(PyExc_OverflowError, "character argument not in range(0x110000)");
        return -1;
    }
    return write_and_release(writer, d, PyUnicode_FromOrdinal(ordinal));
}

/* --- directives ------------------------------------------------------------------------------------------------ */

static int
raise_bad_directive(const struct directive *d)
{
    PyObject *text = PyUnicode_DecodeUTF8(d->text, d->text_length, "replace");
    if (text != NULL) {
        PyErr_Format(PyExc_SystemError, "invalid format string: unsupported code %R",
                     text);
        Py_DECREF(text);
    }
    return -1;
}

/* Only the integer codes have all sizes; %ls and %lV are wide; # goes with names. */
static bool
directive_is_valid(const struct directive *d)
{
    if (d->code == '\0') {
        return false;
    }
    if (d->alternate && d->code != 'T' && d->code != 'N') {
        return false;
    }
    if (strchr("diuoxX", d->code) != NULL) {
        return true;
    }
    if (d->code == 's' || d->code == 'V') {
        return d->size == 0 || d->size == 'l';
    }
    return d->size == 0 && strchr("%cpUSRATN", d->code) != NULL;
}

static int
write_directive(PyUnicodeWriter *writer, const struct directive *d, va_list *vargs)
{
    if (!directive_is_valid(d)) {
        return raise_bad_directive(d);
    }
    switch (d->code) {
    case '%':
        return PyUnicodeWriter_WriteChar(writer, '%');
    case 'c':
        return write_character(writer, d, va_arg(*vargs, int));
    case 'p':
        return write_pointer(writer, d, va_arg(*vargs, void *));
    case 's':
        return d->size == 'l' ? write_wide(writer, d, va_arg(*vargs, const wchar_t *))
                              : write_bytes(writer, d, va_arg(*vargs, const char *));
    case 'U':
        return write_padded(writer, d, va_arg(*vargs, PyObject *));
    case 'V':
        return write_either(writer, d, vargs);
    case 'S':
        return write_and_release(writer, d, PyObject_Str(va_arg(*vargs, PyObject *)));
    case 'R':
        return write_and_release(writer, d, PyObject_Repr(va_arg(*vargs, PyObject *)));
    case 'A':
        return write_and_release(writer, d, PyObject_ASCII(va_arg(*vargs, PyObject *)));
    case 'T':
        return write_type_name(writer, d, Py_TYPE(va_arg(*vargs, PyObject *)));
    case 'N': {
        PyObject *type = va_arg(*vargs, PyObject *);
        if (!PyType_Check(type)) {
            PyErr_SetString(PyExc_TypeError, "%N argument must be a type");
            return -1;
        }
        return write_type_name(writer, d, (PyTypeObject *)type);
    }
    default:
        return write_integer(writer, d, vargs);
    }
}

PyObject *
PyUnicode_FromFormatV(const char *format, va_list vargs)
{
    /* A va_list parameter may be an array; a copy has an address that can be passed on. */
    va_list args;
    va_copy(args, vargs);
    PyUnicodeWriter *writer = PyUnicodeWriter_Create((Py_ssize_t)strlen(format) + 100);
    if (writer == NULL) {
        goto undo_args;
    }
    for (const char *p = format; *p != '\0';) {
        size_t plain = strcspn(p, "%");
        if (PyUnicodeWriter_WriteUTF8(writer, p, (Py_ssize_t)plain) < 0) {
            goto undo_writer;
        }
        p += plain;
        struct directive d;
        if (*p == '%' &&
            (!parse_directive(&p, &args, &d) || write_directive(writer, &d, &args) < 0)) {
            goto undo_writer;
        }
    }
    va_end(args);
    return PyUnicodeWriter_Finish(writer);

undo_writer:
    PyUnicodeWriter_Discard(writer);
undo_args:
    va_end(args);
    return NULL;
}

PyObject *
PyUnicode_FromFormat(const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    PyObject *result = PyUnicode_FromFormatV(format, vargs);
    va_end(vargs);
    return result;
}
