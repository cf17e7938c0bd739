/* SPDX-License-Identifier: MIT */
/* Surveys: what they find for short cycles, how they are spread over these, and when they are forgotten. */
#include "short_cycles.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "../../src/base/fault.h"
#include "vectors.h"

/* All cycles are short, and a survey takes so many of them. */
static void
survey_by_hand(int cycles)
{
    doubt_by_hand();
    gc_now()->slices.survey_cycles = cycles;
    gc_now()->slices.survey_rest = 0;
}

static void
run_in_one_slice(void)
{
    start_short_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    REQUIRE(gc_now()->cycle == NULL);
}

/* A ring of two old objects which is garbage, and which short cycles alone miss: a reference from inside took the
 * place of the one from outside. */
static PyObject *
drop_unnoticed(PyTypeObject *type)
{
    PyObject *ring = new_ring(type, 2), *weakref = new_weakref(ring, NULL);
    run_in_one_slice();
    set_b(node_of(ring)->a, ring);
    Py_DECREF(ring);
    return weakref;
}

/* Step through a short cycle until its part of the survey begins. */
static void
step_to_survey(void)
{
    start_short_cycle();
    REQUIRE(step_to(CYCLE_SURVEY));
    REQUIRE(gc_now()->cycle->phase == CYCLE_SURVEY);
}

static bool
is_surveying(void)
{
    uint16_t *words;
    return ouro_survey_words(ouro_current.interp, &words) != 0;
}

enum { MANY = 40 * 1000 }; /* clearing their words takes several steps */

static PyObject *
new_list_of_nodes(Py_ssize_t size)
{
    PyObject *list = PyList_New(size);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    return list;
}

/* ---- what it finds -------------------------------------------------------------------------- */

TEST_PY(what_a_short_cycle_misses_a_survey_finds)
{
    survey_by_hand(1);
    PyObject *weakref = drop_unnoticed(&N);
    run_short_cycle();
    EXPECT(!is_dead(weakref));
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

TEST_PY(garbage_that_a_survey_finds_is_finalized)
{
    survey_by_hand(1);
    PyObject *x = new_node(&F, "x");
    set_a(x, x);
    run_short_cycle();
    set_b(x, x);
    Py_DECREF(x);
    forget_events();
    run_short_cycle();
    EXPECT_STR(events(), "");
    run_short_cycle();
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
}

static size_t
slot_of(const PyObject *op)
{
    return (size_t)((const char *)op - ouro_current.interp->heap.base) >>
           OURO_GRAIN_SHIFT;
}

/* Also members that a short cycle believes to be alive, and that the survey did not see. */
TEST_PY(an_unmarked_object_is_garbage_together_with_objects_that_are_believed_to_be_alive)
{
    survey_by_hand(0);
    PyObject *ring = new_ring(&N, 4), *weakref = new_weakref(ring, NULL), *first = ring;
    run_short_cycle();
    set_b(node_of(ring)->a, ring);
    Py_DECREF(ring);
    do {
        gc_now()->slices.beliefs[slot_of(ring)] = ouro_doubt_belief(ring);
        ring = node_of(ring)->a;
    } while (ring != first);
    gc_now()->slices.beliefs[slot_of(node_of(ring)->a)] = CYCLE_UNMARKED;
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

TEST_PY(an_unmarked_object_that_is_alive_is_believed_again)
{
    SKIP_CHECKED("visits objects, too");
    survey_by_hand(0);
    PyObject *ring = new_ring(counted(), 4);
    run_short_cycle();
    size_t slot =
        (size_t)((char *)ring - ouro_current.interp->heap.base) >> OURO_GRAIN_SHIFT;
    gc_now()->slices.beliefs[slot] = CYCLE_UNMARKED;
    EXPECT_EQ(visits_of_short_cycle(), 4);
    EXPECT_EQ(visits_of_short_cycle(), 0);
    Py_DECREF(ring);
    Ouro_GCCollect(2);
}

TEST_PY(objects_that_are_alive_are_marked)
{
    survey_by_hand(1);
    PyObject *ring = new_ring(&N, 100);
    run_short_cycle();
    run_short_cycle();
    EXPECT(!gc_now()->slices.has_unmarked);
    Py_DECREF(ring);
    run_short_cycle();
}

/* In a slot whose object was counted before it died. */
TEST_PY(objects_that_become_old_during_a_survey_are_not_told)
{
    SKIP_CHECKED("keeps freed blocks");
    uint16_t *words;
    survey_by_hand(1);
    PyObject *holder = new_node(&N, NULL), *old = new_node(&N, NULL);
    set_a(holder, old);
    Py_DECREF(old);
    run_short_cycle();
    step_to_survey();
    while (ouro_survey_words(ouro_current.interp, &words) == 0 ||
           words[slot_of(old)] == 0) {
        REQUIRE(step_cycle());
    }
    set_a(holder, NULL);
    PyObject *new = new_node(&N, NULL);
    EXPECT_EQ(new, old);
    Ouro_GCCollect(1);
    REQUIRE(is_surveying());
    finish_cycle();
    EXPECT(!gc_now()->slices.has_unmarked);
    Py_DECREF(new);
    Py_DECREF(holder);
}

/* More references than a slice can visit: the rest follows in later parts of the survey. */
TEST_PY(large_containers_are_surveyed_in_parts)
{
    PyObject *list = PyList_New(3 * _Py_TRAVERSE_PART);
    REQUIRE_NOT_NULL(list);
    struct vector *vector = new_vector(3 * _Py_TRAVERSE_PART);
    for (Py_ssize_t i = 0; i < 3 * _Py_TRAVERSE_PART; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
        vector->items[i] = new_node(&N, NULL);
    }
    survey_by_hand(2);
    PyObject *weakref = drop_unnoticed(&N);
    for (int i = 0; i < 6; i++) {
        run_short_cycle();
    }
    EXPECT(is_dead(weakref));
    EXPECT_EQ(Ouro_GCCollect(2), 0);
    Py_DECREF(weakref);
    Py_DECREF(list);
    Py_DECREF(vector);
}

/* 0 where the system does not tell. */
static long
mapped_pages(void)
{
    long pages = 0;
    if (under_emulator()) {
        SKIP("the emulator maps memory of its own");
    }
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm != NULL) {
        pages = fscanf(statm, "%ld", &pages) == 1 ? pages : 0;
        fclose(statm);
    }
    return pages;
}

/* Each time the references of a large object take 400 KB. */
TEST_PY(memory_in_which_a_survey_noted_references_is_given_back)
{
    SKIP_CHECKED("has notes of its own on objects");
    struct vector *vector = new_vector(LARGE);
    for (Py_ssize_t i = 0; i < LARGE; i++) {
        vector->items[i] = Py_NewRef(Py_None);
    }
    survey_by_hand(1);
    run_short_cycle();
    long before = mapped_pages();
    for (int i = 0; i < 20; i++) {
        gc_now()->slices.short_left = OURO_SHORT_MOST;
        let_heap_grow();
        run_short_cycle();
    }
    EXPECT_LT(mapped_pages() - before, 20 * 50);
    Py_DECREF(vector);
}

/* A chain in random order: marking needs the queue. */
static PyObject *
new_shuffled_chain(int length)
{
    PyObject *holder = PyList_New(length);
    uint32_t random = 12345;
    REQUIRE_NOT_NULL(holder);
    for (int i = 0; i < length; i++) {
        PyList_SET_ITEM(holder, i, new_node(&N, NULL));
    }
    for (int i = length - 1; i > 0; i--) {
        random = random * 1103515245 + 12345;
        int k = (int)((random >> 8) % (uint32_t)(i + 1));
        PyObject *other = PyList_GET_ITEM(holder, k);
        PyList_SET_ITEM(holder, k, PyList_GET_ITEM(holder, i));
        PyList_SET_ITEM(holder, i, other);
    }
    for (int i = 1; i < length; i++) {
        set_a(PyList_GET_ITEM(holder, i - 1), PyList_GET_ITEM(holder, i));
    }
    PyObject *first = Py_NewRef(PyList_GET_ITEM(holder, 0));
    Py_DECREF(holder);
    return first;
}

TEST_PY(young_collections_do_not_disturb_a_survey)
{
    PyObject *old = new_shuffled_chain(5000), *young[64];
    int made = 0;
    survey_by_hand(1);
    step_to_survey();
    while (gc_now()->cycle != NULL) {
        if (made < 64) {
            young[made++] = new_shuffled_chain(300);
            Ouro_GCCollect(0);
        }
        for (int i = 0; i < 5; i++) {
            step_cycle();
        }
    }
    EXPECT(!gc_now()->slices.has_unmarked);
    EXPECT(!is_surveying());
    while (made > 0) {
        Py_DECREF(young[--made]);
    }
    Py_DECREF(old);
}

TEST_PY(a_survey_follows_more_references_than_its_queue_holds)
{
    survey_by_hand(1);
    PyObject *list = new_wide_list();
    Ouro_GCCollect(2);
    PyObject *weakref = drop_unnoticed(&N);
    for (int i = 0; i < 3; i++) {
        run_in_one_slice();
    }
    EXPECT(is_dead(weakref));
    EXPECT_EQ(Ouro_GCCollect(2), 0);
    Py_DECREF(weakref);
    Py_DECREF(list);
}

/* ---- how it is spread -------------------------------------------------------------------------- */

TEST_PY(a_survey_is_spread_over_several_short_cycles)
{
    enum { NODES = 20 * 1000, CYCLES = 8 };
    PyObject *list = new_list_of_nodes(NODES);
    survey_by_hand(CYCLES);
    PyObject *weakref = drop_unnoticed(&N);
    int cycles = 0;
    while (!is_dead(weakref) && cycles < 2 * CYCLES) {
        start_cycle(); /* of its own size */
        REQUIRE(gc_now()->cycle->is_short);
        finish_cycle();
        cycles++;
    }
    EXPECT(is_dead(weakref));
    EXPECT_GT(cycles, CYCLES / 2);
    Py_DECREF(weakref);
    Py_DECREF(list);
}

TEST_PY(a_survey_hurries_if_the_heap_has_grown)
{
    survey_by_hand(1000);
    set_levels(1000, 1000);
    PyObject *ring = new_ring(&N, 100); /* a tenth of that */
    set_levels(1100, 1000);
    run_short_cycle();
    EXPECT(gc_now()->slices.survey_hurries || gc_now()->slices.short_left == 0);
    Py_DECREF(ring);
}

TEST_PY(a_survey_that_hurries_takes_few_cycles_and_does_not_rest)
{
    survey_by_hand(1000);
    gc_now()->slices.survey_rest = OURO_SHORT_MOST;
    gc_now()->slices.short_left = OURO_SHORT_MOST;
    run_short_cycle();
    EXPECT(!is_surveying()); /* it rests */
    int cycles = 0;
    do {
        gc_now()->slices.survey_hurries = true;
        start_cycle(); /* of its own size */
        finish_cycle();
        cycles++;
    } while (is_surveying() && cycles < 100);
    EXPECT_GT(cycles, 1);
    EXPECT_LE(cycles, OURO_SURVEY_HURRIES + 1);
    survey_by_hand(1); /* it need not hurry */
    gc_now()->slices.survey_hurries = true;
    run_short_cycle();
    EXPECT(!is_surveying());
}

/* From then on growth counts from what is alive now. */
TEST_PY(a_heap_that_has_grown_is_known_after_a_survey)
{
    doubt_by_hand();
    set_levels(0, 0);
    run_short_cycle();
    gc_now()->slices.least_alive.base = gc_now()->slices.most_alive.base = 1;
    gc_now()->slices.left_unmarked = OURO_LEFT_SURVEYS - 1;
    gc_now()->slices.survey_cycles = 1;
    gc_now()->slices.survey_rest = 0;
    run_short_cycle();
    EXPECT_EQ(gc_now()->slices.short_left, OURO_SHORT_MOST - 1);
    EXPECT_EQ(gc_now()->slices.left_unmarked, 0);
}

/* As after a whole cycle. */
TEST_PY(after_a_survey_the_next_whole_cycle_is_far_away)
{
    survey_by_hand(1);
    gc_now()->slices.short_left = 2;
    run_short_cycle();
    EXPECT_EQ(gc_now()->slices.short_left, OURO_SHORT_MOST - 1);
    EXPECT_LT(gc_now()->slices.least_alive.base, PY_SSIZE_T_MAX / 4);
    EXPECT_LT(gc_now()->slices.most_alive.base, PY_SSIZE_T_MAX / 4);
}

/* After a whole cycle, and after a survey that found next to nothing. */
TEST_PY(surveys_rest_while_little_can_have_been_missed)
{
    survey_by_hand(1);
    gc_now()->slices.survey_rest = 3;
    for (int turn = 0; turn < 2; turn++) {
        let_heap_grow();
        for (int left = OURO_SHORT_MOST; left > OURO_SHORT_MOST - 3; left--) {
            EXPECT_EQ(gc_now()->slices.short_left, left);
            run_short_cycle();
        }
        run_short_cycle(); /* with a survey */
        EXPECT_EQ(gc_now()->slices.short_left, OURO_SHORT_MOST - 1);
        gc_now()->slices.short_left = OURO_SHORT_MOST;
    }
    PyObject *weakref = drop_unnoticed(&N); /* much, in so small a heap */
    gc_now()->slices.short_left = OURO_SHORT_MOST - 3;
    run_short_cycle();
    EXPECT_EQ(gc_now()->slices.short_left, OURO_SHORT_MOST - 3 - 1);
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

TEST_PY(slices_end_within_a_survey)
{
    enum { NODES = 20 * 1000 };
    PyObject *list = new_list_of_nodes(NODES);
    doubt_by_hand();
    start_short_cycle();
    EXPECT_NULL(gc_now()->slices.survey);
    EXPECT(ouro_survey_share_done(gc_now()->cycle) == 1); /* nothing is to be done */
    finish_cycle();
    for (int cycles = 1; cycles <= 3; cycles++) {
        survey_by_hand(cycles);
        start_cycle(); /* of its own size */
        REQUIRE(gc_now()->cycle->is_short && step_to(CYCLE_SURVEY));
        EXPECT(ouro_survey_share_done(gc_now()->cycle) < 0.1);
        int steps = 0;
        while (gc_now()->cycle->phase == CYCLE_SURVEY) {
            double share = ouro_survey_share_done(gc_now()->cycle);
            EXPECT(share >= 0 && share <= 1);
            EXPECT(ouro_pace_own_ratio(gc_now()->cycle) >= 0);
            steps++;
            REQUIRE(step_cycle());
        }
        EXPECT_GT(steps, 5);
        finish_cycle();
    }
    Py_DECREF(list);
}

/* The words of the last survey are cleared first. Until then nothing is noted in them. */
TEST_PY(a_survey_that_clears_its_words_has_none)
{
    PyObject *list = new_list_of_nodes(MANY);
    survey_by_hand(1);
    run_short_cycle();
    step_to_survey();
    EXPECT(!is_surveying());
    for (int i = 0; i < 20; i++) {
        step_cycle();
    }
    EXPECT(is_surveying());
    finish_cycle();
    Py_DECREF(list);
}

/* They are late, as all that becomes old during a survey. */
TEST_PY(objects_that_become_old_in_new_pages_have_no_words_in_a_survey)
{
    enum { NODES = 20 * 1000 };
    survey_by_hand(1);
    PyObject *list = PyList_New(NODES);
    REQUIRE_NOT_NULL(list);
    step_to_survey();
    step_cycle();
    uint16_t *words;
    size_t slots = ouro_survey_words(ouro_current.interp, &words);
    EXPECT_GT(slots, 0);
    for (Py_ssize_t i = 0; i < NODES; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    Ouro_GCCollect(1);
    const char *last = (const char *)PyList_GET_ITEM(list, NODES - 1);
    size_t slot = (size_t)(last - ouro_current.interp->heap.base) >> OURO_GRAIN_SHIFT;
    EXPECT_GE(slot, slots);
    finish_cycle();
    EXPECT(!gc_now()->slices.has_unmarked);
    Py_DECREF(list);
}

/* The next short cycle follows it anyway: it has lost its word, or is late. */
TEST_PY(an_unmarked_object_that_is_followed_anyway_keeps_its_word)
{
    survey_by_hand(0);
    PyObject *lost = drop_unnoticed(&N), *late = drop_unnoticed(&N);
    PyObject *of_lost = PyWeakref_GetObject(lost), *of_late = PyWeakref_GetObject(late);
    gc_now()->slices.survey_cycles = 1;
    step_to_survey();
    struct cycle *cy = gc_now()->cycle;
    size_t first = ouro_cycle_slot(cy, of_lost), second = ouro_cycle_slot(cy, of_late);
    cy->words[first] = 0;
    cy->words[second] = cy->late_word;
    uint16_t late_word = cy->late_word;
    finish_cycle();
    EXPECT(gc_now()->slices.has_unmarked);
    EXPECT_EQ(gc_now()->slices.beliefs[first], 0);
    EXPECT_EQ(gc_now()->slices.beliefs[second], late_word);
    run_short_cycle();
    EXPECT(is_dead(lost) && is_dead(late));
    Py_DECREF(lost);
    Py_DECREF(late);
}

/* A weak reference brings garbage back; it dies, and a young object takes its place. */
TEST_PY(a_young_object_in_the_place_of_an_unmarked_one_is_not_told)
{
    SKIP_CHECKED("does not use a slot again soon");
    survey_by_hand(1);
    PyObject *weakref = drop_unnoticed(&N);
    step_to_survey();
    const PyObject *place = PyWeakref_GetObject(weakref);
    uint16_t *words;
    REQUIRE(ouro_survey_words(ouro_current.interp, &words) != 0);
    size_t slot = ouro_cycle_slot(gc_now()->cycle, place);
    while (words[slot] == 0) {
        REQUIRE(step_cycle());
    }
    PyObject *ring = Py_NewRef(PyWeakref_GetObject(weakref));
    set_b(node_of(ring)->a, NULL);
    set_a(ring, NULL);
    Py_DECREF(ring);
    EXPECT(is_dead(weakref));
    PyObject *young[200];
    int made = 0;
    do {
        young[made] = new_node(&N, NULL);
    } while (young[made++] != place && made < 200);
    EXPECT_EQ(young[made - 1], place);
    finish_cycle();
    while (made > 0) {
        Py_DECREF(young[--made]);
    }
    Py_DECREF(weakref);
}

/* ---- what is left to a whole cycle --------------------------------------------------------------- */

/* It is unmarked, but too large to be proved by a short cycle. */
TEST_PY(a_whole_cycle_comes_if_unmarked_objects_are_left_after_some_surveys)
{
    survey_by_hand(1);
    PyObject *ring = new_ring(&N, MOST + 2), *weakref = new_weakref(ring, NULL);
    run_short_cycle();
    Py_DECREF(ring);
    for (int i = 0; i <= OURO_LEFT_SURVEYS; i++) { /* the first one finds it */
        run_short_cycle();
        EXPECT(!is_dead(weakref));
    }
    run_whole_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

/* In such a set the members that follow the first are believed alive when the next one is looked at. */
TEST_PY(a_large_set_of_unmarked_objects_is_followed_once)
{
    SKIP_CHECKED("visits objects, too");
    enum { LENGTH = 1000 };
    survey_by_hand(0);
    PyObject *ring = new_ring(counted(), LENGTH), *first = ring;
    run_short_cycle();
    do {
        gc_now()->slices.beliefs[slot_of(ring)] = CYCLE_UNMARKED;
        ring = node_of(ring)->a;
    } while (ring != first);
    EXPECT_LT(visits_of_short_cycle(), 3 * LENGTH);
    Py_DECREF(ring);
    Ouro_GCCollect(2);
}

static PyObject *saved;

static void
save_once(struct node *self)
{
    saved = Py_NewRef((PyObject *)self);
}

TEST_PY(what_a_finalizer_brought_back_is_found_by_a_survey_when_it_is_garbage_again)
{
    survey_by_hand(1);
    PyObject *x = new_node(&F, "x");
    set_a(x, x);
    run_short_cycle();
    when_finalized = save_once;
    Py_DECREF(x);
    run_short_cycle();
    when_finalized = NULL;
    REQUIRE_NOT_NULL(saved);
    run_short_cycle();
    forget_events();
    Py_CLEAR(saved);
    for (int i = 0; i < 3; i++) {
        run_short_cycle();
    }
    EXPECT_STR(events(), "clear x, dealloc x");
}

TEST_PY(unmarked_objects_with_tp_del_come_into_the_garbage_list_in_the_end,
        .mistakes = true)
{
    survey_by_hand(1);
    PyObject *weakref, *ring = new_ring(&D, 3);
    weakref = new_weakref(ring, NULL);
    run_short_cycle();
    Py_DECREF(ring);
    for (int i = 0; i <= OURO_LEFT_SURVEYS; i++) {
        run_short_cycle();
    }
    run_whole_cycle();
    PyObject *list = Ouro_GCGarbage();
    EXPECT_EQ(PyList_GET_SIZE(list), 3);
    while (PyList_GET_SIZE(list) > 0) {
        unlink_node(PyList_GET_ITEM(list, 0));
        PyList_SetSlice(list, 0, 1, NULL);
    }
    Py_DECREF(weakref);
}

/* ---- when it is forgotten ------------------------------------------------------------------------- */

/* A survey is under way, between two cycles. */
static void
begin_survey(void)
{
    survey_by_hand(INT_MAX); /* one step in each cycle */
    run_short_cycle();
    REQUIRE(is_surveying());
}

static void
collect_all(void)
{
    Ouro_GCCollect(2);
}

static void
end_mode(void)
{
    Ouro_GCSetPauseBudget(0);
    EXPECT_NULL(gc_now()->slices.survey);
    Ouro_GCSetPauseBudget(1000);
}

/* The survey is in the middle of a large object whose references it noted. */
TEST_PY(the_end_of_the_mode_gives_back_all_memory_of_a_survey)
{
    SKIP_CHECKED("has notes of its own on objects");
    struct vector *vector = new_vector(LARGE);
    for (Py_ssize_t i = 0; i < LARGE; i++) {
        vector->items[i] = Py_NewRef(Py_None);
    }
    long mapped = 0;
    size_t used = 0;
    for (int i = 0; i <= 20; i++) {
        survey_by_hand(1);
        step_to_survey();
        for (int steps = 0; steps < 8; steps++) {
            step_cycle();
        }
        EXPECT(is_surveying());
        end_mode();
        mapped = i == 0 ? mapped_pages() : mapped;
        used = i == 0 ? malloc_in_use() : used;
    }
    EXPECT_LT(mapped_pages() - mapped, 20 * 10);
    EXPECT_LE(malloc_in_use(), used + 20 * 64);
    Py_DECREF(vector);
}

TEST_PY(words_that_are_too_few_for_a_heap_that_has_grown_are_given_back)
{
    SKIP_CHECKED("has notes of its own on objects");
    enum { TURNS = 8, NODES = 20 * 1000 };
    PyObject *lists[TURNS];
    for (int turn = 0; turn < TURNS; turn++) {
        lists[turn] = PyList_New(NODES);
        REQUIRE_NOT_NULL(lists[turn]);
    }
    end_mode();
    long before = mapped_pages();
    for (int turn = 0; turn < TURNS; turn++) {
        for (Py_ssize_t i = 0; i < NODES; i++) {
            PyList_SET_ITEM(lists[turn], i, new_node(&N, NULL));
        }
        survey_by_hand(1);
        run_short_cycle();
    }
    end_mode();
    EXPECT_LT(mapped_pages() - before, 50);
    for (int turn = 0; turn < TURNS; turn++) {
        Py_DECREF(lists[turn]);
    }
}

static void
begin_whole_cycle(void)
{
    forget_beliefs();
    run_whole_cycle();
}

static void
promote_without_words(void)
{
    forget_beliefs();
    PyObject *node = new_node(&N, NULL);
    Ouro_GCCollect(1);
    Py_DECREF(node);
}

TEST_PY(a_survey_is_forgotten_when_objects_become_old_in_other_ways)
{
    static void (*const ways[])(void) = {collect_all, Ouro_GCUnfreeze, end_mode,
                                         begin_whole_cycle, promote_without_words};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(ways); i++) {
        begin_survey();
        ways[i]();
        EXPECT(!is_surveying());
    }
}

/* The next survey begins with zeros, in the same memory. */
TEST_PY(a_survey_that_was_forgotten_leaves_no_words_to_the_next)
{
    begin_survey();
    const void *words = gc_now()->slices.survey;
    Ouro_GCCollect(2);
    survey_by_hand(1);
    PyObject *ring = new_ring(&N, 100), *weakref = drop_unnoticed(&N);
    for (int i = 0; i < 4; i++) {
        run_short_cycle();
    }
    EXPECT_EQ(gc_now()->slices.survey, words);
    EXPECT(is_dead(weakref));
    EXPECT(!gc_now()->slices.has_unmarked);
    Py_DECREF(ring);
    Py_DECREF(weakref);
}

TEST_PY(a_survey_of_a_heap_that_has_grown_has_words_for_it)
{
    enum { NODES = 60 * 1000 };
    survey_by_hand(1);
    run_short_cycle();
    PyObject *list = new_list_of_nodes(NODES);
    survey_by_hand(1);
    PyObject *weakref = drop_unnoticed(&N);
    run_short_cycle();
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(list);
}

TEST_PY(a_cycle_that_gives_up_does_nothing_for_the_survey)
{
    survey_by_hand(1);
    start_short_cycle();
    gc_now()->cycle->doubt.gives_up = true;
    finish_cycle();
    EXPECT(!is_surveying());
}

TEST_PY(whole_cycles_do_nothing_for_a_survey)
{
    survey_by_hand(1);
    forget_beliefs();
    start_cycle();
    while (gc_now()->cycle != NULL) {
        EXPECT(!is_surveying());
        step_cycle();
    }
}

static void
end_mode_for_good(struct node *Py_UNUSED(self))
{
    Ouro_GCSetPauseBudget(0);
}

/* The mode ends in the doubt phase, and the slice goes on. It ends sooner or later, also in the survey. */
TEST_PY(a_finalizer_that_ends_the_mode_leaves_no_survey)
{
    PyObject *list = new_list_of_nodes(3000);
    for (int time = 0; time < 100; time++) {
        survey_by_hand(1);
        PyObject *x = new_node(&F, "x");
        set_a(x, x);
        run_in_one_slice();
        when_finalized = end_mode_for_good;
        Py_DECREF(x);
        start_short_cycle();
        double deadline = ouro_platform_clock() + time * 20e-6;
        while (gc_now()->pause_budget > 0) {
            ouro_cycle_run(ouro_current.interp, deadline);
        }
        finish_cycle();
        when_finalized = NULL;
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_NULL(gc_now()->slices.survey);
    }
    Py_DECREF(list);
}

/* ---- without memory ------------------------------------------------------------------------------- */

/* Short cycles go on, and a whole one comes in the end. */
TEST_PY(without_memory_there_is_no_survey)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    bool was_hit = true;
    for (int64_t n = 1; was_hit; n++) {
        REQUIRE(n < 10);
        survey_by_hand(1);
        end_mode(); /* no memory is left from before */
        survey_by_hand(1);
        run_short_cycle();
        ouro_survey_end(ouro_current.interp);
        gc_now()->slices.short_left = 2;
        step_to_survey();
        ouro_survey_end(ouro_current.interp);
        ouro_fault_arm(n);
        ouro_survey_begin_part(gc_now()->cycle);
        finish_cycle();
        was_hit = ouro_fault_seen() >= n;
        ouro_fault_arm(0);
        EXPECT_EQ(gc_now()->slices.short_left, was_hit ? 1 : OURO_SHORT_MOST - 1);
        if (was_hit) {
            gc_now()->slices.survey_cycles = 0;
            run_short_cycle();
            run_whole_cycle();
        }
    }
}

/* The words of the last survey are too few, and others are not to be had. */
TEST_PY(a_survey_of_a_heap_that_has_grown_ends_without_memory)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    PyObject *list = new_list_of_nodes(MANY);
    survey_by_hand(1);
    run_short_cycle();
    PyObject *more = new_list_of_nodes(3 * MANY);
    gc_now()->slices.survey_cycles = 0;
    Ouro_GCCollect(2); /* short cycles may follow it */
    let_heap_grow();
    PyObject *weakref = drop_unnoticed(&N);
    gc_now()->slices.survey_cycles = 1;
    step_to_survey();
    ouro_fault_arm(1);
    finish_cycle();
    bool was_hit = ouro_fault_seen() >= 1;
    ouro_fault_arm(0);
    EXPECT(was_hit);
    EXPECT(!is_surveying());
    EXPECT(!is_dead(weakref));
    run_short_cycle();
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(list);
    Py_DECREF(more);
}
