/* SPDX-License-Identifier: MIT */
/* New exception classes from C. */
#include "exception_object.h"

/* Instances of a class made here own a reference to it, which no handler of the static bases
 * visits. Without this handler the class would never be collected. The next handler up the
 * bases visits the rest; if it belongs to a class made at run time, it visits the type as well. */
static int
exception_class_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyTypeObject *base = Py_TYPE(self);
    while (base->tp_traverse == exception_class_traverse) {
        base = base->tp_base;
    }
    if (!PyType_HasFeature(base, Py_TPFLAGS_HEAPTYPE)) {
        Py_VISIT(Py_TYPE(self));
    }
    return base->tp_traverse(self, visit, arg);
}

static int
exception_class_clear(PyObject *self)
{
    PyTypeObject *base = Py_TYPE(self);
    while (base->tp_clear == exception_class_clear) {
        base = base->tp_base;
    }
    return base->tp_clear != NULL ? base->tp_clear(self) : 0;
}

static PyObject *
make_exception_class(const char *name, const char *doc, PyObject *base, PyObject *dict)
{
    PyType_Slot slots[] = {
        {Py_tp_traverse, (void *)exception_class_traverse},
        {Py_tp_clear, (void *)exception_class_clear},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = name,
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    PyObject *type = PyType_FromSpecWithBases(&spec, base);
    if (type == NULL) {
        return NULL;
    }
    PyObject *key, *value, *text = doc == NULL ? NULL : PyUnicode_FromString(doc);
    if (doc != NULL &&
        (text == NULL || PyObject_SetAttrString(type, "__doc__", text) < 0)) {
        goto undo_type;
    }
    for (Py_ssize_t pos = 0; dict != NULL && PyDict_Next(dict, &pos, &key, &value);) {
        if (PyObject_SetAttr(type, key, value) < 0) {
            goto undo_type;
        }
    }
    Py_XDECREF(text);
    return type;

undo_type:
    Py_XDECREF(text);
    Py_DECREF(type);
    return NULL;
}

PyObject *
PyErr_NewExceptionWithDoc(const char *name, const char *doc, PyObject *base,
                          PyObject *dict)
{
    if (strchr(name, '.') == NULL) {
        PyErr_SetString(PyExc_SystemError,
                        "PyErr_NewException: name must be module.class");
        return NULL;
    }
    return make_exception_class(name, doc, base != NULL ? base : PyExc_Exception, dict);
}

PyObject *
PyErr_NewException(const char *name, PyObject *base, PyObject *dict)
{
    return PyErr_NewExceptionWithDoc(name, NULL, base, dict);
}
