/* SPDX-License-Identifier: MIT */
/* What the files of exceptions share. */
#ifndef OURO_BUILTINS_EXCEPTION_OBJECT_H
#define OURO_BUILTINS_EXCEPTION_OBJECT_H

#include <Python.h>

#include <stdbool.h>

static inline PyBaseExceptionObject *
ouro_exception(PyObject *op)
{
    return (PyBaseExceptionObject *)op;
}

/* The slots of BaseException, which most types use as they are. */
PyObject *ouro_exception_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
int ouro_exception_init(PyObject *self, PyObject *args, PyObject *kwargs);
int ouro_exception_traverse(PyObject *self, visitproc visit, void *arg);
int ouro_exception_clear(PyObject *self);
void ouro_exception_dealloc(PyObject *self);
PyObject *ouro_exception_str(PyObject *self);

/* The flags of every exception type. */
#define OURO_EXCEPTION_FLAGS                                                             \
    (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |                     \
     Py_TPFLAGS_BASE_EXC_SUBCLASS)

/* --- exceptions with fields of their own ------------------------------------------------- */

#define OURO_EXCEPTION_FIELDS_MAX 5

struct exception_with_fields {
    PyBaseExceptionObject base;
    PyObject *fields
        [OURO_EXCEPTION_FIELDS_MAX]; /* owned, may be NULL; as many as the type has */
};

#define OURO_EXCEPTION_SIZE(count)                                                       \
    (offsetof(struct exception_with_fields, fields) + (count) * sizeof(PyObject *))
#define OURO_EXCEPTION_MEMBER(name, number, kind)                                        \
    {                                                                                    \
        (name), (kind), OURO_EXCEPTION_SIZE(number), 0, NULL                             \
    }

/* The slots of a type with two or five fields. */
#define OURO_EXCEPTION_TYPE(name_, count_)                                               \
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name_,                              \
                                        .tp_basicsize = OURO_EXCEPTION_SIZE(count_),     \
                                        .tp_dealloc = ouro_exception_dealloc##count_,    \
                                        .tp_flags = OURO_EXCEPTION_FLAGS,                \
                                        .tp_traverse = ouro_exception_traverse##count_,  \
                                        .tp_clear = ouro_exception_clear##count_,        \
                                        .tp_dictoffset =                                 \
                                            offsetof(PyBaseExceptionObject, dict),       \
                                        .tp_alloc = PyType_GenericAlloc,                 \
                                        .tp_free = PyObject_GC_Del

/* Types defined in exception_fields.c, exception_os.c and exception_unicode.c. */
extern PyTypeObject ouro_StopIteration, ouro_SystemExit, ouro_OSError, ouro_ImportError,
    ouro_AttributeError, ouro_NameError, ouro_SyntaxError;
extern PyTypeObject ouro_UnicodeDecodeError, ouro_UnicodeEncodeError,
    ouro_UnicodeTranslateError;
/* Types of exception_types.c that those derive from. */
extern PyTypeObject ouro_BaseException, ouro_Exception, ouro_UnicodeError;

/* Handlers for two and five fields. */
int ouro_exception_traverse2(PyObject *self, visitproc visit, void *arg);
int ouro_exception_clear2(PyObject *self);
void ouro_exception_dealloc2(PyObject *self);
int ouro_exception_traverse5(PyObject *self, visitproc visit, void *arg);
int ouro_exception_clear5(PyObject *self);
void ouro_exception_dealloc5(PyObject *self);

static inline PyObject **
ouro_exception_fields(PyObject *self)
{
    return ((struct exception_with_fields *)self)->fields;
}

/* `value` is borrowed, and may be NULL. */
static inline void
ouro_exception_set_field(PyObject *self, int number, PyObject *value)
{
    Py_XSETREF(ouro_exception_fields(self)[number], Py_XNewRef(value));
}

#endif
