/* SPDX-License-Identifier: MIT */
/* What the files of generic aliases share. */
#ifndef OURO_BUILTINS_GENERIC_ALIAS_H
#define OURO_BUILTINS_GENERIC_ALIAS_H

#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *origin;     /* owned */
    PyObject *args;       /* owned tuple */
    PyObject *parameters; /* owned tuple, made when first asked for; or NULL */
    PyObject *weakreflist;
} genericalias;

#define OURO_ALIAS(op) ((genericalias *)(op))

/* generic_alias_subst.c: what in `args` is still to be filled in; a new tuple. */
PyObject *ouro_alias_collect_parameters(PyObject *args);
/* generic_alias_subst.c: the alias with its parameters replaced by `item`. */
PyObject *ouro_alias_substitute(PyObject *alias, PyObject *parameters, PyObject *item);

#endif
