/* SPDX-License-Identifier: MIT */
/* map, filter and zip. */
#include "calls.h"

#include <stdbool.h>

static PyObject *
make(PyTypeObject *type, PyObject *a, PyObject *b, bool strict)
{
    PyObject *args = PyTuple_Pack(2, a, b);
    PyObject *kwargs = strict ? Py_BuildValue("{sO}", "strict", Py_True) : NULL;
    PyObject *result = PyObject_Call((PyObject *)type, args, kwargs);
    Py_XDECREF(kwargs);
    Py_DECREF(args);
    return result;
}

/* A list of the iterator's items, or NULL with an exception. */
static PyObject *
listed(PyObject *iterator)
{
    PyObject *list = iterator == NULL ? NULL : PySequence_List(iterator);
    Py_XDECREF(iterator);
    return list;
}

TEST_PY(zip_ends_with_the_shortest)
{
    PyObject *a = list_of("123"), *b = list_of("45");
    EXPECT_REPR_OF(listed(make(&PyZip_Type, a, b, false)), "[(1, 4), (2, 5)]");
    EXPECT_NULL(listed(make(&PyZip_Type, a, b, true)));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "zip() argument 2 is shorter than argument 1");
    EXPECT_NULL(listed(make(&PyZip_Type, b, a, true)));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "zip() argument 2 is longer than argument 1");
    EXPECT_REPR_OF(listed(PyObject_CallNoArgs((PyObject *)&PyZip_Type)), "[]");
    EXPECT_NULL(make(&PyZip_Type, a, Py_None, false));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(map_calls_and_filter_asks)
{
    PyObject *a = list_of("102"), *str = (PyObject *)&PyUnicode_Type;
    EXPECT_REPR_OF(listed(make(&PyMap_Type, str, a, false)), "['1', '0', '2']");
    EXPECT_REPR_OF(listed(make(&PyFilter_Type, Py_None, a, false)), "[1, 2]");
    EXPECT_REPR_OF(listed(make(&PyFilter_Type, str, a, false)), "[1, 0, 2]");
    EXPECT_NULL(listed(make(&PyMap_Type, Py_None, a, false)));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyObject_CallOneArg((PyObject *)&PyMap_Type, a));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "map() must have at least two arguments.");
    Py_DECREF(a);
}

TEST_PY(a_cycle_through_a_combined_iterator_is_collected)
{
    PyTypeObject *types[] = {&PyMap_Type, &PyFilter_Type, &PyZip_Type};
    for (int i = 0; i < 3; i++) {
        PyObject *list = PyList_New(0), *it = make(types[i], list, list, false);
        if (it == NULL) {
            PyErr_Clear();
        }
        REQUIRE_NOT_NULL(it);
        PyList_Append(list, it);
        Py_DECREF(it);
        Py_DECREF(list);
        EXPECT_GE(PyGC_Collect(), 3);
    }
}
