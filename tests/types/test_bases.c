/* SPDX-License-Identifier: MIT */
/* Several bases: layout and metaclass. */
#include "helpers.h"

TEST_PY(the_base_with_the_largest_layout_is_tp_base)
{
    PyTypeObject *small = make_plain_type("test.Small", NULL);
    PyTypeObject *large =
        make_type("test.Large", 64, Py_TPFLAGS_BASETYPE, NO_SLOTS, NULL);
    PyObject *bases = PyTuple_Pack(2, small, large);
    PyTypeObject *type = make_plain_type("test.Both", bases);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_base, large);
    EXPECT_EQ(type->tp_basicsize, 64);
    EXPECT_EQ(PyTuple_Size(type->tp_mro), 4);
    Py_DECREF(type);
    Py_DECREF(bases);
    Py_DECREF(large);
    Py_DECREF(small);
}

TEST_PY(bases_with_different_layouts_conflict)
{
    PyTypeObject *a = make_type("test.A", 64, Py_TPFLAGS_BASETYPE, NO_SLOTS, NULL);
    PyTypeObject *b = make_type("test.B", 48, Py_TPFLAGS_BASETYPE, NO_SLOTS, NULL);
    PyObject *bases = PyTuple_Pack(2, a, b);
    EXPECT_NULL(make_plain_type("test.Both", bases));
    EXPECT_ERROR(PyExc_TypeError, "multiple bases have instance lay-out conflict");
    Py_DECREF(bases);
    Py_DECREF(b);
    Py_DECREF(a);
}

TEST_PY(bases_on_one_line_of_layouts_fit)
{
    PyTypeObject *a = make_type("test.A", 48, Py_TPFLAGS_BASETYPE, NO_SLOTS, NULL);
    PyTypeObject *b =
        make_type("test.B", 64, Py_TPFLAGS_BASETYPE, NO_SLOTS, (PyObject *)a);
    PyTypeObject *c = make_plain_type("test.C", (PyObject *)a);
    PyObject *bases = PyTuple_Pack(2, c, b);
    PyTypeObject *type = make_plain_type("test.Both", bases);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_base, b);
    Py_DECREF(type);
    Py_DECREF(bases);
    Py_DECREF(c);
    Py_DECREF(b);
    Py_DECREF(a);
}

TEST_PY(a_final_type_is_no_base)
{
    PyTypeObject *final = make_type("test.Final", 0, 0, NO_SLOTS, NULL);
    EXPECT_NULL(make_plain_type("test.Sub", (PyObject *) final));
    EXPECT_ERROR(PyExc_TypeError, "type 'test.Final' is not an acceptable base type");
    Py_DECREF(final);
}

TEST_PY(a_base_is_a_type)
{
    EXPECT_NULL(make_plain_type("test.Sub", Py_None));
    EXPECT_ERROR(PyExc_TypeError, "bases must be types");
    PyObject *bases = PyTuple_Pack(2, &PyBaseObject_Type, Py_None);
    EXPECT_NULL(make_plain_type("test.Sub", bases));
    EXPECT_ERROR(PyExc_TypeError, "bases must be types");
    Py_DECREF(bases);
}

static PyTypeObject *
make_with(PyTypeObject *metaclass, const char *name, PyObject *bases)
{
    PyType_Spec spec = {name, 0, 0, Py_TPFLAGS_BASETYPE, NO_SLOTS};
    return (PyTypeObject *)PyType_FromMetaclass(metaclass, NULL, &spec, bases);
}

TEST_PY(the_most_derived_metaclass_wins, .mistakes = true)
{
    PyTypeObject *meta = make_plain_type("test.Meta", (PyObject *)&PyType_Type);
    PyTypeObject *submeta = make_plain_type("test.SubMeta", (PyObject *)meta);
    PyTypeObject *a = make_with(meta, "test.A", NULL);
    PyTypeObject *b = make_with(submeta, "test.B", NULL);
    REQUIRE_NOT_NULL(b);
    EXPECT_EQ(Py_TYPE(a), meta);
    PyObject *bases = PyTuple_Pack(2, a, b);
    PyTypeObject *type = make_with(NULL, "test.C", bases);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(Py_TYPE(type), submeta);
    Py_DECREF(type);
    Py_DECREF(bases);
    Py_DECREF(b);
    Py_DECREF(a);
    Py_DECREF(submeta);
    Py_DECREF(meta);
}

TEST_PY(unrelated_metaclasses_conflict, .mistakes = true)
{
    PyTypeObject *meta = make_plain_type("test.Meta", (PyObject *)&PyType_Type);
    PyTypeObject *other = make_plain_type("test.Other", (PyObject *)&PyType_Type);
    PyTypeObject *a = make_with(meta, "test.A", NULL);
    PyTypeObject *b = make_with(other, "test.B", NULL);
    PyObject *bases = PyTuple_Pack(2, a, b);
    EXPECT_NULL(make_with(NULL, "test.C", bases));
    EXPECT_ERROR(PyExc_TypeError,
                 "metaclass conflict: the metaclass of a derived class must be a "
                 "(non-strict) subclass of the metaclasses of all its bases");
    Py_DECREF(bases);
    Py_DECREF(b);
    Py_DECREF(a);
    Py_DECREF(other);
    Py_DECREF(meta);
}

static PyObject *
meta_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    return PyType_Type.tp_new(type, args, kwargs);
}

TEST_PY(a_metaclass_with_its_own_new_is_refused)
{
    PyTypeObject *meta =
        make_type("test.Meta", 0, 0, SLOTS({Py_tp_new, (void *)meta_new}),
                  (PyObject *)&PyType_Type);
    EXPECT_NULL(make_with(meta, "test.A", NULL));
    EXPECT_ERROR(PyExc_TypeError, "Metaclasses with custom tp_new are not supported.");
    Py_DECREF(meta);
}

TEST_PY(a_metaclass_derives_from_type)
{
    EXPECT_NULL(make_with(&PyList_Type, "test.A", NULL));
    EXPECT_ERROR(PyExc_TypeError,
                 "metaclass conflict: the metaclass of a derived class must be a "
                 "(non-strict) subclass of the metaclasses of all its bases");
    EXPECT_NULL(make_with((PyTypeObject *)Py_None, "test.A", NULL));
    EXPECT_ERROR(PyExc_TypeError, "Metaclass 'NoneType' is not a subclass of 'type'.");
}

TEST_PY(an_immutable_type_needs_immutable_bases)
{
    PyTypeObject *base = make_plain_type("test.Base", NULL);
    EXPECT_NULL(
        make_type("test.Sub", 0, Py_TPFLAGS_IMMUTABLETYPE, NO_SLOTS, (PyObject *)base));
    EXPECT_ERROR(PyExc_TypeError,
                 "Creating immutable type test.Sub from mutable base test.Base");
    Py_DECREF(base);
}

TEST_PY(a_type_of_a_larger_metaclass_keeps_its_members, .mistakes = true)
{
    PyMemberDef members[] = {
        {"ref", Py_T_OBJECT_EX, offsetof(struct node, ref), 0, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyTypeObject *meta =
        make_type("test.Meta", -40, 0, NO_SLOTS, (PyObject *)&PyType_Type);
    REQUIRE_NOT_NULL(meta);
    PyType_Spec spec = {"test.A", sizeof(struct node), 0, 0,
                        SLOTS({Py_tp_members, members})};
    PyObject *type = PyType_FromMetaclass(meta, NULL, &spec, NULL);
    REQUIRE_NOT_NULL(type);
    memset(PyObject_GetTypeData(type, meta), 0xff, (size_t)PyType_GetTypeDataSize(meta));
    memset(members, 0, sizeof members); /* the type has a copy */
    PyObject *op = make_instance((PyTypeObject *)type);
    EXPECT_EQ(PyObject_SetAttrString(op, "ref", Py_True), 0);
    EXPECT_EQ(((struct node *)op)->ref, Py_True);
    Py_DECREF(op);
    Py_DECREF(type);
    Py_DECREF(meta);
}

TEST_PY(of_bases_with_the_same_layout_the_first_is_tp_base)
{
    PyTypeObject *a = make_plain_type("test.A", NULL),
                 *b = make_plain_type("test.B", NULL);
    PyObject *bases = PyTuple_Pack(2, a, b);
    PyTypeObject *type = make_plain_type("test.Both", bases);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_base, a);
    Py_DECREF(type);
    Py_DECREF(bases);
    Py_DECREF(b);
    Py_DECREF(a);
}
