/* SPDX-License-Identifier: MIT */
/* Encodings by name, as objects: those of PyUnicode_Decode, to which none can be added; and
 * handlers of errors, which can be added. */
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

/* --- handlers of errors ---------------------------------------------------------------- */

/* Let `errors` = `name` mean that this callable is called with a Unicode error. It returns a
 * tuple: what to write instead, and where to go on. 0; or -1 with an exception. */
PyAPI_FUNC(int) PyCodec_RegisterError(const char *name, PyObject *error);
/* The handler of this name (NULL: "strict"), a new reference; or NULL with LookupError. */
PyAPI_FUNC(PyObject *) PyCodec_LookupError(const char *name);
/* What the handlers that are built in return for a Unicode error. NULL with an exception:
 * the first one always, the others with TypeError for what they do not handle. */
PyAPI_FUNC(PyObject *) PyCodec_StrictErrors(PyObject *exc);
PyAPI_FUNC(PyObject *) PyCodec_IgnoreErrors(PyObject *exc);
PyAPI_FUNC(PyObject *) PyCodec_ReplaceErrors(PyObject *exc);
PyAPI_FUNC(PyObject *) PyCodec_XMLCharRefReplaceErrors(PyObject *exc);
PyAPI_FUNC(PyObject *) PyCodec_BackslashReplaceErrors(PyObject *exc);

OURO_END_DECLS

#endif
