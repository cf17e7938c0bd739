/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("whether a dict is tracked")
{
    PyObject *dict = must(PyDict_New());
    VERSION_DEPENDENT(0x030E0000, "an empty dict is tracked", PyObject_GC_IsTracked(dict),
                      1);
    PyObject *one = number(1);
    must_be_zero(PyDict_SetItemString(dict, "a", one));
    VERSION_DEPENDENT(0x030E0000, "a dict of atoms is tracked",
                      PyObject_GC_IsTracked(dict), 1);
    PyObject *list = must(PyList_New(0));
    must_be_zero(PyDict_SetItemString(dict, "list", list));
    trace("with a list: %d", PyObject_GC_IsTracked(dict));
    collect();
    trace("after a collection: %d", PyObject_GC_IsTracked(dict));
    must_be_zero(PyDict_DelItemString(dict, "list"));
    collect();
    VERSION_DEPENDENT(0x030E0000, "a dict whose list was deleted is tracked",
                      PyObject_GC_IsTracked(dict), 1);
    Py_DECREF(list);
    Py_DECREF(one);
    Py_DECREF(dict);
}
