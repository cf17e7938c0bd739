/* SPDX-License-Identifier: MIT */
/* property: an attribute that is computed by up to three callables. */
#include <Python.h>

#include <stdbool.h>

#include "abstract.h"

typedef struct {
    PyObject_HEAD
    PyObject *get, *set, *del; /* owned; NULL: not possible */
    PyObject *doc;             /* owned; or NULL */
    PyObject *name;            /* owned; what it is called in its class; or NULL */
    bool doc_of_getter;        /* doc came from the getter and changes with it */
} propertyobject;

#define OURO_PROPERTY(op) ((propertyobject *)(op))

/* --- making ---------------------------------------------------------------------------------- */

static PyObject *
none_as_null(PyObject *o)
{
    return o == Py_None ? NULL : o;
}

/* In a subclass the doc string of an instance is an ordinary attribute, because the one of the
 * class hides the field. Instances without a dict have none. */
static int
store_doc(PyObject *self, PyObject *doc)
{
    if (Py_IS_TYPE(self, &PyProperty_Type)) {
        Py_XSETREF(OURO_PROPERTY(self)->doc, Py_NewRef(doc));
        return 0;
    }
    int result = PyObject_SetAttrString(self, "__doc__", doc);
    if (result < 0 && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        result = 0;
    }
    return result;
}

static int
take_doc(PyObject *self, PyObject *doc)
{
    propertyobject *property = OURO_PROPERTY(self);
    property->doc_of_getter = false;
    if (doc != NULL) {
        return store_doc(self, doc);
    }
    PyObject *of_getter;
    if (property->get == NULL) {
        return 0;
    }
    int found = PyObject_GetOptionalAttrString(property->get, "__doc__", &of_getter);
    if (found <= 0) {
        return found;
    }
    property->doc_of_getter = true;
    int result = of_getter == Py_None ? 0 : store_doc(self, of_getter);
    Py_DECREF(of_getter);
    return result;
}

static int
property_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"fget", "fset", "fdel", "doc", NULL};
    PyObject *get = NULL, *set = NULL, *del = NULL, *doc = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOO:property", names, &get, &set,
                                     &del, &doc)) {
        return -1;
    }
    propertyobject *property = OURO_PROPERTY(self);
    Py_XSETREF(property->get, Py_XNewRef(none_as_null(get)));
    Py_XSETREF(property->set, Py_XNewRef(none_as_null(set)));
    Py_XSETREF(property->del, Py_XNewRef(none_as_null(del)));
    Py_CLEAR(property->doc);
    Py_CLEAR(property->name);
    return take_doc(self, none_as_null(doc));
}

/* A property like `self`, with what is not NULL replaced. */
static PyObject *
property_with(PyObject *self, PyObject *get, PyObject *set, PyObject *del)
{
    propertyobject *old = OURO_PROPERTY(self);
    PyObject *none = Py_None;
    get = get != NULL ? get : old->get != NULL ? old->get : none;
    set = set != NULL ? set : old->set != NULL ? old->set : none;
    del = del != NULL ? del : old->del != NULL ? old->del : none;
    PyObject *doc =
        old->doc == NULL || (old->doc_of_getter && get != none) ? none : old->doc;
    PyObject *copy =
        PyObject_CallFunctionObjArgs((PyObject *)Py_TYPE(self), get, set, del, doc, NULL);
    if (copy != NULL && PyObject_TypeCheck(copy, &PyProperty_Type)) {
        Py_XSETREF(OURO_PROPERTY(copy)->name, Py_XNewRef(old->name));
    }
    return copy;
}

static PyObject *
property_getter(PyObject *self, PyObject *get)
{
    return property_with(self, get, NULL, NULL);
}

static PyObject *
property_setter(PyObject *self, PyObject *set)
{
    return property_with(self, NULL, set, NULL);
}

static PyObject *
property_deleter(PyObject *self, PyObject *del)
{
    return property_with(self, NULL, NULL, del);
}

/* --- as a descriptor --------------------------------------------------------------------------- */

/* AttributeError: `obj` cannot do that with the property. */
static void
raise_property_lacks(PyObject *self, PyObject *obj, const char *what)
{
    PyObject *name = OURO_PROPERTY(self)->name;
    PyObject *type = PyType_GetQualName(Py_TYPE(obj));
    if (type == NULL) {
        return;
    }
    if (name != NULL) {
        PyErr_Format(PyExc_AttributeError, "property %R of %R object has no %s", name,
                     type, what);
    } else {
        PyErr_Format(PyExc_AttributeError, "property of %R object has no %s", type, what);
    }
    Py_DECREF(type);
}

static PyObject *
property_descr_get(PyObject *self, PyObject *obj, PyObject *Py_UNUSED(cls))
{
    if (obj == NULL || obj == Py_None) {
        return Py_NewRef(self);
    }
    PyObject *get = Py_XNewRef(OURO_PROPERTY(self)->get);
    if (get == NULL) {
        raise_property_lacks(self, obj, "getter");
        return NULL;
    }
    PyObject *value = PyObject_CallOneArg(get, obj);
    Py_DECREF(get);
    return value;
}

static int
property_descr_set(PyObject *self, PyObject *obj, PyObject *value)
{
    propertyobject *property = OURO_PROPERTY(self);
    PyObject *function = Py_XNewRef(value == NULL ? property->del : property->set);
    if (function == NULL) {
        raise_property_lacks(self, obj, value == NULL ? "deleter" : "setter");
        return -1;
    }
    PyObject *result = value == NULL
                           ? PyObject_CallOneArg(function, obj)
                           : PyObject_CallFunctionObjArgs(function, obj, value, NULL);
    Py_DECREF(function);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static PyObject *
property_set_name_method(PyObject *self, PyObject *args)
{
    if (PyTuple_GET_SIZE(args) != 2) {
        return PyErr_Format(
            PyExc_TypeError,
            "__set_name__() takes 2 positional arguments but %zd were given",
            PyTuple_GET_SIZE(args));
    }
    Py_XSETREF(OURO_PROPERTY(self)->name, Py_NewRef(PyTuple_GET_ITEM(args, 1)));
    Py_RETURN_NONE;
}

/* --- attributes ------------------------------------------------------------------------------------ */

/* Its own name, else that of the getter. */
static PyObject *
property_get_name(PyObject *self, void *Py_UNUSED(closure))
{
    propertyobject *property = OURO_PROPERTY(self);
    if (property->name != NULL) {
        return Py_NewRef(property->name);
    }
    PyObject *name = NULL;
    if (property->get != NULL &&
        PyObject_GetOptionalAttrString(property->get, "__name__", &name) != 0) {
        return name;
    }
    PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '__name__'",
                 Py_TYPE(self)->tp_name);
    return NULL;
}

static int
property_set_name(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    Py_XSETREF(OURO_PROPERTY(self)->name, Py_XNewRef(value));
    return 0;
}

static PyObject *
property_is_abstract(PyObject *self, void *Py_UNUSED(closure))
{
    propertyobject *property = OURO_PROPERTY(self);
    PyObject *parts[] = {property->get, property->set, property->del};
    int abstract = 0;
    for (int i = 0; abstract == 0 && i < 3; i++) {
        abstract = ouro_is_abstract(parts[i]);
    }
    return abstract < 0 ? NULL : PyBool_FromLong(abstract);
}

/* --- life -------------------------------------------------------------------------------------------- */

static int
property_traverse(PyObject *self, visitproc visit, void *arg)
{
    propertyobject *property = OURO_PROPERTY(self);
    Py_VISIT(property->get);
    Py_VISIT(property->set);
    Py_VISIT(property->del);
    Py_VISIT(property->doc);
    Py_VISIT(property->name);
    return 0;
}

static int
property_clear(PyObject *self)
{
    propertyobject *property = OURO_PROPERTY(self);
    Py_CLEAR(property->get);
    Py_CLEAR(property->set);
    Py_CLEAR(property->del);
    Py_CLEAR(property->doc);
    Py_CLEAR(property->name);
    return 0;
}

static void
property_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    property_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef property_methods[] = {
    {"getter", property_getter, METH_O, "a copy with another getter"},
    {"setter", property_setter, METH_O, "a copy with another setter"},
    {"deleter", property_deleter, METH_O, "a copy with another deleter"},
    {"__set_name__", property_set_name_method, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef property_members[] = {
    {"fget", _Py_T_OBJECT, offsetof(propertyobject, get), Py_READONLY, NULL},
    {"fset", _Py_T_OBJECT, offsetof(propertyobject, set), Py_READONLY, NULL},
    {"fdel", _Py_T_OBJECT, offsetof(propertyobject, del), Py_READONLY, NULL},
    {"__doc__", _Py_T_OBJECT, offsetof(propertyobject, doc), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef property_getset[] = {
    {"__name__", property_get_name, property_set_name, NULL, NULL},
    {"__isabstractmethod__", property_is_abstract, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject PyProperty_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "property",
    .tp_basicsize = sizeof(propertyobject),
    .tp_dealloc = property_dealloc,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_doc = "property(fget=None, fset=None, fdel=None, doc=None): an attribute that is "
              "computed",
    .tp_traverse = property_traverse,
    .tp_clear = property_clear,
    .tp_methods = property_methods,
    .tp_members = property_members,
    .tp_getset = property_getset,
    .tp_descr_get = property_descr_get,
    .tp_descr_set = property_descr_set,
    .tp_init = property_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = PyType_GenericNew,
    .tp_free = PyObject_GC_Del,
};
