/* SPDX-License-Identifier: MIT */
/* The methods of `type` that stand for no slot. */
#include "object_methods.h"
#include "subclasses.h"

/* The MRO by the rules, whatever __mro__ says; a list. */
static PyObject *
type_mro(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    struct failure failure = {0};
    PyObject *mro = ouro_mro_compute((PyTypeObject *)self, &failure);
    if (mro == NULL) {
        ouro_failure_raise(&failure);
        return NULL;
    }
    PyObject *list = PySequence_List(mro);
    Py_DECREF(mro);
    return list;
}

static PyObject *
type_subclasses(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return ouro_types_finish_all() ? ouro_subclasses_list((PyTypeObject *)self) : NULL;
}

/* The namespace of a class statement; arguments are for metaclasses that use them. */
static PyObject *
type_prepare(PyObject *Py_UNUSED(cls), PyObject *const *Py_UNUSED(args),
             Py_ssize_t Py_UNUSED(nargs), PyObject *Py_UNUSED(kwnames))
{
    return PyDict_New();
}

static PyObject *
type_instancecheck(PyObject *self, PyObject *instance)
{
    int result = _PyObject_RealIsInstance(instance, self);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

static PyObject *
type_subclasscheck(PyObject *self, PyObject *subclass)
{
    int result = _PyObject_RealIsSubclass(subclass, self);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

static PyObject *
type_dir(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *names = PyDict_New();
    if (names == NULL) {
        return NULL;
    }
    PyObject *list =
        ouro_dir_add_type(names, (PyTypeObject *)self) < 0 ? NULL : PyDict_Keys(names);
    Py_DECREF(names);
    return list;
}

static PyObject *
type_sizeof(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    bool heap = ouro_type_is_heap((PyTypeObject *)self);
    return PyLong_FromSize_t(heap ? sizeof(PyHeapTypeObject) : sizeof(PyTypeObject));
}

PyMethodDef ouro_type_methods[] = {
    {"mro", type_mro, METH_NOARGS, "the method resolution order"},
    {"__prepare__", _PyCFunction_CAST(type_prepare),
     METH_FASTCALL | METH_KEYWORDS | METH_CLASS, "the namespace for a new class"},
    {"__instancecheck__", type_instancecheck, METH_O, "is it an instance?"},
    {"__subclasscheck__", type_subclasscheck, METH_O, "is it a subclass?"},
    {"__dir__", type_dir, METH_NOARGS, "the names of the attributes"},
    {"__sizeof__", type_sizeof, METH_NOARGS, "the size of the type object in bytes"},
    {NULL, NULL, 0, NULL},
};

/* It refers to every static type, so it is not part of every program: api/methods.c. */
PyMethodDef ouro_type_late_methods[] = {
    {"__subclasses__", type_subclasses, METH_NOARGS, "the direct subclasses"},
    {NULL, NULL, 0, NULL},
};
