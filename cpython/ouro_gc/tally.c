/* SPDX-License-Identifier: MIT */
/* Counting and marking, an object at a time; tally.h says what they do. */
#include "tally.h"

#define LARGE 256 /* items; a container with more is read in pieces of this many */

/* --- references of an object ------------------------------------------------------------------- */

static inline struct view
cycle_view(struct cycle *cycle)
{
    return (struct view){cycle->shadow.bytes, cycle->shadow.windows, cycle, NULL};
}

/* The number of items if the object is read in pieces: a list or dict with many. Otherwise 0. */
static Py_ssize_t
count_items(PyObject *object)
{
    Py_ssize_t items = 0;
    if (PyList_CheckExact(object)) {
        items = PyList_GET_SIZE(object);
    } else if (PyDict_CheckExact(object)) {
        items = ((struct dict_keys *)((PyDictObject *)object)->ma_keys)->entry_count;
    }
    return items > LARGE ? items : 0;
}

/* The next piece of a large container; cycle->large is 0 after the last one. */
OURO_INLINE void
read_piece(struct cycle *cycle, const struct plans *plans, PyObject *object,
           Py_ssize_t items, edge_function edge)
{
    Py_ssize_t left = items - cycle->piece;
    if (left > 0 && PyDict_CheckExact(object)) {
        read_dict_part(plans, object, cycle->piece, LARGE, edge, cycle_view(cycle));
    } else if (left > 0) {
        read_items(((PyListObject *)object)->ob_item + cycle->piece,
                   left < LARGE ? left : LARGE, edge, cycle_view(cycle));
    }
    cycle->piece += LARGE;
    cycle->large = cycle->piece < items ? cycle->large : 0;
}

/* --- count ------------------------------------------------------------------------------------ */

OURO_INLINE void
cycle_count_edge(PyObject *target, struct view view)
{
    uint8_t *value = shadow_byte(view.bytes, slot_number(view.windows, target));
    *value =
        (uint8_t)((*value & CYCLE_NOTED) | ((*value - 1) & CYCLE_MARKED) | CYCLE_TOUCHED);
}

static int
cycle_count_visit(PyObject *target, void *arg)
{
    cycle_count_edge(target, cycle_view(arg));
    return 0;
}

/* A borrowed reference supports its target, but is not counted. */
static int
cycle_count_borrowed(PyObject *target, void *arg)
{
    struct cycle *cycle = arg;
    uint32_t slot = slot_number(cycle->shadow.windows, target);
    *shadow_byte(cycle->shadow.bytes, slot) |= CYCLE_TOUCHED;
    numbers_append(&cycle->doubtful, slot); /* without memory this cycle misses it */
    return 0;
}

/* Add the count of an object, and note it if no earlier one refers to it. Its slot, or 0. */
static uint32_t
count_header(struct cycle *cycle, struct detector *detector, PyObject *object)
{
    uint32_t slot = shadow_enroll(&cycle->shadow, object);
    uint32_t number = shadow_enroll(&detector->shadow, object);
    if (slot == 0 || number == 0 || !numbers_append(&cycle->order, number)) {
        return 0;
    }
    uint8_t *value = shadow_byte(cycle->shadow.bytes, slot);
    bool is_noted = (*value & CYCLE_TOUCHED) == 0;
    *value = (uint8_t)(CYCLE_TOUCHED | (is_noted ? CYCLE_NOTED : 0) |
                       ((*value + (unsigned)Py_REFCNT(object)) & CYCLE_MARKED));
    return !is_noted || numbers_append(&cycle->notes, slot) ? slot : 0;
}

bool
tally_count(struct cycle *cycle, struct detector *detector, PyObject *object)
{
    if (cycle->large == 0 || cycle->large != slot_number(cycle->shadow.windows, object)) {
        cycle->piece = 0;
        cycle->large = count_header(cycle, detector, object);
        if (cycle->large == 0) {
            return false;
        }
    }
    Py_ssize_t items = count_items(object);
    if (items != 0) {
        read_piece(cycle, &detector->plans, object, items, cycle_count_edge);
    } else {
        cycle->large = 0;
        read_edges(&detector->plans, object, cycle_count_edge, cycle_count_visit,
                   cycle_count_borrowed, cycle_view(cycle));
    }
    return true;
}

bool
tally_has_wanted(struct cycle *cycle)
{
    uint8_t *bytes = cycle->shadow.bytes;
    for (size_t i = 0; i < cycle->doubtful.count; i++) {
        *shadow_byte(bytes, cycle->doubtful.items[i]) &= (uint8_t)~CYCLE_MARKED;
    }
    for (size_t i = 0; i < cycle->notes.count; i++) {
        if ((*shadow_byte(bytes, cycle->notes.items[i]) & CYCLE_MARKED) == 0) {
            return true;
        }
    }
    return false;
}

/* --- mark ------------------------------------------------------------------------------------- */

OURO_INLINE void
cycle_mark_edge(PyObject *target, struct view view)
{
    uint32_t slot = slot_number(view.windows, target);
    uint8_t *value = shadow_byte(view.bytes, slot);
    if (is_open(*value, slot)) {
        *value |= CYCLE_MARKED;
        if ((*value & CYCLE_PASSED) != 0 && is_tracked_container(target)) {
            numbers_append(&((struct cycle *)view.arg)->late,
                           slot); /* without memory it stays late */
        }
    }
}

static int
cycle_mark_visit(PyObject *target, void *arg)
{
    cycle_mark_edge(target, cycle_view(arg));
    return 0;
}

static void
mark_targets(struct cycle *cycle, struct detector *detector, PyObject *object)
{
    read_edges(&detector->plans, object, cycle_mark_edge, cycle_mark_visit,
               cycle_mark_visit, cycle_view(cycle));
}

void
tally_mark(struct cycle *cycle, struct detector *detector, PyObject *object)
{
    uint32_t slot = slot_number(cycle->shadow.windows, object);
    uint8_t *value = shadow_byte(cycle->shadow.bytes, slot);
    Py_ssize_t items = count_items(object);
    if (cycle->large != slot) {
        cycle->piece = 0;
        cycle->large = slot;
    }
    if (is_open(*value, slot)) {
        *value |= CYCLE_PASSED;
        cycle->large = 0;
    } else if (items != 0) {
        read_piece(cycle, &detector->plans, object, items, cycle_mark_edge);
    } else {
        cycle->large = 0;
        mark_targets(cycle, detector, object);
    }
}

void
tally_follow(struct cycle *cycle, struct detector *detector, double deadline)
{
    struct numbers *late = &cycle->late;
    for (size_t steps = 1; late->count != 0; steps++) {
        uint32_t slot = late->items[--late->count];
        PyObject *object = slot_object(cycle->shadow.bases, slot);
        if (steps % CYCLE_STEP == 0 && cycle_clock() >= deadline) {
            *shadow_byte(cycle->shadow.bytes, slot) &= (uint8_t)~CYCLE_MARKED;
            while (late->count != 0) {
                slot = late->items[--late->count];
                *shadow_byte(cycle->shadow.bytes, slot) &= (uint8_t)~CYCLE_MARKED;
            }
        } else if (count_items(object) == 0) {
            mark_targets(cycle, detector, object);
        }
    }
}

bool
tally_is_wanted(const struct cycle *cycle, PyObject *object)
{
    uint32_t slot = slot_number(cycle->shadow.windows, object);
    uint8_t value = *shadow_byte(cycle->shadow.bytes, slot);
    return is_open(value, slot) && (value & CYCLE_NOTED) != 0;
}
