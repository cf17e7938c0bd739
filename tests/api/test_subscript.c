/* SPDX-License-Identifier: MIT */
/* len(o), o[key], o[key] = v and del o[key]. */
#include "../protocol.h"

static PyObject *hint_result; /* what __length_hint__ returns; NULL: raises TypeError */

static PyObject *
length_hint(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    if (hint_result == NULL) {
        PyErr_SetString(PyExc_TypeError, "no idea");
    }
    return Py_XNewRef(hint_result);
}

static PyMethodDef hint_methods[] = {
    {"__length_hint__", length_hint, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot hint_slots[] = {{Py_tp_methods, hint_methods}, {0, NULL}};
static PyType_Spec hint_spec = {"test.Hint", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                hint_slots};

/* A sequence of three numbers that only has sequence slots. */
static PyObject *stored;

static Py_ssize_t
three_length(PyObject *Py_UNUSED(o))
{
    return 3;
}

static PyObject *
three_item(PyObject *Py_UNUSED(o), Py_ssize_t i)
{
    if (i < 0 || i > 2) {
        PyErr_SetString(PyExc_IndexError, "three");
        return NULL;
    }
    return PyLong_FromSsize_t(i);
}

static int
three_ass_item(PyObject *Py_UNUSED(o), Py_ssize_t i, PyObject *v)
{
    Py_XSETREF(stored, v == NULL ? PyUnicode_FromFormat("del %zd", i)
                                 : PyUnicode_FromFormat("%zd = %R", i, v));
    return 0;
}

static PyType_Slot three_slots[] = {
    {Py_sq_length, three_length},
    {Py_sq_item, three_item},
    {Py_sq_ass_item, three_ass_item},
    {0, NULL},
};
static PyType_Spec three_spec = {"test.Three", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                 three_slots};

TEST_PY(size_asks_sequences_and_mappings)
{
    PyObject *dict = PyDict_New(), *three = instance_of_spec(&three_spec);
    EXPECT_EQ(PyObject_Size(dict), 0);
    EXPECT_EQ(PyObject_Length(three), 3);
    EXPECT_EQ(PyObject_Size(Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "object of type 'NoneType' has no len()");
    EXPECT_EQ(PyObject_Size(NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(dict);
    Py_DECREF(three);
}

TEST_PY(length_hint_is_length_then_hint_then_default)
{
    PyObject *three = instance_of_spec(&three_spec), *hint = instance_of_spec(&hint_spec);
    EXPECT_EQ(PyObject_LengthHint(three, 9), 3);
    EXPECT_EQ(PyObject_LengthHint(Py_None, 9), 9);
    EXPECT_EQ(PyObject_LengthHint(hint, 9), 9); /* it raises TypeError */
    EXPECT_NO_ERROR();
    hint_result = Py_NotImplemented;
    EXPECT_EQ(PyObject_LengthHint(hint, 9), 9);
    hint_result = number(5);
    EXPECT_EQ(PyObject_LengthHint(hint, 9), 5);
    hint_result = number(-5);
    EXPECT_EQ(PyObject_LengthHint(hint, 9), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "__length_hint__() should return >= 0");
    hint_result = Py_None;
    EXPECT_EQ(PyObject_LengthHint(hint, 9), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "__length_hint__ must be an integer, not NoneType");
    Py_DECREF(three);
    Py_DECREF(hint);
}

TEST_PY(keys_of_a_sequence_are_indices)
{
    PyObject *three = instance_of_spec(&three_spec), *minus = number(-1),
             *far = number(7);
    PyObject *huge = PyLong_FromString("1000000000000000000000", NULL, 10);
    EXPECT_REPR_OF(PyObject_GetItem(three, minus), "2");
    EXPECT_NULL(PyObject_GetItem(three, far));
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_NULL(PyObject_GetItem(three, huge));
    EXPECT_RAISED_TEXT(PyExc_IndexError, "cannot fit 'int' into an index-sized integer");
    EXPECT_NULL(PyObject_GetItem(three, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "sequence index must be integer, not 'NoneType'");
    EXPECT_EQ(PyObject_SetItem(three, minus, Py_True), 0);
    EXPECT_REPR_OF(Py_NewRef(stored), "'2 = True'");
    EXPECT_EQ(PyObject_DelItem(three, minus), 0);
    EXPECT_REPR_OF(Py_NewRef(stored), "'del 2'");
    Py_CLEAR(stored);
    Py_DECREF(huge);
    Py_DECREF(minus);
    Py_DECREF(three);
}

TEST_PY(what_has_no_items_says_so)
{
    PyObject *key = number(0);
    EXPECT_NULL(PyObject_GetItem(Py_None, key));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not subscriptable");
    EXPECT_EQ(PyObject_SetItem(Py_None, key, key), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'NoneType' object does not support item assignment");
    EXPECT_EQ(PyObject_DelItem(Py_None, key), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'NoneType' object does not support item deletion");
    EXPECT_NULL(PyObject_GetItem((PyObject *)&PyFloat_Type, key));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "type 'float' is not subscriptable");
    EXPECT_NULL(PyObject_GetItem(NULL, key));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyObject_SetItem(Py_None, key, NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(items_of_dicts_by_object_and_by_chars)
{
    PyObject *dict = PyDict_New(), *key = text("k");
    EXPECT_EQ(PyObject_SetItem(dict, key, Py_True), 0);
    EXPECT_EQ(PyObject_GetItem(dict, key), Py_True);
    EXPECT_EQ(PyObject_DelItemString(dict, "k"), 0);
    EXPECT_EQ(PyObject_DelItem(dict, key), -1);
    EXPECT_RAISED(PyExc_KeyError);
    Py_DECREF(key);
    Py_DECREF(dict);
}
