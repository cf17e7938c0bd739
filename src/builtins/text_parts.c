/* SPDX-License-Identifier: MIT */
/* Finding text and taking it apart; see text_parts.h. */
#include "text_parts.h"

/* --- finding ------------------------------------------------------------------------------------- */

const char *
ouro_text_find(struct text_range in, struct text_range what)
{
    return memmem(in.start, (size_t)ouro_text_size(in), what.start,
                  (size_t)ouro_text_size(what));
}

const char *
ouro_text_find_last(struct text_range in, struct text_range what)
{
    Py_ssize_t size = ouro_text_size(what);
    for (Py_ssize_t i = ouro_text_size(in) - size; i >= 0; i--) {
        if (memcmp(in.start + i, what.start, (size_t)size) == 0) {
            return in.start + i;
        }
    }
    return NULL;
}

Py_ssize_t
ouro_text_count(struct text_range in, struct text_range what)
{
    Py_ssize_t count = 0;
    for (const char *at; (at = ouro_text_find(in, what)) != NULL;) {
        count++;
        in.start = at + ouro_text_size(what);
    }
    return count;
}

bool
ouro_text_has_tail(struct text_range in, struct text_range what, int direction)
{
    Py_ssize_t size = ouro_text_size(what);
    return ouro_text_size(in) >= size && memcmp(direction > 0 ? in.end - size : in.start,
                                                what.start, (size_t)size) == 0;
}

struct text_range
ouro_text_strip(const struct text_kind *kind, struct text_range in, bool left, bool right)
{
    Py_ssize_t blank;
    while (left && in.start < in.end && (blank = kind->blank_at(in.start, in.end)) > 0) {
        in.start += blank;
    }
    while (right && in.start < in.end &&
           (blank = kind->blank_before(in.end, in.start)) > 0) {
        in.end -= blank;
    }
    return in;
}

/* --- splitting ------------------------------------------------------------------------------------- */

/* Append a copy of some text to a list. */
static int
append_part(const struct text_kind *kind, PyObject *list, const char *start,
            const char *end)
{
    PyObject *part = kind->part(start, end - start);
    int result = part == NULL ? -1 : PyList_Append(list, part);
    Py_XDECREF(part);
    return result;
}

static int
split_at_blanks(const struct text_kind *kind, PyObject *list, struct text_range in,
                Py_ssize_t maxsplit)
{
    while (true) {
        in = ouro_text_strip(kind, in, true, false);
        if (in.start == in.end) {
            return 0;
        }
        if (maxsplit-- == 0) {
            return append_part(kind, list, in.start, in.end);
        }
        const char *stop = in.start;
        while (stop < in.end && kind->blank_at(stop, in.end) == 0) {
            stop++;
        }
        if (append_part(kind, list, in.start, stop) < 0) {
            return -1;
        }
        in.start = stop;
    }
}

static int
rsplit_at_blanks(const struct text_kind *kind, PyObject *list, struct text_range in,
                 Py_ssize_t maxsplit)
{
    while (true) {
        in = ouro_text_strip(kind, in, false, true);
        if (in.start == in.end) {
            return 0;
        }
        if (maxsplit-- == 0) {
            return append_part(kind, list, in.start, in.end);
        }
        const char *stop = in.end;
        while (stop > in.start && kind->blank_before(stop, in.start) == 0) {
            stop--;
        }
        if (append_part(kind, list, stop, in.end) < 0) {
            return -1;
        }
        in.end = stop;
    }
}

static int
split_at_text(const struct text_kind *kind, PyObject *list, struct text_range in,
              struct text_range sep, Py_ssize_t maxsplit)
{
    const char *at;
    while (maxsplit-- != 0 && (at = ouro_text_find(in, sep)) != NULL) {
        if (append_part(kind, list, in.start, at) < 0) {
            return -1;
        }
        in.start = at + ouro_text_size(sep);
    }
    return append_part(kind, list, in.start, in.end);
}

static int
rsplit_at_text(const struct text_kind *kind, PyObject *list, struct text_range in,
               struct text_range sep, Py_ssize_t maxsplit)
{
    const char *at;
    while (maxsplit-- != 0 && (at = ouro_text_find_last(in, sep)) != NULL) {
        if (append_part(kind, list, at + ouro_text_size(sep), in.end) < 0) {
            return -1;
        }
        in.end = at;
    }
    return append_part(kind, list, in.start, in.end);
}

static bool
separator_is_usable(struct text_range sep)
{
    if (sep.start == sep.end) {
        PyErr_SetString(PyExc_ValueError, "empty separator");
        return false;
    }
    return true;
}

PyObject *
ouro_text_split(const struct text_kind *kind, struct text_range in,
                const struct text_range *sep, Py_ssize_t maxsplit, bool from_right)
{
    if (sep != NULL && !separator_is_usable(*sep)) {
        return NULL;
    }
    PyObject *list = PyList_New(0);
    if (list == NULL) {
        return NULL;
    }
    int failed;
    if (from_right) {
        failed = sep == NULL ? rsplit_at_blanks(kind, list, in, maxsplit)
                             : rsplit_at_text(kind, list, in, *sep, maxsplit);
        failed = failed ? failed : PyList_Reverse(list);
    } else {
        failed = sep == NULL ? split_at_blanks(kind, list, in, maxsplit)
                             : split_at_text(kind, list, in, *sep, maxsplit);
    }
    if (failed) {
        Py_CLEAR(list);
    }
    return list;
}

PyObject *
ouro_text_splitlines(const struct text_kind *kind, struct text_range in, bool keep_ends)
{
    PyObject *list = PyList_New(0);
    while (list != NULL && in.start < in.end) {
        Py_ssize_t size = 0;
        const char *stop = in.start;
        while (stop < in.end && (size = kind->line_end_at(stop, in.end)) == 0) {
            stop++;
        }
        if (append_part(kind, list, in.start, keep_ends ? stop + size : stop) < 0) {
            Py_CLEAR(list);
        }
        in.start = stop + size;
    }
    return list;
}

PyObject *
ouro_text_partition(const struct text_kind *kind, struct text_range in,
                    PyObject *separator, struct text_range sep, bool from_right)
{
    if (!separator_is_usable(sep)) {
        return NULL;
    }
    const char *at = from_right ? ouro_text_find_last(in, sep) : ouro_text_find(in, sep);
    PyObject *parts[3];
    if (at == NULL) {
        parts[0] =
            from_right ? kind->part("", 0) : kind->part(in.start, in.end - in.start);
        parts[1] = kind->part("", 0);
        parts[2] =
            from_right ? kind->part(in.start, in.end - in.start) : kind->part("", 0);
    } else {
        parts[0] = kind->part(in.start, at - in.start);
        parts[1] = Py_NewRef(separator);
        at += ouro_text_size(sep);
        parts[2] = kind->part(at, in.end - at);
    }
    PyObject *result = NULL;
    if (parts[0] != NULL && parts[1] != NULL && parts[2] != NULL) {
        result = PyTuple_FromArray(parts, 3);
    }
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(parts[i]);
    }
    return result;
}
