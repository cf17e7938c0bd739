/* SPDX-License-Identifier: MIT */
/* The methods of str, by file. */
#ifndef OURO_BUILTINS_STR_METHODS_H
#define OURO_BUILTINS_STR_METHODS_H

#include "format_spec.h"
#include "str_object.h"

/* str_case.c: METH_NOARGS */
PyObject *ouro_str_upper(PyObject *self, PyObject *ignored);
PyObject *ouro_str_lower(PyObject *self, PyObject *ignored);
PyObject *ouro_str_casefold(PyObject *self, PyObject *ignored);
PyObject *ouro_str_swapcase(PyObject *self, PyObject *ignored);
PyObject *ouro_str_title(PyObject *self, PyObject *ignored);
PyObject *ouro_str_capitalize(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isalpha(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isalnum(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isascii(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isdecimal(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isdigit(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isidentifier(PyObject *self, PyObject *ignored);
PyObject *ouro_str_islower(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isnumeric(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isprintable(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isspace(PyObject *self, PyObject *ignored);
PyObject *ouro_str_istitle(PyObject *self, PyObject *ignored);
PyObject *ouro_str_isupper(PyObject *self, PyObject *ignored);

/* str_layout.c: METH_FASTCALL, METH_O, METH_FASTCALL | METH_KEYWORDS */
PyObject *ouro_str_ljust(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *ouro_str_rjust(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *ouro_str_center(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *ouro_str_zfill(PyObject *self, PyObject *width);
PyObject *ouro_str_expandtabs(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames);

/* str_translate.c: METH_O; METH_FASTCALL | METH_STATIC */
PyObject *ouro_str_translate(PyObject *self, PyObject *table);
PyObject *ouro_str_maketrans(PyObject *ignored, PyObject *const *args, Py_ssize_t nargs);

/* str_template.c: METH_FASTCALL | METH_KEYWORDS, METH_O */
PyObject *ouro_str_format(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames);
PyObject *ouro_str_format_map(PyObject *self, PyObject *mapping);

#endif
