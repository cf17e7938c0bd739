/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    PyObject *modules = must(PyImport_GetModuleDict());
    PyObject *key = text("sample_key");
    trace("has the key: %d", PyDict_Contains(modules, key));
    must_be_zero(PyDict_SetItem(modules, key, Py_True));
    Py_DECREF(key);
    PyObject *dict = must(PyInterpreterState_GetDict(PyInterpreterState_Get()));
    trace("its dict is empty: %d",
          dict != NULL && PyDict_GetItemString(dict, "mine") == NULL);
}

PROGRAM("each interpreter has its own modules")
{
    PyObject *modules = must(PyImport_GetModuleDict());
    PyObject *dict = must(PyInterpreterState_GetDict(PyInterpreterState_Get()));
    must_be_zero(PyDict_SetItemString(dict, "mine", Py_True));
    in_another_interpreter(body);
    PyObject *key = text("sample_key");
    trace("has the key: %d", PyDict_Contains(modules, key));
    Py_DECREF(key);
    trace("the dict is here: %d", PyDict_GetItemString(dict, "mine") == Py_True);
    must_be_zero(PyDict_DelItemString(dict, "mine"));
}
