/* SPDX-License-Identifier: MIT */
/* The object protocol: what can be done with an object of any type.
 *
 * Unless said otherwise: objects are returned as new references, NULL with an exception on
 * failure; ints are -1 with an exception on failure; arguments are borrowed. */
#ifndef OURO_PY_PROTOCOL_H
#define OURO_PY_PROTOCOL_H

#include "object.h"
#include "typeobject.h"

#include "cfunction.h"
#include "descr.h"
#include "call.h"
#include "iterate.h"
#include "sequence.h"
#include "mapping.h"
#include "number.h"
#include "slice.h"

OURO_BEGIN_DECLS

/* --- attributes ------------------------------------------------------------------------ */

/* o.name. AttributeError when there is none; TypeError when `name` is not a str. */
PyAPI_FUNC(PyObject *) PyObject_GetAttr(PyObject *o, PyObject *name);
PyAPI_FUNC(PyObject *) PyObject_GetAttrString(PyObject *o, const char *name);
/* 1 and a new reference in *result; 0 and NULL when there is no such attribute; -1 and
 * NULL with any other exception than AttributeError. */
PyAPI_FUNC(int) PyObject_GetOptionalAttr(PyObject *o, PyObject *name, PyObject **result);
PyAPI_FUNC(int) PyObject_GetOptionalAttrString(PyObject *o, const char *name,
                                               PyObject **result);
/* The same for names that are not methods of built-in types: a static program that calls
 * this alone does not get those methods. */
PyAPI_FUNC(int) _PyObject_FindAttrString(PyObject *o, const char *name,
                                         PyObject **result);
#define _PyObject_LookupAttr(o, name, result)                                            \
    PyObject_GetOptionalAttr((o), (name), (result))
/* 1 or 0; -1 with any other exception than AttributeError. */
PyAPI_FUNC(int) PyObject_HasAttrWithError(PyObject *o, PyObject *name);
PyAPI_FUNC(int) PyObject_HasAttrStringWithError(PyObject *o, const char *name);
/* The same; errors are reported as unraisable and count as 0. */
PyAPI_FUNC(int) PyObject_HasAttr(PyObject *o, PyObject *name);
PyAPI_FUNC(int) PyObject_HasAttrString(PyObject *o, const char *name);
/* o.name = value; a NULL value deletes. 0 or -1. */
PyAPI_FUNC(int) PyObject_SetAttr(PyObject *o, PyObject *name, PyObject *value);
PyAPI_FUNC(int) PyObject_SetAttrString(PyObject *o, const char *name, PyObject *value);
PyAPI_FUNC(int) PyObject_DelAttr(PyObject *o, PyObject *name);
PyAPI_FUNC(int) PyObject_DelAttrString(PyObject *o, const char *name);

/* tp_getattro and tp_setattro of most types: data descriptors of the type, the instance
 * dict, other attributes of the type, in this order. */
PyAPI_FUNC(PyObject *) PyObject_GenericGetAttr(PyObject *o, PyObject *name);
PyAPI_FUNC(int) PyObject_GenericSetAttr(PyObject *o, PyObject *name, PyObject *value);

/* Getter and setter of __dict__; the dict is made when first asked for. AttributeError
 * when instances have none; TypeError for another value than a dict. */
PyAPI_FUNC(PyObject *) PyObject_GenericGetDict(PyObject *o, void *context);
PyAPI_FUNC(int) PyObject_GenericSetDict(PyObject *o, PyObject *value, void *context);
/* Where `o` keeps the (owned) pointer to its instance dict; NULL without exception when
 * it has none. */
PyAPI_FUNC(PyObject **) _PyObject_GetDictPtr(PyObject *o);

/* For tp_traverse of a type with Py_TPFLAGS_MANAGED_DICT: visit the instance dict; the
 * result must be returned when it is not 0. 0 for other types. Safe in tp_traverse. */
PyAPI_FUNC(int) PyObject_VisitManagedDict(PyObject *o, visitproc visit, void *arg);
/* For tp_clear and tp_dealloc of such a type: release the instance dict; may be repeated.
 * Another owner of the dict keeps it with its contents. */
PyAPI_FUNC(void) PyObject_ClearManagedDict(PyObject *o);
#define _PyObject_VisitManagedDict PyObject_VisitManagedDict
#define _PyObject_ClearManagedDict PyObject_ClearManagedDict

/* The names of the attributes of `o`, a sorted list; __dir__() is asked when the type has
 * it. */
PyAPI_FUNC(PyObject *) PyObject_Dir(PyObject *o);

/* --- text -------------------------------------------------------------------------------- */

/* repr(o), str(o), and repr(o) with everything but ASCII escaped. "<NULL>" for NULL. */
PyAPI_FUNC(PyObject *) PyObject_Repr(PyObject *o);
PyAPI_FUNC(PyObject *) PyObject_Str(PyObject *o);
PyAPI_FUNC(PyObject *) PyObject_ASCII(PyObject *o);
/* format(o, spec); spec is a str, or NULL for an empty one. */
PyAPI_FUNC(PyObject *) PyObject_Format(PyObject *o, PyObject *spec);

/* Write repr(o), or with Py_PRINT_RAW str(o), to `file`. 0 or -1. */
PyAPI_FUNC(int) PyObject_Print(PyObject *o, FILE *file, int flags);
#define Py_PRINT_RAW 1

/* In tp_repr of a container, around the repr of its items. 0: go on; 1: `o` is already
 * being printed further up, so print something like "..."; -1 with an exception. Call
 * Leave after 0 only; it preserves a pending exception. */
PyAPI_FUNC(int) Py_ReprEnter(PyObject *o);
PyAPI_FUNC(void) Py_ReprLeave(PyObject *o);

/* --- comparing, hashing, truth --------------------------------------------------------------- */

/* o1 op o2, where op is one of Py_LT ... Py_GE. If neither operand answers, == and != compare
 * identity, and the others raise TypeError. */
PyAPI_FUNC(PyObject *) PyObject_RichCompare(PyObject *o1, PyObject *o2, int op);
/* The same as 1 or 0. An object equals itself, whatever its type says. */
PyAPI_FUNC(int) PyObject_RichCompareBool(PyObject *o1, PyObject *o2, int op);
/* hash(o), never -1. -1 with TypeError when unhashable. */
PyAPI_FUNC(Py_hash_t) PyObject_Hash(PyObject *o);
/* The tp_hash of object: from the address. Never fails. */
PyAPI_FUNC(Py_hash_t) PyObject_GenericHash(PyObject *o);
/* A tp_hash that says so. */
PyAPI_FUNC(Py_hash_t) PyObject_HashNotImplemented(PyObject *o);
/* Is `o` true? The opposite? 1 or 0. */
PyAPI_FUNC(int) PyObject_IsTrue(PyObject *o);
PyAPI_FUNC(int) PyObject_Not(PyObject *o);

/* --- types ------------------------------------------------------------------------------------- */

/* type(o). SystemError for NULL. */
PyAPI_FUNC(PyObject *) PyObject_Type(PyObject *o);
/* 1 or 0. `cls` is a type, a tuple of types and tuples, or an object with
 * __instancecheck__ or __subclasscheck__; else TypeError. */
PyAPI_FUNC(int) PyObject_IsInstance(PyObject *o, PyObject *cls);
PyAPI_FUNC(int) PyObject_IsSubclass(PyObject *derived, PyObject *cls);
/* The same for one class, without asking the class: what type.__instancecheck__ and
 * type.__subclasscheck__ do. */
PyAPI_FUNC(int) _PyObject_RealIsInstance(PyObject *o, PyObject *cls);
PyAPI_FUNC(int) _PyObject_RealIsSubclass(PyObject *derived, PyObject *cls);

/* --- size and items -------------------------------------------------------------------------------- */

/* len(o). TypeError when it has none. */
PyAPI_FUNC(Py_ssize_t) PyObject_Size(PyObject *o);
PyAPI_FUNC(Py_ssize_t) PyObject_Length(PyObject *o);
#define PyObject_Length(o) PyObject_Size(o)
/* len(o), else __length_hint__(), else `defaultvalue`. */
PyAPI_FUNC(Py_ssize_t) PyObject_LengthHint(PyObject *o, Py_ssize_t defaultvalue);
/* o[key], o[key] = value, del o[key]. */
PyAPI_FUNC(PyObject *) PyObject_GetItem(PyObject *o, PyObject *key);
PyAPI_FUNC(int) PyObject_SetItem(PyObject *o, PyObject *key, PyObject *value);
PyAPI_FUNC(int) PyObject_DelItem(PyObject *o, PyObject *key);
PyAPI_FUNC(int) PyObject_DelItemString(PyObject *o, const char *key);

OURO_END_DECLS

#endif
