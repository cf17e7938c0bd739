/* SPDX-License-Identifier: MIT */
/* Adding objects to modules. */
#include "modules.h"

#define SPAM_LEVEL 7
#define SPAM_NAME  "eggs"

TEST_PY(constants_are_added)
{
    PyObject *module = PyModule_New("spam");
    EXPECT_EQ(PyModule_AddIntMacro(module, SPAM_LEVEL), 0);
    EXPECT_EQ(PyModule_AddStringMacro(module, SPAM_NAME), 0);
    EXPECT_EQ(PyModule_AddIntConstant(module, "low", -1), 0);
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "SPAM_LEVEL"), "7");
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "SPAM_NAME"), "'eggs'");
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "low"), "-1");
    Py_DECREF(module);
}

TEST_PY(the_three_ways_differ_in_who_owns_the_value)
{
    PyObject *module = PyModule_New("spam"), *value = PyList_New(0);
    EXPECT_EQ(PyModule_AddObjectRef(module, "a", value), 0);
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_EQ(PyModule_Add(module, "b", Py_NewRef(value)), 0);
    EXPECT_EQ(Py_REFCNT(value), 3);
    EXPECT_EQ(PyModule_AddObject(module, "c", Py_NewRef(value)), 0);
    EXPECT_EQ(Py_REFCNT(value), 4);

    EXPECT_EQ(PyModule_AddObjectRef(Py_None, "a", value), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "PyModule_AddObjectRef() first argument must be a module");
    EXPECT_EQ(Py_REFCNT(value), 4);
    EXPECT_EQ(PyModule_Add(Py_None, "a", Py_NewRef(value)), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(Py_REFCNT(value), 4); /* the reference is taken on failure, too */
    EXPECT_EQ(PyModule_AddObject(Py_None, "a", Py_NewRef(value)), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(Py_REFCNT(value), 5); /* the reference is not taken */
    Py_DECREF(value);
    Py_DECREF(module);
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(value);
}

TEST_PY(a_null_value_passes_its_exception_on)
{
    PyObject *module = PyModule_New("spam");
    EXPECT_EQ(PyModule_AddObjectRef(module, "a", NULL), -1);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "PyModule_AddObjectRef() must be called with "
                                          "an exception raised if value is NULL");
    PyErr_SetString(PyExc_KeyError, "mine");
    EXPECT_EQ(PyModule_Add(module, "a", NULL), -1);
    EXPECT_RAISED(PyExc_KeyError);
    EXPECT_EQ(PyModule_AddObject(module, "a", NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(module);
}

static PyTypeObject dotted_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pkg.spam.Dotted",
    .tp_basicsize = sizeof(PyObject),
};
static PyTypeObject broken_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "spam.Broken",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_HAVE_GC,
};

TEST_PY(a_type_is_finished_and_added_under_its_last_name)
{
    PyObject *module = PyModule_New("spam");
    EXPECT_EQ(PyModule_AddType(module, &dotted_type), 0);
    EXPECT(PyType_HasFeature(&dotted_type, Py_TPFLAGS_READY));
    PyObject *found = PyObject_GetAttrString(module, "Dotted");
    EXPECT_EQ(found, &dotted_type);
    Py_XDECREF(found);
    EXPECT_EQ(PyModule_AddType(module, &broken_type), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(module);
}

static PyObject *
return_none(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(unused))
{
    Py_RETURN_NONE;
}

TEST_PY(functions_belong_to_the_module)
{
    static PyMethodDef good[] = {{"f", return_none, METH_NOARGS, NULL},
                                 {NULL, NULL, 0, NULL}};
    static PyMethodDef bad[] = {{"f", return_none, METH_NOARGS | METH_STATIC, NULL},
                                {NULL, NULL, 0, NULL}};
    PyObject *module = PyModule_New("spam");
    EXPECT_EQ(PyModule_AddFunctions(module, good), 0);
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "f"), "<built-in function f>");
    EXPECT_EQ(PyModule_AddFunctions(module, bad), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError,
                       "module functions cannot set METH_CLASS or METH_STATIC");
    EXPECT_EQ(PyModule_AddFunctions(Py_None, good), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyModule_SetDocString(module, "text"), 0);
    EXPECT_EQ(PyModule_SetDocString(Py_None, "text"), -1);
    EXPECT_RAISED(PyExc_AttributeError);
    Py_DECREF(module);
}
