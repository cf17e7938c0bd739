/* SPDX-License-Identifier: MIT */
/* A full collection in slices: everything a cycle knows between them.
 *
 * The program runs between slices and may change anything; there is no barrier. So what a cycle
 * remembers is only a proposal, which may be wrong in any way. Only a proof that runs in one
 * piece frees anything: a set of objects is garbage exactly when the count of every member
 * equals the references that come from inside the set (confirm.c).
 *
 * Words: an object is *of the cycle* when it was old at the start and has been since; the
 * others, born, tracked again or promoted later, are *late*. A *proposal* is an object of the
 * cycle that marking did not reach. A *component* is a set of proposals that refer to each
 * other, directly or not, in either direction.
 *
 *   cycle.inv.late      an old object that is not of the cycle has the word late_word, or
 *                       lies beyond `slots`
 *   cycle.inv.stable    no entry of a table is trusted between slices: ouro_cycle_object()
 *                       looks at the page and the header again
 *   cycle.inv.position  a proposal's position is base + rank + bits below it in its word,
 *                       and smaller than `proposals`
 *   cycle.inv.members   an object with OURO_GC_CONDEMNED is in order[first..last), and the phase
 *                       is one of destroying
 *   cycle.inv.tables    while no cycle runs only the spares of tables.c are held, with zeros in
 *                       those that need them; or with words that a short cycle begins with
 *
 * Checked by ouro_cycle_verify(). All calls need the interpreter's lock. */
#ifndef OURO_COLLECTOR_CYCLE_H
#define OURO_COLLECTOR_CYCLE_H

#include "../base/bits.h"
#include "../platform/platform.h"
#include "collection.h"
#include "pauses.h"

/* The table in phases.c says what follows each phase. */
enum cycle_phase {
    CYCLE_COUNT,   /* references between the objects of the cycle */
    CYCLE_MARK,    /* objects with more references than that, and what they reach */
    CYCLE_GATHER,  /* the proposals: all that was not marked */
    CYCLE_LIST,    /* list all proposals, to try one proof for all (watch.c) */
    CYCLE_DOUBT,   /* a short cycle: prove what changed objects reach (doubt.c) */
    CYCLE_FOLLOW,  /* prove what one proposal reaches, and destroy it (follow.c) */
    CYCLE_RECOUNT, /* references between proposals; and their components */
    CYCLE_EVICT,   /* drop proposals with more references, and what they reach */
    CYCLE_JOIN,    /* find components again, if a proposal was evicted */
    CYCLE_MEASURE, /* how large each component is */
    CYCLE_PLACE,   /* where each component begins */
    CYCLE_SORT,    /* the proposals, component by component */
    CYCLE_CONFIRM, /* prove a batch, and destroy it unless it is huge */
    CYCLE_WATCH,   /* prove a huge one in slices: arm its pages (watch.c) */
    CYCLE_TALLY,   /* count its references, and compare with the counts */
    CYCLE_REVIEW,  /* compare members on pages that were written meanwhile */
    CYCLE_PROVE,   /* prove a huge one in one piece: no watch, or it failed */
    CYCLE_SPLIT, /* members with tp_del, and what they reach, leave it (cycle_legacy.c) */
    CYCLE_SEVER, /* weak references to it that call back die (farewell.c) */
    CYCLE_CALL,  /* call their callbacks */
    CYCLE_FINALIZE, /* call its finalizers */
    CYCLE_CONDEMN,  /* flag and pin a huge one */
    CYCLE_CLEAR,    /* call its tp_clear */
    CYCLE_UNPIN,    /* drop its pins */
    CYCLE_KEEP,     /* put objects with tp_del into the garbage list */
    CYCLE_SURVEY,   /* a short cycle: a part of a survey of the whole heap (survey.c) */
    CYCLE_RELEASE,  /* give the tables back */
    CYCLE_DONE,
};

/* How far a phase got: what its function returns. */
enum step {
    STEP_MORE,  /* the slice is over: call it again in the next */
    STEP_DONE,  /* these three ways out, with the next phase for each, are columns */
    STEP_ASIDE, /* of the table */
    STEP_FAILED,
    STEP_NO_MEMORY, /* the cycle cannot go on */
};

/* The side word of a slot: counted references, or a state of follow.c, or alive. */
#define CYCLE_UNMARKED   1u      /* in a short cycle: not found alive by a survey */
#define CYCLE_MANY       0x3FFFu /* too many to count: as many as its reference count */
#define CYCLE_MET        0x4000u /* from here on: follow.c */
#define CYCLE_PROVED     0x7FFDu /* garbage, by following references */
#define CYCLE_ALIVE      0x8000u /* from here on: alive, with this reference count more */
#define CYCLE_ALIVE_MOST 0xBFFFu /* alive, with this count or a larger one */
#define CYCLE_NEW        0xC000u /* from here on: not settled, with this reference count more */
#define CYCLE_NEW_MOST   0xFFF0u
#define CYCLE_LATE                                                                       \
    0xFFFEu /* late, in a whole cycle; in short ones this or the next, in turn */
#define CYCLE_LIVE 0xFFFFu /* reached in a whole cycle; its count is not known so far */

#define CYCLE_EVICTED ((uint32_t)1 << 31) /* in exact[] */

/* A container that was visited up to `next`. */
struct cycle_part {
    uint32_t slot;
    size_t cursor; /* c.cursor, for the visit function */
    Py_ssize_t next;
    visitproc visit;
};
enum { CYCLE_PARTS = 32 };

/* The references of one large object, noted in one call (buffer.c). An object with fewer items
 * is visited in one piece. */
enum { CYCLE_BUFFERED = 2 * _Py_TRAVERSE_PART };
struct cycle_buffer {
    uint32_t *slots;
    size_t bytes; /* 0 until there is an object that needs it */
    size_t count;
    visitproc visit; /* NULL: not in use */
};

/* Its memory: tables.c. */
enum cycle_table {
    TABLE_WORDS,
    TABLE_QUEUE,
    TABLE_PROPOSED,
    TABLE_RANK,
    TABLE_BASE,
    TABLE_EXACT,
    TABLE_PARENT,
    TABLE_ORDER,
    TABLE_FINGERPRINTS,
    TABLES_OF_CYCLE,
};
static_assert(sizeof(((struct gc_slices *)0)->spares) / sizeof(struct gc_table) ==
                  TABLES_OF_CYCLE,
              "the interpreter keeps every table");

/* A proof under a write-watch (watch.c). */
struct cycle_watch {
    struct ouro_watch handles;
    struct ouro_span range;   /* where members are; later, where they are still watched */
    struct ouro_span pending; /* to be armed */
    uint32_t next_page;       /* to be armed for all proposals */
    struct ouro_span rest;    /* of the range, in this round of review */
    uint64_t *fingerprints;   /* per member, from `first` on */
    uint64_t key;             /* mixed into every fingerprint */
    uint32_t kept;            /* order[first..kept) are members */
    uint32_t open;            /* members whose count is not explained so far */
    uint32_t unwatched; /* queue[0..unwatched): members that the watch does not see */
    uint32_t rounds;
    uint32_t reviewed; /* members looked at in this round */
    bool is_settled;   /* the next round is the last */
    bool is_of_all;    /* proposals: when the proof fails they are cut up */
    uint32_t proved;   /* members of components, in this cycle */
    uint32_t discards; /* of the heap, at the start: the watch does not see discards */
};

/* Proofs without components: follow.c. */
struct cycle_follow {
    bool is_on;        /* this phase proves and destroys */
    bool is_done;      /* all proposals were met, or a set is too large */
    bool expects_huge; /* as the last set was */
    bool is_broken;    /* the set cannot be proved */
    bool took_long;    /* it was given up because of the time */
    double asked;      /* when the clock was read for it last */
    double took;       /* since the clock was read for it first, */
    double longest;    /* and what the longest time between two reads was */
    size_t slot;       /* the next to look at */
    uint16_t
        popular; /* objects that are believed alive join a set if they have fewer references */
    uint16_t also;       /* objects with this word join it, too, */
    uint16_t new_words;  /* and those that wait to be settled with fewer references */
    uint32_t left;       /* proposals that were met and not proved */
    uint32_t references; /* met in this set */
};

/* Objects that may have become garbage since the last cycle: doubt.c. */
struct cycle_doubt {
    uint16_t grains[OURO_PAGE_GRAINS]; /* in the page before the cursor */
    uint32_t count;
    bool
        is_wide; /* the set that is followed begins with an object that lost references */
    bool is_unmarked;   /* ... with one that a survey did not find alive */
    bool gives_up;      /* a whole cycle is to start at once */
    bool has_unmarked;  /* a survey ended in the last cycle, and doubted objects */
    bool left_unmarked; /* ... and a set that began with one was not proved */
    Py_ssize_t wasted;  /* objects in sets that were not proved and began so */
};

/* Between the proof of a huge component and its destruction: farewell.c. */
struct cycle_farewell {
    bool has_begun;         /* the proof that comes next is the last */
    bool ran_user_code;     /* ... and it is needed */
    uint32_t kept;          /* order[first..kept) are members */
    PyWeakReference *calls; /* dead weak references to call back, by wr_next */
    PyWeakReference **last_call;
};

/* The slice that is running; cycle.c begins it. */
struct cycle_slice {
    double begun; /* by the clock of the thread */
    double deadline;
    uint32_t work, work_step;   /* done since the clock was read; read it after a step */
    enum cycle_phase worked_in; /* at last */
    bool is_over;
    bool is_fresh;     /* no phase has run in it so far */
    bool ran_handlers; /* user code other than tp_traverse */
};

/* What there was at the start, and what the cycle took so far: pace.c. */
struct cycle_pace {
    uint32_t start_pages;
    Py_ssize_t start_objects, start_pending, start_collected;
    double in_time; /* the share of them that existed when the cycle was due */
    size_t start_external;
    double phase_seconds[CYCLE_DONE];
    int64_t rest_until;   /* allocations of the heap: no slice before */
    uint32_t asked_pages; /* used when the clock was asked whether it is over */
    double owed;          /* seconds that the program runs before the next slice */
    double each; /* lately: seconds of the program for one allocation; 0: not known */
    double own_seconds; /* what the program ran between the pauses of this cycle, */
    double own_objects; /* and what it allocated */
    double resumed;     /* when the last pause ended, by the clock of ... */
    const struct _Py_Current *thread;
    int64_t resumed_at; /* allocations */
    double next_need;   /* the next slice is owed when ouro_pace_need() is that much */
};

/* Containers that were visited in part, in this phase, and containers that wait: parts.c. */
struct cycle_parts {
    struct cycle_part list[CYCLE_PARTS];
    uint32_t count;
    uint32_t met; /* references, in count and mark, since the work was told */
    uint32_t waiting[OURO_PAGE_GRAINS]; /* slots, of one page */
    uint32_t waiting_count;
    visitproc visit; /* of these */
};

/* Memory: tables.c. */
struct cycle_tables {
    struct gc_table
        list[2 * TABLES_OF_CYCLE]; /* and spares that this cycle did not take */
    uint32_t released;             /* tables handled in CYCLE_RELEASE */
    size_t released_bytes;         /* of the next */
};

/* Members with *ends*: with a finalizer or weak references, or that are weak references. */
enum { CYCLE_ENDS = 512 };

/* What is being proved or destroyed: confirm.c, follow.c and watch.c. */
struct cycle_proof {
    uint32_t number;           /* of the last proof */
    uint32_t first, last;      /* order[first..last) */
    uint32_t doomed;           /* `last`, when its members were doomed */
    uint32_t at;               /* cursor in it */
    struct kinds kinds;        /* what its members need */
    uint32_t ends[CYCLE_ENDS]; /* entries of order[]: ouro_proof_lists_ends() */
    uint32_t end_count;
    bool lists_ends;
};

struct cycle {
    struct collection c;    /* walks over the old set; counts what the cycle does */
    enum cycle_phase phase; /* phases.c alone writes it */
    bool is_short;          /* it looks for changes since the last one: doubt.c */
    bool keeps;             /* objects left huge components because of tp_del */
    bool drops; /* a handler asked for what a cycle cannot survive: freeze, mode off */
    struct cycle_slice slice;
    struct cycle_pace pace;
    struct cycle_parts parts;
    struct cycle_buffer buffer;
    struct cycle_tables tables;
    struct cycle_proof proof;
    struct cycle_watch watch;
    struct cycle_follow follow;
    struct cycle_doubt doubt;
    struct cycle_farewell farewell;
    Ouro_Event event; /* told at the start and at the end */

    /* Of the start: pages, and slots == pages * OURO_PAGE_GRAINS. */
    uint32_t pages;
    size_t slots;

    /* Where the phase is. */
    uint32_t cursor;     /* page, or position */
    uint32_t populated;  /* page: words have memory up to here */
    bool is_draining;    /* marking: the queue is being emptied */
    bool is_second_pass; /* of recount and join */

    /* Found by propose.c. */
    uint16_t *words;    /* per slot */
    uint16_t late_word; /* of a late object */
    Py_ssize_t marked;
    Py_ssize_t live; /* old objects that were marked or evicted, late ones among them */
    Py_ssize_t late; /* late objects that gather takes for live ones */
    uint64_t *proposed; /* per slot: one bit */
    uint16_t *rank;     /* per word of `proposed`: bits before it in the page */
    uint32_t *base;     /* per page: proposals in the pages before; one more entry */
    uint32_t proposals;
    size_t neighbours; /* objects in pages with proposals */

    /* Found by refine.c and component.c. */
    uint32_t *exact;  /* per position: references from inside; for components,
                          where they begin, and after sorting where they end */
    uint32_t *parent; /* per position: union-find; then the proof it is part of */
    uint32_t *order;  /* slot numbers, component by component */
    uint32_t room;    /* entries that the three have */
    uint32_t ordered; /* entries of order[] */
    uint32_t rounds;  /* of recount and evict */
    uint32_t evicted; /* in this round */
};

/* --- cycle.c --------------------------------------------------------------------------- */

/* A walk over the old objects. */
struct collection ouro_collection_of_old(struct _is *interp);

/* Begin a cycle; false when there is no memory for it: then collect in one piece. */
bool ouro_cycle_start(struct _is *interp);
/* Run the cycle until the clock says `deadline`. */
void ouro_cycle_run(struct _is *interp, double deadline);
/* Destroy what is proved garbage, and forget the rest. */
void ouro_cycle_drop(struct _is *interp, enum ouro_reason reason);
/* The same, but while a slice is running, when that is over. */
void ouro_cycle_drop_soon(struct _is *interp);
/* The flags and pins of the proved objects are gone: do not destroy these objects. */
void ouro_cycle_forget_proved(struct _is *interp);
/* Around everything that collects: nothing else may collect meanwhile. */
void ouro_collecting_begin(struct _is *interp);
void ouro_collecting_end(struct _is *interp);
/* The phase that proved the set that is being destroyed. */
enum cycle_phase ouro_cycle_home(const struct cycle *cy);
bool ouro_cycle_verify(const struct cycle *cy);

/* --- phases.c --------------------------------------------------------------------------- */

void ouro_phases_begin(struct cycle *cy);
/* Run phases until the slice is over or the phase is `end`; false when memory was missing. */
bool ouro_phases_run(struct cycle *cy, enum cycle_phase end);
/* For a phase that runs. */
const char *ouro_phase_name(enum cycle_phase phase);
/* Give up the work under way: only giving the tables back is left. */
void ouro_phases_skip_to_release(struct cycle *cy);

/* --- the phases ------------------------------------------------------------------------ */

enum step ouro_cycle_count(struct cycle *cy);
enum step ouro_cycle_mark(struct cycle *cy);
enum step ouro_cycle_gather(struct cycle *cy);
enum step ouro_cycle_list(struct cycle *cy);
enum step ouro_cycle_follow(struct cycle *cy);
enum step ouro_cycle_recount(struct cycle *cy);
enum step ouro_cycle_evict(struct cycle *cy);
enum step ouro_cycle_join(struct cycle *cy);
enum step ouro_cycle_measure(struct cycle *cy);
enum step ouro_cycle_place(struct cycle *cy);
enum step ouro_cycle_sort(struct cycle *cy);
enum step ouro_cycle_confirm(struct cycle *cy);
enum step ouro_cycle_watch(struct cycle *cy);
enum step ouro_cycle_tally(struct cycle *cy);
enum step ouro_cycle_review(struct cycle *cy);
enum step ouro_cycle_prove(struct cycle *cy);
enum step ouro_cycle_split(struct cycle *cy);
enum step ouro_cycle_sever(struct cycle *cy);
enum step ouro_cycle_call(struct cycle *cy);
enum step ouro_cycle_finalize(struct cycle *cy);
enum step ouro_cycle_condemn(struct cycle *cy);
enum step ouro_cycle_clear(struct cycle *cy);
enum step ouro_cycle_unpin(struct cycle *cy);
enum step ouro_cycle_keep(struct cycle *cy);
enum step ouro_cycle_survey(struct cycle *cy);
enum step ouro_cycle_release(struct cycle *cy);

static inline enum step
ouro_step_done_if(bool is_done)
{
    return is_done ? STEP_DONE : STEP_MORE;
}

/* Is a huge component proved and not yet destroyed? Then it is hidden. */
static inline bool
ouro_cycle_is_destroying(const struct cycle *cy)
{
    return cy->c.interp->gc.is_doomed != NULL;
}

/* Does it have flags and pins? */
static inline bool
ouro_cycle_is_clearing(const struct cycle *cy)
{
    return cy->phase >= CYCLE_CONDEMN && cy->phase <= CYCLE_UNPIN;
}

/* --- confirm.c, watch.c: huge components ---------------------------------------------- */

/* Must user code run, or a weak reference die, before a set can be destroyed? */
bool ouro_confirm_needs_finalizing(const struct cycle *cy, const struct kinds *kinds);
/* order[first..last) is proved: hide it from now on. Done: it can be destroyed. Aside: user
 * code has to run before. */
enum step ouro_confirm_destroy(struct cycle *cy);
/* order[first..last) is proved: count it in the statistics, and tell listeners. */
void ouro_confirm_count(const struct cycle *cy);
/* Is it to be destroyed in slices? Else destroy it at once. */
bool ouro_confirm_is_huge(const struct cycle *cy);
void ouro_confirm_destroy_batch(struct cycle *cy);
/* A long step waits for the beginning of a slice, unless this slice has no end. */
bool ouro_confirm_must_wait(struct cycle *cy);
/* Destroy in one piece what cannot be destroyed in slices; true then. */
bool ouro_confirm_at_once(struct cycle *cy);
/* Tell listeners that order[first..last), of this many objects, is proved. */
void ouro_confirm_tell(const struct cycle *cy, Py_ssize_t size);
/* Is order[first..last) so large that a watch costs less than a long pause? */
bool ouro_watch_is_worth_it(const struct cycle *cy);
/* Begin to prove order[first..last) in slices; false when the system has no watch. */
bool ouro_watch_begin(struct cycle *cy);
/* Is one proof of all proposals likely to succeed, and cheaper than cutting them up? */
bool ouro_watch_is_for_all(const struct cycle *cy);
/* Was the failed proof one of all proposals? Then they are cut up. */
bool ouro_watch_failed_for_all(struct cycle *cy);
/* A cycle is done: learn what to expect of the next. */
void ouro_watch_learn(const struct cycle *cy);
/* The proof is made: stop watching everything up to `op`. */
void ouro_watch_withdraw(struct cycle *cy, const PyObject *op);
void ouro_watch_end(struct cycle *cy);

/* --- follow.c ---------------------------------------------------------------------------- */

/* order[first..last) was proved by following references, and user code ran: is it still garbage, as a
 * whole? */
bool ouro_follow_proves_again(struct cycle *cy);
/* Give order[first..last) positions: to be members for phases and questions that need them. */
void ouro_follow_list(struct cycle *cy, uint32_t last);
/* Are proposals to be proved without cutting them up? */
bool ouro_follow_is_wanted(const struct cycle *cy);
/* A cycle is done: learn what to expect of the next. */
void ouro_follow_learn(const struct cycle *cy);

/* --- doubt.c ------------------------------------------------------------------------------ */

/* How many members the sets of a batch can have. */
static inline uint32_t
ouro_doubt_room(const struct cycle *cy)
{
    return (OURO_WATCHED + 8) * cy->c.interp->gc.slices.batch;
}
/* Will the cycle that starts be a short one? */
bool ouro_doubt_is_wanted(const struct _is *interp);
/* Is the cycle after this one likely to be short? */
bool ouro_doubt_is_next(const struct cycle *cy);
/* A cycle has looked at everything: shall the next one be short? */
void ouro_doubt_learn(const struct cycle *cy);
/* A short cycle took too long: let whole ones come for a while. */
void ouro_doubt_distrust(struct gc_slices *slices);
/* The next object to begin a set with; false when the slice is over, or follow.is_done. */
bool ouro_doubt_next(struct cycle *cy, size_t *slot);
/* The members from order[start] on are not proved; those before order[visited] were visited. */
void ouro_doubt_leave(struct cycle *cy, uint32_t start, uint32_t visited);

/* The word that says: alive, with this many references. */
static inline uint16_t
ouro_doubt_belief(const PyObject *op)
{
    uint32_t most = CYCLE_ALIVE_MOST - CYCLE_ALIVE;
    uint32_t count = op->ob_refcnt < most ? op->ob_refcnt : most;
    return (uint16_t)(CYCLE_ALIVE | count);
}

/* --- believe.c ----------------------------------------------------------------------------- */

/* A collection in one piece looked at everything: let the next cycle be short, if that is likely to
 * be worth it. */
void ouro_believe_survivors(struct _is *interp);

/* --- survey.c ------------------------------------------------------------------------------ */

/* A short cycle is about to do its part of the survey. Begins a new one if none is under way. */
void ouro_survey_begin_part(struct cycle *cy);
/* How much of the part is done, from 0 to 1. */
double ouro_survey_share_done(const struct cycle *cy);
/* Forget the survey under way, if there is one: objects became old, and it was not told. */
void ouro_survey_forget(struct _is *interp);
/* The same, and free its memory. */
void ouro_survey_end(struct _is *interp);
/* The words that objects which become old get in the survey, and how many there are; 0 without one. */
size_t ouro_survey_words(const struct _is *interp, uint16_t **words);

/* --- settle.c ------------------------------------------------------------------------------ */

/* Get memory for objects that wait, if there is none; and free it. */
bool ouro_settle_begin(struct _is *interp);
void ouro_settle_end(struct _is *interp);
/* The words begin anew: nothing waits to be settled, and the survey is forgotten. */
void ouro_settle_forget(struct _is *interp);
/* Note the candidates of a middle collection that is about to promote them. They are late in the cycle
 * under way, and new to a short one that comes. False if no cycle will ask. If nothing looks at the
 * candidates (c->trusts), this promotes them, too. */
bool ouro_settle_candidates(struct collection *c);

static inline bool
ouro_is_new_word(uint16_t word)
{
    return word >= CYCLE_NEW && word <= CYCLE_NEW_MOST;
}

/* The word that says: became old with this many references, and waits to be settled. */
static inline uint16_t
ouro_settle_word(const PyObject *op)
{
    uint32_t most = CYCLE_NEW_MOST - CYCLE_NEW;
    uint32_t count = op->ob_refcnt < most ? op->ob_refcnt : most;
    return (uint16_t)(CYCLE_NEW + count);
}

/* --- unseen.c ------------------------------------------------------------------------------ */

/* Promote what is in the slot, if that is a candidate. */
static inline __attribute__((always_inline)) void
ouro_trust_candidate(struct collection *c, PyObject *op)
{
    if (ouro_take_candidate_but_tuples(c, op)) {
        ouro_object_promote(op, ouro_next_generation(c));
    }
}

/* --- propose.c ----------------------------------------------------------------------------- */

/* The next page with old objects; the cursor then stands behind it. */
bool ouro_propose_next_page(struct cycle *cy, uint32_t *page);
/* The work of looking at all objects of a page. */
uint32_t ouro_propose_work(const struct cycle *cy, uint32_t page);
/* Tables with an entry for each of `count` proposals; false without memory. */
bool ouro_propose_tables(struct cycle *cy, uint32_t count);
/* Make order[first..last), and no other objects, the proposals. */
void ouro_propose_members(struct cycle *cy, uint32_t last);

/* --- farewell.c -------------------------------------------------------------------------- */

/* Hide order[first..last), which is proved, from the program; and end that. */
void ouro_farewell_doom(struct cycle *cy);
void ouro_farewell_end(struct cycle *cy);

/* --- cycle_legacy.c ---------------------------------------------------------------------- */

bool ouro_cycle_is_split_off(const struct cycle *cy, size_t slot);

/* --- parts.c: large containers ------------------------------------------------------------ */

void ouro_cycle_note_part(struct cycle *cy, PyObject *op, Py_ssize_t next,
                          visitproc visit);
/* Visit the rest of the containers that were begun; false when the slice is over. */
bool ouro_cycle_finish_parts(struct cycle *cy);
/* Let `op` wait until its page was looked at. */
void ouro_cycle_put_off(struct cycle *cy, PyObject *op, visitproc visit);

/* Can the type visit `op` in parts, and is that worth it? */
static inline bool
ouro_cycle_takes_parts(const PyTypeObject *type, const PyObject *op)
{
    return type->tp_ouro_traverse_part != NULL &&
           (type->tp_ouro_traverse_part != ouro_collector_traverse_buffered ||
            Py_SIZE(op) >= CYCLE_BUFFERED);
}

/* Visit what `op` refers to: now or, for a large container, in parts. */
static inline __attribute__((always_inline)) void
ouro_cycle_traverse(struct cycle *cy, PyObject *op, visitproc visit)
{
    PyTypeObject *type = Py_TYPE(op);
    if (OURO_LIKELY(!ouro_cycle_takes_parts(type, op))) {
        ouro_call_edges(op, visit, cy);
        return;
    }
    if (OURO_UNLIKELY(cy->parts.met > OURO_PAGE_REFERENCES)) {
        ouro_cycle_put_off(cy, op, visit);
        return;
    }
    Py_ssize_t next = type->tp_ouro_traverse_part(op, 0, visit, cy);
    if (OURO_UNLIKELY(next >= 0)) {
        ouro_cycle_note_part(cy, op, next, visit);
    }
}

/* The work of the references that were met since the last call, in objects. */
static inline uint32_t
ouro_cycle_met_work(struct cycle *cy)
{
    uint32_t met = cy->parts.met;
    cy->parts.met = 0;
    return met / OURO_FOLLOW_EACH;
}

/* --- buffer.c: large objects of other types ------------------------------------------------ */

void ouro_cycle_free_buffer(struct cycle *cy);

/* --- tables.c -------------------------------------------------------------------------- */

/* Memory for `count` entries of `size` bytes: that of the cycle before, if it is large enough. NULL
 * when there is none. Side words, proposed bits, exact[] and parent[] are zeros. */
void *ouro_cycle_table(struct cycle *cy, enum cycle_table which, size_t count,
                       size_t size);
void ouro_cycle_free_tables(struct cycle *cy);
/* How many side words there are. Those behind the slots of the cycle are for the next one. */
size_t ouro_cycle_word_count(const struct cycle *cy);
/* Zeros, at least so many bytes; false without memory. */
bool ouro_cycle_map_table(struct gc_table *table, size_t bytes);
void ouro_cycle_unmap_table(struct gc_table *table);
/* Make the spare of the side words large enough for so many, and say that it has words; false without
 * memory. */
bool ouro_cycle_spare_words(struct _is *interp, size_t slots);
/* No cycle will come soon: free what the last one kept. */
void ouro_collector_free_spares(struct _is *interp);

/* --- pace.c ---------------------------------------------------------------------------- */

/* What the program allocated since the start, as a share of what it may allocate while the
 * cycle runs. */
double ouro_pace_need(const struct _is *interp);
/* Has the heap grown beyond what the mode allows? */
bool ouro_pace_is_exceeded(const struct _is *interp);
void ouro_pace_begin(struct cycle *cy);
/* A phase took this many seconds. */
void ouro_pace_note(struct cycle *cy, enum cycle_phase phase, double seconds);
/* A cycle is done: the phases of the next one are likely to take as long. */
void ouro_pace_learn(struct cycle *cy);
/* Lower the heap's alarm, so that it goes off when the next slice is due. */
void ouro_pace_set_alarm(struct _is *interp);
/* Seconds of the program for each second of slices; the same up to the end of the cycle. */
double ouro_pace_own_ratio(const struct cycle *cy);
/* A pause begins; a pause is over, and the next slice has to wait. */
void ouro_pace_pause(struct cycle *cy);
void ouro_pace_rest(struct cycle *cy);
/* Called by an allocation: run a slice if one is due. */
void ouro_pace_pay(struct _is *interp);
/* trigger.c: whether the heap has grown by half of what makes a cycle due. */
bool ouro_collector_cycle_is_near(const struct _is *interp);

/* --- component.c ----------------------------------------------------------------------- */

/* The first position of the component, halving the path to it. */
static inline uint32_t
ouro_component_root(uint32_t *parent, uint32_t position)
{
    while (parent[position] != position) {
        parent[position] = parent[parent[position]];
        position = parent[position];
    }
    return position;
}

/* Make every proposal a component of its own; the caller makes the second pass. False when the
 * slice is over. */
bool ouro_component_found(struct cycle *cy);

/* The proposal at c.cursor refers to the one at `position`. */
static inline void
ouro_component_join(struct cycle *cy, uint32_t position)
{
    uint32_t target = ouro_component_root(cy->parent, position);
    uint32_t source = ouro_component_root(cy->parent, (uint32_t)cy->c.cursor);
    uint32_t low = source < target ? source : target;
    cy->parent[source] = cy->parent[target] = low;
}

/* --- what the phases share ------------------------------------------------------------- */

static_assert(offsetof(struct cycle, c) == 0, "a cycle begins with its walk");

/* The cycle whose walk this is. */
static inline struct cycle *
ouro_cycle_of(struct collection *c)
{
    return (struct cycle *)(void *)c;
}

/* `work` objects were looked at: is the slice over? */
static inline bool
ouro_slice_is_over(struct cycle *cy, uint32_t work)
{
    cy->slice.work += work;
    if (OURO_LIKELY(cy->slice.work < cy->slice.work_step)) {
        return cy->slice.is_over;
    }
    cy->slice.work = 0;
    cy->slice.is_over = cy->slice.is_over || ouro_platform_clock() >= cy->slice.deadline;
    return cy->slice.is_over;
}

/* The same, but always read the clock: the step may have taken any time. */
static inline bool
ouro_slice_is_over_now(struct cycle *cy)
{
    return ouro_slice_is_over(cy, cy->slice.work_step);
}

/* Tracked and old. */
static inline bool
ouro_is_old(const PyObject *op)
{
    uint32_t mask = OURO_GC_TRACKED | OURO_GC_GENERATION;
    return (ouro_sanitize_peek_gc(op) & mask) ==
           (OURO_GC_TRACKED | OURO_OLD << OURO_GC_GENERATION_SHIFT);
}

static inline size_t
ouro_cycle_slot(const struct cycle *cy, const PyObject *op)
{
    return (size_t)((const char *)op - cy->c.base) >> OURO_GRAIN_SHIFT;
}

/* Fetch the member of the proof at order[at], if there is one. */
static inline void
ouro_cycle_fetch(const struct cycle *cy, uint32_t at)
{
    if (at - cy->proof.first < cy->proof.last - cy->proof.first) {
        const char *op = cy->c.base + ((size_t)cy->order[at] << OURO_GRAIN_SHIFT);
        __builtin_prefetch(op);
        __builtin_prefetch(op + OURO_LINE);
    }
}

/* Are ends[0..end_count) the members with ends? Only sets that were found by following references have
 * such a list, and not if there are too many. */
static inline bool
ouro_proof_lists_ends(const struct cycle *cy)
{
    return cy->follow.is_on && cy->proof.lists_ends;
}

/* The object in a slot if it is of the cycle and not marked, else NULL (cycle.inv.stable): the
 * object may have died, and the page may be cut differently. */
static inline PyObject *
ouro_cycle_object(const struct cycle *cy, size_t slot)
{
    PyObject *op = ouro_member_at(&cy->c, slot);
    bool is_there = op != NULL && ouro_is_old(op) && cy->words[slot] < CYCLE_ALIVE;
    return is_there ? op : NULL;
}

/* Is there a proposal in the slot? */
static inline bool
ouro_cycle_is_proposed(const struct cycle *cy, size_t slot)
{
    return slot < cy->slots && ((cy->proposed[slot / 64] >> (slot % 64)) & 1) != 0;
}

/* cycle.inv.position */
static inline uint32_t
ouro_cycle_position(const struct cycle *cy, size_t slot)
{
    uint64_t below = cy->proposed[slot / 64] & (((uint64_t)1 << (slot % 64)) - 1);
    return cy->base[slot / OURO_PAGE_GRAINS] + cy->rank[slot / 64] +
           ouro_bit_count(below);
}

/* The position of the proposal that `op` is and that was not evicted; else UINT32_MAX. */
static inline uint32_t
ouro_cycle_position_of(const struct cycle *cy, const PyObject *op)
{
    size_t slot = ouro_cycle_slot(cy, op);
    if (!ouro_cycle_is_proposed(cy, slot)) {
        return UINT32_MAX;
    }
    uint32_t position = ouro_cycle_position(cy, slot);
    return cy->exact[position] != CYCLE_EVICTED ? position : UINT32_MAX;
}

/* The position of `op` if it is in the set being proved, else UINT32_MAX. */
static inline uint32_t
ouro_cycle_position_in_proof(const struct cycle *cy, const PyObject *op)
{
    size_t slot = ouro_cycle_slot(cy, op);
    if (!ouro_cycle_is_proposed(cy, slot)) {
        return UINT32_MAX;
    }
    uint32_t position = ouro_cycle_position(cy, slot);
    return cy->parent[position] == cy->proof.number ? position : UINT32_MAX;
}

/* Call `body` for every slot with a proposal, evicted or not, of the pages from the cursor
 * on, with its position. False when the slice is over. */
typedef void (*ouro_proposal_body)(struct cycle *cy, size_t slot, uint32_t position);

static inline __attribute__((always_inline)) bool
ouro_each_proposal(struct cycle *cy, ouro_proposal_body body)
{
    if (!ouro_cycle_finish_parts(cy)) {
        return false;
    }
    while (cy->cursor < cy->pages) {
        uint32_t page = cy->cursor++;
        uint32_t position = cy->base[page], count = cy->base[page + 1] - position;
        size_t word = (size_t)page * OURO_PAGE_BIT_WORDS;
        for (uint32_t left = count; left != 0; word++) {
            for (uint64_t bits = cy->proposed[word]; bits != 0; bits &= bits - 1) {
                body(cy, word * 64 + (size_t)__builtin_ctzll(bits), position++);
                left--;
            }
        }
        if (!ouro_cycle_finish_parts(cy) || ouro_slice_is_over(cy, count + 1)) {
            return cy->cursor == cy->pages && cy->parts.count == 0;
        }
    }
    return true;
}

#endif
