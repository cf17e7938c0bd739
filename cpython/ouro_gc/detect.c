/* SPDX-License-Identifier: MIT */
/* The proof and the mark; detect.h says what they do. */
#include "closure.h"
#include "mark.h"

/* This many candidates that were reached late are gathered before they are followed. */
#define DRAIN 64
/* Held candidates are few if they are fewer than one in this many. */
#define HELD_SHARE 16
/* A closure is small if it has at most one in this many of the candidates. */
#define CLOSURE_SHARE 4

bool
detector_init(struct detector *detector)
{
    return plans_init(&detector->plans) && shadow_init(&detector->shadow);
}

void
detector_free(struct detector *detector)
{
    shadow_free(&detector->shadow);
    numbers_free(&detector->notes);
    numbers_free(&detector->early);
    numbers_free(&detector->doubtful);
    numbers_free(&detector->queue);
    numbers_free(&detector->stack);
    numbers_free(&detector->drains);
    numbers_free(&detector->closure);
}

void
detect_begin(struct detector *detector)
{
    detector->notes.count = detector->early.count = detector->doubtful.count = 0;
    detector->queue.count = detector->drains.count = detector->closure.count = 0;
    detector->stack.count = detector->waiting = detector->wanted = 0;
    detector->renewed = 0;
    detector->arranged = SIZE_MAX;
    detector->no_memory = false;
    detector->shadow.is_dirty = true;
    detector->plans.stamp++;
}

/* --- the proof -------------------------------------------------------------------------------- */

/* We know that targets of frames are supported, but not that they are held. */
static void
forget_doubtful(struct detector *detector)
{
    for (size_t i = 0; i < detector->doubtful.count; i++) {
        *shadow_byte(detector->shadow.bytes, detector->doubtful.items[i]) &= SLOT_TOUCHED;
    }
}

bool
detect_prove(struct detector *detector, const uint32_t *slots)
{
    uint8_t *bytes = detector->shadow.bytes;
    uint32_t *notes = detector->notes.items;
    size_t wanted = 0;
    forget_doubtful(detector);
    for (size_t i = 0; i < detector->notes.count; i++) {
        uint8_t *slot = shadow_byte(bytes, slots[notes[i]]);
        uint32_t index = notes[i];
        notes[wanted] = index;
        wanted += (*slot & SLOT_RESIDUE) == 0;
        *slot |= SLOT_TOUCHED;
    }
    detector->wanted = detector->notes.count = wanted;
    return wanted == 0;
}

/* --- the mark --------------------------------------------------------------------------------- */

/* A tuple that was made last may hold the list that was made first. Objects that such a tuple refers
 * to are reached before their turn, and keep their places. So the order is no proof. */
static void
follow_held(struct detector *detector, const uint32_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        read_edges(&detector->plans, slot_object(detector->shadow.bases, slots[i]),
                   mark_edge, mark_visit, mark_visit, view_of(detector));
    }
}

/* From here on a slot says whether its candidate is reached. Held candidates are reached. */
static void
begin_marking(struct detector *detector, const uint32_t *slots, size_t first,
              size_t count, bool needs_order)
{
    uint8_t *bytes = detector->shadow.bytes;
    uint32_t *held = detector->stack.items;
    size_t held_count = 0;
    for (size_t i = first; i < count; i++) {
        bool is_held = (*shadow_byte(bytes, slots[i]) & SLOT_RESIDUE) != 0;
        *shadow_byte(bytes, slots[i]) = is_held ? SLOT_TOUCHED : SLOT_UNREACHED;
        held[held_count] = slots[i];
        held_count += is_held;
    }
    for (size_t i = 0; i < detector->notes.count; i++) {
        *shadow_byte(bytes, slots[detector->notes.items[i]]) |= SLOT_WANTED;
    }
    for (size_t i = 0; i < detector->early.count && first != 0; i++) {
        reach_slot(detector, bytes, detector->early.items[i]);
    }
    if (!needs_order && held_count < (count - first) / HELD_SHARE) {
        follow_held(detector, held, held_count);
    }
}

/* --- following -------------------------------------------------------------------------------- */

static void
follow_reached(struct detector *detector, size_t behind)
{
    for (PyObject *object; (object = mark_next(detector)) != NULL;) {
        read_edges(&detector->plans, object, mark_edge, mark_visit, mark_visit,
                   view_of(detector));
    }
    mark_end_drain(detector, behind);
}

/* Mark in order: follow candidates that were reached before their turn. */
static void
mark_in_order(struct detector *detector, const uint32_t *slots, size_t first,
              size_t limit)
{
    uint8_t *bytes = detector->shadow.bytes;
    size_t i = first;
    for (; i < limit && detector->wanted != 0; i++) {
        fetch_ahead(&detector->shadow, slots, i, limit);
        if (*shadow_byte(bytes, slots[i]) < SLOT_TOUCHED) {
            *shadow_byte(bytes, slots[i]) |= SLOT_PASSED;
            continue;
        }
        PyObject *object = slot_object(detector->shadow.bases, slots[i]);
        read_edges(&detector->plans, object, mark_edge, mark_visit, mark_visit,
                   view_of(detector));
        if (detector->stack.count >= DRAIN) {
            follow_reached(detector, i);
        }
    }
    if (detector->stack.count != 0) {
        follow_reached(detector, i - 1);
    }
}

static bool
reserve_marking(struct detector *detector, size_t count)
{
    if (!numbers_reserve(&detector->queue, count) ||
        !numbers_reserve(&detector->stack, count + 1)) {
        detector->no_memory = true;
    }
    return !detector->no_memory;
}

/* Save the slots in the queue, which gathering a closure does not use. */
static void
begin_closing(struct detector *detector, const uint32_t *slots, size_t first,
              size_t count)
{
    for (size_t i = first; i < count; i++) {
        uint8_t *value = shadow_byte(detector->shadow.bytes, slots[i]);
        detector->queue.items[i - first] = *value;
        *value = (*value & SLOT_RESIDUE) != 0 ? SLOT_TOUCHED : SLOT_UNREACHED;
    }
}

static void
leave_closing(struct detector *detector, const uint32_t *slots, size_t first,
              size_t count)
{
    for (size_t i = first; i < count; i++) {
        *shadow_byte(detector->shadow.bytes, slots[i]) =
            (uint8_t)detector->queue.items[i - first];
    }
    detector->closure.count = 0;
}

bool
detect_close(struct detector *detector, const uint32_t *slots, size_t first, size_t count,
             size_t *unreachable)
{
    if (!reserve_marking(detector, count - first)) {
        return false;
    }
    begin_closing(detector, slots, first, count);
    if (!closure_gather(detector, slots, (count - first) / CLOSURE_SHARE)) {
        leave_closing(detector, slots, first, count);
        return false;
    }
    *unreachable = closure_mark(detector, count);
    return true;
}

size_t
detect_mark(struct detector *detector, const uint32_t *slots, size_t first, size_t limit,
            size_t count, bool needs_order)
{
    if (!reserve_marking(detector, count - first)) {
        return 0;
    }
    begin_marking(detector, slots, first, count, needs_order);
    mark_in_order(detector, slots, first, limit);
    if (limit < count && detector->wanted != 0) {
        if (closure_gather(detector, slots, (count - first) / CLOSURE_SHARE)) {
            return closure_mark(detector, count);
        }
        closure_leave(detector, slots, first, limit);
        mark_in_order(detector, slots, limit, count);
    }
    return detector->wanted == 0 ? 0 : mark_condemn(detector, slots, first, count);
}
