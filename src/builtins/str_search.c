/* SPDX-License-Identifier: MIT */
/* Finding, cutting and joining text.
 *
 * Callers count in characters, the text is bytes: each function turns indices into offsets
 * once, works on bytes (a match of valid UTF-8 is always at a character), and turns back. */
#include "str_object.h"

#include "text_parts.h"

static struct text_range
range_of_str(PyObject *str)
{
    PyUnicodeObject *u = ouro_str(str);
    return (struct text_range){u->utf8, u->utf8 + u->size};
}

/* str[start:end] with the indices of a slice; `skipped` becomes the index where it begins. */
static struct text_range
slice_range(const PyUnicodeObject *u, Py_ssize_t start, Py_ssize_t end,
            Py_ssize_t *skipped)
{
    Py_ssize_t length = u->length;
    end = end > length ? length : end < 0 ? end + length : end;
    start = start < 0 ? start + length : start;
    start = start < 0 ? 0 : start;
    end = end < 0 ? 0 : end;
    *skipped = start;
    if (start > end) {
        /* Nothing, not even an empty match. */
        return (struct text_range){NULL, NULL};
    }
    return (struct text_range){u->utf8 + ouro_str_offset(u, start),
                               u->utf8 + ouro_str_offset(u, end)};
}

Py_ssize_t
PyUnicode_Find(PyObject *str, PyObject *substr, Py_ssize_t start, Py_ssize_t end,
               int direction)
{
    if (!ouro_str_require(str) || !ouro_str_require(substr)) {
        return -2;
    }
    Py_ssize_t skipped;
    struct text_range in = slice_range(ouro_str(str), start, end, &skipped);
    if (in.start == NULL) {
        return -1;
    }
    const char *at = direction > 0 ? ouro_text_find(in, range_of_str(substr))
                                   : ouro_text_find_last(in, range_of_str(substr));
    return at == NULL ? -1 : skipped + ouro_utf8_count(in.start, at - in.start);
}

Py_ssize_t
PyUnicode_FindChar(PyObject *str, Py_UCS4 ch, Py_ssize_t start, Py_ssize_t end,
                   int direction)
{
    if (!ouro_utf8_is_valid(ch)) {
        return ouro_str_require(str) ? -1 : -2;
    }
    PyObject *character = PyUnicode_FromOrdinal((int)ch);
    if (character == NULL) {
        return -2;
    }
    Py_ssize_t index = PyUnicode_Find(str, character, start, end, direction);
    Py_DECREF(character);
    return index;
}

Py_ssize_t
PyUnicode_Count(PyObject *str, PyObject *substr, Py_ssize_t start, Py_ssize_t end)
{
    if (!ouro_str_require(str) || !ouro_str_require(substr)) {
        return -1;
    }
    Py_ssize_t skipped;
    struct text_range in = slice_range(ouro_str(str), start, end, &skipped);
    if (in.start == NULL) {
        return 0;
    }
    if (ouro_str(substr)->size == 0) {
        return ouro_utf8_count(in.start, in.end - in.start) + 1;
    }
    return ouro_text_count(in, range_of_str(substr));
}

Py_ssize_t
PyUnicode_Tailmatch(PyObject *str, PyObject *substr, Py_ssize_t start, Py_ssize_t end,
                    int direction)
{
    if (!ouro_str_require(str) || !ouro_str_require(substr)) {
        return -1;
    }
    Py_ssize_t skipped;
    struct text_range in = slice_range(ouro_str(str), start, end, &skipped);
    return in.start != NULL && ouro_text_has_tail(in, range_of_str(substr), direction);
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
    if (!ouro_str_require(str)) {
        return -1;
    }
    return ouro_text_find(range_of_str(str), range_of_str(substr)) != NULL;
}

/* --- cutting --------------------------------------------------------------------------------------- */

Py_UCS4
PyUnicode_ReadChar(PyObject *unicode, Py_ssize_t index)
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        return (Py_UCS4)-1;
    }
    PyUnicodeObject *u = ouro_str(unicode);
    if (index < 0 || index >= u->length) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return (Py_UCS4)-1;
    }
    const char *p = u->utf8 + ouro_str_offset(u, index);
    return ouro_utf8_next(&p);
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
    PyUnicodeObject *u = ouro_str(str);
    end = end > u->length ? u->length : end;
    if (start >= end) {
        return ouro_str_new(NULL, 0, 0);
    }
    if (start == 0 && end == u->length) {
        return PyUnicode_FromObject(str);
    }
    Py_ssize_t from = ouro_str_offset(u, start);
    return ouro_str_new(u->utf8 + from, ouro_str_offset(u, end) - from, end - start);
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
    struct text_range by = range_of_str(sep == NULL ? s : sep);
    return ouro_text_split(&ouro_str_kind, range_of_str(s), sep == NULL ? NULL : &by,
                           maxsplit, from_right);
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
    return ouro_str_require(s)
               ? ouro_text_splitlines(&ouro_str_kind, range_of_str(s), keepends != 0)
               : NULL;
}

static PyObject *
partition_str(PyObject *s, PyObject *sep, bool from_right)
{
    if (!ouro_str_require(s) || !ouro_str_require(sep)) {
        return NULL;
    }
    return ouro_text_partition(&ouro_str_kind, range_of_str(s), sep, range_of_str(sep),
                               from_right);
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
        if (i > 0 && (separator == NULL
                          ? PyUnicodeWriter_WriteChar(writer, ' ')
                          : PyUnicodeWriter_WriteUTF8(writer, ouro_str(separator)->utf8,
                                                      ouro_str(separator)->size)) < 0) {
            goto undo_writer;
        }
        if (PyUnicodeWriter_WriteUTF8(writer, ouro_str(part)->utf8,
                                      ouro_str(part)->size) < 0) {
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
insert_everywhere(PyUnicodeWriter *writer, struct text_range in,
                  const PyUnicodeObject *by, Py_ssize_t maxcount)
{
    while (maxcount-- != 0) {
        if (PyUnicodeWriter_WriteUTF8(writer, by->utf8, by->size) < 0) {
            return -1;
        }
        if (in.start == in.end) {
            return 0;
        }
        if (PyUnicodeWriter_WriteChar(writer, ouro_utf8_next(&in.start)) < 0) {
            return -1;
        }
    }
    return PyUnicodeWriter_WriteUTF8(writer, in.start, in.end - in.start);
}

static int
replace_each(PyUnicodeWriter *writer, struct text_range in, struct text_range what,
             const PyUnicodeObject *by, Py_ssize_t maxcount)
{
    const char *at;
    while (maxcount-- != 0 && (at = ouro_text_find(in, what)) != NULL) {
        if (PyUnicodeWriter_WriteUTF8(writer, in.start, at - in.start) < 0 ||
            PyUnicodeWriter_WriteUTF8(writer, by->utf8, by->size) < 0) {
            return -1;
        }
        in.start = at + ouro_text_size(what);
    }
    return PyUnicodeWriter_WriteUTF8(writer, in.start, in.end - in.start);
}

PyObject *
PyUnicode_Replace(PyObject *str, PyObject *substr, PyObject *replstr, Py_ssize_t maxcount)
{
    if (!ouro_str_require(str) || !ouro_str_require(substr) ||
        !ouro_str_require(replstr)) {
        return NULL;
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(ouro_str(str)->size);
    if (writer == NULL) {
        return NULL;
    }
    PyUnicodeObject *by = ouro_str(replstr);
    struct text_range in = range_of_str(str), what = range_of_str(substr);
    int failed = what.start == what.end ? insert_everywhere(writer, in, by, maxcount)
                                        : replace_each(writer, in, what, by, maxcount);
    if (failed) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}
