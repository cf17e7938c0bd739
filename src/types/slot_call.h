/* SPDX-License-Identifier: MIT */
/* How the wrapper of a slot calls the function in it: one wrapperfunc for each shape. */
#ifndef OURO_TYPES_SLOT_CALL_H
#define OURO_TYPES_SLOT_CALL_H

#include "type.h"

#define OURO_SLOT_CALL(name)                                                             \
    PyObject *ouro_slot_call_##name(PyObject *self, PyObject *args, void *wrapped)
#define OURO_SLOT_CALL_KEYWORDS(name)                                                    \
    PyObject *ouro_slot_call_##name(PyObject *self, PyObject *args, void *wrapped,       \
                                    PyObject *kwargs)

OURO_SLOT_CALL(unary);       /* f(self) */
OURO_SLOT_CALL(binary);      /* f(self, other) */
OURO_SLOT_CALL(reflected);   /* f(other, self) */
OURO_SLOT_CALL(power);       /* f(self, other, modulus or None) */
OURO_SLOT_CALL(power_of);    /* f(other, self, modulus or None) */
OURO_SLOT_CALL(truth);       /* int as bool */
OURO_SLOT_CALL(length);      /* Py_ssize_t */
OURO_SLOT_CALL(hash);        /* Py_hash_t */
OURO_SLOT_CALL(repeat);      /* f(self, index) */
OURO_SLOT_CALL(get_item);    /* f(self, index), negative ones counted from the end */
OURO_SLOT_CALL(set_item);    /* f(self, index, value) */
OURO_SLOT_CALL(delete_item); /* f(self, index, NULL) */
OURO_SLOT_CALL(contains);    /* f(self, other) as bool */
OURO_SLOT_CALL(set_key);     /* f(self, key, value) */
OURO_SLOT_CALL(delete_key);  /* f(self, key, NULL) */
OURO_SLOT_CALL(set_attribute);
OURO_SLOT_CALL(delete_attribute);
OURO_SLOT_CALL(next); /* StopIteration at the end */
OURO_SLOT_CALL(descriptor_get);
OURO_SLOT_CALL(descriptor_set);
OURO_SLOT_CALL(descriptor_delete);
OURO_SLOT_CALL(finalizer);
OURO_SLOT_CALL(less);
OURO_SLOT_CALL(less_equal);
OURO_SLOT_CALL(equal);
OURO_SLOT_CALL(not_equal);
OURO_SLOT_CALL(greater);
OURO_SLOT_CALL(greater_equal);
OURO_SLOT_CALL_KEYWORDS(call); /* f(self, args, kwargs) */
OURO_SLOT_CALL_KEYWORDS(init); /* the same, returning int */

#endif
