/* SPDX-License-Identifier: MIT */
/* What the encodings share. */
#ifndef OURO_BUILTINS_STR_CODEC_H
#define OURO_BUILTINS_STR_CODEC_H

#include "str_object.h"

/* Deal with bytes `start` to `end` of `s`, which mean nothing, as `errors` says. 0; or -1
 * with an exception. */
int ouro_codec_bad_bytes(PyUnicodeWriter *writer, const char *encoding, const char *s,
                         Py_ssize_t size, Py_ssize_t start, Py_ssize_t end,
                         const char *reason, const char *errors);

/* A str in units of two or four bytes: with a mark in the order of the machine when
 * `byteorder` is 0, without one when it is -1 (least significant first) or 1. */
PyObject *ouro_codec_encode_wide(PyObject *str, int unit, int byteorder);

#endif
