/* SPDX-License-Identifier: MIT */
/* format % args: PyUnicode_Format. */
#include "str_methods.h"

#include <limits.h>

#include "mapping.h"

/* The arguments that are left. */
struct percent_args {
    PyObject *args; /* borrowed: a tuple, or the single argument */
    Py_ssize_t next, count;
    bool is_tuple;
    PyObject *mapping; /* borrowed: for %(key); NULL when it is none */
};

struct percent_code {
    PyObject *value; /* owned; for %(key), else NULL until it is fetched */
    bool left, plus, blank, alternate, zero;
    Py_ssize_t width;     /* -1 when not given */
    Py_ssize_t precision; /* -1 when not given */
    Py_UCS4 code;
};

/* --- arguments ------------------------------------------------------------------------------------------ */

/* The next argument. New reference; NULL with TypeError. */
static PyObject *
next_percent_arg(struct percent_args *a)
{
    if (a->next >= a->count) {
        PyErr_SetString(PyExc_TypeError, "not enough arguments for format string");
        return NULL;
    }
    PyObject *arg = a->is_tuple ? PyTuple_GET_ITEM(a->args, a->next) : a->args;
    a->next++;
    return Py_NewRef(arg);
}

/* A str is a mapping too, but it is not meant as one here. */
static bool
is_percent_mapping(PyObject *args)
{
    return PyMapping_Check(args) && !PyTuple_Check(args) && !PyUnicode_Check(args);
}

/* --- parsing -------------------------------------------------------------------------------------------- */

/* %(key): *p is behind the parenthesis, and is moved behind the closing one. */
static int
take_percent_key(const char **p, const char *end, struct percent_args *a,
                 struct percent_code *c)
{
    if (a->mapping == NULL) {
        PyErr_SetString(PyExc_TypeError, "format requires a mapping");
        return -1;
    }
    const char *start = *p;
    for (int open = 1; *p < end; (*p)++) {
        open += **p == '(';
        open -= **p == ')';
        if (open == 0) {
            break;
        }
    }
    if (*p == end) {
        PyErr_SetString(PyExc_ValueError, "incomplete format key");
        return -1;
    }
    PyObject *key = ouro_str_copy(start, *p - start);
    (*p)++;
    PyObject *value = key == NULL ? NULL : ouro_mapping_get(a->mapping, key);
    Py_XDECREF(key);
    Py_XSETREF(c->value, value);
    /* The mapping counts as used. */
    a->count = a->next = 0;
    return value == NULL ? -1 : 0;
}

/* A number or * for the next argument. */
static int
take_percent_amount(const char **p, const char *end, struct percent_args *a,
                    Py_ssize_t *amount, Py_ssize_t limit, const char *what)
{
    if (*p < end && **p == '*') {
        (*p)++;
        PyObject *arg = next_percent_arg(a);
        if (arg == NULL) {
            return -1;
        }
        if (!PyLong_Check(arg)) {
            PyErr_SetString(PyExc_TypeError, "* wants int");
            Py_DECREF(arg);
            return -1;
        }
        *amount = limit == INT_MAX ? PyLong_AsInt(arg) : PyLong_AsSsize_t(arg);
        Py_DECREF(arg);
        return *amount == -1 && PyErr_Occurred() ? -1 : 0;
    }
    for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
        if (*amount > (limit - (**p - '0')) / 10) {
            PyErr_Format(PyExc_ValueError, "%s too big", what);
            return -1;
        }
        *amount = (*amount < 0 ? 0 : *amount) * 10 + (**p - '0');
    }
    return 0;
}

static void
take_percent_flags(const char **p, const char *end, struct percent_code *c)
{
    for (; *p < end; (*p)++) {
        switch (**p) {
        case '-':
            c->left = true;
            break;
        case '+':
            c->plus = true;
            break;
        case ' ':
            c->blank = true;
            break;
        case '#':
            c->alternate = true;
            break;
        case '0':
            c->zero = true;
            break;
        default:
            return;
        }
    }
}

/* Parse from behind the % to behind the code. */
static int
parse_percent(const char **p, const char *end, struct percent_args *a,
              struct percent_code *c)
{
    *c = (struct percent_code){.width = -1, .precision = -1};
    if (*p < end && **p == '(') {
        (*p)++;
        if (take_percent_key(p, end, a, c) < 0) {
            return -1;
        }
    }
    take_percent_flags(p, end, c);
    if (take_percent_amount(p, end, a, &c->width, PY_SSIZE_T_MAX, "width") < 0) {
        return -1;
    }
    if (c->width < -1) {
        c->left = true;
        c->width = c->width == PY_SSIZE_T_MIN ? PY_SSIZE_T_MAX : -c->width;
    }
    if (*p < end && **p == '.') {
        (*p)++;
        c->precision = 0;
        if (take_percent_amount(p, end, a, &c->precision, INT_MAX, "precision") < 0) {
            return -1;
        }
        c->precision = Py_MAX(c->precision, 0);
    }
    if (*p < end && (**p == 'h' || **p == 'l' || **p == 'L')) {
        (*p)++;
    }
    if (*p == end) {
        PyErr_SetString(PyExc_ValueError, "incomplete format");
        return -1;
    }
    c->code = ouro_utf8_next(p);
    return 0;
}

/* --- numbers -------------------------------------------------------------------------------------------- */

/* The rest is what __format__ does: flags, sign, digits, padding. */
static void
percent_as_spec(const struct percent_code *c, struct format_spec *f)
{
    *f = (struct format_spec){
        .fill = c->zero && !c->left ? '0' : ' ',
        .align = c->left   ? '<'
                 : c->zero ? '='
                           : '>',
        .sign = c->plus    ? '+'
                : c->blank ? ' '
                           : 0,
        .alternate = c->alternate,
        .width = c->width,
        .precision = c->precision,
    };
}

/* An int for d i u and the other bases: floats are cut for decimal, else an error. */
static PyObject *
int_of_percent(PyObject *value, Py_UCS4 code)
{
    if (PyLong_Check(value)) {
        return Py_NewRef(value);
    }
    bool other_base = code == 'x' || code == 'X' || code == 'o';
    PyObject *whole = NULL;
    if (PyNumber_Check(value)) {
        whole = other_base ? PyNumber_Index(value) : PyNumber_Long(value);
        if (whole == NULL && !PyErr_ExceptionMatches(PyExc_TypeError)) {
            return NULL;
        }
    }
    if (whole == NULL) {
        PyErr_Format(PyExc_TypeError, "%%%c format: %s is required, not %.200s",
                     (int)code, other_base ? "an integer" : "a real number",
                     Py_TYPE(value)->tp_name);
    }
    return whole;
}

static PyObject *
percent_integer(const struct percent_code *c, PyObject *value)
{
    PyObject *whole = int_of_percent(value, c->code);
    bool negative = false;
    char *digits = whole == NULL
                       ? NULL
                       : ouro_format_digits(whole, c->code, c->precision, &negative);
    Py_XDECREF(whole);
    if (digits == NULL) {
        return NULL;
    }
    char prefix[3] = "";
    if (c->alternate && (c->code == 'o' || c->code == 'x' || c->code == 'X')) {
        prefix[0] = '0';
        prefix[1] = (char)c->code;
    }
    struct format_spec f;
    percent_as_spec(c, &f);
    struct number_text n = {.sign = negative ? '-' : 0,
                            .prefix = prefix,
                            .digits = digits,
                            .digit_count = (Py_ssize_t)strlen(digits),
                            .rest = ""};
    PyObject *result = ouro_format_number(&f, &n);
    PyMem_Free(digits);
    return result;
}

static PyObject *
percent_float(const struct percent_code *c, PyObject *value)
{
    double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) {
        return NULL;
    }
    struct format_spec f;
    percent_as_spec(c, &f);
    f.type = c->code;
    return ouro_format_double(&f, number, value);
}

/* --- text ------------------------------------------------------------------------------------------------- */

/* %c: a character, or its number. */
static PyObject *
percent_character(PyObject *value)
{
    if (PyUnicode_Check(value)) {
        if (ouro_str(value)->length == 1) {
            return PyUnicode_FromObject(value);
        }
        PyErr_SetString(PyExc_TypeError, "%c requires int or char");
        return NULL;
    }
    PyObject *whole = PyIndex_Check(value) ? PyNumber_Index(value) : NULL;
    if (whole == NULL) {
        PyErr_SetString(PyExc_TypeError, "%c requires int or char");
        return NULL;
    }
    int overflow;
    long ordinal = PyLong_AsLongAndOverflow(whole, &overflow);
    Py_DECREF(whole);
    if (overflow != 0 || ordinal < 0 || ordinal > 0x10FFFF) {
        PyErr_SetString(PyExc_OverflowError, "%c arg not in range(0x110000)");
        return NULL;
    }
    return PyUnicode_FromOrdinal((int)ordinal);
}

static PyObject *
percent_text(const struct percent_code *c, PyObject *value)
{
    PyObject *text = c->code == 's'   ? PyObject_Str(value)
                     : c->code == 'r' ? PyObject_Repr(value)
                     : c->code == 'a' ? PyObject_ASCII(value)
                                      : percent_character(value);
    if (text == NULL) {
        return NULL;
    }
    struct format_spec f;
    percent_as_spec(c, &f);
    f.fill = ' ';
    f.align = c->left ? '<' : '>';
    f.precision = c->code == 'c' ? -1 : f.precision;
    PyObject *result = ouro_format_text(&f, text);
    Py_DECREF(text);
    return result;
}

/* --- all of it ---------------------------------------------------------------------------------------------- */

static PyObject *
format_percent(const struct percent_code *c, PyObject *value, Py_ssize_t index)
{
    if (c->code < 0x80 && c->code > 0) {
        if (strchr("srac", (int)c->code) != NULL) {
            return percent_text(c, value);
        }
        if (strchr("diuoxX", (int)c->code) != NULL) {
            return percent_integer(c, value);
        }
        if (strchr("eEfFgG", (int)c->code) != NULL) {
            return percent_float(c, value);
        }
    }
    return PyErr_Format(
        PyExc_ValueError, "unsupported format character '%c' (0x%x) at index %zd",
        c->code > 31 && c->code < 128 ? (int)c->code : '?', (unsigned)c->code, index);
}

/* One code, from behind its % on. */
static int
write_percent(PyUnicodeWriter *writer, struct text_range format, const char **p,
              struct percent_args *a)
{
    struct percent_code c;
    if (**p == '%') {
        (*p)++;
        return PyUnicodeWriter_WriteChar(writer, '%');
    }
    int failed = parse_percent(p, format.end, a, &c);
    if (failed == 0) {
        PyObject *value = c.value == NULL ? next_percent_arg(a) : Py_NewRef(c.value);
        Py_ssize_t index = ouro_utf8_count(format.start, *p - format.start) - 1;
        PyObject *text = value == NULL ? NULL : format_percent(&c, value, index);
        failed = text == NULL ? -1 : PyUnicodeWriter_WriteStr(writer, text);
        Py_XDECREF(text);
        Py_XDECREF(value);
    }
    Py_XDECREF(c.value);
    return failed;
}

PyObject *
PyUnicode_Format(PyObject *format, PyObject *args)
{
    if (args == NULL) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (!ouro_str_require(format)) {
        return NULL;
    }
    struct text_range in = ouro_str_utf8(format);
    bool is_tuple = PyTuple_Check(args);
    struct percent_args a = {args, 0, is_tuple ? PyTuple_GET_SIZE(args) : 1, is_tuple,
                             is_percent_mapping(args) ? args : NULL};
    PyUnicodeWriter *writer =
        in.start == NULL ? NULL : PyUnicodeWriter_Create(ouro_text_size(in));
    if (writer == NULL) {
        return NULL;
    }
    for (const char *p = in.start; p < in.end;) {
        const char *plain = memchr(p, '%', (size_t)(in.end - p));
        plain = plain == NULL ? in.end : plain;
        if (ouro_writer_put(writer, (struct text_range){p, plain}) < 0) {
            goto undo_writer;
        }
        p = plain + (plain < in.end);
        if (plain < in.end && write_percent(writer, in, &p, &a) < 0) {
            goto undo_writer;
        }
    }
    if (a.next < a.count && a.mapping == NULL) {
        PyErr_SetString(PyExc_TypeError,
                        "not all arguments converted during string formatting");
        goto undo_writer;
    }
    return PyUnicodeWriter_Finish(writer);

undo_writer:
    PyUnicodeWriter_Discard(writer);
    return NULL;
}
