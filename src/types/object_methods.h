/* SPDX-License-Identifier: MIT */
/* The tables of `object`, and what `type` uses of them. */
#ifndef OURO_TYPES_OBJECT_METHODS_H
#define OURO_TYPES_OBJECT_METHODS_H

#include "type.h"

extern PyGetSetDef ouro_object_getset[] __attribute__((visibility("hidden")));
extern PyMethodDef ouro_object_methods[] __attribute__((visibility("hidden")));

/* Merge the dict of each type along the MRO into `names`. 0; or -1 with an exception. */
int ouro_dir_add_type(PyObject *names, PyTypeObject *type);

#endif
