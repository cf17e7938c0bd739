/* SPDX-License-Identifier: MIT */
/* Finding text and taking it apart: what str and bytes have in common.
 *
 * A str is UTF-8, and a match of valid UTF-8 inside valid UTF-8 is always at a character,
 * so both work on bytes. What differs is in a struct text_kind: how a part becomes an
 * object, and what is blank or ends a line. */
#ifndef OURO_BUILTINS_TEXT_PARTS_H
#define OURO_BUILTINS_TEXT_PARTS_H

#include <Python.h>

#include <stdbool.h>

/* Bytes inside a str or bytes object, which is alive and does not change. */
struct text_range {
    const char *start, *end;
};

struct text_kind {
    /* A new object with a copy of the text; NULL with MemoryError. */
    PyObject *(*part)(const char *text, Py_ssize_t size);
    /* The size of the blank that begins at `p`, that ends at `p`, or of the line end that
     * begins at `p`; 0 when there is none. */
    Py_ssize_t (*blank_at)(const char *p, const char *end);
    Py_ssize_t (*blank_before)(const char *p, const char *start);
    Py_ssize_t (*line_end_at)(const char *p, const char *end);
};

extern const struct text_kind ouro_str_kind, ouro_bytes_kind;

static inline Py_ssize_t
ouro_text_size(struct text_range in)
{
    return in.end - in.start;
}

/* Where `what` is found in `in`, the first or the last place; NULL when it is not there. */
const char *ouro_text_find(struct text_range in, struct text_range what);
const char *ouro_text_find_last(struct text_range in, struct text_range what);
/* How often, without overlap; `what` is not empty. */
Py_ssize_t ouro_text_count(struct text_range in, struct text_range what);
/* Does `in` begin (direction < 0) or end with `what`? */
bool ouro_text_has_tail(struct text_range in, struct text_range what, int direction);

/* Without the blanks at the start, at the end. */
struct text_range ouro_text_strip(const struct text_kind *kind, struct text_range in,
                                  bool left, bool right);

/* The parts between separators, or between runs of blanks when `sep` is NULL, as a new
 * list; at most maxsplit + 1 of them, counted from the right if it says so. ValueError
 * when `sep` is empty. */
PyObject *ouro_text_split(const struct text_kind *kind, struct text_range in,
                          const struct text_range *sep, Py_ssize_t maxsplit,
                          bool from_right);
PyObject *ouro_text_splitlines(const struct text_kind *kind, struct text_range in,
                               bool keep_ends);
/* A tuple of the text before `sep`, `separator` itself, and the text after it. If `sep` is not
 * found: the whole text and two empty ones, or the empty ones first when searching from the
 * right. ValueError when `sep` is empty. */
PyObject *ouro_text_partition(const struct text_kind *kind, struct text_range in,
                              PyObject *separator, struct text_range sep,
                              bool from_right);

#endif
