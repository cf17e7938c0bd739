/* SPDX-License-Identifier: MIT */
/* Every number of the collector that was, or could be, chosen by measuring.
 *
 * A constant that a benchmark row set names the row (bench/rows.py has them): measure that row
 * before and after a change, `make bench BASE=main ONLY='letter. group'`. The letters: A live
 * heaps, B garbage, D churn, E trees, F memory, G queues, H the Scheme interpreter, P pauses of
 * a server, Y young collections. Encodings, and sizes that follow from other sizes, stand where
 * they are used. */
#ifndef OURO_COLLECTOR_TUNING_H
#define OURO_COLLECTOR_TUNING_H

/* --- detection: collection.h, ahead.c, count.c, few.c, certificate.c ----------------------- */

/* A walk over pages fetches the targets of the object this many slots ahead.
 * A "random graph" and "chain, random second edge", first. */
#define OURO_AHEAD 20
/* Work on a queue fetches the object this many entries ahead, and the targets of a nearer one.
 * A "random graph", first. */
#define OURO_FAR_AHEAD  32
#define OURO_NEAR_AHEAD 12
/* Bytes of a cache line: objects that are not in address order are fetched as two of them. */
#define OURO_LINE 64

/* A set of plain objects releases this many references to the outside at once. Y "second edge
 * to old". */
#define OURO_OUTWARD 64

/* A sample tells whether the references of a page are scattered: this many pairs of neighbours.
 * They are if this many of their references are further apart than this many bytes. Fetching
 * ahead costs A "tree in address order" one instruction in ten; A "random graph" needs it. */
#define OURO_ASKED_PAIRS     8
#define OURO_SCATTERED_PAIRS 2
#define OURO_NEAR_BYTES      4096

/* Counting gives up a proof by addresses when more objects than this, and more than one
 * candidate in OURO_UNSUPPORTED_SHARE, have no earlier object that refers to them. A "prepended
 * list", first. */
#define OURO_UNSUPPORTED_FREE  256
#define OURO_UNSUPPORTED_SHARE 8

/* Candidates are few, and are counted in their headers, if they are in at least this many
 * pages, with at most this many blocks in a page on average. A "one live object in 2,048":
 * first 1,900 and 400 ns without and with; G "rings ... 65,536 B", peak memory. With 64 blocks
 * to a page, full pages of objects with 1 KiB counted as few: G "trees ... 1,024 B": 184 and
 * 142 ns, longest pause 42 and 26 ms. */
#define OURO_FEW_PAGES   16
#define OURO_FEW_IN_PAGE 8

/* Objects are numbered after a full collection in which fewer than one candidate in this many
 * was garbage. D "dropped when old": 178 and 158 ns, longest pause 50 and 41 ms without and
 * with. */
#define OURO_STEADY_SHARE 64
/* The longest rest after failed proofs, in collections (B "random graph"). The direction of
 * most references is sampled in this many pages, and this many objects of each (A "prepended
 * list", first: 16.7 and 7.1 ns without and with). */
#define OURO_PROOF_REST_MAX 64
#define OURO_ASKED_PAGES    16
#define OURO_ASKED_IN_PAGE  16

/* A page is scanned by bits if it has at least this many slots and fewer than one in
 * OURO_SPARSE_SHARE is used (A "one live object in 2,048", steady); it is scanned whole if more
 * than one in OURO_DENSE_SHARE is used. */
#define OURO_SPARSE_SLOTS 128
#define OURO_SPARSE_SHARE 16u
#define OURO_DENSE_SHARE  4u

/* --- when to collect: trigger.c ------------------------------------------------------------ */

/* Reported memory may double, plus this, before a full collection is due. No row sets it: it
 * limits how often a program with small objects and large buffers has to collect. */
#define OURO_EXTERNAL_SLACK ((size_t)64 << 20)
/* After this many safe points in a row, allocations wait for the next one, for one part in
 * OURO_PATIENCE_SHARE of the threshold. D "dropped at once: most garbage at once": 2,318 and
 * 2,181 objects. */
#define OURO_SAFE_POINTS_REGULAR 16
#define OURO_PATIENCE_SHARE      16
/* Bounds of the estimated cost of an object in a middle collection, in seconds, and how many
 * objects a collection must have to change the estimate. E "depth 16: total time" in slices:
 * 230 and 195 ns. */
#define OURO_COST_MIN    40e-9
#define OURO_COST_MAX    80e-9
#define OURO_COST_SAMPLE 1000
/* In slices: if a middle collection finds fewer than one object in this many to be garbage, the
 * next OURO_DIRECT ones promote young objects at once. P programs, "all pauses". */
#define OURO_DIRECT_YIELD 64
#define OURO_DIRECT       16
/* In a heap with so many old objects for each object that so many collections promote, or more, they
 * do not look at them. P programs, "all pauses". */
#define OURO_UNSEEN_SHARE 16

/* --- how fast a cycle runs: pace.c, cycle.c ------------------------------------------------ */

/* What the program may allocate while a cycle runs: one in this many of the objects and pages
 * at the start, and at least this many. P "peak memory", and D, E "peak memory" in slices. */
#define OURO_ROOM_SHARE   24
#define OURO_ROOM_OBJECTS 1000
#define OURO_ROOM_PAGES   16
/* Allocations between two pauses. P "program's share of any 20 ms". */
#define OURO_PAUSE_REST 32

/* The pace of a cycle (pace.c). P, programs. */
#define OURO_OWN_RATIO    3.0  /* program's time over that of slices, if memory allows */
#define OURO_LATE_SHARE   0.65 /* of the allowed growth, for allocations in a cycle */
#define OURO_SHORT_SHARE  0.9  /* the same if the next cycle is short: it frees evenly */
#define OURO_WHOLE_DECAY  0.9375 /* of the last bound on memory, that the next one keeps */
#define OURO_MEMORY_SHARE 0.95   /* of the allowed growth, that is planned to be used */
#define OURO_WORK_MARGIN  1.08   /* how much longer than estimated the rest may take */
#define OURO_OWED_BUDGETS 4      /* the program is owed so many budgets at most, */
#define OURO_OWED_MOST    0.001  /* or so many seconds, if that is more */
#define OURO_BURST        4 /* allocations take so many times as long as usual at most */
#define OURO_CREDIT_MOST  0.001 /* seconds that the program may be ahead, at most */
#define OURO_SHARE_MAX    0.25  /* of the work left: a slice counts as no more */
#define OURO_PACE_LEAST   0.92  /* of the usual pace of short cycles, that it keeps, */
#define OURO_PACE_MOST    1.08  /* and how much of it is planned at most */
#define OURO_LOOK_SHARE   10 /* a look at so many objects takes as long as destroying one */
#define OURO_KNOWN_WORK                                                                  \
    5e6 /* nanoseconds of work, after which a first short cycle knows its pace */
#define OURO_EVEN_SHARE 0.75 /* of the pace in a cycle so far, that the program keeps */
/* After a collection in one piece: one object in so many is dropped while a cycle counts and marks. */
#define OURO_DROPPED_SHARE 10
/* The part of the budget that a slice plans for, because a step that has begun is finished. P
 * "99.9 % of pauses below". */
#define OURO_SLICE_SHARE 0.8
/* Objects between two reads of the clock. P "99.9 % of pauses below". */
#define OURO_WORK_STEP 256
/* A phase with fewer objects does not change the estimated cost of one. */
#define OURO_UNITS_MIN 1000
/* Pauses that are kept one by one, for the worst window. */
#define OURO_PAUSES_KEPT 4096

/* --- the phases of a cycle ----------------------------------------------------------------- */

/* A unit of work is a visit of an object. Other steps count as many units as they cost: a page
 * (the longest slice over 13,000 objects of 64 KiB took 2.3 ms without and 0.25 with that); a
 * page of side words that gets its memory; a part of a container; half a MiB that is given
 * back. G "65,536 B: longest pause" in slices, P "99.9 % of pauses below". */
#define OURO_PAGE_WORK     64
#define OURO_POPULATE_WORK 64
#define OURO_PART_WORK     256
/* Containers of a page wait when so many references of it were met. A program with 1,000 lists of 4,000 items:
 * longest slice 6.9 ms without. */
#define OURO_PAGE_REFERENCES 4096
#define OURO_RELEASE_WORK    256
/* Pages of side words that get their memory at once. E "depth 16: total time" in slices. */
#define OURO_POPULATE_PAGES 16
/* Bytes: larger objects are fetched before they are visited. G "1,024 B: total time". */
#define OURO_FAR_APART 256
/* Given back between two reads of the clock: bytes of tables, pages of the heap, bytes of the
 * buffer. P "99.9 % of pauses below". */
#define OURO_RELEASE_STEP ((size_t)64 << 10)
#define OURO_TRIM_STEP    8
#define OURO_GIVE_BACK    ((size_t)256 << 10)

/* If more proposals than this are evicted, another round of counting is worth it. E "depth 16"
 * in slices. */
#define OURO_ROUND_AGAIN 1024
/* The size of a batch, and the most rounds of refining; gc_state has copies, which tests lower.
 * A component of OURO_HUGE_COMPONENT batches is huge; from OURO_WATCHED batches on, a watch
 * costs less than it saves. P "longest pause", E "depth 16: longest pause" in slices. */
#define OURO_CYCLE_BATCH    512
#define OURO_CYCLE_ROUNDS   6
#define OURO_HUGE_COMPONENT 8
#define OURO_WATCHED        24

/* A set of at most this many objects that does not close may become part of another: follow.c.
 * P "events: all pauses". */
#define OURO_FOLLOW_AGAIN 8

/* A set of a short cycle is given up if it has more references than this for each member that it may
 * have. So many references take about as long as an object. */
#define OURO_FOLLOW_EACH 4
/* It is also given up if it takes so many budgets: the clock is read after so many members. P "documents: longest pause", with caches that are cold. */
#define OURO_FOLLOW_BUDGETS 3
#define OURO_FOLLOW_ASKED   512
/* Such a set counts as one old object in so many that were followed in vain. */
#define OURO_LONG_SHARE 16

/* Short cycles (doubt.c). In a smaller heap all cycles are whole. At most this many short cycles come
 * between two whole ones. An object with more references joins no set that another object begins. Sets
 * that were followed in vain may have one old object in so many; more make the next cycle a whole one.
 * P programs, "program's share of any 20 ms". */
#define OURO_SHORT_FROM   50000
#define OURO_SHORT_MOST   64
#define OURO_MISSED_SHARE 16
#define OURO_GROWN_SHARE  6
#define OURO_POPULAR      64
#define OURO_WASTED_SHARE 8

/* A survey is spread over this many short cycles, if the heap does not change, or over fewer if the heap has
 * grown by one in OURO_MISSED_SHARE. P programs with more turns, "program's share of any 20 ms". */
#define OURO_SURVEY_CYCLES  16
#define OURO_SURVEY_HURRIES 4
/* After a whole cycle, so many short cycles do nothing for a survey, unless the heap has grown: little was missed. The
 * same after a survey that found less than one object in so many. P "documents with finalizers and weak
 * references: program's share of any 20 ms": 22 and 25 % without and with. */
#define OURO_SURVEY_REST 8
#define OURO_FOUND_SHARE 64
/* A whole cycle comes after so many surveys in a row that found what short cycles cannot prove. */
#define OURO_LEFT_SURVEYS 4

/* A walk in address order that looks at little but headers fetches the object this many slots ahead. P programs,
 * "all pauses": 592, 576 and 574 ms with 12, 24 and 48, documents; 12 in settle.c alone: 598 ms. */
#define OURO_HEADERS_AHEAD 48
/* Objects wait until this many others became old before they are settled (settle.c). They are settled
 * without a look if fewer than one young object in so many was garbage. P "documents: program's share of
 * any 20 ms". */
#define OURO_SETTLING      16384
#define OURO_SETTLED_YIELD 1024

/* --- a proof under a write-watch: watch.c -------------------------------------------------- */

/* The most rounds of review, including the last, and the written pages between two reads of the
 * clock. E "depth 16: longest pause" in slices. */
#define OURO_REVIEWS      8
#define OURO_REVIEW_PAGES 8
/* Larger objects are not explained word by word: some of their words always look odd. Bytes. */
#define OURO_EXPLAINED_MAX 256
/* Bytes that are armed and withdrawn at once, and the cost of arming, in objects. P "99.9 % of
 * pauses below". */
#define OURO_ARM_BYTES  ((uintptr_t)64 << 10)
#define OURO_DROP_BYTES ((uintptr_t)256 << 10)
#define OURO_ARM_WORK   128
/* After a failed proof of all proposals, this many cycles with huge components cut theirs up. E
 * "depth 16: total time" in slices: 234 and 154 ns without and with proofs of all proposals. */
#define OURO_DISTRUST 8
/* After failures of short cycles in a row so many times, doubled so often at most. */
#define OURO_FAILURES_MOST 6

#endif
