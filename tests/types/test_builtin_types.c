/* SPDX-License-Identifier: MIT */
/* The static types of the library. */
#include "helpers.h"

static PyTypeObject *const some_types[] = {
    &PyBaseObject_Type,  &PyType_Type,        &PyUnicode_Type,     &PyTuple_Type,
    &PyDict_Type,        &PyList_Type,        &PyLong_Type,        &PyBool_Type,
    &PyFloat_Type,       &PyBytes_Type,       &PyCFunction_Type,   &PyMethod_Type,
    &PyMemberDescr_Type, &PyGetSetDescr_Type, &_PyWeakref_RefType, &_PyNone_Type,
};

TEST_PY(builtin_types_are_finished_when_somebody_asks_for_their_dict)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(some_types); i++) {
        PyTypeObject *type = some_types[i];
        Py_XDECREF(PyType_GetDict(type));
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

TEST_PY(a_type_is_finished_by_its_first_instance)
{
    EXPECT_EQ(PyType_HasFeature(&PyCapsule_Type, Py_TPFLAGS_READY), OURO_CHECK);
    PyObject *capsule = PyCapsule_New(&capsule, NULL, NULL);
    EXPECT(PyType_HasFeature(&PyCapsule_Type, Py_TPFLAGS_READY));
    EXPECT_NOT_NULL(PyCapsule_Type.tp_getattro); /* inherited */
    Py_XDECREF(capsule);
    EXPECT_EQ(PyType_HasFeature(&PySet_Type, Py_TPFLAGS_READY), OURO_CHECK);
    PyObject *set = PySet_New(NULL);
    EXPECT(PyType_HasFeature(&PySet_Type, Py_TPFLAGS_READY));
    Py_XDECREF(set);
}

TEST_PY(a_type_is_finished_when_it_is_called_or_a_slot_is_asked_for)
{
    EXPECT_EQ(PyType_HasFeature(&PyComplex_Type, Py_TPFLAGS_READY), OURO_CHECK);
    EXPECT_EQ(PyType_GetSlot(&PyComplex_Type, Py_tp_getattro),
              (void *)PyObject_GenericGetAttr);
    EXPECT(PyType_HasFeature(&PyComplex_Type, Py_TPFLAGS_READY));
    EXPECT_EQ(PyType_HasFeature(&PyProperty_Type, Py_TPFLAGS_READY), OURO_CHECK);
    PyObject *property = PyObject_CallNoArgs((PyObject *)&PyProperty_Type);
    EXPECT(PyType_HasFeature(&PyProperty_Type, Py_TPFLAGS_READY));
    Py_XDECREF(property);
}

/* Two types of the library that have not been finished yet. */
TEST_PY(subclasses_are_complete_though_nobody_used_them)
{
    PyObject *list =
        PyObject_CallMethod((PyObject *)&PyBaseObject_Type, "__subclasses__", NULL);
    REQUIRE_NOT_NULL(list);
    EXPECT_EQ(PySequence_Contains(list, (PyObject *)&PyMemoryView_Type), 1);
    EXPECT_EQ(PySequence_Contains(list, (PyObject *)&PyProperty_Type), 1);
    Py_DECREF(list);
    list = PyObject_CallMethod(PyExc_Warning, "__subclasses__", NULL);
    EXPECT_EQ(PySequence_Contains(list, PyExc_UserWarning), 1);
    Py_XDECREF(list);
}

TEST_PY(an_exception_is_finished_when_it_is_raised)
{
    PyTypeObject *type = (PyTypeObject *)PyExc_ZeroDivisionError;
    EXPECT_EQ(PyType_HasFeature(type, Py_TPFLAGS_READY), OURO_CHECK);
    EXPECT(PyExceptionClass_Check(PyExc_ZeroDivisionError));
    PyErr_SetString(PyExc_ZeroDivisionError, "no");
    EXPECT(PyErr_ExceptionMatches(PyExc_ArithmeticError));
    PyObject *exc = PyErr_GetRaisedException();
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_READY));
    Py_XDECREF(exc);
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
