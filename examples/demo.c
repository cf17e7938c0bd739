/* SPDX-License-Identifier: MIT */
/* A demonstration of the library's main job: `make run`.
 *
 * A container type is written as the page "Supporting Cyclic Garbage Collection" teaches. A
 * million of its objects form a live structure; a million more form cycles that nothing refers
 * to: rings, trees whose children know their parents, self-loops. Some have finalizers, some
 * are watched by weak references. Then the collector finds them. In the end the same work is
 * done with full collections in one piece and in slices. The output shows the expected figures
 * beside the measured ones. */
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
    printf("     %-34s ", what);
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

/* What there should be, and what there is. */
static int
row_of(const char *what, long is, long should)
{
    row(what, "%8ld of %ld", is, should);
    return is == should;
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
#define TREES      31    /* of 2^14 - 1 objects, one half of the garbage */
#define TREE_DEPTH 14
#define SELF_LOOPS 20000
#define WATCHED    1000
#define GARBAGE    (RINGS * 10L + TREES * ((1L << TREE_DEPTH) - 1) + SELF_LOOPS + WATCHED)

static PyObject *watchers[WATCHED];

/* Cycles of all kinds that nothing refers to. */
static void
make_garbage(void)
{
    PyObject *callback = PyCFunction_New(&on_death_def, NULL);
    for (int i = 0; i < RINGS; i++) {
        drop_ring(10, i % 10 == 0 ? &Closer_Type : &Node_Type);
    }
    for (int i = 0; i < TREES; i++) {
        Py_DECREF(new_tree(TREE_DEPTH, NULL));
    }
    for (int i = 0; i < SELF_LOOPS; i++) {
        drop_self_loop();
    }
    for (int i = 0; i < WATCHED; i++) {
        watchers[i] = drop_watched_ring(callback);
    }
    Py_DECREF(callback);
}

static long
count_tree(const Node *node)
{
    return node == NULL ? 0
                        : 1 + count_tree((const Node *)node->left) +
                              count_tree((const Node *)node->right);
}

/* --- 1 and 2: one collection ----------------------------------------------------------------- */

static double
timed_collection(Py_ssize_t *found)
{
    double start = seconds();
    *found = PyGC_Collect();
    return seconds() - start;
}

/* The least of five. */
static double
timed_without_garbage(void)
{
    Py_ssize_t found = 0;
    double least = timed_collection(&found);
    for (int i = 1; i < 5; i++) {
        double time = timed_collection(&found);
        least = time < least ? time : least;
    }
    return least;
}

/* Is all of the garbage freed, and nothing else? */
static int
show_collection(const Node *live, long live_count, double building)
{
    double before = resident_mib();
    Py_ssize_t found = 0;
    double with_garbage = timed_collection(&found);
    double after = resident_mib();

    printf(
        "1. Cycles are found. %ld objects are in use. %ld others refer to each other\n"
        "   and nothing else refers to them: counting references never frees them.\n\n",
        live_count, GARBAGE);
    int complete = row_of("garbage that is freed", (long)found, GARBAGE);
    complete &= row_of("objects in use that are kept", count_tree(live), live_count);
    complete &= row_of("finalizers that were called", finalized, RINGS / 10 + WATCHED);
    complete &= row_of("weak references that called back", callbacks_called, WATCHED);
    row("memory of the process", "%8.1f MiB before, %.1f MiB after", before, after);

    printf("\n2. It is fast. A full collection looks at every object; docs/benchmarks.md "
           "has the\n"
           "   same beside CPython.\n\n");
    row("make an object in new memory", "%8.1f ns", building * 1e9 / (double)live_count);
    row("collect, half of it garbage", "%8.1f ms: %.1f ns per object", with_garbage * 1e3,
        with_garbage * 1e9 / (double)(GARBAGE + live_count));
    double without_garbage = timed_without_garbage();
    row("collect, nothing to free", "%8.1f ms: %.1f ns per object", without_garbage * 1e3,
        without_garbage * 1e9 / (double)live_count);
    return complete;
}

/* --- 3: bounded pauses ----------------------------------------------------------------------- */

#define TABLE    20000 /* rings of ten, beside the live tree */
#define REPLACED 80000
#define BUDGET   250 /* microseconds */
#define PROMISED 1.0 /* milliseconds; docs/pauses.md */

/* Replace rings at random, with automatic collections. */
static void
replace_rings(Node **table)
{
    unsigned random = 1;
    for (int i = 0; i < TABLE + REPLACED; i++) {
        random = random * 1664525u + 1013904223u;
        int at = i < TABLE ? i : (int)(random >> 8) % TABLE;
        Py_XSETREF(table[at], new_ring(10, &Node_Type));
    }
}

struct measured {
    Ouro_GCPauseStats pauses;
    double share; /* of the whole run that was the program's */
};

static struct measured
measure_pauses(long budget)
{
    static Node *table[TABLE];
    struct measured measured;
    Ouro_GCSetPauseBudget(budget);
    Ouro_GCRecordPauses(0);
    Ouro_GCRecordPauses(1);
    double start = seconds();
    replace_rings(table);
    double took = seconds() - start;
    Ouro_GCGetPauseStats(OURO_CLOCK_CPU, &measured.pauses);
    measured.share = 1 - measured.pauses.total / took;
    for (int i = 0; i < TABLE; i++) {
        Py_CLEAR(table[i]);
    }
    Ouro_GCSetPauseBudget(0);
    Ouro_GCRecordPauses(0);
    PyGC_Collect();
    return measured;
}

static void
compare(const char *what, double whole, double sliced, const char *format)
{
    char texts[2][24];
    snprintf(texts[0], sizeof texts[0], format, whole);
    snprintf(texts[1], sizeof texts[1], format, sliced);
    printf("     %-34s %14s %14s\n", what, texts[0], texts[1]);
}

static void
show_slices(void)
{
    printf("\n3. Pauses are short if you ask for it. %d rings of ten are replaced beside "
           "the\n"
           "   objects in use, and the library collects by itself meanwhile.\n\n",
           REPLACED);
    struct measured whole = measure_pauses(0), sliced = measure_pauses(BUDGET);
    double longest = sliced.pauses.longest * 1e3;
    printf("     %-34s %14s %14s\n", "full collections", "in one piece", "in slices");
    printf("     %-34s %14s %11.2f ms\n", "asked for: the budget of a pause", "-",
           BUDGET / 1e3);
    printf("     %-34s %14s %11.2f ms\n", "promised: no pause is longer than", "-",
           PROMISED);
    compare("measured: the longest pause", whole.pauses.longest * 1e3, longest,
            "%.2f ms");
    compare("99.9 % of pauses are below",
            Ouro_GCPausePercentile(&whole.pauses, 0.999) * 1e3,
            Ouro_GCPausePercentile(&sliced.pauses, 0.999) * 1e3, "%.2f ms");
    compare("all pauses together", whole.pauses.total * 1e3, sliced.pauses.total * 1e3,
            "%.0f ms");
    compare("the program's share of the run", whole.share * 100, sliced.share * 100,
            "%.0f %%");
    compare("... and of any 20 ms, at least", whole.pauses.utilisation[2] * 100,
            sliced.pauses.utilisation[2] * 100, "%.0f %%");
    printf("\n   The promise is %s: a slice ends with the first step that reaches the "
           "budget.\n"
           "   This program only makes objects, so that its share is small; one that "
           "works for 3 us\n"
           "   on each keeps 60 %% of any 20 ms (docs/pauses.md).\n",
           longest <= PROMISED ? "kept" : "NOT kept, which is a bug");
}

int
main(void)
{
    Py_Initialize();
    if (PyType_Ready(&Node_Type) < 0 || PyType_Ready(&Closer_Type) < 0) {
        PyErr_Print();
        return 1;
    }
    printf("Ouroboros %s: reference counts, and a collector for cycles\n\n",
           OURO_VERSION);
    PyGC_Disable(); /* so that the garbage piles up and is found in one collection */
    double start = seconds();
    Node *live = new_tree(LIVE_DEPTH, NULL);
    double building = seconds() - start;
    make_garbage();
    PyGC_Enable();

    int complete = show_collection(live, (1L << LIVE_DEPTH) - 1, building);
    show_slices();
    Py_DECREF(live);
    for (int i = 0; i < WATCHED; i++) {
        Py_DECREF(watchers[i]);
    }
    complete &= Py_FinalizeEx() == 0;
    printf("\n%s\n", complete ? "All garbage was freed, and nothing else."
                              : "Something is missing: this is a bug.");
    return complete ? 0 : 1;
}
