/* SPDX-License-Identifier: MIT */
/* What weak references and weak proxies have in common. */
#ifndef OURO_API_WEAKREF_H
#define OURO_API_WEAKREF_H

#include "../object/weakref.h"

/* A new weak reference of type `type`, or the shared one without callback that
 * `find_shared` finds; `callback` may be NULL or None. NULL with TypeError when objects
 * such as `ob` cannot be referred to weakly. */
PyObject *ouro_weakref_make(PyTypeObject *type, PyObject *ob, PyObject *callback,
                            PyWeakReference *(*find_shared)(PyObject *));

/* Slots of all weak reference types. */
void ouro_weakref_dealloc(PyObject *self);
int ouro_weakref_traverse(PyObject *self, visitproc visit, void *arg);
int ouro_weakref_clear(PyObject *self);

#endif
