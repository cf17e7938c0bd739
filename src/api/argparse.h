/* SPDX-License-Identifier: MIT */
/* What the functions that parse arguments share: one call's state, and its steps.
 *
 * Read next: argparse.c. */
#ifndef OURO_API_ARGPARSE_H
#define OURO_API_ARGPARSE_H

#include <Python.h>

#include <stdbool.h>

/* How deep the parentheses of a format nest at most. */
#define OURO_ARG_DEPTH 30
/* This many things to undo fit on the stack. */
#define OURO_ARG_UNDO 8

/* Something a unit stored that must be given back when a later argument fails: a converter
 * to call, else a buffer to release, else memory to free. */
struct arg_undo {
    int (*converter)(PyObject *, void *);
    Py_buffer *view;
    char **memory;
    void *target; /* for the converter */
};

/* One call of a function that parses. */
struct arg_parse {
    const char *format; /* the next unit */
    va_list targets;    /* the C arguments of that unit and of the units after it */

    /* From the format as a whole. */
    const char *function; /* the text behind ':', or NULL */
    const char *message;  /* the text behind ';', or NULL */
    int least, most;      /* arguments in front of '|', and in all */

    /* When an argument is refused without an exception. */
    char problem[160];        /* "must be ..." */
    bool bad_format;          /* it is the format's fault */
    int depth;                /* how deep inside nested tuples: */
    int path[OURO_ARG_DEPTH]; /* the number of the item on each level */

    struct arg_undo *undo;
    int undo_count;
    struct arg_undo undo_on_stack[OURO_ARG_UNDO];
};

/* Read the whole format, and prepare to parse. False with SystemError or MemoryError, and
 * nothing to end. */
bool ouro_arg_begin(struct arg_parse *p, const char *format, va_list targets);
/* Undo what was stored, unless the call was successful. Returns `success`. */
int ouro_arg_end(struct arg_parse *p, bool success);

/* Convert `arg` as the next unit says, and go on to the next. With NULL, only go on. False
 * with an exception, or with a problem. */
bool ouro_arg_convert(struct arg_parse *p, PyObject *arg);
/* How many units there are up to the closing parenthesis or the end. */
int ouro_arg_count_units(const char *format);
/* Raise the problem with argument `number` (0: the only one), unless an exception is pending
 * already. Returns false. */
bool ouro_arg_refuse(struct arg_parse *p, Py_ssize_t number);

/* For messages: the function's name, or "function", and "()" behind a name. */
#define OURO_ARG_FUNCTION(p)                                                             \
    ((p)->function == NULL ? "function" : (p)->function),                                \
        ((p)->function == NULL ? "" : "()")

/* argnames.c: raise TypeError about a keyword argument that is not one of `known`. */
void ouro_refuse_keyword(const char *function, PyObject *name, char *const *known);

#endif
