/* SPDX-License-Identifier: MIT */
/* Py_ReprEnter and Py_ReprLeave: which objects the thread is printing just now, so that a
 * container that holds itself prints "..." and printing ends.
 *
 * They are in a hash table of addresses: deep structures print a hundred thousand objects at
 * once. An address is at its place, or behind it with no gap between (repr.inv.probe). The
 * table exists only while something is being printed. */
#include "reprguard.h"

#define TABLE_SMALLEST 16

struct repr_table {
    size_t count, mask;
    PyObject *objects[]; /* owned, or NULL: mask + 1 of them */
};

static size_t
place_of(const struct repr_table *table, const PyObject *o)
{
    return (size_t)Py_HashPointer(o) & table->mask;
}

/* Where `o` is, or the gap where it belongs. */
static PyObject **
find_printed(struct repr_table *table, const PyObject *o)
{
    size_t i = place_of(table, o);
    while (table->objects[i] != NULL && table->objects[i] != o) {
        i = (i + 1) & table->mask;
    }
    return &table->objects[i];
}

/* A larger table with the same objects; the old one is freed. NULL without memory. */
static struct repr_table *
enlarge_table(struct repr_table *old)
{
    size_t size = old == NULL ? TABLE_SMALLEST : 2 * (old->mask + 1);
    struct repr_table *table =
        PyMem_Calloc(1, sizeof(*table) + size * sizeof(PyObject *));
    if (table == NULL) {
        return NULL;
    }
    table->mask = size - 1;
    for (size_t i = 0; old != NULL && i <= old->mask; i++) {
        if (old->objects[i] != NULL) {
            *find_printed(table, old->objects[i]) = old->objects[i];
            table->count++;
        }
    }
    PyMem_Free(old);
    return table;
}

int
Py_ReprEnter(PyObject *o)
{
    struct repr_table **active = &ouro_current.thread->repr_active;
    if (*active != NULL && *find_printed(*active, o) != NULL) {
        return 1;
    }
    if (*active == NULL || (*active)->count > (*active)->mask / 2) {
        struct repr_table *larger = enlarge_table(*active);
        if (larger == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        *active = larger;
    }
    *find_printed(*active, o) = Py_NewRef(o);
    (*active)->count++;
    return 0;
}

/* Make a gap at `i` and keep repr.inv.probe: move up what follows, unless it already lies
 * between its place and the gap. */
static void
close_gap(struct repr_table *table, size_t i)
{
    size_t next = i;
    table->objects[i] = NULL;
    while (table->objects[next = (next + 1) & table->mask] != NULL) {
        size_t home = place_of(table, table->objects[next]);
        if (((next - home) & table->mask) >= ((next - i) & table->mask)) {
            table->objects[i] = table->objects[next];
            table->objects[next] = NULL;
            i = next;
        }
    }
}

void
Py_ReprLeave(PyObject *o)
{
    struct repr_table **active = &ouro_current.thread->repr_active;
    PyObject **place = *active == NULL ? NULL : find_printed(*active, o);
    if (place == NULL || *place == NULL) {
        return;
    }
    close_gap(*active, (size_t)(place - (*active)->objects));
    if (--(*active)->count == 0) {
        PyMem_Free(*active);
        *active = NULL;
    }
    Py_DECREF(o);
}

void
ouro_repr_forget(struct _ts *thread)
{
    struct repr_table *table = thread->repr_active;
    thread->repr_active = NULL;
    for (size_t i = 0; table != NULL && i <= table->mask; i++) {
        Py_XDECREF(table->objects[i]);
    }
    PyMem_Free(table);
}
