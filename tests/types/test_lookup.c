/* SPDX-License-Identifier: MIT */
/* Asking types. */
#include "../../src/types/type.h"
#include "helpers.h"

TEST_PY(slots_are_read_by_number)
{
    PyTypeObject *type = make_node_type("t.Node");
    EXPECT_EQ(PyType_GetSlot(type, Py_tp_traverse), (void *)node_traverse);
    EXPECT_EQ(PyType_GetSlot(type, Py_tp_base), &PyBaseObject_Type);
    EXPECT_NULL(PyType_GetSlot(type, Py_sq_length));
    EXPECT_NO_ERROR();
    EXPECT_EQ(PyType_GetSlot(&PyList_Type, Py_sq_length),
              (void *)PyList_Type.tp_as_sequence->sq_length);
    Py_DECREF(type);
}

TEST_PY(unknown_slot_numbers_are_errors)
{
    static const int bad[] = {0, -1, 10000, Py_mod_exec, Py_tp_name};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(bad); i++) {
        EXPECT_NULL(PyType_GetSlot(&PyList_Type, bad[i]));
        EXPECT_RAISED(PyExc_SystemError);
    }
}

TEST_PY(flags_are_readable)
{
    PyTypeObject *type = make_node_type("t.Node");
    EXPECT_EQ(PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC, Py_TPFLAGS_HAVE_GC);
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_BASETYPE));
    Py_DECREF(type);
}

TEST_PY(the_dict_is_handed_out)
{
    PyTypeObject *type = make_plain_type("t.T", NULL);
    PyObject *dict = PyType_GetDict(type);
    EXPECT_EQ(dict, type->tp_dict);
    PyObject *name = PyUnicode_FromString("late");
    EXPECT_EQ(PyDict_SetItem(dict, name, Py_True), 0);
    PyType_Modified(type);
    EXPECT_EQ(_PyType_Lookup(type, name), Py_True);
    Py_DECREF(name);
    Py_DECREF(dict);
    Py_DECREF(type);
}

TEST_PY(a_lookup_keeps_a_pending_exception)
{
    PyObject *name = PyUnicode_FromString("missing");
    PyErr_SetString(PyExc_ValueError, "mine");
    EXPECT_NULL(_PyType_Lookup(&PyList_Type, name));
    EXPECT_ERROR(PyExc_ValueError, "mine");
    EXPECT_NULL(_PyType_Lookup(&PyList_Type, name));
    EXPECT_NO_ERROR();
    Py_DECREF(name);
}

TEST_PY(the_nearest_type_in_the_order_answers)
{
    PyTypeObject *base = make_plain_type("t.Base", NULL);
    PyTypeObject *type = make_plain_type("t.Sub", (PyObject *)base);
    PyObject_SetAttrString((PyObject *)base, "x", Py_True);
    PyObject *name = PyUnicode_FromString("x");
    EXPECT_EQ(_PyType_Lookup(type, name), Py_True);
    PyObject_SetAttrString((PyObject *)type, "x", Py_False);
    EXPECT_EQ(_PyType_Lookup(type, name), Py_False);
    Py_DECREF(name);
    Py_DECREF(type);
    Py_DECREF(base);
}

/* The collector leaves a type like this when its instances die later. */
TEST_PY(a_type_without_order_has_its_bases_for_ancestors)
{
    PyTypeObject *base = make_plain_type("t.Base", NULL);
    PyObject *bases = PyTuple_Pack(1, base);
    PyTypeObject *type = make_plain_type("t.Type", bases);
    PyObject *mro = type->tp_mro;
    type->tp_mro = NULL;
    EXPECT_EQ(PyType_IsSubtype(type, base), 1);
    EXPECT_EQ(PyType_IsSubtype(type, type), 1);
    EXPECT_EQ(PyType_IsSubtype(type, &PyBaseObject_Type), 1);
    EXPECT_EQ(PyType_IsSubtype(type, &PyList_Type), 0);
    type->tp_mro = mro;
    Py_DECREF(type);
    Py_DECREF(bases);
    Py_DECREF(base);
}

TEST_PY(a_name_that_cannot_be_hashed_is_not_found_and_no_error)
{
    PyObject *name = PyList_New(0);
    EXPECT_NULL(ouro_type_lookup(&PyList_Type, name));
    EXPECT_NO_ERROR();
    Py_DECREF(name);
}
