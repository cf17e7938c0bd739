/* SPDX-License-Identifier: MIT */
/* The library's main job before your eyes: `make run`.
 *
 * A container type is written as the page "Supporting Cyclic Garbage Collection" teaches.
 * A million of its objects form a live structure; a million more form cycles that nobody
 * refers to: rings, trees whose children know their parents, self-loops. Some have
 * finalizers, some are watched by weak references. Then the collector finds them. In the
 * end the same work is done with full collections in one piece and in slices. */
#define _POSIX_C_SOURCE 200809L

#include <Python.h>
#include <ouroboros.h>

#include <time.h>
#include <unistd.h>

/* --- a container type, as the page teaches --------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *left, *right, *parent; /* owned, or NULL */
    PyObject *weakrefs;              /* the list of weak references; not owned */
} Node;

static long finalized;

static int
node_traverse(PyObject *op, visitproc visit, void *arg)
{
    Node *self = (Node *)op;
    Py_VISIT(self->left);
    Py_VISIT(self->right);
    Py_VISIT(self->parent);
    return 0;
}

static int
node_clear(PyObject *op)
{
    Node *self = (Node *)op;
    Py_CLEAR(self->left);
    Py_CLEAR(self->right);
    Py_CLEAR(self->parent);
    return 0;
}

static void
node_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (((Node *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    node_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static void
node_finalize(PyObject *op)
{
    (void)op;
    finalized++;
}

/* clang-format off */
static PyTypeObject Node_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "demo.Node",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_dealloc = node_dealloc,
    .tp_weaklistoffset = offsetof(Node, weakrefs),
};

/* The same with a finalizer. */
static PyTypeObject Closer_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "demo.Closer",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_dealloc = node_dealloc,
    .tp_finalize = node_finalize,
    .tp_weaklistoffset = offsetof(Node, weakrefs),
};

/* clang-format on */

static Node *
new_node(PyTypeObject *type)
{
    Node *node = PyObject_GC_New(Node, type);
    if (node == NULL) {
        PyErr_Print();
        exit(1);
    }
    node->left = node->right = node->parent = node->weakrefs = NULL;
    PyObject_GC_Track(node);
    return node;
}

/* --- graphs ------------------------------------------------------------------------------- */

/* A complete binary tree of `depth` levels whose nodes own their parents. */
static Node *
new_tree(int depth, Node *parent)
{
    Node *node = new_node(&Node_Type);
    node->parent = Py_XNewRef(parent);
    if (depth > 1) {
        node->left = (PyObject *)new_tree(depth - 1, node);
        node->right = (PyObject *)new_tree(depth - 1, node);
    }
    return node;
}

static Node *
new_ring(int length, PyTypeObject *type)
{
    Node *first = new_node(type);
    Node *last = first;
    for (int i = 1; i < length; i++) {
        Node *node = new_node(&Node_Type);
        last->right = (PyObject *)node;
        last = node;
    }
    last->right = Py_NewRef(first);
    return first;
}

static void
drop_ring(int length, PyTypeObject *type)
{
    Py_DECREF(new_ring(length, type));
}

static void
drop_self_loop(void)
{
    Node *node = new_node(&Node_Type);
    node->left = Py_NewRef(node);
    Py_DECREF(node);
}

/* --- measuring ------------------------------------------------------------------------------ */

static double
seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double
resident_mib(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%ld %ld", &pages, &resident) != 2) {
            resident = 0;
        }
        fclose(file);
    }
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1024 * 1024);
}

static void
row(const char *what, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("  %-44s ", what);
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

static long callbacks_called;

static PyObject *
on_death(PyObject *self, PyObject *ref)
{
    (void)self;
    (void)ref;
    callbacks_called++;
    Py_RETURN_NONE;
}

static PyMethodDef on_death_def = {"on_death", on_death, METH_O, NULL};

/* Watch a ring with a weak reference that calls back. */
static PyObject *
drop_watched_ring(PyObject *callback)
{
    Node *first = new_node(&Closer_Type);
    first->left = Py_NewRef(first);
    PyObject *ref = PyWeakref_NewRef((PyObject *)first, callback);
    Py_DECREF(first);
    return ref;
}

#define LIVE_DEPTH 20    /* 2^20 - 1 objects */
#define RINGS      50000 /* of 10 objects, one in ten with a finalizer */
#define TREES      31    /* of 2^14 - 1 objects, one half of the dead million */
#define TREE_DEPTH 14
#define SELF_LOOPS 20000
#define WATCHED    1000

static double
timed_collection(Py_ssize_t *found)
{
    double start = seconds();
    *found = PyGC_Collect();
    return seconds() - start;
}

/* --- bounded pauses ------------------------------------------------------------------------- */

#define TABLE    20000 /* rings of ten, beside the live tree */
#define REPLACED 80000

/* Replace rings at random, with automatic collections; and say how long they took. */
static void
show_pauses(const char *what, long budget)
{
    static Node *table[TABLE];
    unsigned random = 1;
    Ouro_GCPauseStats stats;
    Ouro_GCSetPauseBudget(budget);
    Ouro_GCRecordPauses(0);
    Ouro_GCRecordPauses(1);
    for (int i = 0; i < TABLE + REPLACED; i++) {
        random = random * 1664525u + 1013904223u;
        int at = i < TABLE ? i : (int)(random >> 8) % TABLE;
        Py_XSETREF(table[at], new_ring(10, &Node_Type));
    }
    Ouro_GCGetPauseStats(OURO_CLOCK_CPU, &stats);
    row(what, "%9.2f ms, 99.9 %% below %.2f ms; %.0f %% of any 20 ms is the program's",
        stats.longest * 1e3, Ouro_GCPausePercentile(&stats, 0.999) * 1e3,
        stats.utilisation[2] * 100);
    for (int i = 0; i < TABLE; i++) {
        Py_CLEAR(table[i]);
    }
    Ouro_GCSetPauseBudget(0);
    Ouro_GCRecordPauses(0);
    PyGC_Collect();
}

static void
show_slices(void)
{
    Ouro_GCCycleStats stats;
    show_pauses("longest pause, full collections in one piece", 0);
    show_pauses("longest pause, in slices of 250 microseconds", 250);
    Ouro_GCGetCycleStats(&stats);
    row("cycles, slices; proofs, failed; forced ends", "%9zd, %zd; %zd, %zd; %zd",
        stats.cycles, stats.slices, stats.proofs, stats.failed_proofs, stats.forced);
    row("most garbage at once", "%9zd objects", stats.most_garbage);
}

int
main(void)
{
    Py_Initialize();
    if (PyType_Ready(&Node_Type) < 0 || PyType_Ready(&Closer_Type) < 0) {
        PyErr_Print();
        return 1;
    }
    PyGC_Disable(); /* so that the garbage piles up and is found in one collection */

    printf("Ouroboros %s: reference counts, and a collector for cycles\n\n",
           OURO_VERSION);
    double start = seconds();
    Node *live = new_tree(LIVE_DEPTH, NULL);
    double built = seconds() - start;
    long live_count = (1L << LIVE_DEPTH) - 1;
    row("live tree, children owning their parents",
        "%9ld objects, %5.1f ns each to build", live_count,
        built * 1e9 / (double)live_count);

    for (int i = 0; i < RINGS; i++) {
        drop_ring(10, i % 10 == 0 ? &Closer_Type : &Node_Type);
    }
    for (int i = 0; i < TREES; i++) {
        Py_DECREF(new_tree(TREE_DEPTH, NULL));
    }
    for (int i = 0; i < SELF_LOOPS; i++) {
        drop_self_loop();
    }
    PyObject *callback = PyCFunction_New(&on_death_def, NULL);
    static PyObject *watchers[WATCHED];
    for (int i = 0; i < WATCHED; i++) {
        watchers[i] = drop_watched_ring(callback);
    }
    long trees = TREES * ((1L << TREE_DEPTH) - 1);
    long dead = RINGS * 10L + trees + SELF_LOOPS + WATCHED;
    row("dead rings of ten, one in ten with a finalizer", "%9d objects", RINGS * 10);
    row("dead trees with parent pointers", "%9ld objects", trees);
    row("dead self-loops", "%9d objects", SELF_LOOPS);
    row("dead, watched by weak references with callback", "%9d objects", WATCHED);

    double before = resident_mib();
    PyGC_Enable();
    Py_ssize_t found = 0, again = 0;
    double first = timed_collection(&found);
    double after = resident_mib();
    double second = timed_collection(&again);
    for (int i = 0; i < 4; i++) {
        double time = timed_collection(&again);
        second = time < second ? time : second;
    }

    printf("\n");
    row("unreachable objects found and freed", "%9zd of %ld expected", found, dead);
    row("finalizers run, weak reference callbacks run", "%9ld, %ld", finalized,
        callbacks_called);
    row("collection with the garbage", "%9.1f ms, %5.1f ns per object examined",
        first * 1e3, first * 1e9 / (double)(dead + live_count));
    row("collection of the live objects alone", "%9.1f ms, %5.1f ns per object",
        second * 1e3, second * 1e9 / (double)live_count);
    row("resident memory before and after", "%9.1f MiB, %.1f MiB", before, after);

    printf("\n");
    show_slices();
    printf("\n");
    start = seconds();
    Py_DECREF(live);
    PyGC_Collect();
    row("live tree dropped", "%9.1f ms, resident now %.1f MiB", (seconds() - start) * 1e3,
        resident_mib());
    for (int i = 0; i < WATCHED; i++) {
        Py_DECREF(watchers[i]);
    }
    Py_DECREF(callback);
    int complete =
        found == dead && finalized == RINGS / 10 + WATCHED && callbacks_called == WATCHED;
    int failed = Py_FinalizeEx();
    printf("\n%s\n", complete && failed == 0 ? "All of it, and nothing else."
                                             : "Something is missing: this is a bug.");
    return complete && failed == 0 ? 0 : 1;
}
