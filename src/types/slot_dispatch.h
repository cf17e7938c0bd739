/* SPDX-License-Identifier: MIT */
/* Dispatchers: functions for slots of classes that look the special method up, call it,
 * and bring its result into the shape that the slot has. */
#ifndef OURO_TYPES_SLOT_DISPATCH_H
#define OURO_TYPES_SLOT_DISPATCH_H

#include "slot_methods.h"

#define OURO_DECLARE_BINARY(name, slot, text)                                            \
    PyObject *ouro_dispatch_##name(PyObject *self, PyObject *other);
#define OURO_DECLARE_UNARY(name, slot, text)                                             \
    PyObject *ouro_dispatch_##name(PyObject *self);

/* --- slot_dispatch_number.c ---------------------------------------------------------------- */

OURO_BINARY_OPERATORS(OURO_DECLARE_BINARY)
OURO_INPLACE_OPERATORS(OURO_DECLARE_BINARY)
OURO_UNARY_OPERATORS(OURO_DECLARE_UNARY)
PyObject *ouro_dispatch_pow(PyObject *self, PyObject *other, PyObject *modulus);
PyObject *ouro_dispatch_ipow(PyObject *self, PyObject *other, PyObject *modulus);
int ouro_dispatch_bool(PyObject *self);

/* --- slot_dispatch.c ------------------------------------------------------------------------- */

PyObject *ouro_dispatch_repr(PyObject *self);
PyObject *ouro_dispatch_str(PyObject *self);
Py_hash_t ouro_dispatch_hash(PyObject *self);
PyObject *ouro_dispatch_richcompare(PyObject *self, PyObject *other, int op);
PyObject *ouro_dispatch_iter(PyObject *self);
PyObject *ouro_dispatch_next(PyObject *self);
PyObject *ouro_dispatch_await(PyObject *self);
PyObject *ouro_dispatch_aiter(PyObject *self);
PyObject *ouro_dispatch_anext(PyObject *self);
PyObject *ouro_dispatch_call(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *ouro_dispatch_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
int ouro_dispatch_init(PyObject *self, PyObject *args, PyObject *kwargs);
void ouro_dispatch_del(PyObject *self);

/* --- slot_dispatch_item.c ---------------------------------------------------------------------- */

Py_ssize_t ouro_dispatch_len(PyObject *self);
PyObject *ouro_dispatch_getitem(PyObject *self, PyObject *key);
PyObject *ouro_dispatch_item(PyObject *self, Py_ssize_t index);
int ouro_dispatch_setitem(PyObject *self, PyObject *key, PyObject *value);
int ouro_dispatch_ass_item(PyObject *self, Py_ssize_t index, PyObject *value);
int ouro_dispatch_contains(PyObject *self, PyObject *value);
/* __getattribute__, then __getattr__. */
PyObject *ouro_dispatch_getattr(PyObject *self, PyObject *name);
int ouro_dispatch_setattr(PyObject *self, PyObject *name, PyObject *value);
PyObject *ouro_dispatch_get(PyObject *self, PyObject *object, PyObject *type);
int ouro_dispatch_set(PyObject *self, PyObject *object, PyObject *value);

/* --- finding the method -------------------------------------------------------------------------- */

/* The method `special` of the type of `self`. 1 and an owned *method: with *bound it is to
 * be called without self. 0: none; -1: an exception. */
int ouro_special_find(PyObject *self, enum special special, PyObject **method,
                      bool *bound);
/* Call it with args[0], self, and what follows. 1, or 0 and *result NULL when there is no
 * such method; *result is NULL with an exception when the call failed. */
int ouro_special_try(enum special special, PyObject *const *args, size_t nargs,
                     PyObject **result);

#endif
