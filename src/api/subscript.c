/* SPDX-License-Identifier: MIT */
/* len(o), o[key], o[key] = value, del o[key], whichever protocol the type has. */
#include <Python.h>

#include "protocol.h"

static const char at_an_item[] = " while accessing an item";

Py_ssize_t
PyObject_Size(PyObject *o)
{
    if (o == NULL) {
        ouro_null_argument();
        return -1;
    }
    if (ouro_too_deep(" while asking for a length")) {
        return -1;
    }
    PyTypeObject *type = Py_TYPE(o);
    if (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_length != NULL) {
        return type->tp_as_sequence->sq_length(o);
    }
    if (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_length != NULL) {
        return type->tp_as_mapping->mp_length(o);
    }
    ouro_type_error("object of type '%.200s' has no len()", o);
    return -1;
}

Py_ssize_t(PyObject_Length)(PyObject *o)
{
    return PyObject_Size(o);
}

static bool
has_size(PyTypeObject *type)
{
    return (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_length != NULL) ||
           (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_length != NULL);
}

/* Is the pending exception a TypeError? A hint may raise it to say "I do not know". */
static bool
forget_type_error(void)
{
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
        return false;
    }
    PyErr_Clear();
    return true;
}

/* Take over and check what __length_hint__() returned. */
static Py_ssize_t
hint_from_object(PyObject *hint, Py_ssize_t defaultvalue)
{
    Py_ssize_t size = -1;
    if (hint == Py_NotImplemented) {
        size = defaultvalue;
    } else if (!PyLong_Check(hint)) {
        ouro_type_error("__length_hint__ must be an integer, not %.100s", hint);
    } else {
        size = PyLong_AsSsize_t(hint);
        if (size < 0 && !PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "__length_hint__() should return >= 0");
            size = -1;
        }
    }
    Py_DECREF(hint);
    return size;
}

Py_ssize_t
PyObject_LengthHint(PyObject *o, Py_ssize_t defaultvalue)
{
    if (has_size(Py_TYPE(o))) {
        Py_ssize_t size = PyObject_Size(o);
        if (size >= 0 || !forget_type_error()) {
            return size;
        }
    }
    PyObject *method;
    int found = ouro_special_get(o, "__length_hint__", &method);
    if (found <= 0) {
        return found < 0 ? -1 : defaultvalue;
    }
    PyObject *hint = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    if (hint == NULL) {
        return forget_type_error() ? defaultvalue : -1;
    }
    return hint_from_object(hint, defaultvalue);
}

/* list[int] and the like. */
static PyObject *
subscript_of_type(PyObject *o, PyObject *key)
{
    PyObject *method;
    if (o == (PyObject *)&PyType_Type) {
        return Py_GenericAlias(o, key);
    }
    int found = PyObject_GetOptionalAttrString(o, "__class_getitem__", &method);
    if (found < 0) {
        return NULL;
    }
    if (found == 0 || method == Py_None) {
        Py_XDECREF(method);
        return PyErr_Format(PyExc_TypeError, "type '%.200s' is not subscriptable",
                            ((PyTypeObject *)o)->tp_name);
    }
    PyObject *result = PyObject_CallOneArg(method, key);
    Py_DECREF(method);
    return result;
}

/* `key` as an index of a sequence; -1 with an exception, or as a value. */
static Py_ssize_t
index_from_key(PyObject *key)
{
    if (!PyIndex_Check(key)) {
        ouro_type_error("sequence index must be integer, not '%.200s'", key);
        return -1;
    }
    return PyNumber_AsSsize_t(key, PyExc_IndexError);
}

PyObject *
PyObject_GetItem(PyObject *o, PyObject *key)
{
    if (o == NULL || key == NULL) {
        return ouro_null_argument();
    }
    if (ouro_too_deep(at_an_item)) {
        return NULL;
    }
    PyTypeObject *type = Py_TYPE(o);
    if (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_subscript != NULL) {
        return type->tp_as_mapping->mp_subscript(o, key);
    }
    if (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_item != NULL) {
        Py_ssize_t i = index_from_key(key);
        return i == -1 && PyErr_Occurred() ? NULL : PySequence_GetItem(o, i);
    }
    if (PyType_Check(o)) {
        return subscript_of_type(o, key);
    }
    return ouro_type_error("'%.200s' object is not subscriptable", o);
}

/* value NULL: delete. */
static int
assign_item(PyObject *o, PyObject *key, PyObject *value, const char *refusal)
{
    if (ouro_too_deep(at_an_item)) {
        return -1;
    }
    PyTypeObject *type = Py_TYPE(o);
    if (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_ass_subscript != NULL) {
        return type->tp_as_mapping->mp_ass_subscript(o, key, value);
    }
    if (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_ass_item != NULL) {
        Py_ssize_t i = index_from_key(key);
        if (i == -1 && PyErr_Occurred()) {
            return -1;
        }
        return value != NULL ? PySequence_SetItem(o, i, value) : PySequence_DelItem(o, i);
    }
    ouro_type_error(refusal, o);
    return -1;
}

int
PyObject_SetItem(PyObject *o, PyObject *key, PyObject *value)
{
    if (o == NULL || key == NULL || value == NULL) {
        ouro_null_argument();
        return -1;
    }
    return assign_item(o, key, value, "'%.200s' object does not support item assignment");
}

int
PyObject_DelItem(PyObject *o, PyObject *key)
{
    if (o == NULL || key == NULL) {
        ouro_null_argument();
        return -1;
    }
    return assign_item(o, key, NULL, "'%.200s' object does not support item deletion");
}

PyObject *
ouro_key_from_text(const char *key)
{
    return key == NULL ? ouro_null_argument() : PyUnicode_FromString(key);
}

int
PyObject_DelItemString(PyObject *o, const char *key)
{
    PyObject *text = ouro_key_from_text(key);
    if (text == NULL) {
        return -1;
    }
    int result = PyObject_DelItem(o, text);
    Py_DECREF(text);
    return result;
}
