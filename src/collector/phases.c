/* SPDX-License-Identifier: MIT */
/* The phases of a cycle as a table: what each runs, how it begins, and what is next.
 *
 * No other file sets the phase. A phase ends in one of three ways; each row says what they
 * mean. docs/pauses.md shows the table as a drawing, and `make check` compares the two. */
#include "cycle.h"

/* --- how phases begin ---------------------------------------------------------------------- */

static void
begin_at_first_page(struct cycle *cy)
{
    cy->cursor = 0;
}

/* Page 0 holds nothing. */
static void
begin_sweep(struct cycle *cy)
{
    cy->cursor = 1;
}

static void
begin_recount(struct cycle *cy)
{
    cy->cursor = cy->ordered = cy->evicted = 0;
    cy->c.queue.overflow = false;
}

static void
begin_at_first_member(struct cycle *cy)
{
    cy->proof.at = cy->proof.first;
}

static void
begin_split(struct cycle *cy)
{
    begin_at_first_member(cy);
    cy->c.queue.head = cy->c.queue.tail = 0;
    cy->c.queue.overflow = false;
}

/* Batches are confirmed from where the last one ended: a huge one comes back here. */
static void
begin_confirm(struct cycle *cy)
{
    ouro_farewell_end(cy);
}

/* A huge set comes back here, too. In a short cycle the cursor is where it was. */
static void
begin_follow(struct cycle *cy)
{
    ouro_farewell_end(cy);
}

static void
begin_as_it_is(struct cycle *cy)
{
    (void)cy;
}

static void
begin_survey_part(struct cycle *cy)
{
    if (cy->is_short && !cy->doubt.gives_up) {
        ouro_survey_begin_part(cy);
    }
}

static void
begin_release(struct cycle *cy)
{
    ouro_heap_expect(cy->c.heap, false);
    ouro_doubt_learn(cy);
}

/* --- the table ------------------------------------------------------------------------------ */

struct phase {
    const char *name;
    enum step (*run)(struct cycle *cy);
    void (*begin)(struct cycle *cy);
    enum cycle_phase done, aside, failed; /* CYCLE_DONE where there is no such way */
};

#define NO_WAY CYCLE_DONE

/* clang-format off */
static const struct phase phases[] = {
    [CYCLE_COUNT]   = {"count",   ouro_cycle_count,   begin_sweep,           CYCLE_MARK,    NO_WAY,        NO_WAY},
    [CYCLE_MARK]    = {"mark",    ouro_cycle_mark,    begin_sweep,           CYCLE_GATHER,  NO_WAY,        NO_WAY},
    /* aside: one proof is to be tried for all proposals; failed: there are none */
    [CYCLE_GATHER]  = {"gather",  ouro_cycle_gather,  begin_at_first_page,   CYCLE_FOLLOW,  CYCLE_LIST,    CYCLE_RELEASE},
    /* aside, failed: a huge set is proved, with and without finalizers or weak references */
    [CYCLE_DOUBT]   = {"doubt",   ouro_cycle_follow,  begin_follow,          CYCLE_KEEP,    CYCLE_SPLIT,   CYCLE_CONDEMN},
    [CYCLE_LIST]    = {"list",    ouro_cycle_list,    begin_at_first_page,   CYCLE_TALLY,   NO_WAY,        CYCLE_PROVE},
    /* aside, failed: the same */
    [CYCLE_FOLLOW]  = {"follow",  ouro_cycle_follow,  begin_follow,          CYCLE_RECOUNT, CYCLE_SPLIT,   CYCLE_CONDEMN},
    /* aside: no rounds are wanted; failed: nothing is left to be cut up */
    [CYCLE_RECOUNT] = {"recount", ouro_cycle_recount, begin_recount,         CYCLE_EVICT,   CYCLE_JOIN,    CYCLE_KEEP},
    /* aside: enough were evicted for another round; failed: some were, so the components that
     * were found are wrong */
    [CYCLE_EVICT]   = {"evict",   ouro_cycle_evict,   begin_at_first_page,   CYCLE_MEASURE, CYCLE_RECOUNT, CYCLE_JOIN},
    [CYCLE_JOIN]    = {"join",    ouro_cycle_join,    begin_at_first_page,   CYCLE_MEASURE, NO_WAY,        NO_WAY},
    [CYCLE_MEASURE] = {"measure", ouro_cycle_measure, begin_at_first_page,   CYCLE_PLACE,   NO_WAY,        NO_WAY},
    [CYCLE_PLACE]   = {"place",   ouro_cycle_place,   begin_at_first_page,   CYCLE_SORT,    NO_WAY,        NO_WAY},
    [CYCLE_SORT]    = {"sort",    ouro_cycle_sort,    begin_at_first_page,   CYCLE_CONFIRM, NO_WAY,        NO_WAY},
    /* aside: a component is huge; failed: it is, but there is no watch */
    [CYCLE_CONFIRM] = {"confirm", ouro_cycle_confirm, begin_confirm,         CYCLE_KEEP,    CYCLE_WATCH,   CYCLE_PROVE},
    [CYCLE_WATCH]   = {"watch",   ouro_cycle_watch,   begin_at_first_member, CYCLE_TALLY,   NO_WAY,        CYCLE_PROVE},
    [CYCLE_TALLY]   = {"tally",   ouro_cycle_tally,   begin_at_first_member, CYCLE_REVIEW,  NO_WAY,        CYCLE_PROVE},
    /* aside: it has finalizers or weak references, and was not proved before */
    [CYCLE_REVIEW]  = {"review",  ouro_cycle_review,  begin_at_first_member, CYCLE_CONDEMN, CYCLE_SPLIT,   CYCLE_PROVE},
    /* aside: the same; failed: it was a proof of all proposals, which are to be cut up */
    [CYCLE_PROVE]   = {"prove",   ouro_cycle_prove,   begin_at_first_member, CYCLE_CONDEMN, CYCLE_SPLIT,   CYCLE_RECOUNT},
    /* aside: debug flags report it, so it was destroyed in one piece */
    [CYCLE_SPLIT]   = {"split",   ouro_cycle_split,   begin_split,           CYCLE_SEVER,   CYCLE_UNPIN,   NO_WAY},
    [CYCLE_SEVER]   = {"sever",   ouro_cycle_sever,   begin_at_first_member, CYCLE_CALL,    NO_WAY,        NO_WAY},
    [CYCLE_CALL]    = {"call",    ouro_cycle_call,    begin_at_first_member, CYCLE_FINALIZE, NO_WAY,       NO_WAY},
    /* done: no user code ran; aside: it did, so a last proof is made; failed: without a watch */
    [CYCLE_FINALIZE] = {"finalize", ouro_cycle_finalize, begin_at_first_member, CYCLE_CONDEMN, CYCLE_WATCH, CYCLE_PROVE},
    [CYCLE_CONDEMN] = {"condemn", ouro_cycle_condemn, begin_at_first_member, CYCLE_CLEAR,   NO_WAY,        NO_WAY},
    [CYCLE_CLEAR]   = {"clear",   ouro_cycle_clear,   begin_at_first_member, CYCLE_UNPIN,   NO_WAY,        NO_WAY},
    /* aside, failed: it was found by following references, in a short cycle */
    [CYCLE_UNPIN]   = {"unpin",   ouro_cycle_unpin,   begin_as_it_is,        CYCLE_CONFIRM, CYCLE_FOLLOW,  CYCLE_DOUBT},
    [CYCLE_KEEP]    = {"keep",    ouro_cycle_keep,    begin_at_first_page,   CYCLE_SURVEY,  NO_WAY,        NO_WAY},
    [CYCLE_SURVEY]  = {"survey",  ouro_cycle_survey,  begin_survey_part,     CYCLE_RELEASE, NO_WAY,        NO_WAY},
    [CYCLE_RELEASE] = {"release", ouro_cycle_release, begin_release,         CYCLE_DONE,    NO_WAY,        NO_WAY},
};
/* clang-format on */
static_assert(Py_ARRAY_LENGTH(phases) == CYCLE_DONE, "every phase has its row");

/* --- from phase to phase ---------------------------------------------------------------------- */

static void
enter_phase(struct cycle *cy, enum cycle_phase phase)
{
    cy->phase = phase;
    if (phase != CYCLE_DONE) {
        phases[phase].begin(cy);
    }
}

void
ouro_phases_begin(struct cycle *cy)
{
    enter_phase(cy, cy->is_short ? CYCLE_DOUBT : CYCLE_COUNT);
}

static enum cycle_phase
phase_after(enum cycle_phase phase, enum step step)
{
    const struct phase *row = &phases[phase];
    enum cycle_phase next = step == STEP_DONE    ? row->done
                            : step == STEP_ASIDE ? row->aside
                                                 : row->failed;
    OURO_ASSERT(next != NO_WAY || phase == CYCLE_RELEASE);
    return next;
}

bool
ouro_phases_run(struct cycle *cy, enum cycle_phase end)
{
    double begun = cy->slice.begun;
    while (cy->phase != end && !cy->slice.is_over) {
        enum cycle_phase phase = cy->slice.worked_in = cy->phase;
        enum step step = phases[phase].run(cy);
        cy->slice.is_fresh = false;
        double now = ouro_platform_thread_clock();
        ouro_pace_note(cy, phase, now - begun);
        begun = now;
        if (step == STEP_NO_MEMORY) {
            return false;
        }
        if (step != STEP_MORE) {
            enter_phase(cy, phase_after(phase, step));
        }
    }
    return true;
}

const char *
ouro_phase_name(enum cycle_phase phase)
{
    return phases[phase].name;
}

void
ouro_phases_skip_to_release(struct cycle *cy)
{
    if (cy->phase < CYCLE_RELEASE) {
        enter_phase(cy, CYCLE_RELEASE);
        cy->c.interp->gc.slices.short_left = 0;
    }
}
