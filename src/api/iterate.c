/* SPDX-License-Identifier: MIT */
/* Iterators: getting one, and getting the next item from one. The iterator objects
 * themselves are in builtins/iterator.c. */
#include <Python.h>

#include "protocol.h"

PyObject *
PyObject_SelfIter(PyObject *o)
{
    return Py_NewRef(o);
}

PyObject *
_PyObject_NextNotImplemented(PyObject *o)
{
    return ouro_type_error("'%.200s' object is not iterable", o);
}

int
PyIter_Check(PyObject *o)
{
    iternextfunc next = Py_TYPE(o)->tp_iternext;
    return next != NULL && next != _PyObject_NextNotImplemented;
}

int
PyAIter_Check(PyObject *o)
{
    const PyAsyncMethods *methods = Py_TYPE(o)->tp_as_async;
    return methods != NULL && methods->am_anext != NULL &&
           (void *)methods->am_anext != (void *)_PyObject_NextNotImplemented;
}

PyObject *
PyObject_GetAIter(PyObject *o)
{
    const PyAsyncMethods *methods = Py_TYPE(o)->tp_as_async;
    if (methods == NULL || methods->am_aiter == NULL) {
        return ouro_type_error("'%.200s' object is not an async iterable", o);
    }
    PyObject *iterator = methods->am_aiter(o);
    if (iterator != NULL && !PyAIter_Check(iterator)) {
        ouro_type_error("aiter() returned not an async iterator of type '%.200s'",
                        iterator);
        Py_CLEAR(iterator);
    }
    return iterator;
}

PyObject *
PyObject_GetIter(PyObject *o)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    getiterfunc get = Py_TYPE(o)->tp_iter;
    if (get == NULL) {
        return PySequence_Check(o)
                   ? PySeqIter_New(o)
                   : ouro_type_error("'%.200s' object is not iterable", o);
    }
    if (ouro_too_deep(" while iterating over an object")) {
        return NULL;
    }
    PyObject *iterator = get(o);
    if (iterator != NULL && !PyIter_Check(iterator)) {
        ouro_type_error("iter() returned non-iterator of type '%.100s'", iterator);
        Py_CLEAR(iterator);
    }
    return iterator;
}

/* NULL without exception at the end, however the iterator says so. */
static PyObject *
next_or_end(PyObject *o)
{
    if (ouro_too_deep(" while getting the next item")) {
        return NULL;
    }
    PyObject *item = Py_TYPE(o)->tp_iternext(o);
    if (item == NULL && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_StopIteration)) {
        PyErr_Clear();
    }
    return item;
}

PyObject *
PyIter_Next(PyObject *o)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    if (!PyIter_Check(o)) {
        return ouro_type_error("'%.200s' object is not an iterator", o);
    }
    return next_or_end(o);
}

int
PyIter_NextItem(PyObject *o, PyObject **item)
{
    *item = PyIter_Next(o);
    if (*item != NULL) {
        return 1;
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* What an iterator returned when it ended: the argument of the pending StopIteration, or
 * None. A new reference; NULL with the exception when it is another. */
static PyObject *
value_of_end(void)
{
    if (!PyErr_Occurred()) {
        return Py_NewRef(Py_None);
    }
    if (!PyErr_ExceptionMatches(PyExc_StopIteration)) {
        return NULL;
    }
    PyObject *stop = PyErr_GetRaisedException();
    PyObject *args = PyException_GetArgs(stop);
    Py_DECREF(stop);
    PyObject *value = Py_None;
    if (args != NULL && PyTuple_Check(args) && PyTuple_GET_SIZE(args) > 0) {
        value = PyTuple_GET_ITEM(args, 0);
    }
    Py_INCREF(value);
    Py_XDECREF(args);
    return value;
}

PySendResult
PyIter_Send(PyObject *iter, PyObject *value, PyObject **result)
{
    if (ouro_too_deep(" while sending to an iterator")) {
        *result = NULL;
        return PYGEN_ERROR;
    }
    PyAsyncMethods *m = Py_TYPE(iter)->tp_as_async;
    if (m != NULL && m->am_send != NULL) {
        return m->am_send(iter, value, result);
    }
    if (value == Py_None && PyIter_Check(iter)) {
        *result = Py_TYPE(iter)->tp_iternext(iter);
    } else {
        PyObject *name = PyUnicode_InternFromString("send");
        *result = name == NULL ? NULL : PyObject_CallMethodOneArg(iter, name, value);
        Py_XDECREF(name);
    }
    if (*result != NULL) {
        return PYGEN_NEXT;
    }
    *result = value_of_end();
    return *result != NULL ? PYGEN_RETURN : PYGEN_ERROR;
}
