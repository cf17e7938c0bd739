/* SPDX-License-Identifier: MIT */
/* The methods of `object` that stand for no slot, and its __class__. */
#include "object_methods.h"

/* --- __class__ ---------------------------------------------------------------------------- */

static PyObject *
object_get_class(PyObject *self, void *Py_UNUSED(closure))
{
    return Py_NewRef(Py_TYPE(self));
}

static bool
can_be_left(PyTypeObject *type)
{
    return ouro_type_is_heap(type) && !PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE);
}

/* Do the types have the same fields, from the same type, and the same words before the object? */
static bool
same_layout(PyTypeObject *a, PyTypeObject *b)
{
    const unsigned long flags = Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_PREHEADER;
    if (a->tp_basicsize != b->tp_basicsize || a->tp_itemsize != b->tp_itemsize ||
        a->tp_dictoffset != b->tp_dictoffset ||
        a->tp_weaklistoffset != b->tp_weaklistoffset ||
        (a->tp_flags & flags) != (b->tp_flags & flags)) {
        return false;
    }
    return ouro_solid_ancestor(a) == ouro_solid_ancestor(b);
}

static bool
class_can_become(PyTypeObject *old, PyTypeObject *new)
{
    if (!can_be_left(old) || !can_be_left(new)) {
        PyErr_SetString(PyExc_TypeError,
                        "__class__ assignment only supported for mutable "
                        "types or ModuleType subclasses");
    } else if (old->tp_dealloc != new->tp_dealloc) {
        PyErr_Format(PyExc_TypeError,
                     "__class__ assignment: '%s' deallocator differs from '%s'",
                     new->tp_name, old->tp_name);
    } else if (!same_layout(old, new)) {
        PyErr_Format(PyExc_TypeError,
                     "__class__ assignment: '%s' object layout differs from '%s'",
                     new->tp_name, old->tp_name);
    } else {
        return true;
    }
    return false;
}

static int
object_set_class(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "can't delete __class__ attribute");
        return -1;
    }
    if (!PyType_Check(value)) {
        PyErr_Format(PyExc_TypeError, "__class__ must be set to a class, not '%s' object",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    PyTypeObject *old = Py_TYPE(self), *new = (PyTypeObject *)value;
    if (!class_can_become(old, new)) {
        return -1;
    }
    Py_SET_TYPE(self, (PyTypeObject *)Py_NewRef(new));
    Py_DECREF(old);
    return 0;
}

PyGetSetDef ouro_object_getset[] = {
    {"__class__", object_get_class, object_set_class, "the object's class", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- __dir__ ------------------------------------------------------------------------------------ */

int
ouro_dir_add_type(PyObject *names, PyTypeObject *type)
{
    PyObject *mro = Py_XNewRef(type->tp_mro);
    int result = 0;
    for (Py_ssize_t i = 0; mro != NULL && result == 0 && i < PyTuple_GET_SIZE(mro); i++) {
        PyObject *dict = Py_XNewRef(((PyTypeObject *)PyTuple_GET_ITEM(mro, i))->tp_dict);
        result = dict == NULL ? 0 : PyDict_Update(names, dict);
        Py_XDECREF(dict);
    }
    Py_XDECREF(mro);
    return result;
}

/* The names in the instance dict, then those of the class that the object says it has. */
static int
add_names_of_object(PyObject *names, PyObject *self)
{
    PyObject *dict, *class;
    int found = PyObject_GetOptionalAttrString(self, "__dict__", &dict);
    if (found > 0) {
        found = PyDict_Check(dict) ? PyDict_Update(names, dict) : 0;
        Py_DECREF(dict);
    }
    if (found < 0 || PyObject_GetOptionalAttrString(self, "__class__", &class) < 0) {
        return -1;
    }
    bool is_type = class != NULL && PyType_Check(class);
    int result = is_type ? ouro_dir_add_type(names, (PyTypeObject *)class) : 0;
    Py_XDECREF(class);
    return result;
}

static PyObject *
object_dir(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *names = PyDict_New();
    if (names == NULL) {
        return NULL;
    }
    PyObject *list = add_names_of_object(names, self) < 0 ? NULL : PyDict_Keys(names);
    Py_DECREF(names);
    return list;
}

/* --- the others ------------------------------------------------------------------------------------ */

static PyObject *
object_format(PyObject *self, PyObject *spec)
{
    if (!PyUnicode_Check(spec)) {
        return PyErr_Format(PyExc_TypeError,
                            "__format__() argument must be str, not %.50s",
                            Py_TYPE(spec)->tp_name);
    }
    if (PyUnicode_GET_LENGTH(spec) > 0) {
        return PyErr_Format(PyExc_TypeError,
                            "unsupported format string passed to %.200s.__format__",
                            Py_TYPE(self)->tp_name);
    }
    return PyObject_Str(self);
}

/* A negative size encodes a sign, as in int. */
static PyObject *
object_sizeof(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyTypeObject *type = Py_TYPE(self);
    Py_ssize_t items = type->tp_itemsize > 0 ? Py_ABS(Py_SIZE(self)) : 0;
    return PyLong_FromSsize_t(type->tp_basicsize + items * type->tp_itemsize);
}

static PyObject *
object_init_subclass(PyObject *Py_UNUSED(cls), PyObject *Py_UNUSED(ignored))
{
    Py_RETURN_NONE;
}

static PyObject *
object_subclasshook(PyObject *Py_UNUSED(cls), PyObject *Py_UNUSED(args))
{
    Py_RETURN_NOTIMPLEMENTED;
}

/* --- pickling ------------------------------------------------------------------------------ */

static PyObject *
object_reduce(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyErr_Format(PyExc_TypeError, "cannot pickle '%.200s' object",
                        Py_TYPE(self)->tp_name);
}

/* What __reduce__ says, where a class has one of its own. */
static PyObject *
object_reduce_ex(PyObject *self, PyObject *protocol)
{
    if (!PyLong_Check(protocol)) {
        return PyErr_Format(PyExc_TypeError,
                            "'%.200s' object cannot be interpreted as an "
                            "integer",
                            Py_TYPE(protocol)->tp_name);
    }
    return PyObject_CallMethod(self, "__reduce__", NULL);
}

/* Does an instance have nothing but a dict and weak references? */
static bool
has_no_fields(PyTypeObject *type)
{
    Py_ssize_t known = (Py_ssize_t)sizeof(PyObject);
    known += (type->tp_dictoffset > 0) * (Py_ssize_t)sizeof(PyObject *);
    known += (type->tp_weaklistoffset > 0) * (Py_ssize_t)sizeof(PyObject *);
    return type->tp_itemsize == 0 && type->tp_basicsize <= known;
}

/* A copy of the instance dict, or None. C fields cannot be known. */
static PyObject *
object_getstate(PyObject *self, PyObject *ignored)
{
    PyObject *dict;
    if (!has_no_fields(Py_TYPE(self))) {
        return object_reduce(self, ignored);
    }
    if (PyObject_GetOptionalAttrString(self, "__dict__", &dict) < 0) {
        return NULL;
    }
    if (dict == NULL || PyObject_Size(dict) == 0) {
        Py_XDECREF(dict);
        Py_RETURN_NONE;
    }
    PyObject *copy = PyDict_Copy(dict);
    Py_DECREF(dict);
    return copy;
}

PyMethodDef ouro_object_methods[] = {
    {"__init_subclass__", object_init_subclass, METH_NOARGS | METH_CLASS,
     "called when a class is derived"},
    {"__subclasshook__", object_subclasshook, METH_VARARGS | METH_CLASS,
     "asked by abstract base classes"},
    {NULL, NULL, 0, NULL},
};

/* Added before an attribute is looked up for the first time: api/methods.h. */
PyMethodDef ouro_object_late_methods[] = {
    {"__getstate__", object_getstate, METH_NOARGS, "the state to pickle, or TypeError"},
    {"__reduce__", object_reduce, METH_NOARGS, "TypeError: cannot be pickled"},
    {"__reduce_ex__", object_reduce_ex, METH_O, "__reduce__()"},
    {"__dir__", object_dir, METH_NOARGS, "the names of the attributes"},
    {"__format__", object_format, METH_O, "str(self), for an empty format"},
    {"__sizeof__", object_sizeof, METH_NOARGS, "the size of the object in bytes"},
    {NULL, NULL, 0, NULL},
};
