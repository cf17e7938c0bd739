/* SPDX-License-Identifier: MIT */
/* Emptying the namespace of a module that outlives its interpreter's use of it. */
#include <Python.h>

#include <stdbool.h>

static bool
is_private_name(const char *name)
{
    return name[0] == '_' && name[1] != '_';
}

/* Set the variables to None: the private ones, or all. Names stay, so that code which still
 * uses them sees None. */
static void
set_to_none(PyObject *dict, bool private_only)
{
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (PyDict_Next(dict, &position, &key, &value)) {
        const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;
        if (value != Py_None && name != NULL &&
            (private_only ? is_private_name(name) : strcmp(name, "__builtins__") != 0)) {
            PyObject *kept = Py_NewRef(key); /* destructors may take it out */
            if (PyDict_SetItem(dict, kept, Py_None) < 0) {
                PyErr_FormatUnraisable(
                    "Exception ignored while clearing module dict of '%U'", kept);
            }
            Py_DECREF(kept);
        }
        PyErr_Clear();
    }
}

void
_PyModule_ClearDict(PyObject *dict)
{
    set_to_none(dict, true);
    set_to_none(dict, false);
}
