/* SPDX-License-Identifier: MIT */
/* Hooks that learn about a new class: first __set_name__ of the values in its dict, then
 * __init_subclass__ of its bases. */
#include "slot_dispatch.h"

/* exc.__notes__.append(note). An error here is ignored: an exception is pending already. */
static void
add_note(PyObject *exc, PyObject *note)
{
    PyObject *notes;
    int found = _PyObject_FindAttrString(exc, "__notes__", &notes);
    if (found == 0) {
        notes = PyList_New(0);
        if (notes != NULL && PyObject_SetAttrString(exc, "__notes__", notes) < 0) {
            Py_CLEAR(notes);
        }
    }
    if (notes != NULL && PyList_Check(notes)) {
        PyList_Append(notes, note);
    }
    Py_XDECREF(notes);
    PyErr_Clear();
}

static void
note_where_naming_failed(PyTypeObject *type, PyObject *key, PyObject *value)
{
    PyObject *exc = PyErr_GetRaisedException();
    PyObject *note = PyUnicode_FromFormat(
        "Error calling __set_name__ on '%.100s' instance %R in '%.100s'",
        Py_TYPE(value)->tp_name, key, type->tp_name);
    if (note != NULL) {
        add_note(exc, note);
        Py_DECREF(note);
    }
    PyErr_SetRaisedException(exc); /* and nothing else is pending */
}

static int
call_set_name(PyTypeObject *type, PyObject *key, PyObject *value)
{
    PyObject *args[] = {value, (PyObject *)type, key}, *result;
    if (ouro_special_try(SPECIAL_set_name, args, 3, &result) == 0) {
        return 0;
    }
    if (result == NULL) {
        note_where_naming_failed(type, key, value);
        return -1;
    }
    Py_DECREF(result);
    return 0;
}

/* Over a copy: the calls may change the class. */
static int
call_set_names(PyTypeObject *type)
{
    PyObject *dict = PyDict_Copy(type->tp_dict);
    if (dict == NULL) {
        return -1;
    }
    PyObject *key, *value;
    Py_ssize_t position = 0;
    int result = 0;
    while (result == 0 && PyDict_Next(dict, &position, &key, &value)) {
        result = call_set_name(type, key, value);
    }
    Py_DECREF(dict);
    return result;
}

/* super(type, type).__init_subclass__; `object` has one. NULL with an exception. */
static PyObject *
find_init_subclass(PyTypeObject *type)
{
    PyObject *mro = Py_NewRef(type->tp_mro), *found = NULL;
    for (Py_ssize_t i = 1; found == NULL && i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (base->tp_dict != NULL &&
            PyDict_GetItemRef(base->tp_dict, OURO_SPECIAL(init_subclass), &found) < 0) {
            break;
        }
    }
    Py_DECREF(mro);
    descrgetfunc get = found == NULL ? NULL : Py_TYPE(found)->tp_descr_get;
    if (get == NULL) {
        return found;
    }
    PyObject *bound = get(found, NULL, (PyObject *)type);
    Py_DECREF(found);
    return bound;
}

static int
call_init_subclass(PyTypeObject *type, PyObject *kwargs)
{
    PyObject *method = find_init_subclass(type);
    PyObject *result =
        method == NULL ? NULL : PyObject_VectorcallDict(method, NULL, 0, kwargs);
    Py_XDECREF(method);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

bool
ouro_class_announce(PyTypeObject *type, PyObject *kwargs)
{
    return call_set_names(type) == 0 && call_init_subclass(type, kwargs) == 0;
}
