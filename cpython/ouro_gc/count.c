/* SPDX-License-Identifier: MIT */
/* Counting candidates, in their order or in a better one; count.h says how. */
#include "count.h"

#include "mark.h"

#include <string.h>

OURO_INLINE void
count_edge(PyObject *target, struct view view)
{
    uint8_t *slot = shadow_byte(view.bytes, slot_number(view.windows, target));
    *slot = (uint8_t)((*slot - 1) | SLOT_TOUCHED);
}

static int
count_visit(PyObject *target, void *arg)
{
    count_edge(target, view_of(arg));
    return 0;
}

/* The reference may be borrowed: it supports its target, and is not counted. */
static int
count_borrowed(PyObject *target, void *arg)
{
    struct detector *detector = arg;
    uint32_t slot = slot_number(detector->shadow.windows, target);
    *shadow_byte(detector->shadow.bytes, slot) |= SLOT_TOUCHED;
    detector->no_memory |= !numbers_append(&detector->doubtful, slot);
    return 0;
}

/* Is there memory for this many notes? */
static bool
reserve_notes(struct detector *detector, size_t more)
{
    if (!numbers_reserve(&detector->notes, detector->notes.count + more)) {
        detector->no_memory = true;
    }
    return !detector->no_memory;
}

/* The candidate at slots[i] has its turn. */
OURO_INLINE void
count_candidate(struct detector *detector, const uint32_t *slots, size_t i,
                struct view view)
{
    PyObject *object = slot_object(detector->shadow.bases, slots[i]);
    uint8_t value = *shadow_byte(view.bytes, slots[i]);
    *shadow_byte(view.bytes, slots[i]) =
        (uint8_t)((value & SLOT_TOUCHED) |
                  ((value + (unsigned)Py_REFCNT(object)) & SLOT_RESIDUE));
    detector->notes.items[detector->notes.count] = (uint32_t)i;
    detector->notes.count += (value & SLOT_TOUCHED) == 0;
    read_edges(&detector->plans, object, count_edge, count_visit, count_borrowed, view);
}

void
detect_count_block(struct detector *detector, const uint32_t *slots, size_t low,
                   size_t high, const uint32_t *next, size_t next_count)
{
    if (!reserve_notes(detector, high - low)) {
        return;
    }
    const uintptr_t *bases = detector->shadow.bases;
    for (size_t i = low; i < high; i++) {
        if (i - low < next_count) {
            fetch_object(slot_object(bases, next[i - low]));
        }
        count_candidate(detector, slots, i, view_of(detector));
    }
}

void
detect_count(struct detector *detector, const uint32_t *slots, size_t low, size_t high)
{
    const uintptr_t *bases = detector->shadow.bases;
    for (size_t end; low < high; low = end) {
        end = high - low < DETECT_BLOCK ? high : low + DETECT_BLOCK;
        for (size_t i = low; i < end; i++) {
            fetch_contents(slot_object(bases, slots[i]));
        }
        detect_count_block(detector, slots, low, end, slots + end, high - end);
    }
}

/* Candidates that wait for their turns, in order. */
struct waiting {
    uint32_t slots[DETECT_BLOCK];
    size_t count;
};

OURO_INLINE bool
is_touched(const struct detector *detector, uint32_t slot)
{
    return (*shadow_byte(detector->shadow.bytes, slot) & SLOT_TOUCHED) != 0;
}

/* A candidate gets the next place and its turn, before others or not. */
OURO_INLINE void
arrange_candidate(struct detector *detector, struct arrangement *order, uint32_t slot,
                  bool is_before_others)
{
    if (is_before_others && detector->arranged > order->done) {
        detector->arranged = order->done;
    }
    order->slots[order->done] = slot;
    count_candidate(detector, order->slots, order->done++, view_of(detector));
}

/* The newest first: a part waits for what was made of it. */
static void
arrange_touched(struct detector *detector, struct arrangement *order,
                struct waiting *waiting)
{
    size_t left = waiting->count;
    for (size_t i = waiting->count; i-- != 0;) {
        uint32_t slot = waiting->slots[i];
        if (is_touched(detector, slot)) {
            arrange_candidate(detector, order, slot, true);
        } else {
            waiting->slots[--left] = slot;
        }
    }
    waiting->count -= left;
    memmove(waiting->slots, waiting->slots + left,
            waiting->count * sizeof(*waiting->slots));
}

/* These have waited long enough: what nobody refers to by now may be held from outside. */
static void
arrange_waiting(struct detector *detector, struct arrangement *order,
                struct waiting *waiting)
{
    arrange_touched(detector, order, waiting);
    for (size_t i = 0; i < waiting->count; i++) {
        arrange_candidate(detector, order, waiting->slots[i], false);
    }
}

static void
take_waiting(const struct arrangement *order, struct waiting *waiting)
{
    waiting->count = order->end - order->done;
    memcpy(waiting->slots, order->slots + order->done,
           waiting->count * sizeof(*waiting->slots));
}

static bool
has_touched(const struct detector *detector, const uint32_t *slots, size_t count)
{
    uint8_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= *shadow_byte(detector->shadow.bytes, slots[i]);
    }
    return (all & SLOT_TOUCHED) != 0;
}

/* First those that an edge has ended at, then those that have waited. The others wait. */
static void
arrange_mixed(struct detector *detector, struct arrangement *order, size_t count,
              const uint32_t *next, size_t next_count)
{
    const uint32_t *block = order->slots + order->end;
    struct waiting old, new;
    new.count = 0;
    take_waiting(order, &old);
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = block[i];
        if (i < next_count) {
            fetch_object(slot_object(detector->shadow.bases, next[i]));
        }
        if (is_touched(detector, slot)) {
            arrange_candidate(detector, order, slot, old.count + new.count != 0);
        } else {
            new.slots[new.count++] = slot;
        }
    }
    arrange_touched(detector, order, &new);
    arrange_waiting(detector, order, &old);
    memcpy(order->slots + order->done, new.slots, new.count * sizeof(*new.slots));
}

void
arrange_block(struct detector *detector, struct arrangement *order, size_t count,
              const uint32_t *next, size_t next_count)
{
    size_t low = order->end, high = low + count;
    if (order->done == low && !has_touched(detector, order->slots + low, count)) {
        detect_count_block(detector, order->slots, low, high, next, next_count);
        order->done = high;
    } else if (reserve_notes(detector, 2 * DETECT_BLOCK)) {
        arrange_mixed(detector, order, count, next, next_count);
    } else {
        order->done = high;
    }
    order->end = high;
}

void
arrange_rest(struct detector *detector, struct arrangement *order)
{
    struct waiting rest;
    if (reserve_notes(detector, DETECT_BLOCK)) {
        take_waiting(order, &rest);
        arrange_waiting(detector, order, &rest);
    }
}

void
detect_arrange(struct detector *detector, uint32_t *slots, size_t low, size_t high)
{
    const uintptr_t *bases = detector->shadow.bases;
    struct arrangement order = {slots, low, low};
    for (size_t end; low < high; low = end) {
        end = high - low < DETECT_BLOCK ? high : low + DETECT_BLOCK;
        for (size_t i = low; i < end; i++) {
            fetch_contents(slot_object(bases, slots[i]));
        }
        arrange_block(detector, &order, end - low, slots + end, high - end);
    }
    arrange_rest(detector, &order);
}

void
detect_early(struct detector *detector, const uint32_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((*shadow_byte(detector->shadow.bytes, slots[i]) & SLOT_TOUCHED) != 0) {
            detector->no_memory |= !numbers_append(&detector->early, slots[i]);
        }
    }
}
