/* SPDX-License-Identifier: MIT */
/* The trail: the slots of the oldest generation's objects, in the order of CPython's list.
 *
 * It is kept between full collections. The list itself stays the truth: it is walked each time,
 * and the trail only tells in advance where the walk will come by, so that memory can be
 * fetched early. An object that died is in the trail and not in the list, and is skipped; an
 * object that is in the list and not in the trail is a stray, and goes to the list's end.
 * So nothing rests on how the list looked last time, and nothing of ours is in it.
 *
 *   trail.inv.proven   the first `proven` objects were in this order when a proof held */
#ifndef OURO_GC_TRAIL_H
#define OURO_GC_TRAIL_H

#include <Python.h>

#include "detect.h"
#include "gclist.h"

struct trail {
    struct numbers slots;
    size_t proven;
    size_t unknown; /* in the last walk: detect_early() was not told of these */
};

/* Append the slots of a list, and make them zero; those of tuples to `tuples` as well. False
 * without memory, or if an object can have no slot. */
bool slots_gather(struct shadow *shadow, struct gc_link *head, struct numbers *slots,
                  struct numbers *tuples);

/* Walk the oldest generation, and count its objects: first those whose order was a proof, then
 * those that joined, then strays. Of the objects that joined and those of the generations
 * below, whose slots are `young`, detect_early() is told when the former are counted.
 * trail->slots has them all then; from *fresh on they joined. False if that failed; the list
 * is whole, and the trail is empty. */
bool trail_walk(struct trail *trail, struct detector *detector, struct gc_link *head,
                const struct numbers *young, size_t *fresh);

/* Objects are about to join the end of the oldest generation. An empty trail begins with what that
 * has: modules and classes, which support much, stand first. */
void trail_join(struct trail *trail, struct shadow *shadow, struct gc_link *head,
                const uint32_t *slots, size_t count);

/* Is there memory for order_apply()? Ask before a list changes. */
bool order_reserve(struct detector *detector, struct numbers *slots, size_t unreachable);

/* After a mark from `first` on: take the unreachable candidates out of their list and put them
 * into `garbage`, by address. slots[0] and on have the order in which objects were reached then;
 * returns how many. Some slots may be of objects that have another place now, or are garbage,
 * unless `is_exact`. */
size_t order_apply(struct detector *detector, uint32_t *slots, size_t first, size_t count,
                   size_t unreachable, bool is_exact, struct gc_link *garbage);

/* Give the list of the candidates the order in which objects were reached: before order_apply().
 * The slots must have the order of the list. */
void order_move(const struct detector *detector, const uint32_t *slots);

/* The list gets the order of these slots, which are those of all its objects; up to
 * slots[first - 1] it has it. */
void order_relink(const struct detector *detector, const uint32_t *slots, size_t first,
                  size_t count, struct gc_link *head);

/* The list gets the order of addresses, and so do these slots, which are those of all its objects.
 * CPython's own collection is fastest in it. False without memory; then nothing has changed. */
bool order_by_address(struct detector *detector, uint32_t *slots, size_t count,
                      struct gc_link *head);

/* The list gets the order that support_find() gave the first slots. What was arranged has not been
 * linked yet: order_relink() comes next. */
void order_renew(const struct detector *detector, const uint32_t *slots, size_t count,
                 struct gc_link *head);

#endif
