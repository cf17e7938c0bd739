/* SPDX-License-Identifier: MIT */
/* What types take from their bases. */
#include "helpers.h"

TEST_PY(a_subtype_without_flag_and_handlers_inherits_all_three) /* C108 */
{
    PyTypeObject *base = make_node_type("test.Base");
    PyTypeObject *type = make_plain_type("test.Sub", (PyObject *)base);
    EXPECT(PyType_IS_GC(type));
    EXPECT_EQ(type->tp_traverse, node_traverse);
    EXPECT_EQ(type->tp_clear, node_clear);
    EXPECT_EQ(type->tp_free, PyObject_GC_Del);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(a_subtype_with_only_clear_is_no_gc_type, .mistakes = true) /* C109 */
{
    PyTypeObject *base = make_node_type("test.Base");
    PyTypeObject *type = make_type(
        "test.Sub", 0, 0, SLOTS({Py_tp_clear, (void *)node_clear}), (PyObject *)base);
    REQUIRE_NOT_NULL(type);
    EXPECT(!PyType_IS_GC(type));
    EXPECT_NULL(type->tp_traverse);
    EXPECT_EQ(type->tp_free, PyObject_Free);
    Py_DECREF(type);
    type = make_type("test.Sub", 0, 0, SLOTS({Py_tp_traverse, (void *)node_traverse}),
                     (PyObject *)base);
    REQUIRE_NOT_NULL(type);
    EXPECT(!PyType_IS_GC(type));
    EXPECT_NULL(type->tp_clear);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(a_subtype_with_its_own_traverse_does_not_inherit_clear,
        .mistakes = true) /* C110 */
{
    PyTypeObject *base = make_node_type("test.Base");
    PyTypeObject *type =
        make_type("test.Sub", 0, Py_TPFLAGS_HAVE_GC,
                  SLOTS({Py_tp_traverse, (void *)node_traverse}), (PyObject *)base);
    REQUIRE_NOT_NULL(type);
    EXPECT_NULL(type->tp_clear);
    EXPECT_EQ(type->tp_free, PyObject_GC_Del);
    Py_DECREF(type);
    Py_DECREF(base);
}

static PyObject *
get_nothing(PyObject *self, PyObject *op, PyObject *type)
{
    (void)self, (void)op, (void)type;
    Py_RETURN_NONE;
}

static bool
is_method_descriptor(unsigned flags, PyTypeObject *base)
{
    PyTypeObject *type = make_type("test.Sub", 0, flags, NO_SLOTS, (PyObject *)base);
    bool is_one = PyType_HasFeature(type, Py_TPFLAGS_METHOD_DESCRIPTOR);
    Py_DECREF(type);
    return is_one;
}

/* Otherwise a class could be given another __get__. */
TEST_PY(a_subtype_is_a_method_descriptor_if_its_base_is_one_and_it_cannot_change)
{
    unsigned flags =
        Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_METHOD_DESCRIPTOR;
    PyTypeObject *base = make_type("test.Base", 0, flags,
                                   SLOTS({Py_tp_descr_get, (void *)get_nothing}), NULL);
    PyTypeObject *without = make_type("test.Without", 0, flags, NO_SLOTS, NULL);
    EXPECT(is_method_descriptor(Py_TPFLAGS_IMMUTABLETYPE, base));
    EXPECT(!is_method_descriptor(0, base));
    EXPECT(!is_method_descriptor(Py_TPFLAGS_IMMUTABLETYPE, without));
    Py_DECREF(without);
    Py_DECREF(base);
}

TEST_PY(adding_gc_to_a_plain_base_changes_tp_free)
{
    PyTypeObject *base = make_plain_type("test.Base", NULL);
    EXPECT_EQ(base->tp_free, PyObject_Free);
    PyTypeObject *type =
        make_type("test.Sub", sizeof(struct node), Py_TPFLAGS_HAVE_GC,
                  SLOTS({Py_tp_traverse, (void *)node_traverse}), (PyObject *)base);
    EXPECT_EQ(type->tp_free, PyObject_GC_Del);
    Py_DECREF(type);
    Py_DECREF(base);
}

static PyObject *
some_repr(PyObject *self)
{
    (void)self;
    return PyUnicode_FromString("some");
}

static PyObject *
other_repr(PyObject *self)
{
    (void)self;
    return PyUnicode_FromString("other");
}

static int
some_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self, (void)args, (void)kwargs;
    return 0;
}

static PyObject *
some_iter(PyObject *self)
{
    return Py_NewRef(self);
}

static PyObject *
some_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    return Py_NewRef(self);
}

static void
some_finalize(PyObject *self)
{
    (void)self;
}

static PyObject *
some_get(PyObject *self, PyObject *op, PyObject *type)
{
    (void)op, (void)type;
    return Py_NewRef(self);
}

static int
some_set(PyObject *self, PyObject *op, PyObject *value)
{
    (void)self, (void)op, (void)value;
    return 0;
}

TEST_PY(simple_slots_are_copied_when_empty, .mistakes = true)
{
    PyTypeObject *base = make_type(
        "test.Base", 0, Py_TPFLAGS_BASETYPE,
        SLOTS({Py_tp_repr, (void *)some_repr}, {Py_tp_str, (void *)some_repr},
              {Py_tp_init, (void *)some_init}, {Py_tp_iter, (void *)some_iter},
              {Py_tp_iternext, (void *)some_iter}, {Py_tp_call, (void *)some_call},
              {Py_tp_finalize, (void *)some_finalize}, {Py_tp_del, (void *)some_finalize},
              {Py_tp_descr_get, (void *)some_get}, {Py_tp_descr_set, (void *)some_set}),
        NULL);
    PyTypeObject *type = make_type(
        "test.Sub", 0, 0, SLOTS({Py_tp_repr, (void *)other_repr}), (PyObject *)base);
    EXPECT_EQ(type->tp_repr, other_repr);
    EXPECT_EQ(type->tp_str, some_repr);
    EXPECT_EQ(type->tp_init, some_init);
    EXPECT_EQ(type->tp_iter, some_iter);
    EXPECT_EQ(type->tp_iternext, some_iter);
    EXPECT_EQ(type->tp_call, some_call);
    EXPECT_EQ(type->tp_finalize, some_finalize);
    EXPECT_EQ(type->tp_descr_get, some_get);
    EXPECT_EQ(type->tp_descr_set, some_set);
    EXPECT_NULL(type->tp_del); /* never inherited */
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(a_slot_comes_from_the_first_type_in_the_order_that_defines_it)
{
    /*  Top(repr)   Left and Right derive from Top; only Right changes repr. */
    PyTypeObject *top = make_type("test.Top", 0, Py_TPFLAGS_BASETYPE,
                                  SLOTS({Py_tp_repr, (void *)some_repr}), NULL);
    PyTypeObject *left = make_plain_type("test.Left", (PyObject *)top);
    PyTypeObject *right =
        make_type("test.Right", 0, Py_TPFLAGS_BASETYPE,
                  SLOTS({Py_tp_repr, (void *)other_repr}), (PyObject *)top);
    PyObject *bases = PyTuple_Pack(2, left, right);
    PyTypeObject *type = make_plain_type("test.Bottom", bases);
    EXPECT_EQ(left->tp_repr, some_repr);
    EXPECT_EQ(type->tp_repr, other_repr);
    Py_DECREF(bases);
    Py_DECREF(type);
    Py_DECREF(right);
    Py_DECREF(left);
    Py_DECREF(top);
}

static Py_ssize_t
some_length(PyObject *self)
{
    (void)self;
    return 7;
}

static PyObject *
some_item(PyObject *self, Py_ssize_t index)
{
    (void)self;
    return PyLong_FromSsize_t(index);
}

TEST_PY(members_of_structures_are_inherited_one_by_one)
{
    PyTypeObject *base = make_type("test.Base", 0, Py_TPFLAGS_BASETYPE,
                                   SLOTS({Py_sq_length, (void *)some_length}), NULL);
    PyTypeObject *type = make_type(
        "test.Sub", 0, 0, SLOTS({Py_sq_item, (void *)some_item}), (PyObject *)base);
    EXPECT_EQ(type->tp_as_sequence->sq_length, some_length);
    EXPECT_EQ(type->tp_as_sequence->sq_item, some_item);
    EXPECT_NULL(base->tp_as_sequence->sq_item);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(a_static_type_without_structures_shares_those_of_its_base)
{
    static PySequenceMethods sequence = {.sq_length = some_length};
    static PyTypeObject base = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Base",
                                .tp_flags = Py_TPFLAGS_BASETYPE,
                                .tp_as_sequence = &sequence};
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Sub",
                                .tp_base = &base};
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_as_sequence, &sequence);
}

static Py_hash_t
some_hash(PyObject *self)
{
    (void)self;
    return 1;
}

static PyObject *
some_compare(PyObject *self, PyObject *other, int op)
{
    (void)self, (void)other, (void)op;
    return Py_NewRef(Py_True);
}

TEST_PY(comparison_and_hash_are_inherited_together)
{
    PyTypeObject *base = make_type(
        "test.Base", 0, Py_TPFLAGS_BASETYPE,
        SLOTS({Py_tp_hash, (void *)some_hash}, {Py_tp_richcompare, (void *)some_compare}),
        NULL);
    PyTypeObject *both = make_plain_type("test.Both", (PyObject *)base);
    EXPECT_EQ(both->tp_hash, some_hash);
    EXPECT_EQ(both->tp_richcompare, some_compare);
    PyTypeObject *hash = make_type("test.Hash", 0, 0,
                                   SLOTS({Py_tp_hash, (void *)PyBaseObject_Type.tp_hash}),
                                   (PyObject *)base);
    EXPECT_NULL(hash->tp_richcompare);
    Py_DECREF(hash);
    Py_DECREF(both);
    Py_DECREF(base);
}

static PyObject *
old_getattr(PyObject *self, char *name)
{
    (void)self;
    return PyUnicode_FromString(name);
}

TEST_PY(attribute_slots_are_inherited_in_pairs)
{
    PyTypeObject *base = make_type("test.Base", 0, Py_TPFLAGS_BASETYPE,
                                   SLOTS({Py_tp_getattr, (void *)old_getattr}), NULL);
    EXPECT_NULL(base->tp_getattro);
    EXPECT_EQ(base->tp_setattro, PyObject_GenericSetAttr);
    PyTypeObject *type = make_plain_type("test.Sub", (PyObject *)base);
    EXPECT_EQ(type->tp_getattr, old_getattr);
    EXPECT_NULL(type->tp_getattro);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(sizes_and_offsets_are_copied_when_zero)
{
    PyMemberDef members[] = {
        {"__weaklistoffset__", Py_T_PYSSIZET, sizeof(PyObject), Py_READONLY, NULL},
        {"__dictoffset__", Py_T_PYSSIZET, sizeof(PyObject) + 8, Py_READONLY, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyTypeObject *base =
        make_type("test.Base", sizeof(PyObject) + 16, Py_TPFLAGS_BASETYPE,
                  SLOTS({Py_tp_members, members}), NULL);
    REQUIRE_NOT_NULL(base);
    EXPECT_EQ(base->tp_weaklistoffset, 16);
    EXPECT_EQ(base->tp_dictoffset, 24);
    PyTypeObject *type = make_plain_type("test.Sub", (PyObject *)base);
    EXPECT_EQ(type->tp_basicsize, 32);
    EXPECT_EQ(type->tp_weaklistoffset, 16);
    EXPECT_EQ(type->tp_dictoffset, 24);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(a_heap_type_must_not_shrink)
{
    PyTypeObject *base = make_type("test.Base", 64, Py_TPFLAGS_BASETYPE, NO_SLOTS, NULL);
    EXPECT_NULL(make_type("test.Sub", 32, 0, NO_SLOTS, (PyObject *)base));
    EXPECT_ERROR(PyExc_TypeError,
                 "tp_basicsize for type 'test.Sub' (32) is too small for "
                 "base 'test.Base' (64)");
    Py_DECREF(base);
}

/* As in CPython, which checks sizes and offsets in PyType_FromSpec alone. */
TEST_PY(a_static_type_may_be_smaller_than_its_base_and_name_any_offset)
{
    static PyTypeObject base = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Base",
        .tp_basicsize = 64,
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    };
    static PyTypeObject sub = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Sub",
        .tp_basicsize = 32,
        .tp_base = &base,
        .tp_weaklistoffset = 40,
        .tp_vectorcall_offset = 48,
        .tp_flags = Py_TPFLAGS_DEFAULT,
    };
    EXPECT_EQ(PyType_Ready(&sub), 0);
    EXPECT_EQ(sub.tp_basicsize, 32);
    PyObject *instance = PyType_GenericAlloc(&sub, 0);
    EXPECT_NOT_NULL(instance);
    PyObject_Free(instance);
}

TEST_PY(kinds_and_managed_flags_are_inherited)
{
    PyTypeObject *list = make_plain_type("test.List", (PyObject *)&PyList_Type);
    EXPECT(PyType_HasFeature(list, Py_TPFLAGS_LIST_SUBCLASS));
    PyTypeObject *meta = make_plain_type("test.Meta", (PyObject *)&PyType_Type);
    EXPECT(PyType_HasFeature(meta, Py_TPFLAGS_TYPE_SUBCLASS));
    EXPECT(PyType_HasFeature(meta, Py_TPFLAGS_ITEMS_AT_END));
    PyTypeObject *managed =
        make_type("test.Managed", sizeof(struct node),
                  Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_MANAGED_WEAKREF,
                  SLOTS({Py_tp_traverse, (void *)node_traverse}), NULL);
    PyTypeObject *sub = make_plain_type("test.Sub", (PyObject *)managed);
    EXPECT(PyType_HasFeature(sub, Py_TPFLAGS_MANAGED_WEAKREF));
    EXPECT_EQ(sub->tp_weaklistoffset, -8);
    Py_DECREF(sub);
    Py_DECREF(managed);
    Py_DECREF(meta);
    Py_DECREF(list);
}

TEST_PY(vectorcall_travels_with_an_inherited_call)
{
    PyMemberDef members[] = {
        {"__vectorcalloffset__", Py_T_PYSSIZET, 16, Py_READONLY, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyTypeObject *base = make_type(
        "test.Base", 24, Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
        SLOTS({Py_tp_members, members}, {Py_tp_call, (void *)PyVectorcall_Call}), NULL);
    PyTypeObject *sub = make_plain_type("test.Sub", (PyObject *)base);
    EXPECT(PyType_HasFeature(sub, Py_TPFLAGS_HAVE_VECTORCALL));
    EXPECT_EQ(sub->tp_vectorcall_offset, 16);
    PyTypeObject *own = make_type(
        "test.Own", 0, 0, SLOTS({Py_tp_call, (void *)some_call}), (PyObject *)base);
    EXPECT(!PyType_HasFeature(own, Py_TPFLAGS_HAVE_VECTORCALL));
    EXPECT_EQ(own->tp_vectorcall_offset, 16);
    Py_DECREF(own);
    Py_DECREF(sub);
    Py_DECREF(base);
}

static PyObject *
own_alloc(PyTypeObject *type, Py_ssize_t items)
{
    return PyType_GenericAlloc(type, items);
}

TEST_PY(static_types_inherit_tp_alloc_and_heap_types_do_not)
{
    static PyTypeObject base = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Base",
                                .tp_flags = Py_TPFLAGS_BASETYPE, .tp_alloc = own_alloc};
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Sub",
                                .tp_base = &base};
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_alloc, own_alloc);
    PyTypeObject *heap = make_plain_type("test.Heap", (PyObject *)&base);
    EXPECT_EQ(heap->tp_alloc, PyType_GenericAlloc);
    Py_DECREF(heap);
}

TEST_PY(tp_vectorcall_and_tables_are_not_inherited)
{
    PyMemberDef members[] = {
        {"ref", Py_T_OBJECT_EX, offsetof(struct node, ref), 0, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyTypeObject *base =
        make_type("test.Base", sizeof(struct node), Py_TPFLAGS_BASETYPE,
                  SLOTS({Py_tp_members, members}, {Py_tp_doc, "text"}), NULL);
    PyTypeObject *type = make_plain_type("test.Sub", (PyObject *)base);
    EXPECT_NULL(type->tp_members);
    EXPECT_NULL(type->tp_doc);
    PyObject *op = make_instance(type); /* but attribute lookup finds it */
    EXPECT_EQ(PyObject_SetAttrString(op, "ref", Py_None), 0);
    Py_DECREF(op);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(managed_words_come_from_any_base)
{
    PyTypeObject *first = make_node_type("t.First"); /* with the larger layout */
    PyTypeObject *second =
        make_type("t.Second", 0,
                  Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_MANAGED_DICT |
                      Py_TPFLAGS_MANAGED_WEAKREF,
                  SLOTS({Py_tp_traverse, (void *)node_traverse}), NULL);
    REQUIRE_NOT_NULL(second);
    PyObject *bases = PyTuple_Pack(2, first, second);
    PyTypeObject *type = make_type("t.Both", 0, 0, NO_SLOTS, bases);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_base, first);
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT));
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_MANAGED_WEAKREF));
    EXPECT_EQ(type->tp_dictoffset, second->tp_dictoffset);
    EXPECT_EQ(type->tp_weaklistoffset, second->tp_weaklistoffset);
    Py_DECREF(type);
    Py_DECREF(bases);
    Py_DECREF(second);
    Py_DECREF(first);
}
