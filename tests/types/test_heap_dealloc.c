/* SPDX-License-Identifier: MIT */
/* The destructor of heap types that have none of their own. */
#include "helpers.h"

static int finalized, deleted, base_dealloc_saw_tracked, cleared, called_back;
static PyObject *rescued;

static void
count_finalize(PyObject *self)
{
    finalized += 1 + (PyObject_IS_GC(self) && !PyObject_GC_IsTracked(self)) * 100;
}

static void
rescue_finalize(PyObject *self)
{
    finalized++;
    rescued = Py_NewRef(self);
}

static void
count_del(PyObject *self)
{
    (void)self;
    deleted++;
}

static int
count_clear(PyObject *self)
{
    cleared++;
    return node_clear(self);
}

TEST_PY(instances_are_freed_and_release_their_type)
{
    PyTypeObject *plain = make_plain_type("t.Plain", NULL);
    PyTypeObject *base = make_node_type("t.Base");
    PyTypeObject *gc = make_plain_type("t.Gc", (PyObject *)base);
    PyTypeObject *types[] = {plain, gc};
    for (int i = 0; i < 2; i++) {
        Py_ssize_t count = Py_REFCNT(types[i]);
        PyObject *op = make_instance(types[i]);
        REQUIRE_NOT_NULL(op);
        EXPECT_EQ(Py_REFCNT(types[i]), count + 1);
        Py_DECREF(op);
        EXPECT_EQ(Py_REFCNT(types[i]), count);
    }
    Py_DECREF(gc);
    Py_DECREF(base);
    Py_DECREF(plain);
}

TEST_PY(the_finalizer_runs_once_on_a_tracked_object)
{
    PyTypeObject *type = make_type("t.T", sizeof(struct node), Py_TPFLAGS_HAVE_GC,
                                   SLOTS({Py_tp_traverse, (void *)node_traverse},
                                         {Py_tp_clear, (void *)node_clear},
                                         {Py_tp_finalize, (void *)count_finalize}),
                                   NULL);
    Py_DECREF(make_instance(type));
    EXPECT_EQ(finalized, 1);
    Py_DECREF(type);
}

TEST_PY(a_plain_object_is_finalized_too)
{
    PyTypeObject *type =
        make_type("t.T", 0, 0, SLOTS({Py_tp_finalize, (void *)count_finalize}), NULL);
    Py_DECREF(make_instance(type));
    EXPECT_EQ(finalized, 1);
    Py_DECREF(type);
}

TEST_PY(a_resurrected_object_stays_whole)
{
    PyTypeObject *type = make_type("t.T", sizeof(struct node), Py_TPFLAGS_HAVE_GC,
                                   SLOTS({Py_tp_traverse, (void *)node_traverse},
                                         {Py_tp_clear, (void *)node_clear},
                                         {Py_tp_finalize, (void *)rescue_finalize}),
                                   NULL);
    PyObject *op = make_instance(type);
    Py_DECREF(op);
    EXPECT_EQ(rescued, op);
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT(PyObject_GC_IsTracked(op));
    Py_CLEAR(rescued);
    EXPECT_NULL(rescued);
    EXPECT_EQ(finalized, 1);
    Py_DECREF(type);
}

TEST_PY(the_legacy_finalizer_runs, .mistakes = true)
{
    PyTypeObject *type =
        make_type("t.T", 0, 0, SLOTS({Py_tp_del, (void *)count_del}), NULL);
    Py_DECREF(make_instance(type));
    EXPECT_EQ(deleted, 1);
    Py_DECREF(type);
}

TEST_PY(weak_references_that_the_type_adds_are_cleared)
{
    PyTypeObject *type = make_type(
        "t.T", sizeof(struct node), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_WEAKREF,
        SLOTS({Py_tp_traverse, (void *)node_traverse}, {Py_tp_clear, (void *)node_clear}),
        NULL);
    PyObject *op = make_instance(type);
    PyObject *weak = PyWeakref_NewRef(op, NULL);
    REQUIRE_NOT_NULL(weak);
    Py_DECREF(op);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
    Py_DECREF(type);
}

static PyObject *dying;

/* `dying` is being destroyed: its header may be read. */
static PyObject *
note_tracking_of_the_dying(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ref))
{
    return PyBool_FromLong(called_back = 1 + PyObject_GC_IsTracked(dying));
}

TEST_PY(in_callbacks_of_weak_references_a_finalized_object_is_not_tracked)
{
    static PyMethodDef method = {"note", note_tracking_of_the_dying, METH_O, NULL};
    PyTypeObject *type = make_type(
        "t.T", sizeof(struct node), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_WEAKREF,
        SLOTS({Py_tp_traverse, (void *)node_traverse}, {Py_tp_clear, (void *)node_clear},
              {Py_tp_finalize, (void *)count_finalize}),
        NULL);
    dying = make_instance(type);
    PyObject *callback = PyCFunction_New(&method, NULL);
    PyObject *ref = PyWeakref_NewRef(dying, callback);
    REQUIRE_NOT_NULL(ref);
    Py_DECREF(dying);
    EXPECT_EQ(called_back, 1);
    Py_DECREF(ref);
    Py_DECREF(callback);
    Py_DECREF(type);
}

TEST_PY(weak_references_of_plain_objects_are_cleared_too)
{
    PyMemberDef members[] = {
        {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(struct node, ref), Py_READONLY,
         NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyTypeObject *type =
        make_type("t.T", sizeof(struct node), 0, SLOTS({Py_tp_members, members}), NULL);
    PyObject *op = make_instance(type);
    PyObject *weak = PyWeakref_NewRef(op, NULL);
    REQUIRE_NOT_NULL(weak);
    Py_DECREF(op);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
    Py_DECREF(type);
}

TEST_PY(the_managed_dict_is_released)
{
    PyTypeObject *type = make_type(
        "t.T", sizeof(struct node), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT,
        SLOTS({Py_tp_traverse, (void *)node_traverse}, {Py_tp_clear, (void *)node_clear}),
        NULL);
    PyObject *op = make_instance(type);
    PyObject *value = PyList_New(0);
    EXPECT_EQ(PyObject_SetAttrString(op, "x", value), 0);
    EXPECT_EQ(Py_REFCNT(value), 2);
    Py_DECREF(op);
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(value);
    Py_DECREF(type);
}

TEST_PY(tp_clear_is_not_called)
{
    PyTypeObject *type = make_type("t.T", sizeof(struct node), Py_TPFLAGS_HAVE_GC,
                                   SLOTS({Py_tp_traverse, (void *)node_traverse},
                                         {Py_tp_clear, (void *)count_clear}),
                                   NULL);
    Py_DECREF(make_instance(type));
    EXPECT_EQ(cleared, 0);
    Py_DECREF(type);
}

static void
watching_dealloc(PyObject *self)
{
    base_dealloc_saw_tracked = PyObject_GC_IsTracked(self);
    PyObject_GC_UnTrack(self);
    node_clear(self);
    Py_TYPE(self)->tp_free(self);
}

TEST_PY(a_static_ancestor_gets_the_object_tracked_and_the_type_is_released)
{
    static PyTypeObject base = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "t.Base",
        .tp_basicsize = sizeof(struct node),
        .tp_flags = Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
        .tp_traverse = node_traverse,
        .tp_clear = node_clear,
        .tp_dealloc = watching_dealloc,
        .tp_new = PyType_GenericNew,
    };
    EXPECT_EQ(PyType_Ready(&base), 0);
    PyTypeObject *type = make_plain_type("t.Sub", (PyObject *)&base);
    Py_ssize_t count = Py_REFCNT(type);
    PyObject *op = make_instance(type);
    ((struct node *)op)->ref = PyList_New(0);
    Py_DECREF(op);
    EXPECT_EQ(base_dealloc_saw_tracked, 1);
    EXPECT_EQ(Py_REFCNT(type), count);
    Py_DECREF(type);
}

TEST_PY(an_instance_can_be_the_last_owner_of_its_type)
{
    PyTypeObject *type = make_plain_type("t.T", NULL);
    PyObject *weak = PyWeakref_NewRef((PyObject *)type, NULL);
    PyObject *op = make_instance(type);
    Py_DECREF(type);
    PyGC_Collect();
    EXPECT_EQ(PyWeakref_IsDead(weak), 0);
    Py_DECREF(op);
    PyGC_Collect();
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
}

static PyObject *weak_from_del;

static void
rescue_del(PyObject *self)
{
    deleted++;
    rescued = deleted == 1 ? Py_NewRef(self) : NULL;
}

TEST_PY(an_object_that_its_legacy_finalizer_brings_back_lives_on, .mistakes = true)
{
    for (int gc = 0; gc < 2; gc++) {
        PyTypeObject *type =
            gc ? make_type("t.T", sizeof(struct node), Py_TPFLAGS_HAVE_GC,
                           SLOTS({Py_tp_traverse, (void *)node_traverse},
                                 {Py_tp_clear, (void *)node_clear},
                                 {Py_tp_del, (void *)rescue_del}),
                           NULL)
               : make_type("t.T", sizeof(struct node), 0,
                           SLOTS({Py_tp_del, (void *)rescue_del}), NULL);
        deleted = 0;
        PyObject *op = make_instance(type);
        Py_ssize_t before = Py_REFCNT(type);
        Py_DECREF(op);
        REQUIRE_EQ(rescued, op);
        EXPECT_EQ(Py_REFCNT(op), 1);
        EXPECT_EQ(PyObject_GC_IsTracked(op), gc);
        EXPECT_EQ(Py_REFCNT(type), before);
        Py_DECREF(op);
        EXPECT_EQ(deleted, 2);
        Py_DECREF(type);
    }
}

/* A tp_del that runs code has to keep the object alive: the allocation may collect. */
static void
weak_del(PyObject *self)
{
    Py_SET_REFCNT(self, 1);
    weak_from_del = PyWeakref_NewRef(self, NULL);
    EXPECT_NOT_NULL(weak_from_del);
    Py_SET_REFCNT(self, Py_REFCNT(self) - 1);
}

TEST_PY(weak_references_that_a_legacy_finalizer_makes_are_cleared, .mistakes = true)
{
    PyTypeObject *type = make_type(
        "t.T", sizeof(struct node), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_WEAKREF,
        SLOTS({Py_tp_traverse, (void *)node_traverse}, {Py_tp_clear, (void *)node_clear},
              {Py_tp_del, (void *)weak_del}),
        NULL);
    Py_DECREF(make_instance(type));
    EXPECT_EQ(((PyWeakReference *)weak_from_del)->wr_object, Py_None);
    Py_DECREF(weak_from_del);
    Py_DECREF(type);
}

TEST_PY(a_dict_that_the_type_keeps_in_a_field_is_released)
{
    PyMemberDef members[] = {
        {"__dictoffset__", Py_T_PYSSIZET, sizeof(PyObject), Py_READONLY, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyTypeObject *type = make_type("t.T", sizeof(PyObject) + sizeof(PyObject *), 0,
                                   SLOTS({Py_tp_members, members}), NULL);
    REQUIRE_NOT_NULL(type);
    PyObject *op = make_instance(type), *value = PyList_New(0);
    REQUIRE_EQ(PyObject_SetAttrString(op, "x", value), 0);
    EXPECT_EQ(Py_REFCNT(value), 2);
    Py_DECREF(op);
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(value);
    Py_DECREF(type);
}

/* class name(base): __slots__ = (slot,) */
static PyObject *
new_class_with_slot(const char *name, PyObject *base, const char *slot)
{
    PyObject *class = PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){s(s)}", name,
                                            base, "__slots__", slot);
    REQUIRE_NOT_NULL(class);
    return class;
}

TEST_PY(the_slots_of_every_class_on_the_way_are_released)
{
    PyObject *a = new_class_with_slot("A", (PyObject *)&PyBaseObject_Type, "x");
    PyObject *b = new_class_with_slot("B", a, "y");
    PyObject *c = new_class_with_slot("C", b, "z");
    PyObject *self = PyObject_CallNoArgs(c), *value = PyList_New(0);
    EXPECT_EQ(PyObject_SetAttrString(self, "x", value), 0);
    EXPECT_EQ(PyObject_SetAttrString(self, "y", value), 0);
    EXPECT_EQ(PyObject_SetAttrString(self, "z", value), 0);
    EXPECT_EQ(Py_REFCNT(value), 4);
    Py_DECREF(self);
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(value);
    Py_DECREF(c);
    Py_DECREF(b);
    Py_DECREF(a);
}

static PyTypeObject *other_type;

static void
become_other_type(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    deleted++;
    Py_SET_TYPE(self, (PyTypeObject *)Py_NewRef(other_type));
    Py_DECREF(type);
}

TEST_PY(an_object_that_changes_its_type_in_tp_del_releases_the_new_one)
{
    SKIP_CHECKED("refuses it");
    PyTypeObject *type =
        make_type("t.Del", 0, 0, SLOTS({Py_tp_del, (void *)become_other_type}), NULL);
    other_type = make_plain_type("t.Other", NULL);
    Py_ssize_t of_type = Py_REFCNT(type), of_other = Py_REFCNT(other_type);
    PyObject *self = make_instance(type);
    REQUIRE_NOT_NULL(self);
    Py_DECREF(self);
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(Py_REFCNT(type), of_type);
    EXPECT_EQ(Py_REFCNT(other_type), of_other);
    Py_DECREF(type);
    Py_DECREF(other_type);
}
