/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *shared, *proxy;

static void
body(void)
{
    trace_repr("attribute", PyObject_GetAttrString(proxy, "tag"));
    Py_CLEAR(shared);
    PyObject *value = PyObject_GetAttrString(proxy, "tag");
    trace("after the end: %d, ReferenceError %d", value != NULL,
          PyErr_ExceptionMatches(PyExc_ReferenceError));
    PyErr_Clear();
}

PROGRAM("a proxy is used on another thread, and dies with its referent")
{
    PyObject *class = must(new_class("C", NULL, "tag", number(9), NULL));
    shared = must(PyObject_CallNoArgs(class));
    proxy = must(PyWeakref_NewProxy(shared, NULL));
    in_another_thread(body);
    Py_DECREF(proxy);
    Py_DECREF(class);
    collect();
}
