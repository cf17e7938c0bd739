/* SPDX-License-Identifier: MIT */
/* The end of an interpreter's modules.
 *
 * First sys.modules releases all modules, and a collection destroys those that nothing else
 * refers to. Something outside keeps the others alive: their variables are set to None, the
 * module that was imported last first, so that the next collection finds what only they kept
 * alive. sys and builtins come last. */
#include "import.h"

/* Weak references to the modules, in the order of sys.modules; a new list, or NULL. A module is
 * left out if it supports no weak references, or if memory is short. */
static PyObject *
list_modules_weakly(PyObject *modules)
{
    PyObject *list = PyList_New(0), *name, *module;
    Py_ssize_t position = 0;
    while (list != NULL && PyDict_Next(modules, &position, &name, &module)) {
        if (PyModule_Check(module) && PyModule_GetDict(module) != NULL) {
            PyObject *weak = PyWeakref_NewRef(module, NULL);
            if (weak != NULL) {
                (void)PyList_Append(list, weak);
                Py_DECREF(weak);
            }
            PyErr_Clear();
        }
    }
    PyErr_Clear();
    return list;
}

static void
release_modules(struct _is *interp)
{
    PyObject *modules = interp->modules;
    if (modules != NULL) {
        interp->modules = NULL;
        Py_XSETREF(interp->survivors, list_modules_weakly(modules));
        PyDict_Clear(modules); /* sys.modules may refer to it */
        Py_DECREF(modules);
    }
}

static void
clear_survivor(const struct _is *interp, PyObject *weak)
{
    PyObject *module;
    if (PyWeakref_GetRef(weak, &module) > 0) {
        PyObject *dict = PyModule_GetDict(module);
        if (dict != NULL && dict != interp->sys_dict && dict != interp->builtins) {
            _PyModule_ClearDict(dict);
        }
        Py_DECREF(module);
    }
    PyErr_Clear();
}

static void
clear_last_dict(PyObject **place)
{
    PyObject *dict = *place;
    if (dict != NULL) {
        *place = NULL;
        _PyModule_ClearDict(dict);
        Py_DECREF(dict);
    }
}

static void
clear_survivors(struct _is *interp)
{
    PyObject *survivors = interp->survivors;
    interp->survivors = NULL;
    if (survivors != NULL) {
        for (Py_ssize_t i = PyList_GET_SIZE(survivors) - 1; i >= 0; i--) {
            clear_survivor(interp, PyList_GET_ITEM(survivors, i));
        }
        Py_DECREF(survivors);
    }
    clear_last_dict(&interp->sys_dict);
    clear_last_dict(&interp->builtins);
}

const struct module_end ouro_module_end = {release_modules, clear_survivors};
