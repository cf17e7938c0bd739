/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *saved;

static void
save(struct node *self)
{
    saved = Py_NewRef((PyObject *)self);
}

PROGRAM("what a finalizer saves grows one generation older")
{
    for (int g = 0; g < 3; g++) {
        PyObject *x = F("x"), *y = N("y");
        NODE(x)->when_finalized = save;
        set_a(x, y);
        set_a(y, x);
        Py_DECREF(x);
        Py_DECREF(y);
        trace("collected %d: %zd", g, collect_generation(g));
        for (int in = 0; in < 3; in++) {
            trace("in %d: %d %d", in, is_listed(get_objects(in), x),
                  is_listed(get_objects(in), y));
        }
        Py_CLEAR(saved);
        trace("again: %zd", collect_generation(g));
        trace("full: %zd", collect());
        trace_notes("events");
    }
}
