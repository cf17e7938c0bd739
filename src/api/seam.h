/* SPDX-License-Identifier: MIT */
#ifndef OURO_API_SEAM_H
#define OURO_API_SEAM_H

#include <Python.h>

struct _is;

/* The lists of the interpreter, made when first asked for; borrowed, NULL with
 * MemoryError. */
PyObject *ouro_gc_garbage(struct _is *interp);
PyObject *ouro_gc_callbacks(struct _is *interp);

#endif
