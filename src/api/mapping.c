/* SPDX-License-Identifier: MIT */
/* The mapping protocol. */
#include <Python.h>

#include "protocol.h"

int
PyMapping_Check(PyObject *o)
{
    return o != NULL && Py_TYPE(o)->tp_as_mapping != NULL &&
           Py_TYPE(o)->tp_as_mapping->mp_subscript != NULL;
}

Py_ssize_t
PyMapping_Size(PyObject *o)
{
    if (o == NULL) {
        ouro_null_argument();
        return -1;
    }
    PyTypeObject *type = Py_TYPE(o);
    if (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_length != NULL) {
        return ouro_too_deep(" while asking for a length")
                   ? -1
                   : type->tp_as_mapping->mp_length(o);
    }
    bool sequence =
        type->tp_as_sequence != NULL && type->tp_as_sequence->sq_length != NULL;
    ouro_type_error(
        sequence ? "%.200s is not a mapping" : "object of type '%.200s' has no len()", o);
    return -1;
}

Py_ssize_t(PyMapping_Length)(PyObject *o)
{
    return PyMapping_Size(o);
}

/* --- keys, values, items ------------------------------------------------------------------------- */

/* o.name(). If a dict has no such method, the program did not link it. */
static PyObject *
call_listing_method(PyObject *o, const char *name, unaryfunc of_dict)
{
    PyObject *key = PyUnicode_InternFromString(name), *method = NULL;
    int found = key == NULL ? -1 : ouro_attribute_find(o, key, &method);
    PyObject *result = NULL;
    if (found > 0) {
        result = PyObject_CallNoArgs(method);
        Py_DECREF(method);
    } else if (found == 0) {
        result = PyAnyDict_Check(o) ? of_dict(o) : ouro_attribute_get(o, key);
    }
    Py_XDECREF(key);
    return result;
}

/* The list of what o.name() yields. */
static PyObject *
list_from_method(PyObject *o, const char *name, unaryfunc of_dict)
{
    PyObject *iterable = call_listing_method(o, name, of_dict);
    if (iterable == NULL) {
        return NULL;
    }
    PyObject *list = NULL;
    PyObject *iterator = PyObject_GetIter(iterable);
    if (iterator != NULL) {
        list = PySequence_List(iterator);
        Py_DECREF(iterator);
    } else if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError, "%.200s.%s() returned a non-iterable (type %.200s)",
                     Py_TYPE(o)->tp_name, name, Py_TYPE(iterable)->tp_name);
    }
    Py_DECREF(iterable);
    return list;
}

PyObject *
PyMapping_Keys(PyObject *o)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    return PyDict_CheckExact(o) ? PyDict_Keys(o)
                                : list_from_method(o, "keys", PyDict_Keys);
}

PyObject *
PyMapping_Values(PyObject *o)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    return PyDict_CheckExact(o) ? PyDict_Values(o)
                                : list_from_method(o, "values", PyDict_Values);
}

PyObject *
PyMapping_Items(PyObject *o)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    return PyDict_CheckExact(o) ? PyDict_Items(o)
                                : list_from_method(o, "items", PyDict_Items);
}

/* --- single keys ------------------------------------------------------------------------------------ */

PyObject *
PyMapping_GetItemString(PyObject *o, const char *key)
{
    PyObject *text = ouro_key_from_text(key);
    if (text == NULL) {
        return NULL;
    }
    PyObject *value = PyObject_GetItem(o, text);
    Py_DECREF(text);
    return value;
}

int
PyMapping_GetOptionalItem(PyObject *o, PyObject *key, PyObject **result)
{
    *result = NULL;
    if (o == NULL || key == NULL) {
        ouro_null_argument();
        return -1;
    }
    if (PyDict_CheckExact(o)) {
        return PyDict_GetItemRef(o, key, result);
    }
    *result = PyObject_GetItem(o, key);
    if (*result != NULL) {
        return 1;
    }
    if (!PyErr_ExceptionMatches(PyExc_KeyError)) {
        return -1;
    }
    PyErr_Clear();
    return 0;
}

int
PyMapping_GetOptionalItemString(PyObject *o, const char *key, PyObject **result)
{
    *result = NULL;
    PyObject *text = ouro_key_from_text(key);
    if (text == NULL) {
        return -1;
    }
    int found = PyMapping_GetOptionalItem(o, text, result);
    Py_DECREF(text);
    return found;
}

int
PyMapping_SetItemString(PyObject *o, const char *key, PyObject *value)
{
    PyObject *text = ouro_key_from_text(key);
    if (text == NULL) {
        return -1;
    }
    int result = PyObject_SetItem(o, text, value);
    Py_DECREF(text);
    return result;
}

int(PyMapping_DelItemString)(PyObject *o, const char *key)
{
    return PyObject_DelItemString(o, key);
}

int
PyMapping_HasKeyWithError(PyObject *o, PyObject *key)
{
    PyObject *value;
    int found = PyMapping_GetOptionalItem(o, key, &value);
    Py_XDECREF(value);
    return found;
}

int
PyMapping_HasKeyStringWithError(PyObject *o, const char *key)
{
    PyObject *value;
    int found = PyMapping_GetOptionalItemString(o, key, &value);
    Py_XDECREF(value);
    return found;
}

int
PyMapping_HasKey(PyObject *o, PyObject *key)
{
    return ouro_answer_or_report(PyMapping_HasKeyWithError(o, key),
                                 "in PyMapping_HasKey(); consider using "
                                 "PyMapping_HasKeyWithError(), "
                                 "PyMapping_GetOptionalItem() or PyObject_GetItem()");
}

int
PyMapping_HasKeyString(PyObject *o, const char *key)
{
    return ouro_answer_or_report(PyMapping_HasKeyStringWithError(o, key),
                                 "in PyMapping_HasKeyString(); consider using "
                                 "PyMapping_HasKeyStringWithError(), "
                                 "PyMapping_GetOptionalItemString() or "
                                 "PyMapping_GetItemString()");
}
