/* SPDX-License-Identifier: MIT */
/* Structures of millions of objects on a stack of 256 KiB die by their counts, or are collected:
 * scenarios C118 and C119. */
#include "../collector/nodes.h"

#define SMALL_STACK ((size_t)256 * 1024)

/* Sanitizers make each object ten times as expensive; the depth is what matters. */
static int
chain_length(void)
{
    bool is_slow = UNDER_ASAN || UNDER_TSAN || OURO_CHECK || under_valgrind();
    return is_slow ? 500 * 1000 : 5 * 1000 * 1000;
}

/* --- a chain of two-word containers ------------------------------------------------------------- */

struct link {
    PyObject_HEAD
    PyObject *next;
};

static int64_t destroyed;

static int
link_traverse(PyObject *self, visitproc visit, void *arg)
{
    if (PyType_HasFeature(Py_TYPE(self), Py_TPFLAGS_HEAPTYPE)) {
        Py_VISIT(Py_TYPE(self));
    }
    Py_VISIT(((struct link *)self)->next);
    return 0;
}

static int
link_clear(PyObject *self)
{
    Py_CLEAR(((struct link *)self)->next);
    return 0;
}

/* Untrack, release, free: the destructor that CPython's page teaches. */
static void
link_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    destroyed++;
    PyObject_GC_UnTrack(self);
    link_clear(self);
    type->tp_free(self);
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(type);
    }
}

/* The same between the macros that older sources use. */
static void
link_dealloc_trashcan(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, link_dealloc_trashcan) destroyed++;
    link_clear(self);
    type->tp_free(self);
    Py_TRASHCAN_END
}

static void
link_dealloc_old_trashcan(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_SAFE_BEGIN(self) destroyed++;
    link_clear(self);
    type->tp_free(self);
    Py_TRASHCAN_SAFE_END(self)
}

/* A destructor that needs 8 KiB of stack for itself. */
static void
link_dealloc_big_frame(PyObject *self)
{
    volatile char frame[8192];
    memset((char *)frame, 1, sizeof frame);
    link_dealloc(self);
    destroyed += frame[sizeof frame - 1] - 1;
}

static PyTypeObject link_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Link",
    .tp_basicsize = sizeof(struct link),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = link_dealloc,
    .tp_traverse = link_traverse,
    .tp_clear = link_clear,
};

static PyTypeObject *
static_link_type(destructor dealloc)
{
    link_type.tp_dealloc = dealloc;
    REQUIRE_EQ(PyType_Ready(&link_type), 0);
    return &link_type;
}

static PyTypeObject *
heap_link_type(destructor dealloc)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)dealloc},
        {Py_tp_traverse, (void *)link_traverse},
        {Py_tp_clear, (void *)link_clear},
        {0, NULL},
    };
    PyType_Spec spec = {"test.HeapLink", sizeof(struct link), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    return type;
}

/* The head of a chain; *last is its end. No collections meanwhile. */
static PyObject *
new_chain(PyTypeObject *type, int length, PyObject **last)
{
    PyObject *head = NULL;
    PyGC_Disable();
    for (int i = 0; i < length; i++) {
        struct link *fresh = PyObject_GC_New(struct link, type);
        REQUIRE_NOT_NULL(fresh);
        fresh->next = head;
        PyObject_GC_Track(fresh);
        head = (PyObject *)fresh;
        if (i == 0 && last != NULL) {
            *last = head;
        }
    }
    PyGC_Enable();
    return head;
}

static void
expect_chain_dies(PyTypeObject *type)
{
    Py_ssize_t before = Py_REFCNT(type);
    PyObject *head = new_chain(type, chain_length(), NULL);
    destroyed = 0;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, chain_length());
    EXPECT_EQ(Py_REFCNT(type), before);
}

TEST_PY(a_chain_of_a_static_type_dies_on_a_small_stack, .stack = SMALL_STACK,
        .timeout = 300) /* C118 */
{
    expect_chain_dies(static_link_type(link_dealloc));
}

TEST_PY(a_chain_of_a_heap_type_dies_on_a_small_stack, .stack = SMALL_STACK,
        .timeout = 300) /* C118 */
{
    PyTypeObject *type = heap_link_type(link_dealloc);
    expect_chain_dies(type);
    Py_DECREF(type);
}

TEST_PY(a_chain_with_trashcan_macros_dies_on_a_small_stack, .stack = SMALL_STACK,
        .timeout = 300) /* C118 */
{
    expect_chain_dies(static_link_type(link_dealloc_trashcan));
}

TEST_PY(a_chain_with_the_oldest_trashcan_macros_dies_on_a_small_stack,
        .stack = SMALL_STACK, .timeout = 300) /* C118 */
{
    expect_chain_dies(static_link_type(link_dealloc_old_trashcan));
}

TEST_PY(a_chain_whose_destructors_need_8_kib_each_dies_on_a_small_stack,
        .stack = SMALL_STACK, .timeout = 300) /* C118 */
{
    expect_chain_dies(static_link_type(link_dealloc_big_frame));
}

TEST_PY(a_heap_chain_whose_destructors_need_8_kib_each_dies_on_a_small_stack,
        .stack = SMALL_STACK, .timeout = 300) /* C118 */
{
    PyTypeObject *type = heap_link_type(link_dealloc_big_frame);
    expect_chain_dies(type);
    Py_DECREF(type);
}

/* Instances without a destructor of their own, chained through their dicts. Three destructors
 * alternate: the generic one, that of dict and that of object. */
TEST_PY(a_chain_through_managed_dicts_dies_on_a_small_stack, .stack = SMALL_STACK,
        .timeout = 300) /* C118 */
{
    PyType_Slot slots[] = {{Py_tp_traverse, (void *)PyObject_VisitManagedDict},
                           {0, NULL}};
    PyType_Spec spec = {"test.Open", sizeof(PyObject), 0,
                        Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT, slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    PyObject *name = PyUnicode_InternFromString("next");
    PyObject *head = PyType_GenericAlloc(type, 0);
    PyGC_Disable();
    for (int i = 1; i < chain_length() / 10; i++) {
        PyObject *fresh = PyType_GenericAlloc(type, 0);
        REQUIRE_EQ(PyObject_GenericSetAttr(fresh, name, head), 0);
        Py_DECREF(head);
        head = fresh;
    }
    PyGC_Enable();
    EXPECT_EQ(Py_REFCNT(head), 1);
    Py_DECREF(head);
    Py_DECREF(name);
    Py_DECREF(type);
    Ouro_HeapUsage usage;
    PyGC_Collect();
    Ouro_HeapGetUsage(&usage);
    EXPECT_LT(usage.objects, 100000);
}

/* --- built-in containers ---------------------------------------------------------------------------- */

TEST_PY(a_chain_of_tuples_dies_on_a_small_stack, .stack = SMALL_STACK,
        .timeout = 300) /* C118 */
{
    PyTypeObject *type = static_link_type(link_dealloc);
    PyObject *head = new_chain(type, 1, NULL); /* dies when the end is reached */
    PyGC_Disable();
    for (int i = 0; i < chain_length(); i++) {
        PyObject *fresh = PyTuple_New(1);
        REQUIRE_NOT_NULL(fresh);
        PyTuple_SET_ITEM(fresh, 0, head);
        head = fresh;
    }
    PyGC_Enable();
    destroyed = 0;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, 1);
}

TEST_PY(a_chain_of_lists_dies_on_a_small_stack, .stack = SMALL_STACK,
        .timeout = 300) /* C118 */
{
    PyTypeObject *type = static_link_type(link_dealloc);
    PyObject *head = new_chain(type, 1, NULL);
    PyGC_Disable();
    for (int i = 0; i < chain_length(); i++) {
        PyObject *fresh = PyList_New(1);
        REQUIRE_NOT_NULL(fresh);
        PyList_SET_ITEM(fresh, 0, head);
        head = fresh;
    }
    PyGC_Enable();
    destroyed = 0;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, 1);
}

TEST_PY(a_chain_of_dicts_dies_on_a_small_stack, .stack = SMALL_STACK,
        .timeout = 300) /* C118 */
{
    PyTypeObject *type = static_link_type(link_dealloc);
    PyObject *head = new_chain(type, 1, NULL);
    PyGC_Disable();
    for (int i = 0; i < chain_length() / 10; i++) {
        PyObject *fresh = PyDict_New();
        REQUIRE_NOT_NULL(fresh);
        REQUIRE_EQ(PyDict_SetItem(fresh, Py_None, head), 0);
        Py_DECREF(head);
        head = fresh;
    }
    PyGC_Enable();
    destroyed = 0;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, 1);
}

/* --- collected ------------------------------------------------------------------------------------------ */

static void
expect_ring_is_collected(PyTypeObject *type)
{
    PyObject *last;
    int length = chain_length();
    baseline_quiet();
    PyObject *head = new_chain(type, length, &last);
    ((struct link *)last)->next = head; /* the reference of the creator */
    destroyed = 0;
    EXPECT_EQ(PyGC_Collect(), length);
    EXPECT_EQ(destroyed, length);
}

TEST_PY(a_ring_of_millions_is_collected_on_a_small_stack, .stack = SMALL_STACK,
        .timeout = 300) /* C119 */
{
    expect_ring_is_collected(static_link_type(link_dealloc));
}

TEST_PY(a_ring_whose_destructors_need_8_kib_each_is_collected_on_a_small_stack,
        .stack = SMALL_STACK, .timeout = 300) /* C119 */
{
    expect_ring_is_collected(static_link_type(link_dealloc_big_frame));
}

TEST_PY(a_ring_of_a_heap_type_is_collected_on_a_small_stack, .stack = SMALL_STACK,
        .timeout = 300) /* C119 */
{
    PyTypeObject *type = heap_link_type(link_dealloc);
    expect_ring_is_collected(type);
    Py_DECREF(type);
}

/* Marking goes in the order of addresses, in the opposite order, or in random order. It may not
 * recurse in any of them. */
TEST_PY(long_live_chains_are_traversed_without_recursion, .stack = SMALL_STACK,
        .timeout = 300) /* C119 */
{
    PyTypeObject *type = static_link_type(link_dealloc);
    PyObject *head = new_chain(type, chain_length(), NULL);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(PyGC_Collect(), 0);
    }
    EXPECT_EQ(Ouro_GCCollect(0), 0);

    PyObject *previous = NULL; /* the same chain, the other way round */
    while (head != NULL) {
        PyObject *next = ((struct link *)head)->next;
        ((struct link *)head)->next = previous;
        previous = head;
        head = next;
    }
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(PyGC_Collect(), 0);
    }
    Py_DECREF(previous);
    EXPECT_EQ(destroyed, chain_length());
}

/* A dropped ring refers to a chain: clearing the ring releases the whole chain. */
TEST_PY(a_long_chain_that_hangs_off_a_ring_is_collected, .stack = SMALL_STACK,
        .timeout = 300) /* C119 */
{
    PyTypeObject *type = static_link_type(link_dealloc);
    int length = chain_length();
    baseline_quiet();
    PyObject *head = new_chain(type, length, NULL);
    PyObject *ring = new_node(&N, NULL);
    node_of(ring)->a = Py_NewRef(ring);
    node_of(ring)->b = head;
    Py_DECREF(ring);
    PyGC_Enable();
    EXPECT_EQ(PyGC_Collect(), length + 1);
    EXPECT_EQ(destroyed, length);
}

/* Untracked objects do not belong to the collected set: they die by their counts only. */
TEST_PY(a_long_untracked_chain_that_hangs_off_a_ring_dies, .stack = SMALL_STACK,
        .timeout = 300) /* C119 */
{
    PyTypeObject *type = static_link_type(link_dealloc);
    int length = chain_length();
    baseline_quiet();
    PyObject *head = new_chain(type, length, NULL);
    for (PyObject *at = head; at != NULL; at = ((struct link *)at)->next) {
        PyObject_GC_UnTrack(at);
    }
    PyObject *ring = new_node(&N, NULL);
    node_of(ring)->a = Py_NewRef(ring);
    node_of(ring)->b = head;
    Py_DECREF(ring);
    PyGC_Enable();
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(destroyed, length);
}
