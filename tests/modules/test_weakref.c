/* SPDX-License-Identifier: MIT */
/* The modules weakref and _weakref. */
#include "calls.h"

static PyObject *
ignore_argument(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(arg))
{
    Py_RETURN_NONE;
}

static PyMethodDef callback_def = {"callback", ignore_argument, METH_O, NULL};

TEST_PY(references_and_proxies_are_made)
{
    PyObject *module = PyModule_New("spam");
    PyObject *ref = call_with("weakref", "ref", ARGS("(O)", module), NULL);
    PyObject *found = PyObject_CallNoArgs(ref);
    EXPECT_EQ(found, module);
    Py_XDECREF(found);
    PyObject *proxy = call_with("_weakref", "proxy", ARGS("(O)", module), NULL);
    EXPECT_REPR_OF(PyObject_GetAttrString(proxy, "__name__"), "'spam'");
    Py_DECREF(module);
    EXPECT_REPR_OF(PyObject_CallNoArgs(ref), "None");
    EXPECT_NULL(PyObject_GetAttrString(proxy, "__name__"));
    EXPECT_RAISED(PyExc_ReferenceError);
    Py_DECREF(ref);
    Py_DECREF(proxy);
    EXPECT_CALL_RAISES(PyExc_TypeError, "cannot create weak reference to 'int' object",
                       "weakref", "proxy", ARGS("(i)", 3), NULL);
    EXPECT_CALL_RAISES(PyExc_TypeError, "proxy expected at least 1 argument, got 0",
                       "weakref", "proxy", ARGS("()"), NULL);
    EXPECT_CALL_RAISES(PyExc_TypeError, "_weakref.proxy() takes no keyword arguments",
                       "_weakref", "proxy", ARGS("()"), KWARGS("{si}", "x", 3));
}

TEST_PY(references_to_an_object_are_listed)
{
    PyObject *module = PyModule_New("spam");
    PyObject *callback = PyCFunction_New(&callback_def, NULL);
    EXPECT_CALL("0", "weakref", "getweakrefcount", ARGS("(O)", module), NULL);
    PyObject *plain = PyWeakref_NewRef(module, NULL);
    PyObject *watching = PyWeakref_NewRef(module, callback);
    PyObject *proxy = PyWeakref_NewProxy(module, NULL);
    EXPECT_CALL("3", "weakref", "getweakrefcount", ARGS("(O)", module), NULL);
    PyObject *list = call_with("weakref", "getweakrefs", ARGS("(O)", module), NULL);
    REQUIRE_EQ(PyList_Size(list), 3);
    EXPECT_EQ(PyList_GetItem(list, 0), plain);
    EXPECT_EQ(PyList_GetItem(list, 1), proxy);
    EXPECT_EQ(PyList_GetItem(list, 2), watching);
    Py_DECREF(list);
    Py_DECREF(proxy);
    EXPECT_CALL("2", "weakref", "getweakrefcount", ARGS("(O)", module), NULL);
    EXPECT_CALL("[]", "weakref", "getweakrefs", ARGS("(i)", 3), NULL);
    Py_DECREF(plain);
    Py_DECREF(watching);
    Py_DECREF(callback);
    Py_DECREF(module);
}

TEST_PY(the_types_are_there)
{
    PyObject *ref = PyImport_ImportModuleAttrString("weakref", "ReferenceType");
    EXPECT_EQ(ref, &_PyWeakref_RefType);
    Py_XDECREF(ref);
    PyObject *both = PyImport_ImportModuleAttrString("weakref", "ProxyTypes");
    EXPECT_EQ(PyTuple_Size(both), 2);
    Py_XDECREF(both);
}
