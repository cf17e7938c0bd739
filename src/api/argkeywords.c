/* SPDX-License-Identifier: MIT */
/* C values from arguments by position and by keyword.
 *
 * The parameters are handled in order, each with its unit of the format, until no argument is
 * left. The argument of a parameter is found by position first, then by name. Counting shows
 * whether arguments are left that no parameter took; their names are looked up last. */
#include "argparse.h"
#include "protocol.h"

/* The arguments of a call, in either of the two shapes. */
struct given {
    PyObject *const *args;
    Py_ssize_t nargs;
    PyObject *dict;  /* keyword arguments, or NULL */
    PyObject *names; /* or the names of those behind `args`, or NULL */
    Py_ssize_t keywords;
};

/* The parameters, and what is known of them so far. */
struct parameters {
    char *const *names;
    int unnamed; /* that many have an empty name */
    int count;
    int required;    /* in front of '|'; INT_MAX until it was seen */
    int by_position; /* in front of '$'; INT_MAX until it was seen */
};

/* --- what was given --------------------------------------------------------------------- */

/* The keyword argument `name`: 1, 0 or -1; a new reference, or NULL. */
static int
find_given(const struct given *g, const char *name, PyObject **value)
{
    *value = NULL;
    if (g->dict != NULL) {
        return PyDict_GetItemStringRef(g->dict, name, value);
    }
    for (Py_ssize_t i = 0; i < g->keywords; i++) {
        PyObject *key = PyTuple_GET_ITEM(g->names, i);
        if (PyUnicode_Check(key) && PyUnicode_EqualToUTF8(key, name)) {
            *value = Py_NewRef(g->args[g->nargs + i]);
            return 1;
        }
    }
    return 0;
}

/* The name of the next keyword argument, borrowed; NULL at the end. */
static PyObject *
next_given_name(const struct given *g, Py_ssize_t *position)
{
    PyObject *key = NULL;
    if (g->dict != NULL) {
        return PyDict_Next(g->dict, position, &key, NULL) ? key : NULL;
    }
    return *position < g->keywords ? PyTuple_GET_ITEM(g->names, (*position)++) : NULL;
}

/* --- what is wrong -------------------------------------------------------------------------- */

static bool
raise_signature_mistake(const char *what)
{
    PyErr_Format(PyExc_SystemError, "Invalid format string (%s)", what);
    return false;
}

static bool
is_parameter(const struct parameters *q, PyObject *name)
{
    for (int i = q->unnamed; i < q->count; i++) {
        if (PyUnicode_EqualToUTF8(name, q->names[i])) {
            return true;
        }
    }
    return false;
}

/* A keyword argument was not taken: it was also given by position, or is unknown. */
static bool
refuse_leftover(const struct arg_parse *p, const struct given *g,
                const struct parameters *q)
{
    for (int i = q->unnamed; i < q->count && i < g->nargs; i++) {
        PyObject *value;
        if (find_given(g, q->names[i], &value) != 0) {
            Py_XDECREF(value);
            if (!PyErr_Occurred()) {
                PyErr_Format(
                    PyExc_TypeError,
                    "argument for %.200s%s given by name ('%s') and position (%d)",
                    OURO_ARG_FUNCTION(p), q->names[i], i + 1);
            }
            return false;
        }
    }
    PyObject *name;
    for (Py_ssize_t position = 0; (name = next_given_name(g, &position)) != NULL;) {
        if (!PyUnicode_Check(name)) {
            PyErr_SetString(PyExc_TypeError, "keywords must be strings");
            return false;
        }
        if (!is_parameter(q, name)) {
            ouro_refuse_keyword(p->function, name, q->names + q->unnamed);
            return false;
        }
    }
    return true;
}

static bool
refuse_too_many(const struct arg_parse *p, const struct given *g,
                const struct parameters *q)
{
    PyErr_Format(PyExc_TypeError, "%.200s%s takes at most %d %sargument%s (%zd given)",
                 OURO_ARG_FUNCTION(p), q->count, g->nargs == 0 ? "keyword " : "",
                 q->count == 1 ? "" : "s", g->nargs + g->keywords);
    return false;
}

static bool
refuse_positional(const struct arg_parse *p, const char *how_many, int bound,
                  Py_ssize_t given)
{
    PyErr_Format(PyExc_TypeError,
                 "%.200s%s takes %s %d positional argument%s (%zd given)",
                 OURO_ARG_FUNCTION(p), how_many, bound, bound == 1 ? "" : "s", given);
    return false;
}

/* --- the parameters ---------------------------------------------------------------------------- */

static bool
read_names(struct parameters *q, char *const *names)
{
    *q = (struct parameters){.names = names, .required = INT_MAX, .by_position = INT_MAX};
    while (names[q->unnamed] != NULL && names[q->unnamed][0] == '\0') {
        q->unnamed++;
    }
    for (q->count = q->unnamed; names[q->count] != NULL; q->count++) {
        if (names[q->count][0] == '\0') {
            PyErr_SetString(PyExc_SystemError, "Empty keyword parameter name");
            return false;
        }
    }
    return true;
}

/* '$' in front of parameter `i`. */
static bool
read_dollar(struct arg_parse *p, const struct given *g, struct parameters *q, int i)
{
    if (q->by_position != INT_MAX) {
        return raise_signature_mistake("$ specified twice");
    }
    p->format++;
    q->by_position = i;
    if (i < q->unnamed) {
        PyErr_SetString(PyExc_SystemError, "Empty parameter name after $");
        return false;
    }
    if (i < g->nargs && i == 0) {
        PyErr_Format(PyExc_TypeError, "%.200s%s takes no positional arguments",
                     OURO_ARG_FUNCTION(p));
        return false;
    }
    return i >= g->nargs ||
           refuse_positional(p, q->required != INT_MAX ? "at most" : "exactly", i,
                             g->nargs);
}

/* '|' and '$' in front of parameter `i`. */
static bool
read_marks(struct arg_parse *p, const struct given *g, struct parameters *q, int i)
{
    if (*p->format == '|') {
        if (q->required != INT_MAX) {
            return raise_signature_mistake("| specified twice");
        }
        if (q->by_position != INT_MAX) {
            return raise_signature_mistake("$ before |");
        }
        p->format++;
        q->required = i;
    }
    if (*p->format == '$' && !read_dollar(p, g, q, i)) {
        return false;
    }
    if (*p->format == '\0' || *p->format == ':' || *p->format == ';') {
        PyErr_Format(PyExc_SystemError,
                     "More keyword list entries (%d) than format specifiers (%d)",
                     q->count, i);
        return false;
    }
    return true;
}

/* The argument for parameter `i`: 1, 0 when there is none, -1; a new reference, or NULL. */
static int
argument_for(struct given *g, const struct parameters *q, Py_ssize_t *left, int i,
             PyObject **value)
{
    if (i < g->nargs) {
        *value = Py_NewRef(g->args[i]);
        return 1;
    }
    *value = NULL;
    if (*left == 0 || i < q->unnamed) {
        return 0;
    }
    int found = find_given(g, q->names[i], value);
    *left -= found > 0;
    return found;
}

static bool
skip_parameter(struct arg_parse *p)
{
    const char *unit = p->format;
    if (ouro_arg_convert(p, NULL)) {
        return true;
    }
    PyErr_Format(PyExc_SystemError, "%s: '%.200s'", p->problem, unit);
    return false;
}

static bool
convert_parameter(struct arg_parse *p, int i, PyObject *value)
{
    bool converted = ouro_arg_convert(p, value) || ouro_arg_refuse(p, i + 1);
    Py_DECREF(value);
    return converted;
}

static bool
parse_with_names(struct arg_parse *p, struct given *g, struct parameters *q)
{
    Py_ssize_t left = g->keywords;
    bool short_of_unnamed = false;
    if (g->nargs + g->keywords > q->count) {
        return refuse_too_many(p, g, q);
    }
    for (int i = 0; i < q->count; i++) {
        PyObject *value = NULL;
        if (!read_marks(p, g, q, i)) {
            return false;
        }
        /* Once a parameter without a name is missing, the rest is only read to count how many
         * are required. */
        int found = short_of_unnamed ? 0 : argument_for(g, q, &left, i, &value);
        if (found != 0) {
            if (found < 0 || !convert_parameter(p, i, value)) {
                return false;
            }
            continue;
        }
        if (i < q->required && i < q->unnamed) {
            short_of_unnamed = true;
        } else if (i < q->required && !short_of_unnamed) {
            PyErr_Format(PyExc_TypeError,
                         "%.200s%s missing required argument '%s' (pos %d)",
                         OURO_ARG_FUNCTION(p), q->names[i], i + 1);
            return false;
        }
        if (left == 0 && !short_of_unnamed) {
            return true;
        }
        if (!skip_parameter(p)) {
            return false;
        }
    }
    if (short_of_unnamed) {
        int least = Py_MIN(q->unnamed, q->required);
        return refuse_positional(p, least < q->count ? "at least" : "exactly", least,
                                 g->nargs);
    }
    if (strchr("|$:;", *p->format) == NULL) {
        PyErr_Format(PyExc_SystemError,
                     "more argument specifiers than keyword list entries (remaining "
                     "format:'%s')",
                     p->format);
        return false;
    }
    return left == 0 || refuse_leftover(p, g, q);
}

static int
parse_given(struct given *g, const char *format, char *const *names, va_list targets)
{
    struct arg_parse p;
    struct parameters q;
    return read_names(&q, names) && ouro_arg_begin(&p, format, targets) &&
           ouro_arg_end(&p, parse_with_names(&p, g, &q));
}

/* --- the functions ---------------------------------------------------------------------------------- */

int
PyArg_VaParseTupleAndKeywords(PyObject *args, PyObject *kw, const char *format,
                              char *const *kwlist, va_list vargs)
{
    if (args == NULL || !PyTuple_Check(args) || (kw != NULL && !PyDict_Check(kw)) ||
        format == NULL || kwlist == NULL) {
        PyErr_BadInternalCall();
        return 0;
    }
    struct given g = {.args = &PyTuple_GET_ITEM(args, 0),
                      .nargs = PyTuple_GET_SIZE(args),
                      .dict = kw,
                      .keywords = kw == NULL ? 0 : PyDict_GET_SIZE(kw)};
    return parse_given(&g, format, kwlist, vargs);
}

int
PyArg_ParseTupleAndKeywords(PyObject *args, PyObject *kw, const char *format,
                            char *const *kwlist, ...)
{
    va_list vargs;
    va_start(vargs, kwlist);
    int result = PyArg_VaParseTupleAndKeywords(args, kw, format, kwlist, vargs);
    va_end(vargs);
    return result;
}

int
PyArg_ParseArrayAndKeywords(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                            const char *format, char *const *kwlist, ...)
{
    if ((args == NULL && nargs != 0) || nargs < 0 ||
        (kwnames != NULL && !PyTuple_Check(kwnames)) || format == NULL ||
        kwlist == NULL) {
        PyErr_BadInternalCall();
        return 0;
    }
    struct given g = {.args = args,
                      .nargs = nargs,
                      .names = kwnames,
                      .keywords = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames)};
    va_list vargs;
    va_start(vargs, kwlist);
    int result = parse_given(&g, format, kwlist, vargs);
    va_end(vargs);
    return result;
}
