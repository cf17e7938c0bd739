/* SPDX-License-Identifier: MIT */
/* Finding, cutting and joining text.
 *
 * Indices are found in the arrays of code points. Taking apart and replacing work on UTF-8,
 * as bytes do: a match of UTF-8 is always at a character. */
#include "str_object.h"

#include "text_parts.h"

/* --- finding ---------------------------------------------------------------------------------------- */

/* Part of a str. */
struct str_range {
    struct str_reader in;
    Py_ssize_t start, end; /* start > end: nothing, not even an empty match */
};

/* str[start:end] with the indices of a slice. */
static struct str_range
slice_range(PyObject *str, Py_ssize_t start, Py_ssize_t end)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(str);
    end = end > length ? length : end < 0 ? end + length : end;
    start = start < 0 ? start + length : start;
    return (struct str_range){ouro_str_reader(str), Py_MAX(start, 0), Py_MAX(end, 0)};
}

static bool
is_at(const struct str_range *range, const struct str_reader *what, Py_ssize_t at)
{
    if (range->in.kind == what->kind) {
        return memcmp((const char *)range->in.data + at * what->kind, what->data,
                      (size_t)(what->length * what->kind)) == 0;
    }
    for (Py_ssize_t i = 0; i < what->length; i++) {
        if (ouro_str_at(&range->in, at + i) != ouro_str_at(what, i)) {
            return false;
        }
    }
    return true;
}

/* The first place in one-byte text; -1 when there is none. */
static Py_ssize_t
find_bytes(const struct str_range *range, const struct str_reader *what)
{
    const char *text = range->in.data;
    const char *at = memmem(text + range->start, (size_t)(range->end - range->start),
                            what->data, (size_t)what->length);
    return at == NULL ? -1 : at - text;
}

/* The first or last index; -1 when it is not there. */
static Py_ssize_t
find_in_range(const struct str_range *range, const struct str_reader *what, int direction)
{
    Py_ssize_t last = range->end - what->length;
    if (range->start > last || what->kind > range->in.kind) {
        return -1;
    }
    if (direction > 0 && range->in.kind == 1) {
        return find_bytes(range, what);
    }
    if (what->length == 0) {
        return direction > 0 ? range->start : last;
    }
    Py_ssize_t step = direction > 0 ? 1 : -1;
    Py_UCS4 first = ouro_str_at(what, 0);
    for (Py_ssize_t at = direction > 0 ? range->start : last;
         at >= range->start && at <= last; at += step) {
        if (ouro_str_at(&range->in, at) == first && is_at(range, what, at)) {
            return at;
        }
    }
    return -1;
}

Py_ssize_t
PyUnicode_Find(PyObject *str, PyObject *substr, Py_ssize_t start, Py_ssize_t end,
               int direction)
{
    if (!ouro_str_require(str) || !ouro_str_require(substr)) {
        return -2;
    }
    struct str_range range = slice_range(str, start, end);
    struct str_reader what = ouro_str_reader(substr);
    return find_in_range(&range, &what, direction);
}

Py_ssize_t
PyUnicode_FindChar(PyObject *str, Py_UCS4 ch, Py_ssize_t start, Py_ssize_t end,
                   int direction)
{
    if (!ouro_str_require(str)) {
        return -2;
    }
    struct str_range range = slice_range(str, start, end);
    Py_UCS1 narrow = (Py_UCS1)ch;
    struct str_reader what = {&narrow, 1, 1};
    if (ch > PyUnicode_MAX_CHAR_VALUE(str)) {
        return -1;
    }
    if (range.in.kind == 1) {
        return find_in_range(&range, &what, direction);
    }
    Py_ssize_t step = direction > 0 ? 1 : -1;
    for (Py_ssize_t at = direction > 0 ? range.start : range.end - 1;
         at >= range.start && at < range.end; at += step) {
        if (ouro_str_at(&range.in, at) == ch) {
            return at;
        }
    }
    return -1;
}

Py_ssize_t
PyUnicode_Count(PyObject *str, PyObject *substr, Py_ssize_t start, Py_ssize_t end)
{
    if (!ouro_str_require(str) || !ouro_str_require(substr)) {
        return -1;
    }
    struct str_range range = slice_range(str, start, end);
    struct str_reader what = ouro_str_reader(substr);
    if (range.start > range.end) {
        return 0;
    }
    if (what.length == 0) {
        return range.end - range.start + 1;
    }
    Py_ssize_t count = 0;
    for (Py_ssize_t at; (at = find_in_range(&range, &what, 1)) >= 0; count++) {
        range.start = at + what.length;
    }
    return count;
}

Py_ssize_t
PyUnicode_Tailmatch(PyObject *str, PyObject *substr, Py_ssize_t start, Py_ssize_t end,
                    int direction)
{
    if (!ouro_str_require(str) || !ouro_str_require(substr)) {
        return -1;
    }
    struct str_range range = slice_range(str, start, end);
    struct str_reader what = ouro_str_reader(substr);
    Py_ssize_t last = range.end - what.length;
    return range.start <= last && what.kind <= range.in.kind &&
           is_at(&range, &what, direction > 0 ? last : range.start);
}

int
PyUnicode_Contains(PyObject *str, PyObject *substr)
{
    if (!PyUnicode_Check(substr)) {
        PyErr_Format(PyExc_TypeError,
                     "'in <string>' requires string as left operand, not %.100s",
                     Py_TYPE(substr)->tp_name);
        return -1;
    }
    Py_ssize_t at = PyUnicode_Find(str, substr, 0, PY_SSIZE_T_MAX, 1);
    return at == -2 ? -1 : at >= 0;
}

/* --- cutting --------------------------------------------------------------------------------------- */

Py_UCS4
PyUnicode_ReadChar(PyObject *unicode, Py_ssize_t index)
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        return (Py_UCS4)-1;
    }
    if (index < 0 || index >= PyUnicode_GET_LENGTH(unicode)) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return (Py_UCS4)-1;
    }
    return PyUnicode_READ_CHAR(unicode, index);
}

PyObject *
PyUnicode_Substring(PyObject *str, Py_ssize_t start, Py_ssize_t end)
{
    if (!ouro_str_require(str)) {
        return NULL;
    }
    if (start < 0 || end < 0) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return NULL;
    }
    struct str_reader r = ouro_str_reader(str);
    end = Py_MIN(end, r.length);
    if (start == 0 && end == r.length) {
        return PyUnicode_FromObject(str);
    }
    return ouro_str_narrowest(r.kind, (const char *)r.data + start * r.kind,
                              Py_MAX(end - start, 0));
}

/* --- taking apart ------------------------------------------------------------------------------------ */

static Py_ssize_t
str_blank_at(const char *p, const char *Py_UNUSED(end))
{
    const char *next = p;
    return ouro_utf8_is_start(*p) && Py_UNICODE_ISSPACE(ouro_utf8_next(&next)) ? next - p
                                                                               : 0;
}

static Py_ssize_t
str_blank_before(const char *p, const char *Py_UNUSED(start))
{
    const char *at = p - 1;
    while (!ouro_utf8_is_start(*at)) {
        at--;
    }
    const char *next = at;
    return Py_UNICODE_ISSPACE(ouro_utf8_next(&next)) && next == p ? p - at : 0;
}

static Py_ssize_t
str_line_end_at(const char *p, const char *end)
{
    const char *next = p;
    if (*p == '\r' && p + 1 < end && p[1] == '\n') {
        return 2;
    }
    return ouro_utf8_is_start(*p) && Py_UNICODE_ISLINEBREAK(ouro_utf8_next(&next))
               ? next - p
               : 0;
}

const struct text_kind ouro_str_kind = {ouro_str_copy, str_blank_at, str_blank_before,
                                        str_line_end_at};

static PyObject *
split_str(PyObject *s, PyObject *sep, Py_ssize_t maxsplit, bool from_right)
{
    if (!ouro_str_require(s) || (sep != NULL && !ouro_str_require(sep))) {
        return NULL;
    }
    struct text_range in = ouro_str_utf8(s), by = ouro_str_utf8(sep == NULL ? s : sep);
    return in.start == NULL || by.start == NULL
               ? NULL
               : ouro_text_split(&ouro_str_kind, in, sep == NULL ? NULL : &by, maxsplit,
                                 from_right);
}

PyObject *
PyUnicode_Split(PyObject *s, PyObject *sep, Py_ssize_t maxsplit)
{
    return split_str(s, sep, maxsplit, false);
}

PyObject *
PyUnicode_RSplit(PyObject *s, PyObject *sep, Py_ssize_t maxsplit)
{
    return split_str(s, sep, maxsplit, true);
}

PyObject *
PyUnicode_Splitlines(PyObject *s, int keepends)
{
    struct text_range in = {NULL, NULL};
    if (ouro_str_require(s)) {
        in = ouro_str_utf8(s);
    }
    return in.start == NULL ? NULL
                            : ouro_text_splitlines(&ouro_str_kind, in, keepends != 0);
}

static PyObject *
partition_str(PyObject *s, PyObject *sep, bool from_right)
{
    if (!ouro_str_require(s) || !ouro_str_require(sep)) {
        return NULL;
    }
    struct text_range in = ouro_str_utf8(s), by = ouro_str_utf8(sep);
    return in.start == NULL || by.start == NULL
               ? NULL
               : ouro_text_partition(&ouro_str_kind, in, sep, by, from_right);
}

PyObject *
PyUnicode_Partition(PyObject *s, PyObject *sep)
{
    return partition_str(s, sep, false);
}

PyObject *
PyUnicode_RPartition(PyObject *s, PyObject *sep)
{
    return partition_str(s, sep, true);
}

/* --- putting together -------------------------------------------------------------------------------- */

PyObject *
PyUnicode_Join(PyObject *separator, PyObject *seq)
{
    if (separator != NULL && !ouro_str_require(separator)) {
        return NULL;
    }
    /* A tuple of our own: nothing can change it while we write. */
    PyObject *parts = PySequence_Tuple(seq);
    if (parts == NULL && Py_TYPE(seq)->tp_iter == NULL && !PySequence_Check(seq)) {
        PyErr_SetString(PyExc_TypeError, "can only join an iterable");
    }
    PyUnicodeWriter *writer = parts == NULL ? NULL : PyUnicodeWriter_Create(0);
    if (writer == NULL) {
        goto undo_parts;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts); i++) {
        PyObject *part = PyTuple_GET_ITEM(parts, i);
        if (!PyUnicode_Check(part)) {
            PyErr_Format(PyExc_TypeError,
                         "sequence item %zd: expected str instance, %.80s found", i,
                         Py_TYPE(part)->tp_name);
            goto undo_writer;
        }
        if (i > 0 && (separator == NULL ? PyUnicodeWriter_WriteChar(writer, ' ')
                                        : ouro_writer_put_str(writer, separator)) < 0) {
            goto undo_writer;
        }
        if (ouro_writer_put_str(writer, part) < 0) {
            goto undo_writer;
        }
    }
    Py_DECREF(parts);
    return PyUnicodeWriter_Finish(writer);

undo_writer:
    PyUnicodeWriter_Discard(writer);
undo_parts:
    Py_XDECREF(parts);
    return NULL;
}

/* Replacing nothing: `by` goes in front of each character and to the end. */
static int
insert_everywhere(PyUnicodeWriter *writer, struct text_range in, PyObject *by,
                  Py_ssize_t maxcount)
{
    while (maxcount-- != 0) {
        if (ouro_writer_put_str(writer, by) < 0) {
            return -1;
        }
        if (in.start == in.end) {
            return 0;
        }
        if (PyUnicodeWriter_WriteChar(writer, ouro_utf8_next(&in.start)) < 0) {
            return -1;
        }
    }
    return ouro_writer_put(writer, in);
}

static int
replace_each(PyUnicodeWriter *writer, struct text_range in, struct text_range what,
             PyObject *by, Py_ssize_t maxcount)
{
    const char *at;
    while (maxcount-- != 0 && (at = ouro_text_find(in, what)) != NULL) {
        if (ouro_writer_put(writer, (struct text_range){in.start, at}) < 0 ||
            ouro_writer_put_str(writer, by) < 0) {
            return -1;
        }
        in.start = at + ouro_text_size(what);
    }
    return ouro_writer_put(writer, in);
}

PyObject *
PyUnicode_Replace(PyObject *str, PyObject *substr, PyObject *replstr, Py_ssize_t maxcount)
{
    if (!ouro_str_require(str) || !ouro_str_require(substr) ||
        !ouro_str_require(replstr)) {
        return NULL;
    }
    struct text_range in = ouro_str_utf8(str), what = ouro_str_utf8(substr);
    PyUnicodeWriter *writer = in.start == NULL || what.start == NULL
                                  ? NULL
                                  : PyUnicodeWriter_Create(ouro_text_size(in));
    if (writer == NULL) {
        return NULL;
    }
    int failed = what.start == what.end
                     ? insert_everywhere(writer, in, replstr, maxcount)
                     : replace_each(writer, in, what, replstr, maxcount);
    if (failed) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}
