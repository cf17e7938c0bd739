/* SPDX-License-Identifier: MIT */
/* A survey: look at the whole heap for what short cycles miss, a little in each of them.
 *
 * A whole cycle would find that, too. But it counts and marks for a long time before it frees anything,
 * and all that the program drops meanwhile needs memory. A survey counts and marks with the functions
 * of a whole cycle (propose.c), on words of its own, while short cycles go on freeing what changed.
 * In the end it tells the short cycle to doubt the objects that are not marked. It does nothing else,
 * so nothing depends on it but how long garbage waits.
 *
 * Of what was garbage when the survey began nothing is marked: only garbage refers to it, so all its
 * references are counted, unless they are gone. An object that is alive is not marked if the program
 * moved a reference to it at the wrong moment. Objects that became old later are late, as in a whole
 * cycle (settle.c tells the survey).
 *
 * The next short cycle follows the unmarked objects. It cannot prove some sets, such as one with tp_del
 * or a very large one. If unmarked objects are left after some surveys in a row, a whole cycle comes. */
#include <stdlib.h>
#include <string.h>

#include "../base/fault.h"
#include "cycle.h"

enum survey_step {
    SURVEY_IDLE,   /* no survey is under way; the tables wait for the next */
    SURVEY_CLEARS, /* its words are those of the last one */
    SURVEY_COUNTS,
    SURVEY_MARKS,
    SURVEY_TELLS,
};

struct gc_survey {
    struct cycle walk; /* where it is, and its words; no phase of the table runs on it */
    enum survey_step step;
    struct gc_table words, queue;
    size_t cleared;  /* bytes of its words */
    Py_ssize_t told; /* objects looked at in the last step */
    Py_ssize_t unmarked;
    Py_ssize_t part_from, part_to; /* work_done() at the ends of this cycle's part */
};

/* --- its life ------------------------------------------------------------------------------------ */

/* Unmapping takes long: that is for the end of the mode. */
void
ouro_survey_end(struct _is *interp)
{
    struct gc_survey *survey = interp->gc.slices.survey;
    if (survey != NULL) {
        ouro_survey_forget(interp);
        ouro_cycle_unmap_table(&survey->words);
        ouro_cycle_unmap_table(&survey->queue);
        free(survey);
        interp->gc.slices.survey = NULL;
    }
}

void
ouro_survey_forget(struct _is *interp)
{
    struct gc_survey *survey = interp->gc.slices.survey;
    if (survey != NULL) {
        ouro_cycle_free_buffer(&survey->walk);
        survey->step = SURVEY_IDLE;
    }
}

static size_t
bytes_of_words(const struct gc_survey *survey)
{
    return survey->walk.slots * sizeof *survey->walk.words;
}

/* Zeros for all slots. */
static bool
map_words(struct gc_survey *survey)
{
    ouro_cycle_unmap_table(&survey->words);
    bool is_mapped = ouro_cycle_map_table(&survey->words, bytes_of_words(survey));
    survey->walk.words = (uint16_t *)(void *)survey->words.start;
    return is_mapped;
}

/* False without memory. Then a whole cycle comes in the end. */
static bool
begin_survey(const struct cycle *cy)
{
    struct gc_survey **all = &cy->c.interp->gc.slices.survey, *survey = *all;
    if (survey == NULL) {
        survey = *all = ouro_fault() ? NULL : calloc(1, sizeof *survey);
    }
    if (survey == NULL) {
        return false;
    }
    struct cycle *walk = &survey->walk;
    *walk = (struct cycle){.pages = cy->pages, .slots = cy->slots, .cursor = 1};
    walk->c = ouro_collection_of_old(cy->c.interp);
    walk->late_word = CYCLE_LATE;
    walk->words = (uint16_t *)(void *)survey->words.start;
    survey->cleared = 0;
    survey->told = survey->unmarked = 0;
    bool has_words = walk->words != NULL;
    size_t queue_bytes = OURO_QUEUE_LENGTH * sizeof *walk->c.queue.entries;
    if ((!has_words && !map_words(survey)) ||
        (survey->queue.start == NULL &&
         !ouro_cycle_map_table(&survey->queue, queue_bytes))) {
        return false;
    }
    walk->c.queue.entries = (uint32_t *)(void *)survey->queue.start;
    survey->step = has_words ? SURVEY_CLEARS : SURVEY_COUNTS;
    return true;
}

static bool
is_under_way(const struct gc_survey *survey)
{
    return survey != NULL && survey->step != SURVEY_IDLE;
}

size_t
ouro_survey_words(const struct _is *interp, uint16_t **words)
{
    const struct gc_survey *survey = interp->gc.slices.survey;
    bool has_begun = is_under_way(survey) && survey->step != SURVEY_CLEARS;
    *words = has_begun ? survey->walk.words : NULL;
    return has_begun ? survey->walk.slots : 0;
}

/* --- its parts ----------------------------------------------------------------------------------- */

/* In looks at objects. Each object is looked at three times. */
static Py_ssize_t
work_done(const struct gc_survey *survey)
{
    return survey->walk.c.candidates + survey->walk.marked + survey->told;
}

/* After a whole cycle, or a survey that found little, the heap is known. */
static bool
is_resting(const struct gc_slices *slices)
{
    return slices->short_left > OURO_SHORT_MOST - slices->survey_rest &&
           !slices->survey_hurries;
}

void
ouro_survey_begin_part(struct cycle *cy)
{
    struct gc_slices *slices = &cy->c.interp->gc.slices;
    int parts = slices->survey_cycles;
    bool goes_on = is_under_way(slices->survey);
    if (parts != 0 && (goes_on || (!is_resting(slices) && begin_survey(cy)))) {
        struct gc_survey *survey = slices->survey;
        bool hurries = slices->survey_hurries && parts > OURO_SURVEY_HURRIES;
        Py_ssize_t looks = 3 * cy->pace.start_objects;
        survey->part_from = work_done(survey);
        survey->part_to =
            survey->part_from + looks / (hurries ? OURO_SURVEY_HURRIES : parts) + 1;
    }
}

double
ouro_survey_share_done(const struct cycle *cy)
{
    const struct gc_survey *survey = cy->c.interp->gc.slices.survey;
    if (!is_under_way(survey)) {
        return 1;
    }
    double done = (double)(work_done(survey) - survey->part_from);
    double share = done / (double)(survey->part_to - survey->part_from);
    return share < 1 ? share : 1;
}

/* --- its steps ----------------------------------------------------------------------------------- */

/* Memory that is not enough is given back. That takes long, so it is done before it is unmapped. */
static enum step
clear_last_words(struct gc_survey *survey)
{
    bool is_enough = survey->words.size >= bytes_of_words(survey);
    size_t bytes = is_enough ? bytes_of_words(survey) : survey->words.size;
    size_t left = bytes - survey->cleared;
    size_t some = left < OURO_RELEASE_STEP ? left : OURO_RELEASE_STEP;
    char *at = survey->words.start + survey->cleared;
    if (is_enough) {
        memset(at, 0, some);
    } else {
        ouro_platform_discard(at, some);
    }
    survey->cleared += some;
    if (survey->cleared == bytes && !is_enough && !map_words(survey)) {
        return STEP_NO_MEMORY;
    }
    return ouro_step_done_if(survey->cleared == bytes);
}

/* Late objects are followed anyway. An object that was proved, and exists, was brought back by user code. */
static void
doubt_unmarked(struct cycle *cy, size_t slot)
{
    uint16_t *word = &cy->words[slot];
    if (*word >= CYCLE_PROVED && *word <= CYCLE_NEW_MOST) {
        *word = CYCLE_UNMARKED;
    }
}

OURO_BODY
tell_body(struct collection *c, PyObject *op, const struct page *page)
{
    struct cycle *walk = ouro_cycle_of(c);
    (void)page;
    size_t slot = ouro_cycle_slot(walk, op);
    uint16_t word = walk->words[slot];
    struct gc_survey *survey = c->interp->gc.slices.survey;
    survey->told++;
    if (word < CYCLE_ALIVE && word != 0 && ouro_is_old(op)) {
        survey->unmarked++;
        doubt_unmarked(c->interp->gc.cycle, slot);
    }
}

/* Tell the cycle about one page. */
static enum step
tell_page(struct cycle *walk)
{
    uint32_t page;
    if (!ouro_propose_next_page(walk, &page)) {
        return STEP_DONE;
    }
    ouro_each_in_page(&walk->c, page, tell_body);
    return STEP_MORE;
}

static enum step
take_step(struct gc_survey *survey, uint32_t work)
{
    struct cycle *walk = &survey->walk;
    walk->slice = (struct cycle_slice){.work_step = work}; /* over after this much */
    switch (survey->step) {
    case SURVEY_CLEARS:
        return clear_last_words(survey);
    case SURVEY_COUNTS:
        return ouro_cycle_count(walk);
    case SURVEY_MARKS:
        return ouro_cycle_mark(walk);
    default:
        return tell_page(walk);
    }
}

/* The heap is known now, as after a whole cycle. */
static void
finish_survey(struct cycle *cy)
{
    struct gc_slices *slices = &cy->c.interp->gc.slices;
    const struct gc_survey *survey = slices->survey;
    slices->has_unmarked = survey->unmarked != 0;
    slices->left_unmarked = slices->has_unmarked ? slices->left_unmarked : 0;
    bool found_much = survey->unmarked > survey->walk.c.candidates / OURO_FOUND_SHARE;
    slices->short_left = OURO_SHORT_MOST - (found_much ? slices->survey_rest : 0);
    slices->short_failures = 0;
    slices->least_alive.base = slices->most_alive.base = 0;
    ouro_survey_forget(cy->c.interp);
}

enum step
ouro_cycle_survey(struct cycle *cy)
{
    struct gc_survey *survey = cy->c.interp->gc.slices.survey;
    while (is_under_way(survey) && work_done(survey) < survey->part_to) {
        enum step step = take_step(survey, cy->slice.work_step);
        if (step == STEP_NO_MEMORY) {
            ouro_survey_forget(cy->c.interp);
        } else if (step == STEP_DONE && survey->step == SURVEY_TELLS) {
            finish_survey(cy);
        } else if (step == STEP_DONE) {
            survey->step++;
            survey->walk.cursor = 1;
        }
        if (ouro_slice_is_over_now(cy)) {
            return STEP_MORE;
        }
    }
    return STEP_DONE;
}
