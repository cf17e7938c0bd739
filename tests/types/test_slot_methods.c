/* SPDX-License-Identifier: MIT */
/* The special methods that a type gets for the slots it fills. */
#include "special.h"

#include "../../src/types/slot_methods.h"

/* A type from a spec with these slots. */
static PyTypeObject *
type_with_slots(PyType_Slot *slots, PyTypeObject *base)
{
    PyType_Spec spec = {"test.Slotted", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        slots};
    return (PyTypeObject *)PyType_FromSpecWithBases(&spec, (PyObject *)base);
}

static PyObject *
as_number(PyObject *Py_UNUSED(self))
{
    return PyLong_FromLong(7);
}

static PyObject *
pair(PyObject *a, PyObject *b)
{
    return PyTuple_Pack(2, a, b);
}

static Py_ssize_t
length_of_three(PyObject *Py_UNUSED(self))
{
    return 3;
}

TEST_PY(a_slot_that_a_type_fills_is_in_its_dict)
{
    PyTypeObject *type = type_with_slots((PyType_Slot[]){{Py_nb_int, as_number},
                                                         {Py_nb_add, pair},
                                                         {Py_sq_length, length_of_three},
                                                         {0, NULL}},
                                         NULL);
    REQUIRE_NOT_NULL(type);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    EXPECT_INT(CALL(op, "__int__"), 7);
    EXPECT_INT(CALL(op, "__len__"), 3);
    PyObject *sum = CALL(op, "__add__", Py_None);
    EXPECT_EQ(PyTuple_GetItem(sum, 0), op);
    Py_DECREF(sum);
    sum = CALL(op, "__radd__", Py_None);
    EXPECT_EQ(PyTuple_GetItem(sum, 1), op);
    Py_DECREF(sum);
    EXPECT_NULL(own_attribute(type, "__sub__"));
    EXPECT_NULL(own_attribute(type, "__repr__")); /* the base has it */
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(what_is_inherited_is_found_in_the_base)
{
    PyTypeObject *base =
        type_with_slots((PyType_Slot[]){{Py_nb_int, as_number}, {0, NULL}}, NULL);
    PyTypeObject *type = type_with_slots((PyType_Slot[]){{0, NULL}}, base);
    EXPECT_NULL(own_attribute(type, "__int__"));
    PyObject *inherited = PyObject_GetAttrString((PyObject *)type, "__int__");
    EXPECT_EQ(PyDescr_TYPE(inherited), base);
    Py_XDECREF(inherited);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(a_type_without_hash_has_None_for_it)
{
    PyTypeObject *type = type_with_slots(
        (PyType_Slot[]){{Py_tp_hash, PyObject_HashNotImplemented}, {0, NULL}}, NULL);
    EXPECT_EQ(own_attribute(type, "__hash__"), Py_None);
    EXPECT_EQ(own_attribute(&PyList_Type, "__hash__"), Py_None);
    Py_DECREF(type);
}

static PyObject *
method_length(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromLong(99);
}

TEST_PY(a_method_replaces_a_slot_wrapper_when_it_says_so)
{
    static PyMethodDef quiet[] = {{"__len__", method_length, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
    static PyMethodDef coexisting[] = {
        {"__len__", method_length, METH_NOARGS | METH_COEXIST, NULL},
        {NULL, NULL, 0, NULL}};
    PyMethodDef *tables[] = {quiet, coexisting};
    for (int i = 0; i < 2; i++) {
        PyTypeObject *type = type_with_slots(
            (PyType_Slot[]){
                {Py_mp_length, length_of_three}, {Py_tp_methods, tables[i]}, {0, NULL}},
            NULL);
        PyObject *op = PyObject_CallNoArgs((PyObject *)type);
        EXPECT_INT(CALL(op, "__len__"), i == 0 ? 3 : 99);
        EXPECT_EQ(PyObject_Size(op), 3);
        Py_DECREF(op);
        Py_DECREF(type);
    }
}

TEST_PY(slots_of_built_in_types_are_methods)
{
    PyObject *list = PyList_New(0), *zero = number(0), *two = number(2);
    EXPECT_IS(CALL(list, "__setitem__", zero, two), NULL);
    EXPECT_RAISED(PyExc_IndexError);
    PyList_Append(list, two);
    EXPECT_IS(CALL(list, "__setitem__", zero, zero), Py_None);
    EXPECT_INT(CALL(list, "__getitem__", zero), 0);
    EXPECT_IS(CALL(list, "__contains__", two), Py_False);
    EXPECT_IS(CALL(list, "__delitem__", zero), Py_None);
    EXPECT_INT(CALL(list, "__len__"), 0);
    EXPECT_IS(CALL(list, "__eq__", list), Py_True);
    EXPECT_INT(CALL(two, "__pow__", two), 4);
    EXPECT_INT(CALL(two, "__rpow__", two), 4);
    EXPECT_INT(CALL(two, "__hash__"), 2);
    EXPECT_IS(CALL(two, "__bool__"), Py_True);
    EXPECT_REPR_OF(CALL(two, "__repr__"), "'2'");
    PyObject *iterator = CALL(list, "__iter__");
    EXPECT_NULL(CALL(iterator, "__next__"));
    EXPECT_RAISED_TEXT(PyExc_StopIteration, "");
    Py_DECREF(iterator);
    Py_DECREF(list);
    Py_DECREF(zero);
    Py_DECREF(two);
}

TEST_PY(every_name_is_interned_and_every_row_belongs_to_a_slot)
{
    for (int i = 0; i < SPECIAL_COUNT; i++) {
        EXPECT(_Py_IsImmortal(ouro_special_names[i]));
    }
    EXPECT_STR(PyUnicode_AsUTF8(OURO_SPECIAL(rtruediv)), "__rtruediv__");
    EXPECT_STR(PyUnicode_AsUTF8(ouro_special_names[SPECIAL_lt + Py_GE]), "__ge__");
    for (struct wrapperbase *row = ouro_slot_methods; row->name != NULL; row++) {
        EXPECT_STR(PyUnicode_AsUTF8(row->name_strobj), row->name);
        struct wrapperbase *other = row + 1;
        while (other->offset == row->offset) {
            other++;
        }
        for (; other->name != NULL; other++) { /* rows of one slot are together */
            EXPECT_NE(other->offset, row->offset);
        }
    }
}

/* --- __new__ ------------------------------------------------------------------------------ */

TEST_PY(tp_new_is_a_function_that_takes_the_type)
{
    PyObject *function = own_attribute(&PyList_Type, "__new__");
    REQUIRE(function != NULL && PyCFunction_Check(function));
    EXPECT_EQ(ouro_type_of_new_method(function), &PyList_Type);
    EXPECT_NULL(ouro_type_of_new_method(Py_None));
    EXPECT_REPR_OF(CALL(&PyList_Type, "__new__", &PyList_Type), "[]");
}

TEST_PY(new_makes_only_what_its_type_can_make)
{
    PyObject *one = number(1);
    EXPECT_NULL(CALL(&PyBaseObject_Type, "__new__"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "object.__new__(): not enough arguments");
    EXPECT_NULL(CALL(&PyBaseObject_Type, "__new__", one));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "object.__new__(X): X is not a type object (int)");
    EXPECT_NULL(CALL(&PyLong_Type, "__new__", &PyUnicode_Type));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "int.__new__(str): str is not a subtype of int");
    EXPECT_NULL(CALL(&PyBaseObject_Type, "__new__", &PyLong_Type));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "object.__new__(int) is not safe, use int.__new__()");
    Py_DECREF(one);
}

/* list.__new__(cls), or object's. */
static PyObject *
new_by_list(PyObject *self, PyObject *cls)
{
    (void)self;
    return CALL(&PyList_Type, "__new__", cls);
}

static PyObject *
new_by_object(PyObject *self, PyObject *cls)
{
    (void)self;
    return CALL(&PyBaseObject_Type, "__new__", cls);
}

static PyTypeObject *
class_with_new(const char *name, PyTypeObject *base, PyMethodDef *method)
{
    PyTypeObject *type = class_with_methods(name, base, NULL);
    PyObject *function = PyCFunction_New(method, NULL);
    PyObject *wrapped = PyStaticMethod_New(function);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__new__", wrapped), 0);
    Py_DECREF(wrapped);
    Py_DECREF(function);
    return type;
}

TEST_PY(the_new_of_a_class_hands_on_to_that_of_the_type_in_C_below_it)
{
    static PyMethodDef by_list = {"__new__", new_by_list, METH_O, NULL};
    static PyMethodDef by_object = {"__new__", new_by_object, METH_O, NULL};
    PyTypeObject *first = class_with_new("First", &PyList_Type, &by_list);
    PyTypeObject *second = class_with_new("Second", first, &by_list);
    PyTypeObject *third = class_with_new("Third", second, &by_object);
    PyObject *op = PyObject_CallNoArgs((PyObject *)second);
    EXPECT(op != NULL && Py_IS_TYPE(op, second));
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)third));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "object.__new__(Third) is not safe, use list.__new__()");
    Py_XDECREF(op);
    Py_DECREF(third);
    Py_DECREF(second);
    Py_DECREF(first);
}

TEST_PY(a_type_that_cannot_be_instantiated_has_no_new_of_its_own)
{
    EXPECT_NULL(own_attribute(&PyWrapperDescr_Type, "__new__"));
}

/* --- shapes ----------------------------------------------------------------------------------- */

TEST_PY(a_wrong_number_of_arguments_is_counted)
{
    PyObject *one = number(1), *list = PyList_New(0);
    EXPECT_NULL(CALL(one, "__add__"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected 1 argument, got 0");
    EXPECT_NULL(CALL(one, "__add__", one, one));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected 1 argument, got 2");
    EXPECT_NULL(CALL(one, "__neg__", one));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected 0 arguments, got 1");
    EXPECT_NULL(CALL(one, "__pow__"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected at least 1 argument, got 0");
    EXPECT_NULL(CALL(one, "__pow__", one, one, one));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected at most 2 arguments, got 3");
    EXPECT_NULL(CALL(list, "__setitem__", one));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected 2 arguments, got 1");
    EXPECT_NULL(CALL(one, "__lt__"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected 1 argument, got 0");
    Py_DECREF(one);
    Py_DECREF(list);
}

TEST_PY(an_attribute_slot_in_between_is_not_gone_around)
{
    PyObject *name = text("x");
    PyObject *method =
        PyObject_GetAttrString((PyObject *)&PyBaseObject_Type, "__setattr__");
    EXPECT_NULL(PyObject_CallFunctionObjArgs(method, &PyLong_Type, name, Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "can't apply this __setattr__ to type object");
    Py_DECREF(method);
    method = PyObject_GetAttrString((PyObject *)&PyBaseObject_Type, "__delattr__");
    EXPECT_NULL(PyObject_CallFunctionObjArgs(method, &PyLong_Type, name, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "can't apply this __delattr__ to type object");
    Py_DECREF(method);
    Py_DECREF(name);
}

TEST_PY(get_wants_an_object_or_a_type)
{
    PyObject *descr = own_attribute(&PyList_Type, "append");
    EXPECT_NULL(CALL(descr, "__get__", Py_None, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__get__(None, None) is invalid");
    EXPECT_IS(CALL(descr, "__get__", Py_None, &PyList_Type), descr);
}

static PyObject *
item_at(PyObject *Py_UNUSED(self), Py_ssize_t index)
{
    return PyLong_FromSsize_t(index);
}

TEST_PY(only_a_negative_index_counts_from_the_end_of_a_sequence)
{
    PyTypeObject *type = type_with_slots((PyType_Slot[]){{Py_sq_item, item_at},
                                                         {Py_sq_length, length_of_three},
                                                         {Py_sq_repeat, item_at},
                                                         {0, NULL}},
                                         NULL);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    PyObject *last = number(-1), *first = number(0);
    EXPECT_INT(CALL(op, "__getitem__", last), 2);
    EXPECT_INT(CALL(op, "__getitem__", first), 0);
    EXPECT_INT(CALL(op, "__mul__", last), -1);
    EXPECT_INT(CALL(op, "__rmul__", last), -1);
    Py_DECREF(first);
    Py_DECREF(last);
    Py_DECREF(op);
    Py_DECREF(type);
}

static Py_ssize_t
length_of_nothing(PyObject *Py_UNUSED(self))
{
    return 0;
}

TEST_PY(a_negative_index_of_an_empty_sequence_stays_negative)
{
    PyTypeObject *type = type_with_slots(
        (PyType_Slot[]){
            {Py_sq_item, item_at}, {Py_sq_length, length_of_nothing}, {0, NULL}},
        NULL);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type), *last = number(-1);
    EXPECT_INT(CALL(op, "__getitem__", last), -1);
    Py_DECREF(last);
    Py_DECREF(op);
    Py_DECREF(type);
}

static PyObject *
make_slotted_type(void)
{
    return (PyObject *)type_with_slots((PyType_Slot[]){{Py_nb_int, as_number},
                                                       {Py_nb_add, pair},
                                                       {Py_tp_new, PyType_GenericNew},
                                                       {Py_sq_length, length_of_three},
                                                       {0, NULL}},
                                       NULL);
}

TEST_PY(a_type_with_slot_wrappers_leaves_nothing_behind)
{
    repeat_without_leak(make_slotted_type);
    fail_each_allocation(make_slotted_type);
}

TEST_PY(setitem_takes_the_key_first)
{
    PyObject *dict = PyDict_New(), *key = text("k"), *value = text("v");
    EXPECT_IS(CALL(dict, "__setitem__", key, value), Py_None);
    EXPECT_EQ(PyDict_GetItem(dict, key), value);
    EXPECT_EQ(PyDict_Size(dict), 1);
    Py_DECREF(value);
    Py_DECREF(key);
    Py_DECREF(dict);
}
