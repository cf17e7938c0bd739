/* SPDX-License-Identifier: MIT */
/* The objects that one object visits, held so that they survive experiments. Also facts about
 * objects that depend on the version of CPython. */
#include "module.h"

#include <stdlib.h>

static int
hold_visited(PyObject *referent, void *arg)
{
    struct visits *visits = arg;
    if (visits->count == visits->room) {
        Py_ssize_t room = visits->room * 2 + 16;
        PyObject **items = realloc(visits->items, (size_t)room * sizeof(items[0]));
        if (items == NULL) {
            visits->no_memory = true;
            return -1;
        }
        visits->items = items;
        visits->room = room;
    }
    if (referent != NULL) {
        visits->items[visits->count++] = referent;
    }
    return 0;
}

bool
ouro_audit_visits_take(struct visits *visits, PyObject *object)
{
    *visits = (struct visits){0};
    if (PyObject_IS_GC(object) && Py_TYPE(object)->tp_traverse != NULL) {
        Py_TYPE(object)->tp_traverse(object, hold_visited, visits);
    }
    for (Py_ssize_t i = 0; i < visits->count; i++) {
        Py_INCREF(visits->items[i]);
    }
    if (visits->no_memory) {
        ouro_audit_visits_drop(visits, false);
        PyErr_NoMemory();
    }
    return !visits->no_memory;
}

void
ouro_audit_visits_drop(struct visits *visits, bool keep)
{
    for (Py_ssize_t i = 0; !keep && i < visits->count; i++) {
        Py_DECREF(visits->items[i]);
    }
    free(visits->items);
    visits->items = NULL;
    visits->count = 0;
}

Py_ssize_t
ouro_audit_visits_count(const struct visits *visits, const PyObject *referent)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0; i < visits->count; i++) {
        count += visits->items[i] == referent;
    }
    return count;
}

bool
ouro_audit_is_tracked(PyObject *object)
{
#if PY_VERSION_HEX >= 0x03090000
    return PyObject_GC_IsTracked(object);
#else
    return PyObject_IS_GC(object) && _PyObject_GC_IS_TRACKED(object);
#endif
}

PyObject *
ouro_audit_weak_references(PyObject *object)
{
    const PyTypeObject *type = Py_TYPE(object);
    Py_ssize_t offset = type->tp_weaklistoffset; /* negative if CPython manages it */
    if (offset == 0 || offset + (Py_ssize_t)sizeof(void *) > type->tp_basicsize) {
        return NULL;
    }
    return *(PyObject **)((char *)object + offset);
}
