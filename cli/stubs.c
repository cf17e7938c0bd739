/* SPDX-License-Identifier: MIT */
/* Stubs: modules that stand in for those which a module imports and which are not there.
 *
 * Each name that is asked for is made at once: a class that derives from Exception, so that it
 * can be raised, called with anything, and derived from. */
#include "worker.h"

#include <string.h>

/* The names that a stub has; without a list, any. */
static bool
stub_has(PyObject *module, const char *name)
{
    PyObject *dict = PyModule_GetDict(module);
    PyObject *names = PyDict_GetItemString(dict, "__stub_names__"); /* borrowed */
    PyObject *text = PyUnicode_FromString(name);
    int found = names == NULL || text == NULL ? 1 : PySequence_Contains(names, text);
    Py_XDECREF(text);
    PyErr_Clear();
    return found == 1 && strncmp(name, "__", 2) != 0;
}

static PyObject *
stub_getattro(PyObject *self, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return found;
    }
    PyObject *error = PyErr_GetRaisedException();
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL || !stub_has(self, text)) {
        PyErr_SetRaisedException(error);
        return NULL;
    }
    Py_DECREF(error);
    found =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}", text, PyExc_Exception);
    if (found != NULL && PyDict_SetItem(PyModule_GetDict(self), name, found) < 0) {
        Py_CLEAR(found);
    }
    return found;
}

static PyObject *
new_stub(const char *name)
{
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ouro.stub",
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_getattro = stub_getattro,
    };
    type.tp_base = &PyModule_Type;
    return PyType_Ready(&type) < 0 ? NULL
                                   : PyObject_CallFunction((PyObject *)&type, "s", name);
}

/* The module of this name, made when it is not there. Borrowed. */
static PyObject *
module_or_stub(const char *name)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *there = PyDict_GetItemString(modules, name);
    if (there == NULL) {
        PyObject *made = new_stub(name);
        if (made != NULL && PyDict_SetItemString(modules, name, made) == 0) {
            there = made;
        }
        Py_XDECREF(made);
    }
    return there;
}

/* "a.b.c": a, then a.b as attribute b of a, and so on. Borrowed. */
static PyObject *
stub_with_parents(char *name)
{
    PyObject *outer = NULL, *module = NULL;
    char *start = name;
    for (;;) {
        char *dot = strchr(start, '.');
        if (dot != NULL) {
            *dot = '\0';
        }
        module = module_or_stub(name);
        if (module == NULL ||
            (outer != NULL && PyObject_SetAttrString(outer, start, module) < 0)) {
            return NULL;
        }
        if (dot == NULL) {
            return module;
        }
        *dot = '.';
        start = dot + 1;
        outer = module;
    }
}

bool
make_stub(const char *text)
{
    char name[300];
    snprintf(name, sizeof(name), "%s", text);
    char *names = strchr(name, ':');
    if (names != NULL) {
        *names++ = '\0';
    }
    PyObject *module = stub_with_parents(name);
    PyObject *list = names == NULL || module == NULL ? NULL : PyList_New(0);
    char *rest;
    for (char *part = list == NULL ? NULL : strtok_r(names, ",", &rest); part != NULL;
         part = strtok_r(NULL, ",", &rest)) {
        PyObject *item = PyUnicode_FromString(part);
        (void)(item == NULL ? -1 : PyList_Append(list, item));
        Py_XDECREF(item);
    }
    if (list != NULL) {
        (void)PyDict_SetItemString(PyModule_GetDict(module), "__stub_names__", list);
    }
    Py_XDECREF(list);
    return module != NULL && !PyErr_Occurred();
}
