/* SPDX-License-Identifier: MIT */
/* The type of functions written in Python. There are none here: the type exists so that
 * code which asks for them compiles and gets its answer. The accessors of their parts are in
 * function_parts.c. */
#include <Python.h>

static PyObject *
function_new(PyTypeObject *Py_UNUSED(type), PyObject *Py_UNUSED(args),
             PyObject *Py_UNUSED(kwargs))
{
    PyErr_SetString(PyExc_TypeError,
                    "cannot create 'function' instances: there is no Python code");
    return NULL;
}

PyTypeObject PyFunction_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "function",
    .tp_basicsize = sizeof(PyFunctionObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_doc = "Functions written in Python; there are none.",
    .tp_new = function_new,
};
