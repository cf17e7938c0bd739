/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
many(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    (void)self;
    return PyUnicode_FromFormat("%R %R", arguments,
                                keywords != NULL ? keywords : Py_None);
}

static PyObject *
fast(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)self;
    return PyUnicode_FromFormat("%zd, first %R", count,
                                count > 0 ? arguments[0] : Py_None);
}

static PyObject *
fast_with_names(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                PyObject *names)
{
    (void)self;
    Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    return PyUnicode_FromFormat("%zd and %zd, last %R", count, named,
                                count + named > 0 ? arguments[count + named - 1]
                                                  : Py_None);
}

static PyObject *
broken(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return NULL; /* without an exception */
}

static PyObject *
too_much(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    PyErr_SetString(PyExc_ValueError, "raised");
    return number(1); /* with an exception */
}

static PyMethodDef methods[] = {
    {"many", (PyCFunction)(void (*)(void))many, METH_VARARGS | METH_KEYWORDS, NULL},
    {"fast", (PyCFunction)(void (*)(void))fast, METH_FASTCALL, NULL},
    {"fast_with_names", (PyCFunction)(void (*)(void))fast_with_names,
     METH_FASTCALL | METH_KEYWORDS, NULL},
    {"broken", broken, METH_NOARGS, NULL},
    {"too_much", too_much, METH_NOARGS, NULL},
};

PROGRAM("calling: positions, names, and callables that misbehave")
{
    PyObject *one = number(1), *two = number(2);
    PyObject *arguments = must(PyTuple_Pack(2, one, two));
    PyObject *keywords = must(PyDict_New());
    must_be_zero(PyDict_SetItemString(keywords, "name", Py_True));
    for (int i = 0; i < 3; i++) {
        PyObject *function = must(PyCFunction_New(&methods[i], NULL));
        const char *name = methods[i].ml_name;
        trace_str(name, PyObject_CallNoArgs(function));
        trace_str(name, PyObject_CallOneArg(function, one));
        trace_str(name, PyObject_CallObject(function, arguments));
        trace_str(name, PyObject_CallObject(function, NULL));
        trace_str(name, PyObject_Call(function, arguments, keywords));
        trace_str(name, PyObject_CallFunctionObjArgs(function, one, two, one, NULL));
        PyObject *key = must(PyUnicode_InternFromString("key"));
        PyObject *names = must(PyTuple_Pack(1, key));
        Py_DECREF(key);
        PyObject *vector[] = {one, two};
        trace_str(name, PyObject_Vectorcall(function, vector, 1, names));
        trace_str(name, PyObject_VectorcallDict(function, vector, 2, keywords));
        Py_DECREF(names);
        Py_DECREF(function);
    }
    PyObject *function = must(PyCFunction_New(&methods[3], NULL));
    trace_str("NULL without an exception", PyObject_CallNoArgs(function));
    Py_DECREF(function);
    function = must(PyCFunction_New(&methods[4], NULL));
    trace_str("a result with an exception", PyObject_CallNoArgs(function));
    trace_str("an argument too many", PyObject_CallOneArg(function, one));
    trace_str("names where none are", PyObject_Call(function, PyTuple_New(0), keywords));
    Py_DECREF(function);
    trace_str("not callable", PyObject_CallNoArgs(one));
    trace_str("not callable", PyObject_CallNoArgs(Py_None));
    trace("callable %d %d", PyCallable_Check(one),
          PyCallable_Check((PyObject *)&PyList_Type));
    trace_repr("list()", PyObject_CallOneArg((PyObject *)&PyList_Type, arguments));
    trace_repr("int()", PyObject_CallOneArg((PyObject *)&PyLong_Type, Py_True));
    trace_repr("dict()",
               PyObject_Call((PyObject *)&PyDict_Type, PyTuple_New(0), keywords));
    trace_repr("N()", PyObject_CallNoArgs((PyObject *)&N_Type));
    trace_repr("object(1)", PyObject_CallOneArg((PyObject *)&PyBaseObject_Type, one));
    Py_DECREF(arguments);
    Py_DECREF(keywords);
    Py_DECREF(one);
    Py_DECREF(two);
}
