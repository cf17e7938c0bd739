/* SPDX-License-Identifier: MIT */
/* Doubles as text.
 *
 * printf and strtod convert exactly. This file finds the shortest text that reads back as the
 * same value, and replaces the decimal point of the locale. */
#include <Python.h>

#include <locale.h>
#include <stdbool.h>

#include "float_text.h"
#include "str_character.h"

/* --- the shortest digits ------------------------------------------------------------------------ */

/* value == 0.d1 d2 d3 ... * 10^point; at most 17 digits, the last not 0. */
struct decimal {
    char digits[20];
    int count;
    int point;
};

/* Print with `precision` significant digits; true when that reads back as `value`. */
static bool
try_precision(double value, int precision, struct decimal *d)
{
    char text[48];
    snprintf(text, sizeof text, "%.*e", precision - 1, value);
    bool exact = strtod(text, NULL) == value;
    /* Everything before the 'e' that is no digit is the point, whatever the locale. */
    const char *p = text;
    d->count = 0;
    for (; *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9') {
            d->digits[d->count++] = *p;
        }
    }
    d->point = atoi(p + 1) + 1;
    while (d->count > 1 && d->digits[d->count - 1] == '0') {
        d->count--;
    }
    return exact;
}

/* For a normal number, 15 digits find any text of up to 15 digits; a subnormal has fewer
 * bits, so its shortest text may be anything. */
static void
shortest_decimal(double value, struct decimal *d)
{
    int precision = value < 2.2250738585072014e-308 ? 1 : 15;
    while (!try_precision(value, precision, d) && precision < 17) {
        precision++;
    }
}

/* --- layout ------------------------------------------------------------------------------------------ */

static char *
put_fixed(char *p, const char *digits, int count, int point)
{
    if (point <= 0) {
        *p++ = '0';
        *p++ = '.';
        memset(p, '0', (size_t)-point);
        p += -point;
        memcpy(p, digits, (size_t)count);
        return p + count;
    }
    for (int i = 0; i < count || i < point; i++) {
        if (i == point) {
            *p++ = '.';
        }
        *p++ = i < count ? digits[i] : '0';
    }
    return p;
}

static char *
put_scientific(char *p, const char *digits, int count, int point, char letter)
{
    *p++ = digits[0];
    if (count > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)count - 1);
        p += count - 1;
    }
    return p + sprintf(p, "%c%+.02d", letter, point - 1);
}

/* repr() without the ".0" of whole numbers. */
static size_t
print_shortest(double value, char *text)
{
    char *p = text;
    if (isnan(value)) {
        strcpy(text, "nan");
        return 3;
    }
    if (signbit(value)) {
        *p++ = '-';
    }
    if (isinf(value)) {
        strcpy(p, "inf");
        return (size_t)(p + 3 - text);
    }
    struct decimal d = {"0", 1, 1};
    if (value != 0.0) {
        shortest_decimal(fabs(value), &d);
    }
    p = d.point > 16 || d.point < -3 ? put_scientific(p, d.digits, d.count, d.point, 'e')
                                     : put_fixed(p, d.digits, d.count, d.point);
    *p = '\0';
    return (size_t)(p - text);
}

/* Does the text look like an int? */
static bool
text_is_whole(const char *text)
{
    return text[strspn(text, "+-0123456789")] == '\0';
}

size_t
ouro_float_repr(double value, char *text)
{
    size_t length = print_shortest(value, text);
    if (text_is_whole(text)) {
        strcpy(text + length, ".0");
        length += 2;
    }
    return length;
}

/* --- public -------------------------------------------------------------------------------------------- */

/* Replace the decimal point of the locale by a dot. */
static void
undo_locale(char *text)
{
    const char *point = localeconv()->decimal_point;
    size_t length = strlen(point);
    char *at = length == 0 || strcmp(point, ".") == 0 ? NULL : strstr(text, point);
    if (at != NULL) {
        *at = '.';
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
}

/* By %e or %f; room for what PyOS_double_to_string adds. */
static char *
print_by_printf(double val, char format_code, int precision, int flags)
{
    char format[8];
    snprintf(format, sizeof format, "%%%s.*%c", flags & Py_DTSF_ALT ? "#" : "",
             format_code);
    int length = snprintf(NULL, 0, format, precision, val);
    char *text = length < 0 ? NULL : PyMem_Malloc((size_t)length + 4);
    if (text == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    snprintf(text, (size_t)length + 1, format, precision, val);
    undo_locale(text);
    return text;
}

/* %g is not used: with Py_DTSF_ADD_DOT_0 the exponent appears one digit earlier. */
static char *
print_general(double val, char format_code, int precision, int flags)
{
    precision = precision == 0 ? 1 : precision;
    char *text = print_by_printf(val, format_code == 'g' ? 'e' : 'E', precision - 1, 0);
    char *laid_out = text == NULL ? NULL : PyMem_Malloc((size_t)precision + 24);
    if (laid_out == NULL) {
        PyMem_Free(text);
        PyErr_NoMemory();
        return NULL;
    }
    char *p = laid_out, *first = text, *exponent = text + strcspn(text, "eE");
    if (*first == '-') {
        *p++ = *first++;
    }
    /* The digits without their point, and without zeros at the end. */
    int count = (int)(exponent - first), point = atoi(exponent + 1) + 1;
    if (count > 1) {
        memmove(first + 1, first + 2, (size_t)count - 2);
        count--;
    }
    while (!(flags & Py_DTSF_ALT) && count > 1 && first[count - 1] == '0') {
        count--;
    }
    bool dot_0 = (flags & Py_DTSF_ADD_DOT_0) != 0;
    if (point > -4 && point <= precision - dot_0) {
        p = put_fixed(p, first, count, point);
    } else {
        p = put_scientific(p, first, count, point, *exponent);
    }
    *p = '\0';
    PyMem_Free(text);
    return laid_out;
}

/* Printf's # for texts that have no point yet. */
static void
add_point(char *text)
{
    char *at = text + strcspn(text, "eE");
    if (strchr(text, '.') == NULL) {
        memmove(at + 1, at, strlen(at) + 1);
        *at = '.';
    }
}

static char *
print_not_finite(double val, bool capitals)
{
    char *text = PyMem_Malloc(8);
    if (text == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    strcpy(text, isnan(val) ? (capitals ? "NAN" : "nan")
                 : val < 0  ? (capitals ? "-INF" : "-inf")
                            : (capitals ? "INF" : "inf"));
    return text;
}

static char *
print_repr(double val)
{
    char *text = PyMem_Malloc(OURO_FLOAT_TEXT_MAX);
    if (text == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    print_shortest(val, text);
    return text;
}

char *
PyOS_double_to_string(double val, char format_code, int precision, int flags, int *type)
{
    if (!(format_code == 'r' && precision == 0) &&
        (format_code == '\0' || strchr("eEfFgG", format_code) == NULL)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    char *text = !isfinite(val)       ? print_not_finite(val, format_code < 'a')
                 : format_code == 'r' ? print_repr(val)
                 : format_code == 'g' || format_code == 'G'
                     ? print_general(val, format_code, precision, flags)
                     : print_by_printf(val, format_code, precision, flags);
    if (text == NULL) {
        return NULL;
    }
    if (type != NULL) {
        *type = isnan(val) ? Py_DTST_NAN : isinf(val) ? Py_DTST_INFINITE : Py_DTST_FINITE;
    }
    if ((flags & Py_DTSF_ADD_DOT_0) && isfinite(val) && text_is_whole(text)) {
        strcat(text, ".0");
    }
    if ((flags & Py_DTSF_ALT) && isfinite(val)) {
        add_point(text);
    }
    if ((flags & Py_DTSF_SIGN) && text[0] != '-') {
        memmove(text + 1, text, strlen(text) + 1);
        text[0] = '+';
    }
    return text;
}

/* strtod in the C locale, of decimal numbers only: no "0x", no "nan(...)". Returns the end
 * of the number, `s` when there is none. */
static const char *
scan_double(const char *s, double *value)
{
    const char *p = s + (*s == '-' || *s == '+');
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(words); i++) {
        size_t length = strlen(words[i].word);
        size_t same = 0;
        while (same < length && (p[same] | 0x20) == words[i].word[same]) {
            same++;
        }
        if (same == length) {
            *value = *s == '-' ? -words[i].value : words[i].value;
            return p + length;
        }
    }
    size_t whole = strspn(p, "0123456789");
    const char *end = p + whole, *point = NULL;
    size_t fraction = 0;
    if (*end == '.') {
        fraction = strspn(end + 1, "0123456789");
        point = end;
        end += 1 + fraction;
    }
    if (whole + fraction == 0) {
        return s;
    }
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');
        size_t length = strspn(exponent, "0123456789");
        end = length > 0 ? exponent + length : end;
    }
    /* A copy with the point that strtod expects. */
    const char *local = localeconv()->decimal_point;
    size_t total = (size_t)(end - s);
    char *copy = PyMem_Malloc(total + strlen(local) + 1);
    if (copy == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    size_t head = point == NULL ? total : (size_t)(point - s);
    memcpy(copy, s, head);
    char *to = copy + head;
    if (point != NULL) {
        strcpy(to, local);
        to += strlen(local);
        memcpy(to, point + 1, (size_t)(end - point) - 1);
        to += end - point - 1;
    }
    *to = '\0';
    *value = strtod(copy, NULL);
    PyMem_Free(copy);
    return end;
}

double
PyOS_string_to_double(const char *str, char **endptr, PyObject *overflow_exception)
{
    double value = -1.0;
    const char *end = scan_double(str, &value);
    if (endptr != NULL) {
        *endptr = (char *)(end == NULL ? str : end);
    }
    if (end == NULL) {
        return -1.0;
    }
    if (end == str || (endptr == NULL && *end != '\0')) {
        PyErr_Format(PyExc_ValueError, "could not convert string to float: '%.200s'",
                     str);
        return -1.0;
    }
    bool spelled = strpbrk(str, "iInN") != NULL && strpbrk(str, "iInN") < end;
    if (isinf(value) && overflow_exception != NULL && !spelled) {
        PyErr_Format(overflow_exception, "value too large to convert to float: '%.200s'",
                     str);
        return -1.0;
    }
    return value;
}

static bool
float_text_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Blanks around the number and single underscores between digits are left out. */
static PyObject *
float_from_text(const char *text, Py_ssize_t size, PyObject *shown)
{
    const char *start = text;
    while (float_text_blank(*start)) {
        start++;
    }
    char *clean = PyMem_Malloc(strlen(start) + 1);
    if (clean == NULL) {
        return PyErr_NoMemory();
    }
    char *to = clean;
    for (const char *p = start; *p != '\0'; p++) {
        bool between = *p == '_' && p > start && isdigit((unsigned char)p[-1]) &&
                       isdigit((unsigned char)p[1]);
        if (!between) {
            *to++ = *p;
        }
    }
    bool has_nul = strlen(text) != (size_t)size;
    while (to > clean && float_text_blank(to[-1])) {
        to--;
    }
    *to = '\0';
    double value = 0.0;
    const char *end = scan_double(clean, &value);
    bool complete = end != NULL && end != clean && *end == '\0' && !has_nul;
    PyMem_Free(clean);
    if (end == NULL) {
        return NULL;
    }
    if (!complete) {
        return PyErr_Format(PyExc_ValueError, "could not convert string to float: %R",
                            shown);
    }
    return PyFloat_FromDouble(value);
}

PyObject *
PyFloat_FromString(PyObject *str)
{
    if (PyUnicode_Check(str)) {
        PyObject *plain = ouro_str_number_text(str);
        if (plain == NULL) {
            return NULL;
        }
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(plain, &size);
        PyObject *result = float_from_text(text, size, str);
        Py_DECREF(plain);
        return result;
    }
    if (PyBytes_Check(str)) {
        return float_from_text(PyBytes_AS_STRING(str), PyBytes_GET_SIZE(str), str);
    }
    return PyErr_Format(
        PyExc_TypeError,
        "float() argument must be a string or a real number, not '%.200s'",
        Py_TYPE(str)->tp_name);
}
