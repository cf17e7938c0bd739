/* SPDX-License-Identifier: MIT */
/* Heap types from a spec. */
#include "helpers.h"

static PyObject *
quiet_repr(PyObject *self)
{
    (void)self;
    return PyUnicode_FromString("quiet");
}

TEST_PY(a_heap_type_is_a_tracked_object_of_the_collector)
{
    PyTypeObject *type = make_node_type("test.Node");
    EXPECT(PyObject_IS_GC((PyObject *)type));
    EXPECT(PyObject_GC_IsTracked((PyObject *)type));
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE));
    EXPECT(!PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE));
    EXPECT_EQ(Py_TYPE(type), &PyType_Type);
    Py_DECREF(type);
}

TEST_PY(a_heap_type_is_collected_with_its_mro)
{
    PyTypeObject *type = make_node_type("test.Node");
    PyObject *weak = PyWeakref_NewRef((PyObject *)type, NULL);
    PyGC_Collect();
    Py_DECREF(type);
    EXPECT_EQ(PyWeakref_IsDead(weak), 0); /* the MRO begins with the type */
    EXPECT_GE(PyGC_Collect(), 2);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
}

TEST_PY(a_type_whose_dict_holds_an_instance_is_collected) /* C113 */
{
    PyTypeObject *type = make_node_type("test.Node");
    PyObject *weak = PyWeakref_NewRef((PyObject *)type, NULL);
    PyObject *op = make_instance(type);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "sample", op), 0);
    Py_DECREF(op);
    Py_DECREF(type);
    EXPECT_GE(PyGC_Collect(), 2);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
}

TEST_PY(an_instance_owns_a_reference_to_its_heap_type) /* C112 */
{
    PyTypeObject *type = make_node_type("test.Node");
    Py_ssize_t before = Py_REFCNT(type);
    PyObject *op = make_instance(type);
    EXPECT_EQ(Py_REFCNT(type), before + 1);
    Py_DECREF(op);
    EXPECT_EQ(Py_REFCNT(type), before);
    Py_DECREF(type);
}

TEST_PY(the_last_part_of_the_name_is_the_name)
{
    char name[] = "pack.age.Thing";
    PyTypeObject *type = make_plain_type(name, NULL);
    memset(name, 'x', sizeof name - 1); /* the type has a copy */
    EXPECT_STR(type->tp_name, "pack.age.Thing");
    EXPECT_TEXT(PyType_GetName(type), "Thing");
    EXPECT_TEXT(PyType_GetModuleName(type), "pack.age");
    EXPECT_TEXT(PyObject_GetAttrString((PyObject *)type, "__module__"), "pack.age");
    Py_DECREF(type);
}

TEST_PY(bases_come_from_the_argument_or_the_slots)
{
    PyTypeObject *a = make_plain_type("t.A", NULL), *b = make_plain_type("t.B", NULL);
    PyObject *tuple = PyTuple_Pack(1, b);
    PyTypeObject *type = make_type("t.T", 0, 0, SLOTS({Py_tp_base, a}), NULL);
    EXPECT_EQ(type->tp_base, a);
    Py_DECREF(type);
    type = make_type("t.T", 0, 0, SLOTS({Py_tp_base, a}, {Py_tp_bases, tuple}), NULL);
    EXPECT_EQ(type->tp_base, b);
    Py_DECREF(type);
    type = make_type("t.T", 0, 0, SLOTS({Py_tp_base, a}), tuple);
    EXPECT_EQ(type->tp_base, b);
    Py_DECREF(type);
    type = make_type("t.T", 0, 0, NO_SLOTS, NULL);
    EXPECT_EQ(type->tp_base, &PyBaseObject_Type);
    Py_DECREF(type);
    EXPECT_NULL(make_type("t.T", 0, 0, SLOTS({Py_tp_bases, Py_None}), NULL));
    EXPECT_ERROR(PyExc_SystemError, "Py_tp_bases is not a tuple");
    Py_DECREF(tuple);
    Py_DECREF(b);
    Py_DECREF(a);
}

TEST_PY(a_slot_with_null_is_not_set)
{
    PyTypeObject *type = make_type("t.T", 0, 0, SLOTS({Py_tp_repr, NULL}), NULL);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_repr, PyBaseObject_Type.tp_repr);
    Py_DECREF(type);
}

TEST_PY(a_missing_dealloc_is_the_generic_one_and_not_inherited)
{
    PyTypeObject *base = make_node_type("t.Base");
    PyTypeObject *type = make_plain_type("t.Sub", (PyObject *)base);
    EXPECT_NOT_NULL(type->tp_dealloc);
    EXPECT_NE(type->tp_dealloc, base->tp_dealloc);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(a_spec_needs_a_name)
{
    EXPECT_NULL(make_type(NULL, 0, 0, NO_SLOTS, NULL));
    EXPECT_ERROR(PyExc_SystemError, "Type spec does not define the name field.");
}

TEST_PY(an_unknown_slot_is_refused)
{
    EXPECT_NULL(make_type("t.T", 0, 0, SLOTS({9999, (void *)quiet_repr}), NULL));
    EXPECT_ERROR(PyExc_RuntimeError, "invalid slot offset");
    EXPECT_NULL(make_type("t.T", 0, 0, SLOTS({-3, (void *)quiet_repr}), NULL));
    EXPECT_RAISED(PyExc_RuntimeError);
    EXPECT_NULL(make_type("t.T", 0, 0, SLOTS({Py_mod_exec, (void *)quiet_repr}), NULL));
    EXPECT_RAISED(PyExc_RuntimeError);
}

TEST_PY(doc_members_and_token_come_once)
{
    PyMemberDef members[] = {{NULL, 0, 0, 0, NULL}};
    EXPECT_NULL(make_type("t.T", 0, 0, SLOTS({Py_tp_doc, "a"}, {Py_tp_doc, "b"}), NULL));
    EXPECT_ERROR(PyExc_SystemError, "Multiple Py_tp_doc slots are not supported.");
    EXPECT_NULL(make_type(
        "t.T", 0, 0, SLOTS({Py_tp_members, members}, {Py_tp_members, members}), NULL));
    EXPECT_ERROR(PyExc_SystemError, "Multiple Py_tp_members slots are not supported.");
    EXPECT_NULL(
        make_type("t.T", 0, 0, SLOTS({Py_tp_token, members}, {Py_tp_token, NULL}), NULL));
    EXPECT_ERROR(PyExc_SystemError, "Multiple Py_tp_token slots are not supported.");
}

TEST_PY(slot_numbers_of_older_versions_still_work)
{
    PyTypeObject *type = make_type(
        "t.T", 0, 0, SLOTS({4, (void *)PyList_Type.tp_as_sequence->sq_length}), NULL);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_as_mapping->mp_length, PyList_Type.tp_as_sequence->sq_length);
    Py_DECREF(type);
}

TEST_PY(the_doc_string_is_copied)
{
    char doc[] = "what it is";
    PyTypeObject *type = make_type("t.T", 0, 0, SLOTS({Py_tp_doc, doc}), NULL);
    doc[0] = 'X';
    EXPECT_TEXT(PyObject_GetAttrString((PyObject *)type, "__doc__"), "what it is");
    Py_DECREF(type);
}

TEST_PY(members_read_and_write_fields)
{
    PyMemberDef members[] = {
        {"ref", Py_T_OBJECT_EX, offsetof(struct node, ref), 0, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyTypeObject *type =
        make_type("t.T", sizeof(struct node), 0, SLOTS({Py_tp_members, members}), NULL);
    PyObject *op = make_instance(type);
    EXPECT_NULL(PyObject_GetAttrString(op, "ref"));
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_EQ(PyObject_SetAttrString(op, "ref", Py_None), 0);
    EXPECT_EQ(((struct node *)op)->ref, Py_None);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(offsets_must_lie_inside_instances)
{
    PyMemberDef members[] = {
        {"__weaklistoffset__", Py_T_PYSSIZET, 64, Py_READONLY, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    EXPECT_NULL(make_type("t.T", 32, 0, SLOTS({Py_tp_members, members}), NULL));
    EXPECT_ERROR(PyExc_TypeError, "weaklist offset 64 is out of bounds for type 't.T' "
                                  "(tp_basicsize = 32)");
    members[0].offset = 32 - sizeof(PyObject *) + 1; /* begins inside, ends outside */
    EXPECT_NULL(make_type("t.T", 32, 0, SLOTS({Py_tp_members, members}), NULL));
    EXPECT_ERROR(PyExc_TypeError, "weaklist offset 25 is out of bounds for type 't.T' "
                                  "(tp_basicsize = 32)");
    members[0].offset = 64;
    members[0].name = "__dictoffset__";
    EXPECT_NULL(make_type("t.T", 32, 0, SLOTS({Py_tp_members, members}), NULL));
    EXPECT_ERROR(PyExc_TypeError,
                 "dict offset 64 is out of bounds for type 't.T' (tp_basicsize = 32)");
    members[0].name = "__vectorcalloffset__";
    EXPECT_NULL(make_type("t.T", 32, 0, SLOTS({Py_tp_members, members}), NULL));
    EXPECT_ERROR(PyExc_TypeError, "vectorcall offset 64 is out of bounds for type 't.T' "
                                  "(tp_basicsize = 32)");
}

TEST_PY(a_type_that_could_not_be_finished_leaves_nothing_behind)
{
    PyGC_Collect();
    PyTypeObject *base = make_node_type("t.Base");
    Py_ssize_t before = Py_REFCNT(base);
    for (int i = 0; i < 10; i++) {
        EXPECT_NULL(
            make_type("t.Sub", 0, Py_TPFLAGS_HAVE_GC, NO_SLOTS, (PyObject *)base));
        PyErr_Clear();
    }
    PyGC_Collect();
    EXPECT_EQ(Py_REFCNT(base), before);
    Py_DECREF(base);
}

TEST_PY(a_static_base_is_finished_on_demand)
{
    static PyTypeObject base = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "t.Base",
                                .tp_flags = Py_TPFLAGS_BASETYPE};
    PyTypeObject *type = make_plain_type("t.Sub", (PyObject *)&base);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_base, &base);
    EXPECT(PyType_HasFeature(&base, Py_TPFLAGS_READY));
    Py_DECREF(type);
}
