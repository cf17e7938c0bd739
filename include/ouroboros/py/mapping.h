/* SPDX-License-Identifier: MIT */
/* The mapping protocol.
 *
 * Unless said otherwise: objects are returned as new references, NULL with an exception on
 * failure; numbers are -1 with an exception on failure; arguments are borrowed. */
#ifndef OURO_PY_MAPPING_H
#define OURO_PY_MAPPING_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

/* 1 if the type has mp_subscript, else 0. Lists and tuples have it too. Never fails. */
PyAPI_FUNC(int) PyMapping_Check(PyObject *o);
PyAPI_FUNC(Py_ssize_t) PyMapping_Size(PyObject *o);
PyAPI_FUNC(Py_ssize_t) PyMapping_Length(PyObject *o);
#define PyMapping_Length(o) PyMapping_Size(o)

/* Lists of what the methods keys(), values() and items() yield. */
PyAPI_FUNC(PyObject *) PyMapping_Keys(PyObject *o);
PyAPI_FUNC(PyObject *) PyMapping_Values(PyObject *o);
PyAPI_FUNC(PyObject *) PyMapping_Items(PyObject *o);

/* o[key]. */
PyAPI_FUNC(PyObject *) PyMapping_GetItemString(PyObject *o, const char *key);
/* 1 and a new reference; 0 and NULL when the key is missing (KeyError); -1 and NULL with
 * any other exception. */
PyAPI_FUNC(int) PyMapping_GetOptionalItem(PyObject *o, PyObject *key, PyObject **result);
PyAPI_FUNC(int) PyMapping_GetOptionalItemString(PyObject *o, const char *key,
                                                PyObject **result);
PyAPI_FUNC(int) PyMapping_SetItemString(PyObject *o, const char *key, PyObject *value);
#define PyMapping_DelItem(o, key) PyObject_DelItem((o), (key))
PyAPI_FUNC(int) PyMapping_DelItemString(PyObject *o, const char *key);
#define PyMapping_DelItemString(o, key) PyObject_DelItemString((o), (key))

/* 1 or 0; -1 with an exception when o[key] fails otherwise than with KeyError. */
PyAPI_FUNC(int) PyMapping_HasKeyWithError(PyObject *o, PyObject *key);
PyAPI_FUNC(int) PyMapping_HasKeyStringWithError(PyObject *o, const char *key);
/* The same; errors are reported as unraisable and count as 0. */
PyAPI_FUNC(int) PyMapping_HasKey(PyObject *o, PyObject *key);
PyAPI_FUNC(int) PyMapping_HasKeyString(PyObject *o, const char *key);

OURO_END_DECLS

#endif
