/* SPDX-License-Identifier: MIT */
/* Methods of built-in types that are added before a program first asks for an attribute. */
#include "../harness.h"

#include "../../src/api/methods.h"
#include "../../src/base/fault.h"

static PyTypeObject own_dict = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "t.OwnDict",
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

/* A subclass of dict that iterates in its own way: its methods are looked up by name. */
static PyObject *
new_own_dict(void)
{
    own_dict.tp_base = &PyDict_Type;
    own_dict.tp_iter = PyObject_SelfIter;
    REQUIRE_EQ(PyType_Ready(&own_dict), 0);
    PyObject *op = PyObject_CallNoArgs((PyObject *)&own_dict);
    REQUIRE_NOT_NULL(op);
    EXPECT_EQ(PyDict_SetItemString(op, "key", Py_None), 0);
    return op;
}

TEST_PY(a_program_that_asks_for_no_attribute_has_no_tables_of_methods)
{
    PyObject *list = PyList_New(0);
    EXPECT_EQ(PyObject_IsInstance(list, (PyObject *)&PyList_Type), 1);
    EXPECT_EQ(PyObject_Size(list), 0);
    Py_DECREF(list);
    PyErr_SetString(PyExc_ValueError, "printed");
    PyErr_Clear();
    PyGC_Collect();
    EXPECT(!ouro_methods_are_there);
}

TEST_PY(the_first_question_brings_all_methods)
{
    EXPECT(!ouro_methods_are_there);
    PyObject *text = PyUnicode_FromString("text");
    PyObject *upper = PyObject_CallMethod(text, "upper", NULL);
    EXPECT_STR(PyUnicode_AsUTF8(upper), "TEXT");
    EXPECT(ouro_methods_are_there);
    EXPECT_EQ(PyObject_HasAttrString((PyObject *)&PyFrozenSet_Type, "union"), 1);
    EXPECT_EQ(PyObject_HasAttrString((PyObject *)&PyLong_Type, "real"), 1);
    EXPECT_EQ(PyObject_HasAttrString((PyObject *)&PyLong_Type, "__dict__"), 1);
    EXPECT_EQ(PyObject_HasAttrString(Py_None, "__reduce_ex__"), 1);
    Py_XDECREF(upper);
    Py_DECREF(text);
}

TEST_PY(a_question_to_the_dict_of_a_type_brings_them_too)
{
    PyObject *dict = PyType_GetDict(&PyBytes_Type);
    EXPECT_EQ(PyDict_ContainsString(dict, "hex"), 1);
    Py_XDECREF(dict);
    PyObject *name = PyUnicode_FromString("insert");
    EXPECT_NOT_NULL(_PyType_Lookup(&PyList_Type, name));
    Py_DECREF(name);
}

TEST_PY(a_dict_that_lists_itself_is_merged_without_them)
{
    PyObject *source = new_own_dict(), *target = PyDict_New();
    PyObject *keys = PyMapping_Keys(source), *values = PyMapping_Values(source);
    EXPECT_EQ(PyList_Size(keys), 1);
    EXPECT_EQ(PyList_Size(values), 1);
    EXPECT_EQ(PyDict_Update(target, source), 0);
    EXPECT_EQ(PyDict_ContainsString(target, "key"), 1);
    EXPECT(!ouro_methods_are_there);
    Py_XDECREF(keys);
    Py_XDECREF(values);
    Py_DECREF(source);
    Py_DECREF(target);
}

TEST_PY(without_memory_for_them_the_question_is_a_MemoryError_and_can_be_repeated)
{
    PyObject *text = PyUnicode_FromString("text"), *value = NULL;
    int failures = 0;
    if (!OURO_DEBUG) {
        SKIP("needs a build that can fail allocations");
    }
    for (int n = 1; value == NULL && n < 10000; n++) {
        ouro_fault_arm(n);
        value = PyObject_GetAttrString(text, "upper");
        ouro_fault_arm(0);
        if (value == NULL) {
            EXPECT(PyErr_ExceptionMatches(PyExc_MemoryError));
            PyErr_Clear();
            failures++;
        }
    }
    EXPECT_NOT_NULL(value);
    EXPECT(failures > 0);
    EXPECT_EQ(PyObject_HasAttrString((PyObject *)&PyTuple_Type, "index"), 1);
    Py_XDECREF(value);
    Py_DECREF(text);
}
