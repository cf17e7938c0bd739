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

/* Instances of one type often follow each other. If their references to the type were counted one
 * by one, each would wait for the store of the previous one. This took a quarter of the time for
 * small objects. So these references are counted together. */
struct type_run {
    PyObject *type;
    unsigned count; /* references that were not counted yet */
};

OURO_INLINE void
end_type_run(struct view view)
{
    uint8_t *slot = shadow_byte(view.bytes, slot_number(view.windows, view.types->type));
    *slot =
        (uint8_t)((*slot & SLOT_TOUCHED) | ((*slot - view.types->count) & SLOT_RESIDUE));
}

OURO_INLINE void
count_type(PyObject *type, struct view view)
{
    if (view.types->type == type) {
        view.types->count++;
    } else {
        end_type_run(view);
        *view.types = (struct type_run){.type = type};
        count_edge(type, view);
    }
}

/* The reference may be borrowed: it supports its target, but is not counted. */
static int
count_borrowed(PyObject *target, void *arg)
{
    struct detector *detector = arg;
    uint32_t slot = slot_number(detector->shadow.windows, target);
    *shadow_byte(detector->shadow.bytes, slot) |= SLOT_TOUCHED;
    detector->no_memory |= !numbers_append(&detector->doubtful, slot);
    return 0;
}

OURO_INLINE struct view
counting_view(struct detector *detector, struct type_run *types)
{
    struct view view = view_of(detector);
    view.types = types;
    return view;
}

/* Get memory for this many more notes; false if there is none. */
static bool
reserve_notes(struct detector *detector, size_t more)
{
    if (!numbers_reserve(&detector->notes, detector->notes.count + more)) {
        detector->no_memory = true;
    }
    return !detector->no_memory;
}

/* --- fetching ahead --------------------------------------------------------------------------- */

/* A shadow of more than FETCH_BLOCKS blocks fits into no cache. If edges are scattered, the slots at
 * which the edges of a block of candidates end are fetched before these are counted. With ten million
 * objects and random references this halves the time. If edges are not scattered, it would cost a
 * quarter. So one block in SAMPLE_EVERY says which it is. Edges are scattered if more than one for
 * each SCATTERED_SHARE candidates ends further than FAR_SLOTS away, at a line that is not among the
 * last ones. A test sets FETCH_BLOCKS and FAR_SLOTS to 0, so that its small heaps are large. */
#ifndef FETCH_BLOCKS
#define FETCH_BLOCKS 8
#endif
#ifndef FAR_SLOTS
#define FAR_SLOTS ((uint32_t)1 << 22)
#endif
#define SAMPLE_EVERY    64
#define SCATTERED_SHARE 3
#define LINE_SLOTS      64
#define LINES           1024

struct sample {
    uint32_t slot; /* of the candidate */
    unsigned far;
    uint32_t lines[LINES]; /* that edges ended at */
};

OURO_INLINE void
sample_edge(PyObject *target, struct view view)
{
    struct sample *sample = view.arg;
    uint32_t slot = slot_number(view.windows, target), line = slot / LINE_SLOTS;
    if (slot > SHADOW_PLACE_MASK && slot - sample->slot + FAR_SLOTS > 2 * FAR_SLOTS) {
        sample->far += sample->lines[line % LINES] != line;
        sample->lines[line % LINES] = line;
    }
}

OURO_INLINE void
fetch_edge(PyObject *target, struct view view)
{
    __builtin_prefetch(shadow_byte(view.bytes, slot_number(view.windows, target)), 1);
}

OURO_INLINE void
skip_edge(PyObject *target, struct view view)
{
    (void)target;
    (void)view;
}

static bool
block_is_scattered(struct detector *detector, const uint32_t *slots, size_t count)
{
    struct sample sample = {0};
    struct view view = view_of(detector);
    view.arg = &sample;
    for (size_t i = 0; i < count; i++) {
        sample.slot = slots[i];
        read_edges_and_type(&detector->plans,
                            slot_object(detector->shadow.bases, slots[i]), sample_edge,
                            skip_edge, NULL, NULL, view);
    }
    return sample.far * SCATTERED_SHARE > count;
}

static void
fetch_edges(struct detector *detector, const uint32_t *slots, size_t count)
{
    if (detector->blocks_until_sample-- == 0) {
        detector->blocks_until_sample = SAMPLE_EVERY;
        detector->is_scattered = block_is_scattered(detector, slots, count);
    }
    for (size_t i = 0; i < count && detector->is_scattered; i++) {
        read_edges_and_type(&detector->plans,
                            slot_object(detector->shadow.bases, slots[i]), fetch_edge,
                            skip_edge, NULL, NULL, view_of(detector));
    }
}

/* --- turns ------------------------------------------------------------------------------------ */

/* It is the turn of the candidate at slots[i]. It is noted at notes[0] if no edge has ended at it.
 * Returns how many were noted: 0 or 1. */
OURO_INLINE size_t
count_candidate(struct detector *detector, const uint32_t *slots, size_t i,
                uint32_t *notes, struct view view)
{
    uint32_t slot = slots[i];
    PyObject *object = slot_object(detector->shadow.bases, slot);
    uint8_t value = *shadow_byte(view.bytes, slot);
    *shadow_byte(view.bytes, slot) =
        (uint8_t)((value & SLOT_TOUCHED) |
                  ((value + (unsigned)Py_REFCNT(object)) & SLOT_RESIDUE));
    *notes = (uint32_t)i;
    read_edges_and_type(&detector->plans, object, count_edge, count_type, count_visit,
                        count_borrowed, view);
    return (value & SLOT_TOUCHED) == 0;
}

void
detect_count_block(struct detector *detector, const uint32_t *slots, size_t low,
                   size_t high, const uint32_t *next, size_t next_count)
{
    if (!reserve_notes(detector, high - low)) {
        return;
    }
    if (detector->shadow.blocks > FETCH_BLOCKS) {
        fetch_edges(detector, slots + low, high - low);
    }
    const uintptr_t *bases = detector->shadow.bases;
    struct type_run types = {0};
    struct view view = counting_view(detector, &types);
    uint32_t *notes = detector->notes.items + detector->notes.count;
    for (size_t i = low; i < high; i++) {
        if (i - low < next_count) {
            fetch_object(slot_object(bases, next[i - low]));
        }
        notes += count_candidate(detector, slots, i, notes, view);
    }
    end_type_run(view);
    detector->notes.count = (size_t)(notes - detector->notes.items);
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

/* A candidate gets the next place, and its turn. It may overtake others. */
OURO_INLINE void
arrange_candidate(struct detector *detector, struct arrangement *order, uint32_t slot,
                  bool is_before_others)
{
    if (is_before_others && detector->arranged > order->done) {
        detector->arranged = order->done;
    }
    struct type_run types = {0};
    struct view view = counting_view(detector, &types);
    order->slots[order->done] = slot;
    detector->notes.count +=
        count_candidate(detector, order->slots, order->done++,
                        detector->notes.items + detector->notes.count, view);
    end_type_run(view);
}

/* The newest first: a part waits for the object that was made from it. */
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

/* These have waited long enough: if nothing has referred to one, it may be held from outside. */
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

/* Whether an edge has ended at each of these, or at none. */
static bool
are_alike(const struct detector *detector, const uint32_t *slots, size_t count)
{
    uint8_t any = 0, all = SLOT_TOUCHED;
    for (size_t i = 0; i < count; i++) {
        any |= *shadow_byte(detector->shadow.bytes, slots[i]);
        all &= *shadow_byte(detector->shadow.bytes, slots[i]);
    }
    return (any & SLOT_TOUCHED) == all;
}

/* First candidates that an edge has ended at, then those that have waited. The others wait. */
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
    if (order->done == low && are_alike(detector, order->slots + low, count)) {
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
