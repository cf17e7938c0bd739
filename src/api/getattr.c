/* SPDX-License-Identifier: MIT */
/* The functions with which programs read attributes. attributes.c does the work, and serves the
 * library itself.
 *
 * A program that has one of these may ask for any method of any type: methods.h. */
#include <Python.h>

#include "../base/events.h"
#include "../types/type.h"
#include "methods.h"
#include "protocol.h"

PyObject *
PyObject_GetAttr(PyObject *o, PyObject *name)
{
    ouro_event_entry("PyObject_GetAttr");
    return ouro_methods_use() ? ouro_attribute_get(o, name) : NULL;
}

PyObject *
PyObject_GetAttrString(PyObject *o, const char *name)
{
    PyObject *key = PyUnicode_InternFromString(name);
    if (key == NULL) {
        return NULL;
    }
    PyObject *value = PyObject_GetAttr(o, key);
    Py_DECREF(key);
    return value;
}

int
PyObject_GetOptionalAttr(PyObject *o, PyObject *name, PyObject **result)
{
    *result = NULL;
    return ouro_methods_use() ? ouro_attribute_find(o, name, result) : -1;
}

int
PyObject_GetOptionalAttrString(PyObject *o, const char *name, PyObject **result)
{
    *result = NULL;
    return ouro_methods_use() ? _PyObject_FindAttrString(o, name, result) : -1;
}

int
PyObject_HasAttrWithError(PyObject *o, PyObject *name)
{
    PyObject *value;
    int found = PyObject_GetOptionalAttr(o, name, &value);
    Py_XDECREF(value);
    return found;
}

int
PyObject_HasAttrStringWithError(PyObject *o, const char *name)
{
    PyObject *value;
    int found = PyObject_GetOptionalAttrString(o, name, &value);
    Py_XDECREF(value);
    return found;
}

int
PyObject_HasAttr(PyObject *o, PyObject *name)
{
    return ouro_answer_or_report(PyObject_HasAttrWithError(o, name),
                                 "in PyObject_HasAttr(); consider using "
                                 "PyObject_HasAttrWithError(), "
                                 "PyObject_GetOptionalAttr() or PyObject_GetAttr()");
}

int
PyObject_HasAttrString(PyObject *o, const char *name)
{
    return ouro_answer_or_report(PyObject_HasAttrStringWithError(o, name),
                                 "in PyObject_HasAttrString(); consider using "
                                 "PyObject_HasAttrStringWithError(), "
                                 "PyObject_GetOptionalAttrString() or "
                                 "PyObject_GetAttrString()");
}

/* --- what a type has ------------------------------------------------------------------------ */

PyObject *
PyType_GetDict(PyTypeObject *type)
{
    return ouro_methods_use() && ouro_type_use(type) ? Py_XNewRef(type->tp_dict) : NULL;
}

PyObject *
_PyType_Lookup(PyTypeObject *type, PyObject *name)
{
    if (!ouro_methods_use() || !ouro_type_use(type)) {
        PyErr_Clear();
    }
    return ouro_type_lookup(type, name);
}
