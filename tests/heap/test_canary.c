/* SPDX-License-Identifier: MIT */
/* OURO_HEAP_CANARIES=1: a write beyond the end of an object is noticed when the object is freed, in
 * whichever way that happens. */
#include "../harness.h"

#include <ouro_fields.h>
#include <ouroboros.h>

#include <stdlib.h>
#include <string.h>

#include "../../src/heap/heap.h"
#include "../../src/thread/interpreter.h"

struct node {
    PyObject_HEAD
    PyObject *other;
};

static int
node_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct node *)op)->other);
    return 0;
}

static int
node_clear(PyObject *op)
{
    Py_CLEAR(((struct node *)op)->other);
    return 0;
}

static bool releases_itself;

static void
node_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    node_clear(op);
    if (releases_itself) {
        Py_SET_REFCNT(op, Py_REFCNT(op) - 1); /* as a stray Py_DECREF does */
    }
    PyObject_GC_Del(op);
}

static PyTypeObject node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "node",
    .tp_basicsize = sizeof(struct node),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_dealloc = node_dealloc,
};

/* An object that the collector destroys by its declared fields, without handlers. */
typedef struct {
    PyObject_HEAD
    PyObject *other;
} Plain;
OURO_FIELDS(Plain, other);

static PyTypeObject Plain_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "plain", .tp_basicsize = sizeof(Plain),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, OURO_TYPE_FIELDS(Plain)};

/* Starts the interpreter with canaries. */
static void
start(void)
{
    setenv("OURO_HEAP_CANARIES", "1", 1);
    Py_Initialize();
    REQUIRE_EQ(PyType_Ready(&node_type), 0);
    REQUIRE_EQ(PyType_Ready(&Plain_Type), 0);
    REQUIRE(ouro_heap_has_canaries(&ouro_current.interp->heap));
}

static struct node *
new_node(PyTypeObject *type, PyObject *other)
{
    struct node *node = PyObject_GC_New(struct node, type);
    REQUIRE_NOT_NULL(node);
    node->other = Py_XNewRef(other);
    PyObject_GC_Track(node);
    return node;
}

static void
write_behind(void *op, size_t size, size_t distance)
{
    ((char *)op)[size + distance] ^= 1;
}

TEST(a_heap_has_no_canaries_unless_they_are_asked_for)
{
    unsetenv("OURO_HEAP_CANARIES");
    Py_Initialize();
    EXPECT(!ouro_heap_has_canaries(&ouro_current.interp->heap));
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

TEST(objects_of_every_size_live_and_die_with_canaries)
{
    start();
    for (Py_ssize_t items = 0; items < 20000; items += 1 + items / 7) {
        struct node *node =
            (struct node *)PyObject_GC_NewVar(struct node, &node_type, items);
        REQUIRE_NOT_NULL(node);
        size_t size = sizeof(struct node) + (size_t)items * sizeof(PyObject *);
        memset((char *)node + sizeof(PyVarObject), 0, size - sizeof(PyVarObject));
        memset((char *)node + sizeof(struct node), 0xFF, size - sizeof(struct node));
        node = (struct node *)PyObject_GC_Resize(PyVarObject, (PyVarObject *)node,
                                                 items + 3);
        REQUIRE_NOT_NULL(node);
        node->other = NULL;
        Py_DECREF(node);
    }
    PyObject *list = PyList_New(0);
    REQUIRE_NOT_NULL(list);
    for (int i = 0; i < 10000; i++) {
        PyObject *pair = Py_BuildValue("(iO)", i, list);
        REQUIRE_EQ(PyList_Append(list, pair), 0);
        Py_DECREF(pair);
    }
    Py_DECREF(list);
    EXPECT_GT(PyGC_Collect(), 0);
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

static void
free_after_writing(size_t distance)
{
    struct node *node = new_node(&node_type, NULL);
    write_behind(node, sizeof *node, distance);
    Py_DECREF(node);
}

TEST(a_byte_written_behind_an_object_is_fatal_when_it_is_freed, .mistakes = true)
{
    start();
    size_t room = ouro_heap_block_size(&ouro_current.interp->heap,
                                       (PyObject *)new_node(&node_type, NULL));
    REQUIRE(room >= sizeof(struct node) + OURO_CANARY);
    for (size_t distance = 0; distance < room - sizeof(struct node); distance++) {
        EXPECT_FATAL(free_after_writing(distance), "wrote beyond its end");
    }
    EXPECT_FATAL(free_after_writing(0), "the 'node' object at 0x");
}

static void
resize_after_writing(void)
{
    PyVarObject *op = PyObject_GC_NewVar(PyVarObject, &node_type, 5);
    write_behind(op, sizeof(struct node) + 5 * sizeof(PyObject *), 0);
    (void)PyObject_GC_Resize(PyVarObject, op, 50);
}

TEST(a_byte_written_behind_an_object_is_fatal_when_it_is_resized, .mistakes = true)
{
    start();
    EXPECT_FATAL(resize_after_writing(), "wrote beyond its end");
}

/* Collects a cycle of two objects of a type; `writes`: a byte behind one of them is written. */
static void
collect_after_writing(PyTypeObject *type, bool writes)
{
    struct node *first = new_node(type, NULL),
                *second = new_node(type, (PyObject *)first);
    first->other = (PyObject *)second;
    if (writes) {
        write_behind(second, sizeof *second, 0);
    }
    Py_DECREF(first);
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST(a_byte_written_behind_an_object_is_fatal_when_its_cycle_is_collected,
     .mistakes = true)
{
    start();
    EXPECT_FATAL(collect_after_writing(&node_type, true), "the 'node' object at 0x");
    EXPECT_FATAL(collect_after_writing(&Plain_Type, true), "the 'plain' object at 0x");
    EXPECT_SURVIVES(collect_after_writing(&node_type, false));
    EXPECT_SURVIVES(collect_after_writing(&Plain_Type, false));
}

static void
die_releasing_itself(void)
{
    releases_itself = true;
    Py_DECREF(new_node(&node_type, NULL));
}

TEST(a_reference_released_while_an_object_dies_is_fatal_when_it_is_freed,
     .mistakes = true)
{
    start();
    EXPECT_FATAL(die_releasing_itself(), "released once too often");
}

TEST(a_constructor_that_fails_may_free_with_one_reference)
{
    start();
    PyObject_GC_Del(PyObject_GC_New(struct node, &node_type));
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

/* With canaries an alarm sends every allocation to the slow path. Collections must be as frequent
 * as without. */
TEST(collections_come_as_often_with_canaries)
{
    start();
    ouro_current.interp->gc.stress = false;
    Ouro_GCSetPauseBudget(0);
    Ouro_GCStats before, after;
    PyGC_Collect();
    Ouro_GCGetStats(0, &before);
    struct node *kept[4002];
    Ouro_GCSetThresholds((int[]){1000, 10, 10}, 3);
    for (int i = 0; i < 4002; i++) {
        kept[i] = new_node(&node_type, NULL);
    }
    Ouro_GCGetStats(0, &after);
    EXPECT_EQ(after.collections - before.collections, 3);
    for (int i = 0; i < 4002; i++) {
        Py_DECREF(kept[i]);
    }
    EXPECT_EQ(Py_FinalizeEx(), 0);
}
