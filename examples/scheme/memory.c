/* SPDX-License-Identifier: MIT */
/* Memory: what a program can ask and tell the collector, the heap limit, weak references.
 * The only file that knows Ouroboros from any other library with this API. */
#include "scheme.h"

#include <ouroboros.h>

/* (gc): collect, and return how many unreachable objects were found. */
static PyObject *
memory_gc(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyLong_FromSsize_t(Ouro_GCCollect(2));
}

static PyObject *
memory_gc_enable(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyBool_FromLong(PyGC_Enable());
}

static PyObject *
memory_gc_disable(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyBool_FromLong(PyGC_Disable());
}

/* Put (name . number) in front of *list. */
static int
add_entry(PyObject **list, const char *name, size_t number)
{
    PyObject *symbol = intern(name);
    PyObject *value = symbol != NULL ? PyLong_FromSize_t(number) : NULL;
    PyObject *entry = value != NULL ? cons(symbol, value) : NULL;
    PyObject *longer = entry != NULL ? cons(entry, *list) : NULL;
    Py_XDECREF(entry);
    Py_XDECREF(value);
    Py_XDECREF(symbol);
    if (longer == NULL) {
        Py_CLEAR(*list);
        return -1;
    }
    Py_SETREF(*list, longer);
    return 0;
}

/* (heap-usage): ((objects . n) (used-bytes . n) (resident-bytes . n)). */
static PyObject *
memory_heap_usage(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    PyObject *list = Py_NewRef(NIL);
    if (add_entry(&list, "resident-bytes", usage.resident_bytes) < 0 ||
        add_entry(&list, "used-bytes", usage.used_bytes) < 0 ||
        add_entry(&list, "objects", usage.objects) < 0) {
        return NULL;
    }
    return list;
}

static Ouro_GCStats
sum_of_stats(void)
{
    Ouro_GCStats sum = {0}, stats;
    for (int generation = 0; generation < 3; generation++) {
        if (Ouro_GCGetStats(generation, &stats) == 0) {
            sum.collections += stats.collections;
            sum.collected += stats.collected;
            sum.candidates += stats.candidates;
            sum.wall_seconds += stats.wall_seconds;
        }
    }
    return sum;
}

/* (gc-stats): of all generations together. */
static PyObject *
memory_gc_stats(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    Ouro_GCStats sum = sum_of_stats();
    PyObject *list = Py_NewRef(NIL);
    if (add_entry(&list, "microseconds", (size_t)(sum.wall_seconds * 1e6)) < 0 ||
        add_entry(&list, "examined", (size_t)sum.candidates) < 0 ||
        add_entry(&list, "collected", (size_t)sum.collected) < 0 ||
        add_entry(&list, "collections", (size_t)sum.collections) < 0) {
        return NULL;
    }
    return list;
}

/* --- the limit ------------------------------------------------------------------------- */

static size_t heap_limit; /* 0: none */

void
set_heap_limit(size_t bytes)
{
    heap_limit = bytes;
    apply_heap_limit();
}

void
apply_heap_limit(void)
{
    Ouro_HeapSetLimit(heap_limit);
}

void
lift_heap_limit(void)
{
    Ouro_HeapSetLimit(0);
}

void
raise_out_of_memory(void)
{
    const char *collector = PyGC_IsEnabled() ? "on" : "off";
    if (heap_limit == 0) {
        PyErr_Format(PyExc_MemoryError, "out of memory; the collector is %s", collector);
    } else {
        PyErr_Format(PyExc_MemoryError,
                     "out of memory: the limit is %zu KiB, and the collector is %s",
                     heap_limit / 1024, collector);
    }
}

/* --- the whole process ------------------------------------------------------------------- */

const char *
runtime_name(void)
{
    return "Ouroboros " OURO_VERSION;
}

size_t
count_objects(void)
{
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    return usage.objects;
}

/* What is left when the last global variable is gone is a leak; there must be none. */
int
report_memory(size_t objects_before)
{
    Ouro_GCStats sum = sum_of_stats();
    Ouro_GCCollect(2);
    size_t left = count_objects() - objects_before;
    fprintf(stderr, "%zd collections freed %zd objects; %zu objects left at the end\n",
            sum.collections, sum.collected, left);
    return left == 0 ? 0 : -1;
}

/* --- weak references ------------------------------------------------------------------- */

/* (make-weak procedure [callback]): does not keep the procedure alive. When it dies,
 * callback is called with the weak reference. */
static PyObject *
memory_make_weak(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("make-weak", count, 1, 2) < 0) {
        return NULL;
    }
    return PyWeakref_NewRef(args[0], count == 2 ? args[1] : NULL);
}

/* (weak-value weak): the procedure, or #f when it is dead. */
static PyObject *
memory_weak_value(PyObject *self, PyObject *weak)
{
    (void)self;
    PyObject *value;
    if (!PyWeakref_Check(weak)) {
        return error_about("weak-value", "not a weak reference", weak);
    }
    if (PyWeakref_GetRef(weak, &value) < 0) {
        return NULL;
    }
    return value != NULL ? value : Py_NewRef(Py_False);
}

static PyMethodDef procedures[] = {
    {"gc", NONE(memory_gc)},
    {"gc-enable", NONE(memory_gc_enable)},
    {"gc-disable", NONE(memory_gc_disable)},
    {"gc-stats", NONE(memory_gc_stats)},
    {"heap-usage", NONE(memory_heap_usage)},
    {"make-weak", FAST(memory_make_weak)},
    {"weak-value", ONE(memory_weak_value)},
    {NULL, NULL, 0, NULL},
};

int
memory_init(void)
{
    return define_procedures(procedures);
}
