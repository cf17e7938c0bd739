/* SPDX-License-Identifier: MIT */
/* bytes: strings of bytes. */
#ifndef OURO_PY_BYTES_H
#define OURO_PY_BYTES_H

#include "typeobject.h"

OURO_BEGIN_DECLS

typedef struct {
    PyObject_VAR_HEAD
    Py_hash_t ob_shash; /* -1 until asked for */
    char ob_sval[1];    /* ob_size bytes and a NUL */
} PyBytesObject;

PyAPI_DATA(PyTypeObject) PyBytes_Type;

#define PyBytes_Check(op)      PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_BYTES_SUBCLASS)
#define PyBytes_CheckExact(op) Py_IS_TYPE((op), &PyBytes_Type)
/* Without a check. The text is NUL-terminated and lives as long as the object. */
#define PyBytes_AS_STRING(op) (((PyBytesObject *)(op))->ob_sval)
#define PyBytes_GET_SIZE(op)  Py_SIZE(op)

/* New bytes with a copy of `v`, up to its NUL. NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyBytes_FromString(const char *v);
/* New bytes with a copy of `len` bytes; when `v` is NULL the content is not initialised
 * and the caller fills it before anyone else sees it. NULL with MemoryError, or with
 * SystemError when `len` is negative. */
PyAPI_FUNC(PyObject *) PyBytes_FromStringAndSize(const char *v, Py_ssize_t len);
/* printf's codes %c %d %u %ld %lu %zd %zu %i %x %s %p %%. New reference; NULL with
 * SystemError for any other. */
PyAPI_FUNC(PyObject *) PyBytes_FromFormat(const char *format, ...);
PyAPI_FUNC(PyObject *) PyBytes_FromFormatV(const char *format, va_list vargs);
/* New bytes from an object with a buffer, or from an iterable of ints below 256. NULL with
 * TypeError or ValueError. */
PyAPI_FUNC(PyObject *) PyBytes_FromObject(PyObject *o);
/* The same, asking __bytes__ first. NULL becomes b'<NULL>'. */
PyAPI_FUNC(PyObject *) PyObject_Bytes(PyObject *o);

/* The length; -1 with TypeError. */
PyAPI_FUNC(Py_ssize_t) PyBytes_Size(PyObject *o);
/* The content, borrowed from `o`; NULL with TypeError. */
PyAPI_FUNC(char *) PyBytes_AsString(PyObject *o);
/* The same and the length. When `length` is NULL, a NUL inside is a ValueError. 0; or -1
 * with an exception. */
PyAPI_FUNC(int) PyBytes_AsStringAndSize(PyObject *obj, char **buffer, Py_ssize_t *length);

/* Replace *bytes by *bytes + newpart, which has a buffer; the old reference is released. On failure, and when
 * newpart is NULL, *bytes becomes NULL. The AndDel form releases newpart too. */
PyAPI_FUNC(void) PyBytes_Concat(PyObject **bytes, PyObject *newpart);
PyAPI_FUNC(void) PyBytes_ConcatAndDel(PyObject **bytes, PyObject *newpart);
/* The `iterable`'s bytes with `sep` between them. New reference. */
PyAPI_FUNC(PyObject *) PyBytes_Join(PyObject *sep, PyObject *iterable);
/* Change the length of bytes that no other code has seen; *bytes may move. 0; or -1 with
 * MemoryError, or SystemError when there are other owners, and *bytes is NULL then. */
PyAPI_FUNC(int) _PyBytes_Resize(PyObject **bytes, Py_ssize_t newsize);
/* The repr: b'...'. New reference. */
PyAPI_FUNC(PyObject *) PyBytes_Repr(PyObject *obj, int smartquotes);
/* The escapes of a bytes literal. `errors` says what becomes of \x without two digits: "strict"
 * or NULL (ValueError), "replace", "ignore". The last two arguments have no effect. */
PyAPI_FUNC(PyObject *) PyBytes_DecodeEscape(const char *s, Py_ssize_t len,
                                            const char *errors, Py_ssize_t unicode,
                                            const char *recode_encoding);

/* --- PyBytesWriter --------------------------------------------------------------------- */

/* Bytes under construction. Finish..., which return a new reference, and Discard end the
 * writer, even when they fail. The other functions return 0; or -1 with an exception, and the
 * bytes written before stay. */
typedef struct PyBytesWriter PyBytesWriter;

/* A writer with `size` bytes that the caller fills. NULL with MemoryError, or ValueError
 * when negative. */
PyAPI_FUNC(PyBytesWriter *) PyBytesWriter_Create(Py_ssize_t size);
PyAPI_FUNC(PyObject *) PyBytesWriter_Finish(PyBytesWriter *writer);
/* Only the first `size` bytes, or those before `buf`. ValueError when there are fewer. */
PyAPI_FUNC(PyObject *) PyBytesWriter_FinishWithSize(PyBytesWriter *writer,
                                                    Py_ssize_t size);
PyAPI_FUNC(PyObject *) PyBytesWriter_FinishWithPointer(PyBytesWriter *writer, void *buf);
/* NULL is fine. */
PyAPI_FUNC(void) PyBytesWriter_Discard(PyBytesWriter *writer);
/* The bytes, valid until the next call that makes it longer; and how many. Never fail. */
PyAPI_FUNC(void *) PyBytesWriter_GetData(PyBytesWriter *writer);
PyAPI_FUNC(Py_ssize_t) PyBytesWriter_GetSize(PyBytesWriter *writer);
/* Append; `size` may be -1 for text up to the NUL. */
PyAPI_FUNC(int) PyBytesWriter_WriteBytes(PyBytesWriter *writer, const void *bytes,
                                         Py_ssize_t size);
/* Append by the codes of PyBytes_FromFormat. */
PyAPI_FUNC(int) PyBytesWriter_Format(PyBytesWriter *writer, const char *format, ...);
/* Change the size; what is new is for the caller to fill. */
PyAPI_FUNC(int) PyBytesWriter_Resize(PyBytesWriter *writer, Py_ssize_t size);
/* Change the size by this much. The other form returns `buf`, which points into the bytes,
 * adjusted after they may have moved; NULL with an exception. */
PyAPI_FUNC(int) PyBytesWriter_Grow(PyBytesWriter *writer, Py_ssize_t size);
PyAPI_FUNC(void *) PyBytesWriter_GrowAndUpdatePointer(PyBytesWriter *writer,
                                                      Py_ssize_t size, void *buf);

OURO_END_DECLS

#endif
