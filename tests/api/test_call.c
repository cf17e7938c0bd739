/* SPDX-License-Identifier: MIT */
/* Calls: arguments reach the callee in each form, and its result is checked. */
#include "../protocol.h"

/* What the last call received, as text: "(1, 2) {'a': 3}". */
static PyObject *
describe_call(PyObject *Py_UNUSED(self), PyObject *args, PyObject *kwargs)
{
    return kwargs == NULL ? PyUnicode_FromFormat("%R", args)
                          : PyUnicode_FromFormat("%R %R", args, kwargs);
}

static PyObject *
describe_fast(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *tuple = PyTuple_FromArray(args, nargs);
    PyObject *dict = kwnames == NULL ? NULL : PyDict_New();
    for (Py_ssize_t i = 0; dict != NULL && i < PyTuple_GET_SIZE(kwnames); i++) {
        PyDict_SetItem(dict, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]);
    }
    PyObject *result = tuple == NULL ? NULL : describe_call(self, tuple, dict);
    Py_XDECREF(tuple);
    Py_XDECREF(dict);
    return result;
}

static PyMethodDef describe_call_def = {"describe_call", _PyCFunction_CAST(describe_call),
                                        METH_VARARGS | METH_KEYWORDS, NULL};
static PyMethodDef describe_fast_def = {"describe_fast", _PyCFunction_CAST(describe_fast),
                                        METH_FASTCALL | METH_KEYWORDS, NULL};

static PyObject *
return_null(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(arg))
{
    return NULL;
}

static PyObject *
return_and_raise(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(arg))
{
    PyErr_SetString(PyExc_ValueError, "why not both");
    return PyList_New(0);
}

static PyMethodDef return_null_def = {"return_null", return_null, METH_NOARGS, NULL};
static PyMethodDef return_and_raise_def = {"return_and_raise", return_and_raise,
                                           METH_VARARGS, NULL};

static void
call_in_all_ways(PyObject *f)
{
    PyObject *one = number(1), *two = number(2), *three = number(3);
    PyObject *pair = PyTuple_Pack(2, one, two);
    PyObject *empty = PyTuple_New(0), *nothing = PyDict_New();
    PyObject *keywords = PyDict_New(), *names = PyTuple_New(1);
    PyDict_SetItemString(keywords, "k", three);
    PyTuple_SET_ITEM(names, 0, text("k"));
    PyObject *array[4] = {NULL, one, two, three};
    size_t lent = PY_VECTORCALL_ARGUMENTS_OFFSET;

    EXPECT_REPR_OF(PyObject_CallNoArgs(f), "'()'");
    EXPECT_REPR_OF(PyObject_CallOneArg(f, one), "'(1,)'");
    EXPECT_REPR_OF(PyObject_Call(f, pair, NULL), "'(1, 2)'");
    EXPECT_REPR_OF(PyObject_Call(f, pair, keywords), "\"(1, 2) {'k': 3}\"");
    EXPECT_REPR_OF(PyObject_CallObject(f, NULL), "'()'");
    EXPECT_REPR_OF(PyObject_CallObject(f, pair), "'(1, 2)'");
    EXPECT_REPR_OF(PyObject_CallFunctionObjArgs(f, NULL), "'()'");
    EXPECT_REPR_OF(PyObject_CallFunctionObjArgs(f, one, two, NULL), "'(1, 2)'");
    EXPECT_REPR_OF(
        PyObject_CallFunctionObjArgs(f, one, one, one, one, one, one, one, one, NULL),
        "'(1, 1, 1, 1, 1, 1, 1, 1)'");
    EXPECT_REPR_OF(PyObject_Vectorcall(f, array + 1, 2, NULL), "'(1, 2)'");
    EXPECT_REPR_OF(PyObject_Vectorcall(f, array + 1, 2 | lent, names),
                   "\"(1, 2) {'k': 3}\"");
    EXPECT_REPR_OF(PyObject_VectorcallDict(f, array + 1, 2, keywords),
                   "\"(1, 2) {'k': 3}\"");
    EXPECT_REPR_OF(PyObject_VectorcallDict(f, array + 1, 3 | lent, NULL), "'(1, 2, 3)'");
    EXPECT_REPR_OF(PyObject_VectorcallDict(f, NULL, 0, keywords), "\"() {'k': 3}\"");
    EXPECT_REPR_OF(PyObject_Call(f, empty, keywords), "\"() {'k': 3}\"");
    EXPECT_NULL(array[0]);
    EXPECT_NO_ERROR();

    Py_DECREF(pair);
    Py_DECREF(empty);
    Py_DECREF(nothing);
    Py_DECREF(keywords);
    Py_DECREF(names);
}

TEST_PY(arguments_reach_a_callee_with_tp_call)
{
    PyObject *f = PyCFunction_New(&describe_call_def, NULL);
    EXPECT_NULL(PyVectorcall_Function(f));
    call_in_all_ways(f);
    Py_DECREF(f);
}

TEST_PY(arguments_reach_a_callee_with_vectorcall)
{
    PyObject *f = PyCFunction_New(&describe_fast_def, NULL);
    EXPECT_NOT_NULL(PyVectorcall_Function(f));
    call_in_all_ways(f);
    Py_DECREF(f);
}

TEST_PY(many_keyword_arguments_reach_a_vectorcall_callee)
{
    PyObject *f = PyCFunction_New(&describe_fast_def, NULL);
    PyObject *keywords = PyDict_New(), *args = PyTuple_New(0);
    for (int i = 0; i < 20; i++) {
        PyObject *key = PyUnicode_FromFormat("k%d", i);
        PyDict_SetItem(keywords, key, Py_None);
        Py_DECREF(key);
    }
    PyObject *result = PyObject_Call(f, args, keywords);
    EXPECT_HAS(PyUnicode_AsUTF8(result), "'k0': None, 'k1': None");
    EXPECT_HAS(PyUnicode_AsUTF8(result), "'k19': None}");
    Py_DECREF(result);
    Py_DECREF(args);
    Py_DECREF(keywords);
    Py_DECREF(f);
}

TEST_PY(keywords_must_be_strings)
{
    PyObject *f = PyCFunction_New(&describe_fast_def, NULL);
    PyObject *keywords = PyDict_New(), *args = PyTuple_New(0);
    PyDict_SetItem(keywords, Py_None, Py_None);
    EXPECT_NULL(PyObject_Call(f, args, keywords));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "keywords must be strings");
    Py_DECREF(args);
    Py_DECREF(keywords);
    Py_DECREF(f);
}

TEST_PY(what_is_not_callable_raises_type_error)
{
    PyObject *args = PyTuple_New(0);
    EXPECT_EQ(PyCallable_Check(NULL), 0);
    EXPECT_EQ(PyCallable_Check(Py_None), 0);
    EXPECT_EQ(PyCallable_Check((PyObject *)&PyLong_Type), 1);
    EXPECT_NULL(PyObject_CallNoArgs(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not callable");
    EXPECT_NULL(PyObject_Call(Py_None, args, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not callable");
    EXPECT_NULL(PyVectorcall_Call(Py_None, args, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object does not support vectorcall");
    EXPECT_NULL(PyObject_CallNoArgs(NULL));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "null argument to internal routine");
    EXPECT_NULL(PyObject_CallOneArg(Py_None, NULL));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(argument_lists_must_be_a_tuple_and_a_dict)
{
    PyObject *f = PyCFunction_New(&describe_call_def, NULL);
    PyObject *args = PyTuple_New(0), *list = PyList_New(0);
    EXPECT_NULL(PyObject_CallObject(f, list));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "argument list must be a tuple");
    EXPECT_NULL(PyObject_Call(f, args, list));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "keyword list must be a dictionary");
    Py_DECREF(list);
    Py_DECREF(f);
}

TEST_PY(null_without_exception_becomes_a_system_error)
{
    PyObject *f = PyCFunction_New(&return_null_def, NULL);
    EXPECT_NULL(PyObject_CallNoArgs(f));
    EXPECT_RAISED_TEXT(
        PyExc_SystemError,
        "<built-in function return_null> returned NULL without setting an exception");
    Py_DECREF(f);
}

TEST_PY(a_result_with_an_exception_becomes_a_system_error_caused_by_it)
{
    PyObject *f = PyCFunction_New(&return_and_raise_def, NULL);
    EXPECT_NULL(PyObject_CallNoArgs(f));
    EXPECT(PyErr_ExceptionMatches(PyExc_SystemError));
    PyObject *error = PyErr_GetRaisedException();
    PyObject *cause = PyException_GetCause(error);
    EXPECT_NOT_NULL(cause);
    EXPECT(PyErr_GivenExceptionMatches(cause, PyExc_ValueError));
    Py_XDECREF(cause);
    Py_DECREF(error);
    Py_DECREF(f);
}

static PyObject *self_caller;

static PyObject *
call_self(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(arg))
{
    return PyObject_CallNoArgs(self_caller);
}

static PyMethodDef call_self_def = {"call_self", call_self, METH_NOARGS, NULL};
static PyMethodDef call_self_tuple_def = {"call_self", call_self, METH_VARARGS, NULL};

TEST_PY(endless_recursion_of_calls_raises_recursion_error)
{
    self_caller = PyCFunction_New(&call_self_def, NULL);
    EXPECT_NULL(PyObject_CallNoArgs(self_caller));
    EXPECT_RAISED(PyExc_RecursionError);
    Py_DECREF(self_caller);
    self_caller = PyCFunction_New(&call_self_tuple_def, NULL);
    EXPECT_NULL(PyObject_CallNoArgs(self_caller));
    EXPECT_RAISED(PyExc_RecursionError);
    Py_DECREF(self_caller);
}

static PyObject *
call_with_everything(void)
{
    PyObject *result = NULL;
    PyObject *f = PyCFunction_New(&describe_call_def, NULL);
    PyObject *keywords = PyDict_New();
    PyObject *args[3] = {Py_None, Py_True, Py_False};
    PyObject *names = PyTuple_New(1);
    PyObject *name = text("k");
    if (f != NULL && keywords != NULL && names != NULL && name != NULL &&
        PyDict_SetItem(keywords, name, Py_None) == 0) {
        PyTuple_SET_ITEM(names, 0, Py_NewRef(name));
        result = PyObject_VectorcallDict(f, args, 3, keywords);
        if (result != NULL) {
            Py_SETREF(result, PyObject_Vectorcall(f, args, 2, names));
        }
    }
    Py_XDECREF(f);
    Py_XDECREF(keywords);
    Py_XDECREF(names);
    Py_XDECREF(name);
    return result;
}

TEST_PY(a_call_survives_any_failing_allocation)
{
    fail_each_allocation(call_with_everything);
}
