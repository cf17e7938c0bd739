/* SPDX-License-Identifier: MIT */
/* Generic aliases: what list[int] is. */
#ifndef OURO_PY_GENERICALIAS_H
#define OURO_PY_GENERICALIAS_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

PyAPI_DATA(PyTypeObject) Py_GenericAliasType;

/* origin[args]; `args` is a tuple, or anything else for a single argument. Both are kept
 * with strong references. As `__class_getitem__` in a method table, with METH_O and
 * METH_CLASS, it makes a type generic. A new reference; or NULL with MemoryError. */
PyAPI_FUNC(PyObject *) Py_GenericAlias(PyObject *origin, PyObject *args);

OURO_END_DECLS

#endif
