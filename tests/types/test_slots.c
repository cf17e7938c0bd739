/* SPDX-License-Identifier: MIT */
/* Heap types from a PySlot array. */
#include "helpers.h"

static PyObject *
loud_repr(PyObject *self)
{
    (void)self;
    return PyUnicode_FromString("loud");
}

TEST_PY(an_array_of_slots_makes_a_type)
{
    PyObject *module = PyList_New(0);
    PySlot slots[] = {
        PySlot_STATIC_DATA(Py_tp_name, "test.Loud"),
        PySlot_SIZE(Py_tp_basicsize, sizeof(struct node)),
        PySlot_UINT64(Py_tp_flags, Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE),
        PySlot_FUNC(Py_tp_traverse, node_traverse),
        PySlot_FUNC(Py_tp_clear, node_clear),
        PySlot_FUNC(Py_tp_dealloc, node_dealloc),
        PySlot_FUNC(Py_tp_repr, loud_repr),
        PySlot_DATA(Py_tp_module, module),
        PySlot_END,
    };
    PyTypeObject *type = (PyTypeObject *)PyType_FromSlots(slots);
    REQUIRE_NOT_NULL(type);
    EXPECT_STR(type->tp_name, "test.Loud");
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE));
    EXPECT_EQ(type->tp_basicsize, (Py_ssize_t)sizeof(struct node));
    EXPECT_EQ(PyType_GetModule(type), module);
    PyObject *op = make_instance(type);
    EXPECT_TEXT(PyObject_Repr(op), "loud");
    Py_DECREF(op);
    Py_DECREF(type);
    Py_DECREF(module);
}

TEST_PY(numbers_may_come_in_any_member)
{
    PySlot slots[] = {
        PySlot_PTR_STATIC(Py_tp_name, "test.T"),
        PySlot_PTR(Py_tp_basicsize, sizeof(struct node)),
        PySlot_INT64(Py_tp_itemsize, 0),
        PySlot_PTR(Py_tp_flags, Py_TPFLAGS_HAVE_GC),
        PySlot_PTR(Py_tp_traverse, node_traverse),
        PySlot_PTR(Py_tp_clear, node_clear),
        PySlot_PTR(Py_tp_dealloc, node_dealloc),
        PySlot_END,
    };
    EXPECT_EQ(slots[0].sl_flags, PySlot_INTPTR | PySlot_STATIC);
    PyTypeObject *type = (PyTypeObject *)PyType_FromSlots(slots);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_basicsize, (Py_ssize_t)sizeof(struct node));
    EXPECT(PyType_IS_GC(type));
    EXPECT(type->tp_traverse == node_traverse);
    Py_DECREF(type);
}

TEST_PY(slot_arrays_nest)
{
    PyType_Slot old[] = {{Py_tp_repr, (void *)loud_repr}, {0, NULL}};
    PySlot inner[] = {PySlot_PTR(Py_tp_itemsize, 8), PySlot_END};
    PySlot slots[] = {
        PySlot_DATA(Py_tp_name, "test.T"),
        PySlot_DATA(Py_tp_slots, old),
        PySlot_DATA(Py_slot_subslots, inner),
        PySlot_SIZE(Py_tp_basicsize, sizeof(PyVarObject)),
        PySlot_END,
    };
    PyTypeObject *type = (PyTypeObject *)PyType_FromSlots(slots);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_repr, loud_repr);
    EXPECT_EQ(type->tp_itemsize, 8);
    Py_DECREF(type);
}

/* A type from arrays nested to this depth; NULL with an exception. */
static PyObject *
type_from_nested(int depth)
{
    PySlot last[] = {PySlot_DATA(Py_tp_name, "test.T"), PySlot_END};
    PySlot around[8][2];
    PySlot *slots = last;
    for (int i = 0; i < depth; i++) {
        around[i][0] = (PySlot){Py_slot_subslots, 0, 0, {slots}};
        around[i][1] = (PySlot)PySlot_END;
        slots = around[i];
    }
    return PyType_FromSlots(slots);
}

TEST_PY(slot_arrays_nest_five_deep_and_no_deeper)
{
    PyObject *type = type_from_nested(5);
    EXPECT_NOT_NULL(type);
    Py_XDECREF(type);
    EXPECT_NULL(type_from_nested(6));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(slot_arrays_do_not_nest_for_ever)
{
    PySlot slots[2] = {{Py_slot_subslots, 0, 0, {slots}}, PySlot_END};
    EXPECT_NULL(PyType_FromSlots(slots));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(extra_basicsize_is_data_behind_the_base)
{
    PySlot slots[] = {
        PySlot_DATA(Py_tp_name, "test.T"),
        PySlot_SIZE(Py_tp_extra_basicsize, 24),
        PySlot_END,
    };
    PyTypeObject *type = (PyTypeObject *)PyType_FromSlots(slots);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_basicsize, 16 + 32);
    EXPECT_EQ(PyType_GetTypeDataSize(type), 32);
    Py_DECREF(type);
}

TEST_PY(a_name_is_required_and_sizes_exclude_each_other)
{
    PySlot nameless[] = {PySlot_SIZE(Py_tp_basicsize, 32), PySlot_END};
    EXPECT_NULL(PyType_FromSlots(nameless));
    EXPECT_RAISED(PyExc_SystemError);
    PySlot both[] = {
        PySlot_DATA(Py_tp_name, "test.T"),
        PySlot_SIZE(Py_tp_basicsize, 32),
        PySlot_SIZE(Py_tp_extra_basicsize, 32),
        PySlot_END,
    };
    EXPECT_NULL(PyType_FromSlots(both));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyType_FromSlots(NULL));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(a_repeated_slot_is_refused)
{
    PySlot slots[] = {
        PySlot_DATA(Py_tp_name, "test.T"),
        PySlot_FUNC(Py_tp_repr, loud_repr),
        PySlot_FUNC(Py_tp_repr, loud_repr),
        PySlot_END,
    };
    EXPECT_NULL(PyType_FromSlots(slots));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(an_unknown_slot_is_skipped_when_optional)
{
    PySlot slots[] = {
        PySlot_DATA(Py_tp_name, "test.T"),
        {9999, PySlot_OPTIONAL, 0, {NULL}},
        PySlot_END,
    };
    PyObject *type = PyType_FromSlots(slots);
    EXPECT_NOT_NULL(type);
    Py_XDECREF(type);
    slots[1].sl_flags = 0;
    EXPECT_NULL(PyType_FromSlots(slots));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(a_token_cannot_be_the_spec_that_is_not_there)
{
    PySlot slots[] = {
        PySlot_DATA(Py_tp_name, "test.T"),
        PySlot_DATA(Py_tp_token, Py_TP_USE_SPEC),
        PySlot_END,
    };
    EXPECT_NULL(PyType_FromSlots(slots));
    EXPECT_RAISED(PyExc_SystemError);
}
