/* SPDX-License-Identifier: MIT */
/* Classes with special methods written in C, and calls by name. */
#ifndef OURO_TESTS_TYPES_SPECIAL_H
#define OURO_TESTS_TYPES_SPECIAL_H

#include "../protocol.h"

/* A dict with a method descriptor for each entry; they apply to any object. */
static inline PyObject *
methods_as_dict(PyMethodDef *methods)
{
    PyObject *dict = PyDict_New();
    for (PyMethodDef *m = methods; m != NULL && m->ml_name != NULL; m++) {
        PyObject *method = PyDescr_NewMethod(&PyBaseObject_Type, m);
        PyDict_SetItemString(dict, m->ml_name, method);
        Py_XDECREF(method);
    }
    return dict;
}

/* type(name, (base,), methods); base may be NULL. */
static inline PyTypeObject *
class_with_methods(const char *name, PyTypeObject *base, PyMethodDef *methods)
{
    PyObject *bases = base == NULL ? PyTuple_New(0) : PyTuple_Pack(1, base);
    PyObject *dict = methods_as_dict(methods);
    PyObject *label = PyUnicode_FromString(name);
    PyObject *type =
        PyObject_CallFunctionObjArgs((PyObject *)&PyType_Type, label, bases, dict, NULL);
    Py_DECREF(label);
    Py_DECREF(dict);
    Py_DECREF(bases);
    return (PyTypeObject *)type;
}

/* type.name = method */
static inline int
set_method(PyTypeObject *type, PyMethodDef *method)
{
    PyObject *descr = PyDescr_NewMethod(&PyBaseObject_Type, method);
    int result = PyObject_SetAttrString((PyObject *)type, method->ml_name, descr);
    Py_XDECREF(descr);
    return result;
}

/* o.name(...), NULL at the end. */
#define CALL(o, ...) call_by_name((PyObject *)(o), __VA_ARGS__, NULL)

static inline PyObject *
call_by_name(PyObject *o, const char *name, ...)
{
    PyObject *args[8];
    size_t count = 0;
    va_list list;
    va_start(list, name);
    while (count < 8 && (args[count] = va_arg(list, PyObject *)) != NULL) {
        count++;
    }
    va_end(list);
    PyObject *method = PyObject_GetAttrString(o, name);
    PyObject *result =
        method == NULL ? NULL : PyObject_Vectorcall(method, args, count, NULL);
    Py_XDECREF(method);
    return result;
}

/* The entry `name` of the type's own dict, borrowed. */
static inline PyObject *
own_attribute(PyTypeObject *type, const char *name)
{
    PyObject *dict = PyType_GetDict(type);
    PyObject *value = dict == NULL ? NULL : PyDict_GetItemString(dict, name);
    Py_XDECREF(dict);
    return value;
}

/* An int with this value; the reference is taken. */
#define EXPECT_INT(o, expected)                                                          \
    do {                                                                                 \
        PyObject *int_ = (o);                                                            \
        EXPECT_NOT_NULL(int_);                                                           \
        EXPECT_EQ(int_ == NULL ? -1 : PyLong_AsLong(int_), expected);                    \
        Py_XDECREF(int_);                                                                \
    } while (0)

/* This very object; the reference is taken. */
#define EXPECT_IS(o, expected)                                                           \
    do {                                                                                 \
        PyObject *is_ = (o);                                                             \
        EXPECT_EQ(is_, (PyObject *)(expected));                                          \
        Py_XDECREF(is_);                                                                 \
    } while (0)

#endif
