/* SPDX-License-Identifier: MIT */
/* The language of format specifications, "[[fill]align][sign][z][#][0][width][,][.prec][type]",
 * and the __format__ methods of str, int, float and complex that speak it. */
#ifndef OURO_BUILTINS_FORMAT_SPEC_H
#define OURO_BUILTINS_FORMAT_SPEC_H

#include <Python.h>

#include <stdbool.h>

struct format_spec {
    Py_UCS4 fill;
    char align;           /* '<' '>' '^' '=' */
    bool align_given;     /* or only the default of the type */
    char sign;            /* '+', '-', ' '; 0 when not given */
    bool no_minus_zero;   /* z */
    bool alternate;       /* # */
    Py_ssize_t width;     /* -1 when not given */
    Py_ssize_t precision; /* -1 when not given */
    char separator;       /* ',' or '_' between groups of digits; 0 for none */
    Py_UCS4 type;         /* the default when not given, 0 when that is none */
};

/* Parse `spec` (a str) for `o`; text ('s') is aligned left by default, numbers right. False
 * with ValueError. */
bool ouro_format_parse(PyObject *spec, PyObject *o, char default_type,
                       struct format_spec *f);
/* Raise ValueError: the type has no such code. Returns NULL. */
PyObject *ouro_format_unknown_code(const struct format_spec *f, PyObject *o);

/* A number taken apart, all ASCII: sign, "0x", digits to be grouped, and the rest. */
struct number_text {
    char sign; /* '-', or 0 */
    const char *prefix;
    const char *digits;
    Py_ssize_t digit_count;
    const char *rest;
    int group; /* how many digits between separators */
};

/* Lay a number out with its sign, separators and padding. New reference. */
PyObject *ouro_format_number(const struct format_spec *f, const struct number_text *n);
/* Lay text out between fill characters. New reference. */
PyObject *ouro_format_text(const struct format_spec *f, PyObject *str);
/* A double by the codes e f g % or none; `o` is the object to blame. New reference. */
PyObject *ouro_format_double(struct format_spec *f, double value, PyObject *o);

/* The digits of an int without sign and prefix, in the base of the code b o x X (else
 * decimal), at least `precision` of them. For PyMem_Free; NULL with MemoryError. */
char *ouro_format_digits(PyObject *whole, Py_UCS4 code, Py_ssize_t precision,
                         bool *negative);

/* METH_O */
PyObject *ouro_str_format_spec(PyObject *self, PyObject *spec);
PyObject *ouro_int_format_spec(PyObject *self, PyObject *spec);
PyObject *ouro_float_format_spec(PyObject *self, PyObject *spec);

#endif
