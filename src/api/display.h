/* SPDX-License-Identifier: MIT */
/* Writing exceptions to stderr, also when memory is out. */
#ifndef OURO_API_DISPLAY_H
#define OURO_API_DISPLAY_H

#include <Python.h>

/* Write str(o) or repr(o); `failed` when that raises. No exception is pending before or
 * after. */
void ouro_display_str(PyObject *o, const char *failed);
void ouro_display_repr(PyObject *o, const char *failed);

/* Write "Type: text" and a newline; the text is left out when it is empty. */
void ouro_display_exception_line(PyObject *exc);

#endif
