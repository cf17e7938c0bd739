/* SPDX-License-Identifier: MIT */
/* Reading, writing and deleting attributes: check the name, ask the type's slot.
 *
 * What most slots point to is in genericattr.c; types have their own in types/. The
 * functions that programs read attributes with are in getattr.c. */
#include <Python.h>

#include "../base/events.h"
#include "protocol.h"

static const char at_an_attribute[] = " while accessing an attribute";
static bool is_attribute_name(PyObject *name);
static int forget_attribute_error(void);

/* Add the name and the object to a pending AttributeError that lacks them. An object whose
 * destructor is running must not get new owners. */
static PyObject *
attribute_is_missing(PyObject *o, PyObject *name)
{
    if (!PyErr_ExceptionMatches(PyExc_AttributeError) || Py_REFCNT(o) == 0) {
        return NULL;
    }
    PyObject *exc = PyErr_GetRaisedException();
    PyAttributeErrorObject *e = (PyAttributeErrorObject *)exc;
    if (e->obj == NULL && e->name == NULL) {
        e->obj = Py_NewRef(o);
        e->name = Py_NewRef(name);
    }
    PyErr_SetRaisedException(exc);
    return NULL;
}

PyObject *
ouro_attribute_get(PyObject *o, PyObject *name)
{
    if (o == NULL || name == NULL) {
        return ouro_null_argument();
    }
    PyTypeObject *type = Py_TYPE(o);
    if (!is_attribute_name(name) || ouro_too_deep(at_an_attribute)) {
        return NULL;
    }
    PyObject *value = NULL;
    if (type->tp_getattro != NULL) {
        value = type->tp_getattro(o, name);
    } else if (type->tp_getattr != NULL) {
        const char *text = PyUnicode_AsUTF8(name);
        value = text == NULL ? NULL : type->tp_getattr(o, (char *)text);
    } else {
        PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '%U'",
                     type->tp_name, name);
    }
    return value != NULL ? value : attribute_is_missing(o, name);
}

int
ouro_attribute_find(PyObject *o, PyObject *name, PyObject **result)
{
    *result = NULL;
    if (o == NULL || name == NULL) {
        ouro_null_argument();
        return -1;
    }
    if (!is_attribute_name(name) || ouro_too_deep(at_an_attribute)) {
        return -1;
    }
    if (Py_TYPE(o)->tp_getattro == PyObject_GenericGetAttr) {
        *result = ouro_generic_get(o, name, true);
        if (*result != NULL) {
            return 1;
        }
        return PyErr_Occurred() ? -1 : 0;
    }
    *result = ouro_attribute_get(o, name);
    return *result != NULL ? 1 : forget_attribute_error();
}

int
ouro_answer_or_report(int answer, const char *text)
{
    if (answer < 0) {
        PyErr_FormatUnraisable("%s", text);
        return 0;
    }
    return answer;
}

int
_PyObject_FindAttrString(PyObject *o, const char *name, PyObject **result)
{
    *result = NULL;
    PyObject *key = PyUnicode_InternFromString(name);
    if (key == NULL) {
        return -1;
    }
    int found = ouro_attribute_find(o, key, result);
    Py_DECREF(key);
    return found;
}

static int
refuse_assignment(PyObject *o, PyObject *name, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(o);
    bool readable = type->tp_getattr != NULL || type->tp_getattro != NULL;
    PyErr_Format(PyExc_TypeError,
                 readable ? "'%.100s' object has only read-only attributes (%s .%U)"
                          : "'%.100s' object has no attributes (%s .%U)",
                 type->tp_name, value == NULL ? "del" : "assign to", name);
    return -1;
}

int
PyObject_SetAttr(PyObject *o, PyObject *name, PyObject *value)
{
    ouro_event_entry("PyObject_SetAttr");
    if (o == NULL || name == NULL) {
        ouro_null_argument();
        return -1;
    }
    PyTypeObject *type = Py_TYPE(o);
    if (!is_attribute_name(name) || ouro_too_deep(at_an_attribute)) {
        return -1;
    }
    Py_INCREF(name);
    int result = -1;
    if (type->tp_setattro != NULL) {
        result = type->tp_setattro(o, name, value);
    } else if (type->tp_setattr != NULL) {
        const char *text = PyUnicode_AsUTF8(name);
        if (text != NULL) {
            result = type->tp_setattr(o, (char *)text, value);
        }
    } else {
        result = refuse_assignment(o, name, value);
    }
    Py_DECREF(name);
    return result;
}

int
PyObject_SetAttrString(PyObject *o, const char *name, PyObject *value)
{
    PyObject *key = PyUnicode_InternFromString(name);
    if (key == NULL) {
        return -1;
    }
    int result = PyObject_SetAttr(o, key, value);
    Py_DECREF(key);
    return result;
}

int
PyObject_DelAttr(PyObject *o, PyObject *name)
{
    return PyObject_SetAttr(o, name, NULL);
}

int
PyObject_DelAttrString(PyObject *o, const char *name)
{
    return PyObject_SetAttrString(o, name, NULL);
}

static bool
is_attribute_name(PyObject *name)
{
    if (PyUnicode_Check(name)) {
        return true;
    }
    ouro_type_error("attribute name must be string, not '%.200s'", name);
    return false;
}

static int
forget_attribute_error(void)
{
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return -1;
    }
    PyErr_Clear();
    return 0;
}

PyObject *
ouro_null_argument(void)
{
    if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_SystemError, "null argument to internal routine");
    }
    return NULL;
}

PyObject *
ouro_type_error(const char *format, PyObject *o)
{
    return PyErr_Format(PyExc_TypeError, format, Py_TYPE(o)->tp_name);
}
