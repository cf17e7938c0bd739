/* SPDX-License-Identifier: MIT */
/* isinstance() and issubclass().
 *
 * Classes are usually types. An object that merely looks like a class (it has __bases__)
 * serves too, as does one whose type has __instancecheck__ or __subclasscheck__. */
#include <Python.h>

#include "protocol.h"

PyObject *
PyObject_Type(PyObject *o)
{
    return o == NULL ? ouro_null_argument() : Py_NewRef(Py_TYPE(o));
}

/* --- things that look like classes ---------------------------------------------------------- */

/* 1 and the tuple of bases; 0 when there is none; -1 with an exception. */
static int
bases_of(PyObject *cls, PyObject **bases)
{
    int found = _PyObject_FindAttrString(cls, "__bases__", bases);
    if (found > 0 && !PyTuple_Check(*bases)) {
        Py_CLEAR(*bases);
        found = 0;
    }
    return found;
}

/* 1 if `cls` looks like a class; else 0 with TypeError `message`; -1 with another. */
static int
looks_like_class(PyObject *cls, const char *message)
{
    PyObject *bases;
    int found = bases_of(cls, &bases);
    Py_XDECREF(bases);
    if (found == 0) {
        PyErr_SetString(PyExc_TypeError, message);
    }
    return found;
}

static int
derives_by_bases(PyObject *derived, PyObject *cls)
{
    if (derived == cls) {
        return 1;
    }
    PyObject *bases;
    int result = bases_of(derived, &bases);
    if (result <= 0) {
        return result;
    }
    result = Py_EnterRecursiveCall(" in __issubclass__") ? -1 : 0;
    if (result == 0) {
        for (Py_ssize_t i = 0; result == 0 && i < PyTuple_GET_SIZE(bases); i++) {
            result = derives_by_bases(PyTuple_GET_ITEM(bases, i), cls);
        }
        Py_LeaveRecursiveCall();
    }
    Py_DECREF(bases);
    return result;
}

/* --- the plain answers -------------------------------------------------------------------------- */

int
_PyObject_RealIsInstance(PyObject *o, PyObject *cls)
{
    PyObject *claimed; /* an object may claim another __class__ than its type */
    int result;
    if (PyType_Check(cls)) {
        if (PyObject_TypeCheck(o, (PyTypeObject *)cls)) {
            return 1;
        }
        result = _PyObject_FindAttrString(o, "__class__", &claimed);
        if (result > 0) {
            result = claimed != (PyObject *)Py_TYPE(o) && PyType_Check(claimed) &&
                     PyType_IsSubtype((PyTypeObject *)claimed, (PyTypeObject *)cls);
            Py_DECREF(claimed);
        }
        return result;
    }
    if (looks_like_class(cls, "isinstance() arg 2 must be a type, a tuple of types, "
                              "or a union") <= 0) {
        return -1;
    }
    result = _PyObject_FindAttrString(o, "__class__", &claimed);
    if (result > 0) {
        result = derives_by_bases(claimed, cls);
        Py_DECREF(claimed);
    }
    return result;
}

int
_PyObject_RealIsSubclass(PyObject *derived, PyObject *cls)
{
    if (PyType_Check(cls) && PyType_Check(derived)) {
        return PyType_IsSubtype((PyTypeObject *)derived, (PyTypeObject *)cls);
    }
    if (looks_like_class(derived, "issubclass() arg 1 must be a class") <= 0 ||
        looks_like_class(cls, "issubclass() arg 2 must be a class, a tuple of classes, "
                              "or a union") <= 0) {
        return -1;
    }
    return derives_by_bases(derived, cls);
}

/* --- tuples and classes that answer themselves ------------------------------------------------------ */

struct class_question {
    const char *method;
    const char *where;
    int (*plainly)(PyObject *, PyObject *);
};

static const struct class_question instance_question = {
    "__instancecheck__", " in __instancecheck__", _PyObject_RealIsInstance};
static const struct class_question subclass_question = {
    "__subclasscheck__", " in __subclasscheck__", _PyObject_RealIsSubclass};

static int ask_class(const struct class_question *q, PyObject *o, PyObject *cls);

static int
ask_any_class(const struct class_question *q, PyObject *o, PyObject *tuple)
{
    if (Py_EnterRecursiveCall(q->where)) {
        return -1;
    }
    int result = 0;
    for (Py_ssize_t i = 0; result == 0 && i < PyTuple_GET_SIZE(tuple); i++) {
        result = ask_class(q, o, PyTuple_GET_ITEM(tuple, i));
    }
    Py_LeaveRecursiveCall();
    return result;
}

static int
ask_class(const struct class_question *q, PyObject *o, PyObject *cls)
{
    if (PyType_CheckExact(cls)) {
        return q->plainly(o, cls);
    }
    if (PyTuple_Check(cls)) {
        return ask_any_class(q, o, cls);
    }
    PyObject *method;
    int found = ouro_special_get(cls, q->method, &method);
    if (found <= 0) {
        return found < 0 ? -1 : q->plainly(o, cls);
    }
    int result = -1;
    if (Py_EnterRecursiveCall(q->where) == 0) {
        PyObject *answer = PyObject_CallOneArg(method, o);
        Py_LeaveRecursiveCall();
        if (answer != NULL) {
            result = PyObject_IsTrue(answer);
            Py_DECREF(answer);
        }
    }
    Py_DECREF(method);
    return result;
}

int
PyObject_IsInstance(PyObject *o, PyObject *cls)
{
    if (Py_IS_TYPE(o, (PyTypeObject *)cls)) {
        return 1;
    }
    return ask_class(&instance_question, o, cls);
}

int
PyObject_IsSubclass(PyObject *derived, PyObject *cls)
{
    if (derived == cls && PyType_CheckExact(cls)) {
        return 1;
    }
    return ask_class(&subclass_question, derived, cls);
}
