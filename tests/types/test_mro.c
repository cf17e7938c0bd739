/* SPDX-License-Identifier: MIT */
/* The method resolution order. */
#include "helpers.h"

static PyTypeObject *
derive(const char *name, PyTypeObject *first, PyTypeObject *second)
{
    PyObject *bases =
        second == NULL ? PyTuple_Pack(1, first) : PyTuple_Pack(2, first, second);
    PyTypeObject *type = make_plain_type(name, bases);
    Py_DECREF(bases);
    return type;
}

static void
expect_order(PyTypeObject *type, const char *names)
{
    char text[200] = "";
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); i++) {
        PyTypeObject *t = (PyTypeObject *)PyTuple_GET_ITEM(type->tp_mro, i);
        strcat(strcat(text, i > 0 ? " " : ""), _PyType_Name(t));
    }
    EXPECT_STR(text, names);
}

TEST_PY(a_diamond_has_its_top_once_and_last)
{
    PyTypeObject *a = make_plain_type("t.A", NULL);
    PyTypeObject *b = derive("t.B", a, NULL);
    PyTypeObject *c = derive("t.C", a, NULL);
    PyTypeObject *d = derive("t.D", b, c);
    REQUIRE_NOT_NULL(d);
    expect_order(d, "D B C A object");
    Py_DECREF(d);
    Py_DECREF(c);
    Py_DECREF(b);
    Py_DECREF(a);
}

TEST_PY(the_order_of_bases_is_kept_across_levels)
{
    /* The classic example of the C3 paper. */
    PyTypeObject *o = &PyBaseObject_Type;
    PyTypeObject *d = derive("t.D", o, NULL), *e = derive("t.E", o, NULL);
    PyTypeObject *f = derive("t.F", o, NULL), *b = derive("t.B", e, d);
    PyTypeObject *c = derive("t.C", d, f), *a = derive("t.A", b, c);
    REQUIRE_NOT_NULL(a);
    expect_order(a, "A B E C D F object");
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(d);
    Py_DECREF(e);
    Py_DECREF(f);
}

TEST_PY(contradicting_orders_are_refused)
{
    PyTypeObject *a = make_plain_type("t.A", NULL), *b = make_plain_type("t.B", NULL);
    PyTypeObject *x = derive("t.X", a, b), *y = derive("t.Y", b, a);
    EXPECT_NULL(derive("t.Z", x, y));
    EXPECT_ERROR(PyExc_TypeError, "Cannot create a consistent method resolution order "
                                  "(MRO) for bases X, Y");
    EXPECT_NULL(derive("t.Z", a, x));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(y);
    Py_DECREF(x);
    Py_DECREF(b);
    Py_DECREF(a);
}

TEST_PY(a_base_given_twice_is_refused)
{
    PyTypeObject *a = make_plain_type("t.A", NULL);
    EXPECT_NULL(derive("t.Z", a, a));
    EXPECT_ERROR(PyExc_TypeError, "duplicate base class A");
    Py_DECREF(a);
}

TEST_PY(a_static_type_can_have_several_bases, .no_leak_check = true)
{
    static PyTypeObject a = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "t.A",
                             .tp_flags = Py_TPFLAGS_BASETYPE};
    static PyTypeObject b = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "t.B",
                             .tp_flags = Py_TPFLAGS_BASETYPE, .tp_basicsize = 32};
    static PyTypeObject c = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "t.C"};
    EXPECT_EQ(PyType_Ready(&a), 0);
    EXPECT_EQ(PyType_Ready(&b), 0);
    c.tp_bases = PyTuple_Pack(2, &a, &b);
    PyUnstable_SetImmortal(c.tp_bases);
    EXPECT_EQ(PyType_Ready(&c), 0);
    EXPECT_EQ(c.tp_base, &b);
    expect_order(&c, "C A B object");
}

TEST_PY(subtypes_are_found_along_the_order)
{
    PyTypeObject *a = make_plain_type("t.A", NULL), *b = make_plain_type("t.B", NULL);
    PyTypeObject *c = derive("t.C", a, b);
    EXPECT(PyType_IsSubtype(c, b));
    EXPECT(PyType_IsSubtype(c, c));
    EXPECT(PyType_IsSubtype(c, &PyBaseObject_Type));
    EXPECT(!PyType_IsSubtype(a, c));
    EXPECT(!PyType_IsSubtype(a, b));
    Py_DECREF(c);
    Py_DECREF(b);
    Py_DECREF(a);
}
