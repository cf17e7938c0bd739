/* SPDX-License-Identifier: MIT */
/* Data that a type adds to its instances. */
#include "helpers.h"

TEST_PY(a_negative_basicsize_reserves_aligned_data, .mistakes = true) /* C114 */
{
    PyTypeObject *base = make_node_type("test.Base");
    PyTypeObject *type = make_type("test.Sub", -24, 0, NO_SLOTS, (PyObject *)base);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(base->tp_basicsize, 24);
    EXPECT_EQ(type->tp_basicsize, 64);
    EXPECT_EQ(PyType_GetTypeDataSize(type), 32);
    EXPECT(PyType_IS_GC(type));
    EXPECT_EQ(type->tp_traverse, base->tp_traverse);
    EXPECT_EQ(type->tp_clear, base->tp_clear);
    PyObject *op = make_instance(type);
    EXPECT_EQ((char *)PyObject_GetTypeData(op, type) - (char *)op, 32);
    EXPECT_EQ(PyObject_GetTypeData_DuringGC(op, type), PyObject_GetTypeData(op, type));
    memset(PyObject_GetTypeData(op, type), 1, 32);
    Py_DECREF(op);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(the_size_of_no_data_is_zero)
{
    PyTypeObject *base = make_node_type("test.Base");
    PyTypeObject *type = make_plain_type("test.Sub", (PyObject *)base);
    EXPECT_EQ(PyType_GetTypeDataSize(type), 0);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(extending_items_needs_items_at_end)
{
    EXPECT_NULL(make_type("test.T", -8, 0, NO_SLOTS, (PyObject *)&PyTuple_Type));
    EXPECT_ERROR(PyExc_SystemError,
                 "Cannot extend variable-size class without Py_TPFLAGS_ITEMS_AT_END.");
}

TEST_PY(items_begin_behind_the_fixed_part, .mistakes = true)
{
    PyType_Spec spec = {"test.Items", sizeof(PyVarObject), 8,
                        Py_TPFLAGS_ITEMS_AT_END | Py_TPFLAGS_BASETYPE, NO_SLOTS};
    PyTypeObject *base = (PyTypeObject *)PyType_FromSpec(&spec);
    PyTypeObject *type = make_type("test.Sub", -16, 0, NO_SLOTS, (PyObject *)base);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_itemsize, 8);
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_ITEMS_AT_END));
    PyObject *op = type->tp_alloc(type, 5);
    EXPECT_EQ((char *)PyObject_GetItemData(op) - (char *)op, type->tp_basicsize);
    EXPECT_EQ(PyObject_GetItemData_DuringGC(op), PyObject_GetItemData(op));
    memset(PyObject_GetItemData(op), 1, 5 * 8);
    Py_DECREF(op);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(types_without_items_at_end_have_no_item_data, .mistakes = true)
{
    EXPECT_NULL(PyObject_GetItemData(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyObject_GetItemData_DuringGC(Py_None));
    EXPECT_NO_ERROR();
}

TEST_PY(relative_members_count_from_the_data)
{
    PyMemberDef members[] = {
        {"x", Py_T_INT, 4, Py_RELATIVE_OFFSET, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyTypeObject *base = make_node_type("test.Base");
    PyTypeObject *type =
        make_type("test.Sub", -8, 0, SLOTS({Py_tp_members, members}), (PyObject *)base);
    REQUIRE_NOT_NULL(type);
    PyObject *op = make_instance(type);
    ((int *)PyObject_GetTypeData(op, type))[1] = 17;
    PyObject *x = PyObject_GetAttrString(op, "x");
    EXPECT_EQ(PyLong_AsLong(x), 17);
    Py_DECREF(x);
    Py_DECREF(op);
    Py_DECREF(type);
    members[0].offset = 8;
    EXPECT_NULL(
        make_type("test.Sub", -8, 0, SLOTS({Py_tp_members, members}), (PyObject *)base));
    EXPECT_ERROR(PyExc_SystemError, "Member offset out of range (0..-basicsize)");
    EXPECT_NULL(
        make_type("test.Sub", 0, 0, SLOTS({Py_tp_members, members}), (PyObject *)base));
    EXPECT_ERROR(PyExc_SystemError,
                 "With Py_RELATIVE_OFFSET, basicsize must be negative.");
    Py_DECREF(base);
}

TEST_PY(a_single_byte_is_data)
{
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Byte",
                                .tp_basicsize = sizeof(PyObject) + 1,
                                .tp_base = &PyBaseObject_Type};
    EXPECT_EQ(PyType_GetTypeDataSize(&type), 1);
}
