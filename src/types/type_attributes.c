/* SPDX-License-Identifier: MIT */
/* Attributes of types.
 *
 * Like those of instances (api/genericattr.c), but the place of the instance dict is taken by
 * the type's whole MRO, and a descriptor found there must learn that the type was asked, not an
 * instance. */
#include "slot_methods.h"

static bool
name_is_str(PyObject *name)
{
    if (PyUnicode_Check(name)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "attribute name must be string, not '%.200s'",
                 Py_TYPE(name)->tp_name);
    return false;
}

static void
raise_no_type_attribute(PyTypeObject *type, PyObject *name)
{
    PyErr_Format(PyExc_AttributeError, "type object '%.100s' has no attribute '%U'",
                 type->tp_name, name);
}

/* What the metatype has under `name`, as seen from `type`: a new reference. */
static PyObject *
bind_to_type(PyObject *found, PyTypeObject *type)
{
    descrgetfunc get = Py_TYPE(found)->tp_descr_get;
    return get == NULL ? Py_NewRef(found)
                       : get(found, (PyObject *)type, (PyObject *)Py_TYPE(type));
}

PyObject *
ouro_type_getattro(PyObject *self, PyObject *name)
{
    PyTypeObject *type = (PyTypeObject *)self;
    if (!name_is_str(name) || (type->tp_dict == NULL && PyType_Ready(type) < 0)) {
        return NULL;
    }
    PyObject *of_metatype = Py_XNewRef(ouro_type_lookup(Py_TYPE(type), name));
    PyObject *value = NULL;
    if (of_metatype != NULL && PyDescr_IsData(of_metatype)) {
        value = bind_to_type(of_metatype, type);
        Py_DECREF(of_metatype);
        return value;
    }
    PyObject *own = Py_XNewRef(ouro_type_lookup(type, name));
    if (own != NULL) {
        descrgetfunc get = Py_TYPE(own)->tp_descr_get;
        value = get == NULL ? Py_NewRef(own) : get(own, NULL, (PyObject *)type);
        Py_DECREF(own);
    } else if (of_metatype != NULL) {
        value = bind_to_type(of_metatype, type);
    } else {
        raise_no_type_attribute(type, name);
    }
    Py_XDECREF(of_metatype);
    return value;
}

/* Store or delete in the type's own dict. */
static int
set_in_type(PyTypeObject *type, PyObject *name, PyObject *value)
{
    if (value != NULL) {
        return PyDict_SetItem(type->tp_dict, name, value);
    }
    int result = PyDict_DelItem(type->tp_dict, name);
    if (result < 0 && PyErr_ExceptionMatches(PyExc_KeyError)) {
        PyErr_Clear();
        raise_no_type_attribute(type, name);
    }
    return result;
}

int
ouro_type_setattro(PyObject *self, PyObject *name, PyObject *value)
{
    PyTypeObject *type = (PyTypeObject *)self;
    if (!name_is_str(name)) {
        return -1;
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE) || !ouro_type_is_heap(type)) {
        PyErr_Format(PyExc_TypeError, "cannot set '%U' attribute of immutable type '%s'",
                     name, type->tp_name);
        return -1;
    }
    PyObject *of_metatype = Py_XNewRef(ouro_type_lookup(Py_TYPE(type), name));
    descrsetfunc set = of_metatype == NULL ? NULL : Py_TYPE(of_metatype)->tp_descr_set;
    int result =
        set != NULL ? set(of_metatype, self, value) : set_in_type(type, name, value);
    Py_XDECREF(of_metatype);
    PyType_Modified(type);
    return result < 0 ? -1 : ouro_type_method_changed(type, name);
}

/* --- the attributes that every type has ------------------------------------------------------ */

static PyObject *
type_get_name(PyObject *self, void *Py_UNUSED(closure))
{
    return PyType_GetName((PyTypeObject *)self);
}

static PyObject *
type_get_qualname(PyObject *self, void *Py_UNUSED(closure))
{
    return PyType_GetQualName((PyTypeObject *)self);
}

static PyObject *
type_get_module(PyObject *self, void *Py_UNUSED(closure))
{
    return PyType_GetModuleName((PyTypeObject *)self);
}

static bool
check_name_value(PyTypeObject *type, PyObject *value, const char *attribute)
{
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError,
                     "cannot delete '%s' attribute of immutable type '%s'", attribute,
                     type->tp_name);
    } else if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "can only assign string to %s.%s, not '%s'",
                     type->tp_name, attribute, Py_TYPE(value)->tp_name);
    } else {
        return true;
    }
    return false;
}

static int
type_set_name(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    PyHeapTypeObject *heap = (PyHeapTypeObject *)self;
    if (!check_name_value(&heap->ht_type, value, "__name__")) {
        return -1;
    }
    const char *text = PyUnicode_AsUTF8(value);
    if (text == NULL) {
        return -1;
    }
    char *copy = ouro_text_copy(text, strlen(text));
    if (copy == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyMem_Free(heap->ht_tpname);
    heap->ht_type.tp_name = heap->ht_tpname = copy;
    Py_XSETREF(heap->ht_name, Py_NewRef(value));
    return 0;
}

static int
type_set_qualname(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    PyHeapTypeObject *heap = (PyHeapTypeObject *)self;
    if (!check_name_value(&heap->ht_type, value, "__qualname__")) {
        return -1;
    }
    Py_XSETREF(heap->ht_qualname, Py_NewRef(value));
    return 0;
}

static int
type_set_in_dict(PyObject *self, PyObject *value, void *name)
{
    PyTypeObject *type = (PyTypeObject *)self;
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError,
                     "cannot delete '%s' attribute of immutable type '%s'",
                     (const char *)name, type->tp_name);
        return -1;
    }
    return PyDict_SetItemString(type->tp_dict, name, value);
}

static PyObject *
type_get_doc(PyObject *self, void *Py_UNUSED(closure))
{
    PyTypeObject *type = (PyTypeObject *)self;
    if (!ouro_type_is_heap(type)) {
        return type->tp_doc == NULL ? Py_NewRef(Py_None)
                                    : PyUnicode_FromString(type->tp_doc);
    }
    PyObject *doc;
    if (PyDict_GetItemStringRef(type->tp_dict, "__doc__", &doc) == 0) {
        return Py_NewRef(Py_None);
    }
    return doc;
}

static PyObject *
type_get_bases(PyObject *self, void *Py_UNUSED(closure))
{
    return Py_XNewRef(((PyTypeObject *)self)->tp_bases);
}

static PyObject *
type_get_base(PyObject *self, void *Py_UNUSED(closure))
{
    PyTypeObject *base = ((PyTypeObject *)self)->tp_base;
    return base == NULL ? Py_NewRef(Py_None) : Py_NewRef(base);
}

static PyObject *
type_get_mro(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *mro = ((PyTypeObject *)self)->tp_mro;
    return mro == NULL ? Py_NewRef(Py_None) : Py_NewRef(mro);
}

/* A view: the dict itself changes through attributes only. */
static PyObject *
type_get_dict(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *dict = ((PyTypeObject *)self)->tp_dict;
    return dict == NULL ? Py_NewRef(Py_None) : PyDictProxy_New(dict);
}

/* `type` itself has this getter under the name, so only the dict is searched. */
static PyObject *
type_get_abstractmethods(PyObject *self, void *name)
{
    PyObject *names = NULL;
    if (self != (PyObject *)&PyType_Type) {
        PyDict_GetItemStringRef(((PyTypeObject *)self)->tp_dict, name, &names);
    }
    if (names == NULL && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_AttributeError, name);
    }
    return names;
}

static int
type_set_abstractmethods(PyObject *self, PyObject *value, void *name)
{
    PyTypeObject *type = (PyTypeObject *)self;
    int abstract = value == NULL ? 0 : PyObject_IsTrue(value);
    if (abstract < 0) {
        return -1;
    }
    int result = value == NULL ? PyDict_PopString(type->tp_dict, name, NULL)
                               : PyDict_SetItemString(type->tp_dict, name, value);
    if (result < 0 || (value == NULL && result == 0)) {
        if (result == 0) {
            PyErr_SetString(PyExc_AttributeError, name);
        }
        return -1;
    }
    type->tp_flags &= ~Py_TPFLAGS_IS_ABSTRACT;
    type->tp_flags |= abstract ? Py_TPFLAGS_IS_ABSTRACT : 0;
    return 0;
}

static PyObject *
type_get_flags(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLong(((PyTypeObject *)self)->tp_flags);
}

static PyObject *
type_get_size(PyObject *self, void *field)
{
    return PyLong_FromSsize_t(*(Py_ssize_t *)((char *)self + (uintptr_t)field));
}

#define OURO_TYPE_FIELD(name) ((void *)offsetof(PyTypeObject, name))

PyGetSetDef ouro_type_getset[] = {
    {"__name__", type_get_name, type_set_name, NULL, NULL},
    {"__qualname__", type_get_qualname, type_set_qualname, NULL, NULL},
    {"__module__", type_get_module, type_set_in_dict, NULL, "__module__"},
    {"__doc__", type_get_doc, type_set_in_dict, NULL, "__doc__"},
    {"__bases__", type_get_bases, NULL, NULL, NULL},
    {"__base__", type_get_base, NULL, NULL, NULL},
    {"__mro__", type_get_mro, NULL, NULL, NULL},
    {"__abstractmethods__", type_get_abstractmethods, type_set_abstractmethods, NULL,
     "__abstractmethods__"},
    {"__flags__", type_get_flags, NULL, NULL, NULL},
    {"__basicsize__", type_get_size, NULL, NULL, OURO_TYPE_FIELD(tp_basicsize)},
    {"__itemsize__", type_get_size, NULL, NULL, OURO_TYPE_FIELD(tp_itemsize)},
    {"__dictoffset__", type_get_size, NULL, NULL, OURO_TYPE_FIELD(tp_dictoffset)},
    {"__weakrefoffset__", type_get_size, NULL, NULL, OURO_TYPE_FIELD(tp_weaklistoffset)},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Added late, because it needs mappingproxy: api/methods.h. */
PyGetSetDef ouro_type_late_getset[] = {
    {"__dict__", type_get_dict, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
