/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("survivors grow older, and only a collection of their age finds them")
{
    PyObject *x = N("x");
    for (int g = 0; g < 3; g++) {
        trace("new, in %d: %d", g, is_listed(get_objects(g), x));
    }
    trace("young: %zd", collect_generation(0));
    for (int g = 0; g < 3; g++) {
        trace("then, in %d: %d", g, is_listed(get_objects(g), x));
    }
    trace("middle: %zd", collect_generation(1));
    for (int g = 0; g < 3; g++) {
        trace("then, in %d: %d", g, is_listed(get_objects(g), x));
    }
    collect_generation(0);
    collect_generation(1);
    collect();
    trace("it stays: %d", is_listed(get_objects(2), x));
    trace("all: %d", is_listed(get_objects(-1), x));
    set_a(x, x);

    PyObject *young = N("young");
    set_b(x, young);
    set_a(young, young);
    Py_DECREF(young);
    Py_DECREF(x);
    trace("young: %zd", collect_generation(0));
    trace("middle: %zd", collect_generation(1));
    trace_notes("garbage of the old generation keeps the young alive");
    trace("full: %zd", collect_generation(2));
    trace_notes("events");

    /* tracking again makes an object young */
    x = N("x");
    collect();
    PyObject_GC_UnTrack(x);
    PyObject_GC_Track(x);
    trace("tracked again, in 0: %d", is_listed(get_objects(0), x));
    set_a(x, x);
    Py_DECREF(x);
    trace("young: %zd", collect_generation(0));
    trace_notes("events");

    trace("generation 3: %zd", collect_generation(3));
    trace_error("generation 3");
    trace("generation -1: %zd", collect_generation(-1));
    trace_error("generation -1");
    trace("objects of 3: %d", get_objects(3) != NULL);
    trace_error("objects of 3");
    trace("objects of -2: %d", get_objects(-2) != NULL);
    trace_error("objects of -2");
}
