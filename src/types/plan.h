/* SPDX-License-Identifier: MIT */
/* A heap type to be made: everything a PyType_Spec or a PySlot array says, in one form.
 *
 * spec.c and slots.c fill a plan, build.c makes the type. A plan borrows all it points to.
 */
#ifndef OURO_TYPES_PLAN_H
#define OURO_TYPES_PLAN_H

#include "slot_table.h"
#include "type.h"

struct plan {
    const char *name;
    Py_ssize_t basicsize; /* > 0 absolute, 0 inherit, < 0 that many bytes more */
    Py_ssize_t itemsize;
    unsigned long flags;
    PyTypeObject *metaclass; /* NULL: type */
    PyObject *module;        /* NULL: none */
    PyObject *bases;         /* a tuple or a type; NULL: the slots say, else object */
    void *spec;              /* what Py_TP_USE_SPEC stands for; NULL: not to be used */
    void *fields;            /* declared ones, const Ouro_Fields *; NULL: none */
    void *value[OURO_SLOT_LAST + 1];
    bool seen[OURO_SLOT_LAST + 1];
};

/* Note a slot that lives in the type object, or say what is wrong with it. A NULL value
 * means "not set", except for a token. */
bool ouro_plan_slot(struct plan *plan, int id, void *value, struct failure *failure);
/* Note the slots of an array that ends with id 0. */
bool ouro_plan_spec_slots(struct plan *plan, const PyType_Slot *slots,
                          struct failure *failure);
/* Make the type: a new reference, or NULL with an exception. */
PyObject *ouro_plan_build(const struct plan *plan, struct failure *failure);

#endif
