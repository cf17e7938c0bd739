/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *shared, *saved, *weak;

static void
save(struct node *self)
{
    saved = Py_NewRef((PyObject *)self);
}

static void
body(void)
{
    Py_CLEAR(shared);
    trace("saved in the thread: %d", saved != NULL);
}

PROGRAM("a finalizer on another thread saves the object for the main thread")
{
    shared = F("x");
    NODE(shared)->when_finalized = save;
    weak = new_weakref(shared, NULL);
    in_another_thread(body);
    trace("alive: %d, references %zd", !is_dead(weak), Py_REFCNT(saved));
    trace_notes("events");
    Py_CLEAR(saved);
    trace("dead: %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);
}
