/* SPDX-License-Identifier: MIT */
/* None, NotImplemented, Ellipsis, and the table of constants. */
#include <Python.h>

#include "arguments.h"

/* --- None ----------------------------------------------------------------------------- */

static PyObject *
none_repr(PyObject *Py_UNUSED(self))
{
    return PyUnicode_FromString("None");
}

static int
none_bool(PyObject *Py_UNUSED(self))
{
    return 0;
}

static Py_hash_t
none_hash(PyObject *Py_UNUSED(self))
{
    return 0xFCA86420;
}

/* The types of the singletons take no arguments and return the singleton. */
static PyObject *
give_singleton(PyObject *singleton, PyObject *args, PyObject *kwargs)
{
    if (PyTuple_GET_SIZE(args) != 0 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)) {
        return PyErr_Format(PyExc_TypeError, "%s takes no arguments",
                            Py_TYPE(singleton)->tp_name);
    }
    return Py_NewRef(singleton);
}

static PyObject *
none_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    return give_singleton(Py_None, args, kwargs);
}

/* Immortal objects are never destroyed. If this fires: the program wrote into the count. */
static void
singleton_dealloc(PyObject *self)
{
    Py_SET_REFCNT(self, PY_SSIZE_T_MAX);
}

static PyNumberMethods none_as_number = {
    .nb_bool = none_bool,
};

PyTypeObject _PyNone_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "NoneType",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = singleton_dealloc,
    .tp_repr = none_repr,
    .tp_as_number = &none_as_number,
    .tp_hash = none_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "The type of the None singleton.",
    .tp_new = none_new,
};

PyObject _Py_NoneStruct = {{_Py_IMMORTAL_REFCNT}, &_PyNone_Type};

/* --- NotImplemented -------------------------------------------------------------------- */

static PyObject *
notimplemented_repr(PyObject *Py_UNUSED(self))
{
    return PyUnicode_FromString("NotImplemented");
}

static int
notimplemented_bool(PyObject *Py_UNUSED(self))
{
    PyErr_SetString(PyExc_TypeError,
                    "NotImplemented should not be used in a boolean context");
    return -1;
}

static PyObject *
notimplemented_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    return give_singleton(Py_NotImplemented, args, kwargs);
}

static PyNumberMethods notimplemented_as_number = {
    .nb_bool = notimplemented_bool,
};

PyTypeObject _PyNotImplemented_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "NotImplementedType",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = singleton_dealloc,
    .tp_repr = notimplemented_repr,
    .tp_as_number = &notimplemented_as_number,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "The type of the NotImplemented singleton.",
    .tp_new = notimplemented_new,
};

PyObject _Py_NotImplementedStruct = {{_Py_IMMORTAL_REFCNT}, &_PyNotImplemented_Type};

/* --- Ellipsis --------------------------------------------------------------------------- */

static PyObject *
ellipsis_repr(PyObject *Py_UNUSED(self))
{
    return PyUnicode_FromString("Ellipsis");
}

static PyObject *
ellipsis_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    return give_singleton(Py_Ellipsis, args, kwargs);
}

PyTypeObject PyEllipsis_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "ellipsis",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = singleton_dealloc,
    .tp_repr = ellipsis_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "The type of the Ellipsis singleton.",
    .tp_new = ellipsis_new,
};

PyObject _Py_EllipsisObject = {{_Py_IMMORTAL_REFCNT}, &PyEllipsis_Type};

/* --- constants -------------------------------------------------------------------------- */

PyObject *
Py_GetConstant(unsigned int constant_id)
{
    switch (constant_id) {
    case Py_CONSTANT_NONE:
        return Py_None;
    case Py_CONSTANT_FALSE:
        return Py_False;
    case Py_CONSTANT_TRUE:
        return Py_True;
    case Py_CONSTANT_ELLIPSIS:
        return Py_Ellipsis;
    case Py_CONSTANT_NOT_IMPLEMENTED:
        return Py_NotImplemented;
    case Py_CONSTANT_ZERO:
        return PyLong_FromLong(0);
    case Py_CONSTANT_ONE:
        return PyLong_FromLong(1);
    case Py_CONSTANT_EMPTY_STR:
        return PyUnicode_FromStringAndSize("", 0);
    case Py_CONSTANT_EMPTY_BYTES:
        return PyBytes_FromStringAndSize("", 0);
    case Py_CONSTANT_EMPTY_TUPLE:
        return PyTuple_New(0);
    default:
        return PyErr_Format(PyExc_SystemError,
                            "Py_GetConstant: no constant has number %u", constant_id);
    }
}

PyObject *
Py_GetConstantBorrowed(unsigned int constant_id)
{
    return Py_GetConstant(constant_id);
}

int(Py_IsNone)(PyObject *x)
{
    return x == Py_None;
}
