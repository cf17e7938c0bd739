/* SPDX-License-Identifier: MIT */
/* C values from arguments by position.
 *
 * A format is read twice: first as a whole, to count the arguments and find mistakes, then unit
 * by unit, along with the arguments. What one unit does is in argconvert.c, keywords are in
 * argkeywords.c. */
#include "argparse.h"

#include "protocol.h"

/* --- a call ------------------------------------------------------------------------------ */

static bool
raise_bad_format(const char *what, const char *format)
{
    PyErr_Format(PyExc_SystemError, "%s: %.200s", what, format);
    return false;
}

int
ouro_arg_count_units(const char *format)
{
    int count = 0, level = 0;
    for (;; format++) {
        switch (*format) {
        case '\0':
        case ':':
        case ';':
            return count;
        case '(':
            count += level++ == 0;
            break;
        case ')':
            if (level-- == 0) {
                return count;
            }
            break;
        default:
            /* The e of es and et is half a unit. */
            count += level == 0 && *format != 'e' && isalpha((unsigned char)*format);
        }
    }
}

/* Parentheses must match and must not nest too deep. */
static bool
parentheses_match(const char *format)
{
    int level = 0;
    for (const char *f = format; *f != '\0' && *f != ':' && *f != ';'; f++) {
        level += *f == '(';
        level -= *f == ')';
        if (level < 0) {
            return raise_bad_format("excess ')' in getargs format", format);
        }
        if (level >= OURO_ARG_DEPTH) {
            return raise_bad_format("too many tuple nesting levels in getargs format",
                                    format);
        }
    }
    return level == 0 || raise_bad_format("missing ')' in getargs format", format);
}

/* The number of top level units in front of the first '|', or -1 without one. */
static int
units_before_bar(const char *format)
{
    int level = 0, count = 0;
    for (; *format != '\0' && *format != ':' && *format != ';'; format++) {
        if (*format == '|' && level == 0) {
            return count;
        }
        level -= *format == ')';
        count += level == 0 && *format != 'e' &&
                 (*format == '(' || isalpha((unsigned char)*format));
        level += *format == '(';
    }
    return -1;
}

bool
ouro_arg_begin(struct arg_parse *p, const char *format, va_list targets)
{
    if (!parentheses_match(format)) {
        return false;
    }
    p->format = format;
    p->problem[0] = '\0';
    p->bad_format = false;
    p->depth = 0;
    p->undo_count = 0;
    p->undo = p->undo_on_stack;
    p->most = ouro_arg_count_units(format);
    int before_bar = units_before_bar(format);
    p->least = before_bar < 0 ? p->most : before_bar;
    size_t length = strcspn(format, ":;");
    const char *end = format + length;
    p->function = *end == ':' ? end + 1 : NULL;
    p->message = *end == ';' ? end + 1 : NULL;
    /* No unit is shorter than one character, and none has more than one thing to undo. */
    if (length > OURO_ARG_UNDO) {
        p->undo = PyMem_New(struct arg_undo, length);
        if (p->undo == NULL) {
            PyErr_NoMemory();
            return false;
        }
    }
    va_copy(p->targets, targets);
    return true;
}

static void
undo_one(const struct arg_undo *undo)
{
    if (undo->converter != NULL) {
        undo->converter(NULL, undo->target);
    } else if (undo->view != NULL) {
        PyBuffer_Release(undo->view);
    } else {
        PyMem_Free(*undo->memory);
        *undo->memory = NULL;
    }
}

int
ouro_arg_end(struct arg_parse *p, bool success)
{
    while (!success && p->undo_count > 0) {
        undo_one(&p->undo[--p->undo_count]);
    }
    if (p->undo != p->undo_on_stack) {
        PyMem_Free(p->undo);
    }
    va_end(p->targets);
    return success;
}

/* "f() argument 2, item 0 must be int, not str" */
static void
describe_problem(const struct arg_parse *p, Py_ssize_t number, char *text, size_t size)
{
    size_t used = 0;
#define OURO_ARG_ADD(...)                                                                \
    (used += used < size ? (size_t)snprintf(text + used, size - used, __VA_ARGS__) : 0)
    if (p->function != NULL) {
        OURO_ARG_ADD("%.200s() ", p->function);
    }
    OURO_ARG_ADD("argument");
    if (number != 0) {
        OURO_ARG_ADD(" %zd", number);
    }
    for (int i = 0; i < p->depth; i++) {
        OURO_ARG_ADD(", item %d", p->path[i]);
    }
    OURO_ARG_ADD(" %s", p->problem);
#undef OURO_ARG_ADD
}

bool
ouro_arg_refuse(struct arg_parse *p, Py_ssize_t number)
{
    if (PyErr_Occurred()) {
        return false;
    }
    char text[800];
    describe_problem(p, number, text, sizeof(text));
    PyErr_SetString(p->bad_format ? PyExc_SystemError : PyExc_TypeError,
                    p->message != NULL && !p->bad_format ? p->message : text);
    return false;
}

/* --- by position ------------------------------------------------------------------------- */

static bool
refuse_count(const struct arg_parse *p, Py_ssize_t given)
{
    if (p->message != NULL) {
        PyErr_SetString(PyExc_TypeError, p->message);
        return false;
    }
    int bound = given < p->least ? p->least : p->most;
    PyErr_Format(PyExc_TypeError, "%.150s%s takes %s %d argument%s (%zd given)",
                 OURO_ARG_FUNCTION(p),
                 p->least == p->most ? "exactly"
                 : given < p->least  ? "at least"
                                     : "at most",
                 bound, bound == 1 ? "" : "s", given);
    return false;
}

static bool
parse_by_position(struct arg_parse *p, PyObject *const *args, Py_ssize_t count)
{
    const char *format = p->format;
    if (count < p->least || count > p->most) {
        return refuse_count(p, count);
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        p->format += *p->format == '|';
        if (!ouro_arg_convert(p, args[i])) {
            return ouro_arg_refuse(p, i + 1);
        }
    }
    if (strchr("|(:;", *p->format) == NULL && !isalpha((unsigned char)*p->format)) {
        return raise_bad_format("bad format string", format);
    }
    return true;
}

static int
parse_array(PyObject *const *args, Py_ssize_t count, const char *format, va_list targets)
{
    struct arg_parse p;
    return ouro_arg_begin(&p, format, targets) &&
           ouro_arg_end(&p, parse_by_position(&p, args, count));
}

int
PyArg_VaParse(PyObject *args, const char *format, va_list vargs)
{
    if (args == NULL || !PyTuple_Check(args)) {
        PyErr_SetString(PyExc_SystemError,
                        "new style getargs format but argument is not a tuple");
        return 0;
    }
    return parse_array(&PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args), format, vargs);
}

int
PyArg_ParseTuple(PyObject *args, const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    int result = PyArg_VaParse(args, format, vargs);
    va_end(vargs);
    return result;
}

int
PyArg_ParseArray(PyObject *const *args, Py_ssize_t nargs, const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    int result = parse_array(args, nargs, format, vargs);
    va_end(vargs);
    return result;
}

/* --- one object --------------------------------------------------------------------------- */

static bool
parse_single(struct arg_parse *p, PyObject *arg)
{
    if (p->most == 0) {
        if (arg == NULL) {
            return true;
        }
        PyErr_Format(PyExc_TypeError, "%.200s%s takes no arguments",
                     OURO_ARG_FUNCTION(p));
        return false;
    }
    if (p->least != 1 || p->most != 1) {
        PyErr_SetString(PyExc_SystemError, "old style getargs format uses new features");
        return false;
    }
    if (arg == NULL) {
        PyErr_Format(PyExc_TypeError, "%.200s%s takes at least one argument",
                     OURO_ARG_FUNCTION(p));
        return false;
    }
    return ouro_arg_convert(p, arg) || ouro_arg_refuse(p, 0);
}

int
PyArg_Parse(PyObject *arg, const char *format, ...)
{
    struct arg_parse p;
    va_list vargs;
    va_start(vargs, format);
    int result =
        ouro_arg_begin(&p, format, vargs) && ouro_arg_end(&p, parse_single(&p, arg));
    va_end(vargs);
    return result;
}

/* --- without a format --------------------------------------------------------------------- */

static int
refuse_unpacking(const char *name, const char *bound, Py_ssize_t limit, Py_ssize_t given)
{
    const char *plural = limit == 1 ? "" : "s";
    if (name != NULL) {
        PyErr_Format(PyExc_TypeError, "%.200s expected %s%zd argument%s, got %zd", name,
                     bound, limit, plural, given);
    } else {
        PyErr_Format(PyExc_TypeError,
                     "unpacked tuple should have %s%zd element%s, but has %zd", bound,
                     limit, plural, given);
    }
    return 0;
}

int
PyArg_UnpackTuple(PyObject *args, const char *name, Py_ssize_t min, Py_ssize_t max, ...)
{
    if (args == NULL || !PyTuple_Check(args)) {
        PyErr_SetString(PyExc_SystemError,
                        "PyArg_UnpackTuple() argument list is not a tuple");
        return 0;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < min) {
        return refuse_unpacking(name, min == max ? "" : "at least ", min, count);
    }
    if (count > max) {
        return refuse_unpacking(name, min == max ? "" : "at most ", max, count);
    }
    va_list targets;
    va_start(targets, max);
    for (Py_ssize_t i = 0; i < count; i++) {
        *va_arg(targets, PyObject **) = PyTuple_GET_ITEM(args, i);
    }
    va_end(targets);
    return 1;
}

int
PyArg_ValidateKeywordArguments(PyObject *kwargs)
{
    if (kwargs == NULL || !PyDict_Check(kwargs)) {
        PyErr_BadInternalCall();
        return 0;
    }
    PyObject *key;
    Py_ssize_t position = 0;
    while (PyDict_Next(kwargs, &position, &key, NULL)) {
        if (!PyUnicode_Check(key)) {
            PyErr_SetString(PyExc_TypeError, "keywords must be strings");
            return 0;
        }
    }
    return 1;
}
