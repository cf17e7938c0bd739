/* SPDX-License-Identifier: MIT */
/* The proof and the mark; detect.h says what they do. */
#include "mark.h"

#define DRAIN      64 /* candidates that were reached late, before they are followed */
#define WAITING    8  /* of them have been fetched when one is followed */
#define HELD_SHARE 16 /* less than this part of the candidates are few */
#define CLOSURE_SHARE                                                                    \
    4 /* a closure of more than this part of the candidates is not small */

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

/* What is known of the targets of frames is that they are supported, not that they are held. */
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

static inline bool
is_enclosed(uint8_t value)
{
    return (value & (SLOT_TOUCHED | SLOT_CLOSURE)) == SLOT_CLOSURE;
}

/* A tuple that was made last may hold the list that was made first: what such a one refers to is
 * reached before its turn, and stays where it is. So the order is no proof. */
static void
follow_held(struct detector *detector, const uint32_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        read_edges(&detector->plans, slot_object(detector->shadow.bases, slots[i]),
                   mark_edge, mark_visit, mark_visit, view_of(detector));
    }
}

/* From here on candidates are unreached or reached, by what they are held from. */
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

/* The next object to be followed. Mostly it is the one that was reached last, so that what
 * lies together stays together in the order; a few wait meanwhile for their memory. NULL at
 * the end. */
static PyObject *
next_to_follow(struct detector *detector)
{
    struct numbers *stack = &detector->stack, *queue = &detector->queue;
    while (detector->waiting < WAITING && stack->count != 0) {
        uint32_t slot = stack->items[--stack->count];
        fetch_object(slot_object(detector->shadow.bases, slot));
        queue->items[queue->count + detector->waiting++] = slot;
    }
    if (detector->waiting == 0) {
        return NULL;
    }
    detector->waiting--;
    return slot_object(detector->shadow.bases, queue->items[queue->count++]);
}

/* What was followed belongs behind the candidate at this index. */
static void
end_drain(struct detector *detector, size_t behind)
{
    if (!numbers_append(&detector->drains, (uint32_t)behind) ||
        !numbers_append(&detector->drains, (uint32_t)detector->queue.count)) {
        detector->no_memory = true;
    }
}

static void
follow_reached(struct detector *detector, size_t behind)
{
    for (PyObject *object; (object = next_to_follow(detector)) != NULL;) {
        read_edges(&detector->plans, object, mark_edge, mark_visit, mark_visit,
                   view_of(detector));
    }
    end_drain(detector, behind);
}

/* In order: those that were reached before their turn. */
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

/* Everything was looked at: what still is unreached, or in the closure, is garbage. */
static size_t
condemn(struct detector *detector, const uint32_t *slots, size_t first, size_t count)
{
    uint8_t *bytes = detector->shadow.bytes;
    size_t unreachable = 0;
    for (size_t i = first; i < count; i++) {
        if (*shadow_byte(bytes, slots[i]) < SLOT_TOUCHED) {
            *shadow_byte(bytes, slots[i]) = SLOT_GARBAGE;
            unreachable++;
        }
    }
    return unreachable;
}

/* --- the closure ------------------------------------------------------------------------------ */

/* An edge of the closure ends here. What it reaches first joins the closure. */
OURO_INLINE void
enclose_slot(struct detector *detector, uint8_t *value, uint32_t slot)
{
    if (is_unreached(*value)) {
        *value = SLOT_CLOSURE;
        detector->no_memory |= !numbers_append(&detector->closure, slot);
    }
}

OURO_INLINE void
enclose_edge(PyObject *target, struct view view)
{
    uint32_t slot = slot_number(view.windows, target);
    uint8_t *value = shadow_byte(view.bytes, slot);
    enclose_slot(view.arg, value, slot);
    if (is_enclosed(*value)) {
        *value = (uint8_t)(SLOT_CLOSURE | ((*value - 1) & SLOT_OUTSIDE));
    }
}

static int
enclose_visit(PyObject *target, void *arg)
{
    enclose_edge(target, view_of(arg));
    return 0;
}

static int
enclose_borrowed(PyObject *target, void *arg)
{
    struct detector *detector = arg;
    uint32_t slot = slot_number(detector->shadow.windows, target);
    enclose_slot(detector, shadow_byte(detector->shadow.bytes, slot), slot);
    detector->no_memory |= !numbers_append(&detector->doubtful, slot);
    return 0;
}

/* Count the closure while it is gathered: then a slot has the references that come from outside
 * of it. False if there are more than `most` objects in it. */
static bool
count_closure(struct detector *detector, size_t most)
{
    const struct numbers *closure = &detector->closure;
    uint8_t *bytes = detector->shadow.bytes;
    detector->doubtful.count = 0;
    for (size_t i = 0; i < closure->count && closure->count <= most; i++) {
        fetch_ahead(&detector->shadow, closure->items, i, closure->count);
        PyObject *object = slot_object(detector->shadow.bases, closure->items[i]);
        uint8_t *value = shadow_byte(bytes, closure->items[i]);
        *value = (uint8_t)(SLOT_CLOSURE |
                           ((*value + (unsigned)Py_REFCNT(object)) & SLOT_OUTSIDE));
        read_edges(&detector->plans, object, enclose_edge, enclose_visit,
                   enclose_borrowed, view_of(detector));
    }
    return closure->count <= most;
}

/* All that the wanted objects lead to. */
static bool
gather_closure(struct detector *detector, const uint32_t *slots, size_t most)
{
    for (size_t i = 0; i < detector->notes.count; i++) {
        uint32_t slot = slots[detector->notes.items[i]];
        enclose_slot(detector, shadow_byte(detector->shadow.bytes, slot), slot);
    }
    return count_closure(detector, most);
}

/* The closure is too large: all is as it was before, when the mark had come to slots[limit]. */
static void
leave_closure(struct detector *detector, const uint32_t *slots, size_t first,
              size_t limit)
{
    uint8_t *bytes = detector->shadow.bytes;
    for (size_t i = 0; i < detector->closure.count; i++) {
        *shadow_byte(bytes, detector->closure.items[i]) = SLOT_UNREACHED;
    }
    for (size_t i = first; i < limit; i++) {
        uint8_t *value = shadow_byte(bytes, slots[i]);
        *value |= is_unreached(*value) ? SLOT_PASSED : 0;
    }
    for (size_t i = 0; i < detector->notes.count; i++) {
        uint8_t *value = shadow_byte(bytes, slots[detector->notes.items[i]]);
        *value |= is_unreached(*value) ? SLOT_WANTED : 0;
    }
    detector->closure.count = 0;
}

/* The targets of frames count as not held, unless something else reaches them: towards
 * proposing them. */
static void
release_doubtful(struct detector *detector)
{
    for (size_t i = 0; i < detector->doubtful.count; i++) {
        uint8_t *value = shadow_byte(detector->shadow.bytes, detector->doubtful.items[i]);
        *value = is_enclosed(*value) ? SLOT_CLOSURE : *value;
    }
}

OURO_INLINE void
rescue_slot(struct detector *detector, uint32_t slot)
{
    if (is_enclosed(*shadow_byte(detector->shadow.bytes, slot))) {
        *shadow_byte(detector->shadow.bytes, slot) = SLOT_MOVED;
        detector->stack.items[detector->stack.count++] = slot;
    }
}

OURO_INLINE void
rescue_edge(PyObject *target, struct view view)
{
    rescue_slot(view.arg, slot_number(view.windows, target));
}

static int
rescue_visit(PyObject *target, void *arg)
{
    rescue_edge(target, view_of(arg));
    return 0;
}

/* What is referred to from outside the closure, and all that it refers to. */
static void
rescue_closure(struct detector *detector)
{
    const struct numbers *closure = &detector->closure;
    for (size_t i = 0; i < closure->count; i++) {
        uint8_t value = *shadow_byte(detector->shadow.bytes, closure->items[i]);
        if ((value & SLOT_OUTSIDE) != 0) {
            rescue_slot(detector, closure->items[i]);
        }
    }
    for (PyObject *object; (object = next_to_follow(detector)) != NULL;) {
        read_edges(&detector->plans, object, rescue_edge, rescue_visit, rescue_visit,
                   view_of(detector));
    }
}

static size_t
mark_closure(struct detector *detector, size_t count)
{
    const struct numbers *closure = &detector->closure;
    release_doubtful(detector);
    rescue_closure(detector);
    end_drain(detector, count - 1);
    return condemn(detector, closure->items, 0, closure->count);
}

size_t
detect_mark(struct detector *detector, const uint32_t *slots, size_t first, size_t limit,
            size_t count, bool needs_order)
{
    if (!numbers_reserve(&detector->queue, count - first) ||
        !numbers_reserve(&detector->stack, count - first + 1)) {
        detector->no_memory = true;
        return 0;
    }
    begin_marking(detector, slots, first, count, needs_order);
    mark_in_order(detector, slots, first, limit);
    if (limit < count && detector->wanted != 0) {
        if (gather_closure(detector, slots, (count - first) / CLOSURE_SHARE)) {
            return mark_closure(detector, count);
        }
        leave_closure(detector, slots, first, limit);
        mark_in_order(detector, slots, limit, count);
    }
    return detector->wanted == 0 ? 0 : condemn(detector, slots, first, count);
}

/* --- closures of others ----------------------------------------------------------------------- */

bool
detect_enclose(struct detector *detector, PyObject *object)
{
    uint32_t slot = shadow_enroll(&detector->shadow, object);
    uint8_t *value = shadow_byte(detector->shadow.bytes, slot);
    if (slot == 0 || is_enclosed(*value)) {
        detector->no_memory |= slot == 0;
        return false;
    }
    *value = SLOT_CLOSURE;
    detector->no_memory |= !numbers_append(&detector->closure, slot);
    return true;
}

void
detect_release(struct detector *detector, size_t first)
{
    for (size_t i = first; i < detector->closure.count; i++) {
        *shadow_byte(detector->shadow.bytes, detector->closure.items[i]) = 0;
    }
    detector->closure.count = first;
}

size_t
detect_try_closure(struct detector *detector)
{
    size_t count = detector->closure.count;
    if (detector->no_memory || !numbers_reserve(&detector->queue, count) ||
        !numbers_reserve(&detector->stack, count)) {
        return 0;
    }
    count_closure(detector, count);
    release_doubtful(detector);
    rescue_closure(detector);
    return condemn(detector, detector->closure.items, 0, count);
}
