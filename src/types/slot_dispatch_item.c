/* SPDX-License-Identifier: MIT */
/* Dispatchers of the slots for items and attributes. */
#include "slot_dispatch.h"

/* Drop the result of a method that is called for what it does. */
static int
zero_after(PyObject *result)
{
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

/* --- items ---------------------------------------------------------------------------------- */

/* What __len__ returned, as a length. */
static Py_ssize_t
length_from_result(PyObject *result)
{
    PyObject *number = PyNumber_Index(result);
    if (number == NULL) {
        return -1;
    }
    Py_ssize_t length = -1;
    if (PyLong_IsNegative(number) > 0) {
        PyErr_SetString(PyExc_ValueError, "__len__() should return >= 0");
    } else {
        length = PyNumber_AsSsize_t(number, PyExc_OverflowError);
    }
    Py_DECREF(number);
    return length;
}

Py_ssize_t
ouro_dispatch_len(PyObject *self)
{
    PyObject *result = ouro_special_call(SPECIAL_len, &self, 1);
    if (result == NULL) {
        return -1;
    }
    Py_ssize_t length = length_from_result(result);
    Py_DECREF(result);
    return length;
}

PyObject *
ouro_dispatch_getitem(PyObject *self, PyObject *key)
{
    PyObject *args[] = {self, key};
    return ouro_special_call(SPECIAL_getitem, args, 2);
}

PyObject *
ouro_dispatch_item(PyObject *self, Py_ssize_t index)
{
    PyObject *key = PyLong_FromSsize_t(index);
    if (key == NULL) {
        return NULL;
    }
    PyObject *result = ouro_dispatch_getitem(self, key);
    Py_DECREF(key);
    return result;
}

int
ouro_dispatch_setitem(PyObject *self, PyObject *key, PyObject *value)
{
    PyObject *args[] = {self, key, value};
    return zero_after(value == NULL ? ouro_special_call(SPECIAL_delitem, args, 2)
                                    : ouro_special_call(SPECIAL_setitem, args, 3));
}

int
ouro_dispatch_ass_item(PyObject *self, Py_ssize_t index, PyObject *value)
{
    PyObject *key = PyLong_FromSsize_t(index);
    if (key == NULL) {
        return -1;
    }
    int result = ouro_dispatch_setitem(self, key, value);
    Py_DECREF(key);
    return result;
}

/* The answer of __contains__ as 1 or 0. */
int
ouro_dispatch_contains(PyObject *self, PyObject *value)
{
    PyObject *method;
    bool bound;
    int found = ouro_special_find(self, SPECIAL_contains, &method, &bound);
    if (found < 0) {
        return -1;
    }
    if (found == 0 || method == Py_None) {
        Py_XDECREF(method);
        PyErr_Format(PyExc_TypeError, "'%.200s' object is not a container",
                     Py_TYPE(self)->tp_name);
        return -1;
    }
    PyObject *args[] = {self, value};
    PyObject *result = bound ? PyObject_Vectorcall(method, args + 1, 1, NULL)
                             : PyObject_Vectorcall(method, args, 2, NULL);
    Py_DECREF(method);
    int truth = result == NULL ? -1 : PyObject_IsTrue(result);
    Py_XDECREF(result);
    return truth;
}

/* --- attributes -------------------------------------------------------------------------------- */

/* Most often __getattribute__ is that of a base, and stands for its tp_getattro. */
static PyObject *
call_getattribute(PyObject *self, PyObject *name)
{
    PyObject *found = ouro_type_lookup(Py_TYPE(self), OURO_SPECIAL(getattribute));
    if (found != NULL && Py_IS_TYPE(found, &PyWrapperDescr_Type) &&
        PyObject_TypeCheck(self, PyDescr_TYPE(found))) {
        const PyWrapperDescrObject *descr = (PyWrapperDescrObject *)found;
        if (descr->d_base->offset == Py_tp_getattro) {
            return ((getattrofunc)descr->d_wrapped)(self, name);
        }
    }
    PyObject *args[] = {self, name};
    return ouro_special_call(SPECIAL_getattribute, args, 2);
}

PyObject *
ouro_dispatch_getattr(PyObject *self, PyObject *name)
{
    PyObject *value = call_getattribute(self, name);
    if (value != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return value;
    }
    PyObject *missing = PyErr_GetRaisedException();
    PyObject *args[] = {self, name};
    if (ouro_special_try(SPECIAL_getattr, args, 2, &value) == 0) {
        PyErr_SetRaisedException(missing);
    } else {
        Py_DECREF(missing);
    }
    return value;
}

int
ouro_dispatch_setattr(PyObject *self, PyObject *name, PyObject *value)
{
    PyObject *args[] = {self, name, value};
    return zero_after(value == NULL ? ouro_special_call(SPECIAL_delattr, args, 2)
                                    : ouro_special_call(SPECIAL_setattr, args, 3));
}

PyObject *
ouro_dispatch_get(PyObject *self, PyObject *object, PyObject *type)
{
    PyObject *args[] = {self, object == NULL ? Py_None : object,
                        type == NULL ? Py_None : type};
    PyObject *result;
    if (ouro_special_try(SPECIAL_get, args, 3, &result) == 0) {
        return Py_NewRef(self); /* no descriptor any more */
    }
    return result;
}

int
ouro_dispatch_set(PyObject *self, PyObject *object, PyObject *value)
{
    PyObject *args[] = {self, object, value};
    return zero_after(value == NULL ? ouro_special_call(SPECIAL_delete, args, 2)
                                    : ouro_special_call(SPECIAL_set, args, 3));
}
