/* SPDX-License-Identifier: MIT */
/* Finding, cutting and joining text.
 *
 * Callers count in characters, the text is bytes: each function turns indices into offsets
 * once, works on bytes (a match of valid UTF-8 is always at a character), and turns back. */
#include "str_object.h"

/* A part of a str, in bytes. */
struct text_range {
    const char *start, *end;
};

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

static const char *
find_first(struct text_range in, const PyUnicodeObject *what)
{
    if (in.start == NULL) {
        return NULL;
    }
    return memmem(in.start, (size_t)(in.end - in.start), what->utf8, (size_t)what->size);
}

static const char *
find_last(struct text_range in, const PyUnicodeObject *what)
{
    if (in.start == NULL || in.end - in.start < what->size) {
        return NULL;
    }
    for (const char *p = in.end - what->size;; p--) {
        if (memcmp(p, what->utf8, (size_t)what->size) == 0 &&
            (p == in.end || ouro_utf8_is_start(*p))) {
            return p;
        }
        if (p == in.start) {
            return NULL;
        }
    }
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
    const char *at = direction > 0 ? find_first(in, ouro_str(substr))
                                   : find_last(in, ouro_str(substr));
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
    Py_ssize_t skipped, count = 0;
    struct text_range in = slice_range(ouro_str(str), start, end, &skipped);
    if (in.start == NULL) {
        return 0;
    }
    PyUnicodeObject *what = ouro_str(substr);
    if (what->size == 0) {
        return ouro_utf8_count(in.start, in.end - in.start) + 1;
    }
    for (const char *at; (at = find_first(in, what)) != NULL;
         in.start = at + what->size) {
        count++;
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
    Py_ssize_t skipped;
    struct text_range in = slice_range(ouro_str(str), start, end, &skipped);
    PyUnicodeObject *what = ouro_str(substr);
    if (in.start == NULL || in.end - in.start < what->size) {
        return 0;
    }
    const char *at = direction > 0 ? in.end - what->size : in.start;
    return memcmp(at, what->utf8, (size_t)what->size) == 0;
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
    PyUnicodeObject *u = ouro_str(str);
    struct text_range all = {u->utf8, u->utf8 + u->size};
    return find_first(all, ouro_str(substr)) != NULL;
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

/* Append a copy of some text to a list. */
static int
append_part(PyObject *list, const char *start, const char *end)
{
    PyObject *part = ouro_str_copy(start, end - start);
    int result = part == NULL ? -1 : PyList_Append(list, part);
    Py_XDECREF(part);
    return result;
}

static bool
is_ascii_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
}

static int
split_at_blanks(PyObject *list, struct text_range in, Py_ssize_t maxsplit)
{
    while (true) {
        while (in.start < in.end && is_ascii_blank(*in.start)) {
            in.start++;
        }
        if (in.start == in.end) {
            return 0;
        }
        const char *stop = in.start;
        if (maxsplit-- == 0) {
            stop = in.end;
            while (is_ascii_blank(stop[-1])) {
                stop--;
            }
            return append_part(list, in.start, stop);
        }
        while (stop < in.end && !is_ascii_blank(*stop)) {
            stop++;
        }
        if (append_part(list, in.start, stop) < 0) {
            return -1;
        }
        in.start = stop;
    }
}

static int
split_at_text(PyObject *list, struct text_range in, const PyUnicodeObject *sep,
              Py_ssize_t maxsplit)
{
    const char *at;
    while (maxsplit-- != 0 && (at = find_first(in, sep)) != NULL) {
        if (append_part(list, in.start, at) < 0) {
            return -1;
        }
        in.start = at + sep->size;
    }
    return append_part(list, in.start, in.end);
}

PyObject *
PyUnicode_Split(PyObject *s, PyObject *sep, Py_ssize_t maxsplit)
{
    if (!ouro_str_require(s) || (sep != NULL && !ouro_str_require(sep))) {
        return NULL;
    }
    if (sep != NULL && ouro_str(sep)->size == 0) {
        PyErr_SetString(PyExc_ValueError, "empty separator");
        return NULL;
    }
    PyObject *list = PyList_New(0);
    if (list == NULL) {
        return NULL;
    }
    struct text_range in = {ouro_str(s)->utf8, ouro_str(s)->utf8 + ouro_str(s)->size};
    int failed = sep == NULL ? split_at_blanks(list, in, maxsplit)
                             : split_at_text(list, in, ouro_str(sep), maxsplit);
    if (failed) {
        Py_CLEAR(list);
    }
    return list;
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
replace_each(PyUnicodeWriter *writer, struct text_range in, const PyUnicodeObject *what,
             const PyUnicodeObject *by, Py_ssize_t maxcount)
{
    const char *at;
    while (maxcount-- != 0 && (at = find_first(in, what)) != NULL) {
        if (PyUnicodeWriter_WriteUTF8(writer, in.start, at - in.start) < 0 ||
            PyUnicodeWriter_WriteUTF8(writer, by->utf8, by->size) < 0) {
            return -1;
        }
        in.start = at + what->size;
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
    PyUnicodeObject *u = ouro_str(str), *what = ouro_str(substr), *by = ouro_str(replstr);
    struct text_range in = {u->utf8, u->utf8 + u->size};
    int failed = what->size == 0 ? insert_everywhere(writer, in, by, maxcount)
                                 : replace_each(writer, in, what, by, maxcount);
    if (failed) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}
