/* SPDX-License-Identifier: MIT */
/* What a collection tells: debug output, statistics, callbacks. */
#include "collection.h"

/* --- debug output ----------------------------------------------------------------------------- */

struct generation_sizes {
    Py_ssize_t objects[OURO_PERMANENT + 1];
};

static bool
count_generation(PyObject *op, void *arg)
{
    struct generation_sizes *sizes = arg;
    if (ouro_object_is_tracked(op)) {
        sizes->objects[ouro_object_generation(op)]++;
    }
    return true;
}

Py_ssize_t
ouro_collector_count_objects(struct _is *interp, int generation)
{
    struct generation_sizes sizes = {{0}};
    ouro_heap_each(&interp->heap, count_generation, &sizes);
    return sizes.objects[generation];
}

void
ouro_report_start(struct collection *c)
{
    if ((c->interp->gc.debug & OURO_DEBUG_STATS) == 0) {
        return;
    }
    struct generation_sizes sizes = {{0}};
    ouro_heap_each(c->heap, count_generation, &sizes);
    fprintf(stderr,
            "gc: collecting generation %d...\n"
            "gc: objects in each generation: %zd %zd %zd\n"
            "gc: objects in permanent generation: %zd\n",
            c->generation, sizes.objects[0], sizes.objects[1], sizes.objects[2],
            sizes.objects[OURO_PERMANENT]);
}

OURO_BODY
collectable_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)c;
    (void)page;
    if (ouro_is_unreachable(op)) {
        fprintf(stderr, "gc: collectable <%s %p>\n", Py_TYPE(op)->tp_name, (void *)op);
    }
}

void
ouro_report_collectable(struct collection *c)
{
    if ((c->interp->gc.debug & OURO_DEBUG_COLLECTABLE) != 0) {
        ouro_each_unreachable(c, collectable_body);
    }
}

void
ouro_report_done(struct collection *c)
{
    struct generation *stats = &c->interp->gc.generations[c->generation];
    stats->collections += !c->is_dropped;
    stats->collected += c->collected;
    stats->uncollectable += c->uncollectable;
    stats->candidates += c->candidates;
    stats->duration += c->duration;
    if ((c->interp->gc.debug & OURO_DEBUG_STATS) != 0) {
        fprintf(stderr, "gc: done, %zd unreachable, %zd uncollectable, %.4fs elapsed\n",
                c->collected + c->uncollectable, c->uncollectable, c->duration);
    }
}

/* --- callbacks ----------------------------------------------------------------------------------- */

static int
put_number(PyObject *info, const char *key, PyObject *number)
{
    int result = number != NULL ? PyDict_SetItemString(info, key, number) : -1;
    Py_XDECREF(number);
    return result;
}

static PyObject *
make_info(const struct collection *c)
{
    PyObject *info = PyDict_New();
    if (info != NULL &&
        (put_number(info, "generation", PyLong_FromLong(c->generation)) < 0 ||
         put_number(info, "collected", PyLong_FromSsize_t(c->collected)) < 0 ||
         put_number(info, "uncollectable", PyLong_FromSsize_t(c->uncollectable)) < 0 ||
         put_number(info, "candidates", PyLong_FromSsize_t(c->candidates)) < 0 ||
         put_number(info, "duration", PyFloat_FromDouble(c->duration)) < 0)) {
        Py_CLEAR(info);
    }
    return info;
}

static void
call_one_callback(PyObject *callback, PyObject *phase, PyObject *info)
{
    PyObject *arguments[] = {phase, info};
    PyObject *result = PyObject_Vectorcall(callback, arguments, 2, NULL);
    if (result == NULL) {
        PyErr_FormatUnraisable("Exception ignored while calling GC callback %R",
                               callback);
    }
    Py_XDECREF(result);
}

void
ouro_call_gc_callbacks(struct collection *c, const char *phase)
{
    PyObject *callbacks = c->interp->gc.callbacks;
    if (callbacks == NULL || PyList_GET_SIZE(callbacks) == 0) {
        return;
    }
    PyObject *info = make_info(c);
    PyObject *name = info != NULL ? PyUnicode_FromString(phase) : NULL;
    if (name == NULL) {
        PyErr_FormatUnraisable("Exception ignored on preparing GC callbacks");
    }
    /* The list is read anew at each step: a callback may remove itself. */
    for (Py_ssize_t i = 0; name != NULL && i < PyList_GET_SIZE(callbacks); i++) {
        PyObject *callback = Py_NewRef(PyList_GET_ITEM(callbacks, i));
        call_one_callback(callback, name, info);
        Py_DECREF(callback);
    }
    Py_XDECREF(name);
    Py_XDECREF(info);
}
