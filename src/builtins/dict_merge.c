/* SPDX-License-Identifier: MIT */
/* Copying items into a dict: from dicts, from mappings, from pairs. */
#include "dict_object.h"

#include "arguments.h"
#include "mapping.h"

/* Set an item; when not `override` a key that is there keeps its value. */
static int
merge_item(PyObject *mp, PyObject *key, PyObject *value, int override)
{
    return override ? PyDict_SetItem(mp, key, value)
                    : PyDict_SetDefaultRef(mp, key, value, NULL);
}

static int
merge_dict(PyObject *mp, PyObject *other, int override)
{
    uint64_t version = ouro_dict(other)->ma_version;
    PyObject *key, *value;
    Py_ssize_t pos = 0;
    if (mp == other) {
        return 0;
    }
    while (PyDict_Next(other, &pos, &key, &value)) {
        Py_INCREF(key);
        Py_INCREF(value);
        int failed = merge_item(mp, key, value, override);
        Py_DECREF(key);
        Py_DECREF(value);
        if (failed < 0) {
            return -1;
        }
        if (version != ouro_dict(other)->ma_version) {
            PyErr_SetString(PyExc_RuntimeError, "dict mutated during update");
            return -1;
        }
    }
    return 0;
}

/* One key of a mapping. */
static int
merge_key(PyObject *mp, PyObject *other, PyObject *key, int override)
{
    if (!override) {
        int there = PyDict_Contains(mp, key);
        if (there != 0) {
            return there < 0 ? -1 : 0;
        }
    }
    PyObject *value = ouro_mapping_get(other, key);
    if (value == NULL) {
        return -1;
    }
    int result = PyDict_SetItem(mp, key, value);
    Py_DECREF(value);
    return result;
}

static int
merge_mapping(PyObject *mp, PyObject *other, int override)
{
    PyObject *keys = PyMapping_Keys(other);
    PyObject *iterator = keys == NULL ? NULL : PyObject_GetIter(keys);
    Py_XDECREF(keys);
    if (iterator == NULL) {
        return -1;
    }
    int failed = 0;
    PyObject *key;
    while (!failed && (key = PyIter_Next(iterator)) != NULL) {
        failed = merge_key(mp, other, key, override);
        Py_DECREF(key);
    }
    Py_DECREF(iterator);
    return failed || PyErr_Occurred() ? -1 : 0;
}

int
PyDict_Merge(PyObject *mp, PyObject *other, int override)
{
    if (mp == NULL || !PyDict_Check(mp) || other == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    /* A subclass may override iteration. */
    if (PyAnyDict_Check(other) && Py_TYPE(other)->tp_iter == PyDict_Type.tp_iter) {
        return merge_dict(mp, other, override);
    }
    return merge_mapping(mp, other, override);
}

int
PyDict_Update(PyObject *mp, PyObject *other)
{
    return PyDict_Merge(mp, other, 1);
}

static int
merge_pair(PyObject *mp, PyObject *pair, Py_ssize_t number, int override)
{
    PyObject *fast = PySequence_Fast(pair, "");
    if (fast == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(
                PyExc_TypeError,
                "cannot convert dictionary update sequence element #%zd to a sequence",
                number);
        }
        return -1;
    }
    int result = -1;
    if (PySequence_Fast_GET_SIZE(fast) != 2) {
        PyErr_Format(
            PyExc_ValueError,
            "dictionary update sequence element #%zd has length %zd; 2 is required",
            number, PySequence_Fast_GET_SIZE(fast));
    } else {
        PyObject *key = Py_NewRef(PySequence_Fast_GET_ITEM(fast, 0));
        PyObject *value = Py_NewRef(PySequence_Fast_GET_ITEM(fast, 1));
        result = merge_item(mp, key, value, override) < 0 ? -1 : 0;
        Py_DECREF(key);
        Py_DECREF(value);
    }
    Py_DECREF(fast);
    return result;
}

int
PyDict_MergeFromSeq2(PyObject *mp, PyObject *seq2, int override)
{
    if (mp == NULL || !PyDict_Check(mp) || seq2 == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    PyObject *iterator = PyObject_GetIter(seq2);
    if (iterator == NULL) {
        return -1;
    }
    int failed = 0;
    PyObject *pair;
    for (Py_ssize_t i = 0; !failed && (pair = PyIter_Next(iterator)) != NULL; i++) {
        failed = merge_pair(mp, pair, i, override);
        Py_DECREF(pair);
    }
    Py_DECREF(iterator);
    return failed || PyErr_Occurred() ? -1 : 0;
}

int
ouro_dict_update_from(PyObject *self, PyObject *source)
{
    PyObject *keys = NULL;
    int mapping =
        PyAnyDict_Check(source) ? 1 : _PyObject_FindAttrString(source, "keys", &keys);
    Py_XDECREF(keys);
    if (mapping < 0) {
        return -1;
    }
    return mapping ? PyDict_Merge(self, source, 1)
                   : PyDict_MergeFromSeq2(self, source, 1);
}

int
ouro_dict_update(PyObject *self, const char *name, PyObject *args, PyObject *kwargs)
{
    if (!ouro_args_between(name, PyTuple_GET_SIZE(args), 0, 1)) {
        return -1;
    }
    if (PyTuple_GET_SIZE(args) == 1 &&
        ouro_dict_update_from(self, PyTuple_GET_ITEM(args, 0)) < 0) {
        return -1;
    }
    return kwargs == NULL ? 0 : PyDict_Merge(self, kwargs, 1);
}

PyObject *
ouro_dict_copy_any(PyObject *mp)
{
    PyObject *copy = PyDict_New();
    if (copy != NULL && PyDict_Merge(copy, mp, 1) < 0) {
        Py_CLEAR(copy);
    }
    return copy;
}

PyObject *
PyDict_Copy(PyObject *mp)
{
    if (mp == NULL || !PyDict_Check(mp)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return ouro_dict_copy_any(mp);
}
