/* SPDX-License-Identifier: MIT */
/* Where an instance keeps its dict.
 *
 * tp_dictoffset says so:
 *    0   instances have none
 *   -1   a managed dict: the word two before the object, which the library owns
 *   > 0  a field of the structure
 *   < 0  counted from the end of a variable-size instance */
#include <Python.h>

#include "protocol.h"

static PyObject **
managed_dict_place(PyObject *o)
{
    return (PyObject **)o - 2;
}

static PyObject **
counted_from_the_end(PyObject *o, Py_ssize_t offset)
{
    Py_ssize_t items = Py_ABS(Py_SIZE(o)); /* a negative size is a sign, as in int */
    Py_ssize_t end = (Py_ssize_t)_PyObject_VAR_SIZE(Py_TYPE(o), items);
    return (PyObject **)((char *)o + end + offset);
}

PyObject **
_PyObject_GetDictPtr(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) {
        return managed_dict_place(o);
    }
    Py_ssize_t offset = type->tp_dictoffset;
    if (offset == 0) {
        return NULL;
    }
    return offset > 0 ? (PyObject **)((char *)o + offset)
                      : counted_from_the_end(o, offset);
}

static int
raise_no_dict(void)
{
    PyErr_SetString(PyExc_AttributeError, "This object has no __dict__");
    return -1;
}

PyObject *
PyObject_GenericGetDict(PyObject *o, void *Py_UNUSED(context))
{
    PyObject **place = _PyObject_GetDictPtr(o);
    if (place == NULL) {
        raise_no_dict();
        return NULL;
    }
    return ouro_instance_dict(place);
}

PyObject *
ouro_instance_dict(PyObject **place)
{
    if (*place != NULL) {
        return Py_NewRef(*place);
    }
    PyObject *fresh = PyDict_New();
    if (fresh == NULL) {
        return NULL;
    }
    /* Making it may have run a collection, and that may have run code which made one too. */
    if (*place != NULL) {
        Py_DECREF(fresh);
        return Py_NewRef(*place);
    }
    *place = fresh;
    return Py_NewRef(fresh);
}

int
PyObject_GenericSetDict(PyObject *o, PyObject *value, void *Py_UNUSED(context))
{
    PyObject **place = _PyObject_GetDictPtr(o);
    if (place == NULL) {
        return raise_no_dict();
    }
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "cannot delete __dict__");
        return -1;
    }
    if (!PyDict_Check(value)) {
        PyErr_Format(PyExc_TypeError,
                     "__dict__ must be set to a dictionary, not a '%.200s'",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    Py_XSETREF(*place, Py_NewRef(value));
    return 0;
}

int
PyObject_VisitManagedDict(PyObject *o, visitproc visit, void *arg)
{
    if (PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_MANAGED_DICT)) {
        Py_VISIT(*managed_dict_place(o));
    }
    return 0;
}

void
PyObject_ClearManagedDict(PyObject *o)
{
    if (PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_MANAGED_DICT)) {
        Py_CLEAR(*managed_dict_place(o));
    }
}
