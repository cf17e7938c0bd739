/* SPDX-License-Identifier: MIT */
/* Text in the encoding of the C locale, as mbrtowc and wcrtomb have it.
 *
 * With "surrogateescape", a byte that means nothing becomes a code point from 0xDC80 on, and
 * back; otherwise it is an error. */
#include "str_object.h"

#include <wchar.h>

/* --- arrays of wchar_t -------------------------------------------------------------------------- */

/* Decode into `out`, which has room for a character for each byte. How many; or -1 with the
 * place and the reason. */
static Py_ssize_t
decode_bytes_of_locale(const char *s, size_t size, bool escape, wchar_t *out, size_t *bad)
{
    mbstate_t state = {0};
    Py_ssize_t count = 0;
    for (size_t at = 0; at < size;) {
        size_t used = mbrtowc(&out[count], s + at, size - at, &state);
        if (used == 0) {
            used = 1; /* a NUL inside */
        }
        bool is_wrong = used >= (size_t)-2 || Py_UNICODE_IS_SURROGATE(out[count]);
        if (is_wrong && !escape) {
            *bad = at;
            return -1;
        }
        if (is_wrong) {
            out[count] = (wchar_t)(0xDC00 + (unsigned char)s[at]);
            used = 1;
            state = (mbstate_t){0};
        }
        at += used;
        count++;
    }
    return count;
}

wchar_t *
Py_DecodeLocale(const char *arg, size_t *size)
{
    size_t length = strlen(arg), bad;
    wchar_t *out = PyMem_RawMalloc((length + 1) * sizeof(wchar_t));
    if (out == NULL) {
        if (size != NULL) {
            *size = (size_t)-1;
        }
        return NULL;
    }
    Py_ssize_t count = decode_bytes_of_locale(arg, length, true, out, &bad);
    out[count] = 0;
    if (size != NULL) {
        *size = (size_t)count;
    }
    return out;
}

/* One character into `out`. How many bytes; 0 when it does not fit the locale. */
static size_t
encode_character_of_locale(wchar_t ch, bool escape, char *out, mbstate_t *state)
{
    if (escape && ch >= 0xDC80 && ch <= 0xDCFF) {
        out[0] = (char)(ch - 0xDC00);
        return 1;
    }
    size_t used = wcrtomb(out, ch, state);
    return used == (size_t)-1 ? 0 : used;
}

/* NULL without memory (*bad is -1), or at a character that does not fit. */
static char *
encode_text_of_locale(const wchar_t *text, size_t length, bool escape, size_t *bad,
                      size_t *size)
{
    mbstate_t state = {0};
    char *out = PyMem_Malloc(length * MB_CUR_MAX + 1);
    size_t at = 0;
    *bad = (size_t)-1;
    for (size_t i = 0; out != NULL && i < length; i++) {
        size_t used = encode_character_of_locale(text[i], escape, out + at, &state);
        if (used == 0) {
            *bad = i;
            PyMem_Free(out);
            return NULL;
        }
        at += used;
    }
    if (out != NULL) {
        out[at] = '\0';
        *size = at;
    }
    return out;
}

char *
Py_EncodeLocale(const wchar_t *text, size_t *error_pos)
{
    size_t bad, size;
    char *out = encode_text_of_locale(text, wcslen(text), true, &bad, &size);
    if (error_pos != NULL) {
        *error_pos = bad;
    }
    return out;
}

/* --- str ------------------------------------------------------------------------------------------ */

/* "strict", NULL and "surrogateescape" are all there is. -1 with ValueError. */
static int
wants_escape(const char *errors)
{
    if (errors == NULL || strcmp(errors, "strict") == 0) {
        return 0;
    }
    if (strcmp(errors, "surrogateescape") == 0) {
        return 1;
    }
    PyErr_Format(PyExc_ValueError, "unsupported error handler: %.200s", errors);
    return -1;
}

PyObject *
PyUnicode_DecodeLocaleAndSize(const char *str, Py_ssize_t size, const char *errors)
{
    size_t bad;
    int escape = wants_escape(errors);
    if (escape < 0) {
        return NULL;
    }
    if (str[size] != '\0' || strlen(str) != (size_t)size) {
        PyErr_SetString(PyExc_ValueError, "embedded null byte");
        return NULL;
    }
    wchar_t *text = PyMem_New(wchar_t, size + 1);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    Py_ssize_t count = decode_bytes_of_locale(str, (size_t)size, escape, text, &bad);
    PyObject *result = count < 0 ? NULL : PyUnicode_FromWideChar(text, count);
    if (count < 0) {
        PyErr_SetRaisedException(PyUnicodeDecodeError_Create(
            "locale", str, size, (Py_ssize_t)bad, (Py_ssize_t)bad + 1, "decoding error"));
    }
    PyMem_Free(text);
    return result;
}

PyObject *
PyUnicode_DecodeLocale(const char *str, const char *errors)
{
    return PyUnicode_DecodeLocaleAndSize(str, (Py_ssize_t)strlen(str), errors);
}

PyObject *
PyUnicode_EncodeLocale(PyObject *unicode, const char *errors)
{
    size_t bad, size;
    int escape = wants_escape(errors);
    wchar_t *text = escape < 0 ? NULL : PyUnicode_AsWideCharString(unicode, NULL);
    if (text == NULL) {
        return NULL;
    }
    char *bytes = encode_text_of_locale(text, wcslen(text), escape, &bad, &size);
    PyObject *result =
        bytes == NULL ? NULL : PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    if (bytes == NULL && bad == (size_t)-1) {
        PyErr_NoMemory();
    } else if (bytes == NULL) {
        PyErr_SetRaisedException(PyObject_CallFunction(
            PyExc_UnicodeEncodeError, "sOnns", "locale", unicode, (Py_ssize_t)bad,
            (Py_ssize_t)bad + 1, "encoding error"));
    }
    PyMem_Free(bytes);
    PyMem_Free(text);
    return result;
}
