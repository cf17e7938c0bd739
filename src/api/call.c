/* SPDX-License-Identifier: MIT */
/* Calling objects.
 *
 * There are two ways into a callable: tp_call, which takes a tuple and a dict, and a
 * vectorcall function, which takes an array and a tuple of names. Each public function
 * brings its arguments into the shape that the callable takes.
 *
 * Read next: callmethod.c, which finds the callable by name first. */
#include <Python.h>

#include "../base/check.h"
#include "../base/events.h"
#include "../thread/interpreter.h"
#include "protocol.h"

/* As many keyword values as this go on the stack when a dict is unpacked. */
#define OURO_CALL_STACK 8

static const char in_a_call[] = " while calling a Python object";

int
PyCallable_Check(PyObject *o)
{
    return o != NULL && Py_TYPE(o)->tp_call != NULL;
}

vectorcallfunc
PyVectorcall_Function(PyObject *callable)
{
    PyTypeObject *type = Py_TYPE(callable);
    if (!PyType_HasFeature(type, Py_TPFLAGS_HAVE_VECTORCALL)) {
        return NULL;
    }
    vectorcallfunc function;
    memcpy(&function, (char *)callable + type->tp_vectorcall_offset, sizeof(function));
    return function;
}

/* --- results ------------------------------------------------------------------------------ */

/* SystemError "<callable> <what>", with the exception that was pending as its cause. */
static PyObject *
raise_broken_callee(PyObject *callable, const char *what)
{
    PyObject *cause = PyErr_GetRaisedException();
    PyErr_Format(PyExc_SystemError, "%R %s", callable, what);
    if (cause != NULL) {
        PyObject *error = PyErr_GetRaisedException();
        if (PyExceptionInstance_Check(error)) {
            PyException_SetCause(error, Py_NewRef(cause));
            PyException_SetContext(error, Py_NewRef(cause));
        }
        Py_DECREF(cause);
        PyErr_SetRaisedException(error);
    }
    return NULL;
}

PyObject *
ouro_call_result(PyObject *callable, PyObject *result)
{
    bool raised = ouro_current.thread->error != NULL;
    if (OURO_LIKELY((result != NULL) != raised)) {
        return result;
    }
    if (result == NULL) {
        return raise_broken_callee(callable,
                                   "returned NULL without setting an exception");
    }
    Py_DECREF(result);
    return raise_broken_callee(callable, "returned a result with an exception set");
}

/* --- through tp_call ------------------------------------------------------------------------ */

static PyObject *
call_tp_call(PyObject *callable, PyObject *args, PyObject *kwargs)
{
    ternaryfunc call = Py_TYPE(callable)->tp_call;
    if (call == NULL) {
        return ouro_type_error("'%.200s' object is not callable", callable);
    }
    if (ouro_too_deep(in_a_call)) {
        return NULL;
    }
    return ouro_call_result(callable, call(callable, args, kwargs));
}

static PyObject *
dict_from_names(PyObject *const *values, PyObject *names)
{
    PyObject *dict = PyDict_New();
    Py_ssize_t count = PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; dict != NULL && i < count; i++) {
        if (PyDict_SetItem(dict, PyTuple_GET_ITEM(names, i), values[i]) < 0) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

/* Call with an array of arguments a callable that has no vectorcall function. `keywords`
 * is a tuple of names whose values follow the arguments, a dict, or NULL. */
static PyObject *
call_with_packed(PyObject *callable, PyObject *const *args, Py_ssize_t nargs,
                 PyObject *keywords)
{
    if (Py_TYPE(callable)->tp_call == NULL) {
        return ouro_type_error("'%.200s' object is not callable", callable);
    }
    PyObject *result = NULL;
    PyObject *tuple = PyTuple_FromArray(args, nargs);
    if (tuple == NULL) {
        return NULL;
    }
    PyObject *dict = NULL;
    if (keywords != NULL && PyDict_Check(keywords)) {
        dict = Py_NewRef(keywords);
    } else if (keywords != NULL && PyTuple_GET_SIZE(keywords) > 0) {
        dict = dict_from_names(args + nargs, keywords);
        if (dict == NULL) {
            goto undo_tuple;
        }
    }
    result = call_tp_call(callable, tuple, dict);
    Py_XDECREF(dict);
undo_tuple:
    Py_DECREF(tuple);
    return result;
}

/* --- through a vectorcall function ------------------------------------------------------------ */

PyObject *
PyObject_Vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf,
                    PyObject *kwnames)
{
    ouro_event_entry("PyObject_Vectorcall");
    if (callable == NULL) {
        return ouro_null_argument();
    }
    vectorcallfunc function = PyVectorcall_Function(callable);
    if (function == NULL) {
        return call_with_packed(callable, args, PyVectorcall_NARGS(nargsf), kwnames);
    }
    if (ouro_too_deep(in_a_call)) {
        return NULL;
    }
    return ouro_call_result(callable, function(callable, args, nargsf, kwnames));
}

/* Put new references to the `count` values of a dict into `values` and return their names,
 * a new tuple; NULL with an exception, and no references. */
static PyObject *
names_and_values(PyObject *kwargs, Py_ssize_t count, PyObject **values)
{
    PyObject *names = PyTuple_New(count);
    if (names == NULL) {
        return NULL;
    }
    PyObject *key, *value;
    Py_ssize_t position = 0, i = 0;
    bool all_str = true;
    while (i < count && PyDict_Next(kwargs, &position, &key, &value)) {
        all_str = all_str && PyUnicode_Check(key);
        PyTuple_SET_ITEM(names, i, Py_NewRef(key));
        values[i] = Py_NewRef(value);
        i++;
    }
    if (all_str && i == count) {
        return names;
    }
    /* PyTuple_New may have run a collection, and that may have run code which changed the dict. */
    PyErr_SetString(all_str ? PyExc_RuntimeError : PyExc_TypeError,
                    all_str ? "keyword arguments changed during the call"
                            : "keywords must be strings");
    while (i > 0) {
        Py_DECREF(values[--i]);
    }
    Py_DECREF(names);
    return NULL;
}

/* Call `function` with an array and a dict that is not empty. */
static PyObject *
call_with_unpacked(vectorcallfunc function, PyObject *callable, PyObject *const *args,
                   Py_ssize_t nargs, PyObject *kwargs)
{
    if (ouro_too_deep(in_a_call)) {
        return NULL;
    }
    Py_ssize_t count = PyDict_Size(kwargs);
    PyObject *on_stack[OURO_CALL_STACK];
    PyObject **space = on_stack;
    if (nargs + count + 1 > OURO_CALL_STACK) {
        space = PyMem_New(PyObject *, (size_t)(nargs + count + 1));
        if (space == NULL) {
            return PyErr_NoMemory();
        }
    }
    PyObject **stack = space + 1; /* the callee may use the place before it */
    space[0] = NULL;
    if (nargs > 0) {
        memcpy(stack, args, (size_t)nargs * sizeof(PyObject *));
    }
    PyObject *result = NULL;
    PyObject *names = names_and_values(kwargs, count, stack + nargs);
    if (names != NULL) {
        result = function(callable, stack, (size_t)nargs | PY_VECTORCALL_ARGUMENTS_OFFSET,
                          names);
        for (Py_ssize_t i = 0; i < count; i++) {
            Py_DECREF(stack[nargs + i]);
        }
        Py_DECREF(names);
        result = ouro_call_result(callable, result);
    }
    if (space != on_stack) {
        PyMem_Free(space);
    }
    return result;
}

PyObject *
PyObject_VectorcallDict(PyObject *callable, PyObject *const *args, size_t nargsf,
                        PyObject *kwargs)
{
    if (callable == NULL) {
        return ouro_null_argument();
    }
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    vectorcallfunc function = PyVectorcall_Function(callable);
    if (function == NULL) {
        return call_with_packed(callable, args, nargs, kwargs);
    }
    if (kwargs != NULL && PyDict_Size(kwargs) > 0) {
        return call_with_unpacked(function, callable, args, nargs, kwargs);
    }
    if (ouro_too_deep(in_a_call)) {
        return NULL;
    }
    return ouro_call_result(callable, function(callable, args, nargsf, NULL));
}

static PyObject *
call_with_tuple(vectorcallfunc function, PyObject *callable, PyObject *args,
                PyObject *kwargs)
{
    PyObject *const *items = ((PyTupleObject *)args)->ob_item;
    Py_ssize_t nargs = PyTuple_GET_SIZE(args);
    if (kwargs != NULL && PyDict_Size(kwargs) > 0) {
        return call_with_unpacked(function, callable, items, nargs, kwargs);
    }
    if (ouro_too_deep(in_a_call)) {
        return NULL;
    }
    return ouro_call_result(callable, function(callable, items, (size_t)nargs, NULL));
}

PyObject *
PyVectorcall_Call(PyObject *callable, PyObject *args, PyObject *kwargs)
{
    vectorcallfunc function = PyVectorcall_Function(callable);
    if (function == NULL) {
        return ouro_type_error("'%.200s' object does not support vectorcall", callable);
    }
    return call_with_tuple(function, callable, args, kwargs);
}

/* --- the common forms ---------------------------------------------------------------------- */

PyObject *
PyObject_Call(PyObject *callable, PyObject *args, PyObject *kwargs)
{
    ouro_event_entry("PyObject_Call");
    if (callable == NULL || args == NULL) {
        return ouro_null_argument();
    }
    if (!PyTuple_Check(args)) {
        PyErr_SetString(PyExc_TypeError, "argument list must be a tuple");
        return NULL;
    }
    if (kwargs != NULL && !PyDict_Check(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "keyword list must be a dictionary");
        return NULL;
    }
    vectorcallfunc function = PyVectorcall_Function(callable);
    if (function != NULL) {
        return call_with_tuple(function, callable, args, kwargs);
    }
    return call_tp_call(callable, args, kwargs);
}

PyObject *
PyObject_CallObject(PyObject *callable, PyObject *args)
{
    if (args == NULL) {
        return PyObject_CallNoArgs(callable);
    }
    return PyObject_Call(callable, args, NULL);
}

PyObject *
PyObject_CallNoArgs(PyObject *callable)
{
    return PyObject_Vectorcall(callable, NULL, 0, NULL);
}

PyObject *
PyObject_CallOneArg(PyObject *callable, PyObject *arg)
{
    if (arg == NULL) {
        return ouro_null_argument();
    }
    PyObject *space[2] = {NULL, arg};
    return PyObject_Vectorcall(callable, space + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                               NULL);
}
