/* SPDX-License-Identifier: MIT */
/* The methods of bytes that find and take apart, and the table of all methods. */
#include "arguments.h"
#include "bytes_argument.h"
#include "method_tables.h"

static struct text_range
range_of_bytes(PyObject *self)
{
    const char *text = PyBytes_AS_STRING(self);
    return (struct text_range){text, text + PyBytes_GET_SIZE(self)};
}

/* self[start:end] of the optional arguments; start is NULL when it lies behind the end. */
static bool
range_of_search(const char *name, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                struct text_range *in)
{
    Py_ssize_t start = 0, end = PY_SSIZE_T_MAX, size = PyBytes_GET_SIZE(self);
    if (!ouro_args_between(name, nargs, 1, 3) ||
        (nargs > 1 && !_PyEval_SliceIndex(args[1], &start)) ||
        (nargs > 2 && !_PyEval_SliceIndex(args[2], &end))) {
        return false;
    }
    end = end > size ? size : end < 0 ? Py_MAX(end + size, 0) : end;
    start = start < 0 ? Py_MAX(start + size, 0) : start;
    const char *text = PyBytes_AS_STRING(self);
    *in = start > end ? (struct text_range){NULL, NULL}
                      : (struct text_range){text + start, text + end};
    return true;
}

/* --- finding ---------------------------------------------------------------------------------------------- */

/* The index; -1 when it is not there, -2 with an exception. */
static Py_ssize_t
search_bytes(const char *name, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
             bool last)
{
    struct text_range in;
    struct bytes_argument what;
    if (!range_of_search(name, self, args, nargs, &in) ||
        !ouro_bytes_take_or_number(&what, args[0])) {
        return -2;
    }
    const char *at = in.start == NULL ? NULL
                     : last           ? ouro_text_find_last(in, what.text)
                                      : ouro_text_find(in, what.text);
    ouro_bytes_release(&what);
    return at == NULL ? -1 : at - PyBytes_AS_STRING(self);
}

static PyObject *
byte_index_or_error(Py_ssize_t index)
{
    if (index == -1) {
        PyErr_SetString(PyExc_ValueError, "subsection not found");
    }
    return index < 0 ? NULL : PyLong_FromSsize_t(index);
}

static PyObject *
bytes_find(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t index = search_bytes("find", self, args, nargs, false);
    return index == -2 ? NULL : PyLong_FromSsize_t(index);
}

static PyObject *
bytes_rfind(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t index = search_bytes("rfind", self, args, nargs, true);
    return index == -2 ? NULL : PyLong_FromSsize_t(index);
}

static PyObject *
bytes_index(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return byte_index_or_error(search_bytes("index", self, args, nargs, false));
}

static PyObject *
bytes_rindex(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return byte_index_or_error(search_bytes("rindex", self, args, nargs, true));
}

static PyObject *
bytes_count(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    struct text_range in;
    struct bytes_argument what;
    if (!range_of_search("count", self, args, nargs, &in) ||
        !ouro_bytes_take_or_number(&what, args[0])) {
        return NULL;
    }
    Py_ssize_t count = in.start == NULL ? 0
                       : what.text.start == what.text.end
                           ? ouro_text_size(in) + 1
                           : ouro_text_count(in, what.text);
    ouro_bytes_release(&what);
    return PyLong_FromSsize_t(count);
}

/* One prefix or suffix, or a tuple of them. 1, 0; -1 with TypeError. */
static int
bytes_tail_is(const char *name, struct text_range in, PyObject *affix, int direction)
{
    struct bytes_argument what;
    if (PyTuple_Check(affix)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(affix); i++) {
            if (!ouro_bytes_take(&what, PyTuple_GET_ITEM(affix, i))) {
                return -1;
            }
            bool found = in.start != NULL && ouro_text_has_tail(in, what.text, direction);
            ouro_bytes_release(&what);
            if (found) {
                return 1;
            }
        }
        return 0;
    }
    if (!PyObject_CheckBuffer(affix)) {
        PyErr_Format(PyExc_TypeError,
                     "%s first arg must be bytes or a tuple of bytes, not %.100s", name,
                     Py_TYPE(affix)->tp_name);
        return -1;
    }
    if (!ouro_bytes_take(&what, affix)) {
        return -1;
    }
    int found = in.start != NULL && ouro_text_has_tail(in, what.text, direction);
    ouro_bytes_release(&what);
    return found;
}

static PyObject *
bytes_startswith(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    struct text_range in;
    int found = range_of_search("startswith", self, args, nargs, &in)
                    ? bytes_tail_is("startswith", in, args[0], -1)
                    : -1;
    return found < 0 ? NULL : PyBool_FromLong(found);
}

static PyObject *
bytes_endswith(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    struct text_range in;
    int found = range_of_search("endswith", self, args, nargs, &in)
                    ? bytes_tail_is("endswith", in, args[0], 1)
                    : -1;
    return found < 0 ? NULL : PyBool_FromLong(found);
}

/* --- taking apart ------------------------------------------------------------------------------------------ */

/* A part of `self`: itself when it is all of it. */
static PyObject *
part_of_bytes(PyObject *self, struct text_range in)
{
    return ouro_text_size(in) == PyBytes_GET_SIZE(self) && PyBytes_CheckExact(self)
               ? Py_NewRef(self)
               : PyBytes_FromStringAndSize(in.start, ouro_text_size(in));
}

static bool
is_one_of(struct text_range set, char c)
{
    return memchr(set.start, c, (size_t)ouro_text_size(set)) != NULL;
}

static PyObject *
strip_bytes(const char *name, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
            bool left, bool right)
{
    struct text_range in = range_of_bytes(self);
    struct bytes_argument set;
    if (!ouro_args_between(name, nargs, 0, 1)) {
        return NULL;
    }
    if (nargs == 0 || args[0] == Py_None) {
        return part_of_bytes(self, ouro_text_strip(&ouro_bytes_kind, in, left, right));
    }
    if (!ouro_bytes_take(&set, args[0])) {
        return NULL;
    }
    while (left && in.start < in.end && is_one_of(set.text, *in.start)) {
        in.start++;
    }
    while (right && in.start < in.end && is_one_of(set.text, in.end[-1])) {
        in.end--;
    }
    ouro_bytes_release(&set);
    return part_of_bytes(self, in);
}

static PyObject *
bytes_strip(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return strip_bytes("strip", self, args, nargs, true, true);
}

static PyObject *
bytes_lstrip(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return strip_bytes("lstrip", self, args, nargs, true, false);
}

static PyObject *
bytes_rstrip(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return strip_bytes("rstrip", self, args, nargs, false, true);
}

static PyObject *
without_affix(PyObject *self, PyObject *affix, int direction)
{
    struct text_range in = range_of_bytes(self);
    struct bytes_argument what;
    if (!ouro_bytes_take(&what, affix)) {
        return NULL;
    }
    if (ouro_text_has_tail(in, what.text, direction)) {
        Py_ssize_t size = ouro_text_size(what.text);
        in.start += direction < 0 ? size : 0;
        in.end -= direction > 0 ? size : 0;
    }
    ouro_bytes_release(&what);
    return part_of_bytes(self, in);
}

static PyObject *
bytes_removeprefix(PyObject *self, PyObject *prefix)
{
    return without_affix(self, prefix, -1);
}

static PyObject *
bytes_removesuffix(PyObject *self, PyObject *suffix)
{
    return without_affix(self, suffix, 1);
}

/* split(sep=None, maxsplit=-1) */
static PyObject *
split_bytes(const char *format, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
            PyObject *kwnames, bool from_right)
{
    static char *names[] = {"sep", "maxsplit", NULL};
    PyObject *separator = Py_None;
    Py_ssize_t maxsplit = -1;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, format, names, &separator,
                                     &maxsplit)) {
        return NULL;
    }
    struct text_range in = range_of_bytes(self);
    if (separator == Py_None) {
        return ouro_text_split(&ouro_bytes_kind, in, NULL, maxsplit, from_right);
    }
    struct bytes_argument sep;
    if (!ouro_bytes_take(&sep, separator)) {
        return NULL;
    }
    PyObject *list =
        ouro_text_split(&ouro_bytes_kind, in, &sep.text, maxsplit, from_right);
    ouro_bytes_release(&sep);
    return list;
}

static PyObject *
bytes_split(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return split_bytes("|On:split", self, args, nargs, kwnames, false);
}

static PyObject *
bytes_rsplit(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return split_bytes("|On:rsplit", self, args, nargs, kwnames, true);
}

static PyObject *
bytes_splitlines(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    static char *names[] = {"keepends", NULL};
    int keep = 0;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, "|p:splitlines", names,
                                     &keep)) {
        return NULL;
    }
    return ouro_text_splitlines(&ouro_bytes_kind, range_of_bytes(self), keep);
}

static PyObject *
partition_bytes(PyObject *self, PyObject *separator, bool from_right)
{
    struct bytes_argument sep;
    if (!ouro_bytes_take(&sep, separator)) {
        return NULL;
    }
    PyObject *result = ouro_text_partition(&ouro_bytes_kind, range_of_bytes(self),
                                           separator, sep.text, from_right);
    ouro_bytes_release(&sep);
    return result;
}

static PyObject *
bytes_partition(PyObject *self, PyObject *separator)
{
    return partition_bytes(self, separator, false);
}

static PyObject *
bytes_rpartition(PyObject *self, PyObject *separator)
{
    return partition_bytes(self, separator, true);
}

/* --- putting together --------------------------------------------------------------------------------------- */

/* Write `in` with at most `count` replacements. An empty `what` matches before each byte and at
 * the end. */
static int
write_replaced(PyBytesWriter *writer, struct text_range in, struct text_range what,
               struct text_range by, Py_ssize_t count)
{
    bool everywhere = what.start == what.end;
    while (count-- != 0) {
        const char *at = everywhere ? in.start : ouro_text_find(in, what);
        if (at == NULL) {
            break;
        }
        if (PyBytesWriter_WriteBytes(writer, in.start, at - in.start) < 0 ||
            PyBytesWriter_WriteBytes(writer, by.start, ouro_text_size(by)) < 0) {
            return -1;
        }
        in.start = at + ouro_text_size(what);
        if (everywhere) {
            if (in.start == in.end) {
                return 0;
            }
            if (PyBytesWriter_WriteBytes(writer, in.start++, 1) < 0) {
                return -1;
            }
        }
    }
    return PyBytesWriter_WriteBytes(writer, in.start, ouro_text_size(in));
}

/* replace(old, new[, count]) */
static PyObject *
bytes_replace(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    struct bytes_argument what, by;
    Py_ssize_t count = -1;
    if (!ouro_args_between("replace", nargs, 2, 3) || !ouro_bytes_take(&what, args[0])) {
        return NULL;
    }
    if (!ouro_bytes_take(&by, args[1])) {
        ouro_bytes_release(&what);
        return NULL;
    }
    PyBytesWriter *writer = NULL;
    if (nargs < 3 || ouro_args_ssize(args[2], &count)) {
        writer = PyBytesWriter_Create(0);
    }
    if (writer != NULL &&
        write_replaced(writer, range_of_bytes(self), what.text, by.text, count) < 0) {
        PyBytesWriter_Discard(writer);
        writer = NULL;
    }
    ouro_bytes_release(&what);
    ouro_bytes_release(&by);
    return writer == NULL ? NULL : PyBytesWriter_Finish(writer);
}

/* The same with fill bytes on either side. */
static PyObject *
pad_bytes(PyObject *self, Py_ssize_t left, Py_ssize_t right, char fill)
{
    Py_ssize_t size = PyBytes_GET_SIZE(self);
    if (left <= 0 && right <= 0) {
        return part_of_bytes(self, range_of_bytes(self));
    }
    if (left > PY_SSIZE_T_MAX / 4 || right > PY_SSIZE_T_MAX / 4) {
        return PyErr_NoMemory();
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, left + size + right);
    if (result != NULL) {
        char *to = PyBytes_AS_STRING(result);
        memset(to, fill, (size_t)left);
        memcpy(to + left, PyBytes_AS_STRING(self), (size_t)size);
        memset(to + left + size, fill, (size_t)right);
    }
    return result;
}

/* The arguments width and fill. False with an exception. */
static bool
parse_bytes_padding(const char *name, PyObject *const *args, Py_ssize_t nargs,
                    Py_ssize_t *width, char *fill)
{
    *fill = ' ';
    if (!ouro_args_between(name, nargs, 1, 2) || !ouro_args_ssize(args[0], width)) {
        return false;
    }
    if (nargs < 2) {
        return true;
    }
    if (!PyBytes_Check(args[1]) || PyBytes_GET_SIZE(args[1]) != 1) {
        ouro_args_wrong_type(name, "argument 2", "a byte string of length 1", args[1]);
        return false;
    }
    *fill = PyBytes_AS_STRING(args[1])[0];
    return true;
}

static PyObject *
bytes_ljust(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t width;
    char fill;
    return parse_bytes_padding("ljust", args, nargs, &width, &fill)
               ? pad_bytes(self, 0, Py_MAX(width - PyBytes_GET_SIZE(self), 0), fill)
               : NULL;
}

static PyObject *
bytes_rjust(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t width;
    char fill;
    return parse_bytes_padding("rjust", args, nargs, &width, &fill)
               ? pad_bytes(self, Py_MAX(width - PyBytes_GET_SIZE(self), 0), 0, fill)
               : NULL;
}

static PyObject *
bytes_center(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_ssize_t width;
    char fill;
    if (!parse_bytes_padding("center", args, nargs, &width, &fill)) {
        return NULL;
    }
    Py_ssize_t margin = Py_MAX(width - PyBytes_GET_SIZE(self), 0);
    Py_ssize_t left = margin / 2 + (margin & width & 1);
    return pad_bytes(self, left, margin - left, fill);
}

static PyObject *
bytes_zfill(PyObject *self, PyObject *arg)
{
    Py_ssize_t width;
    if (!ouro_args_ssize(arg, &width)) {
        return NULL;
    }
    Py_ssize_t zeros = Py_MAX(width - PyBytes_GET_SIZE(self), 0);
    PyObject *result = pad_bytes(self, zeros, 0, '0');
    if (result != NULL && zeros > 0) {
        char *text = PyBytes_AS_STRING(result);
        if (text[zeros] == '+' || text[zeros] == '-') {
            text[0] = text[zeros];
            text[zeros] = '0';
        }
    }
    return result;
}

/* decode(encoding='utf-8', errors='strict') */
static PyObject *
bytes_decode(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static char *names[] = {"encoding", "errors", NULL};
    PyObject *encoding = NULL, *errors = NULL;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, "|OO:decode", names, &encoding,
                                     &errors) ||
        !ouro_args_str("decode", "argument 'encoding'", encoding) ||
        !ouro_args_str("decode", "argument 'errors'", errors)) {
        return NULL;
    }
    return PyUnicode_Decode(PyBytes_AS_STRING(self), PyBytes_GET_SIZE(self),
                            encoding == NULL ? NULL : PyUnicode_AsUTF8(encoding),
                            errors == NULL ? NULL : PyUnicode_AsUTF8(errors));
}

static PyObject *
bytes_getnewargs(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *copy = part_of_bytes(self, range_of_bytes(self));
    PyObject *args = copy == NULL ? NULL : PyTuple_Pack(1, copy);
    Py_XDECREF(copy);
    return args;
}

#define BYTES_NAMED (METH_FASTCALL | METH_KEYWORDS)

PyMethodDef ouro_bytes_methods[] = {
    {"__getnewargs__", bytes_getnewargs, METH_NOARGS, NULL},
    {"capitalize", ouro_bytes_capitalize, METH_NOARGS,
     "The first byte in upper case, the others in lower case."},
    {"center", _PyCFunction_CAST(bytes_center), METH_FASTCALL,
     "center(width, fill=b' '): in the middle of that many bytes."},
    {"count", _PyCFunction_CAST(bytes_count), METH_FASTCALL,
     "count(sub[, start[, end]]): how often, without overlap."},
    {"decode", _PyCFunction_CAST(bytes_decode), BYTES_NAMED,
     "decode(encoding='utf-8', errors='strict'): as str."},
    {"endswith", _PyCFunction_CAST(bytes_endswith), METH_FASTCALL,
     "endswith(suffix[, start[, end]]); the suffix may be a tuple of several."},
    {"find", _PyCFunction_CAST(bytes_find), METH_FASTCALL,
     "find(sub[, start[, end]]): the lowest index, or -1."},
    {"fromhex", ouro_bytes_fromhex, METH_O | METH_CLASS, "Bytes from pairs of digits."},
    {"hex", _PyCFunction_CAST(ouro_bytes_hex), BYTES_NAMED,
     "hex([sep[, bytes_per_sep]]): as hexadecimal digits."},
    {"index", _PyCFunction_CAST(bytes_index), METH_FASTCALL,
     "index(sub[, start[, end]]): the lowest index, or ValueError."},
    {"isalnum", ouro_bytes_isalnum, METH_NOARGS, "ASCII letters and digits only?"},
    {"isalpha", ouro_bytes_isalpha, METH_NOARGS, "ASCII letters only?"},
    {"isascii", ouro_bytes_isascii, METH_NOARGS, "ASCII only?"},
    {"isdigit", ouro_bytes_isdigit, METH_NOARGS, "ASCII digits only?"},
    {"islower", ouro_bytes_islower, METH_NOARGS, "In lower case?"},
    {"isspace", ouro_bytes_isspace, METH_NOARGS, "ASCII blanks only?"},
    {"istitle", ouro_bytes_istitle, METH_NOARGS, "In title case?"},
    {"isupper", ouro_bytes_isupper, METH_NOARGS, "In upper case?"},
    {"join", PyBytes_Join, METH_O, "Bytes with these ones between them."},
    {"ljust", _PyCFunction_CAST(bytes_ljust), METH_FASTCALL,
     "ljust(width, fill=b' '): at the left of that many bytes."},
    {"lower", ouro_bytes_lower, METH_NOARGS, "ASCII letters in lower case."},
    {"lstrip", _PyCFunction_CAST(bytes_lstrip), METH_FASTCALL,
     "lstrip(bytes=None): without blanks, or these bytes, at the start."},
    {"partition", bytes_partition, METH_O,
     "The bytes before a separator, the separator, and the bytes behind it."},
    {"removeprefix", bytes_removeprefix, METH_O, "Without some bytes at the start."},
    {"removesuffix", bytes_removesuffix, METH_O, "Without some bytes at the end."},
    {"replace", _PyCFunction_CAST(bytes_replace), METH_FASTCALL,
     "replace(old, new[, count])"},
    {"rfind", _PyCFunction_CAST(bytes_rfind), METH_FASTCALL,
     "rfind(sub[, start[, end]]): the highest index, or -1."},
    {"rindex", _PyCFunction_CAST(bytes_rindex), METH_FASTCALL,
     "rindex(sub[, start[, end]]): the highest index, or ValueError."},
    {"rjust", _PyCFunction_CAST(bytes_rjust), METH_FASTCALL,
     "rjust(width, fill=b' '): at the right of that many bytes."},
    {"rpartition", bytes_rpartition, METH_O, "partition at the last separator."},
    {"rsplit", _PyCFunction_CAST(bytes_rsplit), BYTES_NAMED,
     "rsplit(sep=None, maxsplit=-1): split, counting from the right."},
    {"rstrip", _PyCFunction_CAST(bytes_rstrip), METH_FASTCALL,
     "rstrip(bytes=None): without blanks, or these bytes, at the end."},
    {"split", _PyCFunction_CAST(bytes_split), BYTES_NAMED,
     "split(sep=None, maxsplit=-1): the parts between separators."},
    {"splitlines", _PyCFunction_CAST(bytes_splitlines), BYTES_NAMED,
     "splitlines(keepends=False): the lines."},
    {"startswith", _PyCFunction_CAST(bytes_startswith), METH_FASTCALL,
     "startswith(prefix[, start[, end]]); the prefix may be a tuple of several."},
    {"strip", _PyCFunction_CAST(bytes_strip), METH_FASTCALL,
     "strip(bytes=None): without blanks, or these bytes, at both ends."},
    {"swapcase", ouro_bytes_swapcase, METH_NOARGS, "Upper and lower case exchanged."},
    {"title", ouro_bytes_title, METH_NOARGS, "Each word in title case."},
    {"upper", ouro_bytes_upper, METH_NOARGS, "ASCII letters in upper case."},
    {"zfill", bytes_zfill, METH_O, "Filled with zeros behind the sign."},
    {NULL, NULL, 0, NULL},
};
