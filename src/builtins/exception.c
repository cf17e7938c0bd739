/* SPDX-License-Identifier: MIT */
/* BaseException: the fields and methods that every exception has.
 *
 * The types are listed in exception_types.c; those with fields of their own are in
 * exception_fields.c and exception_unicode.c; new ones are made in exception_class.c. */
#include "exception_object.h"

#include "arguments.h"

/* --- life --------------------------------------------------------------------------------------------- */

PyObject *
ouro_exception_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *self = type->tp_alloc(type, 0);
    if (self != NULL) {
        ouro_exception(self)->args = args != NULL ? Py_NewRef(args) : PyTuple_New(0);
    }
    return self;
}

int
ouro_exception_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (!ouro_args_positional(Py_TYPE(self)->tp_name, kwargs)) {
        return -1;
    }
    Py_XSETREF(ouro_exception(self)->args, Py_NewRef(args));
    return 0;
}

int
ouro_exception_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyBaseExceptionObject *e = ouro_exception(self);
    Py_VISIT(e->dict);
    Py_VISIT(e->args);
    Py_VISIT(e->notes);
    Py_VISIT(e->traceback);
    Py_VISIT(e->context);
    Py_VISIT(e->cause);
    return 0;
}

int
ouro_exception_clear(PyObject *self)
{
    PyBaseExceptionObject *e = ouro_exception(self);
    Py_CLEAR(e->dict);
    Py_CLEAR(e->args);
    Py_CLEAR(e->notes);
    Py_CLEAR(e->traceback);
    Py_CLEAR(e->context);
    Py_CLEAR(e->cause);
    return 0;
}

void
ouro_exception_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    ouro_exception_clear(self);
    Py_TYPE(self)->tp_free(self);
}

/* --- text ---------------------------------------------------------------------------------------------- */

/* The arguments; the empty tuple once they were cleared. New reference. */
static PyObject *
args_of_exception(PyObject *self)
{
    PyObject *args = ouro_exception(self)->args;
    return args != NULL ? Py_NewRef(args) : PyTuple_New(0);
}

PyObject *
ouro_exception_str(PyObject *self)
{
    PyObject *args = args_of_exception(self), *result;
    switch (PyTuple_GET_SIZE(args)) {
    case 0:
        result = PyUnicode_FromString("");
        break;
    case 1:
        result = PyObject_Str(PyTuple_GET_ITEM(args, 0));
        break;
    default:
        result = PyObject_Str(args);
        break;
    }
    Py_DECREF(args);
    return result;
}

static PyObject *
exception_repr(PyObject *self)
{
    const char *name = Py_TYPE(self)->tp_name;
    const char *dot = strrchr(name, '.');
    name = dot != NULL ? dot + 1 : name;
    PyObject *args = args_of_exception(self);
    PyObject *result =
        PyTuple_GET_SIZE(args) == 1
            ? PyUnicode_FromFormat("%s(%R)", name, PyTuple_GET_ITEM(args, 0))
            : PyUnicode_FromFormat("%s%R", name, args);
    Py_DECREF(args);
    return result;
}

/* --- attributes ------------------------------------------------------------------------------------------ */

static PyObject *
exception_get_args(PyObject *self, void *Py_UNUSED(closure))
{
    return args_of_exception(self);
}

static bool
not_deleted(PyObject *value, const char *name)
{
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s may not be deleted", name);
    }
    return value != NULL;
}

static int
exception_set_args(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    if (!not_deleted(value, "args")) {
        return -1;
    }
    PyObject *args = PySequence_Tuple(value);
    if (args == NULL) {
        return -1;
    }
    Py_XSETREF(ouro_exception(self)->args, args);
    return 0;
}

static PyObject *
none_when_null(PyObject *value)
{
    return value == NULL ? Py_NewRef(Py_None) : value;
}

static PyObject *
exception_get_traceback(PyObject *self, void *Py_UNUSED(closure))
{
    return none_when_null(PyException_GetTraceback(self));
}

static int
exception_set_traceback(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    return not_deleted(value, "__traceback__") ? PyException_SetTraceback(self, value)
                                               : -1;
}

/* Context and cause: an exception or None. */
static bool
is_exception_or_none(PyObject *value, const char *name)
{
    if (!not_deleted(value, name)) {
        return false;
    }
    if (value != Py_None && !PyExceptionInstance_Check(value)) {
        PyErr_Format(PyExc_TypeError,
                     "exception %s must be None or derive from BaseException", name);
        return false;
    }
    return true;
}

static PyObject *
exception_get_context(PyObject *self, void *Py_UNUSED(closure))
{
    return none_when_null(PyException_GetContext(self));
}

static int
exception_set_context(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    if (!is_exception_or_none(value, "context")) {
        return -1;
    }
    PyException_SetContext(self, value == Py_None ? NULL : Py_NewRef(value));
    return 0;
}

static PyObject *
exception_get_cause(PyObject *self, void *Py_UNUSED(closure))
{
    return none_when_null(PyException_GetCause(self));
}

static int
exception_set_cause(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    if (!is_exception_or_none(value, "cause")) {
        return -1;
    }
    PyException_SetCause(self, value == Py_None ? NULL : Py_NewRef(value));
    return 0;
}

static PyGetSetDef exception_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"args", exception_get_args, exception_set_args, NULL, NULL},
    {"__traceback__", exception_get_traceback, exception_set_traceback, NULL, NULL},
    {"__context__", exception_get_context, exception_set_context, NULL, NULL},
    {"__cause__", exception_get_cause, exception_set_cause, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef exception_members[] = {
    {"__suppress_context__", Py_T_BOOL, offsetof(PyBaseExceptionObject, suppress_context),
     0, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_BaseException = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "BaseException",
    .tp_basicsize = sizeof(PyBaseExceptionObject),
    .tp_dealloc = ouro_exception_dealloc,
    .tp_repr = exception_repr,
    .tp_str = ouro_exception_str,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = OURO_EXCEPTION_FLAGS,
    .tp_doc = "Common base class for all exceptions.",
    .tp_traverse = ouro_exception_traverse,
    .tp_clear = ouro_exception_clear,
    .tp_members = exception_members,
    .tp_getset = exception_getset,
    .tp_dictoffset = offsetof(PyBaseExceptionObject, dict),
    .tp_init = ouro_exception_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = ouro_exception_new,
    .tp_free = PyObject_GC_Del,
};

/* --- from C ------------------------------------------------------------------------------------------------ */

PyObject *
PyException_GetTraceback(PyObject *exc)
{
    return Py_XNewRef(ouro_exception(exc)->traceback);
}

int
PyException_SetTraceback(PyObject *exc, PyObject *tb)
{
    Py_XSETREF(ouro_exception(exc)->traceback, tb == Py_None ? NULL : Py_XNewRef(tb));
    return 0;
}

PyObject *
PyException_GetCause(PyObject *exc)
{
    return Py_XNewRef(ouro_exception(exc)->cause);
}

void
PyException_SetCause(PyObject *exc, PyObject *cause)
{
    ouro_exception(exc)->suppress_context = 1;
    Py_XSETREF(ouro_exception(exc)->cause, cause);
}

PyObject *
PyException_GetContext(PyObject *exc)
{
    return Py_XNewRef(ouro_exception(exc)->context);
}

void
PyException_SetContext(PyObject *exc, PyObject *context)
{
    Py_XSETREF(ouro_exception(exc)->context, context);
}

PyObject *
PyException_GetArgs(PyObject *exc)
{
    return args_of_exception(exc);
}

void
PyException_SetArgs(PyObject *exc, PyObject *args)
{
    Py_XSETREF(ouro_exception(exc)->args, Py_NewRef(args));
}

const char *
PyExceptionClass_Name(PyObject *type)
{
    return ((PyTypeObject *)type)->tp_name;
}
