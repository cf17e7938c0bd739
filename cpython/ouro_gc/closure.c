/* SPDX-License-Identifier: MIT */
/* Gathering, counting and marking closures; closure.h says what they are. */
#include "closure.h"

#include "mark.h"

static inline bool
is_enclosed(uint8_t value)
{
    return (value & (SLOT_TOUCHED | SLOT_CLOSURE)) == SLOT_CLOSURE;
}

/* An edge of the closure ends at this slot. An object that is reached first joins the closure. */
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

/* Count the closure while it is gathered, from its object number `first` on. Afterwards each slot
 * has the number of references from outside the closure. False if it has more than `most` objects. */
static bool
count_closure(struct detector *detector, size_t first, size_t most)
{
    const struct numbers *closure = &detector->closure;
    uint8_t *bytes = detector->shadow.bytes;
    for (size_t i = first; i < closure->count && closure->count <= most; i++) {
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

bool
closure_gather(struct detector *detector, const uint32_t *slots, size_t most)
{
    for (size_t i = 0; i < detector->notes.count; i++) {
        uint32_t slot = slots[detector->notes.items[i]];
        enclose_slot(detector, shadow_byte(detector->shadow.bytes, slot), slot);
    }
    detector->doubtful.count = 0;
    return count_closure(detector, 0, most);
}

void
closure_leave(struct detector *detector, const uint32_t *slots, size_t first,
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

/* The targets of frames count as not held, unless something else reaches them. If in doubt, they
 * are proposed. */
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

/* Rescue objects that are referred to from outside the closure, and everything that they lead to. */
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
    for (PyObject *object; (object = mark_next(detector)) != NULL;) {
        read_edges(&detector->plans, object, rescue_edge, rescue_visit, rescue_visit,
                   view_of(detector));
    }
}

size_t
closure_mark(struct detector *detector, size_t count)
{
    const struct numbers *closure = &detector->closure;
    release_doubtful(detector);
    rescue_closure(detector);
    mark_end_drain(detector, count - 1);
    return mark_condemn(detector, closure->items, 0, closure->count);
}

/* Count along references until they lead to nothing new. The next candidate that was not reached
 * is noted, and counting begins again with it. */
static void
count_along(struct detector *detector, const uint32_t *slots, size_t count)
{
    struct numbers *closure = &detector->closure;
    for (size_t i = 0; i < count; i++) {
        size_t first = closure->count;
        uint8_t *value = shadow_byte(detector->shadow.bytes, slots[i]);
        if (is_unreached(*value)) {
            detector->notes.items[detector->notes.count++] = slots[i];
            enclose_slot(detector, value, slots[i]);
            count_closure(detector, first, count);
        }
    }
}

/* Only objects that are not held from outside stay noted. */
static void
forget_held(struct detector *detector)
{
    uint32_t *notes = detector->notes.items;
    size_t wanted = 0;
    for (size_t i = 0; i < detector->notes.count; i++) {
        uint8_t value = *shadow_byte(detector->shadow.bytes, notes[i]);
        uint32_t slot = notes[i];
        notes[wanted] = slot;
        wanted += (value & SLOT_OUTSIDE) == 0;
    }
    detector->notes.count = wanted;
}

/* At first no candidate is in the closure. */
static void
begin_closure(struct detector *detector, const uint32_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *shadow_byte(detector->shadow.bytes, slots[i]) = SLOT_UNREACHED;
    }
    detector->closure.count = detector->doubtful.count = 0;
}

bool
closure_of_all(struct detector *detector, const uint32_t *slots, size_t count)
{
    if (!numbers_reserve(&detector->closure, count) ||
        !numbers_reserve(&detector->notes, count) ||
        !numbers_reserve(&detector->queue, count) ||
        !numbers_reserve(&detector->stack, count)) {
        detector->no_memory = true;
        return false;
    }
    begin_closure(detector, slots, count);
    detector->notes.count = 0;
    count_along(detector, slots, count);
    release_doubtful(detector);
    forget_held(detector);
    return detector->notes.count == 0;
}

bool
closure_of_noted(struct detector *detector, const uint32_t *slots, size_t count,
                 size_t most)
{
    begin_closure(detector, slots, count);
    for (size_t i = 0; i < detector->notes.count; i++) {
        uint32_t slot = detector->notes.items[i];
        enclose_slot(detector, shadow_byte(detector->shadow.bytes, slot), slot);
    }
    return count_closure(detector, 0, most);
}

bool
closure_add(struct detector *detector, PyObject *object)
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
closure_release(struct detector *detector, size_t first)
{
    for (size_t i = first; i < detector->closure.count; i++) {
        *shadow_byte(detector->shadow.bytes, detector->closure.items[i]) = 0;
    }
    detector->closure.count = first;
}

size_t
closure_try(struct detector *detector)
{
    size_t count = detector->closure.count;
    if (detector->no_memory || !numbers_reserve(&detector->queue, count) ||
        !numbers_reserve(&detector->stack, count)) {
        return 0;
    }
    detector->doubtful.count = 0;
    count_closure(detector, 0, count);
    release_doubtful(detector);
    rescue_closure(detector);
    return mark_condemn(detector, detector->closure.items, 0, count);
}
