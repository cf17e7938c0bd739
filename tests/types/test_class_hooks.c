/* SPDX-License-Identifier: MIT */
/* Which hooks are called for a new class. */
#include "special.h"

static PyObject *seen;
static int fails;

static PyObject *
note_arguments(PyObject *Py_UNUSED(self), PyObject *args, PyObject *kwargs)
{
    if (fails) {
        PyErr_SetString(PyExc_ValueError, "hey");
        return NULL;
    }
    Py_XSETREF(seen, PyTuple_Pack(2, args, kwargs == NULL ? Py_None : kwargs));
    Py_RETURN_NONE;
}

#define NOTE(name)                                                                       \
    {                                                                                    \
        name, _PyCFunction_CAST(note_arguments), METH_VARARGS | METH_KEYWORDS, NULL      \
    }

static PyMethodDef naming[] = {NOTE("__set_name__"), {NULL, NULL, 0, NULL}};
static PyMethodDef subclassing = NOTE("__init_subclass__");

TEST_PY(values_learn_their_name_and_class)
{
    PyTypeObject *type = class_with_methods("S", NULL, naming);
    PyObject *value = PyObject_CallNoArgs((PyObject *)type);
    PyObject *class =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(){s:O}", "Q", "y", value);
    REQUIRE_NOT_NULL(class);
    PyObject *args = PyTuple_GET_ITEM(seen, 0);
    EXPECT_EQ(PyTuple_GET_ITEM(args, 0), class);
    EXPECT_STR(PyUnicode_AsUTF8(PyTuple_GET_ITEM(args, 1)), "y");
    Py_CLEAR(seen);
    Py_DECREF(class);
    fails = 1;
    EXPECT_NULL(
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(){s:O}", "Q", "y", value));
    PyObject *error = PyErr_GetRaisedException();
    EXPECT(PyErr_GivenExceptionMatches(error, PyExc_ValueError));
    EXPECT_REPR_OF(PyObject_GetAttrString(error, "__notes__"),
                   "[\"Error calling __set_name__ on 'S' instance 'y' in 'Q'\"]");
    Py_DECREF(error);
    Py_DECREF(value);
    Py_DECREF(type);
}

/* A class whose __init_subclass__ notes its arguments. */
static PyTypeObject *
noting_base(void)
{
    PyTypeObject *base = class_with_methods("B", NULL, NULL);
    PyObject *function = PyCFunction_New(&subclassing, NULL);
    PyObject *method = PyClassMethod_New(function);
    PyObject_SetAttrString((PyObject *)base, "__init_subclass__", method);
    Py_DECREF(method);
    Py_DECREF(function);
    return base;
}

/* type("D", (base,), {}, flag=True) */
static PyObject *
derive_with_keyword(void *base)
{
    PyObject *args = Py_BuildValue("s(O){}", "D", base);
    PyObject *kwargs = Py_BuildValue("{s:O}", "flag", Py_True);
    PyObject *class = PyObject_Call((PyObject *)&PyType_Type, args, kwargs);
    Py_DECREF(args);
    Py_DECREF(kwargs);
    return class;
}

TEST_PY(a_base_is_told_about_its_subclass_and_gets_the_keywords)
{
    PyTypeObject *base = noting_base();
    PyObject *class = derive_with_keyword(base);
    REQUIRE_NOT_NULL(class);
    EXPECT_EQ(PyTuple_GET_ITEM(PyTuple_GET_ITEM(seen, 0), 0), class);
    EXPECT_REPR_OF(Py_NewRef(PyTuple_GET_ITEM(seen, 1)), "{'flag': True}");
    Py_CLEAR(seen);
    Py_DECREF(class);
    fails = 1;
    EXPECT_NULL(derive_with_keyword(base));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "hey");
    Py_DECREF(base);
    EXPECT_NULL(derive_with_keyword(&PyBaseObject_Type));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "D.__init_subclass__() takes no keyword arguments");
}

static PyObject *
derive_from_a_noting_base(void)
{
    PyTypeObject *base = noting_base();
    PyObject *class = base == NULL ? NULL : derive_with_keyword(base);
    Py_CLEAR(seen);
    Py_XDECREF(base);
    return class;
}

TEST_PY(telling_leaves_nothing_behind)
{
    repeat_without_leak(derive_from_a_noting_base);
}
