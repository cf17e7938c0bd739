/* SPDX-License-Identifier: MIT */
/* The mapping protocol. */
#include "../protocol.h"

/* A mapping that is no dict. Its only key is "there". None raises ValueError, every other key
 * KeyError. */
static PyObject *
odd_subscript(PyObject *Py_UNUSED(o), PyObject *key)
{
    if (key == Py_None) {
        PyErr_SetString(PyExc_ValueError, "not None");
        return NULL;
    }
    if (PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, "there") == 0) {
        return PyLong_FromLong(1);
    }
    PyErr_SetObject(PyExc_KeyError, key);
    return NULL;
}

static Py_ssize_t
odd_length(PyObject *Py_UNUSED(o))
{
    return 1;
}

static PyObject *
odd_keys(PyObject *Py_UNUSED(o), PyObject *Py_UNUSED(ignored))
{
    return PyUnicode_FromString("k"); /* iterable, not a list */
}

static PyObject *
odd_values(PyObject *Py_UNUSED(o), PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromLong(3);
}

static PyMethodDef odd_methods[] = {
    {"keys", odd_keys, METH_NOARGS, NULL},
    {"values", odd_values, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot odd_slots[] = {
    {Py_mp_subscript, odd_subscript},
    {Py_mp_length, odd_length},
    {Py_tp_methods, odd_methods},
    {0, NULL},
};
static PyType_Spec odd_spec = {"test.Odd", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                               odd_slots};

static PyObject *
new_odd(void)
{
    PyObject *type = PyType_FromSpec(&odd_spec);
    REQUIRE_NOT_NULL(type);
    PyObject *o = PyObject_CallNoArgs(type);
    REQUIRE_NOT_NULL(o);
    Py_DECREF(type);
    return o;
}

TEST_PY(mappings_are_told_by_their_subscript_slot)
{
    PyObject *dict = PyDict_New(), *odd = new_odd();
    EXPECT_EQ(PyMapping_Check(dict), 1);
    EXPECT_EQ(PyMapping_Check(odd), 1);
    EXPECT_EQ(PyMapping_Check(Py_None), 0);
    EXPECT_EQ(PyMapping_Check(NULL), 0);
    EXPECT_EQ(PyMapping_Size(dict), 0);
    EXPECT_EQ(PyMapping_Length(odd), 1);
    EXPECT_EQ(PyMapping_Size(Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "object of type 'NoneType' has no len()");
    EXPECT_EQ(PyMapping_Size(NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(dict);
    Py_DECREF(odd);
}

TEST_PY(keys_values_and_items_become_lists)
{
    PyObject *dict = PyDict_New(), *odd = new_odd();
    PyDict_SetItemString(dict, "k", Py_True);
    EXPECT_REPR_OF(PyMapping_Keys(dict), "['k']");
    EXPECT_REPR_OF(PyMapping_Values(dict), "[True]");
    EXPECT_REPR_OF(PyMapping_Items(dict), "[('k', True)]");
    EXPECT_REPR_OF(PyMapping_Keys(odd), "['k']");
    EXPECT_NULL(PyMapping_Values(odd));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "test.Odd.values() returned a non-iterable (type int)");
    EXPECT_NULL(PyMapping_Items(odd));
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "'test.Odd' object has no attribute 'items'");
    EXPECT_NULL(PyMapping_Keys(NULL));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(dict);
    Py_DECREF(odd);
}

TEST_PY(optional_items_tell_missing_from_failing)
{
    PyObject *dict = PyDict_New(), *odd = new_odd(), *value;
    EXPECT_EQ(PyMapping_SetItemString(dict, "k", Py_True), 0);
    EXPECT_EQ(PyMapping_GetItemString(dict, "k"), Py_True);
    EXPECT_NULL(PyMapping_GetItemString(dict, "z"));
    EXPECT_RAISED(PyExc_KeyError);
    EXPECT_EQ(PyMapping_GetOptionalItemString(dict, "k", &value), 1);
    EXPECT_EQ(value, Py_True);
    EXPECT_EQ(PyMapping_GetOptionalItemString(dict, "z", &value), 0);
    EXPECT_NULL(value);
    EXPECT_EQ(PyMapping_GetOptionalItemString(odd, "there", &value), 1);
    Py_DECREF(value);
    EXPECT_EQ(PyMapping_GetOptionalItemString(odd, "gone", &value), 0);
    EXPECT_EQ(PyMapping_GetOptionalItem(odd, Py_None, &value), -1);
    EXPECT_NULL(value);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyMapping_HasKeyStringWithError(odd, "there"), 1);
    EXPECT_EQ(PyMapping_HasKeyWithError(odd, Py_None), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyMapping_DelItemString(dict, "k"), 0);
    EXPECT_EQ(PyMapping_HasKeyString(dict, "k"), 0);
    EXPECT_NULL(PyMapping_GetItemString(dict, NULL));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(dict);
    Py_DECREF(odd);
}

TEST_PY(has_key_reports_other_errors_and_says_no)
{
    PyObject *odd = new_odd();
    capture_stderr_begin();
    EXPECT_EQ(PyMapping_HasKey(odd, Py_None), 0);
    char *printed = capture_stderr_end();
    EXPECT_HAS(printed, "not None");
    free(printed);
    EXPECT_NO_ERROR();
    Py_DECREF(odd);
}
