/* SPDX-License-Identifier: MIT */
/* `type`: the type of types.
 *
 * Heap types are its instances in the collector's heap; static types are instances too,
 * but tp_is_gc keeps the collector off them. */
#include "subclasses.h"
#include "type.h"

static PyObject *
type_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyTypeObject *type = (PyTypeObject *)self;
    if (type == &PyType_Type) {
        Py_ssize_t count = PyTuple_GET_SIZE(args);
        if (count == 1 && (kwargs == NULL || PyDict_GET_SIZE(kwargs) == 0)) {
            return Py_NewRef(Py_TYPE(PyTuple_GET_ITEM(args, 0)));
        }
        if (count != 3) {
            PyErr_SetString(PyExc_TypeError, "type() takes 1 or 3 arguments");
            return NULL;
        }
    }
    if (!ouro_type_use(type)) {
        return NULL;
    }
    if (type->tp_new == NULL) {
        return PyErr_Format(PyExc_TypeError, "cannot create '%s' instances",
                            type->tp_name);
    }
    PyObject *object = type->tp_new(type, args, kwargs);
    if (object == NULL || !PyObject_TypeCheck(object, type)) {
        return object; /* tp_new may return anything; only instances are initialised */
    }
    initproc init = Py_TYPE(object)->tp_init;
    if (init != NULL && init(object, args, kwargs) < 0) {
        Py_DECREF(object);
        return NULL;
    }
    return object;
}

/* The arguments were used by tp_new: keywords by __init_subclass__. */
static int
type_init(PyObject *Py_UNUSED(self), PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count == 1 && kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "type.__init__() takes no keyword arguments");
        return -1;
    }
    if (count != 1 && count != 3) {
        PyErr_SetString(PyExc_TypeError, "type.__init__() takes 1 or 3 arguments");
        return -1;
    }
    return 0;
}

static PyObject *
type_repr(PyObject *self)
{
    PyObject *name = ouro_type_display_name((PyTypeObject *)self);
    if (name == NULL) {
        return NULL;
    }
    PyObject *text = PyUnicode_FromFormat("<class '%U'>", name);
    Py_DECREF(name);
    return text;
}

/* --- the collector ---------------------------------------------------------------------- */

static int
type_is_gc(PyObject *self)
{
    return ouro_type_is_heap((PyTypeObject *)self);
}

static int
type_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyTypeObject *type = (PyTypeObject *)self;
    Py_VISIT(type->tp_dict);
    Py_VISIT(type->tp_cache);
    Py_VISIT(type->tp_mro);
    Py_VISIT(type->tp_bases);
    Py_VISIT(type->tp_base);
    Py_VISIT(((PyHeapTypeObject *)type)->ht_module);
    return 0;
}

/* Breaks the cycles that every heap type is part of: through its MRO, which begins with
 * it, and through the descriptors in its dict. Base and bases stay: instances that die
 * later still need them. */
static int
type_clear(PyObject *self)
{
    PyTypeObject *type = (PyTypeObject *)self;
    PyType_Modified(type);
    if (type->tp_dict != NULL) {
        PyDict_Clear(type->tp_dict);
    }
    Py_CLEAR(((PyHeapTypeObject *)type)->ht_module);
    Py_CLEAR(type->tp_mro);
    return 0;
}

static void
type_dealloc(PyObject *self)
{
    PyTypeObject *type = (PyTypeObject *)self;
    PyHeapTypeObject *heap = (PyHeapTypeObject *)self;
    PyObject_GC_UnTrack(self);
    if (type->tp_weaklist != NULL) {
        PyObject_ClearWeakRefs(self);
    }
    ouro_subclasses_remove(type);
    Py_XDECREF(type->tp_subclasses);
    Py_CLEAR(type->tp_dict);
    Py_CLEAR(type->tp_mro);
    Py_CLEAR(type->tp_cache);
    Py_CLEAR(type->tp_bases);
    Py_CLEAR(type->tp_base);
    Py_CLEAR(heap->ht_module);
    Py_CLEAR(heap->ht_slots);
    Py_CLEAR(heap->ht_qualname);
    Py_CLEAR(heap->ht_name);
    PyMem_Free((char *)type->tp_doc);
    PyMem_Free(heap->ht_tpname);
    PyMem_RawFree((void *)type->tp_ouro_edges);
    Py_TYPE(self)->tp_free(self);
}

PyTypeObject PyType_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "type",
    .tp_basicsize = sizeof(PyHeapTypeObject),
    .tp_itemsize = sizeof(PyMemberDef),
    .tp_dealloc = type_dealloc,
    .tp_vectorcall_offset = offsetof(PyTypeObject, tp_vectorcall),
    .tp_repr = type_repr,
    .tp_call = type_call,
    .tp_getattro = ouro_type_getattro,
    .tp_setattro = ouro_type_setattro,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE |
                Py_TPFLAGS_TYPE_SUBCLASS | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_ITEMS_AT_END,
    .tp_doc = "type(object) -> the object's type\n"
              "type(name, bases, dict) -> a new type",
    .tp_traverse = type_traverse,
    .tp_clear = type_clear,
    .tp_weaklistoffset = offsetof(PyTypeObject, tp_weaklist),
    .tp_methods = ouro_type_methods,
    .tp_getset = ouro_type_getset,
    .tp_dictoffset = offsetof(PyTypeObject, tp_dict),
    .tp_init = type_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = ouro_class_new,
    .tp_free = PyObject_GC_Del,
    .tp_is_gc = type_is_gc,
};
