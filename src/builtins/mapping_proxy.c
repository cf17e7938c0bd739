/* SPDX-License-Identifier: MIT */
/* mappingproxy: a read-only view of a mapping. The dict of a type is seen through one. */
#include <Python.h>

#include <stdbool.h>

typedef struct {
    PyObject_HEAD
    PyObject *mapping; /* owned */
} mappingproxy;

#define OURO_MAPPING(op) (((mappingproxy *)(op))->mapping)

PyObject *
PyDictProxy_New(PyObject *mapping)
{
    if (!PyMapping_Check(mapping) || PyList_Check(mapping) || PyTuple_Check(mapping)) {
        return PyErr_Format(PyExc_TypeError,
                            "mappingproxy() argument must be a mapping, not %s",
                            Py_TYPE(mapping)->tp_name);
    }
    mappingproxy *proxy = PyObject_GC_New(mappingproxy, &PyDictProxy_Type);
    if (proxy == NULL) {
        return NULL;
    }
    proxy->mapping = Py_NewRef(mapping);
    PyObject_GC_Track(proxy);
    return (PyObject *)proxy;
}

static PyObject *
mappingproxy_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"mapping", NULL};
    PyObject *mapping;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:mappingproxy", names, &mapping)) {
        return NULL;
    }
    return PyDictProxy_New(mapping);
}

/* --- life --------------------------------------------------------------------------------- */

static int
mappingproxy_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(OURO_MAPPING(op));
    return 0;
}

static void
mappingproxy_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_DECREF(OURO_MAPPING(op));
    PyObject_GC_Del(op);
}

/* --- everything is asked of the mapping ----------------------------------------------------- */

static Py_ssize_t
mappingproxy_length(PyObject *op)
{
    return PyObject_Size(OURO_MAPPING(op));
}

static PyObject *
mappingproxy_subscript(PyObject *op, PyObject *key)
{
    return PyObject_GetItem(OURO_MAPPING(op), key);
}

static int
mappingproxy_contains(PyObject *op, PyObject *key)
{
    return PySequence_Contains(OURO_MAPPING(op), key);
}

static PyObject *
mappingproxy_iter(PyObject *op)
{
    return PyObject_GetIter(OURO_MAPPING(op));
}

static Py_hash_t
mappingproxy_hash(PyObject *op)
{
    return PyObject_Hash(OURO_MAPPING(op));
}

static PyObject *
mappingproxy_str(PyObject *op)
{
    return PyObject_Str(OURO_MAPPING(op));
}

static PyObject *
mappingproxy_repr(PyObject *op)
{
    return PyUnicode_FromFormat("mappingproxy(%R)", OURO_MAPPING(op));
}

static PyObject *
mappingproxy_richcompare(PyObject *op, PyObject *other, int operation)
{
    return PyObject_RichCompare(OURO_MAPPING(op), other, operation);
}

/* `op` itself, or the mapping behind a proxy. */
static PyObject *
behind_proxy(PyObject *op)
{
    return Py_IS_TYPE(op, &PyDictProxy_Type) ? OURO_MAPPING(op) : op;
}

static PyObject *
mappingproxy_or(PyObject *left, PyObject *right)
{
    return PyNumber_Or(behind_proxy(left), behind_proxy(right));
}

static PyObject *
mappingproxy_ior(PyObject *self, PyObject *Py_UNUSED(other))
{
    return PyErr_Format(PyExc_TypeError, "'|=' is not supported by %s; use '|' instead",
                        Py_TYPE(self)->tp_name);
}

/* --- methods ------------------------------------------------------------------------------------ */

static PyObject *
mappingproxy_get(PyObject *op, PyObject *args)
{
    PyObject *key, *otherwise = Py_None;
    if (!PyArg_UnpackTuple(args, "get", 1, 2, &key, &otherwise)) {
        return NULL;
    }
    PyObject *name = PyUnicode_InternFromString("get");
    if (name == NULL) {
        return NULL;
    }
    PyObject *value =
        PyObject_CallMethodObjArgs(OURO_MAPPING(op), name, key, otherwise, NULL);
    Py_DECREF(name);
    return value;
}

#define OURO_ASK_MAPPING(method)                                                         \
    static PyObject *mappingproxy_##method(PyObject *op, PyObject *Py_UNUSED(ignored))   \
    {                                                                                    \
        return PyObject_CallMethod(OURO_MAPPING(op), #method, NULL);                     \
    }
OURO_ASK_MAPPING(keys)
OURO_ASK_MAPPING(values)
OURO_ASK_MAPPING(items)
OURO_ASK_MAPPING(copy)

static PyObject *
mappingproxy_reversed(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return PyObject_CallMethod(OURO_MAPPING(op), "__reversed__", NULL);
}

static PyMethodDef mappingproxy_methods[] = {
    {"get", mappingproxy_get, METH_VARARGS, "the value of a key, or a default"},
    {"keys", mappingproxy_keys, METH_NOARGS, "the keys of the mapping"},
    {"values", mappingproxy_values, METH_NOARGS, "the values of the mapping"},
    {"items", mappingproxy_items, METH_NOARGS, "the items of the mapping"},
    {"copy", mappingproxy_copy, METH_NOARGS, "a copy of the mapping"},
    {"__reversed__", mappingproxy_reversed, METH_NOARGS, "the keys, last one first"},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "Return the type with its parameters filled in."},
    {NULL, NULL, 0, NULL},
};

static PyNumberMethods mappingproxy_as_number = {
    .nb_or = mappingproxy_or,
    .nb_inplace_or = mappingproxy_ior,
};

static PyMappingMethods mappingproxy_as_mapping = {
    .mp_length = mappingproxy_length,
    .mp_subscript = mappingproxy_subscript,
};

static PySequenceMethods mappingproxy_as_sequence = {
    .sq_contains = mappingproxy_contains,
};

PyTypeObject PyDictProxy_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "mappingproxy",
    .tp_basicsize = sizeof(mappingproxy),
    .tp_dealloc = mappingproxy_dealloc,
    .tp_repr = mappingproxy_repr,
    .tp_as_number = &mappingproxy_as_number,
    .tp_as_sequence = &mappingproxy_as_sequence,
    .tp_as_mapping = &mappingproxy_as_mapping,
    .tp_hash = mappingproxy_hash,
    .tp_str = mappingproxy_str,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MAPPING,
    .tp_doc = "mappingproxy(mapping): a read-only view of a mapping",
    .tp_traverse = mappingproxy_traverse,
    .tp_richcompare = mappingproxy_richcompare,
    .tp_iter = mappingproxy_iter,
    .tp_methods = mappingproxy_methods,
    .tp_new = mappingproxy_new,
};
