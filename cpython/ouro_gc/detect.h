/* SPDX-License-Identifier: MIT */
/* Finds out which candidates are reachable: counting, a proof that needs no mark, and a mark.
 *
 *   count   each candidate's slot gets its reference count, less one for each edge from a
 *           candidate: what remains is the number of references from outside, modulo 128
 *   proof   candidates are counted in an order. If an edge has ended at a candidate before its
 *           turn, an earlier candidate refers to it. Otherwise it is *noted*. If all noted
 *           candidates are held from outside, every candidate is reachable, by induction on the
 *           order. A noted candidate that is not held is *wanted*
 *   mark    goes through the candidates in the same order, and follows references. Candidates
 *           that were not reached before their turn are followed when they are reached. The mark
 *           ends when all wanted candidates are reached: then everything is, by the same induction
 *   closure what the wanted candidates lead to, up to objects that are known to be reachable.
 *           Everything outside of the closure is reachable, because its support does not go
 *           through a wanted candidate. So references from outside the closure decide, and only
 *           the closure is looked at. This suits a large heap with a few new or dead objects
 *   order   candidates that were reached late are moved behind those that reached them, and
 *           candidates of a closure to the end. Then the order is a proof the next time
 *
 * A slot may wrap: 128 references from outside look like none. Then a reachable object is
 * proposed as garbage, and CPython's own proof rejects it. Only time is lost.
 *
 * The only code of the program that runs here is tp_traverse. The GIL is held. */
#ifndef OURO_GC_DETECT_H
#define OURO_GC_DETECT_H

#include <Python.h>

#include "memory.h"
#include "plan.h"
#include "shadow.h"

/* Values of a slot. Objects that are no candidates have 0 or SLOT_TOUCHED. All slots have these
 * values between collections, and candidates have them after a proof. */
#define SLOT_TOUCHED   0x80 /* an edge ended here; while marking: reached */
#define SLOT_RESIDUE   0x7f /* while counting */
#define SLOT_UNREACHED 0x20 /* while marking */
#define SLOT_PASSED    0x10 /* with UNREACHED: it was not reached before its turn */
#define SLOT_WANTED    0x01 /* with UNREACHED: the proof fails because of this one */
#define SLOT_CLOSURE   0x40 /* while marking: in the closure, */
#define SLOT_OUTSIDE   0x3f /* and the references from outside of it, modulo 64 */
#define SLOT_GARBAGE   0x02 /* after marking: unreachable */
#define SLOT_HELD      (SLOT_TOUCHED | 0x04) /* in the search for support: a root */
#define SLOT_MOVED     (SLOT_TOUCHED | 0x01) /* after marking: reached after its turn */

struct detector {
    struct shadow shadow;
    struct numbers notes; /* indexes of candidates */
    struct numbers early; /* slots: candidates behind `first`, reached from before it */
    struct numbers
        doubtful; /* slots: targets of frames, whose references may not be counted */
    struct numbers stack; /* slots that were reached after their turn, to be followed */
    struct numbers
        queue; /* slots that were followed, in order; the next `waiting` are prefetched */
    size_t waiting;
    struct numbers drains;  /* pairs: an index, and the end of the part of the queue that
                                belongs behind the candidate there */
    struct numbers closure; /* slots */
    size_t wanted;
    size_t renewed; /* this many of the first slots have a new order */
    size_t
        arranged; /* the first candidate that was put before another one, or SIZE_MAX */
    unsigned blocks_until_sample; /* count.c: blocks until the next sample, */
    bool is_scattered;            /* and what the last one said */
    bool no_memory;               /* the result is worthless */
    struct plans plans;
};

struct candidates {
    uint32_t *slots;
    size_t count;
};

bool detector_init(struct detector *detector);
void detector_free(struct detector *detector);

/* Begin: nothing is noted. */
void detect_begin(struct detector *detector);

/* All candidates have had their turns. Returns whether everything is reachable. If not, the notes
 * are the wanted candidates. */
bool detect_prove(struct detector *detector, const uint32_t *slots);

/* After a proof that failed: slots[first] is the first wanted candidate. Everything before it is
 * reachable. So if the closure of the wanted candidates is small, only the closure must be looked
 * at. Then this returns true, and *unreachable is the number of unreachable candidates. Otherwise
 * nothing has changed. */
bool detect_close(struct detector *detector, const uint32_t *slots, size_t first,
                  size_t count, size_t *unreachable);

/* Follow references from candidates that are held, in slots[first] and on. Everything before is
 * reachable, and so is what detect_early() remembers, if first is not 0. All candidates up to
 * slots[limit] are looked at, then the closure of the wanted ones if it is small. The mark is faster
 * if it need not make an order that is a proof the next time. Returns how many candidates are
 * unreachable; is_unreachable() says which. */
size_t detect_mark(struct detector *detector, const uint32_t *slots, size_t first,
                   size_t limit, size_t count, bool needs_order);

/* Objects are fetched this many turns in advance, their contents half as many. */
#define FETCH_AHEAD 24

OURO_INLINE void
fetch_ahead(const struct shadow *shadow, const uint32_t *slots, size_t i, size_t end)
{
    if (i + FETCH_AHEAD < end) {
        fetch_object(slot_object(shadow->bases, slots[i + FETCH_AHEAD]));
        fetch_contents(slot_object(shadow->bases, slots[i + FETCH_AHEAD / 2]));
    }
}

static inline bool
is_unreachable(const struct detector *detector, uint32_t slot)
{
    return *shadow_byte(detector->shadow.bytes, slot) == SLOT_GARBAGE;
}

#endif
