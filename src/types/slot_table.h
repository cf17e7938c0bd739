/* SPDX-License-Identifier: MIT */
/* Where the slot with a given number lives in a type object.
 *
 * A slot is a pointer in PyTypeObject, or a pointer in one of the five structures that
 * the tp_as_* fields point to. Slots are moved as bytes: they are pointers to functions of
 * many types, all of one size. */
#ifndef OURO_TYPES_SLOT_TABLE_H
#define OURO_TYPES_SLOT_TABLE_H

#include <Python.h>
#include <stdbool.h>

#define OURO_SLOT_NONE (-1)
#define OURO_SLOT_LAST Py_mod_token /* the highest number in use */

struct slot_place {
    short field; /* offset in PyHeapTypeObject; OURO_SLOT_NONE: not stored there */
    short inner; /* offset in the structure `field` points to; OURO_SLOT_NONE: none */
};

/* The current number of a slot that had another one before 3.15. */
int ouro_slot_current(int id);
/* The place of slot `id`; NULL when a type has no such slot. */
const struct slot_place *ouro_slot_place(int id);
/* The pointer in a slot, or NULL: also when the type has no such structure. */
void *ouro_slot_read(PyTypeObject *type, const struct slot_place *place);
/* Store it. The structure must be there. */
void ouro_slot_write(PyTypeObject *type, const struct slot_place *place, void *value);
/* Has `type` the structure that the slot is in? True for slots outside structures. */
bool ouro_slot_has_room(PyTypeObject *type, const struct slot_place *place);

#endif
