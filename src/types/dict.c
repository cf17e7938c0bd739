/* SPDX-License-Identifier: MIT */
/* The dict of a type: methods for its slots, descriptors for the tables it came with, and
 * __doc__.
 *
 * What is in the dict already stays, unless a method says METH_COEXIST. */
#include "slot_methods.h"

static bool add_methods(PyTypeObject *type, PyMethodDef *methods,
                        struct failure *failure);
static bool add_members(PyTypeObject *type);
static bool add_getset(PyTypeObject *type, PyGetSetDef *getset);
static bool add_doc(PyTypeObject *type);

bool
ouro_type_fill_dict(PyTypeObject *type, struct failure *failure)
{
    return ouro_type_add_slot_methods(type) &&
           add_methods(type, type->tp_methods, failure) && add_members(type) &&
           add_getset(type, type->tp_getset) && add_doc(type);
}

/* Finish the type first if it is not finished: the methods of its slots must be in the dict
 * before those of the tables. */
bool
ouro_type_add_tables(PyTypeObject *type, PyMethodDef *methods, PyGetSetDef *getset)
{
    struct failure failure = {0};
    return ouro_base_finish(type, &failure) && add_methods(type, methods, &failure) &&
           add_getset(type, getset);
}

/* Steals `value`, which may be NULL with an exception. */
static bool
add_to_dict(PyTypeObject *type, const char *name, PyObject *value, bool replace)
{
    PyObject *key = value == NULL ? NULL : PyUnicode_InternFromString(name);
    bool done = false;
    if (key != NULL) {
        done = (replace ? PyDict_SetItem(type->tp_dict, key, value)
                        : PyDict_SetDefaultRef(type->tp_dict, key, value, NULL)) >= 0;
    }
    Py_XDECREF(key);
    Py_XDECREF(value);
    return done;
}

/* The object for one entry of tp_methods; NULL with an exception. */
static PyObject *
describe_method(PyTypeObject *type, PyMethodDef *method)
{
    if (method->ml_flags & METH_CLASS) {
        return PyDescr_NewClassMethod(type, method);
    }
    if (!(method->ml_flags & METH_STATIC)) {
        return PyDescr_NewMethod(type, method);
    }
    PyObject *function = PyCFunction_NewEx(method, (PyObject *)type, NULL);
    if (function == NULL) {
        return NULL;
    }
    PyObject *wrapped = PyStaticMethod_New(function);
    Py_DECREF(function);
    return wrapped;
}

static bool
add_methods(PyTypeObject *type, PyMethodDef *methods, struct failure *failure)
{
    for (PyMethodDef *m = methods; m != NULL && m->ml_name != NULL; m++) {
        if ((m->ml_flags & METH_CLASS) && (m->ml_flags & METH_STATIC)) {
            return ouro_fail(failure, PyExc_ValueError,
                             "method cannot be both class and static");
        }
        bool replace = (m->ml_flags & METH_COEXIST) != 0;
        if (!add_to_dict(type, m->ml_name, describe_method(type, m), replace)) {
            return false;
        }
    }
    return true;
}

static bool
add_members(PyTypeObject *type)
{
    for (PyMemberDef *m = type->tp_members; m != NULL && m->name != NULL; m++) {
        if (!add_to_dict(type, m->name, PyDescr_NewMember(type, m), false)) {
            return false;
        }
    }
    return true;
}

static bool
add_getset(PyTypeObject *type, PyGetSetDef *getset)
{
    for (PyGetSetDef *g = getset; g != NULL && g->name != NULL; g++) {
        if (!add_to_dict(type, g->name, PyDescr_NewGetSet(type, g), false)) {
            return false;
        }
    }
    return true;
}

static bool
add_doc(PyTypeObject *type)
{
    PyObject *doc =
        type->tp_doc == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(type->tp_doc);
    return add_to_dict(type, "__doc__", doc, false);
}
