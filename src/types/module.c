/* SPDX-License-Identifier: MIT */
/* The module that a heap type was made with. */
#include "type.h"

PyObject *
PyType_GetModule(PyTypeObject *type)
{
    PyObject *module = PyType_GetModule_DuringGC(type);
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
    return ouro_type_is_heap(type) ? ((PyHeapTypeObject *)type)->ht_module : NULL;
}
