/* SPDX-License-Identifier: MIT */
/* Encodings by name, as objects. There is no registry: the encodings are those of
 * PyUnicode_Decode, and nothing can be added. */
#ifndef OURO_PY_CODEC_H
#define OURO_PY_CODEC_H

#include "object.h"

OURO_BEGIN_DECLS

/* 1 when there is such an encoding, else 0. */
PyAPI_FUNC(int) PyCodec_KnownEncoding(const char *encoding);
/* A str as bytes, and bytes as a str. A new reference; or NULL with an exception. */
PyAPI_FUNC(PyObject *) PyCodec_Encode(PyObject *object, const char *encoding,
                                      const char *errors);
PyAPI_FUNC(PyObject *) PyCodec_Decode(PyObject *object, const char *encoding,
                                      const char *errors);
/* A function (object, errors='strict') that returns a tuple of the result and of how much of
 * the argument it used. A new reference; or NULL with LookupError. */
PyAPI_FUNC(PyObject *) PyCodec_Encoder(const char *encoding);
PyAPI_FUNC(PyObject *) PyCodec_Decoder(const char *encoding);

OURO_END_DECLS

#endif
