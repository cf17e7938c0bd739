/* SPDX-License-Identifier: MIT */
/* PyObject_Dir. */
#include "../protocol.h"

static PyObject *
my_dir(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    PyObject *b = text("b"), *a = text("a");
    PyObject *names = PyTuple_Pack(2, b, a);
    Py_DECREF(a);
    Py_DECREF(b);
    return names;
}

static PyMethodDef dir_methods[] = {
    {"__dir__", my_dir, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot dir_slots[] = {{Py_tp_methods, dir_methods}, {0, NULL}};
static PyType_Spec dir_spec = {"test.Dir", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                               dir_slots};

TEST_PY(dir_lists_the_names_of_instance_and_types_sorted)
{
    PyObject *list = PyList_New(0);
    PyObject *iterator = PySeqIter_New(list);
    PyObject *names = PyObject_Dir(iterator);
    REQUIRE_NOT_NULL(names);
    PyObject *own = text("__length_hint__"), *inherited = text("__class__");
    Py_ssize_t at_own = PySequence_Index(names, own);
    Py_ssize_t at_inherited = PySequence_Index(names, inherited);
    EXPECT_GE(at_inherited, 0);
    EXPECT_GT(at_own, at_inherited);
    Py_DECREF(own);
    Py_DECREF(inherited);
    Py_DECREF(names);
    names = PyObject_Dir((PyObject *)&PySeqIter_Type);
    EXPECT_GE(PyList_Size(names), 2);
    Py_DECREF(names);
    Py_DECREF(iterator);
    Py_DECREF(list);
}

TEST_PY(dir_asks_the_type_first)
{
    PyObject *type = PyType_FromSpec(&dir_spec);
    PyObject *o = PyObject_CallNoArgs(type);
    EXPECT_REPR_OF(PyObject_Dir(o), "['a', 'b']");
    Py_DECREF(o);
    Py_DECREF(type);
}

TEST_PY(there_are_no_frames_whose_names_could_be_listed)
{
    EXPECT_NULL(PyObject_Dir(NULL));
    EXPECT_RAISED(PyExc_SystemError);
}
