/* SPDX-License-Identifier: MIT */
/* Walking the oldest generation, and ordering it; trail.h says why. */
#include "trail.h"

#include "count.h"

#include <string.h>

/* A walk searches the whole trail for an object. After it has looked at SEARCH_EFFORT times as many
 * entries as the trail has in vain, it searches the next SEARCH entries only. */
#define SEARCH        256
#define SEARCH_EFFORT 4
/* This many objects may join, in addition to as many as are proven. */
#define JOIN_LIMIT ((size_t)1 << 20)
/* A closure of at most one in this many of all candidates is small. Its old entries may stay in the
 * trail, because a walk skips few entries quickly. */
#define CLOSURE_SHARE 64
/* Garbage is sorted if there are more objects than this. Fewer fit into a cache in any order. */
#define SORT_LEAST  8192
#define SORT_BITS   11
#define SORT_DIGITS (1u << SORT_BITS)

bool
slots_gather(struct shadow *shadow, struct gc_link *head, struct numbers *slots,
             struct numbers *tuples)
{
    for (struct gc_link *link = next_of(head); link != head; link = next_of(link)) {
        uint32_t slot = shadow_enroll(shadow, object_of(link));
        if (slot == 0 || !numbers_append(slots, slot) ||
            (PyTuple_CheckExact(object_of(link)) && !numbers_append(tuples, slot))) {
            return false;
        }
        *shadow_byte(shadow->bytes, slot) = 0;
    }
    return true;
}

/* The same from `link` on, but the slots keep their values. */
static bool
append_list(struct shadow *shadow, struct gc_link *link, struct gc_link *head,
            struct numbers *slots)
{
    for (; link != head; link = next_of(link)) {
        uint32_t slot = shadow_enroll(shadow, object_of(link));
        if (slot == 0 || !numbers_append(slots, slot)) {
            return false;
        }
    }
    return true;
}

/* --- the walk --------------------------------------------------------------------------------- */

struct walk {
    struct shadow *shadow;
    struct numbers *slots; /* entries before slots->count are new, from `read` on old */
    struct gc_link *head, *link;
    struct gc_link strays;
    size_t read, known; /* old entries */
    size_t effort;      /* entries that were looked at in vain */
};

/* The list is at an object that is not the next entry. Whether it is a later entry. */
static bool
find_entry(struct walk *walk, uint32_t slot)
{
    const uint32_t *items = walk->slots->items;
    size_t most = walk->effort < SEARCH_EFFORT * walk->known ? walk->known : SEARCH;
    size_t end = walk->known - walk->read < most ? walk->known : walk->read + most;
    for (size_t i = walk->read; i < end; i++) {
        if (items[i] == slot) {
            walk->read = i + 1;
            return true;
        }
    }
    walk->effort += end - walk->read;
    return false;
}

/* Take objects that the trail knows, up to its entry number `end`, at most a block of them. */
static void
walk_block(struct walk *walk, size_t end)
{
    uint32_t *items = walk->slots->items;
    size_t out = walk->slots->count, most = out + DETECT_BLOCK;
    struct gc_link *link = walk->link;
    while (link != walk->head && walk->read < end && out < most) {
        struct gc_link *next = next_of(link);
        fetch_contents(object_of(link));
        uint32_t slot = slot_number(walk->shadow->windows, object_of(link));
        if (items[walk->read] == slot && slot != 0) {
            walk->read++;
            items[out++] = slot;
        } else if (find_entry(walk, slot)) {
            items[out++] = slot;
        } else {
            list_move_after(prev_of(&walk->strays), link);
        }
        link = next;
    }
    walk->slots->count = out;
    walk->link = link;
}

/* Objects that the trail does not know: the rest of the list, then the strays. */
static bool
walk_rest(struct walk *walk)
{
    struct gc_link *last = prev_of(walk->link); /* known, or the head */
    list_append(walk->head, &walk->strays);
    return append_list(walk->shadow, next_of(last), walk->head, walk->slots);
}

/* Count blocks of objects that the trail knows, while they are in the cache. Their order was a
 * proof. */
static void
walk_and_count(struct walk *walk, struct detector *detector, size_t end)
{
    while (walk->link != walk->head && walk->read < end) {
        size_t low = walk->slots->count;
        walk_block(walk, end);
        detect_count_block(detector, walk->slots->items, low, walk->slots->count,
                           walk->slots->items + walk->read, walk->known - walk->read);
    }
}

/* The same for objects that joined since then. */
static void
walk_and_arrange(struct walk *walk, struct detector *detector)
{
    uint32_t *items = walk->slots->items;
    struct arrangement order = {items, walk->slots->count, walk->slots->count};
    while (walk->link != walk->head && walk->read < walk->known) {
        walk_block(walk, walk->known);
        arrange_block(detector, &order, walk->slots->count - order.end,
                      items + walk->read, walk->known - walk->read);
    }
    arrange_rest(detector, &order);
}

static bool
walk_list(struct trail *trail, struct detector *detector, struct walk *walk,
          const struct numbers *young, size_t *fresh)
{
    walk_and_count(walk, detector,
                   trail->proven < walk->known ? trail->proven : walk->known);
    *fresh = walk->slots->count;
    detect_early(detector, walk->slots->items + walk->read, walk->known - walk->read);
    detect_early(detector, young->items, young->count);
    walk_and_arrange(walk, detector);
    size_t low = walk->slots->count;
    if (!walk_rest(walk)) {
        return false;
    }
    trail->unknown = walk->slots->count - low;
    detect_arrange(detector, walk->slots->items, low, walk->slots->count);
    return !detector->no_memory;
}

bool
trail_walk(struct trail *trail, struct detector *detector, struct gc_link *head,
           const struct numbers *young, size_t *fresh)
{
    struct walk walk = {.shadow = &detector->shadow,
                        .slots = &trail->slots,
                        .head = head,
                        .link = next_of(head),
                        .known = trail->slots.count};
    list_init(&walk.strays);
    trail->slots.count = 0;
    bool is_good = walk_list(trail, detector, &walk, young, fresh);
    if (!is_good) {
        list_append(head, &walk.strays);
        trail->slots.count = trail->proven = 0;
    }
    return is_good;
}

void
trail_join(struct trail *trail, struct shadow *shadow, struct gc_link *head,
           const uint32_t *slots, size_t count)
{
    if (trail->slots.count == 0 &&
        !append_list(shadow, next_of(head), head, &trail->slots)) {
        return;
    }
    if (trail->slots.count + count > 2 * trail->proven + JOIN_LIMIT) {
        return; /* no full collection is near, and objects may die: a walk will find the others */
    }
    for (size_t i = 0; i < count; i++) {
        if (!numbers_append(&trail->slots, slots[i])) {
            return;
        }
    }
}

/* --- the order -------------------------------------------------------------------------------- */

static struct gc_link *
link_at(const struct detector *detector, uint32_t slot)
{
    return link_of(slot_object(detector->shadow.bases, slot));
}

void
order_move(const struct detector *detector, const uint32_t *slots)
{
    const uint32_t *queue = detector->queue.items;
    size_t at = 0;
    for (size_t i = 0; i + 1 < detector->drains.count; i += 2) {
        struct gc_link *place = link_at(detector, slots[detector->drains.items[i]]);
        for (; at < detector->drains.items[i + 1]; at++) {
            struct gc_link *link = link_at(detector, queue[at]);
            list_move_after(place, link);
            place = link;
        }
    }
}

static void
sort_by_digit(const uint32_t *from, uint32_t *to, size_t count, int shift)
{
    size_t places[SORT_DIGITS + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        places[(from[i] >> shift) % SORT_DIGITS + 1]++;
    }
    for (size_t i = 1; i < SORT_DIGITS; i++) {
        places[i] += places[i - 1];
    }
    for (size_t i = 0; i < count; i++) {
        to[places[(from[i] >> shift) % SORT_DIGITS]++] = from[i];
    }
}

/* Sort in three steps. `room` has space for as many slots, and gets the result. */
static void
sort_slots(uint32_t *slots, uint32_t *room, size_t count)
{
    sort_by_digit(slots, room, count, 0);
    sort_by_digit(room, slots, count, SORT_BITS);
    sort_by_digit(slots, room, count, 2 * SORT_BITS);
}

/* CPython goes through garbage about ten times until it is gone, in the order of this list. It is up
 * to a third faster if that is the order of addresses. */
static void
move_garbage(const struct detector *detector, const uint32_t *slots, size_t count,
             struct gc_link *garbage)
{
    uint32_t *found = detector->stack.items, *sorted = detector->notes.items;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        found[n] = slots[i];
        n += is_unreachable(detector, slots[i]);
    }
    if (n >= SORT_LEAST) {
        sort_slots(found, sorted, n);
    }
    const uint32_t *order = n >= SORT_LEAST ? sorted : found;
    for (size_t i = 0; i < n; i++) {
        list_move_after(prev_of(garbage), link_at(detector, order[i]));
    }
}

/* After a small closure all objects stay where they are, except those that move to the end. */
static size_t
append_moved(const struct detector *detector, uint32_t *slots, size_t count)
{
    const struct numbers *queue = &detector->queue;
    for (size_t i = 0; i < queue->count; i++) {
        slots[count + i] = queue->items[i];
    }
    return count + queue->count;
}

static size_t
merge_moved(const struct detector *detector, uint32_t *slots, size_t first, size_t count)
{
    uint8_t *bytes = detector->shadow.bytes;
    const struct numbers *drains = &detector->drains;
    size_t out = first, drain = 0, queued = 0;
    for (size_t i = first; i < count; i++) {
        uint8_t value = *shadow_byte(bytes, slots[i]);
        if (value != SLOT_MOVED && value != SLOT_GARBAGE) {
            slots[out++] = slots[i];
        }
        for (; drain + 1 < drains->count && drains->items[drain] == i; drain += 2) {
            while (queued < drains->items[drain + 1]) {
                slots[out++] = detector->queue.items[queued++];
            }
        }
    }
    return out;
}

bool
order_reserve(struct detector *detector, struct numbers *slots, size_t unreachable)
{
    return numbers_reserve(slots, slots->count + detector->queue.count) &&
           numbers_reserve(&detector->stack, unreachable + 1) &&
           numbers_reserve(&detector->notes, unreachable);
}

size_t
order_apply(struct detector *detector, uint32_t *slots, size_t first, size_t count,
            size_t unreachable, bool is_exact, struct gc_link *garbage)
{
    bool has_closure = detector->closure.count != 0;
    if (unreachable != 0 && has_closure) {
        move_garbage(detector, detector->closure.items, detector->closure.count, garbage);
    } else if (unreachable != 0) {
        move_garbage(detector, slots + first, count - first, garbage);
    }
    bool is_small = has_closure && detector->closure.count <= count / CLOSURE_SHARE;
    return is_small && detector->drains.count == 2 && !is_exact
               ? append_moved(detector, slots, count)
               : merge_moved(detector, slots, first, count);
}

void
order_relink(const struct detector *detector, const uint32_t *slots, size_t first,
             size_t count, struct gc_link *head)
{
    struct gc_link *last = first == 0 ? head : link_at(detector, slots[first - 1]);
    for (size_t i = first; i < count; i++) {
        struct gc_link *link = link_at(detector, slots[i]);
        join(last, link);
        last = link;
    }
    join(last, head);
}

bool
order_by_address(struct detector *detector, uint32_t *slots, size_t count,
                 struct gc_link *head)
{
    if (!numbers_reserve(&detector->notes, count)) {
        return false;
    }
    sort_slots(slots, detector->notes.items, count);
    memcpy(slots, detector->notes.items, count * sizeof(*slots));
    order_relink(detector, slots, 0, count, head);
    return true;
}

void
order_renew(const struct detector *detector, const uint32_t *slots, size_t count,
            struct gc_link *head)
{
    size_t renewed = detector->renewed;
    struct gc_link *end = renewed < count ? link_at(detector, slots[renewed]) : head;
    struct gc_link *last = head;
    for (size_t i = 0; i < renewed; i++) {
        struct gc_link *link = link_at(detector, slots[i]);
        if (next_of(last) != link) {
            join(last, link);
        }
        last = link;
    }
    if (renewed != 0 && renewed < detector->arranged) {
        join(last, end);
    }
}
