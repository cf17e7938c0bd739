/* SPDX-License-Identifier: MIT */
/* A heap that is full: an allocation collects before it gives up, if it may. */
#include "boxes.h"

TEST_PY(a_full_heap_collects_before_it_gives_up)
{
    if (OURO_DEBUG && getenv("OURO_STRESS") != NULL) {
        SKIP("every allocation collects");
    }
    ready_types();
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    Ouro_GCSetThresholds((int[]){0}, 1); /* no automatic collections */
    Ouro_HeapSetLimit(usage.used_bytes + (2 << 20));
    boxes_destroyed = 0;
    for (int i = 0; i < 200000; i++) { /* garbage, several times the limit */
        struct box *box = new_box();
        box->ref = Py_NewRef(box);
        PyObject_GC_Track(box);
        Py_DECREF(box);
    }
    EXPECT_GT(boxes_destroyed, 0);

    struct box *chain = NULL; /* live objects, until the heap is full */
    int length = 0;
    for (;;) {
        struct box *box = PyObject_GC_New(struct box, &box_type);
        if (box == NULL) {
            break;
        }
        box->ref = (PyObject *)chain;
        PyObject_GC_Track(box);
        chain = box;
        length++;
    }
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_GT(length, 1000);
    Py_DECREF(chain);
    Ouro_HeapSetLimit(0);
    Py_DECREF(new_box());
}

static size_t
fill_heap_with_boxes(struct box **chain)
{
    size_t length = 0;
    for (;;) {
        struct box *box = PyObject_GC_New(struct box, &box_type);
        if (box == NULL) {
            EXPECT_RAISED(PyExc_MemoryError);
            return length;
        }
        box->ref = (PyObject *)*chain;
        PyObject_GC_Track(box);
        *chain = box;
        length++;
    }
}

static Py_ssize_t
full_collections(void)
{
    Ouro_GCStats stats;
    REQUIRE_EQ(Ouro_GCGetStats(2, &stats), 0);
    return stats.collections;
}

TEST_PY(a_full_heap_gives_up_at_once_when_the_collector_is_disabled)
{
    struct box *chain = NULL;
    ready_types();
    PyGC_Disable();
    Ouro_HeapSetLimit((size_t)4 << 20);
    Py_ssize_t before = full_collections();
    EXPECT_GT(fill_heap_with_boxes(&chain), 1000);
    EXPECT_EQ(full_collections(), before);
    Py_XDECREF(chain);
    Ouro_HeapSetLimit(0);
}

static void
fill_heap_in_finalizer(PyObject *Py_UNUSED(self))
{
    struct box *chain = NULL;
    EXPECT_GT(fill_heap_with_boxes(&chain), 1000);
    Py_XDECREF(chain);
}

TEST_PY(a_heap_that_a_finalizer_fills_does_not_collect_again)
{
    struct box *box = new_box();
    box_type.tp_finalize = fill_heap_in_finalizer;
    box->ref = Py_NewRef(box);
    PyObject_GC_Track(box);
    PyGC_Disable(); /* until the collection */
    Py_DECREF(box);
    Ouro_HeapSetLimit((size_t)4 << 20);
    Py_ssize_t before = full_collections();
    PyGC_Enable();
    EXPECT_EQ(Ouro_GCCollect(2), 1);
    EXPECT_EQ(full_collections(), before + 1);
    Ouro_HeapSetLimit(0);
}
