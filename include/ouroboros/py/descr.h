/* SPDX-License-Identifier: MIT */
/* Descriptors: attributes of a type that act when they are looked up on an instance. */
#ifndef OURO_PY_DESCR_H
#define OURO_PY_DESCR_H

#include "cfunction.h"
#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

/* --- computed attributes ------------------------------------------------------------- */

/* One entry of tp_getset; the table ends with a NULL name. */
struct PyGetSetDef {
    const char *name;
    getter get;      /* new reference; or NULL with an exception */
    setter set;      /* value NULL: delete; NULL: the attribute is read-only */
    const char *doc; /* may be NULL */
    void *closure;   /* passed to both */
};

/* --- fields as attributes --------------------------------------------------------------- */

/* One entry of tp_members; the table ends with a NULL name. */
struct PyMemberDef {
    const char *name;
    int type; /* Py_T_... */
    Py_ssize_t offset;
    int flags;
    const char *doc; /* may be NULL */
};

/* The C type of the field, and the object it is read as. */
#define Py_T_SHORT          0  /* short: int */
#define Py_T_INT            1  /* int: int */
#define Py_T_LONG           2  /* long: int */
#define Py_T_FLOAT          3  /* float: float */
#define Py_T_DOUBLE         4  /* double: float */
#define Py_T_STRING         5  /* const char *: str, None when NULL; read-only */
#define _Py_T_OBJECT        6  /* PyObject *: None when NULL */
#define Py_T_CHAR           7  /* char: str of length 1 */
#define Py_T_BYTE           8  /* signed char: int */
#define Py_T_UBYTE          9  /* unsigned char: int */
#define Py_T_USHORT         10 /* unsigned short: int */
#define Py_T_UINT           11 /* unsigned int: int */
#define Py_T_ULONG          12 /* unsigned long: int */
#define Py_T_STRING_INPLACE 13 /* char[]: str; read-only */
#define Py_T_BOOL           14 /* char: bool */
#define Py_T_OBJECT_EX      16 /* PyObject *: AttributeError when NULL */
#define Py_T_LONGLONG       17 /* long long: int */
#define Py_T_ULONGLONG      18 /* unsigned long long: int */
#define Py_T_PYSSIZET       19 /* Py_ssize_t: int */
#define _Py_T_NONE          20 /* no field: None; read-only */

#define Py_READONLY          1
#define Py_AUDIT_READ        2 /* no effect */
#define _Py_WRITE_RESTRICTED 4 /* no effect */
/* The offset counts from PyObject_GetTypeData of the type that has the table. */
#define Py_RELATIVE_OFFSET 8

/* Read the field that `member` describes of the object at `addr`. A new reference; NULL
 * with AttributeError for an empty Py_T_OBJECT_EX, SystemError for an unknown kind or
 * Py_RELATIVE_OFFSET. */
PyAPI_FUNC(PyObject *) PyMember_GetOne(const char *addr, PyMemberDef *member);
/* Write it; `value` is borrowed, NULL deletes (object fields only). 0; or -1 with
 * AttributeError (read-only, or nothing to delete), TypeError (wrong kind of value, not
 * deletable), OverflowError, SystemError as above. A number that does not fit the field
 * is cut with a RuntimeWarning. */
PyAPI_FUNC(int) PyMember_SetOne(char *addr, PyMemberDef *member, PyObject *value);

/* --- descriptor objects ------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyTypeObject *d_type; /* owned */
    PyObject *d_name;     /* owned str, interned */
    PyObject *d_qualname; /* owned str, made when first asked for; or NULL */
} PyDescrObject;

#define PyDescr_COMMON  PyDescrObject d_common
#define PyDescr_TYPE(x) (((PyDescrObject *)(x))->d_type)
#define PyDescr_NAME(x) (((PyDescrObject *)(x))->d_name)

typedef struct {
    PyDescr_COMMON;
    PyMethodDef *d_method;
    vectorcallfunc vectorcall;
} PyMethodDescrObject;

typedef struct {
    PyDescr_COMMON;
    PyMemberDef *d_member;
} PyMemberDescrObject;

typedef struct {
    PyDescr_COMMON;
    PyGetSetDef *d_getset;
} PyGetSetDescrObject;

/* How a wrapper calls the slot function `wrapped`: with the arguments as a tuple, and in
 * the second form a dict of keywords, or NULL. A new reference; or NULL with an
 * exception. */
typedef PyObject *(*wrapperfunc)(PyObject *self, PyObject *args, void *wrapped);
typedef PyObject *(*wrapperfunc_kwds)(PyObject *self, PyObject *args, void *wrapped,
                                      PyObject *kwds);

/* What is known about a special method that stands for a slot. */
struct wrapperbase {
    const char *name;
    int offset;     /* here: the slot's number, Py_tp_repr ... */
    void *function; /* fills the slot of a class that has such a method; or NULL */
    wrapperfunc wrapper;
    const char *doc;
    int flags;
    PyObject *name_strobj; /* not used by descriptors; may be NULL */
};
#define PyWrapperFlag_KEYWORDS 1 /* wrapper is a wrapperfunc_kwds */

typedef struct {
    PyDescr_COMMON;
    struct wrapperbase *d_base;
    void *d_wrapped; /* the slot function */
} PyWrapperDescrObject;

PyAPI_DATA(PyTypeObject) PyMethodDescr_Type;
PyAPI_DATA(PyTypeObject) PyClassMethodDescr_Type;
PyAPI_DATA(PyTypeObject) PyMemberDescr_Type;
PyAPI_DATA(PyTypeObject) PyGetSetDescr_Type;
PyAPI_DATA(PyTypeObject) PyWrapperDescr_Type;
PyAPI_DATA(PyTypeObject) _PyMethodWrapper_Type;
PyAPI_DATA(PyTypeObject) PyDictProxy_Type;
/* property(fget, fset, fdel, doc): an attribute that is computed. */
PyAPI_DATA(PyTypeObject) PyProperty_Type;

/* Descriptors for one entry of a table of `type`. The entry must outlive the descriptor;
 * the type is kept with a strong reference. Tracked. A new reference; NULL with
 * SystemError for bad METH_ flags, or MemoryError. */
PyAPI_FUNC(PyObject *) PyDescr_NewMethod(PyTypeObject *type, PyMethodDef *method);
PyAPI_FUNC(PyObject *) PyDescr_NewClassMethod(PyTypeObject *type, PyMethodDef *method);
PyAPI_FUNC(PyObject *) PyDescr_NewMember(PyTypeObject *type, PyMemberDef *member);
PyAPI_FUNC(PyObject *) PyDescr_NewGetSet(PyTypeObject *type, PyGetSetDef *getset);
/* A descriptor that makes the slot function `wrapped` of `type` callable as a method; both
 * it and `base` must outlive the descriptor. PyType_Ready makes them for the slots that a
 * type fills. A new reference; NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyDescr_NewWrapper(PyTypeObject *type, struct wrapperbase *base,
                                          void *wrapped);
/* Such a descriptor bound to `self`, an instance of its type: a method-wrapper object. A
 * new reference; NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyWrapper_New(PyObject *descr, PyObject *self);
/* A read-only view of `mapping`, which is kept with a strong reference: a mappingproxy. A
 * new reference; NULL with TypeError when it is no mapping, or MemoryError. */
PyAPI_FUNC(PyObject *) PyDictProxy_New(PyObject *mapping);
/* Non-zero when the descriptor handles assignment, so that it comes before the instance
 * dict. */
PyAPI_FUNC(int) PyDescr_IsData(PyObject *descr);

OURO_END_DECLS

#endif
