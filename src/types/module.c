/* SPDX-License-Identifier: MIT */
/* From a heap type to the module it was made with, and to that module's state. */
#include <ouro_check.h>

#include "type.h"

/* The module of a heap type, borrowed; NULL when it has none. */
static PyObject *
module_of_type(PyTypeObject *type)
{
    return ouro_type_is_heap(type) ? ((PyHeapTypeObject *)type)->ht_module : NULL;
}

PyObject *
PyType_GetModule(PyTypeObject *type)
{
    PyObject *module = module_of_type(type);
    if (module == NULL) {
        PyErr_Format(PyExc_TypeError, "PyType_GetModule: Type '%s' %s", type->tp_name,
                     ouro_type_is_heap(type) ? "has no associated module"
                                             : "is not a heap type");
    }
    return module;
}

PyObject *
PyType_GetModule_DuringGC(PyTypeObject *type)
{
    _PyCheck_DuringGC("PyType_GetModule_DuringGC");
    return module_of_type(type);
}

void *
PyType_GetModuleState(PyTypeObject *type)
{
    PyObject *module = PyType_GetModule(type);
    return module == NULL ? NULL : PyModule_GetState(module);
}

void *
PyType_GetModuleState_DuringGC(PyTypeObject *type)
{
    _PyCheck_DuringGC("PyType_GetModuleState_DuringGC");
    PyObject *module = module_of_type(type);
    bool has_state = module != NULL && PyModule_Check(module);
    return has_state ? PyModule_GetState(module) : NULL;
}

/* --- along the MRO -------------------------------------------------------------------------- */

/* The module of `type` itself, borrowed, if it has this token. */
static PyObject *
own_module_with_token(PyTypeObject *type, const void *token)
{
    void *found;
    PyObject *module = module_of_type(type);
    bool matches = module != NULL && token != NULL && PyModule_Check(module) &&
                   PyModule_GetToken(module, &found) == 0 && found == token;
    return matches ? module : NULL;
}

/* The module, borrowed, of the first type along the MRO whose module has this token. */
static PyObject *
find_module_with_token(PyTypeObject *type, const void *token)
{
    PyObject *mro = PyType_Check(type) ? type->tp_mro : NULL;
    if (mro == NULL) { /* cleared by the collector, or no type */
        PyObject *module = NULL;
        type = PyType_Check(type) ? type : NULL;
        while (type != NULL && module == NULL) {
            module = own_module_with_token(type, token);
            type = type->tp_base;
        }
        return module;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *ancestor = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        PyObject *module = own_module_with_token(ancestor, token);
        if (module != NULL) {
            return module;
        }
    }
    return NULL;
}

PyObject *
PyType_GetModuleByToken_DuringGC(PyTypeObject *type, const void *token)
{
    _PyCheck_DuringGC("PyType_GetModuleByToken_DuringGC");
    return find_module_with_token(type, token);
}

PyObject *
PyType_GetModuleByDef(PyTypeObject *type, PyModuleDef *def)
{
    PyObject *module = find_module_with_token(type, def);
    if (module == NULL) {
        PyErr_Format(PyExc_TypeError,
                     "PyType_GetModuleByDef: No superclass of '%s' has the given module",
                     type->tp_name);
    }
    return module;
}

PyObject *
PyType_GetModuleByToken(PyTypeObject *type, const void *token)
{
    PyObject *module = find_module_with_token(type, token);
    if (module == NULL) {
        PyErr_Format(
            PyExc_TypeError,
            "PyType_GetModuleByToken: No superclass of '%s' has the given module",
            type->tp_name);
    }
    return Py_XNewRef(module);
}
