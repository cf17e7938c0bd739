/* SPDX-License-Identifier: MIT */
/* Callables written in C: method tables, built-in functions, bound methods. */
#ifndef OURO_PY_CFUNCTION_H
#define OURO_PY_CFUNCTION_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

/* --- method tables ------------------------------------------------------------------ */

typedef PyObject *(*PyCFunction)(PyObject *self, PyObject *args);
typedef PyObject *(*PyCFunctionWithKeywords)(PyObject *self, PyObject *args,
                                             PyObject *kwargs);
typedef PyObject *(*PyCFunctionFast)(PyObject *self, PyObject *const *args,
                                     Py_ssize_t nargs);
typedef PyObject *(*PyCFunctionFastWithKeywords)(PyObject *self, PyObject *const *args,
                                                 Py_ssize_t nargs, PyObject *kwnames);
typedef PyObject *(*PyCMethod)(PyObject *self, PyTypeObject *defining_class,
                               PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames);
typedef PyCFunctionFast _PyCFunctionFast;
typedef PyCFunctionFastWithKeywords _PyCFunctionFastWithKeywords;

/* To store a function of another shape in ml_meth without a warning. */
#define _PyCFunction_CAST(func) ((PyCFunction)(void (*)(void))(func))

/* One entry of a method table; the table ends with a NULL name. The table must outlive
 * everything made from it. */
struct PyMethodDef {
    const char *ml_name;
    PyCFunction ml_meth; /* its true shape follows from ml_flags */
    int ml_flags;
    const char *ml_doc; /* may be NULL */
};

/* How ml_meth is called. Exactly one of these shapes:
 *   NOARGS                      f(self, NULL)
 *   O                           f(self, arg)
 *   VARARGS                     f(self, tuple)
 *   VARARGS|KEYWORDS            f(self, tuple, dict or NULL)
 *   FASTCALL                    f(self, array, count)
 *   FASTCALL|KEYWORDS           f(self, array, count, names or NULL)
 *   METHOD|FASTCALL|KEYWORDS    f(self, class, array, count, names or NULL) */
#define METH_VARARGS  0x0001
#define METH_KEYWORDS 0x0002
#define METH_NOARGS   0x0004
#define METH_O        0x0008
/* In the table of a type: self is the class; or NULL. */
#define METH_CLASS  0x0010
#define METH_STATIC 0x0020
/* In the table of a type: replaces what a slot put there under the same name. */
#define METH_COEXIST   0x0040
#define METH_FASTCALL  0x0080
#define METH_STACKLESS 0x0000
#define METH_METHOD    0x0200

/* --- built-in functions --------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyMethodDef *m_ml;
    PyObject *m_self;   /* owned; passed as self; or NULL */
    PyObject *m_module; /* owned; __module__; or NULL */
    PyObject *m_weakreflist;
    vectorcallfunc vectorcall; /* NULL for the shapes that take a tuple */
} PyCFunctionObject;

typedef struct {
    PyCFunctionObject func;
    PyTypeObject *mm_class; /* owned; the defining class of a METH_METHOD function */
} PyCMethodObject;

PyAPI_DATA(PyTypeObject) PyCFunction_Type;
PyAPI_DATA(PyTypeObject) PyCMethod_Type;

#define PyCFunction_Check(op)      PyObject_TypeCheck((op), &PyCFunction_Type)
#define PyCFunction_CheckExact(op) Py_IS_TYPE((op), &PyCFunction_Type)
#define PyCMethod_Check(op)        PyObject_TypeCheck((op), &PyCMethod_Type)
#define PyCMethod_CheckExact(op)   Py_IS_TYPE((op), &PyCMethod_Type)

/* A callable for one entry of a method table. `self`, `module` and `cls` may be NULL and
 * are kept with strong references; `ml` must outlive the object. `cls` is given if and
 * only if the entry has METH_METHOD. The object is tracked. A new reference; NULL with
 * SystemError for flags that name no shape, or MemoryError. */
PyAPI_FUNC(PyObject *) PyCFunction_New(PyMethodDef *ml, PyObject *self);
PyAPI_FUNC(PyObject *) PyCFunction_NewEx(PyMethodDef *ml, PyObject *self,
                                         PyObject *module);
PyAPI_FUNC(PyObject *) PyCMethod_New(PyMethodDef *ml, PyObject *self, PyObject *module,
                                     PyTypeObject *cls);
#define PyCFunction_New(ml, self)           PyCMethod_New((ml), (self), NULL, NULL)
#define PyCFunction_NewEx(ml, self, module) PyCMethod_New((ml), (self), (module), NULL)

/* What the object was made from. Self is borrowed, and NULL for METH_STATIC functions.
 * Not a built-in function: SystemError and NULL, or -1. */
PyAPI_FUNC(PyCFunction) PyCFunction_GetFunction(PyObject *op);
PyAPI_FUNC(PyObject *) PyCFunction_GetSelf(PyObject *op);
PyAPI_FUNC(int) PyCFunction_GetFlags(PyObject *op);

/* The same without the check. */
#define PyCFunction_GET_FUNCTION(op) (((PyCFunctionObject *)(op))->m_ml->ml_meth)
#define PyCFunction_GET_FLAGS(op)    (((PyCFunctionObject *)(op))->m_ml->ml_flags)
#define PyCFunction_GET_SELF(op)                                                         \
    ((PyCFunction_GET_FLAGS(op) & METH_STATIC) ? NULL                                    \
                                               : ((PyCFunctionObject *)(op))->m_self)
#define PyCFunction_GET_CLASS(op)                                                        \
    ((PyCFunction_GET_FLAGS(op) & METH_METHOD) ? ((PyCMethodObject *)(op))->mm_class     \
                                               : NULL)

/* --- bound methods ------------------------------------------------------------------------ */

typedef struct {
    PyObject_HEAD
    PyObject *im_func; /* owned */
    PyObject *im_self; /* owned */
    PyObject *im_weakreflist;
    vectorcallfunc vectorcall;
} PyMethodObject;

PyAPI_DATA(PyTypeObject) PyMethod_Type;
#define PyMethod_Check(op)        Py_IS_TYPE((op), &PyMethod_Type)
#define PyMethod_GET_FUNCTION(op) (((PyMethodObject *)(op))->im_func)
#define PyMethod_GET_SELF(op)     (((PyMethodObject *)(op))->im_self)

/* A callable that calls `func` with `self` in front of the arguments. Tracked. A new
 * reference; NULL with SystemError when `self` is NULL, or MemoryError. */
PyAPI_FUNC(PyObject *) PyMethod_New(PyObject *func, PyObject *self);
/* Borrowed; NULL with SystemError when `op` is not a bound method. */
PyAPI_FUNC(PyObject *) PyMethod_Function(PyObject *op);
PyAPI_FUNC(PyObject *) PyMethod_Self(PyObject *op);

/* --- callables as methods ------------------------------------------------------------------- */

PyAPI_DATA(PyTypeObject) PyInstanceMethod_Type;
#define PyInstanceMethod_Check(op) Py_IS_TYPE((op), &PyInstanceMethod_Type)

/* Wrap `func`, any callable, so that it binds to instances when it is looked up on them, as
 * functions written in Python do. Tracked. A new reference; NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyInstanceMethod_New(PyObject *func);
/* What it wraps, borrowed; NULL with SystemError when `op` is none. GET does not check. */
PyAPI_FUNC(PyObject *) PyInstanceMethod_Function(PyObject *op);
#define PyInstanceMethod_GET_FUNCTION(op) PyInstanceMethod_Function(op)

/* --- static and class methods -------------------------------------------------------------- */

PyAPI_DATA(PyTypeObject) PyStaticMethod_Type;
PyAPI_DATA(PyTypeObject) PyClassMethod_Type;

/* Wrap `callable` so that attribute lookup yields it bare, or bound to the class. A new
 * reference; NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyStaticMethod_New(PyObject *callable);
PyAPI_FUNC(PyObject *) PyClassMethod_New(PyObject *callable);

OURO_END_DECLS

#endif
