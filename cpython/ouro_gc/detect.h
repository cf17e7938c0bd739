/* SPDX-License-Identifier: MIT */
/* Which candidates are reachable? Counting, a proof that needs no mark, and a mark.
 *
 *   count   each candidate's slot gets its reference count, less one for each edge from a
 *           candidate: what remains is the number of references from outside, modulo 128
 *   proof   candidates are counted in an order. If an edge has ended at a candidate before its
 *           turn, an earlier candidate refers to it; otherwise it is noted. If all that are
 *           noted are held from outside, every candidate is reachable, by induction on the
 *           order. A noted one that is not held is wanted
 *   mark    goes through the candidates in the same order, and follows references. Candidates
 *           that were not reached when their turn came are followed when they are. It ends
 *           when all wanted ones are reached: then everything is, by the same induction
 *   closure what can be reached from the wanted ones, up to objects that are known to be
 *           reachable. Everything outside of it is reachable: no support of it goes through a
 *           wanted one. So the references that come from outside decide, and only the closure
 *           is looked at. That is how a large heap with a few new or dead objects is done
 *   order   candidates that were reached late belong behind those that reached them, and those
 *           of a closure at the end. With them moved there, the order is a proof next time
 *
 * A slot may wrap: 128 references from outside look like none. Then a reachable object is
 * proposed as garbage, CPython's own proof rejects it, and time was lost, nothing else.
 *
 * Nothing here runs code of the program but tp_traverse. The GIL is held. */
#ifndef OURO_GC_DETECT_H
#define OURO_GC_DETECT_H

#include <Python.h>

#include "memory.h"
#include "plan.h"
#include "shadow.h"

/* Values of a slot. For objects that are no candidates it is 0 or has SLOT_TOUCHED; so it is
 * between collections, and for all candidates after a proof. */
#define SLOT_TOUCHED   0x80 /* an edge ended here; while marking: reached */
#define SLOT_RESIDUE   0x7f /* while counting */
#define SLOT_UNREACHED 0x20 /* while marking */
#define SLOT_PASSED    0x10 /* with UNREACHED: its turn came before it was reached */
#define SLOT_WANTED    0x01 /* with UNREACHED: the proof lacks this one */
#define SLOT_CLOSURE   0x40 /* while marking: in the closure, */
#define SLOT_OUTSIDE   0x3f /* and held so many times from outside of it, modulo 64 */
#define SLOT_GARBAGE   0x02 /* after marking: unreachable */
#define SLOT_HELD      (SLOT_TOUCHED | 0x04) /* while support is looked for: a root */
#define SLOT_MOVED     (SLOT_TOUCHED | 0x01) /* after marking: reached after its turn */

struct detector {
    struct shadow shadow;
    struct numbers notes; /* indexes of candidates */
    struct numbers early; /* slots: candidates behind `first` reached by those before */
    struct numbers
        doubtful; /* slots: targets of frames, whose references may not be counted */
    struct numbers stack; /* slots that were reached after their turn, to be followed */
    struct numbers
        queue; /* slots that were, in that order; the next `waiting` are fetched */
    size_t waiting;
    struct numbers drains;  /* pairs: an index, and the end of the part of the queue that
                                belongs behind the candidate there */
    struct numbers closure; /* slots */
    size_t wanted;
    size_t renewed; /* so many of the first slots have a new order */
    size_t
        arranged;   /* the first candidate that was put before another one, or SIZE_MAX */
    bool no_memory; /* the result is worthless */
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

/* All have had their turns. Is everything reachable? Otherwise the notes are those of the wanted
 * candidates. */
bool detect_prove(struct detector *detector, const uint32_t *slots);

/* After a proof that failed: slots[first] is the first that is wanted. Everything before it is
 * reachable, so if the closure of what is wanted is small, it is all that must be looked at. Then
 * true, and *unreachable counts. Otherwise nothing has changed. */
bool detect_close(struct detector *detector, const uint32_t *slots, size_t first,
                  size_t count, size_t *unreachable);

/* Follow references from what is held, in slots[first] and on; everything before is reachable,
 * and so is what detect_early() remembers, where first is not 0. Up to slots[limit] all are
 * looked at, then the closure of what is wanted if it is small. Without an order that is a
 * proof next time it is faster. Returns how many candidates are unreachable; is_unreachable()
 * tells them. */
size_t detect_mark(struct detector *detector, const uint32_t *slots, size_t first,
                   size_t limit, size_t count, bool needs_order);

#define FETCH_AHEAD                                                                      \
    24 /* objects are fetched so long before their turn; their contents, half */

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
