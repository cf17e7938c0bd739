/* SPDX-License-Identifier: MIT */
/* The methods of str that find and take apart, and the table of all methods. */
#include "str_methods.h"

#include "arguments.h"
#include "text_parts.h"
#include "method_tables.h"

/* --- finding ------------------------------------------------------------------------------------------ */

/* The arguments of find and its like: what, and where to search. */
static bool
parse_search(const char *name, PyObject *const *args, Py_ssize_t nargs, Py_ssize_t *start,
             Py_ssize_t *end)
{
    *start = 0;
    *end = PY_SSIZE_T_MAX;
    return ouro_args_between(name, nargs, 1, 3) &&
           (nargs < 2 || _PyEval_SliceIndex(args[1], start)) &&
           (nargs < 3 || _PyEval_SliceIndex(args[2], end));
}

/* The index; -1 when it is not there, -2 with an exception. */
static Py_ssize_t
search_str(const char *name, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
           int direction)
{
    Py_ssize_t start, end;
    if (nargs > 0 && !ouro_args_str(name, "argument 1", args[0])) {
        return -2;
    }
    return parse_search(name, args, nargs, &start, &end)
               ? PyUnicode_Find(self, args[0], start, end, direction)
               : -2;
}

static PyObject *
index_or_error(Py_ssize_t index)
{
    if (index == -1) {
        PyErr_SetString(PyExc_ValueError, "substring not found");
    }
    return index < 0 ? NULL : PyLong_FromSsize_t(index);
}

static PyObject *
str_find(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t index = search_str("find", self, args, nargs, 1);
    return index == -2 ? NULL : PyLong_FromSsize_t(index);
}

static PyObject *
str_rfind(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t index = search_str("rfind", self, args, nargs, -1);
    return index == -2 ? NULL : PyLong_FromSsize_t(index);
}

static PyObject *
str_index(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return index_or_error(search_str("index", self, args, nargs, 1));
}

static PyObject *
str_rindex(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return index_or_error(search_str("rindex", self, args, nargs, -1));
}

static PyObject *
str_count(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t start, end;
    if ((nargs > 0 && !ouro_args_str("count", "argument 1", args[0])) ||
        !parse_search("count", args, nargs, &start, &end)) {
        return NULL;
    }
    Py_ssize_t count = PyUnicode_Count(self, args[0], start, end);
    return count < 0 ? NULL : PyLong_FromSsize_t(count);
}

/* Does self[start:end] begin or end with one of a tuple of str? 1, 0; -1 with TypeError. */
static int
tail_is_one_of(const char *name, PyObject *self, PyObject *tuple, Py_ssize_t start,
               Py_ssize_t end, int direction)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *affix = PyTuple_GET_ITEM(tuple, i);
        if (!PyUnicode_Check(affix)) {
            PyErr_Format(PyExc_TypeError,
                         "tuple for %s must only contain str, not %.100s", name,
                         Py_TYPE(affix)->tp_name);
            return -1;
        }
        if (PyUnicode_Tailmatch(self, affix, start, end, direction) > 0) {
            return 1;
        }
    }
    return 0;
}

static PyObject *
match_tail(const char *name, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
           int direction)
{
    Py_ssize_t start, end;
    if (!parse_search(name, args, nargs, &start, &end)) {
        return NULL;
    }
    if (PyTuple_Check(args[0])) {
        int found = tail_is_one_of(name, self, args[0], start, end, direction);
        return found < 0 ? NULL : PyBool_FromLong(found);
    }
    if (!PyUnicode_Check(args[0])) {
        return PyErr_Format(PyExc_TypeError,
                            "%s first arg must be str or a tuple of str, not %.100s",
                            name, Py_TYPE(args[0])->tp_name);
    }
    return PyBool_FromLong(PyUnicode_Tailmatch(self, args[0], start, end, direction) > 0);
}

static PyObject *
str_startswith(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return match_tail("startswith", self, args, nargs, -1);
}

static PyObject *
str_endswith(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return match_tail("endswith", self, args, nargs, 1);
}

/* --- taking apart ---------------------------------------------------------------------------------------- */

/* Is the character one of `chars`, or blank when that is NULL? */
static bool
is_stripped(PyObject *chars, Py_UCS4 ch)
{
    return chars == NULL ? Py_UNICODE_ISSPACE(ch)
                         : PyUnicode_FindChar(chars, ch, 0, PY_SSIZE_T_MAX, 1) >= 0;
}

static PyObject *
strip_characters(PyObject *self, PyObject *chars, bool left, bool right)
{
    struct str_reader r = ouro_str_reader(self);
    Py_ssize_t start = 0, end = r.length;
    while (left && start < end && is_stripped(chars, ouro_str_at(&r, start))) {
        start++;
    }
    while (right && start < end && is_stripped(chars, ouro_str_at(&r, end - 1))) {
        end--;
    }
    return PyUnicode_Substring(self, start, end);
}

static PyObject *
strip_str(const char *name, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
          bool left, bool right)
{
    if (!ouro_args_between(name, nargs, 0, 1)) {
        return NULL;
    }
    PyObject *chars = nargs == 0 || args[0] == Py_None ? NULL : args[0];
    if (chars != NULL && !PyUnicode_Check(chars)) {
        return PyErr_Format(PyExc_TypeError, "%s arg must be None or str", name);
    }
    return strip_characters(self, chars, left, right);
}

static PyObject *
str_strip(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return strip_str("strip", self, args, nargs, true, true);
}

static PyObject *
str_lstrip(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return strip_str("lstrip", self, args, nargs, true, false);
}

static PyObject *
str_rstrip(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return strip_str("rstrip", self, args, nargs, false, true);
}

static PyObject *
str_removeprefix(PyObject *self, PyObject *prefix)
{
    if (!ouro_args_str("removeprefix", "argument", prefix)) {
        return NULL;
    }
    bool found = PyUnicode_Tailmatch(self, prefix, 0, PY_SSIZE_T_MAX, -1) > 0;
    return PyUnicode_Substring(self, found ? PyUnicode_GET_LENGTH(prefix) : 0,
                               PY_SSIZE_T_MAX);
}

static PyObject *
str_removesuffix(PyObject *self, PyObject *suffix)
{
    if (!ouro_args_str("removesuffix", "argument", suffix)) {
        return NULL;
    }
    bool found = PyUnicode_Tailmatch(self, suffix, 0, PY_SSIZE_T_MAX, 1) > 0;
    return PyUnicode_Substring(
        self, 0, PyUnicode_GET_LENGTH(self) - (found ? PyUnicode_GET_LENGTH(suffix) : 0));
}

/* split(sep=None, maxsplit=-1) */
static PyObject *
split_by_arguments(const char *format, PyObject *self, PyObject *const *args,
                   Py_ssize_t nargs, PyObject *kwnames,
                   PyObject *(*split)(PyObject *, PyObject *, Py_ssize_t))
{
    static char *names[] = {"sep", "maxsplit", NULL};
    PyObject *sep = Py_None;
    Py_ssize_t maxsplit = -1;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, format, names, &sep,
                                     &maxsplit)) {
        return NULL;
    }
    if (sep != Py_None && !PyUnicode_Check(sep)) {
        return PyErr_Format(PyExc_TypeError, "must be str or None, not %.100s",
                            Py_TYPE(sep)->tp_name);
    }
    return split(self, sep == Py_None ? NULL : sep, maxsplit);
}

static PyObject *
str_split(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return split_by_arguments("|On:split", self, args, nargs, kwnames, PyUnicode_Split);
}

static PyObject *
str_rsplit(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return split_by_arguments("|On:rsplit", self, args, nargs, kwnames, PyUnicode_RSplit);
}

static PyObject *
str_splitlines(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static char *names[] = {"keepends", NULL};
    int keep = 0;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, "|p:splitlines", names,
                                     &keep)) {
        return NULL;
    }
    return PyUnicode_Splitlines(self, keep);
}

/* --- others ----------------------------------------------------------------------------------------------- */

/* replace(old, new, /, count=-1) */
static PyObject *
str_replace(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static char *names[] = {"", "", "count", NULL};
    PyObject *old, *new;
    Py_ssize_t count = -1;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, "UU|n:replace", names, &old,
                                     &new, &count)) {
        return NULL;
    }
    return PyUnicode_Replace(self, old, new, count);
}

/* encode(encoding='utf-8', errors='strict') */
static PyObject *
str_encode(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static char *names[] = {"encoding", "errors", NULL};
    PyObject *encoding = NULL, *errors = NULL;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, "|OO:encode", names, &encoding,
                                     &errors) ||
        !ouro_args_str("encode", "argument 'encoding'", encoding) ||
        !ouro_args_str("encode", "argument 'errors'", errors)) {
        return NULL;
    }
    const char *encoding_name = encoding == NULL ? NULL : PyUnicode_AsUTF8(encoding);
    const char *errors_name = errors == NULL ? NULL : PyUnicode_AsUTF8(errors);
    return (encoding != NULL && encoding_name == NULL) ||
                   (errors != NULL && errors_name == NULL)
               ? NULL
               : PyUnicode_AsEncodedString(self, encoding_name, errors_name);
}

static PyObject *
str_getnewargs(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *copy = PyUnicode_FromObject(self);
    PyObject *args = copy == NULL ? NULL : PyTuple_Pack(1, copy);
    Py_XDECREF(copy);
    return args;
}

#define METH_NAMED (METH_FASTCALL | METH_KEYWORDS)

/* An exact str has its text behind the head, all others own it elsewhere. */
static PyObject *
str_sizeof(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    size_t head = PyUnicode_IS_COMPACT_ASCII(self) ? sizeof(PyASCIIObject)
                  : PyUnicode_IS_COMPACT(self)     ? sizeof(PyCompactUnicodeObject)
                                                   : (size_t)Py_TYPE(self)->tp_basicsize;
    size_t text = ((size_t)PyUnicode_GET_LENGTH(self) + 1) * (size_t)PyUnicode_KIND(self);
    return PyLong_FromSize_t(head + text);
}

PyMethodDef ouro_str_methods[] = {
    {"__format__", ouro_str_format_spec, METH_O, "The text laid out by a format."},
    {"__getnewargs__", str_getnewargs, METH_NOARGS, NULL},
    {"__sizeof__", str_sizeof, METH_NOARGS, "The size in bytes."},
    {"capitalize", ouro_str_capitalize, METH_NOARGS,
     "The first character in title case, the others in lower case."},
    {"casefold", ouro_str_casefold, METH_NOARGS, "For comparing without case."},
    {"center", _PyCFunction_CAST(ouro_str_center), METH_FASTCALL,
     "center(width, fill=' '): in the middle of that many characters."},
    {"count", _PyCFunction_CAST(str_count), METH_FASTCALL,
     "count(sub[, start[, end]]): how often, without overlap."},
    {"encode", _PyCFunction_CAST(str_encode), METH_NAMED,
     "encode(encoding='utf-8', errors='strict'): as bytes."},
    {"endswith", _PyCFunction_CAST(str_endswith), METH_FASTCALL,
     "endswith(suffix[, start[, end]]); the suffix may be a tuple of several."},
    {"expandtabs", _PyCFunction_CAST(ouro_str_expandtabs), METH_NAMED,
     "expandtabs(tabsize=8): blanks instead of tabs."},
    {"find", _PyCFunction_CAST(str_find), METH_FASTCALL,
     "find(sub[, start[, end]]): the lowest index, or -1."},
    {"format", _PyCFunction_CAST(ouro_str_format), METH_NAMED,
     "The text with {...} replaced by the arguments."},
    {"format_map", ouro_str_format_map, METH_O,
     "The text with {...} replaced by the values of a mapping."},
    {"index", _PyCFunction_CAST(str_index), METH_FASTCALL,
     "index(sub[, start[, end]]): the lowest index, or ValueError."},
    {"isalnum", ouro_str_isalnum, METH_NOARGS, "Letters and numbers only?"},
    {"isalpha", ouro_str_isalpha, METH_NOARGS, "Letters only?"},
    {"isascii", ouro_str_isascii, METH_NOARGS, "ASCII only?"},
    {"isdecimal", ouro_str_isdecimal, METH_NOARGS, "Decimal digits only?"},
    {"isdigit", ouro_str_isdigit, METH_NOARGS, "Digits only?"},
    {"isidentifier", ouro_str_isidentifier, METH_NOARGS, "Could it be a name?"},
    {"islower", ouro_str_islower, METH_NOARGS, "In lower case?"},
    {"isnumeric", ouro_str_isnumeric, METH_NOARGS, "Numbers only?"},
    {"isprintable", ouro_str_isprintable, METH_NOARGS, "Shown by repr as it is?"},
    {"isspace", ouro_str_isspace, METH_NOARGS, "Blanks only?"},
    {"istitle", ouro_str_istitle, METH_NOARGS, "In title case?"},
    {"isupper", ouro_str_isupper, METH_NOARGS, "In upper case?"},
    {"join", PyUnicode_Join, METH_O, "Strings with this one between them."},
    {"ljust", _PyCFunction_CAST(ouro_str_ljust), METH_FASTCALL,
     "ljust(width, fill=' '): at the left of that many characters."},
    {"lower", ouro_str_lower, METH_NOARGS, "In lower case."},
    {"lstrip", _PyCFunction_CAST(str_lstrip), METH_FASTCALL,
     "lstrip(chars=None): without blanks, or these characters, at the start."},
    {"maketrans", _PyCFunction_CAST(ouro_str_maketrans), METH_FASTCALL | METH_STATIC,
     "A table for translate."},
    {"partition", PyUnicode_Partition, METH_O,
     "The text before a separator, the separator, and the text behind it."},
    {"removeprefix", str_removeprefix, METH_O, "Without a text at the start."},
    {"removesuffix", str_removesuffix, METH_O, "Without a text at the end."},
    {"replace", _PyCFunction_CAST(str_replace), METH_NAMED,
     "replace(old, new, /, count=-1)"},
    {"rfind", _PyCFunction_CAST(str_rfind), METH_FASTCALL,
     "rfind(sub[, start[, end]]): the highest index, or -1."},
    {"rindex", _PyCFunction_CAST(str_rindex), METH_FASTCALL,
     "rindex(sub[, start[, end]]): the highest index, or ValueError."},
    {"rjust", _PyCFunction_CAST(ouro_str_rjust), METH_FASTCALL,
     "rjust(width, fill=' '): at the right of that many characters."},
    {"rpartition", PyUnicode_RPartition, METH_O, "partition at the last separator."},
    {"rsplit", _PyCFunction_CAST(str_rsplit), METH_NAMED,
     "rsplit(sep=None, maxsplit=-1): split, counting from the right."},
    {"rstrip", _PyCFunction_CAST(str_rstrip), METH_FASTCALL,
     "rstrip(chars=None): without blanks, or these characters, at the end."},
    {"split", _PyCFunction_CAST(str_split), METH_NAMED,
     "split(sep=None, maxsplit=-1): the parts between separators."},
    {"splitlines", _PyCFunction_CAST(str_splitlines), METH_NAMED,
     "splitlines(keepends=False): the lines."},
    {"startswith", _PyCFunction_CAST(str_startswith), METH_FASTCALL,
     "startswith(prefix[, start[, end]]); the prefix may be a tuple of several."},
    {"strip", _PyCFunction_CAST(str_strip), METH_FASTCALL,
     "strip(chars=None): without blanks, or these characters, at both ends."},
    {"swapcase", ouro_str_swapcase, METH_NOARGS, "Upper and lower case exchanged."},
    {"title", ouro_str_title, METH_NOARGS, "Each word in title case."},
    {"translate", ouro_str_translate, METH_O, "Characters replaced by a table."},
    {"upper", ouro_str_upper, METH_NOARGS, "In upper case."},
    {"zfill", ouro_str_zfill, METH_O, "Filled with zeros behind the sign."},
    {NULL, NULL, 0, NULL},
};
