/* SPDX-License-Identifier: MIT */
/* The names of types. */
#include "helpers.h"

TEST_PY(heap_types_have_a_module)
{
    PyTypeObject *type = make_plain_type("pack.mod.Thing", NULL);
    EXPECT_TEXT(PyType_GetName(type), "Thing");
    EXPECT_TEXT(PyType_GetQualName(type), "Thing");
    EXPECT_TEXT(PyType_GetModuleName(type), "pack.mod");
    EXPECT_TEXT(PyType_GetFullyQualifiedName(type), "pack.mod.Thing");
    EXPECT_STR(_PyType_Name(type), "Thing");
    Py_DECREF(type);
}

TEST_PY(main_and_builtins_are_left_out_of_full_names)
{
    PyTypeObject *type = make_plain_type("__main__.Thing", NULL);
    EXPECT_TEXT(PyType_GetFullyQualifiedName(type), "Thing");
    EXPECT_TEXT(PyObject_Repr((PyObject *)type), "<class '__main__.Thing'>");
    Py_DECREF(type);
    EXPECT_TEXT(PyType_GetFullyQualifiedName(&PyList_Type), "list");
}

TEST_PY(static_types_have_their_module_in_tp_name)
{
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "a.b.C"};
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT_TEXT(PyType_GetName(&type), "C");
    EXPECT_TEXT(PyType_GetModuleName(&type), "a.b");
    EXPECT_TEXT(PyType_GetFullyQualifiedName(&type), "a.b.C");
    EXPECT_TEXT(PyType_GetModuleName(&PyList_Type), "builtins");
}

TEST_PY(a_heap_type_without_a_dot_has_no_module)
{
    PyTypeObject *type = make_plain_type("Alone", NULL);
    EXPECT_NULL(PyType_GetModuleName(type));
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_TEXT(PyType_GetFullyQualifiedName(type), "Alone");
    Py_DECREF(type);
}
