/* SPDX-License-Identifier: MIT */
#ifndef OURO_API_BUILDVALUE_H
#define OURO_API_BUILDVALUE_H

#include <Python.h>

/* The arguments of a call from a format (NULL: none), a new tuple: what Py_VaBuildValue
 * makes, but a single object that is no tuple stands in one. NULL with an exception. */
PyObject *ouro_build_arguments(const char *format, va_list vargs);

#endif
