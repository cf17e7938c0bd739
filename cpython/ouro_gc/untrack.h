/* SPDX-License-Identifier: MIT */
/* Survivors that hold no containers are untracked, as CPython would untrack them: tuples in every
 * collection, dicts in full collections up to 3.13. */
#ifndef OURO_GC_UNTRACK_H
#define OURO_GC_UNTRACK_H

#include "plan.h"

#define DICTS_ARE_UNTRACKED (PY_VERSION_HEX < 0x030E0000)

/* Whether the object is of a type whose instances CPython may untrack in such a collection. */
static inline bool
may_be_untracked(PyObject *object, bool is_full)
{
    PyTypeObject *type = Py_TYPE(object);
    return type == &PyTuple_Type ||
           (DICTS_ARE_UNTRACKED && is_full && type == &PyDict_Type);
}

/* Untrack the object, a tuple or a dict, if CPython would. Returns whether it was untracked. */
bool untrack_if_atomic(const struct plans *plans, PyObject *object);

#endif
