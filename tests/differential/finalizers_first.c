/* SPDX-License-Identifier: MIT */
#include "differential.h"

enum { COUNT = 4 };
static int finalized, deallocated;

static void
when_finalized(struct node *self)
{
    finalized++;
    if (deallocated != 0 || self->a == NULL) {
        trace("a finalizer runs after a destruction");
    }
}

static void
when_deallocated(struct node *self)
{
    (void)self;
    deallocated++;
    if (finalized != COUNT) {
        trace("a destruction before all finalizers");
    }
}

PROGRAM("all finalizers of a ring run before anything is cleared")
{
    PyObject *ring[COUNT];
    static const char *const names[] = {"0", "1", "2", "3"};
    for (int i = 0; i < COUNT; i++) {
        ring[i] = F(names[i]);
        NODE(ring[i])->when_finalized = when_finalized;
        NODE(ring[i])->when_deallocated = when_deallocated;
    }
    for (int i = 0; i < COUNT; i++) {
        set_a(ring[i], ring[(i + 1) % COUNT]);
        set_b(ring[i], ring[(i + COUNT - 1) % COUNT]);
    }
    for (int i = 0; i < COUNT; i++) {
        Py_DECREF(ring[i]);
    }
    trace("found %zd", collect());
    trace_notes("events");
    trace("%d finalized, %d deallocated", finalized, deallocated);
}
