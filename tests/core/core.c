/* SPDX-License-Identifier: MIT */
/* The core alone: a program that is linked with base, platform, heap, thread, object and
 * collector only. It supplies its own seam (src/thread/seam.h), and collects.
 * tests/scripts/core.sh builds and runs it. It prints `ok name` or `FAIL name` for each claim. */
#include <stdarg.h>
#include <stdio.h>

#include "../../src/collector/collector.h"
#include "../../src/object/header.h"
#include "../../src/thread/registry.h"
#include "../../src/thread/seam.h"
#include "../../src/thread/thread.h"

/* --- one type, made by hand: the layer that finishes types is not there ------------------- */

struct node {
    PyObject_HEAD
    PyObject *next; /* owned, or NULL */
};

static int cleared, destroyed, told, reported;

static int
node_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct node *)self)->next);
    return 0;
}

static int
node_clear(PyObject *self)
{
    cleared++;
    Py_CLEAR(((struct node *)self)->next);
    return 0;
}

static void
node_dealloc(PyObject *self)
{
    struct heap *heap = &ouro_current.interp->heap;
    destroyed++;
    ouro_object_clear(self, OURO_GC_TRACKED);
    Py_CLEAR(((struct node *)self)->next);
    ouro_heap_give(heap, ouro_heap_page_of(heap, self), self);
}

/* clang-format off */
static PyTypeObject node_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "core.node",
    .tp_basicsize = sizeof(struct node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_READY,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_dealloc = node_dealloc,
};
static PyTypeObject no_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "core.none"};
/* clang-format on */
static PyObject no_object = {.ob_refcnt = _Py_IMMORTAL_REFCNT, .ob_type = &no_type};

/* --- the seam -------------------------------------------------------------------------------- */

static void
track_node(PyObject *op)
{
    struct heap *heap = &ouro_current.interp->heap;
    ouro_object_clear(op, OURO_GC_GENERATION | OURO_GC_FRESH);
    ouro_object_set(op, OURO_GC_TRACKED);
    ouro_scan_note_birth(heap, ouro_heap_offset(heap, op));
}

static PyObject *
call_nothing(PyObject *callable, PyObject *argument)
{
    (void)callable;
    (void)argument;
    return NULL;
}

static void
count_report(const char *format, ...)
{
    (void)format;
    reported++;
}

static void
count_facts(struct _is *interp, const char *phase, const struct collection_facts *facts)
{
    (void)interp;
    (void)phase;
    told += facts->generation == OURO_OLD;
}

static void
ignore_garbage(struct _is *interp, PyObject *op)
{
    (void)interp;
    (void)op;
}

static void
warn_nobody(struct _is *interp)
{
    (void)interp;
}

const struct seam ouro_seam = {
    .tuple_type = &no_type,
    .weakref_type = &no_type,
    .none = &no_object,
    .track = track_node,
    .call = call_nothing,
    .report_error = count_report,
    .tell_callbacks = count_facts,
    .show_garbage = ignore_garbage,
    .warn_of_garbage = warn_nobody,
};

/* --- the program ------------------------------------------------------------------------------- */

static int failures;

static void
claim(bool holds, const char *name)
{
    printf("%s core: %s\n", holds ? "ok" : "FAIL", name);
    failures += !holds;
}

static struct node *
new_node(struct _is *interp)
{
    PyObject *op = ouro_heap_allocate(&interp->heap, sizeof(struct node), 0);
    if (op == NULL) {
        return NULL;
    }
    op->ob_type = &node_type;
    ((struct node *)op)->next = NULL;
    track_node(op);
    return (struct node *)op;
}

/* A ring of this many nodes. Returns a new reference to the first. */
static struct node *
new_ring(struct _is *interp, int count)
{
    struct node *first = new_node(interp), *last = first;
    for (int i = 1; i < count; i++) {
        struct node *node = new_node(interp);
        last->next = (PyObject *)node;
        last = node;
    }
    last->next = Py_NewRef((PyObject *)first);
    return first;
}

static void
collect_rings(struct _is *interp)
{
    struct node *kept = new_ring(interp, 3), *dropped = new_ring(interp, 5);
    Py_DECREF(dropped);
    claim(destroyed == 0, "a ring does not die by its counts");
    claim(ouro_collect(interp, OURO_OLD, OURO_REASON_MANUAL) == 5, "a ring is collected");
    claim(cleared == 5 && destroyed == 5, "its handlers ran once for each object");
    claim(told == 2, "the callbacks were told of the start and the end");
    claim(((struct node *)kept->next)->next != NULL, "what is referred to is alive");
    Py_DECREF(kept);
    claim(ouro_collect(interp, 0, OURO_REASON_MANUAL) == 0, "survivors are not young");
    claim(ouro_collect(interp, OURO_OLD, OURO_REASON_MANUAL) == 3, "they die as the old");
    claim(reported == 0, "nothing was reported");
}

int
main(void)
{
    struct _is *interp = ouro_registry_start_main(OURO_HEAP_RANGE_DEFAULT);
    struct _ts *thread = interp == NULL ? NULL : ouro_thread_new(interp);
    claim(thread != NULL, "an interpreter and a thread state");
    if (thread != NULL) {
        ouro_thread_attach(thread);
        ouro_collector_init(interp);
        collect_rings(interp);
    }
    return failures != 0;
}
