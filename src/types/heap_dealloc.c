/* SPDX-License-Identifier: MIT */
/* The tp_dealloc of heap types that bring none.
 *
 * It undoes what heap types add to their instances (finalizer, weak references, slots, managed
 * dict) and leaves the rest to the nearest ancestor with another tp_dealloc. It does not call
 * tp_clear: a C type that adds fields needs its own tp_dealloc. */
#include "type.h"

static PyTypeObject *nearest_other_dealloc(PyTypeObject *type);
static bool is_resurrected(PyObject *self, PyTypeObject *type, bool own_weakrefs);
static void release_added_state(PyObject *self, PyTypeObject *type, PyTypeObject *base);

void
ouro_heap_instance_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyTypeObject *base = nearest_other_dealloc(type);
    bool own_weakrefs = type->tp_weaklistoffset != 0 && base->tp_weaklistoffset == 0;
    if (PyType_IS_GC(type)) {
        PyObject_GC_UnTrack(self);
    }
    if (is_resurrected(self, type, own_weakrefs)) {
        return;
    }
    release_added_state(self, type, base);

    type = Py_TYPE(self); /* tp_del may have changed it */
    if (PyType_IS_GC(base)) {
        PyObject_GC_Track(self); /* as the ancestor expects it */
    }
    /* Afterwards neither self nor, perhaps, the type can be read. */
    bool owns_type = ouro_type_is_heap(type) && !ouro_type_is_heap(base);
    base->tp_dealloc(self);
    if (owns_type) {
        Py_DECREF(type);
    }
}

static PyTypeObject *
nearest_other_dealloc(PyTypeObject *type)
{
    while (type->tp_dealloc == ouro_heap_instance_dealloc) {
        type = type->tp_base;
    }
    return type;
}

/* Run the finalizers, with `self` tracked meanwhile, and clear the weak references in
 * between. True when the object lives on. */
static bool
is_resurrected(PyObject *self, PyTypeObject *type, bool own_weakrefs)
{
    bool tracks = PyType_IS_GC(type);
    if (type->tp_finalize != NULL) {
        if (tracks) {
            PyObject_GC_Track(self);
        }
        if (PyObject_CallFinalizerFromDealloc(self) < 0) {
            return true;
        }
        if (tracks) {
            PyObject_GC_UnTrack(self);
        }
    }
    if (own_weakrefs) {
        PyObject_ClearWeakRefs(self);
    }
    if (type->tp_del != NULL) {
        if (tracks) {
            PyObject_GC_Track(self);
        }
        type->tp_del(self);
        if (Py_REFCNT(self) > 0) {
            return true;
        }
        if (tracks) {
            PyObject_GC_UnTrack(self);
        }
        if (own_weakrefs) { /* made by tp_del: too late for their callbacks */
            PyUnstable_Object_ClearWeakRefsNoCallbacks(self);
        }
    }
    return false;
}

static void
release_added_state(PyObject *self, PyTypeObject *type, PyTypeObject *base)
{
    for (PyTypeObject *t = type; t != base; t = t->tp_base) {
        if (Py_SIZE(t) > 0) {
            ouro_members_clear(t, self);
        }
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT)) {
        PyObject_ClearManagedDict(self);
    } else if (type->tp_dictoffset != 0 && base->tp_dictoffset == 0) {
        PyObject **place = _PyObject_GetDictPtr(self);
        if (place != NULL) {
            Py_CLEAR(*place);
        }
    }
}
