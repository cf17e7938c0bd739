/* SPDX-License-Identifier: MIT */
/* C values from arguments, and objects from C values.
 *
 * docs/formats.md has every format code. Lengths behind '#' are always Py_ssize_t, whether or
 * not PY_SSIZE_T_CLEAN is defined. A wrong format is a SystemError that names what is wrong
 * with it.
 *
 * The functions that parse return 1, or 0 with an exception. What they store is borrowed from
 * the arguments, except what es and et allocate (PyMem_Free) and what s*, z*, y* and w* fill
 * (PyBuffer_Release); after a failure both have been given back. The variables of optional
 * arguments that are missing are not changed. */
#ifndef OURO_PY_ARG_H
#define OURO_PY_ARG_H

#include "object.h"

OURO_BEGIN_DECLS

/* C programs have lists of char *, C++ programs of const char *. */
#ifndef PY_CXX_CONST
#ifdef __cplusplus
#define PY_CXX_CONST const
#else
#define PY_CXX_CONST
#endif
#endif

/* A converter for O& returns this to be called again, with NULL as object, when a later
 * argument fails. */
#define Py_CLEANUP_SUPPORTED 0x20000

/* --- parsing ---------------------------------------------------------------------------- */

/* The items of a tuple. SystemError when `args` is no tuple; TypeError for a wrong number
 * or type. */
PyAPI_FUNC(int) PyArg_ParseTuple(PyObject *args, const char *format, ...);
PyAPI_FUNC(int) PyArg_VaParse(PyObject *args, const char *format, va_list vargs);
/* One object, for a format of one unit. */
PyAPI_FUNC(int) PyArg_Parse(PyObject *arg, const char *format, ...);
/* The arguments of a METH_FASTCALL function. */
PyAPI_FUNC(int) PyArg_ParseArray(PyObject *const *args, Py_ssize_t nargs,
                                 const char *format, ...);

/* A tuple and a dict (NULL: none) of arguments. `kwlist` names the parameters in order, as
 * UTF-8, and ends with NULL; empty names in front are parameters that only go by
 * position. */
PyAPI_FUNC(int) PyArg_ParseTupleAndKeywords(PyObject *args, PyObject *kw,
                                            const char *format,
                                            PY_CXX_CONST char *const *kwlist, ...);
PyAPI_FUNC(int) PyArg_VaParseTupleAndKeywords(PyObject *args, PyObject *kw,
                                              const char *format,
                                              PY_CXX_CONST char *const *kwlist,
                                              va_list vargs);
/* The arguments of a METH_FASTCALL | METH_KEYWORDS function: the values of the keyword
 * arguments named in `kwnames` (NULL: none) are behind the `nargs` positional ones. */
PyAPI_FUNC(int) PyArg_ParseArrayAndKeywords(PyObject *const *args, Py_ssize_t nargs,
                                            PyObject *kwnames, const char *format,
                                            PY_CXX_CONST char *const *kwlist, ...);

/* Store the `min` to `max` items of a tuple, borrowed, in as many PyObject * variables.
 * `name` is for messages; may be NULL. */
PyAPI_FUNC(int) PyArg_UnpackTuple(PyObject *args, const char *name, Py_ssize_t min,
                                  Py_ssize_t max, ...);
/* Store the values of the keyword arguments `names` (up to NULL), borrowed, or NULL. False
 * with TypeError when `kwargs` has others; `function` is for its message. */
PyAPI_FUNC(int) _PyArg_TakeKeywords(PyObject *kwargs, const char *function,
                                    char *const *names, PyObject **values);
/* Are the keys of the dict all str? Else TypeError; SystemError when it is no dict. */
PyAPI_FUNC(int) PyArg_ValidateKeywordArguments(PyObject *kwargs);

/* --- building --------------------------------------------------------------------------- */

/* A new object: None for an empty format, the object for one unit, a tuple of the objects
 * for several. NULL with an exception; the references given for N are released then too. */
PyAPI_FUNC(PyObject *) Py_BuildValue(const char *format, ...);
PyAPI_FUNC(PyObject *) Py_VaBuildValue(const char *format, va_list vargs);

OURO_END_DECLS

#endif
