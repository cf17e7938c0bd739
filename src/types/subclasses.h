/* SPDX-License-Identifier: MIT */
/* Which types derive directly from a type. A record keeps no type alive.
 *
 *   type.inv.subclasses   a READY type is recorded with each of its bases */
#ifndef OURO_TYPES_SUBCLASSES_H
#define OURO_TYPES_SUBCLASSES_H

#include "type.h"

/* Record `type` with each of its bases. In the shared scope for a static type. */
bool ouro_subclasses_add(PyTypeObject *type);
/* Forget it: a heap type is being destroyed, or will not be finished. */
void ouro_subclasses_remove(PyTypeObject *type);
/* The direct subclasses that are alive, a new list; or NULL with an exception. */
PyObject *ouro_subclasses_list(PyTypeObject *type);

#endif
