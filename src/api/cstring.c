/* SPDX-License-Identifier: MIT */
/* C strings: formatting into a buffer, comparing without case, reading numbers. None of it
 * depends on the locale, and none of it needs an attached thread. */
#include <Python.h>

int
PyOS_vsnprintf(char *text, size_t size, const char *format, va_list args)
{
    int length = vsnprintf(text, size, format, args);
    if (size > 0) {
        text[size - 1] = '\0';
    }
    return length;
}

int
PyOS_snprintf(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = PyOS_vsnprintf(text, size, format, args);
    va_end(args);
    return length;
}

int
PyOS_mystrnicmp(const char *a, const char *b, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < size; i++) {
        int difference = Py_TOLOWER(a[i]) - Py_TOLOWER(b[i]);
        if (difference != 0 || a[i] == '\0') {
            return difference;
        }
    }
    return 0;
}

int
PyOS_mystricmp(const char *a, const char *b)
{
    return PyOS_mystrnicmp(a, b, PY_SSIZE_T_MAX);
}

/* Where the digits start; *base becomes what the prefix says when it is 0. */
static const char *
skip_base(const char *text, int *base)
{
    if (text[0] != '0') {
        *base = *base == 0 ? 10 : *base;
        return text;
    }
    int letter = Py_TOLOWER(text[1]);
    int meant = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (meant != 0 && (*base == 0 || *base == meant)) {
        *base = meant;
        return text + 2;
    }
    *base = *base == 0 ? 10 : *base;
    return text;
}

static int
value_of_digit(char digit)
{
    return Py_ISDIGIT(digit)   ? digit - '0'
           : Py_ISALPHA(digit) ? Py_TOLOWER(digit) - 'a' + 10
                               : 99;
}

unsigned long
PyOS_strtoul(const char *text, char **end, int base)
{
    unsigned long value = 0;
    int overflow = 0;
    while (Py_ISSPACE(*text)) {
        text++;
    }
    for (text = skip_base(text, &base); value_of_digit(*text) < base; text++) {
        overflow |= __builtin_mul_overflow(value, (unsigned long)base, &value);
        overflow |=
            __builtin_add_overflow(value, (unsigned long)value_of_digit(*text), &value);
    }
    if (end != NULL) {
        *end = (char *)text;
    }
    if (overflow) {
        errno = ERANGE;
        return ULONG_MAX;
    }
    return value;
}

long
PyOS_strtol(const char *text, char **end, int base)
{
    while (Py_ISSPACE(*text)) {
        text++;
    }
    int negative = *text == '-';
    unsigned long size = PyOS_strtoul(text + (*text == '-' || *text == '+'), end, base);
    if (size > (unsigned long)LONG_MAX + (unsigned long)negative) {
        errno = ERANGE;
        return negative ? LONG_MIN : LONG_MAX;
    }
    return negative ? (long)(0 - size) : (long)size;
}
