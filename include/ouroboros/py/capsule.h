/* SPDX-License-Identifier: MIT */
/* Capsules: a C pointer as an object, with a name that says what it points to. */
#ifndef OURO_PY_CAPSULE_H
#define OURO_PY_CAPSULE_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

typedef void (*PyCapsule_Destructor)(PyObject *);

PyAPI_DATA(PyTypeObject) PyCapsule_Type;
#define PyCapsule_CheckExact(op) Py_IS_TYPE((op), &PyCapsule_Type)

/* A capsule with `pointer`, which must not be NULL. The name is kept, not copied, and may
 * be NULL; so may the destructor, which is called with the capsule when that dies. A new
 * reference; NULL with ValueError or MemoryError. */
PyAPI_FUNC(PyObject *) PyCapsule_New(void *pointer, const char *name,
                                     PyCapsule_Destructor destructor);
/* The pointer of a capsule with that name; NULL with ValueError when `capsule` is none or
 * has another name. */
PyAPI_FUNC(void *) PyCapsule_GetPointer(PyObject *capsule, const char *name);
/* What the capsule has; NULL is a valid value. NULL with ValueError when it is none. */
PyAPI_FUNC(PyCapsule_Destructor) PyCapsule_GetDestructor(PyObject *capsule);
PyAPI_FUNC(void *) PyCapsule_GetContext(PyObject *capsule);
PyAPI_FUNC(const char *) PyCapsule_GetName(PyObject *capsule);
/* 1 if `op` is a capsule with that name and a pointer, else 0. Never fails. */
PyAPI_FUNC(int) PyCapsule_IsValid(PyObject *op, const char *name);
/* Change it. 0; or -1 with ValueError when `capsule` is none, or `pointer` is NULL. */
PyAPI_FUNC(int) PyCapsule_SetPointer(PyObject *capsule, void *pointer);
PyAPI_FUNC(int) PyCapsule_SetDestructor(PyObject *capsule,
                                        PyCapsule_Destructor destructor);
PyAPI_FUNC(int) PyCapsule_SetName(PyObject *capsule, const char *name);
PyAPI_FUNC(int) PyCapsule_SetContext(PyObject *capsule, void *context);
/* The pointer of the capsule with this whole name ("module.attribute"), after importing the
 * module. NULL with ImportError, or AttributeError when that is no such capsule. */
PyAPI_FUNC(void *) PyCapsule_Import(const char *name, int no_block);

OURO_END_DECLS

#endif
