/* SPDX-License-Identifier: MIT */
/* The methods of type. */
#include "special.h"

TEST_PY(a_type_lists_its_mro_and_its_subclasses)
{
    PyTypeObject *a = class_with_methods("A", NULL, NULL);
    PyTypeObject *b = class_with_methods("B", a, NULL);
    PyObject *mro = CALL(b, "mro");
    REQUIRE(mro != NULL && PyList_Check(mro));
    EXPECT_EQ(PyList_GET_SIZE(mro), 3);
    EXPECT_EQ(PyList_GET_ITEM(mro, 0), b);
    EXPECT_EQ(PyList_GET_ITEM(mro, 2), &PyBaseObject_Type);
    Py_DECREF(mro);
    PyObject *subclasses = CALL(a, "__subclasses__");
    EXPECT_EQ(PyList_Size(subclasses), 1);
    EXPECT_EQ(PyList_GetItem(subclasses, 0), b);
    Py_XDECREF(subclasses);
    EXPECT_NULL(CALL(&PyType_Type, "mro"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unbound method type.mro() needs an argument");
    Py_DECREF(b);
    Py_DECREF(a);
}

TEST_PY(prepare_gives_an_empty_dict_whatever_the_arguments)
{
    EXPECT_REPR_OF(CALL(&PyType_Type, "__prepare__"), "{}");
    EXPECT_REPR_OF(CALL(&PyType_Type, "__prepare__", Py_None, Py_None), "{}");
}

static PyObject *
yes(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(other))
{
    Py_RETURN_TRUE;
}

TEST_PY(a_metaclass_answers_for_its_classes)
{
    static PyMethodDef methods[] = {{"__instancecheck__", yes, METH_O, NULL},
                                    {"__subclasscheck__", yes, METH_O, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *plain = class_with_methods("Plain", &PyType_Type, NULL);
    PyTypeObject *meta = class_with_methods("Meta", &PyType_Type, methods);
    PyObject *ordinary = PyObject_CallFunction((PyObject *)plain, "s(){}", "O");
    PyObject *any = PyObject_CallFunction((PyObject *)meta, "s(){}", "Any");
    PyObject *one = number(1);
    REQUIRE(any != NULL && ordinary != NULL);
    EXPECT_EQ(PyObject_IsInstance(one, any), 1);
    EXPECT_EQ(PyObject_IsSubclass((PyObject *)&PyLong_Type, any), 1);
    EXPECT_EQ(PyObject_IsInstance(one, ordinary), 0); /* type.__instancecheck__ */
    EXPECT_EQ(PyObject_IsSubclass((PyObject *)&PyLong_Type, ordinary), 0);
    EXPECT_IS(CALL(&PyLong_Type, "__instancecheck__", one), Py_True);
    EXPECT_IS(CALL(&PyLong_Type, "__subclasscheck__", &PyBool_Type), Py_True);
    EXPECT_NULL(CALL(&PyLong_Type, "__subclasscheck__", one));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "issubclass() arg 1 must be a class");
    Py_DECREF(one);
    Py_DECREF(any);
    Py_DECREF(ordinary);
    Py_DECREF(meta);
    Py_DECREF(plain);
}

TEST_PY(the_names_of_a_type_are_those_along_its_mro)
{
    PyObject *names = PyObject_Dir((PyObject *)&PyBool_Type);
    PyObject *add = text("__add__"), *mro = text("mro");
    EXPECT_EQ(PySequence_Contains(names, add), 1);
    EXPECT_EQ(PySequence_Contains(names, mro), 0); /* of the metatype */
    Py_DECREF(add);
    Py_DECREF(mro);
    Py_DECREF(names);
    EXPECT_INT(CALL(&PyType_Type, "__sizeof__", &PyLong_Type), sizeof(PyTypeObject));
}

TEST_PY(type_says_what_is_wrong_with_its_arguments)
{
    PyTypeObject *a = class_with_methods("A", NULL, NULL);
    PyObject *init = PyObject_GetAttrString((PyObject *)&PyType_Type, "__init__");
    EXPECT_NULL(PyObject_CallOneArg(init, (PyObject *)a));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "type.__init__() takes 1 or 3 arguments");
    EXPECT_NULL(PyObject_CallFunctionObjArgs((PyObject *)&PyType_Type, a, a, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "type() takes 1 or 3 arguments");
    Py_DECREF(init);
    Py_DECREF(a);
}

TEST_PY(a_class_is_abstract_while_it_lists_methods)
{
    PyTypeObject *type = class_with_methods("A", NULL, NULL);
    PyObject *self = (PyObject *)type;
    EXPECT_NULL(PyObject_GetAttrString(self, "__abstractmethods__"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "__abstractmethods__");
    PyObject *names = Py_BuildValue("[ss]", "g", "f");
    EXPECT_EQ(PyObject_SetAttrString(self, "__abstractmethods__", names), 0);
    EXPECT_NULL(PyObject_CallNoArgs(self));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "Can't instantiate abstract class A without an implementation for "
                       "abstract methods 'f', 'g'");
    Py_SETREF(names, Py_BuildValue("[s]", "f"));
    EXPECT_EQ(PyObject_SetAttrString(self, "__abstractmethods__", names), 0);
    EXPECT_NULL(PyObject_CallNoArgs(self));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "Can't instantiate abstract class A without an implementation for "
                       "abstract method 'f'");
    EXPECT_EQ(PyObject_DelAttrString(self, "__abstractmethods__"), 0);
    PyObject *op = PyObject_CallNoArgs(self);
    EXPECT_NOT_NULL(op);
    Py_XDECREF(op);
    Py_DECREF(names);
    Py_DECREF(type);
}
