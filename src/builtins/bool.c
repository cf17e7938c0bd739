/* SPDX-License-Identifier: MIT */
/* bool: a subtype of int with two immortal instances. */
#include <Python.h>

#include "arguments.h"

PyObject *
PyBool_FromLong(long value)
{
    return value ? Py_True : Py_False;
}

static PyObject *
bool_repr(PyObject *self)
{
    return PyUnicode_FromString(self == Py_True ? "True" : "False");
}

static PyObject *
bool_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    if (!ouro_args_positional("bool", kwargs) ||
        !ouro_args_between("bool", PyTuple_GET_SIZE(args), 0, 1)) {
        return NULL;
    }
    if (PyTuple_GET_SIZE(args) == 0) {
        return Py_False;
    }
    int truth = PyObject_IsTrue(PyTuple_GET_ITEM(args, 0));
    return truth < 0 ? NULL : PyBool_FromLong(truth);
}

/* &, | and ^ of two bools are bools; anything else is arithmetic. */
static PyObject *
bool_and(PyObject *a, PyObject *b)
{
    if (!PyBool_Check(a) || !PyBool_Check(b)) {
        return PyLong_Type.tp_as_number->nb_and(a, b);
    }
    return PyBool_FromLong((a == Py_True) & (b == Py_True));
}

static PyObject *
bool_or(PyObject *a, PyObject *b)
{
    if (!PyBool_Check(a) || !PyBool_Check(b)) {
        return PyLong_Type.tp_as_number->nb_or(a, b);
    }
    return PyBool_FromLong((a == Py_True) | (b == Py_True));
}

static PyObject *
bool_xor(PyObject *a, PyObject *b)
{
    if (!PyBool_Check(a) || !PyBool_Check(b)) {
        return PyLong_Type.tp_as_number->nb_xor(a, b);
    }
    return PyBool_FromLong((a == Py_True) ^ (b == Py_True));
}

static void
bool_dealloc(PyObject *self)
{
    Py_SET_REFCNT(self, PY_SSIZE_T_MAX);
}

static PyNumberMethods bool_as_number = {
    .nb_and = bool_and,
    .nb_xor = bool_xor,
    .nb_or = bool_or,
};

PyTypeObject PyBool_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "bool",
    .tp_basicsize = offsetof(PyLongObject, ob_digit),
    .tp_itemsize = sizeof(uint32_t),
    .tp_dealloc = bool_dealloc,
    .tp_repr = bool_repr,
    .tp_as_number = &bool_as_number,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_LONG_SUBCLASS,
    .tp_doc = "bool(object=False, /)\n--\n\nTrue when the argument is true, else False.",
    .tp_base = &PyLong_Type,
    .tp_new = bool_new,
};

PyLongObject _Py_FalseStruct = {PyVarObject_HEAD_INIT(&PyBool_Type, 0){0, 0}};
PyLongObject _Py_TrueStruct = {PyVarObject_HEAD_INIT(&PyBool_Type, 1){1, 0}};

int(Py_IsTrue)(PyObject *x)
{
    return x == Py_True;
}

int(Py_IsFalse)(PyObject *x)
{
    return x == Py_False;
}
