/* SPDX-License-Identifier: MIT */
/* What the encodings share. */
#ifndef OURO_BUILTINS_STR_CODEC_H
#define OURO_BUILTINS_STR_CODEC_H

#include "str_object.h"

/* What to do with text that cannot be decoded or encoded; the argument `errors`. */
enum codec_policy {
    CODEC_STRICT,
    CODEC_REPLACE,
    CODEC_IGNORE,
    CODEC_BACKSLASH,
    CODEC_XML,    /* only for encoding */
    CODEC_ESCAPE, /* bytes that mean nothing are surrogates from 0xdc80 on */
    CODEC_PASS,   /* surrogates are encoded as other characters are */
    CODEC_CALL,   /* a handler of PyCodec_RegisterError knows */
    CODEC_UNKNOWN
};

/* UNKNOWN with LookupError. */
enum codec_policy ouro_codec_policy(const char *errors);

enum codec {
    CODEC_UTF8,
    CODEC_ASCII,
    CODEC_LATIN1,
    CODEC_UTF16,
    CODEC_UTF16_LE,
    CODEC_UTF16_BE,
    CODEC_UTF32,
    CODEC_UTF32_LE,
    CODEC_UTF32_BE,
    CODEC_NONE
};

/* NONE with LookupError. */
enum codec ouro_codec_of(const char *encoding);

/* Raise `type`(encoding, object, start, end, reason). Steals `object`. */
void ouro_codec_raise(PyObject *type, const char *encoding, PyObject *object,
                      Py_ssize_t start, Py_ssize_t end, const char *reason);

/* Deal with bytes `start` to `end` of `s`, which mean nothing, as `errors` says. Where to go
 * on; or -1 with an exception. */
Py_ssize_t ouro_codec_bad_bytes(PyUnicodeWriter *writer, const char *encoding,
                                const char *s, Py_ssize_t size, Py_ssize_t start,
                                Py_ssize_t end, const char *reason, const char *errors);

/* Call the handler of this name with a Unicode error about something of `size` positions. What
 * to write instead, a new reference to whatever it returned, and where to go on; or NULL with
 * an exception. */
PyObject *ouro_codec_call_handler(const char *name, PyObject *exc, Py_ssize_t size,
                                  Py_ssize_t *next);

#endif
