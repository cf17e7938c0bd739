/* SPDX-License-Identifier: MIT */
/* Operators of classes. */
#include "special.h"

/* Each method returns its name and what it was called with: ('__add__', self, other). */
#define OPERATOR(name)                                                                   \
    static PyObject *do_##name(PyObject *self, PyObject *other)                          \
    {                                                                                    \
        PyObject *label = text("__" #name "__");                                         \
        PyObject *result = PyTuple_Pack(3, label, self, other == NULL ? self : other);   \
        Py_DECREF(label);                                                                \
        return result;                                                                   \
    }
OPERATOR(add)
OPERATOR(radd)
OPERATOR(iadd)
OPERATOR(neg)

static PyObject *
not_implemented(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(other))
{
    Py_RETURN_NOTIMPLEMENTED;
}

/* `result` came from the method `name`, called on `self` with `other`; it is taken. */
#define EXPECT_FROM(result, name, self, other)                                           \
    do {                                                                                 \
        PyObject *from_ = (result);                                                      \
        REQUIRE(from_ != NULL && PyTuple_Check(from_));                                  \
        EXPECT_STR(PyUnicode_AsUTF8(PyTuple_GET_ITEM(from_, 0)), name);                  \
        EXPECT_EQ(PyTuple_GET_ITEM(from_, 1), self);                                     \
        EXPECT_EQ(PyTuple_GET_ITEM(from_, 2), other);                                    \
        Py_DECREF(from_);                                                                \
    } while (0)

static PyMethodDef both[] = {{"__add__", do_add, METH_O, NULL},
                             {"__radd__", do_radd, METH_O, NULL},
                             {"__iadd__", do_iadd, METH_O, NULL},
                             {"__neg__", do_neg, METH_NOARGS, NULL},
                             {NULL, NULL, 0, NULL}};
static PyMethodDef only_reflected[] = {{"__add__", not_implemented, METH_O, NULL},
                                       {"__radd__", do_radd, METH_O, NULL},
                                       {NULL, NULL, 0, NULL}};

static PyObject *
instance_of(PyTypeObject *type)
{
    return PyObject_CallNoArgs((PyObject *)type);
}

TEST_PY(the_left_operand_answers_first)
{
    PyTypeObject *type = class_with_methods("C", NULL, both);
    PyObject *a = instance_of(type), *b = instance_of(type), *one = number(1);
    EXPECT_FROM(PyNumber_Add(a, b), "__add__", a, b);
    EXPECT_FROM(PyNumber_Add(a, one), "__add__", a, one);
    EXPECT_FROM(PyNumber_Add(one, a), "__radd__", a, one);
    EXPECT_FROM(PyNumber_InPlaceAdd(a, one), "__iadd__", a, one);
    EXPECT_FROM(PyNumber_Negative(a), "__neg__", a, a);
    EXPECT_NULL(PyNumber_Subtract(a, one));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unsupported operand type(s) for -: 'C' and 'int'");
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(one);
    Py_DECREF(type);
}

TEST_PY(a_subclass_that_overrides_the_reflected_method_answers_first)
{
    PyTypeObject *base = class_with_methods("B", NULL, both);
    PyTypeObject *plain = class_with_methods("P", base, NULL);
    PyTypeObject *overriding = class_with_methods("O", base, only_reflected);
    PyObject *a = instance_of(base), *p = instance_of(plain),
             *o = instance_of(overriding);
    EXPECT_FROM(PyNumber_Add(a, p), "__add__", a, p);
    EXPECT_FROM(PyNumber_Add(a, o), "__radd__", o, a);
    Py_DECREF(a);
    Py_DECREF(p);
    Py_DECREF(o);
    Py_DECREF(overriding);
    Py_DECREF(plain);
    Py_DECREF(base);
}

TEST_PY(operands_of_one_type_are_not_asked_for_the_reflected_method)
{
    PyTypeObject *type = class_with_methods("C", NULL, only_reflected);
    PyObject *a = instance_of(type), *b = instance_of(type);
    EXPECT_NULL(PyNumber_Add(a, b));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unsupported operand type(s) for +: 'C' and 'C'");
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(type);
}

TEST_PY(a_subclass_of_int_can_override_an_operator)
{
    PyTypeObject *type = class_with_methods("I", &PyLong_Type, only_reflected);
    PyObject *five = number(5);
    PyObject *mine = PyObject_CallOneArg((PyObject *)type, five);
    EXPECT_FROM(PyNumber_Add(five, mine), "__radd__", mine, five);
    EXPECT_INT(PyNumber_Multiply(five, mine), 25); /* the function of int */
    EXPECT_EQ(type->tp_as_number->nb_multiply, PyLong_Type.tp_as_number->nb_multiply);
    EXPECT_NE(type->tp_as_number->nb_add, PyLong_Type.tp_as_number->nb_add);
    Py_DECREF(five);
    Py_DECREF(mine);
    Py_DECREF(type);
}

TEST_PY(a_subclass_of_list_keeps_and_overrides_concatenation)
{
    PyTypeObject *type = class_with_methods("L", &PyList_Type, NULL);
    PyObject *mine = instance_of(type), *list = PyList_New(0);
    EXPECT_REPR_OF(PyNumber_Add(mine, list), "[]");
    EXPECT_EQ(type->tp_as_sequence->sq_concat, PyList_Type.tp_as_sequence->sq_concat);
    EXPECT_NULL(type->tp_as_number->nb_add);
    EXPECT_EQ(set_method(type, &both[0]), 0);
    EXPECT_FROM(PyNumber_Add(mine, list), "__add__", mine, list);
    EXPECT_NULL(type->tp_as_sequence->sq_concat);
    EXPECT_EQ(PyObject_DelAttrString((PyObject *)type, "__add__"), 0);
    EXPECT_REPR_OF(PyNumber_Add(mine, list), "[]");
    Py_DECREF(mine);
    Py_DECREF(list);
    Py_DECREF(type);
}

static PyObject *
count_arguments(PyObject *Py_UNUSED(self), PyObject *args)
{
    return PyLong_FromSsize_t(PyTuple_GET_SIZE(args));
}

TEST_PY(pow_passes_the_modulus_on)
{
    static PyMethodDef methods[] = {{"__pow__", count_arguments, METH_VARARGS, NULL},
                                    {"__rpow__", count_arguments, METH_VARARGS, NULL},
                                    {"__ipow__", count_arguments, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("C", NULL, methods);
    PyObject *op = instance_of(type), *one = number(1);
    EXPECT_INT(PyNumber_Power(op, one, Py_None), 1);
    EXPECT_INT(PyNumber_Power(op, one, one), 2);
    EXPECT_INT(PyNumber_Power(one, op, Py_None), 1);
    EXPECT_INT(PyNumber_Power(one, op, one), 2);
    EXPECT_INT(PyNumber_InPlacePower(op, one, Py_None), 1);
    Py_DECREF(op);
    Py_DECREF(one);
    Py_DECREF(type);
}

/* --- truth and conversions ---------------------------------------------------------------- */

static PyObject *answer;

static PyObject *
give_number(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return Py_XNewRef(answer);
}

TEST_PY(bool_must_be_a_bool_and_len_stands_in_for_it)
{
    static PyMethodDef methods[] = {{"__bool__", give_number, METH_NOARGS, NULL},
                                    {"__len__", give_number, METH_NOARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("C", NULL, methods);
    PyObject *op = instance_of(type);
    answer = Py_False;
    EXPECT_EQ(PyObject_IsTrue(op), 0);
    answer = number(1);
    EXPECT_EQ(PyObject_IsTrue(op), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__bool__ should return bool, returned int");
    EXPECT_EQ(type->tp_as_number->nb_bool(op), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyObject_DelAttrString((PyObject *)type, "__bool__"), 0);
    EXPECT_EQ(PyObject_IsTrue(op), 1);
    Py_SETREF(answer, number(0));
    EXPECT_EQ(PyObject_IsTrue(op), 0);
    EXPECT_EQ(PyObject_DelAttrString((PyObject *)type, "__len__"), 0);
    EXPECT_EQ(PyObject_IsTrue(op), 1);
    Py_CLEAR(answer);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(conversions_call_the_method_and_check_its_result)
{
    static PyMethodDef methods[] = {{"__int__", give_number, METH_NOARGS, NULL},
                                    {"__float__", give_number, METH_NOARGS, NULL},
                                    {"__index__", give_number, METH_NOARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("C", NULL, methods);
    PyObject *op = instance_of(type);
    answer = number(12);
    EXPECT_INT(PyNumber_Long(op), 12);
    EXPECT_INT(PyNumber_Index(op), 12);
    EXPECT_EQ(PyNumber_AsSsize_t(op, NULL), 12);
    Py_SETREF(answer, text("x"));
    EXPECT_NULL(PyNumber_Long(op));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__int__ returned non-int (type str)");
    EXPECT_NULL(PyNumber_Index(op));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__index__ returned non-int (type str)");
    EXPECT_NULL(PyNumber_Float(op));
    EXPECT_RAISED(PyExc_TypeError);
    Py_CLEAR(answer);
    Py_DECREF(op);
    Py_DECREF(type);
}
