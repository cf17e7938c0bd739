/* SPDX-License-Identifier: MIT */
/* The trail: the slots of the oldest generation's objects, in the order of CPython's list.
 *
 * The trail is kept between full collections. Only the list itself is authoritative: it is walked
 * each time. The trail says in advance where the walk will go, so that memory can be fetched early.
 * An object that died is in the trail but not in the list, and is skipped. An object that is in the
 * list but not in the trail is a *stray*, and goes to the end of the list. So nothing depends on the
 * list being as it was last time, and nothing of ours is in it.
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
    size_t unknown; /* objects of the last walk that detect_early() did not see */
};

/* Append the slots of a list, and make them zero. The slots of tuples are also appended to `tuples`.
 * False without memory, or if an object can have no slot. */
bool slots_gather(struct shadow *shadow, struct gc_link *head, struct numbers *slots,
                  struct numbers *tuples);

/* Walk the oldest generation, and count its objects: first those whose order was a proof, then
 * those that joined, then strays. When the first are counted, detect_early() is called for the
 * objects that joined, and for those of the generations below, whose slots are `young`. Afterwards
 * trail->slots has all of them; from *fresh on they joined. False if this failed: then the list is
 * whole, and the trail is empty. */
bool trail_walk(struct trail *trail, struct detector *detector, struct gc_link *head,
                const struct numbers *young, size_t *fresh);

/* Objects are about to join the end of the oldest generation. An empty trail begins with the objects
 * that the generation has: modules and classes, which support many others, come first. */
void trail_join(struct trail *trail, struct shadow *shadow, struct gc_link *head,
                const uint32_t *slots, size_t count);

/* Get memory for order_apply(); false if there is none. Call this before a list changes. */
bool order_reserve(struct detector *detector, struct numbers *slots, size_t unreachable);

/* After a mark from `first` on: take the unreachable candidates out of their list and put them
 * into `garbage`, by address. Afterwards slots[0] and on have the order in which objects were
 * reached. Returns how many there are. Unless `is_exact`, some slots may belong to objects that
 * have another place now, or that are garbage. */
size_t order_apply(struct detector *detector, uint32_t *slots, size_t first, size_t count,
                   size_t unreachable, bool is_exact, struct gc_link *garbage);

/* Give the list of the candidates the order in which objects were reached: before order_apply().
 * The slots must have the order of the list. */
void order_move(const struct detector *detector, const uint32_t *slots);

/* The list gets the order of these slots, which are the slots of all its objects. Up to
 * slots[first - 1] it has this order already. */
void order_relink(const struct detector *detector, const uint32_t *slots, size_t first,
                  size_t count, struct gc_link *head);

/* The list gets the order of addresses, and so do these slots, which are the slots of all its
 * objects. CPython's own collection is fastest in this order. False without memory; then nothing has
 * changed. */
bool order_by_address(struct detector *detector, uint32_t *slots, size_t count,
                      struct gc_link *head);

/* The list gets the order that support_find() gave the first slots. Arranged objects are not linked
 * yet: order_relink() comes next. */
void order_renew(const struct detector *detector, const uint32_t *slots, size_t count,
                 struct gc_link *head);

#endif
