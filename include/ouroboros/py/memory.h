/* SPDX-License-Identifier: MIT */
/* Memory: the raw, mem and object domains, and objects that are not containers.
 *
 * A size of 0 yields a unique pointer. Blocks of one domain must be freed by it. The
 * containers of gcsupport.h have a heap of their own. */
#ifndef OURO_PY_MEMORY_H
#define OURO_PY_MEMORY_H

#include "typeobject.h"

OURO_BEGIN_DECLS

/* Raw: no thread state needed. NULL when out of memory, without exception. */
PyAPI_FUNC(void *) PyMem_RawMalloc(size_t size);
PyAPI_FUNC(void *) PyMem_RawCalloc(size_t nelem, size_t elsize);
PyAPI_FUNC(void *) PyMem_RawRealloc(void *ptr, size_t new_size);
PyAPI_FUNC(void) PyMem_RawFree(void *ptr);

/* Mem and object: the caller is attached. NULL when out of memory, without exception. */
PyAPI_FUNC(void *) PyMem_Malloc(size_t size);
PyAPI_FUNC(void *) PyMem_Calloc(size_t nelem, size_t elsize);
PyAPI_FUNC(void *) PyMem_Realloc(void *ptr, size_t new_size);
PyAPI_FUNC(void) PyMem_Free(void *ptr);
PyAPI_FUNC(void *) PyObject_Malloc(size_t size);
PyAPI_FUNC(void *) PyObject_Calloc(size_t nelem, size_t elsize);
PyAPI_FUNC(void *) PyObject_Realloc(void *ptr, size_t new_size);
/* Free a block of the object domain; a block of the collector's heap is fatal. */
PyAPI_FUNC(void) PyObject_Free(void *ptr);

#define PyMem_New(type, n)                                                               \
    (((size_t)(n) > PY_SSIZE_T_MAX / sizeof(type))                                       \
         ? NULL                                                                          \
         : ((type *)PyMem_Malloc((size_t)(n) * sizeof(type))))
#define PyMem_Resize(p, type, n)                                                         \
    ((p) = ((size_t)(n) > PY_SSIZE_T_MAX / sizeof(type))                                 \
               ? NULL                                                                    \
               : (type *)PyMem_Realloc((p), (size_t)(n) * sizeof(type)))
#define PyMem_MALLOC     PyMem_Malloc
#define PyMem_REALLOC    PyMem_Realloc
#define PyMem_FREE       PyMem_Free
#define PyMem_NEW        PyMem_New
#define PyMem_RESIZE     PyMem_Resize
#define PyMem_Del        PyMem_Free
#define PyMem_DEL        PyMem_Free
#define PyObject_Del     PyObject_Free
#define PyObject_DEL     PyObject_Free
#define PyObject_MALLOC  PyObject_Malloc
#define PyObject_REALLOC PyObject_Realloc
#define PyObject_FREE    PyObject_Free

/* Set the header of a fresh block, or of a container that a type kept for reuse when it died:
 * count 1, type, a reference to a heap type. What the collector knows of a container stays as
 * it is. Returns op; NULL with MemoryError when op is NULL. */
PyAPI_FUNC(PyObject *) PyObject_Init(PyObject *op, PyTypeObject *type);
PyAPI_FUNC(PyVarObject *) PyObject_InitVar(PyVarObject *op, PyTypeObject *type,
                                           Py_ssize_t size);
/* The same for an object whose type is set already; takes no new reference to the type. */
PyAPI_FUNC(void) _Py_NewReference(PyObject *op);
#define PyObject_INIT(op, type) PyObject_Init(_PyObject_CAST(op), (type))
#define PyObject_INIT_VAR(op, type, size)                                                \
    PyObject_InitVar(_PyVarObject_CAST(op), (type), (size))

/* New objects of types without Py_TPFLAGS_HAVE_GC; the body is not initialised. NULL with
 * MemoryError; a negative size is a SystemError. */
PyAPI_FUNC(PyObject *) _PyObject_New(PyTypeObject *type);
PyAPI_FUNC(PyVarObject *) _PyObject_NewVar(PyTypeObject *type, Py_ssize_t size);
#define PyObject_New(TYPE, typeobj)          ((TYPE *)_PyObject_New(typeobj))
#define PyObject_NewVar(TYPE, typeobj, size) ((TYPE *)_PyObject_NewVar((typeobj), (size)))
#define PyObject_NEW(TYPE, typeobj)          PyObject_New(TYPE, typeobj)
#define PyObject_NEW_VAR(TYPE, typeobj, n)   PyObject_NewVar(TYPE, typeobj, n)

/* The bytes of an instance with n items, rounded up to a pointer. */
#define _PyObject_SIZE(typeobj) ((typeobj)->tp_basicsize)
#define _PyObject_VAR_SIZE(typeobj, n)                                                   \
    Py_SIZE_ROUND_UP((typeobj)->tp_basicsize + (n) * (typeobj)->tp_itemsize,             \
                     sizeof(void *))

/* --- allocators of the embedding program -------------------------------------------- */

typedef enum {
    PYMEM_DOMAIN_RAW,
    PYMEM_DOMAIN_MEM,
    PYMEM_DOMAIN_OBJ,
} PyMemAllocatorDomain;

typedef struct {
    void *ctx;
    void *(*malloc)(void *ctx, size_t size);
    void *(*calloc)(void *ctx, size_t nelem, size_t elsize);
    void *(*realloc)(void *ctx, void *ptr, size_t new_size);
    void (*free)(void *ctx, void *ptr);
} PyMemAllocatorEx;

/* Read or replace the functions behind a domain; replace them before Py_Initialize, or
 * with wrappers of what was there. */
PyAPI_FUNC(void) PyMem_GetAllocator(PyMemAllocatorDomain domain,
                                    PyMemAllocatorEx *allocator);
PyAPI_FUNC(void) PyMem_SetAllocator(PyMemAllocatorDomain domain,
                                    PyMemAllocatorEx *allocator);

OURO_END_DECLS

#endif
