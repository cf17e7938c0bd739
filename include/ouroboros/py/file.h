/* SPDX-License-Identifier: MIT */
/* File objects: anything with a write(), a fileno(), or a readline(). */
#ifndef OURO_PY_FILE_H
#define OURO_PY_FILE_H

#include "object.h"

OURO_BEGIN_DECLS

/* Write repr(obj), or with Py_PRINT_RAW str(obj), by calling file.write(). 0 or -1. A NULL
 * `file` is a TypeError. */
PyAPI_FUNC(int) PyFile_WriteObject(PyObject *obj, PyObject *file, int flags);
/* Write UTF-8 text. 0 or -1. With an exception pending already: -1, and nothing is written. */
PyAPI_FUNC(int) PyFile_WriteString(const char *text, PyObject *file);
/* A line: file.readline(n) for n > 0, file.readline() for 0; for n < 0 without its newline,
 * and EOFError at the end. A new reference, str or bytes. */
PyAPI_FUNC(PyObject *) PyFile_GetLine(PyObject *file, int n);
/* An int itself, or file.fileno(). -1 with TypeError or ValueError. */
PyAPI_FUNC(int) PyObject_AsFileDescriptor(PyObject *file);
/* io.open(fd, ...), where a module `io` can be imported. */
PyAPI_FUNC(PyObject *) PyFile_FromFd(int fd, const char *name, const char *mode,
                                     int buffering, const char *encoding,
                                     const char *errors, const char *newline,
                                     int closefd);

/* fopen() for a path object, closed on exec; and fclose(). NULL with OSError or TypeError. */
PyAPI_FUNC(FILE *) Py_fopen(PyObject *path, const char *mode);
PyAPI_FUNC(int) Py_fclose(FILE *file);

/* Paths: a str or bytes itself, else what path.__fspath__() gives. A new reference; NULL
 * with TypeError. */
PyAPI_FUNC(PyObject *) PyOS_FSPath(PyObject *path);
/* For the code O& : a path as bytes (str is encoded as UTF-8), or as a str. *result is a
 * PyObject *. Return Py_CLEANUP_SUPPORTED (FSConverter) or 1; 0 with an exception: TypeError,
 * or ValueError for a NUL inside. With a NULL `arg` they release *result and return 1. */
PyAPI_FUNC(int) PyUnicode_FSConverter(PyObject *arg, void *result);
PyAPI_FUNC(int) PyUnicode_FSDecoder(PyObject *arg, void *result);

/* How names of files are encoded: "utf-8" and "surrogateescape". */
PyAPI_DATA(const char *) Py_FileSystemDefaultEncoding;
PyAPI_DATA(const char *) Py_FileSystemDefaultEncodeErrors;
PyAPI_DATA(int) Py_HasFileSystemDefaultEncoding; /* 1 */
PyAPI_DATA(int) Py_UTF8Mode;                     /* 1 */

OURO_END_DECLS

#endif
