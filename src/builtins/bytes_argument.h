/* SPDX-License-Identifier: MIT */
/* Arguments of the methods of bytes: any object with a buffer, or one byte by its number. */
#ifndef OURO_BUILTINS_BYTES_ARGUMENT_H
#define OURO_BUILTINS_BYTES_ARGUMENT_H

#include "text_parts.h"

struct bytes_argument {
    struct text_range text;
    Py_buffer view;
    bool has_view;
    char byte;
};

/* Fill in from an object with a buffer; false with TypeError. Ends with a release. */
bool ouro_bytes_take(struct bytes_argument *a, PyObject *o);
/* The same; a number below 256 stands for one byte. */
bool ouro_bytes_take_or_number(struct bytes_argument *a, PyObject *o);
void ouro_bytes_release(struct bytes_argument *a);

/* Compare two objects with a buffer by their bytes. */
PyObject *ouro_bytes_compare(PyObject *a, PyObject *b, int op);

/* bytes_case.c: METH_NOARGS */
PyObject *ouro_bytes_upper(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_lower(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_swapcase(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_capitalize(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_title(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_isalnum(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_isalpha(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_isascii(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_isdigit(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_isspace(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_islower(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_isupper(PyObject *self, PyObject *ignored);
PyObject *ouro_bytes_istitle(PyObject *self, PyObject *ignored);

/* bytes_hex.c: METH_FASTCALL | METH_KEYWORDS; METH_O | METH_CLASS */
PyObject *ouro_bytes_hex(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames);
PyObject *ouro_bytes_fromhex(PyObject *type, PyObject *text);

#endif
