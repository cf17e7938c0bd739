/* SPDX-License-Identifier: MIT */
/* The size of an item from its format, in the language of the struct module. */
#include <Python.h>

#include <stdbool.h>

struct format_unit {
    char code;
    unsigned char native;   /* size, and alignment as they are the same here */
    unsigned char standard; /* size without alignment; 0: the code is native only */
};

static const struct format_unit format_units[] = {
    {'x', 1, 1},
    {'b', 1, 1},
    {'B', 1, 1},
    {'c', 1, 1},
    {'?', sizeof(bool), 1},
    {'s', 1, 1},
    {'p', 1, 1},
    {'h', sizeof(short), 2},
    {'H', sizeof(short), 2},
    {'e', 2, 2},
    {'i', sizeof(int), 4},
    {'I', sizeof(int), 4},
    {'f', sizeof(float), 4},
    {'l', sizeof(long), 4},
    {'L', sizeof(long), 4},
    {'q', sizeof(long long), 8},
    {'Q', sizeof(long long), 8},
    {'d', sizeof(double), 8},
    {'n', sizeof(Py_ssize_t), 0},
    {'N', sizeof(size_t), 0},
    {'P', sizeof(void *), 0},
};

/* The size and alignment of a code; false when there is no such code. */
static bool
find_format_unit(char code, bool native, Py_ssize_t *size)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(format_units); i++) {
        if (format_units[i].code == code) {
            *size = native ? format_units[i].native : format_units[i].standard;
            return *size != 0;
        }
    }
    return false;
}

/* Read a count in front of a code; 1 without one, -1 when it is too large. */
static Py_ssize_t
read_count(const char **format)
{
    if (!isdigit((unsigned char)**format)) {
        return 1;
    }
    Py_ssize_t count = 0;
    bool too_large = false;
    for (; isdigit((unsigned char)**format); (*format)++) {
        too_large = too_large || count > (PY_SSIZE_T_MAX - 9) / 10;
        count = too_large ? 0 : count * 10 + (**format - '0');
    }
    return too_large ? -1 : count;
}

static Py_ssize_t
raise_bad_item_format(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
    return -1;
}

Py_ssize_t
PyBuffer_SizeFromFormat(const char *format)
{
    format = format == NULL ? "B" : format;
    bool native = strchr("=<>!", *format) == NULL || *format == '\0';
    format += *format == '@' || !native;
    Py_ssize_t total = 0, size = 0;
    while (*format != '\0') {
        if (isspace((unsigned char)*format)) {
            format++;
            continue;
        }
        Py_ssize_t count = read_count(&format);
        if (*format == '\0') {
            return raise_bad_item_format("repeat count given without format specifier");
        }
        if (!find_format_unit(*format++, native, &size)) {
            return raise_bad_item_format("bad char in struct format");
        }
        Py_ssize_t padding = native ? (size - total % size) % size : 0;
        if (count < 0 || total > PY_SSIZE_T_MAX - padding ||
            count > (PY_SSIZE_T_MAX - total - padding) / size) {
            return raise_bad_item_format("total struct size too long");
        }
        total += padding + count * size;
    }
    return total;
}
