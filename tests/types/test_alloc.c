/* SPDX-License-Identifier: MIT */
/* The default allocator. */
#include "helpers.h"

TEST_PY(containers_come_zeroed_and_tracked)
{
    PyTypeObject *type = make_node_type("t.Node");
    for (int i = 0; i < 100; i++) { /* used memory, too */
        PyObject *op = PyType_GenericAlloc(type, 0);
        EXPECT(PyObject_GC_IsTracked(op));
        EXPECT_EQ(Py_REFCNT(op), 1);
        EXPECT_NULL(((struct node *)op)->ref);
        ((struct node *)op)->ref = Py_None;
        Py_DECREF(op);
    }
    Py_DECREF(type);
}

TEST_PY(plain_objects_come_zeroed)
{
    PyTypeObject *type = make_type("t.Plain", 64, 0, NO_SLOTS, NULL);
    PyObject *op = PyType_GenericAlloc(type, 0);
    static const char zeros[48];
    EXPECT_EQ(memcmp(op + 1, zeros, 48), 0);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(one_more_item_than_asked_for_is_reserved_and_zeroed)
{
    PyType_Spec spec = {"t.Items", sizeof(PyVarObject), 8, 0, NO_SLOTS};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    PyVarObject *op = (PyVarObject *)PyType_GenericAlloc(type, 4);
    EXPECT_EQ(Py_SIZE(op), 4);
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(((int64_t *)(op + 1))[i], 0);
        ((int64_t *)(op + 1))[i] = i;
    }
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(impossible_numbers_of_items_are_errors)
{
    PyType_Spec spec = {"t.Items", sizeof(PyVarObject), 8, 0, NO_SLOTS};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    EXPECT_NULL(PyType_GenericAlloc(type, -1));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyType_GenericAlloc(type, PY_SSIZE_T_MAX));
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_NULL(PyType_GenericAlloc(type, PY_SSIZE_T_MAX / 4));
    EXPECT_RAISED(PyExc_MemoryError);
    Py_DECREF(type);
}

TEST_PY(generic_new_ignores_arguments)
{
    PyTypeObject *type = make_node_type("t.Node");
    PyObject *op = PyType_GenericNew(type, Py_None, Py_None);
    EXPECT_EQ(Py_TYPE(op), type);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(managed_words_start_empty)
{
    PyTypeObject *type = make_type("t.T", sizeof(struct node),
                                   Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT,
                                   SLOTS({Py_tp_traverse, (void *)node_traverse}), NULL);
    PyObject *op = make_instance(type);
    EXPECT_NULL(((PyObject **)op)[-1]);
    EXPECT_NULL(((PyObject **)op)[-2]);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(the_sentinel_of_a_container_is_zero_in_used_memory_too, .mistakes = true)
{
    PyType_Spec spec = {"t.Items", sizeof(PyVarObject), 8, Py_TPFLAGS_HAVE_GC,
                        SLOTS({Py_tp_traverse, (void *)node_traverse},
                              {Py_tp_dealloc, (void *)PyObject_GC_Del})};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    Py_ssize_t before = Py_REFCNT(type);
    for (int round = 0; round < 3; round++) {
        PyVarObject *op = (PyVarObject *)PyType_GenericAlloc(type, 4);
        for (int i = 0; i < 5; i++) {
            EXPECT_EQ(((int64_t *)(op + 1))[i], 0);
            ((int64_t *)(op + 1))[i] = -1;
        }
        PyObject_GC_UnTrack(op);
        PyObject_GC_Del(op);
    }
    Py_SET_REFCNT(type, before);
    Py_DECREF(type);
}
