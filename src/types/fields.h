/* SPDX-License-Identifier: MIT */
/* Declared fields, as the finishing of types sees them. Read next: fields.c,
 * field_handlers.c. */
#ifndef OURO_TYPES_FIELDS_H
#define OURO_TYPES_FIELDS_H

#include <Python.h>
#include <stdbool.h>

#include "failure.h"

/* fields.c: give a type that declares fields the handlers that it lacks. */
void ouro_fields_set_handlers(PyTypeObject *type);
/* fields.c: check the fields, and make the edges: tp_ouro_edges. */
bool ouro_fields_ready(PyTypeObject *type, struct failure *failure);

#endif
