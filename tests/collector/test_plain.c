/* SPDX-License-Identifier: MIT */
/* Which sets of plain objects are destroyed without handlers, and which are not. */
#include <ouro_fields.h>
#include <ouroboros.h>

#include "../../src/object/edges.h"
#include "../harness.h"

typedef struct {
    PyObject_HEAD
    PyObject *ref[2];
} Couple;
OURO_FIELDS(Couple, OURO_ARRAY(ref));

static PyTypeObject Couple_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Couple",
                                   .tp_basicsize = sizeof(Couple),
                                   .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                   OURO_TYPE_FIELDS(Couple)};

/* The same with a destructor that counts its calls. */
static int deaths;
static Couple *looked_at;
static PyObject *kept;

static void
watched_dealloc(PyObject *self)
{
    deaths++;
    if (looked_at !=
        NULL) { /* the target of the borrowed pointer still exists, and is tracked */
        EXPECT_EQ(Py_TYPE(looked_at), &Couple_Type);
        EXPECT(PyObject_GC_IsTracked((PyObject *)looked_at));
        kept = Py_NewRef(looked_at);
        looked_at = NULL;
    }
    Couple_ouro_dealloc(self);
}

static PyTypeObject Watched_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Watched",
    .tp_basicsize = sizeof(Couple), .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Couple), .tp_dealloc = watched_dealloc};

static Couple *
new_couple(PyTypeObject *type)
{
    REQUIRE_EQ(PyType_Ready(type), 0);
    Couple *self = (Couple *)PyType_GenericAlloc(type, 0);
    REQUIRE_NOT_NULL(self);
    return self;
}

/* Makes a ring and returns its first object. The caller has the only reference from outside. */
static Couple *
make_ring(PyTypeObject *type, int count)
{
    Couple *first = new_couple(type), *last = first;
    for (int i = 1; i < count; i++) {
        Couple *next = new_couple(type);
        last->ref[0] = (PyObject *)next;
        last = next;
    }
    last->ref[0] = Py_NewRef(first);
    return first;
}

static size_t
objects_alive(void)
{
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    return usage.objects;
}

TEST_PY(a_ring_of_plain_objects_is_freed)
{
    size_t before = objects_alive();
    Py_DECREF(make_ring(&Couple_Type, 5000));
    EXPECT_EQ(PyGC_Collect(), 5000);
    EXPECT_EQ(objects_alive(), before);
}

TEST_PY(plain_garbage_leaves_the_count_of_young_objects_at_zero)
{
    int counts[3];
    PyGC_Disable(); /* the ring waits for the collection below */
    Py_DECREF(make_ring(&Couple_Type, 10));
    EXPECT_EQ(Ouro_GCCollect(2), 10);
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[0], 0);
}

TEST_PY(a_ring_of_plain_objects_that_is_held_stays)
{
    Couple *ring = make_ring(&Couple_Type, 5000);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Py_REFCNT(ring), 2);
    Py_DECREF(ring);
    EXPECT_EQ(PyGC_Collect(), 5000);
}

TEST_PY(young_plain_garbage_is_freed_beside_old_objects)
{
    Couple *old = make_ring(&Couple_Type, 3000);
    PyGC_Collect();
    PyGC_Disable();
    Couple *young = make_ring(&Couple_Type, 1000);
    young->ref[1] = Py_NewRef(old);
    Py_DECREF(young);
    EXPECT_EQ(Ouro_GCCollect(0), 1000);
    EXPECT_EQ(Py_REFCNT(old), 2);
    PyGC_Enable();
    Py_DECREF(old);
    EXPECT_EQ(PyGC_Collect(), 3000);
}

TEST_PY(plain_garbage_releases_what_it_refers_to_outside)
{
    PyObject *text = PyUnicode_FromString("not an interned text");
    PyObject *list = PyList_New(0);
    Couple *ring = make_ring(&Couple_Type, 3);
    ring->ref[1] = Py_NewRef(text);
    ((Couple *)ring->ref[0])->ref[1] = Py_NewRef(list);
    Py_DECREF(ring);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(Py_REFCNT(text), 1);
    EXPECT_EQ(Py_REFCNT(list), 1);
    Py_DECREF(text);
    Py_DECREF(list);
}

/* Nothing else is young: the collection sees by its counters whether a reference leads outside. A
 * counter that was counted down 128 times is what it was. */
TEST_PY(young_plain_garbage_releases_an_untracked_object_beside_it)
{
    static const int counts[] = {0, 1, 127, 128, 129, 256};
    for (size_t i = 0; i < 2 * sizeof counts / sizeof counts[0]; i++) {
        PyGC_Collect();
        PyGC_Disable();
        Couple *beside = new_couple(&Couple_Type);
        PyObject_GC_UnTrack(beside);
        Couple *ring = make_ring(&Couple_Type, 300), *member = ring;
        for (int n = 0; n < counts[i / 2]; n++) {
            member->ref[1] = Py_NewRef(beside);
            member = (Couple *)member->ref[0];
        }
        Py_DECREF(ring);
        EXPECT_EQ(Ouro_GCCollect((int)i % 2), 300);
        EXPECT_EQ(Py_REFCNT(beside), 1);
        PyGC_Enable();
        Py_DECREF(beside);
    }
}

TEST_PY(plain_garbage_frees_a_text_that_nothing_else_refers_to)
{
    Couple *ring = make_ring(&Couple_Type, 3);
    ring->ref[1] = PyUnicode_FromString("the last reference is here");
    Py_DECREF(ring);
    EXPECT_EQ(PyGC_Collect(), 3);
}

/* The text is of a subtype, which may have a destructor of its own. */
TEST_PY(plain_garbage_frees_a_text_of_a_subtype)
{
    PyObject *type = PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){s()}", "Text",
                                           &PyUnicode_Type, "__slots__");
    REQUIRE_NOT_NULL(type);
    PyObject *text = PyObject_CallFunction(type, "s", "the last reference is here");
    REQUIRE_NOT_NULL(text);
    Py_ssize_t before = Py_REFCNT(type); /* the text has one of them */
    Couple *ring = make_ring(&Couple_Type, 3);
    ring->ref[1] = text; /* moved */
    Py_DECREF(ring);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(Py_REFCNT(type), before - 1);
    Py_DECREF(type);
    PyGC_Collect();
}

/* Whole pages of one declared type. */
TEST_PY(young_garbage_of_a_type_with_a_destructor_is_freed_by_the_destructor)
{
    PyGC_Collect();
    PyGC_Disable();
    deaths = 0;
    looked_at = NULL;
    Py_DECREF(make_ring(&Watched_Type, 7000));
    EXPECT_EQ(Ouro_GCCollect(0), 7000);
    EXPECT_EQ(deaths, 7000);
    PyGC_Enable();
}

/* Young garbage holds an old object. The destructor of that object sees the garbage whole. */
TEST_PY(a_destructor_that_runs_sees_the_whole_set_and_may_keep_a_member)
{
    Couple *child = new_couple(&Watched_Type);
    PyGC_Collect();
    PyGC_Disable(); /* the ring stays young */
    Couple *ring = make_ring(&Couple_Type, 10);
    ((Couple *)ring->ref[0])->ref[1] = (PyObject *)child;
    looked_at = ring;
    deaths = 0;
    kept = NULL;
    Py_DECREF(ring);
    EXPECT_EQ(Ouro_GCCollect(0), 10);
    EXPECT_EQ(deaths, 1);
    REQUIRE(kept == (PyObject *)ring);
    EXPECT_EQ(Py_REFCNT(kept), 1); /* its fields were cleared, and it is alive */
    Py_CLEAR(kept);
}

/* Each object of the ring refers to the hub, and the hub holds the ring. Both are garbage. */
static void
tie_to_hub(Couple *ring, Couple *hub)
{
    Couple *at = ring;
    do {
        at->ref[1] = Py_NewRef(hub);
        at = (Couple *)at->ref[0];
    } while (at != ring);
    hub->ref[0] = (PyObject *)ring;
    Py_DECREF(hub);
}

TEST_PY(a_large_count_that_the_set_explains_is_no_obstacle)
{
    size_t before = objects_alive();
    Couple *hub = new_couple(&Couple_Type);
    Couple *ring = make_ring(&Couple_Type, 70000);
    tie_to_hub(ring, hub);
    EXPECT_EQ(PyGC_Collect(), 70001);
    EXPECT_EQ(objects_alive(), before);
}

/* A counter that was counted down 128 times is what it was. The object is no member all the same. */
TEST_PY(an_untracked_object_beside_members_with_large_counts_stays)
{
    PyGC_Collect();
    PyGC_Disable();
    Couple *beside = new_couple(&Couple_Type), *hub = new_couple(&Couple_Type);
    PyObject_GC_UnTrack(beside);
    tie_to_hub(make_ring(&Couple_Type, 300), hub);
    Couple *ring = make_ring(&Couple_Type, 200), *member = ring;
    for (int i = 0; i < 128; i++) {
        member->ref[1] = Py_NewRef(beside);
        member = (Couple *)member->ref[0];
    }
    Py_DECREF(ring);
    EXPECT_EQ(Ouro_GCCollect(0), 501);
    EXPECT_EQ(Py_REFCNT(beside), 1);
    PyGC_Enable();
    Py_DECREF(beside);
}

/* Members are visited in address order. Here all objects that refer to the hub come before it. */
TEST_PY(a_large_count_behind_what_refers_to_it_is_explained)
{
    size_t before = objects_alive();
    Couple *ring = make_ring(&Couple_Type, 3000), *hub = new_couple(&Couple_Type);
    tie_to_hub(ring, hub);
    EXPECT_EQ(PyGC_Collect(), 3001);
    EXPECT_EQ(objects_alive(), before);
}

/* As many references lead out of the set as into it, so the residue is zero. */
TEST_PY(references_to_the_outside_explain_no_large_count)
{
    PyObject *outside = PyList_New(0);
    Couple *ring = make_ring(&Couple_Type, 300), *at = ring;
    for (int i = 0; i < 127; i++) {
        at = (Couple *)at->ref[0];
        at->ref[1] = Py_NewRef(ring);
        Py_INCREF(ring);
    }
    for (int i = 0; i < 128; i++) {
        at = (Couple *)at->ref[0];
        at->ref[1] = Py_NewRef(outside);
    }
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Py_REFCNT(ring), 256);
    EXPECT_EQ(Py_REFCNT(outside), 129);
    for (int i = 0; i < 128; i++) {
        Py_DECREF(ring);
    }
    EXPECT_EQ(PyGC_Collect(), 300);
    EXPECT_EQ(Py_REFCNT(outside), 1);
    Py_DECREF(outside);
}

/* The members have 129 references, none of them to the outside. The first has 129, but 128 of
 * these come from outside, so the residue is zero. */
TEST_PY(references_to_other_members_explain_no_large_count)
{
    Couple *ring = make_ring(&Couple_Type, 129);
    for (int i = 0; i < 127; i++) {
        Py_INCREF(ring);
    }
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Py_REFCNT(ring), 129);
    EXPECT_EQ(Py_REFCNT(ring->ref[0]), 1);
    for (int i = 0; i < 128; i++) {
        Py_DECREF(ring);
    }
    EXPECT_EQ(PyGC_Collect(), 129);
}

/* There are 128 references from inside and 128 from outside, so the residue is zero. */
TEST_PY(a_large_count_that_the_set_does_not_explain_keeps_the_set)
{
    Couple *ring = make_ring(&Couple_Type, 300), *at = ring;
    for (int i = 0; i < 127; i++) {
        at = (Couple *)at->ref[0];
        at->ref[1] = Py_NewRef(ring);
    }
    for (int i = 0; i < 127; i++) {
        Py_INCREF(ring);
    }
    EXPECT_EQ(Py_REFCNT(ring), 256);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Py_REFCNT(ring), 256);
    EXPECT(ring->ref[0] != NULL);
    for (int i = 0; i < 128; i++) {
        Py_DECREF(ring);
    }
    EXPECT_EQ(PyGC_Collect(), 300);
}

/* All 128 references come from outside, so the residue is zero. */
TEST_PY(a_large_count_that_no_member_explains_keeps_the_object)
{
    Couple *alone = new_couple(&Couple_Type);
    for (int i = 0; i < 127; i++) {
        Py_INCREF(alone);
    }
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Py_REFCNT(alone), 128);
    EXPECT_EQ(PyObject_GC_IsTracked((PyObject *)alone), 1);
    for (int i = 0; i < 128; i++) {
        Py_DECREF(alone);
    }
}

TEST_PY(a_set_of_plain_and_other_objects_is_destroyed_by_handlers)
{
    Couple *ring = make_ring(&Couple_Type, 100);
    Couple *other = new_couple(&Watched_Type);
    other->ref[0] = Py_NewRef(ring);
    ring->ref[1] = (PyObject *)other;
    deaths = 0;
    looked_at = NULL;
    Py_DECREF(ring);
    EXPECT_EQ(PyGC_Collect(), 101);
    EXPECT_EQ(deaths, 1);
}

TEST_PY(a_bound_method_among_other_objects_has_both_parts_until_it_dies)
{
    Couple *other = new_couple(&Watched_Type);
    PyObject *method = PyMethod_New((PyObject *)&PyList_Type, (PyObject *)other);
    PyObject *weakref = PyWeakref_NewRef(method, NULL);
    other->ref[0] = method;
    deaths = 0;
    looked_at = NULL;
    Py_DECREF(other);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(deaths, 1);
    EXPECT_EQ(PyWeakref_GetRef(weakref, &method), 0);
    Py_DECREF(weakref);
}

TEST_PY(plain_instances_of_a_heap_type_release_it)
{
    static PyType_Slot slots[] = {OURO_SLOT_FIELDS(Couple), {0, NULL}};
    static PyType_Spec spec = {"test.HeapCouple", sizeof(Couple), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    Py_ssize_t before = Py_REFCNT(type);
    for (int round = 0; round < 2; round++) {
        Couple *ring = make_ring(type, 50);
        Py_DECREF(ring);
        EXPECT_EQ(PyGC_Collect(), 50);
        EXPECT_EQ(Py_REFCNT(type), before);
    }
    Py_DECREF(type);
}

/* --- pages in which all objects are young garbage of one type -------------------------------- */

enum { A_PAGE_AND_A_HALF = 3000 };

TEST_PY(young_plain_garbage_with_free_slots_between_is_freed_once)
{
    static Couple *apart[A_PAGE_AND_A_HALF];
    PyGC_Collect();
    PyGC_Disable();
    size_t before = objects_alive();
    for (int i = 0; i < A_PAGE_AND_A_HALF; i++) {
        apart[i] = new_couple(&Couple_Type);
    }
    for (int i = 0; i < A_PAGE_AND_A_HALF; i += 2) {
        apart[i]->ref[0] = (PyObject *)apart[i];
        Py_DECREF(apart[i + 1]);
    }
    EXPECT_EQ(Ouro_GCCollect(0), A_PAGE_AND_A_HALF / 2);
    EXPECT_EQ(objects_alive(), before);
    Couple *ring = make_ring(&Couple_Type, 2 * A_PAGE_AND_A_HALF);
    EXPECT_EQ(objects_alive(), before + 2 * A_PAGE_AND_A_HALF);
    Py_DECREF(ring);
    EXPECT_EQ(Ouro_GCCollect(0), 2 * A_PAGE_AND_A_HALF);
    EXPECT_EQ(objects_alive(), before);
}

TEST_PY(young_plain_garbage_dies_beside_a_survivor_in_its_page)
{
    PyGC_Collect();
    PyGC_Disable();
    PyObject *old = PyList_New(0);
    Couple *garbage = make_ring(&Couple_Type, 500);
    Couple *survivor = new_couple(&Couple_Type);
    Couple *more = make_ring(&Couple_Type, 500);
    garbage->ref[1] = Py_NewRef(survivor);
    more->ref[1] = Py_NewRef(old);
    Py_DECREF(garbage);
    Py_DECREF(more);
    EXPECT_EQ(Ouro_GCCollect(0), 1000);
    EXPECT_EQ(Py_REFCNT(survivor), 1);
    EXPECT_EQ(Py_REFCNT(old), 1);
    Py_DECREF(survivor);
    Py_DECREF(old);
}

TEST_PY(a_page_of_plain_objects_survives_that_only_another_page_leads_to)
{
    for (int generation = 0; generation < 3; generation++) {
        PyGC_Disable();
        Ouro_GCCollect(2);
        Couple *ring = make_ring(&Couple_Type, A_PAGE_AND_A_HALF);
        PyObject *list = PyList_New(0);
        EXPECT_EQ(PyList_Append(list, (PyObject *)ring), 0);
        Py_DECREF(ring);
        EXPECT_EQ(Ouro_GCCollect(generation), 0);
        EXPECT_EQ(Py_REFCNT(ring), 2);
        Py_DECREF(list);
        EXPECT_EQ(Ouro_GCCollect(2), A_PAGE_AND_A_HALF);
    }
}

TEST_PY(young_garbage_of_two_types_in_a_page_is_destroyed_as_each_type_asks)
{
    PyGC_Collect();
    PyGC_Disable();
    deaths = 0;
    looked_at = NULL;
    Couple *ring = make_ring(&Couple_Type, 400);
    Couple *watched = make_ring(&Watched_Type, 300);
    Couple *last = make_ring(&Couple_Type, 400);
    Py_DECREF(ring);
    Py_DECREF(watched);
    Py_DECREF(last);
    EXPECT_EQ(Ouro_GCCollect(0), 1100);
    EXPECT_EQ(deaths, 300);
}

/* The same size, and handlers instead of a list of fields. */
static int
handled_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Couple *)self)->ref[0]);
    return 0;
}

static int
handled_clear(PyObject *self)
{
    Py_CLEAR(((Couple *)self)->ref[0]);
    return 0;
}

static void
handled_dealloc(PyObject *self)
{
    deaths++;
    PyObject_GC_UnTrack(self);
    (void)handled_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject Handled_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name =
                                        "test.Handled",
                                    .tp_basicsize = sizeof(Couple),
                                    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                    .tp_traverse = handled_traverse,
                                    .tp_clear = handled_clear,
                                    .tp_dealloc = handled_dealloc,
                                    .tp_free = PyObject_GC_Del};

TEST_PY(young_garbage_with_handlers_among_garbage_without_them_is_destroyed_by_them)
{
    PyGC_Collect();
    PyGC_Disable();
    deaths = 0;
    Couple *ring = make_ring(&Couple_Type, A_PAGE_AND_A_HALF);
    Couple *handled = make_ring(&Handled_Type, 1);
    Couple *last = make_ring(&Couple_Type, A_PAGE_AND_A_HALF);
    Py_DECREF(ring);
    Py_DECREF(handled);
    Py_DECREF(last);
    EXPECT_EQ(Ouro_GCCollect(0), 2 * A_PAGE_AND_A_HALF + 1);
    EXPECT_EQ(deaths, 1);
}

/* No other object has this size: all pages of its size are uniform. */
typedef struct {
    PyObject_HEAD
    PyObject *ref[2];
    char rest[424];
} Alone;
OURO_FIELDS(Alone, OURO_ARRAY(ref));

TEST_PY(pages_of_young_instances_of_a_heap_type_release_it)
{
    static PyType_Slot slots[] = {OURO_SLOT_FIELDS(Alone), {0, NULL}};
    static PyType_Spec spec = {"test.Alone", sizeof(Alone), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    PyGC_Collect();
    PyGC_Disable();
    Py_ssize_t before = Py_REFCNT(type);
    Py_DECREF(make_ring(type, 500));
    EXPECT_EQ(Ouro_GCCollect(0), 500);
    EXPECT_EQ(Py_REFCNT(type), before);
    Py_DECREF(type);
}

static PyTypeObject Alone_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Alone", .tp_basicsize = sizeof(Alone),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, OURO_TYPE_FIELDS(Alone)};

/* The object was never tracked. A collection does not visit its page, which lies between pages of
 * candidates. */
TEST_PY(plain_garbage_releases_an_untracked_object_in_a_page_without_tracked_ones)
{
    REQUIRE_EQ(PyType_Ready(&Alone_Type), 0);
    PyGC_Disable();
    for (int generation = 0; generation < 3; generation++) {
        Py_DECREF(make_ring(&Alone_Type, 1));
        EXPECT_EQ(Ouro_GCCollect(2), 1); /* forgets how the page is scanned */
        Alone *beside = PyObject_GC_New(Alone, &Alone_Type);
        beside->ref[0] = beside->ref[1] = NULL;
        Couple *ring = make_ring(&Couple_Type, 2 * A_PAGE_AND_A_HALF);
        ring->ref[1] = Py_NewRef(beside);
        Py_DECREF(ring);
        EXPECT_EQ(Ouro_GCCollect(generation), 2 * A_PAGE_AND_A_HALF);
        EXPECT_EQ(Py_REFCNT(beside), 1);
        Py_DECREF(beside);
    }
}

/* 128 references from outside leave no residue. */
TEST_PY(a_page_of_young_objects_survives_that_is_held_a_round_number_of_times)
{
    PyObject *holder = PyList_New(0);
    PyGC_Collect();
    PyGC_Disable();
    Couple *ring = make_ring(&Couple_Type, A_PAGE_AND_A_HALF);
    for (int i = 0; i < 127; i++) {
        EXPECT_EQ(PyList_Append(holder, (PyObject *)ring), 0);
    }
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_EQ(Py_REFCNT(ring), 129);
    Py_DECREF(ring);
    Py_DECREF(holder);
    EXPECT_EQ(Ouro_GCCollect(2), A_PAGE_AND_A_HALF);
}

TEST_PY(saveall_shows_plain_objects)
{
    Py_DECREF(make_ring(&Couple_Type, 4));
    Ouro_GCSetDebug(OURO_DEBUG_SAVEALL);
    EXPECT_EQ(PyGC_Collect(), 4);
    Ouro_GCSetDebug(0);
    PyObject *garbage = Ouro_GCGarbage();
    EXPECT_EQ(PyList_GET_SIZE(garbage), 4);
    EXPECT_EQ(PyList_SetSlice(garbage, 0, 4, NULL), 0);
    EXPECT_EQ(PyGC_Collect(), 4);
}

/* --- which types are plain ---------------------------------------------------------------------- */

static bool
is_plain(PyTypeObject *type)
{
    REQUIRE_EQ(PyType_Ready(type), 0);
    return ouro_edges_are_plain(type->tp_ouro_edges, type);
}

typedef struct {
    PyObject_VAR_HEAD
    PyObject *ref[1];
} Wide;
OURO_FIELDS(Wide, OURO_ITEMS(ref));
static PyTypeObject Wide_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Wide",
    .tp_basicsize = offsetof(Wide, ref), .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, OURO_TYPE_FIELDS(Wide)};

/* One object has many items, and each item refers back to it. This is collected `rounds` times,
 * because remains of one collection would show in the next. */
static void
collect_stars(Py_ssize_t points, int rounds)
{
    REQUIRE(is_plain(&Wide_Type) || OURO_CHECK);
    for (int round = 0; round < rounds; round++) {
        Wide *hub = (Wide *)PyType_GenericAlloc(&Wide_Type, points);
        REQUIRE_NOT_NULL(hub);
        for (Py_ssize_t i = 0; i < points; i++) {
            Couple *point = new_couple(&Couple_Type);
            point->ref[0] = Py_NewRef(hub);
            hub->ref[i] = (PyObject *)point;
        }
        EXPECT_EQ(PyGC_Collect(), 0);
        Py_DECREF(hub);
        EXPECT_EQ(PyGC_Collect(), points + 1);
    }
}

TEST_PY(objects_with_items_are_plain_and_freed)
{
    size_t before = objects_alive();
    collect_stars(10, 3);
    collect_stars(200, 3);
    EXPECT_EQ(objects_alive(), before);
}

TEST_PY(a_large_plain_object_leaves_no_counter_behind)
{
    size_t before = objects_alive();
    collect_stars(20000, 3);
    EXPECT_EQ(objects_alive(), before);
}

typedef struct {
    PyObject *key, *value;
} Pair;
OURO_STRUCT_FIELDS(Pair, key, value);

typedef struct {
    PyObject_HEAD
    PyObject **refs;
    Py_ssize_t count;
    Pair *pairs;
    int pair_count;
    PyObject *last;
    PyObject *weakrefs;
} Holder;
OURO_FIELDS(Holder, OURO_COUNTED(refs, count, PyMem_Free),
            OURO_STRUCTS(Pair, pairs, pair_count, PyMem_Free), last,
            OURO_WEAKREFS(weakrefs));
static PyTypeObject Holder_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Holder",
    .tp_basicsize = sizeof(Holder), .tp_weaklistoffset = offsetof(Holder, weakrefs),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, OURO_TYPE_FIELDS(Holder)};

/* An object that refers to itself five times, and to `other`. */
static Holder *
new_holder(PyObject *other)
{
    Holder *self = (Holder *)PyType_GenericAlloc(&Holder_Type, 0);
    REQUIRE_NOT_NULL(self);
    self->count = 3;
    self->refs = PyMem_Calloc(3, sizeof self->refs[0]);
    self->refs[0] = Py_NewRef(self);
    self->refs[2] = Py_NewRef(other);
    self->pair_count = 2;
    self->pairs = PyMem_Calloc(2, sizeof self->pairs[0]);
    self->pairs[0].value = Py_NewRef(self);
    self->pairs[1].key = Py_NewRef(self);
    self->pairs[1].value = Py_NewRef(other);
    self->last = Py_NewRef(self);
    return self;
}

TEST_PY(objects_with_arrays_are_plain_and_free_them)
{
    EXPECT(is_plain(&Holder_Type) || OURO_CHECK);
    PyObject *other = PyList_New(0);
    size_t before = objects_alive();
    PyGC_Disable();                 /* all of them wait for the collection below */
    for (int i = 0; i < 100; i++) { /* under AddressSanitizer a lost array is a leak */
        Py_DECREF(new_holder(other));
    }
    PyGC_Enable();
    EXPECT_EQ(Py_REFCNT(other), 201);
    EXPECT_EQ(PyGC_Collect(), 100);
    EXPECT_EQ(Py_REFCNT(other), 1);
    EXPECT_EQ(objects_alive(), before);
    Py_DECREF(other);
}

TEST_PY(weak_references_to_plain_objects_are_cleared)
{
    REQUIRE_EQ(PyType_Ready(&Holder_Type), 0);
    Holder *holder = new_holder(Py_None);
    PyObject *weakref = PyWeakref_NewRef((PyObject *)holder, NULL);
    Py_DECREF(new_holder(Py_None));
    Py_DECREF(holder);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(PyWeakref_GetObject(weakref), Py_None);
    Py_DECREF(weakref);
}

static int releases;

static void
release_and_count(void *array)
{
    releases++;
    PyMem_Free(array);
}

typedef struct {
    PyObject_HEAD
    PyObject **refs;
    Py_ssize_t count;
} Custom;
OURO_FIELDS(Custom, OURO_COUNTED(refs, count, release_and_count));
static PyTypeObject Custom_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Custom",
                                   .tp_basicsize = sizeof(Custom),
                                   .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                   OURO_TYPE_FIELDS(Custom)};

TEST_PY(an_array_with_a_release_function_of_the_program_is_not_plain)
{
    EXPECT(!is_plain(&Custom_Type));
    Custom *self = (Custom *)PyType_GenericAlloc(&Custom_Type, 0);
    self->refs = PyMem_Calloc(1, sizeof self->refs[0]);
    self->count = 1;
    self->refs[0] = Py_NewRef(self);
    releases = 0;
    Py_DECREF(self);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(releases, 1);
}

typedef struct {
    Couple couple;
    PyObject *more;
} Derived;
OURO_FIELDS(Derived, more);
static PyTypeObject Derived_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Derived",
    .tp_basicsize = sizeof(Derived), .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_base = &Couple_Type, OURO_TYPE_FIELDS(Derived)};
static PyTypeObject OfWatched_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.OfWatched",
    .tp_basicsize = sizeof(Derived), .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_base = &Watched_Type, OURO_TYPE_FIELDS(Derived)};

TEST_PY(a_subtype_is_plain_if_its_base_is)
{
    EXPECT(is_plain(&Derived_Type) || OURO_CHECK);
    EXPECT(!is_plain(&OfWatched_Type));
    size_t before = objects_alive();
    PyTypeObject *types[] = {&Derived_Type, &OfWatched_Type};
    deaths = 0;
    looked_at = NULL;
    for (int i = 0; i < 2; i++) {
        Derived *self = (Derived *)PyType_GenericAlloc(types[i], 0);
        self->more = Py_NewRef(self);
        self->couple.ref[0] = Py_NewRef(self);
        self->couple.ref[1] = PyUnicode_FromString("a text of the base");
        Py_DECREF(self);
        EXPECT_EQ(PyGC_Collect(), 1);
        EXPECT_EQ(deaths, i);
    }
    EXPECT_EQ(objects_alive(), before);
}

static int finalized;

static void
count_finalized(PyObject *Py_UNUSED(self))
{
    finalized++;
}

static PyTypeObject Changed_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Changed",
    .tp_basicsize = sizeof(Couple), .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Couple)};

TEST_PY(a_type_that_gets_a_finalizer_is_no_longer_plain, .mistakes = true)
{
    REQUIRE(is_plain(&Changed_Type) || OURO_CHECK);
    Changed_Type.tp_finalize = count_finalized;
    EXPECT(!is_plain(&Changed_Type));
    Py_DECREF(make_ring(&Changed_Type, 5));
    EXPECT_EQ(PyGC_Collect(), 5);
    EXPECT_EQ(finalized, 5);
    Changed_Type.tp_finalize = NULL;
    EXPECT(is_plain(&Changed_Type) || OURO_CHECK);
    Changed_Type.tp_del = count_finalized;
    EXPECT(!is_plain(&Changed_Type));
    Py_DECREF(make_ring(&Changed_Type, 5));
    PyGC_Collect();
    EXPECT_EQ(PyList_GET_SIZE(Ouro_GCGarbage()), 5); /* kept for the program */
    Changed_Type.tp_del = NULL;
    PyList_SetSlice(Ouro_GCGarbage(), 0, 5, NULL);
    EXPECT_EQ(PyGC_Collect(), 5);
    EXPECT_EQ(finalized, 5);
}

TEST_PY(list_tuple_dict_set_cell_and_method_are_plain)
{
    PyTypeObject *types[] = {&PyList_Type, &PyTuple_Type,     &PyDict_Type,  &PySet_Type,
                             &PyCell_Type, &PyFrozenSet_Type, &PyMethod_Type};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        EXPECT(is_plain(types[i]) || OURO_CHECK);
    }
}

/* cell -> list -> tuple -> dict -> cell, and tuple -> cell */
TEST_PY(a_cycle_of_built_in_containers_is_freed)
{
    for (int round = 0; round < 3; round++) {
        size_t before = objects_alive();
        PyObject *cell = PyCell_New(NULL), *list = PyList_New(0);
        PyObject *dict = PyDict_New(), *tuple = PyTuple_Pack(2, dict, cell);
        PyObject *text = PyUnicode_FromString("the key");
        REQUIRE_EQ(PyCell_Set(cell, list), 0);
        REQUIRE_EQ(PyList_Append(list, tuple), 0);
        REQUIRE_EQ(PyDict_SetItem(dict, text, cell), 0);
        Py_DECREF(list);
        Py_DECREF(tuple);
        Py_DECREF(dict);
        Py_DECREF(cell);
        EXPECT_EQ(PyGC_Collect(), 4);
        EXPECT_EQ(Py_REFCNT(text), 1);
        EXPECT_EQ(objects_alive(), before);
        Py_DECREF(text);
    }
}
