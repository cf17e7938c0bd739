/* SPDX-License-Identifier: MIT */
/* Arguments of methods: numbers, and what can be given by name. */
#include "arguments.h"

bool
ouro_args_ssize(PyObject *value, Py_ssize_t *size)
{
    PyObject *number = PyNumber_Index(value);
    if (number == NULL) {
        return false;
    }
    *size = PyLong_AsSsize_t(number);
    Py_DECREF(number);
    return *size != -1 || !PyErr_Occurred();
}

static Py_ssize_t
parameter_of_name(const struct ouro_signature *s, PyObject *name)
{
    for (Py_ssize_t i = 0; i < s->count; i++) {
        if (s->names[i][0] != '\0' &&
            PyUnicode_CompareWithASCIIString(name, s->names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool
raise_argument_count(const struct ouro_signature *s, Py_ssize_t given, Py_ssize_t bound,
                     const char *limit, const char *kind)
{
    PyErr_Format(PyExc_TypeError, "%s() takes %s %zd %sargument%s (%zd given)",
                 s->function, limit, bound, kind, bound == 1 ? "" : "s", given);
    return false;
}

/* Too many arguments, or too few of those that have no name? */
static bool
argument_count_is_right(const struct ouro_signature *s, Py_ssize_t nargs,
                        Py_ssize_t named)
{
    Py_ssize_t positional = s->count - s->keyword_only, nameless = 0;
    while (nameless < s->required && s->names[nameless][0] == '\0') {
        nameless++;
    }
    if (nargs + named > s->count) {
        return raise_argument_count(s, nargs + named, s->count,
                                    s->required == s->count ? "exactly" : "at most",
                                    nargs == 0 ? "keyword " : "");
    }
    if (nargs > positional) {
        return raise_argument_count(s, nargs, positional,
                                    s->required < positional ? "at most" : "exactly",
                                    "positional ");
    }
    if (nargs < nameless) {
        return raise_argument_count(s, nargs, nameless,
                                    nameless < positional ? "at least" : "exactly",
                                    "positional ");
    }
    return true;
}

bool
ouro_args_by_name(const struct ouro_signature *s, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames, PyObject **values)
{
    Py_ssize_t named = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
    if (!argument_count_is_right(s, nargs, named)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < s->count; i++) {
        values[i] = i < nargs ? args[i] : NULL;
    }
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, i);
        Py_ssize_t at = parameter_of_name(s, name);
        if (at < 0) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%S'",
                         s->function, name);
            return false;
        }
        if (values[at] != NULL) {
            PyErr_Format(PyExc_TypeError,
                         "argument for %s() given by name ('%S') and position (%zd)",
                         s->function, name, at + 1);
            return false;
        }
        values[at] = args[nargs + i];
    }
    for (Py_ssize_t i = 0; i < s->required; i++) {
        if (values[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos %zd)",
                         s->function, s->names[i], i + 1);
            return false;
        }
    }
    return true;
}
