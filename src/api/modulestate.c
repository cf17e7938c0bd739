/* SPDX-License-Identifier: MIT */
/* The modules that single-phase definitions have in this interpreter.
 *
 * A list indexed by the number that PyModuleDef_Init gave the definition; it is made when
 * the first module is added. */
#include <Python.h>

#include "../thread/interpreter.h"

/* The list's item, borrowed; NULL when nothing was added. */
static PyObject *
module_at(const struct _is *interp, Py_ssize_t index)
{
    PyObject *list = interp->modules_by_index;
    if (list == NULL || index <= 0 || index >= PyList_GET_SIZE(list)) {
        return NULL;
    }
    PyObject *module = PyList_GET_ITEM(list, index);
    return module == Py_None ? NULL : module;
}

/* Make the list long enough that `index` is an item. */
static bool
reach_index(struct _is *interp, Py_ssize_t index)
{
    if (interp->modules_by_index == NULL) {
        interp->modules_by_index = PyList_New(0);
    }
    PyObject *list = interp->modules_by_index;
    while (list != NULL && PyList_GET_SIZE(list) <= index) {
        if (PyList_Append(list, Py_None) < 0) {
            return false;
        }
    }
    return list != NULL;
}

PyObject *
PyState_FindModule(PyModuleDef *def)
{
    return def->m_slots != NULL ? NULL
                                : module_at(ouro_current.interp, def->m_base.m_index);
}

int
PyState_AddModule(PyObject *module, PyModuleDef *def)
{
    if (def == NULL || PyModuleDef_Init(def) == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_SystemError, "module definition is NULL");
        }
        return -1;
    }
    if (def->m_slots != NULL) {
        PyErr_SetString(PyExc_SystemError,
                        "PyState_AddModule called on module with slots");
        return -1;
    }
    struct _is *interp = ouro_current.interp;
    if (!reach_index(interp, def->m_base.m_index)) {
        return -1;
    }
    return PyList_SetItem(interp->modules_by_index, def->m_base.m_index,
                          Py_NewRef(module));
}

int
PyState_RemoveModule(PyModuleDef *def)
{
    if (def->m_slots != NULL) {
        PyErr_SetString(PyExc_SystemError,
                        "PyState_RemoveModule called on module with slots");
        return -1;
    }
    struct _is *interp = ouro_current.interp;
    if (module_at(interp, def->m_base.m_index) == NULL) {
        PyErr_SetString(PyExc_SystemError,
                        "PyState_RemoveModule: the module was not added");
        return -1;
    }
    return PyList_SetItem(interp->modules_by_index, def->m_base.m_index,
                          Py_NewRef(Py_None));
}
