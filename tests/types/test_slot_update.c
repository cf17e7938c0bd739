/* SPDX-License-Identifier: MIT */
/* Which function a slot of a class holds, and when that changes. */
#include "special.h"

#include "../../src/types/slot_dispatch.h"

static PyObject *
say_hello(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return text("hello");
}

static PyMethodDef repr_method = {"__repr__", say_hello, METH_NOARGS, NULL};

TEST_PY(a_class_without_methods_has_the_functions_of_its_base)
{
    PyTypeObject *type = class_with_methods("C", &PyLong_Type, NULL);
    EXPECT_EQ(type->tp_repr, PyLong_Type.tp_repr);
    EXPECT_EQ(type->tp_hash, PyLong_Type.tp_hash);
    EXPECT_EQ(type->tp_richcompare, PyLong_Type.tp_richcompare);
    EXPECT_EQ(type->tp_new, PyLong_Type.tp_new);
    EXPECT_EQ(type->tp_getattro, PyObject_GenericGetAttr);
    EXPECT_EQ(type->tp_as_number->nb_add, PyLong_Type.tp_as_number->nb_add);
    EXPECT_NULL(type->tp_iter);
    EXPECT_NULL(type->tp_as_mapping->mp_subscript);
    EXPECT_NULL(type->tp_as_async->am_await);
    Py_DECREF(type);
}

TEST_PY(a_sequence_does_not_become_a_mapping_in_a_subclass)
{
    PyTypeObject *type = class_with_methods("T", &PyTuple_Type, NULL);
    EXPECT_EQ(type->tp_as_sequence->sq_item, PyTuple_Type.tp_as_sequence->sq_item);
    EXPECT_EQ(type->tp_as_mapping->mp_subscript,
              PyTuple_Type.tp_as_mapping->mp_subscript);
    EXPECT_EQ(type->tp_as_mapping->mp_length, PyTuple_Type.tp_as_mapping->mp_length);
    Py_DECREF(type);
}

/* A wrapper of the test's own: it need not wrap a function. */
static PyObject *
wrapped_text(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args), void *wrapped)
{
    return text(wrapped);
}

TEST_PY(the_wrapper_of_somebody_else_is_called_and_not_what_it_wraps)
{
    static struct wrapperbase base = {"__repr__", 0, NULL, wrapped_text, NULL, 0, NULL};
    static char words[] = "words";
    PyTypeObject *type = class_with_methods("C", NULL, NULL);
    PyObject *descr = PyDescr_NewWrapper(&PyBaseObject_Type, &base, words);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__repr__", descr), 0);
    EXPECT((const void *)type->tp_repr != words);
    EXPECT_REPR_OF(PyObject_CallNoArgs((PyObject *)type), "words");
    Py_DECREF(descr);
    Py_DECREF(type);
}

TEST_PY(a_method_set_later_reaches_slot_and_subclasses)
{
    PyTypeObject *base = class_with_methods("B", NULL, NULL);
    PyTypeObject *middle = class_with_methods("M", base, NULL);
    PyTypeObject *last = class_with_methods("L", middle, NULL);
    PyObject *op = PyObject_CallNoArgs((PyObject *)last);
    EXPECT_EQ(set_method(base, &repr_method), 0);
    EXPECT_REPR_OF(Py_NewRef(op), "hello");
    EXPECT_EQ(last->tp_repr, ouro_dispatch_repr);
    EXPECT_EQ(PyObject_DelAttrString((PyObject *)base, "__repr__"), 0);
    EXPECT_EQ(last->tp_repr, PyBaseObject_Type.tp_repr);
    Py_DECREF(op);
    Py_DECREF(last);
    Py_DECREF(middle);
    Py_DECREF(base);
}

TEST_PY(a_subclass_with_its_own_method_is_left_alone)
{
    PyTypeObject *base = class_with_methods("B", NULL, NULL);
    PyTypeObject *own = class_with_methods("O", base, NULL);
    PyObject *object_repr =
        PyObject_GetAttrString((PyObject *)&PyBaseObject_Type, "__repr__");
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)own, "__repr__", object_repr), 0);
    EXPECT_EQ(set_method(base, &repr_method), 0);
    EXPECT_EQ(base->tp_repr, ouro_dispatch_repr);
    EXPECT_EQ(own->tp_repr, PyBaseObject_Type.tp_repr);
    Py_DECREF(object_repr);
    Py_DECREF(own);
    Py_DECREF(base);
}

TEST_PY(a_type_from_a_spec_changes_with_its_attributes)
{
    PyType_Spec spec = {"test.T", 0, 0, Py_TPFLAGS_DEFAULT, (PyType_Slot[]){{0, NULL}}};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    EXPECT_EQ(set_method(type, &repr_method), 0);
    EXPECT_REPR_OF(Py_NewRef(op), "hello");
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(a_method_in_the_table_of_a_type_reaches_the_slots_of_subclasses)
{
    static PyMethodDef table[] = {{"__repr__", say_hello, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
    PyType_Spec spec = {"test.T", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        (PyType_Slot[]){{Py_tp_methods, table}, {0, NULL}}};
    PyTypeObject *base = (PyTypeObject *)PyType_FromSpec(&spec);
    PyTypeObject *type = class_with_methods("C", base, NULL);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    EXPECT_REPR_OF(Py_NewRef(op), "hello");
    Py_DECREF(op);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(the_wrapper_of_a_foreign_type_is_dispatched_to_and_refuses)
{
    PyTypeObject *type = class_with_methods("C", NULL, NULL);
    PyObject *foreign = PyObject_GetAttrString((PyObject *)&PyLong_Type, "__repr__");
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__repr__", foreign), 0);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    EXPECT_NULL(PyObject_Repr(op));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "descriptor '__repr__' requires a 'int' object "
                                        "but received a 'C'");
    Py_DECREF(foreign);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(the_wrapper_of_another_slot_is_dispatched_to)
{
    PyTypeObject *type = class_with_methods("I", &PyLong_Type, NULL);
    PyObject *negate = PyObject_GetAttrString((PyObject *)&PyLong_Type, "__neg__");
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__pos__", negate), 0);
    PyObject *seven = number(7);
    PyObject *op = PyObject_CallOneArg((PyObject *)type, seven);
    EXPECT_INT(PyNumber_Positive(op), -7);
    Py_DECREF(seven);
    Py_DECREF(negate);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(None_as_hash_makes_instances_unhashable)
{
    PyTypeObject *type = class_with_methods("C", NULL, NULL);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__hash__", Py_None), 0);
    EXPECT_EQ(type->tp_hash, PyObject_HashNotImplemented);
    Py_DECREF(type);
}

static PyObject *
vectorcalled(PyObject *Py_UNUSED(self), PyObject *const *Py_UNUSED(args),
             size_t Py_UNUSED(nargsf), PyObject *Py_UNUSED(kwnames))
{
    return text("vectorcall");
}

struct callable {
    PyObject_HEAD
    vectorcallfunc vectorcall;
};

static PyObject *
new_callable(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    struct callable *op = (struct callable *)type->tp_alloc(type, 0);
    op->vectorcall = vectorcalled;
    return (PyObject *)op;
}

TEST_PY(call_replaces_an_inherited_vectorcall)
{
    static PyMethodDef methods[] = {{"__call__", say_hello, METH_NOARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    static PyMemberDef members[] = {{"__vectorcalloffset__", Py_T_PYSSIZET,
                                     offsetof(struct callable, vectorcall), Py_READONLY,
                                     NULL},
                                    {NULL, 0, 0, 0, NULL}};
    PyType_Spec spec = {"test.V", sizeof(struct callable), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                            Py_TPFLAGS_HAVE_VECTORCALL,
                        (PyType_Slot[]){{Py_tp_new, new_callable},
                                        {Py_tp_call, PyVectorcall_Call},
                                        {Py_tp_members, members},
                                        {0, NULL}}};
    PyTypeObject *base = (PyTypeObject *)PyType_FromSpec(&spec);
    PyTypeObject *same = class_with_methods("S", base, NULL);
    PyTypeObject *other = class_with_methods("O", base, methods);
    PyObject *op = PyObject_CallNoArgs((PyObject *)same);
    EXPECT_REPR_OF(PyObject_CallNoArgs(op), "'vectorcall'");
    Py_DECREF(op);
    op = PyObject_CallNoArgs((PyObject *)other);
    EXPECT_REPR_OF(PyObject_CallNoArgs(op), "'hello'");
    Py_DECREF(op);
    Py_DECREF(other);
    Py_DECREF(same);
    Py_DECREF(base);
}

static PyObject *
old_getattr(PyObject *Py_UNUSED(self), char *name)
{
    return PyUnicode_FromFormat("old %s", name);
}

TEST_PY(the_old_attribute_slot_lives_on_in_classes)
{
    PyType_Spec spec = {"test.Old", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        (PyType_Slot[]){{Py_tp_getattr, old_getattr}, {0, NULL}}};
    PyTypeObject *base = (PyTypeObject *)PyType_FromSpec(&spec);
    PyTypeObject *type = class_with_methods("C", base, NULL);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    EXPECT_REPR_OF(PyObject_GetAttrString(op, "x"), "'old x'");
    Py_DECREF(op);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(static_types_do_not_change)
{
    EXPECT_EQ(set_method(&PyLong_Type, &repr_method), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "cannot set '__repr__' attribute of immutable type 'int'");
}

static PyObject *
change_a_family(void)
{
    PyTypeObject *base = class_with_methods("B", NULL, NULL);
    PyTypeObject *type = base == NULL ? NULL : class_with_methods("T", base, NULL);
    PyObject *result =
        type != NULL && set_method(base, &repr_method) == 0 ? Py_NewRef(Py_None) : NULL;
    Py_XDECREF(type);
    Py_XDECREF(base);
    return result;
}

TEST_PY(changing_methods_leaves_nothing_behind)
{
    repeat_without_leak(change_a_family);
}

TEST_PY(an_attribute_whose_name_is_no_utf_8_is_set_without_an_exception)
{
    PyTypeObject *type = class_with_methods("C", NULL, NULL);
    PyObject *name = PyUnicode_FromOrdinal(0xD800);
    REQUIRE_NOT_NULL(name);
    EXPECT_EQ(PyObject_SetAttr((PyObject *)type, name, Py_None), 0);
    EXPECT_NULL(PyErr_Occurred());
    EXPECT_IS(PyObject_GetAttr((PyObject *)type, name), Py_None);
    EXPECT_EQ(PyObject_DelAttr((PyObject *)type, name), 0);
    EXPECT_NULL(PyErr_Occurred());
    Py_DECREF(name);
    Py_DECREF(type);
}
