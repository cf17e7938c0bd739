/* SPDX-License-Identifier: MIT */
/* One switch over the shapes of METH_ functions. Each case brings the arguments of a
 * vectorcall into the shape that the C function takes. */
#include "methoddef.h"

bool
ouro_methoddef_is_valid(const PyMethodDef *ml)
{
    switch (ml->ml_flags & OURO_METH_SHAPE) {
    case METH_VARARGS:
    case METH_VARARGS | METH_KEYWORDS:
    case METH_NOARGS:
    case METH_O:
    case METH_FASTCALL:
    case METH_FASTCALL | METH_KEYWORDS:
    case METH_METHOD | METH_FASTCALL | METH_KEYWORDS:
        return true;
    default:
        PyErr_Format(PyExc_SystemError, "%s() method: bad call flags", ml->ml_name);
        return false;
    }
}

/* --- messages -------------------------------------------------------------------------- */

/* "module.qualname()" from its parts. */
static PyObject *
label_from_parts(PyObject *qualname, PyObject *module)
{
    if (module == NULL || !PyUnicode_Check(module) ||
        PyUnicode_CompareWithASCIIString(module, "builtins") == 0) {
        return PyUnicode_FromFormat("%S()", qualname);
    }
    return PyUnicode_FromFormat("%U.%S()", module, qualname);
}

PyObject *
ouro_function_label(PyObject *callable)
{
    PyObject *qualname, *module;
    int found = _PyObject_FindAttrString(callable, "__qualname__", &qualname);
    if (found <= 0) {
        return found < 0 ? NULL : PyObject_Str(callable);
    }
    PyObject *label = NULL;
    if (_PyObject_FindAttrString(callable, "__module__", &module) >= 0) {
        label = label_from_parts(qualname, module);
        Py_XDECREF(module);
    }
    Py_DECREF(qualname);
    return label;
}

static PyObject *
raise_wrong_arguments(PyObject *callable, const char *format, Py_ssize_t given)
{
    PyObject *label = ouro_function_label(callable);
    if (label != NULL) {
        PyErr_Format(PyExc_TypeError, format, label, given);
        Py_DECREF(label);
    }
    return NULL;
}

static PyObject *
raise_no_keywords(PyObject *callable)
{
    return raise_wrong_arguments(callable, "%U takes no keyword arguments", 0);
}

/* --- the shapes ------------------------------------------------------------------------ */

/* The keyword arguments as a new dict; NULL with an exception. */
static PyObject *
keyword_dict(PyObject *const *values, PyObject *kwnames)
{
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict != NULL && i < PyTuple_GET_SIZE(kwnames); i++) {
        if (PyDict_SetItem(dict, PyTuple_GET_ITEM(kwnames, i), values[i]) < 0) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

__attribute__((noinline)) static PyObject *
call_with_tuple_and_dict(PyCFunctionWithKeywords function, PyObject *self,
                         PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *dict = NULL;
    if (kwnames != NULL) {
        dict = keyword_dict(args + nargs, kwnames);
        if (dict == NULL) {
            return NULL;
        }
    }
    PyObject *result = NULL;
    PyObject *tuple = PyTuple_FromArray(args, nargs);
    if (tuple != NULL) {
        result = function(self, tuple, dict);
        Py_DECREF(tuple);
    }
    Py_XDECREF(dict);
    return result;
}

__attribute__((noinline)) static PyObject *
call_with_tuple_only(PyCFunction function, PyObject *self, PyObject *const *args,
                     Py_ssize_t nargs)
{
    PyObject *tuple = PyTuple_FromArray(args, nargs);
    if (tuple == NULL) {
        return NULL;
    }
    PyObject *result = function(self, tuple);
    Py_DECREF(tuple);
    return result;
}

/* To give ml_meth its true type back. */
typedef void (*any_function)(void);

__attribute__((noinline)) static PyObject *
call_with_class(PyCMethod function, PyObject *callable, PyObject *self,
                PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyTypeObject *cls = PyCFunction_Check(callable) ? PyCFunction_GET_CLASS(callable)
                                                    : PyDescr_TYPE(callable);
    return function(self, cls, args, nargs, kwnames);
}

static inline PyObject *
call_by_shape(const PyMethodDef *ml, PyObject *callable, PyObject *self,
              PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    any_function function = (any_function)ml->ml_meth;
    switch (ml->ml_flags & OURO_METH_SHAPE) {
    case METH_NOARGS:
        if (nargs != 0) {
            return raise_wrong_arguments(callable, "%U takes no arguments (%zd given)",
                                         nargs);
        }
        return ml->ml_meth(self, NULL);
    case METH_O:
        if (nargs != 1) {
            return raise_wrong_arguments(
                callable, "%U takes exactly one argument (%zd given)", nargs);
        }
        return ml->ml_meth(self, args[0]);
    case METH_FASTCALL:
        return ((PyCFunctionFast)function)(self, args, nargs);
    case METH_FASTCALL | METH_KEYWORDS:
        return ((PyCFunctionFastWithKeywords)function)(self, args, nargs, kwnames);
    case METH_METHOD | METH_FASTCALL | METH_KEYWORDS:
        return call_with_class((PyCMethod)function, callable, self, args, nargs, kwnames);
    case METH_VARARGS | METH_KEYWORDS:
        return call_with_tuple_and_dict((PyCFunctionWithKeywords)function, self, args,
                                        nargs, kwnames);
    default:
        return call_with_tuple_only(ml->ml_meth, self, args, nargs);
    }
}

/* With keywords, or with little stack. */
__attribute__((noinline)) static PyObject *
call_with_care(const PyMethodDef *ml, PyObject *callable, PyObject *self,
               PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (kwnames != NULL && PyTuple_GET_SIZE(kwnames) == 0) {
        kwnames = NULL;
    }
    if (kwnames != NULL && !(ml->ml_flags & METH_KEYWORDS)) {
        return raise_no_keywords(callable);
    }
    if (Py_EnterRecursiveCall(" while calling a Python object")) {
        return NULL;
    }
    PyObject *result = call_by_shape(ml, callable, self, args, nargs, kwnames);
    Py_LeaveRecursiveCall();
    return result;
}

/* Every built-in function is called here: no register is saved, as each call is the last. */
PyObject *
ouro_methoddef_vectorcall(const PyMethodDef *ml, PyObject *callable, PyObject *self,
                          PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    bool is_low = _Py_StackPointer() < _Py_current.stack_low;
    if (__builtin_expect(kwnames != NULL || is_low, 0)) {
        return call_with_care(ml, callable, self, args, nargs, kwnames);
    }
    return call_by_shape(ml, callable, self, args, nargs, NULL);
}

PyObject *
ouro_methoddef_call(const PyMethodDef *ml, PyObject *callable, PyObject *self,
                    PyObject *args, PyObject *kwargs)
{
    if (ml->ml_flags & METH_KEYWORDS) {
        any_function function = (any_function)ml->ml_meth;
        return ((PyCFunctionWithKeywords)function)(self, args, kwargs);
    }
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
        return raise_no_keywords(callable);
    }
    return ml->ml_meth(self, args);
}
