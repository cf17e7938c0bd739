/* SPDX-License-Identifier: MIT */
/* Data that a type adds to instances whose layout it does not know.
 *
 * A type made with a negative basicsize has its data behind that of its base, at the next
 * multiple of 16; items of an ITEMS_AT_END type begin where its fixed part ends. */
#include "data.h"

#include <ouro_check.h>

void *
PyObject_GetTypeData(PyObject *o, PyTypeObject *cls)
{
    return (char *)o + ouro_data_align(cls->tp_base->tp_basicsize);
}

void *
PyObject_GetTypeData_DuringGC(PyObject *o, PyTypeObject *cls)
{
    _PyCheck_DuringGC("PyObject_GetTypeData_DuringGC");
    return (char *)o + ouro_data_align(cls->tp_base->tp_basicsize);
}

Py_ssize_t
PyType_GetTypeDataSize(PyTypeObject *cls)
{
    Py_ssize_t size = cls->tp_basicsize - ouro_data_align(cls->tp_base->tp_basicsize);
    return size > 0 ? size : 0;
}

/* NULL when the type says nothing about where its items are. */
static void *
items_at_end(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    bool at_end = PyType_HasFeature(type, Py_TPFLAGS_ITEMS_AT_END);
    return at_end ? (char *)o + type->tp_basicsize : NULL;
}

void *
PyObject_GetItemData(PyObject *o)
{
    void *items = items_at_end(o);
    if (items == NULL) {
        PyErr_Format(PyExc_TypeError, "type '%s' does not have Py_TPFLAGS_ITEMS_AT_END",
                     Py_TYPE(o)->tp_name);
    }
    return items;
}

void *
PyObject_GetItemData_DuringGC(PyObject *o)
{
    _PyCheck_DuringGC("PyObject_GetItemData_DuringGC");
    return items_at_end(o);
}
