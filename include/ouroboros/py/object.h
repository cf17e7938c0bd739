/* SPDX-License-Identifier: MIT */
/* The object header, and the macros that read and write it.
 *
 * Every object starts with 16 bytes: a 32-bit reference count, 32 bits that belong to
 * the collector, and a pointer to its type. Nothing precedes the object unless its type
 * has a managed dict or managed weak references. */
#ifndef OURO_PY_OBJECT_H
#define OURO_PY_OBJECT_H

#include "port.h"

OURO_BEGIN_DECLS

typedef struct _object PyObject;
typedef struct _typeobject PyTypeObject;

struct _object {
    __extension__ union {
        uint64_t ob_header; /* both halves at once, for static initialisers */
        struct {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            uint32_t ob_gc;
            uint32_t ob_refcnt;
#else
            uint32_t ob_refcnt; /* immortal while its sign bit is set */
            uint32_t ob_gc;     /* the collector's; zero outside its heap */
#endif
        };
    };
    PyTypeObject *ob_type;
};

typedef struct {
    PyObject ob_base;
    Py_ssize_t ob_size;
} PyVarObject;

#define PyObject_HEAD     PyObject ob_base;
#define PyObject_VAR_HEAD PyVarObject ob_base;

/* Static objects are immortal from the start. */
#define _Py_IMMORTAL_REFCNT               0xC0000000u
#define PyObject_HEAD_INIT(type)          {{_Py_IMMORTAL_REFCNT}, (type)},
#define PyVarObject_HEAD_INIT(type, size) {PyObject_HEAD_INIT(type)(size)},
#define _PyObject_EXTRA_INIT

#define _PyObject_CAST(op)    ((PyObject *)(op))
#define _PyVarObject_CAST(op) ((PyVarObject *)(op))

/* --- function types ------------------------------------------------------------- */

typedef PyObject *(*unaryfunc)(PyObject *);
typedef PyObject *(*binaryfunc)(PyObject *, PyObject *);
typedef PyObject *(*ternaryfunc)(PyObject *, PyObject *, PyObject *);
typedef int (*inquiry)(PyObject *self);
typedef Py_ssize_t (*lenfunc)(PyObject *);
typedef PyObject *(*ssizeargfunc)(PyObject *, Py_ssize_t);
typedef PyObject *(*ssizessizeargfunc)(PyObject *, Py_ssize_t, Py_ssize_t);
typedef int (*ssizeobjargproc)(PyObject *, Py_ssize_t, PyObject *);
typedef int (*ssizessizeobjargproc)(PyObject *, Py_ssize_t, Py_ssize_t, PyObject *);
typedef int (*objobjargproc)(PyObject *, PyObject *, PyObject *);
typedef int (*objobjproc)(PyObject *, PyObject *);

/* The function that the library passes to a tp_traverse handler. The handler must return a
 * non-zero result at once. `object` must not be NULL. */
typedef int (*visitproc)(PyObject *object, void *arg);
typedef int (*printfunc)(PyObject *self, FILE *file, int flags); /* tp_print, up to 3.7 */
/* tp_traverse: call `visit` once for each strong reference that `self` owns. */
typedef int (*traverseproc)(PyObject *self, visitproc visit, void *arg);

typedef void (*freefunc)(void *);
typedef void (*destructor)(PyObject *);
typedef PyObject *(*getattrfunc)(PyObject *, char *);
typedef PyObject *(*getattrofunc)(PyObject *, PyObject *);
typedef int (*setattrfunc)(PyObject *, char *, PyObject *);
typedef int (*setattrofunc)(PyObject *, PyObject *, PyObject *);
typedef PyObject *(*reprfunc)(PyObject *);
typedef Py_hash_t (*hashfunc)(PyObject *);
typedef PyObject *(*richcmpfunc)(PyObject *, PyObject *, int);
typedef PyObject *(*getiterfunc)(PyObject *);
typedef PyObject *(*iternextfunc)(PyObject *);
typedef PyObject *(*descrgetfunc)(PyObject *, PyObject *, PyObject *);
typedef int (*descrsetfunc)(PyObject *, PyObject *, PyObject *);
typedef int (*initproc)(PyObject *, PyObject *, PyObject *);
typedef PyObject *(*newfunc)(PyTypeObject *, PyObject *, PyObject *);
typedef PyObject *(*allocfunc)(PyTypeObject *, Py_ssize_t);
typedef PyObject *(*vectorcallfunc)(PyObject *callable, PyObject *const *args,
                                    size_t nargsf, PyObject *kwnames);
typedef PyObject *(*getter)(PyObject *, void *);
typedef int (*setter)(PyObject *, PyObject *, void *);

/* --- header access -------------------------------------------------------------- */

/* The type of `op`, borrowed. Safe in tp_traverse. */
static inline PyTypeObject *
Py_TYPE(const PyObject *op)
{
    return op->ob_type;
}
#define Py_TYPE(op) Py_TYPE((const PyObject *)(op))

/* Replace the type. The caller moves the references to heap types, if any. */
static inline void
Py_SET_TYPE(PyObject *op, PyTypeObject *type)
{
    op->ob_type = type;
}
#define Py_SET_TYPE(op, type) Py_SET_TYPE(_PyObject_CAST(op), (type))

static inline int
Py_IS_TYPE(const PyObject *op, const PyTypeObject *type)
{
    return op->ob_type == type;
}
#define Py_IS_TYPE(op, type) Py_IS_TYPE((const PyObject *)(op), (type))

/* The number of items of a variable-size object. Safe in tp_traverse. */
static inline Py_ssize_t
Py_SIZE(const PyObject *op)
{
    return ((const PyVarObject *)op)->ob_size;
}
#define Py_SIZE(op) Py_SIZE((const PyObject *)(op))

static inline void
Py_SET_SIZE(PyVarObject *op, Py_ssize_t size)
{
    op->ob_size = size;
}
#define Py_SET_SIZE(op, size) Py_SET_SIZE(_PyVarObject_CAST(op), (size))

/* Identity tests; the function Py_Is exists for callers that need an address. */
PyAPI_FUNC(int) Py_Is(PyObject *x, PyObject *y);
PyAPI_FUNC(int) Py_IsNone(PyObject *x);
PyAPI_FUNC(int) Py_IsTrue(PyObject *x);
PyAPI_FUNC(int) Py_IsFalse(PyObject *x);
#define Py_Is(x, y)   ((PyObject *)(x) == (PyObject *)(y))
#define Py_IsNone(x)  Py_Is(x, Py_None)
#define Py_IsTrue(x)  Py_Is(x, Py_True)
#define Py_IsFalse(x) Py_Is(x, Py_False)

/* --- the immortal singletons ----------------------------------------------------- */

PyAPI_DATA(PyObject) _Py_NoneStruct;
PyAPI_DATA(PyObject) _Py_NotImplementedStruct;
PyAPI_DATA(PyObject) _Py_EllipsisObject;
#define Py_None                  (&_Py_NoneStruct)
#define Py_NotImplemented        (&_Py_NotImplementedStruct)
#define Py_Ellipsis              (&_Py_EllipsisObject)
#define Py_RETURN_NONE           return Py_None
#define Py_RETURN_NOTIMPLEMENTED return Py_NotImplemented

/* Rich comparison operators. */
#define Py_LT 0
#define Py_LE 1
#define Py_EQ 2
#define Py_NE 3
#define Py_GT 4
#define Py_GE 5

/* Return from a richcompare slot with the result of comparing two C values. */
#define Py_RETURN_RICHCOMPARE(val1, val2, op)                                            \
    do {                                                                                 \
        int _py_result = 0;                                                              \
        switch (op) {                                                                    \
        case Py_EQ:                                                                      \
            _py_result = (val1) == (val2);                                               \
            break;                                                                       \
        case Py_NE:                                                                      \
            _py_result = (val1) != (val2);                                               \
            break;                                                                       \
        case Py_LT:                                                                      \
            _py_result = (val1) < (val2);                                                \
            break;                                                                       \
        case Py_GT:                                                                      \
            _py_result = (val1) > (val2);                                                \
            break;                                                                       \
        case Py_LE:                                                                      \
            _py_result = (val1) <= (val2);                                               \
            break;                                                                       \
        default:                                                                         \
            _py_result = (val1) >= (val2);                                               \
            break;                                                                       \
        }                                                                                \
        return _py_result ? Py_True : Py_False;                                          \
    } while (0)

OURO_END_DECLS

#include "refcount.h"

#endif
