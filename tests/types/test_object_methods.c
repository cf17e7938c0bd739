/* SPDX-License-Identifier: MIT */
/* The methods of object, and __class__. */
#include "special.h"

static int
set_class(PyObject *op, void *class)
{
    return PyObject_SetAttrString(op, "__class__", class);
}

TEST_PY(the_class_of_an_instance_can_be_assigned)
{
    PyTypeObject *a = class_with_methods("A", NULL, NULL);
    PyTypeObject *b = class_with_methods("B", NULL, NULL);
    PyObject *op = PyObject_CallNoArgs((PyObject *)a);
    PyObject_SetAttrString(op, "x", Py_True);
    Py_ssize_t of_a = Py_REFCNT(a), of_b = Py_REFCNT(b);
    EXPECT_EQ(set_class(op, b), 0);
    EXPECT_EQ(Py_TYPE(op), b);
    EXPECT_EQ(Py_REFCNT(a), of_a - 1);
    EXPECT_EQ(Py_REFCNT(b), of_b + 1);
    EXPECT_IS(PyObject_GetAttrString(op, "x"), Py_True);
    Py_DECREF(op);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(a_class_that_does_not_fit_is_refused)
{
    PyTypeObject *a = class_with_methods("A", NULL, NULL);
    PyObject *slotted = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){s:(s)}", "S",
                                              "__slots__", "x");
    PyObject *op = PyObject_CallNoArgs((PyObject *)a), *one = number(1);
    EXPECT_EQ(set_class(op, one), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "__class__ must be set to a class, not 'int' object");
    EXPECT_EQ(set_class(op, &PyLong_Type), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__class__ assignment only supported for mutable "
                                        "types or ModuleType subclasses");
    EXPECT_EQ(set_class(one, a), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(set_class(op, slotted), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "__class__ assignment: 'S' object layout differs from 'A'");
    EXPECT_EQ(PyObject_DelAttrString(op, "__class__"), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "can't delete __class__ attribute");
    EXPECT_EQ(Py_TYPE(op), a);
    Py_DECREF(one);
    Py_DECREF(op);
    Py_DECREF(slotted);
    Py_DECREF(a);
}

TEST_PY(dir_has_the_names_of_instance_and_class)
{
    PyTypeObject *a = class_with_methods("A", NULL, NULL);
    PyObject_SetAttrString((PyObject *)a, "of_class", Py_None);
    PyObject *op = PyObject_CallNoArgs((PyObject *)a);
    PyObject_SetAttrString(op, "of_instance", Py_None);
    PyObject *names = PyObject_Dir(op);
    PyObject *wanted[] = {text("of_class"), text("of_instance"), text("__repr__")};
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(PySequence_Contains(names, wanted[i]), 1);
        Py_DECREF(wanted[i]);
    }
    Py_DECREF(names);
    Py_DECREF(op);
    Py_DECREF(a);
}

TEST_PY(format_sizeof_and_the_hooks_have_defaults)
{
    PyTypeObject *a = class_with_methods("A", NULL, NULL);
    PyObject *op = PyObject_CallNoArgs((PyObject *)a), *spec = text("x"),
             *none = text("");
    EXPECT_NULL(CALL(op, "__format__", spec));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unsupported format string passed to A.__format__");
    EXPECT_NULL(CALL(op, "__format__", Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "__format__() argument must be str, not NoneType");
    PyObject *formatted = CALL(op, "__format__", none), *str = PyObject_Str(op);
    EXPECT_EQ(PyUnicode_Compare(formatted, str), 0);
    EXPECT_INT(CALL(op, "__sizeof__"), sizeof(PyObject));
    EXPECT_IS(CALL(a, "__subclasshook__", op), Py_NotImplemented);
    EXPECT_IS(CALL(a, "__init_subclass__"), Py_None);
    EXPECT_NULL(CALL(&PyBaseObject_Type, "__init_subclass__", op));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "object.__init_subclass__() takes no arguments (1 given)");
    Py_DECREF(formatted);
    Py_DECREF(str);
    Py_DECREF(spec);
    Py_DECREF(none);
    Py_DECREF(op);
    Py_DECREF(a);
}

TEST_PY(an_object_with_c_fields_cannot_be_pickled)
{
    PyObject *cell = PyCell_New(NULL), *two = number(2);
    EXPECT_NULL(CALL(cell, "__reduce__"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "cannot pickle 'cell' object");
    EXPECT_NULL(CALL(cell, "__reduce_ex__", two));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "cannot pickle 'cell' object");
    EXPECT_NULL(CALL(cell, "__getstate__"));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(CALL(cell, "__reduce_ex__", cell));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(cell);
    PyTypeObject *type = class_with_methods("A", NULL, NULL);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    EXPECT_IS(CALL(op, "__getstate__"), Py_None);
    PyObject_SetAttrString(op, "x", two);
    EXPECT_REPR_OF(CALL(op, "__getstate__"), "{'x': 2}");
    Py_DECREF(op);
    Py_DECREF(type);
    Py_DECREF(two);
}

TEST_PY(the_size_of_an_object_is_that_of_its_type_and_its_items)
{
    PyObject *bytes = PyBytes_FromString("abc"), *tuple = PyTuple_Pack(2, Py_None, bytes);
    EXPECT_INT(CALL(bytes, "__sizeof__"), PyBytes_Type.tp_basicsize + 3);
    EXPECT_INT(CALL(tuple, "__sizeof__"),
               PyTuple_Type.tp_basicsize + 2 * (Py_ssize_t)sizeof(PyObject *));
    Py_DECREF(tuple);
    Py_DECREF(bytes);
}
