/* SPDX-License-Identifier: MIT */
/* Looking at the objects of the heap: list them, and find what refers to what.
 *
 * The lists are filled while walking over the heap; appending allocates no container, so no
 * collection runs meanwhile. */
#include <ouroboros.h>

#include "../base/events.h"
#include "../collector/collector.h"
#include "../object/header.h"
#include "../thread/interpreter.h"

/* --- every object -------------------------------------------------------------------------- */

struct visitor {
    gcvisitobjects_t callback;
    void *arg;
};

static bool
call_visitor(PyObject *op, void *arg)
{
    const struct visitor *visitor = arg;
    if (!ouro_object_is_tracked(op) || ouro_object_has(op, OURO_GC_UNREACHABLE) ||
        ouro_object_is_doomed(op)) {
        return true;
    }
    Py_INCREF(op);
    bool goes_on = visitor->callback(op, visitor->arg) != 0;
    Py_DECREF(op);
    return goes_on;
}

void
PyUnstable_GC_VisitObjects(gcvisitobjects_t callback, void *arg)
{
    struct visitor visitor = {callback, arg};
    struct _ts *thread = ouro_current.thread;
    int was_enabled = PyGC_Disable();
    thread->visits_disabled |= was_enabled;
    ouro_event_visits_objects(true);
    thread->visits++;
    ouro_heap_each(&ouro_current.interp->heap, call_visitor, &visitor);
    thread->visits--;
    ouro_event_visits_objects(false);
    if (was_enabled) {
        thread->visits_disabled = false;
        PyGC_Enable();
    }
}

/* --- lists ------------------------------------------------------------------------------------ */

struct listing {
    PyObject *list;
    PyObject *wanted; /* tuple of objects whose referrers are asked for */
    int generation;   /* -1: all but the permanent one */
    bool failed;
};

/* Tracked, not frozen, not being destroyed, and not one of our own making. */
static bool
is_listed(const struct listing *listing, const PyObject *op)
{
    uint32_t bits = OURO_GC_TRACKED | OURO_GC_UNREACHABLE;
    return (op->ob_gc & bits) == OURO_GC_TRACKED && !ouro_object_is_doomed(op) &&
           op != listing->list && op != listing->wanted &&
           ouro_object_generation(op) != OURO_PERMANENT;
}

static bool
list_object(struct listing *listing, PyObject *op)
{
    listing->failed = PyList_Append(listing->list, op) < 0;
    return !listing->failed;
}

static PyObject *
finish_listing(struct listing *listing)
{
    if (listing->failed) {
        Py_CLEAR(listing->list);
    }
    return listing->list;
}

static bool
list_if_in_generation(PyObject *op, void *arg)
{
    struct listing *listing = arg;
    bool is_wanted =
        is_listed(listing, op) &&
        (listing->generation == -1 || listing->generation == ouro_object_generation(op));
    return !is_wanted || list_object(listing, op);
}

PyObject *
Ouro_GCGetObjects(int generation)
{
    if (generation < -1 || generation > OURO_OLD) {
        return PyErr_Format(PyExc_ValueError,
                            generation < -1
                                ? "generation parameter cannot be negative"
                                : "generation parameter must be less than the number of "
                                  "available generations (3)");
    }
    struct listing listing = {.list = PyList_New(0), .generation = generation};
    if (listing.list != NULL) {
        ouro_heap_each(&ouro_current.interp->heap, list_if_in_generation, &listing);
    }
    return finish_listing(&listing);
}

static int
is_wanted_referent(PyObject *op, void *arg)
{
    PyObject *wanted = arg;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(wanted); i++) {
        if (PyTuple_GET_ITEM(wanted, i) == op) {
            return 1;
        }
    }
    return 0;
}

static bool
list_if_referrer(PyObject *op, void *arg)
{
    struct listing *listing = arg;
    bool refers = is_listed(listing, op) &&
                  ouro_call_traverse(op, is_wanted_referent, listing->wanted) != 0;
    return !refers || list_object(listing, op);
}

static bool
require_tuple(PyObject *objects)
{
    if (!PyTuple_Check(objects)) {
        PyErr_Format(PyExc_TypeError, "expected a tuple, got %s",
                     Py_TYPE(objects)->tp_name);
        return false;
    }
    return true;
}

PyObject *
Ouro_GCGetReferrers(PyObject *objects)
{
    if (!require_tuple(objects)) {
        return NULL;
    }
    struct listing listing = {.list = PyList_New(0), .wanted = objects};
    if (listing.list != NULL) {
        ouro_heap_each(&ouro_current.interp->heap, list_if_referrer, &listing);
    }
    return finish_listing(&listing);
}

static int
list_referent(PyObject *op, void *arg)
{
    return list_object(arg, op) ? 0 : -1;
}

PyObject *
Ouro_GCGetReferents(PyObject *objects)
{
    if (!require_tuple(objects)) {
        return NULL;
    }
    struct listing listing = {.list = PyList_New(0)};
    if (listing.list == NULL) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(objects) && !listing.failed; i++) {
        PyObject *op = PyTuple_GET_ITEM(objects, i);
        if (PyObject_IS_GC(op) && Py_TYPE(op)->tp_traverse != NULL) {
            (void)ouro_call_traverse(op, list_referent, &listing);
        }
    }
    return finish_listing(&listing);
}
