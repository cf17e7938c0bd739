/* SPDX-License-Identifier: MIT */
/* Functions, generators and coroutines written in Python: no object is one here. */
#include "../protocol.h"

TEST_PY(nothing_is_a_function_or_a_generator)
{
    PyObject *function = PyObject_GetAttrString(PySys_GetObject("modules"), "keys");
    EXPECT(!PyFunction_Check(function) && !PyGen_Check(function) &&
           !PyGen_CheckExact(function));
    EXPECT(!PyCoro_CheckExact(function) && !PyAsyncGen_CheckExact(function));
    Py_DECREF(function);
    PyTypeObject *types[] = {&PyGen_Type, &PyCoro_Type, &PyAsyncGen_Type};
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(PyType_Ready(types[i]), 0);
        EXPECT_NULL(PyObject_CallNoArgs((PyObject *)types[i]));
        EXPECT_RAISED(PyExc_TypeError);
    }
}

TEST_PY(parts_of_what_is_no_function_are_an_error)
{
    PyObject *(*const get[])(PyObject *) = {
        PyFunction_GetCode,       PyFunction_GetGlobals, PyFunction_GetModule,
        PyFunction_GetDefaults,   PyFunction_GetClosure, PyFunction_GetAnnotations,
        PyFunction_GetKwDefaults,
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(get); i++) {
        EXPECT_NULL(get[i](Py_None));
        EXPECT_RAISED(PyExc_SystemError);
    }
    int (*const set[])(PyObject *, PyObject *) = {
        PyFunction_SetDefaults,
        PyFunction_SetKwDefaults,
        PyFunction_SetClosure,
        PyFunction_SetAnnotations,
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(set); i++) {
        EXPECT_EQ(set[i](Py_None, Py_None), -1);
        EXPECT_RAISED(PyExc_SystemError);
    }
    EXPECT_NULL(PyGen_GetCode((PyGenObject *)Py_None));
    EXPECT_RAISED(PyExc_SystemError);
}
