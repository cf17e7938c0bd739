/* SPDX-License-Identifier: MIT */
/* The attributes of ordinary instances.
 *
 * An attribute is looked for in three places: a data descriptor of the type wins over the
 * instance dict, and the instance dict over anything else the type has. Where the dict of
 * an instance lives is instancedict.c's business. */
#include <Python.h>

#include "../types/type.h"
#include "protocol.h"

/* A place to look: what the type has under the name (owned), and its getter. */
struct type_attribute {
    PyObject *value; /* NULL when the type has nothing */
    descrgetfunc get;
};

static struct type_attribute
find_in_type(PyTypeObject *type, PyObject *name)
{
    struct type_attribute found = {Py_XNewRef(ouro_type_lookup(type, name)), NULL};
    if (found.value != NULL) {
        found.get = Py_TYPE(found.value)->tp_descr_get;
    }
    return found;
}

/* 1 and a new reference, 0, or -1 with an exception. */
static int
find_in_instance(PyObject *o, PyObject *name, PyObject **result)
{
    *result = NULL;
    PyObject **place = _PyObject_GetDictPtr(o);
    if (place == NULL || *place == NULL) {
        return 0;
    }
    /* Comparing keys may run code that replaces the dict. */
    PyObject *dict = Py_NewRef(*place);
    int found = PyDict_GetItemRef(dict, name, result);
    Py_DECREF(dict);
    return found;
}

static PyObject *
bind_to_instance(struct type_attribute found, PyObject *o, bool quiet)
{
    PyObject *value = found.get(found.value, o, (PyObject *)Py_TYPE(o));
    if (value == NULL && quiet && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
    }
    Py_DECREF(found.value);
    return value;
}

static void
raise_no_attribute(PyObject *o, PyObject *name)
{
    PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '%U'",
                 Py_TYPE(o)->tp_name, name);
}

/* A type for which PyType_Ready was not called is finished now. */
static bool
type_is_usable(PyTypeObject *type)
{
    return type->tp_dict != NULL || PyType_Ready(type) == 0;
}

PyObject *
ouro_generic_get(PyObject *o, PyObject *name, bool quiet)
{
    PyTypeObject *type = Py_TYPE(o);
    if (!type_is_usable(type)) {
        return NULL;
    }
    struct type_attribute found = find_in_type(type, name);
    if (found.get != NULL && PyDescr_IsData(found.value)) {
        return bind_to_instance(found, o, quiet);
    }
    PyObject *value;
    if (find_in_instance(o, name, &value) != 0) {
        Py_XDECREF(found.value);
        return value;
    }
    if (found.get != NULL) {
        return bind_to_instance(found, o, quiet);
    }
    if (found.value == NULL && !quiet) {
        raise_no_attribute(o, name);
    }
    return found.value;
}

int
ouro_method_get(PyObject *o, PyObject *name, PyObject **method)
{
    PyTypeObject *type = Py_TYPE(o);
    *method = NULL;
    if (type->tp_getattro != PyObject_GenericGetAttr || !PyUnicode_Check(name)) {
        *method = ouro_attribute_get(o, name);
        return *method == NULL ? -1 : 0;
    }
    if (!type_is_usable(type)) {
        return -1;
    }
    PyObject *found = ouro_type_lookup(type, name);
    if (found == NULL ||
        !PyType_HasFeature(Py_TYPE(found), Py_TPFLAGS_METHOD_DESCRIPTOR)) {
        *method = ouro_generic_get(o, name, false);
        return *method == NULL ? -1 : 0;
    }
    /* A function of the type: binding it would make an object that the call takes apart at
     * once. The instance dict still comes first. */
    Py_INCREF(found);
    int in_instance = find_in_instance(o, name, method);
    if (in_instance != 0) {
        Py_DECREF(found);
        return in_instance < 0 ? -1 : 0;
    }
    *method = found;
    return 1;
}

int
ouro_special_get(PyObject *o, const char *name, PyObject **method)
{
    *method = NULL;
    PyObject *key = PyUnicode_InternFromString(name);
    if (key == NULL) {
        return -1;
    }
    struct type_attribute found = find_in_type(Py_TYPE(o), key);
    Py_DECREF(key);
    if (found.get != NULL) {
        *method = bind_to_instance(found, o, false);
        return *method == NULL ? -1 : 1;
    }
    *method = found.value;
    return found.value != NULL;
}

PyObject *
PyObject_GenericGetAttr(PyObject *o, PyObject *name)
{
    if (!PyUnicode_Check(name)) {
        return ouro_type_error("attribute name must be string, not '%.200s'", name);
    }
    return ouro_generic_get(o, name, false);
}

static int
raise_not_settable(PyObject *o, PyObject *name, PyObject *in_type)
{
    PyTypeObject *type = Py_TYPE(o);
    if (in_type != NULL) {
        PyErr_Format(PyExc_AttributeError, "'%.100s' object attribute '%U' is read-only",
                     type->tp_name, name);
    } else if (type->tp_setattro == PyObject_GenericSetAttr) {
        PyErr_Format(PyExc_AttributeError,
                     "'%.100s' object has no attribute '%U' and no __dict__ for setting "
                     "new attributes",
                     type->tp_name, name);
    } else {
        raise_no_attribute(o, name);
    }
    return -1;
}

static int
set_in_instance(PyObject *o, PyObject *name, PyObject *value, PyObject **place)
{
    if (*place == NULL && value == NULL) {
        raise_no_attribute(o, name);
        return -1;
    }
    PyObject *dict = ouro_instance_dict(place);
    if (dict == NULL) {
        return -1;
    }
    int result =
        value != NULL ? PyDict_SetItem(dict, name, value) : PyDict_DelItem(dict, name);
    Py_DECREF(dict);
    if (result < 0 && value == NULL && PyErr_ExceptionMatches(PyExc_KeyError)) {
        PyErr_Clear();
        raise_no_attribute(o, name);
    }
    return result;
}

int
PyObject_GenericSetAttr(PyObject *o, PyObject *name, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(o);
    if (!PyUnicode_Check(name)) {
        ouro_type_error("attribute name must be string, not '%.200s'", name);
        return -1;
    }
    if (!type_is_usable(type)) {
        return -1;
    }
    int result;
    Py_INCREF(o); /* the old value's destructor may drop the last other reference */
    struct type_attribute found = find_in_type(type, name);
    descrsetfunc set = found.value == NULL ? NULL : Py_TYPE(found.value)->tp_descr_set;
    if (set != NULL) {
        result = set(found.value, o, value);
    } else {
        PyObject **place = _PyObject_GetDictPtr(o);
        result = place == NULL ? raise_not_settable(o, name, found.value)
                               : set_in_instance(o, name, value, place);
    }
    Py_XDECREF(found.value);
    Py_DECREF(o);
    return result;
}
