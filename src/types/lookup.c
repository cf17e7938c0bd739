/* SPDX-License-Identifier: MIT */
/* Asking a type: ancestors, flags, slots, and attributes along the MRO. */
#include "slot_table.h"
#include "type.h"

int
PyType_IsSubtype(PyTypeObject *a, PyTypeObject *b)
{
    PyObject *mro = a->tp_mro;
    if (mro != NULL) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
            if (PyTuple_GET_ITEM(mro, i) == (PyObject *)b) {
                return 1;
            }
        }
        return 0;
    }
    /* Not finished yet, or cleared by the collector. */
    while (a != NULL && a != b) {
        a = a->tp_base;
    }
    return a == b || b == &PyBaseObject_Type;
}

unsigned long
PyType_GetFlags(PyTypeObject *type)
{
    return type->tp_flags;
}

void *
PyType_GetSlot(PyTypeObject *type, int slot)
{
    const struct slot_place *place = ouro_slot_place(ouro_slot_current(slot));
    if (place == NULL) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (!ouro_type_use(type)) {
        return NULL;
    }
    if ((size_t)place->field >= sizeof(PyTypeObject) && !ouro_type_is_heap(type)) {
        return NULL;
    }
    return ouro_slot_read(type, place);
}

/* What one type of the MRO has under `name`, borrowed. */
static PyObject *
look_in_type(PyTypeObject *type, PyObject *name, Py_hash_t hash)
{
    if (type->tp_dict == NULL) {
        return NULL;
    }
    return _PyDict_GetItem_KnownHash(type->tp_dict, name, hash);
}

PyObject *
ouro_type_lookup(PyTypeObject *type, PyObject *name)
{
    PyObject *pending = PyErr_Occurred() != NULL ? PyErr_GetRaisedException() : NULL;
    PyObject *found = NULL;
    Py_hash_t hash = PyObject_Hash(name);
    PyObject *mro = type->tp_mro;
    if (hash != -1 && mro != NULL) {
        Py_INCREF(mro); /* comparing names of a subclass of str may run code */
        for (Py_ssize_t i = 0; found == NULL && i < PyTuple_GET_SIZE(mro); i++) {
            found = look_in_type((PyTypeObject *)PyTuple_GET_ITEM(mro, i), name, hash);
        }
        Py_DECREF(mro);
    }
    if (found == NULL && PyErr_Occurred() != NULL) {
        PyErr_Clear();
    }
    if (pending != NULL) {
        PyErr_SetRaisedException(pending);
    }
    return found;
}

void
PyType_Modified(PyTypeObject *type)
{
    if (ouro_type_is_heap(type)) { /* static types are shared, and do not change */
        type->tp_version_tag = 0;
        type->tp_flags &= ~Py_TPFLAGS_VALID_VERSION_TAG;
    }
}

/* Names are looked up in the dicts each time: there is nothing to clear. */
unsigned int
PyType_ClearCache(void)
{
    return 0;
}

int
PyType_Freeze(PyTypeObject *type)
{
    struct failure failure = {0};
    if (!ouro_bases_are_immutable(type->tp_name, type->tp_mro, 1, &failure)) {
        ouro_failure_raise(&failure);
        return -1;
    }
    if (ouro_type_is_heap(type)) {
        type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
    }
    return 0;
}
