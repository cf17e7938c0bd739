/* SPDX-License-Identifier: MIT */
/* Attribute names in static variables of C sources; see py/identifier.h. */
#include <Python.h>

#include "buildvalue.h"
#include "protocol.h"

/* The strings that were asked for, kept by the interpreter: callers borrow them. */
PyObject *
_PyUnicode_FromId(_Py_Identifier *id)
{
    PyObject **kept = _PyInterpreterState_Cache(_Py_CACHE_IDENTIFIERS);
    if (*kept == NULL && (*kept = PyDict_New()) == NULL) {
        return NULL;
    }
    PyObject *name = PyUnicode_InternFromString(id->string);
    PyObject *known = name == NULL ? NULL : PyDict_SetDefault(*kept, name, name);
    Py_XDECREF(name);
    return known;
}

PyObject *
_PyObject_GetAttrId(PyObject *o, _Py_Identifier *id)
{
    PyObject *name = _PyUnicode_FromId(id);
    return name == NULL ? NULL : PyObject_GetAttr(o, name);
}

int
_PyObject_SetAttrId(PyObject *o, _Py_Identifier *id, PyObject *value)
{
    PyObject *name = _PyUnicode_FromId(id);
    return name == NULL ? -1 : PyObject_SetAttr(o, name, value);
}

int
_PyObject_LookupAttrId(PyObject *o, _Py_Identifier *id, PyObject **result)
{
    PyObject *name = _PyUnicode_FromId(id);
    *result = NULL;
    return name == NULL ? -1 : PyObject_GetOptionalAttr(o, name, result);
}

PyObject *
_PyDict_GetItemIdWithError(PyObject *dict, _Py_Identifier *id)
{
    PyObject *name = _PyUnicode_FromId(id);
    return name == NULL ? NULL : PyDict_GetItemWithError(dict, name);
}

int
_PyDict_SetItemId(PyObject *dict, _Py_Identifier *id, PyObject *value)
{
    PyObject *name = _PyUnicode_FromId(id);
    return name == NULL ? -1 : PyDict_SetItem(dict, name, value);
}

/* Call o.name with a tuple of arguments, which is stolen. */
static PyObject *
call_identified(PyObject *o, _Py_Identifier *id, PyObject *args)
{
    PyObject *method = args == NULL ? NULL : _PyObject_GetAttrId(o, id);
    PyObject *result = method == NULL ? NULL : PyObject_Call(method, args, NULL);
    Py_XDECREF(method);
    Py_XDECREF(args);
    return result;
}

PyObject *
_PyObject_CallMethodId(PyObject *o, _Py_Identifier *id, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    PyObject *args = ouro_build_arguments(format, values);
    va_end(values);
    return call_identified(o, id, args);
}

PyObject *
_PyObject_CallMethodIdObjArgs(PyObject *o, _Py_Identifier *id, ...)
{
    va_list values;
    PyObject *args = PyList_New(0), *arg;
    va_start(values, id);
    while (args != NULL && (arg = va_arg(values, PyObject *)) != NULL) {
        if (PyList_Append(args, arg) < 0) {
            Py_CLEAR(args);
        }
    }
    va_end(values);
    PyObject *tuple = args == NULL ? NULL : PyList_AsTuple(args);
    Py_XDECREF(args);
    return call_identified(o, id, tuple);
}
