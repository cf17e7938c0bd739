/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("frozen objects are tracked, but nobody finds them")
{
    PyObject *x = N("x"), *y = N("y"), *owned = N("owned");
    set_a(x, y);
    set_a(y, x);
    set_b(y, owned);
    VERSION_DEPENDENT(0x030D0000, "frozen at the start", get_freeze_count(), 0);
    Py_ssize_t before = get_freeze_count() + count_of(get_objects(-1));
    freeze();
    trace("about as many as there were: %d",
          get_freeze_count() >= before - 5 && get_freeze_count() <= before + 5);
    trace("x is listed: %d", is_listed(get_objects(-1), x));
    trace("x is tracked: %d", PyObject_GC_IsTracked(x));
    trace("referrers of owned: %zd", count_of(get_referrers(owned)));
    trace("referents of y: %zd", count_of(get_referents(y)));
    Py_DECREF(x);
    Py_DECREF(y);
    trace("frozen garbage: %zd", collect());
    trace_notes("events");

    Py_ssize_t count = get_freeze_count();
    PyObject_GC_UnTrack(owned);
    trace("untracked, one less: %zd", count - get_freeze_count());
    PyObject_GC_Track(owned);
    trace("tracked again, in 0: %d", is_listed(get_objects(0), owned));

    /* young garbage that refers to a frozen object dies; a frozen object keeps what it owns */
    PyObject *young = N("young"), *kept = N("kept");
    set_a(young, young);
    set_b(young, x);
    set_a(owned, kept);
    set_a(kept, kept);
    Py_DECREF(kept);
    Py_DECREF(young);
    trace("young: %zd", collect());
    trace_notes("events");
    unfreeze();
    trace("frozen now: %zd", get_freeze_count());
    trace("owned is in 2: %d, x is in 2: %d", is_listed(get_objects(2), owned),
          is_listed(get_objects(2), x));
    trace("unfrozen garbage: %zd", collect());
    trace_notes("events");
    Py_DECREF(owned);
    trace("the rest: %zd", collect());
    trace_notes("events");
}
