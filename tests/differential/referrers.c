/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("gc.get_referrers gives the tracked objects that visit an object")
{
    PyObject *target = N("target"), *x = N("x"), *y = N("y");
    PyObject *list = must(PyList_New(0)), *dict = must(PyDict_New());
    trace("nobody: %zd", count_of(get_referrers(target)));
    set_a(x, target);
    set_b(x, target);
    PyObject *found = get_referrers(target);
    trace("x once: %zd %d", PyList_Size(found), PyList_GetItem(found, 0) == x);
    Py_DECREF(found);
    must_be_zero(PyList_Append(list, target));
    must_be_zero(PyDict_SetItemString(dict, "target", target));
    set_a(y, target);
    PyObject_GC_UnTrack(y);
    found = get_referrers(target);
    trace("%zd: x %d, list %d, dict %d, untracked y %d", PyList_Size(found),
          is_listed(Py_NewRef(found), x), is_listed(Py_NewRef(found), list),
          is_listed(Py_NewRef(found), dict), is_listed(Py_NewRef(found), y));
    Py_DECREF(found);
    Py_DECREF(list);
    Py_DECREF(dict);
    Py_DECREF(y);
    Py_DECREF(x);
    trace("nobody: %zd", count_of(get_referrers(target)));
    Py_DECREF(target);
    trace_notes("events");
}
