/* SPDX-License-Identifier: MIT */
/* The names of a type.
 *
 * A heap type carries its name and qualified name, and its module in its dict. A static
 * type has only tp_name: what is before the last dot is the module, "builtins" when there
 * is no dot. */
#include "type.h"

const char *
_PyType_Name(PyTypeObject *type)
{
    const char *dot = strrchr(type->tp_name, '.');
    return dot == NULL ? type->tp_name : dot + 1;
}

PyObject *
PyType_GetName(PyTypeObject *type)
{
    if (ouro_type_is_heap(type) && ((PyHeapTypeObject *)type)->ht_name != NULL) {
        return Py_NewRef(((PyHeapTypeObject *)type)->ht_name);
    }
    return PyUnicode_FromString(_PyType_Name(type));
}

PyObject *
PyType_GetQualName(PyTypeObject *type)
{
    if (ouro_type_is_heap(type) && ((PyHeapTypeObject *)type)->ht_qualname != NULL) {
        return Py_NewRef(((PyHeapTypeObject *)type)->ht_qualname);
    }
    return PyType_GetName(type);
}

PyObject *
ouro_type_module_name(PyTypeObject *type)
{
    PyObject *module = NULL;
    if (ouro_type_is_heap(type)) {
        if (type->tp_dict != NULL) {
            PyDict_GetItemStringRef(type->tp_dict, "__module__", &module);
        }
        return module;
    }
    const char *dot = strrchr(type->tp_name, '.');
    return dot == NULL ? PyUnicode_FromString("builtins")
                       : PyUnicode_FromStringAndSize(type->tp_name, dot - type->tp_name);
}

PyObject *
PyType_GetModuleName(PyTypeObject *type)
{
    PyObject *module = ouro_type_module_name(type);
    if (module == NULL && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_AttributeError, "__module__");
    }
    return module;
}

/* "module.qualname"; the module is left out when it is missing, no str, "builtins", or
 * the one given. */
static PyObject *
name_with_module(PyTypeObject *type, const char *also_without)
{
    PyObject *module = ouro_type_module_name(type);
    if (module == NULL && PyErr_Occurred()) {
        return NULL;
    }
    PyObject *name = PyType_GetQualName(type);
    bool alone = module == NULL || !PyUnicode_Check(module) ||
                 PyUnicode_EqualToUTF8(module, "builtins") ||
                 PyUnicode_EqualToUTF8(module, also_without);
    if (name != NULL && !alone) {
        Py_SETREF(name, PyUnicode_FromFormat("%U.%U", module, name));
    }
    Py_XDECREF(module);
    return name;
}

PyObject *
PyType_GetFullyQualifiedName(PyTypeObject *type)
{
    return name_with_module(type, "__main__");
}

PyObject *
ouro_type_display_name(PyTypeObject *type)
{
    return name_with_module(type, "builtins");
}
