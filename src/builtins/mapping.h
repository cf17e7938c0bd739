/* SPDX-License-Identifier: MIT */
/* mapping[key], for mappings alone. PyObject_GetItem also subscribes types, and brings
 * along what that needs. */
#ifndef OURO_BUILTINS_MAPPING_H
#define OURO_BUILTINS_MAPPING_H

#include <Python.h>

static inline PyObject *
ouro_mapping_get(PyObject *mapping, PyObject *key)
{
    const PyMappingMethods *methods = Py_TYPE(mapping)->tp_as_mapping;
    if (methods == NULL || methods->mp_subscript == NULL) {
        return PyErr_Format(PyExc_TypeError, "'%.200s' object is not subscriptable",
                            Py_TYPE(mapping)->tp_name);
    }
    return methods->mp_subscript(mapping, key);
}

#endif
