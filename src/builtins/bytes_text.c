/* SPDX-License-Identifier: MIT */
/* bytes as text: repr and PyBytes_FromFormat. */
#include <Python.h>

#include <stdbool.h>

PyObject *
PyBytes_Repr(PyObject *obj, int smartquotes)
{
    const char *text = PyBytes_AS_STRING(obj);
    size_t size = (size_t)PyBytes_GET_SIZE(obj);
    char quote = '\'';
    if (smartquotes && memchr(text, '\'', size) != NULL &&
        memchr(text, '"', size) == NULL) {
        quote = '"';
    }
    if (size > (size_t)(PY_SSIZE_T_MAX - 4) / 4) {
        PyErr_SetString(PyExc_OverflowError, "bytes object is too large to make repr");
        return NULL;
    }
    char *buffer = PyMem_Malloc(size * 4 + 4), *to = buffer;
    if (buffer == NULL) {
        return PyErr_NoMemory();
    }
    *to++ = 'b';
    *to++ = quote;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == (unsigned char)quote || c == '\\') {
            *to++ = '\\';
            *to++ = (char)c;
        } else if (c == '\t' || c == '\n' || c == '\r') {
            *to++ = '\\';
            *to++ = c == '\t' ? 't' : c == '\n' ? 'n' : 'r';
        } else if (c < ' ' || c >= 0x7F) {
            to += sprintf(to, "\\x%02x", c);
        } else {
            *to++ = (char)c;
        }
    }
    *to++ = quote;
    PyObject *result = PyUnicode_FromStringAndSize(buffer, to - buffer);
    PyMem_Free(buffer);
    return result;
}

/* --- PyBytes_FromFormat -------------------------------------------------------------------------------- */

/* One directive at *p, behind its %; *p is moved behind it. */
static int
append_directive(PyBytesWriter *writer, const char **p, va_list *vargs)
{
    const char *start = *p - 1;
    char text[32];
    int length;
    Py_ssize_t precision = -1;
    *p += strspn(*p, "0123456789"); /* a width is read and not used, as in CPython */
    if (**p == '.') {
        precision = 0;
        for ((*p)++; **p >= '0' && **p <= '9' && precision < 100000000; (*p)++) {
            precision = precision * 10 + (**p - '0');
        }
    }
    char size = 0;
    if ((**p == 'l' && ((*p)[1] == 'd' || (*p)[1] == 'u')) ||
        (**p == 'z' && ((*p)[1] == 'd' || (*p)[1] == 'u'))) {
        size = *(*p)++;
    }
    char code = *(*p)++;
    switch (code) {
    case '%':
        return PyBytesWriter_WriteBytes(writer, "%", 1);
    case 'c': {
        int c = va_arg(*vargs, int);
        if (c < 0 || c > 255) {
            PyErr_SetString(
                PyExc_OverflowError,
                "PyBytes_FromFormatV(): %c format expects an integer in range "
                "[0; 255]");
            return -1;
        }
        text[0] = (char)c;
        return PyBytesWriter_WriteBytes(writer, text, 1);
    }
    case 'd':
    case 'i':
        length = size == 'l' ? snprintf(text, sizeof text, "%ld", va_arg(*vargs, long))
                 : size == 'z'
                     ? snprintf(text, sizeof text, "%zd", va_arg(*vargs, Py_ssize_t))
                     : snprintf(text, sizeof text, "%d", va_arg(*vargs, int));
        return PyBytesWriter_WriteBytes(writer, text, length);
    case 'u':
        length = size == 'l'
                     ? snprintf(text, sizeof text, "%lu", va_arg(*vargs, unsigned long))
                 : size == 'z'
                     ? snprintf(text, sizeof text, "%zu", va_arg(*vargs, size_t))
                     : snprintf(text, sizeof text, "%u", va_arg(*vargs, unsigned int));
        return PyBytesWriter_WriteBytes(writer, text, length);
    case 'x':
        length = snprintf(text, sizeof text, "%x", va_arg(*vargs, unsigned int));
        return PyBytesWriter_WriteBytes(writer, text, length);
    case 'p':
        length =
            snprintf(text, sizeof text, "0x%" PRIxPTR, (uintptr_t)va_arg(*vargs, void *));
        return PyBytesWriter_WriteBytes(writer, text, length);
    case 's': {
        const char *s = va_arg(*vargs, const char *);
        return PyBytesWriter_WriteBytes(
            writer, s,
            (Py_ssize_t)(precision < 0 ? strlen(s) : strnlen(s, (size_t)precision)));
    }
    default:
        *p -= code == '\0';
        PyErr_Format(PyExc_SystemError, "invalid format string: unsupported code '%.*s'",
                     (int)(*p - start), start);
        return -1;
    }
}

PyObject *
PyBytes_FromFormatV(const char *format, va_list vargs)
{
    va_list args;
    va_copy(args, vargs);
    PyBytesWriter *writer = PyBytesWriter_Create(0);
    int failed = writer == NULL ? -1 : 0;
    for (const char *p = format; !failed && *p != '\0';) {
        size_t plain = strcspn(p, "%");
        failed = PyBytesWriter_WriteBytes(writer, p, (Py_ssize_t)plain);
        p += plain;
        if (!failed && *p == '%') {
            p++;
            failed = append_directive(writer, &p, &args);
        }
    }
    va_end(args);
    if (failed) {
        PyBytesWriter_Discard(writer);
        return NULL;
    }
    return PyBytesWriter_Finish(writer);
}

PyObject *
PyBytes_FromFormat(const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    PyObject *result = PyBytes_FromFormatV(format, vargs);
    va_end(vargs);
    return result;
}
