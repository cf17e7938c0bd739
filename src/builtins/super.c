/* SPDX-License-Identifier: MIT */
/* super: the attributes that an object has from the types behind a given one in the MRO of
 * its type. The form without arguments needs the frame of a Python function, and there are
 * none. */
#include <Python.h>

#include <stdbool.h>

typedef struct {
    PyObject_HEAD
    PyTypeObject *type;     /* owned; the search begins behind it */
    PyObject *obj;          /* owned; NULL: not bound to an object */
    PyTypeObject *obj_type; /* owned; whose MRO is searched; NULL as obj */
} superobject;

#define OURO_SUPER(op) ((superobject *)(op))

/* --- binding -------------------------------------------------------------------------------- */

/* obj.__class__ when that is another type than that of `obj` and derives from `type`; a new
 * reference, or NULL, with or without an exception. */
static PyTypeObject *
claimed_type(PyTypeObject *type, PyObject *obj)
{
    PyObject *claimed;
    if (PyObject_GetOptionalAttrString(obj, "__class__", &claimed) <= 0) {
        return NULL;
    }
    if (PyType_Check(claimed) && claimed != (PyObject *)Py_TYPE(obj) &&
        PyType_IsSubtype((PyTypeObject *)claimed, type)) {
        return (PyTypeObject *)claimed;
    }
    Py_DECREF(claimed);
    return NULL;
}

/* The type whose MRO is searched: `obj` itself when it is a subtype, as in class methods,
 * else its type. A new reference; or NULL with TypeError. */
static PyTypeObject *
type_to_search(PyTypeObject *type, PyObject *obj)
{
    if (PyType_Check(obj) && PyType_IsSubtype((PyTypeObject *)obj, type)) {
        return (PyTypeObject *)Py_NewRef(obj);
    }
    if (PyType_IsSubtype(Py_TYPE(obj), type)) {
        return (PyTypeObject *)Py_NewRef(Py_TYPE(obj));
    }
    PyTypeObject *claimed = claimed_type(type, obj);
    if (claimed == NULL && !PyErr_Occurred()) {
        bool is_type = PyType_Check(obj);
        PyErr_Format(PyExc_TypeError,
                     "super(type, obj): obj (%s %.200s) is not an instance or subtype of "
                     "type (%.200s).",
                     is_type ? "type" : "instance of",
                     is_type ? ((PyTypeObject *)obj)->tp_name : Py_TYPE(obj)->tp_name,
                     type->tp_name);
    }
    return claimed;
}

static bool
arguments_are_good(PyObject *args, PyObject *kwargs)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "super() takes no keyword arguments");
    } else if (given > 2) {
        PyErr_Format(PyExc_TypeError, "super() expected at most 2 arguments, got %zd",
                     given);
    } else if (given == 0) {
        PyErr_SetString(PyExc_RuntimeError, "super(): no current frame");
    } else if (!PyType_Check(PyTuple_GET_ITEM(args, 0))) {
        PyErr_Format(PyExc_TypeError, "super() argument 1 must be a type, not %.200s",
                     Py_TYPE(PyTuple_GET_ITEM(args, 0))->tp_name);
    } else {
        return true;
    }
    return false;
}

static int
super_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (!arguments_are_good(args, kwargs)) {
        return -1;
    }
    PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(args, 0), *obj_type = NULL;
    PyObject *obj = PyTuple_GET_SIZE(args) == 2 ? PyTuple_GET_ITEM(args, 1) : NULL;
    obj = obj == Py_None ? NULL : obj;
    if (obj != NULL) {
        obj_type = type_to_search(type, obj);
        if (obj_type == NULL) {
            return -1;
        }
    }
    superobject *su = OURO_SUPER(self);
    Py_XSETREF(su->type, (PyTypeObject *)Py_NewRef(type));
    Py_XSETREF(su->obj, Py_XNewRef(obj));
    Py_XSETREF(su->obj_type, obj_type);
    return 0;
}

/* As a class attribute, super(type) is bound to the instance it is looked up on. */
static PyObject *
super_descr_get(PyObject *self, PyObject *obj, PyObject *Py_UNUSED(cls))
{
    superobject *su = OURO_SUPER(self);
    if (obj == NULL || obj == Py_None || su->obj != NULL || su->type == NULL) {
        return Py_NewRef(self);
    }
    return PyObject_CallFunctionObjArgs((PyObject *)Py_TYPE(self), su->type, obj, NULL);
}

/* --- attributes --------------------------------------------------------------------------------- */

/* The place of `type` in the MRO, plus one; the end when it is not there. */
static Py_ssize_t
place_behind(PyObject *mro, PyTypeObject *type)
{
    Py_ssize_t i = 0;
    while (i < PyTuple_GET_SIZE(mro) && PyTuple_GET_ITEM(mro, i) != (PyObject *)type) {
        i++;
    }
    return i + 1;
}

/* What the types behind `su->type` have under `name`. 1 and a new reference, 0, or -1. */
static int
find_behind(superobject *su, PyObject *name, PyObject **found)
{
    *found = NULL;
    PyObject *mro = Py_XNewRef(su->obj_type->tp_mro);
    int result = 0;
    if (mro != NULL) {
        for (Py_ssize_t i = place_behind(mro, su->type);
             result == 0 && i < PyTuple_GET_SIZE(mro); i++) {
            PyObject *dict = PyType_GetDict((PyTypeObject *)PyTuple_GET_ITEM(mro, i));
            result = dict == NULL ? 0 : PyDict_GetItemRef(dict, name, found);
            Py_XDECREF(dict);
        }
        Py_DECREF(mro);
    }
    return result;
}

static PyObject *
super_getattro(PyObject *self, PyObject *name)
{
    superobject *su = OURO_SUPER(self);
    bool own = su->obj_type == NULL ||
               (PyUnicode_Check(name) && PyUnicode_EqualToUTF8(name, "__class__"));
    PyObject *found;
    int result = own ? 0 : find_behind(su, name, &found);
    if (result <= 0) {
        return result < 0 ? NULL : PyObject_GenericGetAttr(self, name);
    }
    descrgetfunc get = Py_TYPE(found)->tp_descr_get;
    if (get != NULL) {
        PyObject *obj = su->obj == (PyObject *)su->obj_type ? NULL : su->obj;
        Py_SETREF(found, get(found, obj, (PyObject *)su->obj_type));
    }
    return found;
}

static PyObject *
super_repr(PyObject *self)
{
    superobject *su = OURO_SUPER(self);
    const char *type = su->type != NULL ? su->type->tp_name : "NULL";
    if (su->obj_type == NULL) {
        return PyUnicode_FromFormat("<super: <class '%s'>, NULL>", type);
    }
    return PyUnicode_FromFormat("<super: <class '%s'>, <%s object>>", type,
                                su->obj_type->tp_name);
}

/* --- life ------------------------------------------------------------------------------------------ */

static int
super_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(OURO_SUPER(self)->type);
    Py_VISIT(OURO_SUPER(self)->obj);
    Py_VISIT(OURO_SUPER(self)->obj_type);
    return 0;
}

static void
super_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(OURO_SUPER(self)->type);
    Py_XDECREF(OURO_SUPER(self)->obj);
    Py_XDECREF(OURO_SUPER(self)->obj_type);
    Py_TYPE(self)->tp_free(self);
}

static PyMemberDef super_members[] = {
    {"__thisclass__", _Py_T_OBJECT, offsetof(superobject, type), Py_READONLY,
     "the type that the search begins behind"},
    {"__self__", _Py_T_OBJECT, offsetof(superobject, obj), Py_READONLY,
     "the object whose attributes are found; None when there is none"},
    {"__self_class__", _Py_T_OBJECT, offsetof(superobject, obj_type), Py_READONLY,
     "the type whose MRO is searched; None without an object"},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject PySuper_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "super",
    .tp_basicsize = sizeof(superobject),
    .tp_dealloc = super_dealloc,
    .tp_repr = super_repr,
    .tp_getattro = super_getattro,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_doc = "super(type, object) -> the attributes that come after type\n"
              "super(type) -> the same, not bound to an object yet",
    .tp_traverse = super_traverse,
    .tp_members = super_members,
    .tp_descr_get = super_descr_get,
    .tp_init = super_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = PyType_GenericNew,
    .tp_free = PyObject_GC_Del,
};
