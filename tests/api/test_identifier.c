/* SPDX-License-Identifier: MIT */
/* Names in static variables, as sources for CPython before 3.13 have them. */
#include "../protocol.h"

_Py_IDENTIFIER(append);
_Py_IDENTIFIER(spam);

TEST_PY(an_identifier_is_an_interned_string)
{
    PyObject *name = _PyUnicode_FromId(&PyId_append);
    REQUIRE_NOT_NULL(name);
    EXPECT_STR(PyUnicode_AsUTF8(name), "append");
    EXPECT(PyUnicode_CHECK_INTERNED(name));
    EXPECT_EQ(_PyUnicode_FromId(&PyId_append), name);
    EXPECT_EQ(Py_REFCNT(name) > 0,
              1); /* the interpreter keeps it, so that it can be borrowed */
}

TEST_PY(identifiers_name_methods_attributes_and_keys)
{
    PyObject *list = PyList_New(0), *one = number(1), *value = NULL;
    Py_XDECREF(_PyObject_CallMethodId(list, &PyId_append, "i", 5));
    Py_XDECREF(_PyObject_CallMethodIdObjArgs(list, &PyId_append, one, NULL));
    EXPECT_EQ(PyList_Size(list), 2);
    EXPECT_NULL(_PyObject_CallMethodIdNoArgs(list, &PyId_spam));
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_NULL(_PyObject_GetAttrId(list, &PyId_spam));
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_EQ(_PyObject_LookupAttrId(list, &PyId_spam, &value), 0);
    EXPECT_NULL(value);
    EXPECT_EQ(_PyObject_SetAttrId(list, &PyId_spam, one), -1);
    EXPECT_RAISED(PyExc_AttributeError);
    PyObject *dict = PyDict_New();
    EXPECT_EQ(_PyDict_SetItemId(dict, &PyId_spam, one), 0);
    EXPECT_EQ(_PyDict_GetItemIdWithError(dict, &PyId_spam), one);
    Py_DECREF(dict);
    Py_DECREF(one);
    Py_DECREF(list);
}
