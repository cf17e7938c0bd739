/* SPDX-License-Identifier: MIT */
/* The static types of the library. */
#include "helpers.h"

static PyTypeObject *const some_types[] = {
    &PyBaseObject_Type,  &PyType_Type,        &PyUnicode_Type,     &PyTuple_Type,
    &PyDict_Type,        &PyList_Type,        &PyLong_Type,        &PyBool_Type,
    &PyFloat_Type,       &PyBytes_Type,       &PyCFunction_Type,   &PyMethod_Type,
    &PyMemberDescr_Type, &PyGetSetDescr_Type, &_PyWeakref_RefType, &_PyNone_Type,
};

TEST_PY(builtin_types_are_ready_from_the_start)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(some_types); i++) {
        PyTypeObject *type = some_types[i];
        EXPECT(PyType_HasFeature(type, Py_TPFLAGS_READY));
        EXPECT(PyUnstable_IsImmortal((PyObject *)type));
        EXPECT(PyUnstable_IsImmortal(type->tp_dict));
        EXPECT_NOT_NULL(type->tp_dealloc);
        EXPECT_NOT_NULL(type->tp_free);
        if (PyType_IS_GC(type)) {
            EXPECT_NOT_NULL(type->tp_traverse);
            EXPECT_NE(type->tp_free, PyObject_Free);
        }
    }
}

TEST_PY(exceptions_are_ready_from_the_start)
{
    PyTypeObject *type = (PyTypeObject *)PyExc_ZeroDivisionError;
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_READY));
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_BASE_EXC_SUBCLASS));
    EXPECT(PyType_IsSubtype(type, (PyTypeObject *)PyExc_ArithmeticError));
    EXPECT(PyType_IS_GC(type));
}

TEST(builtin_types_survive_the_end_of_the_library)
{
    for (int i = 0; i < 3; i++) {
        Py_Initialize();
        PyObject *list = PyObject_CallNoArgs((PyObject *)&PyList_Type);
        EXPECT_NOT_NULL(list);
        EXPECT_EQ(PyList_Append(list, Py_None), 0);
        PyObject *cls = PyObject_GetAttrString(list, "__class__");
        EXPECT_EQ(cls, (PyObject *)&PyList_Type);
        Py_XDECREF(cls);
        Py_XDECREF(list);
        EXPECT_EQ(Py_FinalizeEx(), 0);
    }
}
