/* SPDX-License-Identifier: MIT */
/* New exception classes. */
#include "../protocol.h"

TEST_PY(new_classes_derive_from_exception)
{
    PyObject *type = PyErr_NewExceptionWithDoc("mod.Oops", "Something.", NULL, NULL);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(((PyTypeObject *)type)->tp_base, (PyTypeObject *)PyExc_Exception);
    EXPECT_REPR_OF(PyObject_GetAttrString(type, "__doc__"), "'Something.'");
    EXPECT_REPR_OF(PyObject_GetAttrString(type, "__module__"), "'mod'");
    PyErr_SetString(type, "message");
    EXPECT(PyErr_ExceptionMatches(PyExc_Exception));
    EXPECT_RAISED_TEXT(type, "message");
    Py_DECREF(type);
}

TEST_PY(new_classes_take_bases_and_a_dict)
{
    PyObject *dict = PyDict_New(),
             *bases = PyTuple_Pack(2, PyExc_KeyError, PyExc_IndexError);
    PyDict_SetItemString(dict, "answer", number(42));
    PyObject *type = PyErr_NewException("mod.Both", bases, dict);
    REQUIRE_NOT_NULL(type);
    EXPECT(PyErr_GivenExceptionMatches(type, PyExc_IndexError));
    EXPECT(PyErr_GivenExceptionMatches(type, PyExc_KeyError));
    PyObject *e = PyObject_CallOneArg(type, Py_None);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "answer"), "42");
    Py_DECREF(e);
    Py_DECREF(type);
    Py_DECREF(bases);
    Py_DECREF(dict);
    EXPECT_NULL(PyErr_NewException("nodot", NULL, NULL));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(a_class_that_only_its_instances_hold_is_collected)
{
    PyObject *type = PyErr_NewException("mod.Cyclic", PyExc_OSError, NULL);
    PyObject *e = PyObject_CallNoArgs(type);
    PyObject *sub = PyErr_NewException("mod.Sub", type, NULL),
             *f = PyObject_CallNoArgs(sub);
    REQUIRE_NOT_NULL(f);
    EXPECT_EQ(PyObject_SetAttrString(e, "me", e), 0);
    EXPECT_EQ(PyObject_SetAttrString(f, "me", f), 0);
    PyObject *witness = PyWeakref_NewRef(type, NULL);
    Py_DECREF(type);
    Py_DECREF(sub);
    Py_DECREF(e);
    Py_DECREF(f);
    EXPECT_GT(PyGC_Collect(), 4);
    EXPECT_EQ(PyWeakref_IsDead(witness), 1);
    Py_XDECREF(witness);
}
