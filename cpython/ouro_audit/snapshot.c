/* SPDX-License-Identifier: MIT */
/* The table of tracked objects; snapshot.h says how long it is true. */
#include "snapshot.h"

#include "stack.h"

#include <stdlib.h>

/* --- the table --------------------------------------------------------------------------- */

static size_t
place_number(const struct snapshot *snapshot, const void *address)
{
    uint64_t hash = ((uint64_t)(uintptr_t)address >> 4) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(hash >> 20) & (snapshot->size - 1);
}

/* Where the object is, or where it can be put. */
static struct place *
find_place(const struct snapshot *snapshot, const void *address)
{
    size_t number = place_number(snapshot, address);
    while (snapshot->places[number].object != NULL &&
           snapshot->places[number].object != address) {
        number = (number + 1) & (snapshot->size - 1);
    }
    return &snapshot->places[number];
}

struct place *
snapshot_find(const struct snapshot *snapshot, const void *address)
{
    struct place *place = address == NULL ? NULL : find_place(snapshot, address);
    return place != NULL && place->object != NULL ? place : NULL;
}

static bool
grow_table(struct snapshot *snapshot)
{
    struct snapshot larger = {.size = snapshot->size == 0 ? 1024 : snapshot->size * 2};
    larger.places = calloc(larger.size, sizeof(larger.places[0]));
    if (larger.places == NULL) {
        return false;
    }
    for (size_t i = 0; i < snapshot->size; i++) {
        if (snapshot->places[i].object != NULL) {
            *find_place(&larger, snapshot->places[i].object) = snapshot->places[i];
        }
    }
    free(snapshot->places);
    snapshot->places = larger.places;
    snapshot->size = larger.size;
    return true;
}

void
snapshot_free(struct snapshot *snapshot)
{
    free(snapshot->places);
    *snapshot = (struct snapshot){0};
}

/* --- taking it ------------------------------------------------------------------------------ */

/* Returns 1 to go on. */
static int
add_object(PyObject *object, void *arg)
{
    struct snapshot *snapshot = arg;
    if (snapshot->count * 2 >= snapshot->size && !grow_table(snapshot)) {
        snapshot->no_memory = true;
        return 0;
    }
    struct place *place = find_place(snapshot, object);
    snapshot->count += place->object == NULL;
    place->object = object;
    return 1;
}

#if PY_VERSION_HEX >= 0x030C0000
static bool
add_objects(struct snapshot *snapshot)
{
    PyUnstable_GC_VisitObjects(add_object, snapshot);
    return true;
}
#else
/* gc.get_objects() makes a list of them, which is gone before anybody counts references. */
static bool
add_objects(struct snapshot *snapshot)
{
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *list = gc == NULL ? NULL : PyObject_CallMethod(gc, "get_objects", NULL);
    Py_XDECREF(gc);
    if (list == NULL) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        if (!add_object(PyList_GET_ITEM(list, i), snapshot)) {
            break;
        }
    }
    Py_DECREF(list);
    return true;
}
#endif

static int
count_visit(PyObject *referent, void *arg)
{
    struct place *place = snapshot_find(arg, referent);
    if (place != NULL) {
        place->visits++;
    }
    return 0;
}

static void
count_held(PyObject *word, void *arg)
{
    struct place *place = snapshot_find(arg, word);
    if (place != NULL) {
        place->held++;
    }
}

bool
snapshot_take(struct snapshot *snapshot)
{
    if (!grow_table(snapshot) || !add_objects(snapshot) || snapshot->no_memory) {
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        return false;
    }
    for (size_t i = 0; i < snapshot->size; i++) {
        PyObject *object = snapshot->places[i].object;
        if (object != NULL && Py_TYPE(object)->tp_traverse != NULL) {
            Py_TYPE(object)->tp_traverse(object, count_visit, snapshot);
        }
    }
    stack_each_word(count_held, snapshot);
    return true;
}
