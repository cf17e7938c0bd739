/* SPDX-License-Identifier: MIT */
/* `object`: the root of all types, and the defaults of everything. */
#include "object_methods.h"

static bool
has_arguments(PyObject *args, PyObject *kwargs)
{
    return PyTuple_GET_SIZE(args) > 0 ||
           (kwargs != NULL && PyDict_Check(kwargs) && PyDict_GET_SIZE(kwargs) > 0);
}

static int object_init(PyObject *self, PyObject *args, PyObject *kwargs);
static PyObject *object_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* Arguments are an error, unless the other one of tp_new and tp_init is overridden and may have
 * used them. */
static bool
new_refuses_arguments(PyTypeObject *type)
{
    if (type->tp_new != object_new) {
        PyErr_SetString(PyExc_TypeError, "object.__new__() takes exactly one argument "
                                         "(the type to instantiate)");
        return true;
    }
    if (type->tp_init == object_init) {
        PyErr_Format(PyExc_TypeError, "%.200s() takes no arguments", type->tp_name);
        return true;
    }
    return false;
}

/* The sorted names joined by "', '"; sets *count. A new reference; or NULL. */
static PyObject *
join_names(PyObject *names, Py_ssize_t *count)
{
    PyObject *list = PySequence_List(names), *text = NULL;
    PyObject *separator = list == NULL ? NULL : PyUnicode_FromString("', '");
    if (separator != NULL && PyList_Sort(list) == 0) {
        text = PyUnicode_Join(separator, list);
        *count = PyList_GET_SIZE(list);
    }
    Py_XDECREF(separator);
    Py_XDECREF(list);
    return text;
}

/* TypeError if the class lacks methods that its __abstractmethods__ lists. */
static void
raise_abstract(PyTypeObject *type)
{
    PyObject *names, *self = (PyObject *)type;
    int found = _PyObject_FindAttrString(self, "__abstractmethods__", &names);
    if (found == 0) {
        PyErr_Format(PyExc_TypeError, "Can't instantiate abstract class %.200s",
                     _PyType_Name(type));
    }
    if (found <= 0) {
        return;
    }
    Py_ssize_t count;
    PyObject *text = join_names(names, &count);
    if (text != NULL) {
        PyErr_Format(PyExc_TypeError,
                     "Can't instantiate abstract class %.200s without an implementation "
                     "for abstract method%s '%U'",
                     _PyType_Name(type), count == 1 ? "" : "s", text);
        Py_DECREF(text);
    }
    Py_DECREF(names);
}

static PyObject *
object_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (has_arguments(args, kwargs) && new_refuses_arguments(type)) {
        return NULL;
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_IS_ABSTRACT)) {
        raise_abstract(type);
        return NULL;
    }
    return type->tp_alloc(type, 0);
}

static int
object_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyTypeObject *type = Py_TYPE(self);
    if (!has_arguments(args, kwargs)) {
        return 0;
    }
    if (type->tp_init != object_init) {
        PyErr_SetString(PyExc_TypeError, "object.__init__() takes exactly one argument "
                                         "(the instance to initialize)");
        return -1;
    }
    if (type->tp_new == object_new) {
        PyErr_Format(PyExc_TypeError,
                     "%.200s.__init__() takes exactly one argument (the instance to "
                     "initialize)",
                     type->tp_name);
        return -1;
    }
    return 0;
}

static void
object_dealloc(PyObject *self)
{
    Py_TYPE(self)->tp_free(self);
}

static PyObject *
object_repr(PyObject *self)
{
    PyObject *name = ouro_type_display_name(Py_TYPE(self));
    if (name == NULL) {
        return NULL;
    }
    PyObject *text = PyUnicode_FromFormat("<%U object at %p>", name, self);
    Py_DECREF(name);
    return text;
}

static PyObject *
object_str(PyObject *self)
{
    reprfunc repr = Py_TYPE(self)->tp_repr;
    return repr == NULL ? object_repr(self) : repr(self);
}

Py_hash_t
PyObject_GenericHash(PyObject *self)
{
    return Py_HashPointer(self);
}

/* Identity answers "equal"; otherwise the other operand is asked. "Not equal" is the
 * opposite of what the type says about "equal". */
static PyObject *
object_richcompare(PyObject *self, PyObject *other, int op)
{
    if (op == Py_EQ && self == other) {
        return Py_NewRef(Py_True);
    }
    richcmpfunc compare = Py_TYPE(self)->tp_richcompare;
    if (op != Py_NE || compare == NULL) {
        return Py_NewRef(Py_NotImplemented);
    }
    PyObject *equal = compare(self, other, Py_EQ);
    if (equal == NULL || equal == Py_NotImplemented) {
        return equal;
    }
    int truth = PyObject_IsTrue(equal);
    Py_DECREF(equal);
    return truth < 0 ? NULL : PyBool_FromLong(!truth);
}

PyTypeObject PyBaseObject_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "object",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = object_dealloc,
    .tp_repr = object_repr,
    .tp_hash = PyObject_GenericHash,
    .tp_str = object_str,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "The root of all types.",
    .tp_richcompare = object_richcompare,
    .tp_methods = ouro_object_methods,
    .tp_getset = ouro_object_getset,
    .tp_init = object_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = object_new,
    .tp_free = PyObject_Free,
};
