/* SPDX-License-Identifier: MIT */
/* Format specifications: parsing them, and laying out text and numbers.
 *
 * Read next: format_number.c, which turns ints and floats into digits first. */
#include "format_spec.h"

#include "arguments.h"

/* --- parsing ------------------------------------------------------------------------------------------ */

/* The characters of the specification that are left. */
struct spec_reader {
    PyObject *spec;
    Py_ssize_t at, length;
};

/* The character `ahead` of the next one; 0 behind the end. */
static Py_UCS4
peek_spec(const struct spec_reader *r, Py_ssize_t ahead)
{
    return r->at + ahead < r->length ? PyUnicode_ReadChar(r->spec, r->at + ahead) : 0;
}

static bool
skip_spec(struct spec_reader *r, Py_UCS4 ch)
{
    bool found = peek_spec(r, 0) == ch && r->at < r->length;
    r->at += found;
    return found;
}

static bool
is_alignment(Py_UCS4 ch)
{
    return ch == '<' || ch == '>' || ch == '=' || ch == '^';
}

/* A number, -1 when there is none. False with ValueError when it is too large. */
static bool
read_spec_number(struct spec_reader *r, Py_ssize_t *number)
{
    Py_ssize_t start = r->at, value = 0;
    int digit;
    while (r->at < r->length && (digit = Py_UNICODE_TODECIMAL(peek_spec(r, 0))) >= 0) {
        if (value > (PY_SSIZE_T_MAX - digit) / 10) {
            PyErr_SetString(PyExc_ValueError, "Too many decimal digits in format string");
            return false;
        }
        value = value * 10 + digit;
        r->at++;
    }
    *number = r->at == start ? -1 : value;
    return true;
}

/* ',' or '_' */
static bool
read_separator(struct spec_reader *r, struct format_spec *f)
{
    if (skip_spec(r, ',')) {
        f->separator = ',';
    }
    if (skip_spec(r, '_')) {
        if (f->separator != 0) {
            PyErr_SetString(PyExc_ValueError, "Cannot specify both ',' and '_'.");
            return false;
        }
        f->separator = '_';
    }
    if (peek_spec(r, 0) == ',' && f->separator == '_') {
        PyErr_SetString(PyExc_ValueError, "Cannot specify both ',' and '_'.");
        return false;
    }
    return true;
}

static void
read_alignment(struct spec_reader *r, struct format_spec *f)
{
    if (r->length - r->at >= 2 && is_alignment(peek_spec(r, 1))) {
        f->fill = peek_spec(r, 0);
        f->align = (char)peek_spec(r, 1);
        f->align_given = true;
        r->at += 2;
    } else if (is_alignment(peek_spec(r, 0))) {
        f->align = (char)peek_spec(r, 0);
        f->align_given = true;
        r->at++;
    }
}

static void
read_flags(struct spec_reader *r, struct format_spec *f, bool fill_given)
{
    Py_UCS4 ch = peek_spec(r, 0);
    if (ch == '+' || ch == '-' || ch == ' ') {
        f->sign = (char)ch;
        r->at++;
    }
    f->no_minus_zero = skip_spec(r, 'z');
    f->alternate = skip_spec(r, '#');
    if (!fill_given && skip_spec(r, '0')) {
        f->fill = '0';
        if (!f->align_given && f->align == '>') {
            f->align = '=';
        }
    }
}

/* The separator goes with decimal and floating point; _ with the other bases too. */
static bool
separator_fits(const struct format_spec *f)
{
    if (f->separator == 0 || f->type == 0 ||
        (f->type < 0x80 && strchr("deEfFgG%", (int)f->type) != NULL) ||
        (f->separator == '_' && f->type < 0x80 && strchr("boxX", (int)f->type) != NULL)) {
        return true;
    }
    if (f->type > 32 && f->type < 128) {
        PyErr_Format(PyExc_ValueError, "Cannot specify '%c' with '%c'.", f->separator,
                     (char)f->type);
    } else {
        PyErr_Format(PyExc_ValueError, "Cannot specify '%c' with '\\x%x'.", f->separator,
                     (unsigned)f->type);
    }
    return false;
}

bool
ouro_format_parse(PyObject *spec, PyObject *o, char default_type, struct format_spec *f)
{
    struct spec_reader r = {spec, 0, PyUnicode_GET_LENGTH(spec)};
    *f = (struct format_spec){
        .fill = ' ', .align = default_type == 's' ? '<' : '>', .precision = -1};
    read_alignment(&r, f);
    read_flags(&r, f, r.at == 2);
    if (!read_spec_number(&r, &f->width) || !read_separator(&r, f)) {
        return false;
    }
    if (skip_spec(&r, '.')) {
        if (!read_spec_number(&r, &f->precision)) {
            return false;
        }
        if (f->precision < 0) {
            PyErr_SetString(PyExc_ValueError, "Format specifier missing precision");
            return false;
        }
    }
    if (r.length - r.at > 1) {
        PyErr_Format(PyExc_ValueError,
                     "Invalid format specifier '%U' for object of type '%.200s'", spec,
                     Py_TYPE(o)->tp_name);
        return false;
    }
    f->type = peek_spec(&r, 0);
    f->type = f->type == 0 ? (Py_UCS4)default_type : f->type;
    return separator_fits(f);
}

PyObject *
ouro_format_unknown_code(const struct format_spec *f, PyObject *o)
{
    if (f->type > 32 && f->type < 128) {
        return PyErr_Format(PyExc_ValueError,
                            "Unknown format code '%c' for object of type '%.200s'",
                            (int)f->type, Py_TYPE(o)->tp_name);
    }
    return PyErr_Format(PyExc_ValueError,
                        "Unknown format code '\\x%x' for object of type '%.200s'",
                        (unsigned)f->type, Py_TYPE(o)->tp_name);
}

/* --- laying out ------------------------------------------------------------------------------------------ */

static int
write_fill(PyUnicodeWriter *writer, Py_UCS4 fill, Py_ssize_t count)
{
    for (; count > 0; count--) {
        if (PyUnicodeWriter_WriteChar(writer, fill) < 0) {
            return -1;
        }
    }
    return 0;
}

PyObject *
ouro_format_text(const struct format_spec *f, PyObject *str)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(str);
    if (f->precision >= 0 && f->precision < length) {
        length = f->precision;
    }
    Py_ssize_t margin = Py_MAX(f->width - length, 0);
    Py_ssize_t left = f->align == '<' ? 0 : f->align == '^' ? margin / 2 : margin;
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(Py_MAX(f->width, length));
    if (writer == NULL) {
        return NULL;
    }
    if (write_fill(writer, f->fill, left) < 0 ||
        PyUnicodeWriter_WriteSubstring(writer, str, 0, length) < 0 ||
        write_fill(writer, f->fill, margin - left) < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}

/* How many characters the digits take with separators, when there are zeros in front up to
 * `width` characters; a separator is never the first. *zeros says how many. */
static Py_ssize_t
grouped_width(const struct number_text *n, bool grouped, Py_ssize_t width,
              Py_ssize_t *zeros)
{
    Py_ssize_t digits = n->digit_count;
    if (!grouped) {
        *zeros = Py_MAX(width - digits, 0);
        return digits + *zeros;
    }
    while (digits + (digits - 1) / n->group < width) {
        digits++;
    }
    *zeros = digits - n->digit_count;
    return digits + (digits - 1) / n->group;
}

static int
write_grouped(PyUnicodeWriter *writer, const struct number_text *n, char separator,
              Py_ssize_t zeros)
{
    Py_ssize_t total = zeros + n->digit_count;
    for (Py_ssize_t i = 0; i < total; i++) {
        if (separator != 0 && i > 0 && (total - i) % n->group == 0 &&
            PyUnicodeWriter_WriteChar(writer, (Py_UCS4)separator) < 0) {
            return -1;
        }
        char digit = i < zeros ? '0' : n->digits[i - zeros];
        if (PyUnicodeWriter_WriteChar(writer, (Py_UCS4)digit) < 0) {
            return -1;
        }
    }
    return 0;
}

PyObject *
ouro_format_number(const struct format_spec *f, const struct number_text *n)
{
    char separator = n->digit_count > 0 ? f->separator : 0; /* not in "inf" */
    char sign = n->sign != 0 ? n->sign : f->sign == '+' || f->sign == ' ' ? f->sign : 0;
    Py_ssize_t fixed = (sign != 0) + (Py_ssize_t)(strlen(n->prefix) + strlen(n->rest)),
               zeros;
    bool zero_filled = f->fill == '0' && f->align == '=';
    Py_ssize_t digits =
        grouped_width(n, separator != 0, zero_filled ? f->width - fixed : 0, &zeros);
    Py_ssize_t margin = Py_MAX(f->width - fixed - digits, 0);
    Py_ssize_t left = f->align == '>' ? margin : f->align == '^' ? margin / 2 : 0;
    Py_ssize_t inner = f->align == '=' ? margin : 0;
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(Py_MAX(f->width, fixed + digits));
    if (writer == NULL) {
        return NULL;
    }
    if (write_fill(writer, f->fill, left) < 0 ||
        (sign != 0 && PyUnicodeWriter_WriteChar(writer, (Py_UCS4)sign) < 0) ||
        PyUnicodeWriter_WriteASCII(writer, n->prefix, -1) < 0 ||
        write_fill(writer, f->fill, inner) < 0 ||
        write_grouped(writer, n, separator, zeros) < 0 ||
        PyUnicodeWriter_WriteASCII(writer, n->rest, -1) < 0 ||
        write_fill(writer, f->fill, margin - left - inner) < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}

/* --- str.__format__ ---------------------------------------------------------------------------------------- */

/* What a number may have and text may not; NULL when all is well. */
static const char *
text_format_mistake(const struct format_spec *f)
{
    if (f->sign != 0) {
        return f->sign == ' ' ? "Space not allowed in string format specifier"
                              : "Sign not allowed in string format specifier";
    }
    if (f->no_minus_zero) {
        return "Negative zero coercion (z) not allowed in string format specifier";
    }
    if (f->alternate) {
        return "Alternate form (#) not allowed in string format specifier";
    }
    if (f->align == '=') {
        return "'=' alignment not allowed in string format specifier";
    }
    return NULL;
}

PyObject *
ouro_str_format_spec(PyObject *self, PyObject *spec)
{
    if (!PyUnicode_Check(spec)) {
        return ouro_args_wrong_type("__format__", "argument", "str", spec);
    }
    if (PyUnicode_GET_LENGTH(spec) == 0) {
        return PyObject_Str(self);
    }
    struct format_spec f;
    if (!ouro_format_parse(spec, self, 's', &f)) {
        return NULL;
    }
    if (f.type != 's') {
        return ouro_format_unknown_code(&f, self);
    }
    const char *mistake = text_format_mistake(&f);
    if (mistake != NULL) {
        PyErr_SetString(PyExc_ValueError, mistake);
        return NULL;
    }
    return ouro_format_text(&f, self);
}
