/* SPDX-License-Identifier: MIT */
/* Prove a huge component in slices, where the kernel can tell which pages were written.
 *
 *   watch    arm the pages of all members
 *   tally    count the references between members, and subtract their reference counts. Keep a
 *            *fingerprint* of each member: 64 bits made of its reference count, its type and its
 *            references, in order. In the end every count must be explained
 *   review   take the fingerprints of members on written pages again, and compare. When few pages
 *            are written between two rounds, do the last round in one piece
 *
 * After the last round the count and the references of every member are, at one moment, what
 * they were when they were tallied: nothing changed on a page that was not written, and the
 * members on the other pages were compared. So at that moment the counts are explained, as
 * confirm.c requires.
 *
 * The comparison is one of 64-bit fingerprints, not of the references themselves. A member that
 * changed and yet has the same fingerprint would go unnoticed; by chance that happens once in
 * 2^64 changed members. The key of each proof differs, so the same change does not collide
 * again.
 *
 * The watch sees only the memory of the heap, but a type may keep references elsewhere, as a
 * list does. A member is *unwatched* if its block does not account for all references that it
 * visits. The last round always compares the unwatched members.
 *
 * If anything differs, or the kernel refuses, the proof is made in one piece.
 *
 * If the last cycle's proposals were mostly huge components that filled their pages, the next
 * cycle does not cut its proposals up: it makes this proof for all of them. If that proof
 * fails, they are cut up after all, and the next cycles do not try it for a while. */
#include "cycle.h"

/* --- where a member is ----------------------------------------------------------------------- */

static inline uintptr_t
end_of_block(const struct cycle *cy, const PyObject *op)
{
    const struct page *page = ouro_heap_page_of(cy->c.heap, op);
    bool is_slot = OURO_LIKELY(page->state == OURO_PAGE_SLOTS);
    size_t size =
        is_slot ? page->slot_size - page->front : ouro_heap_block_size(cy->c.heap, op);
    return (uintptr_t)op + size;
}

static inline struct ouro_span
span_of_block(const struct cycle *cy, const PyObject *op)
{
    const struct page *page = ouro_heap_page_of(cy->c.heap, op);
    uintptr_t unit = ouro_platform_page_size() - 1;
    uintptr_t start = (uintptr_t)op - page->front, end = end_of_block(cy, op);
    return (struct ouro_span){start & ~unit, (end + unit) & ~unit};
}

/* The first member at or behind an address; they are in address order. */
static uint32_t
member_from(const struct cycle *cy, uintptr_t address)
{
    uint32_t low = cy->proof.first, high = cy->proof.last;
    uintptr_t offset = address - (uintptr_t)cy->c.base;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)cy->order[middle] << OURO_GRAIN_SHIFT < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* --- fingerprints ---------------------------------------------------------------------------------- */

/* References seen in one call of tp_traverse. */
struct fingerprint {
    struct cycle *cy;
    uint64_t sum;
    uint32_t seen;
    const PyObject *first[16];
};

/* A bijection in each argument: a change of one reference alone always changes the fingerprint. */
static inline uint64_t
mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * 0xff51afd7ed558ccdu;
    return sum ^ sum >> 29;
}

static int
fingerprint_reference(PyObject *op, void *arg)
{
    struct fingerprint *fingerprint = arg;
    fingerprint->sum = mix(fingerprint->sum, (uintptr_t)op);
    return 0;
}

/* Change the balance of a member: references found less its reference count. */
static inline void
balance_member(struct cycle *cy, uint32_t position, uint32_t change)
{
    uint32_t before = cy->exact[position], after = before + change;
    cy->exact[position] = after;
    cy->watch.open += (uint32_t)(after != 0) - (uint32_t)(before != 0);
}

/* The position of `op` if it is a member. In a proof of all proposals every proposal is one. */
static inline uint32_t
position_in_watch(const struct cycle *cy, const PyObject *op)
{
    if (!cy->watch.is_of_all) {
        return ouro_cycle_position_in_proof(cy, op);
    }
    size_t slot = ouro_cycle_slot(cy, op);
    return ouro_cycle_is_proposed(cy, slot) ? ouro_cycle_position(cy, slot) : UINT32_MAX;
}

static int
tally_reference(PyObject *op, void *arg)
{
    struct fingerprint *fingerprint = arg;
    (void)fingerprint_reference(op, fingerprint);
    if (fingerprint->seen < Py_ARRAY_LENGTH(fingerprint->first)) {
        fingerprint->first[fingerprint->seen] = op;
    }
    fingerprint->seen++;
    uint32_t position = position_in_watch(fingerprint->cy, op);
    if (position != UINT32_MAX) {
        balance_member(fingerprint->cy, position, 1);
    }
    return 0;
}

static inline uint64_t
fingerprint_of(struct cycle *cy, PyObject *op, struct fingerprint *fingerprint,
               visitproc visit)
{
    fingerprint->cy = cy;
    fingerprint->seen = 0;
    fingerprint->sum = mix(mix(cy->watch.key, op->ob_refcnt), (uintptr_t)Py_TYPE(op));
    ouro_call_traverse(op, visit, fingerprint);
    return fingerprint->sum;
}

/* Remove `word` from the visited references; false when it is not among them. */
static bool
explain_word(struct fingerprint *fingerprint, uintptr_t word)
{
    for (uint32_t i = 0; i < fingerprint->seen; i++) {
        if ((uintptr_t)fingerprint->first[i] == word) {
            fingerprint->first[i] = fingerprint->first[--fingerprint->seen];
            return true;
        }
    }
    return false;
}

static bool
may_be_address(uintptr_t word)
{
    return word >= 65536 && word >> 56 == 0;
}

/* The block's bytes from the header on, as the type declares them, but no more than the block
 * has. */
static size_t
size_of_object(const struct cycle *cy, const PyObject *op)
{
    const PyTypeObject *type = Py_TYPE(op);
    size_t most = end_of_block(cy, op) - (uintptr_t)op;
    size_t size = (size_t)type->tp_basicsize;
    if (type->tp_itemsize != 0) {
        Py_ssize_t items = Py_SIZE(op);
        size += (size_t)(items < 0 ? -items : items) * (size_t)type->tp_itemsize;
    }
    return (size < most ? size : most) & ~(sizeof(void *) - 1);
}

static inline bool
is_word_of_interest(const PyObject *op, const char *at, uintptr_t *word)
{
    bool is_header = at >= (const char *)op && at < (const char *)(op + 1);
    memcpy(word, at, sizeof *word);
    return !is_header && may_be_address(*word);
}

/* The usual case: the words are the references, in the order of the visits. */
static bool
words_are_in_order(const PyObject *op, const char *start, const char *end,
                   const struct fingerprint *fingerprint)
{
    uint32_t next = 0;
    for (const char *at = start; at < end; at += sizeof(void *)) {
        uintptr_t word;
        if (is_word_of_interest(op, at, &word)) {
            if (next == fingerprint->seen ||
                (uintptr_t)fingerprint->first[next] != word) {
                return false;
            }
            next++;
        }
    }
    return next == fingerprint->seen;
}

static bool
words_are_references(const PyObject *op, const char *start, const char *end,
                     struct fingerprint *fingerprint)
{
    (void)explain_word(fingerprint, (uintptr_t)Py_TYPE(op));
    for (const char *at = start; at < end; at += sizeof(void *)) {
        uintptr_t word;
        if (is_word_of_interest(op, at, &word) && !explain_word(fingerprint, word)) {
            return false;
        }
    }
    return fingerprint->seen == 0;
}

/* Is every visited reference a word of the block, and every address in the block a visited
 * reference? Then the references cannot come from elsewhere. */
static bool
keeps_references_inside(const struct cycle *cy, const PyObject *op,
                        struct fingerprint *fingerprint)
{
    const struct page *page = ouro_heap_page_of(cy->c.heap, op);
    const PyTypeObject *type = Py_TYPE(op);
    size_t size = size_of_object(cy, op);
    if (fingerprint->seen > Py_ARRAY_LENGTH(fingerprint->first) ||
        size > OURO_EXPLAINED_MAX) {
        return type == ouro_seam.tuple_type;
    }
    const char *start = (const char *)op - page->front, *end = (const char *)op + size;
    return words_are_in_order(op, start, end, fingerprint) ||
           words_are_references(op, start, end, fingerprint);
}

/* --- watch ----------------------------------------------------------------------------------- */

/* Whole pages of the heap: some members may be gone. */
static struct ouro_span
range_of_pages(const struct cycle *cy, uint32_t first, uint32_t last)
{
    uint32_t run = ouro_page_run(&cy->c.heap->pages[last]);
    return (struct ouro_span){
        .start = (uintptr_t)cy->c.base + ((uintptr_t)first << OURO_PAGE_SHIFT),
        .end = (uintptr_t)cy->c.base + ((uintptr_t)(last + run) << OURO_PAGE_SHIFT),
    };
}

static bool
start_watching(struct cycle *cy, uint32_t first_page, uint32_t last_page)
{
    struct cycle_watch *watch = &cy->watch;
    struct heap *heap = cy->c.heap;
    if (watch->fingerprints == NULL) {
        watch->fingerprints = ouro_cycle_table(cy, TABLE_FINGERPRINTS, cy->proposals,
                                               sizeof *watch->fingerprints);
    }
    watch->range = range_of_pages(cy, first_page, last_page);
    if (watch->fingerprints == NULL ||
        !ouro_platform_watch_begin(&watch->handles, watch->range)) {
        return false;
    }
    watch->key = (uintptr_t)cy + (uint64_t)(ouro_platform_clock() * 1e9);
    cy->proof.kinds = (struct kinds){0};
    watch->discards = heap->trim.discards;
    watch->pending = watch->rest = (struct ouro_span){0, 0};
    watch->kept = cy->proof.at = cy->proof.first;
    watch->rounds = watch->unwatched = watch->open = 0;
    watch->is_settled = false;
    cy->proof.number += !ouro_cycle_is_destroying(cy); /* else they keep theirs */
    return true;
}

bool
ouro_watch_is_worth_it(const struct cycle *cy)
{
    uint32_t size = cy->proof.last - cy->proof.first;
    return size / cy->c.interp->gc.slices.batch >= OURO_WATCHED;
}

bool
ouro_watch_begin(struct cycle *cy)
{
    return start_watching(cy, cy->order[cy->proof.first] / OURO_PAGE_GRAINS,
                          cy->order[cy->proof.last - 1] / OURO_PAGE_GRAINS);
}

void
ouro_watch_end(struct cycle *cy)
{
    ouro_platform_watch_end(&cy->watch.handles);
}

void
ouro_watch_withdraw(struct cycle *cy, const PyObject *op)
{
    struct cycle_watch *watch = &cy->watch;
    uintptr_t start = watch->range.start;
    if (watch->handles.faults < 0 || end_of_block(cy, op) <= start) {
        return;
    }
    uintptr_t end = span_of_block(cy, op).end;
    end = end - start < OURO_DROP_BYTES ? start + OURO_DROP_BYTES : end;
    end = end < watch->range.end ? end : watch->range.end;
    ouro_platform_watch_drop(&watch->handles, (struct ouro_span){start, end});
    watch->range.start = end;
    (void)ouro_slice_is_over(cy, 4 * OURO_ARM_WORK);
}

/* Give up the watch: prove in one piece, or component by component. */
static enum step
give_up(struct cycle *cy)
{
    ouro_watch_end(cy);
    return STEP_FAILED;
}

bool
ouro_watch_failed_for_all(struct cycle *cy)
{
    bool is_of_all = cy->watch.is_of_all;
    if (is_of_all) {
        cy->watch.is_of_all = false;
        cy->c.interp->gc.slices.watch_trust = -OURO_DISTRUST;
    }
    return is_of_all;
}

static bool
arm_pending(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    struct ouro_span span = watch->pending;
    watch->pending = (struct ouro_span){0, 0};
    return span.start == span.end || ouro_platform_watch_arm(&watch->handles, span);
}

/* Arm consecutive pages together. */
static bool
arm_span(struct cycle *cy, struct ouro_span span)
{
    struct cycle_watch *watch = &cy->watch;
    bool is_next = span.start <= watch->pending.end;
    if (is_next && span.end - watch->pending.start <= OURO_ARM_BYTES) {
        watch->pending.end =
            span.end > watch->pending.end ? span.end : watch->pending.end;
        return true;
    }
    bool is_armed = arm_pending(cy);
    watch->pending = span;
    return is_armed;
}

static bool
arm_block(struct cycle *cy, const PyObject *op)
{
    bool is_pending = end_of_block(cy, op) <= cy->watch.pending.end;
    return is_pending || arm_span(cy, span_of_block(cy, op));
}

/* Like admit_members() of confirm.c, in slices. Members that died are left out at once. */
enum step
ouro_cycle_watch(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    while (cy->proof.at < cy->proof.last) {
        size_t slot = cy->order[cy->proof.at++];
        uint32_t position = ouro_cycle_position(cy, slot);
        PyObject *op = ouro_cycle_object(cy, slot);
        cy->exact[position] = op != NULL ? 0 : CYCLE_EVICTED;
        cy->parent[position] = op != NULL ? cy->proof.number : 0;
        if (op != NULL) {
            cy->order[watch->kept++] = (uint32_t)slot;
            uintptr_t before = watch->pending.start;
            if (!arm_block(cy, op)) {
                return give_up(cy);
            }
            bool has_armed = before != watch->pending.start;
            if (ouro_slice_is_over(cy, has_armed ? OURO_ARM_WORK : 1)) {
                return STEP_MORE;
            }
        }
    }
    if (!arm_pending(cy)) {
        return give_up(cy);
    }
    cy->proof.last = watch->kept;
    return STEP_DONE;
}

/* --- tally ----------------------------------------------------------------------------------- */

/* The object at order[at] if it is still the admitted member. */
static PyObject *
watched_member(const struct cycle *cy, uint32_t at)
{
    return ouro_cycle_object(cy, cy->order[at]);
}

/* How many unwatched members are allowed. The last round compares all of them. For a component
 * there is no alternative. */
static uint32_t
most_unwatched(const struct cycle *cy)
{
    return cy->watch.is_of_all ? cy->c.interp->gc.slices.batch : OURO_QUEUE_LENGTH;
}

/* In a proof of all proposals, those that need finalizing must be told from the others. */
static bool
suits_all(const struct cycle *cy)
{
    return !cy->watch.is_of_all || !ouro_confirm_needs_finalizing(cy, &cy->proof.kinds);
}

enum step
ouro_cycle_tally(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    while (cy->proof.at < cy->proof.last) {
        PyObject *op = watched_member(cy, cy->proof.at);
        struct fingerprint fingerprint;
        if (op == NULL) {
            return give_up(cy);
        }
        uint32_t position = watch->is_of_all
                                ? cy->proof.at
                                : ouro_cycle_position(cy, cy->order[cy->proof.at]);
        balance_member(cy, position, 0 - (uint32_t)op->ob_refcnt);
        watch->fingerprints[cy->proof.at - cy->proof.first] =
            fingerprint_of(cy, op, &fingerprint, tally_reference);
        ouro_note_kind(&cy->proof.kinds, op);
        if (!keeps_references_inside(cy, op, &fingerprint)) {
            if (watch->unwatched == most_unwatched(cy)) {
                return give_up(cy);
            }
            cy->c.queue.entries[watch->unwatched++] = cy->proof.at;
        }
        cy->proof.at++;
        if (ouro_slice_is_over(cy, 2) && cy->proof.at < cy->proof.last) {
            return STEP_MORE;
        }
    }
    return watch->open == 0 && suits_all(cy) ? STEP_DONE : give_up(cy);
}

/* --- review ---------------------------------------------------------------------------------- */

static bool
is_as_tallied(struct cycle *cy, uint32_t at)
{
    PyObject *op = watched_member(cy, at);
    struct fingerprint fingerprint;
    if (op == NULL || fingerprint_of(cy, op, &fingerprint, fingerprint_reference) !=
                          cy->watch.fingerprints[at - cy->proof.first]) {
        return false;
    }
    ouro_note_kind(&cy->proof.kinds, op); /* it may have a weak reference now */
    return true;
}

/* Compare the members whose block overlaps the span. Arm the span first, unless this is the
 * last round, so that the next round sees what is written from here on. */
static bool
review_span(struct cycle *cy, struct ouro_span span, bool is_last)
{
    struct cycle_watch *watch = &cy->watch;
    uint32_t at = member_from(cy, span.start);
    if (at > cy->proof.first) { /* the block before may reach into the span */
        const PyObject *before = ouro_heap_block_of_slot(cy->c.heap, cy->order[at - 1]);
        at -= span_of_block(cy, before).end > span.start;
    }
    uintptr_t end = span.end - (uintptr_t)cy->c.base;
    bool has_members =
        at < cy->proof.last && (uintptr_t)cy->order[at] << OURO_GRAIN_SHIFT < end;
    if (!has_members) {
        return true;
    }
    if (!is_last && !ouro_platform_watch_arm(&watch->handles, span)) {
        return false;
    }
    for (; at < cy->proof.last && (uintptr_t)cy->order[at] << OURO_GRAIN_SHIFT < end;
         at++) {
        watch->reviewed++;
        if (!is_as_tallied(cy, at)) {
            return false;
        }
    }
    return true;
}

/* One round: 1 when it is done, 0 when the slice is over, -1 when a member differs. */
static int
review_round(struct cycle *cy, bool is_last)
{
    struct cycle_watch *watch = &cy->watch;
    struct ouro_span spans[OURO_WATCH_SPANS];
    while (watch->rest.start < watch->rest.end) {
        int count = ouro_platform_watch_read(&watch->handles, &watch->rest,
                                             is_last ? 0 : OURO_REVIEW_PAGES, spans);
        uint32_t before = watch->reviewed;
        for (int i = 0; i < count; i++) {
            if (!review_span(cy, spans[i], is_last)) {
                return -1;
            }
        }
        if (count < 0) {
            return -1;
        }
        bool is_over =
            ouro_slice_is_over(cy, 2 * (watch->reviewed - before) + OURO_ARM_WORK);
        if (!is_last && is_over && watch->rest.start < watch->rest.end) {
            return 0;
        }
    }
    return 1;
}

/* In one piece: what was written since the last round, and the unwatched members. */
static bool
review_for_good(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    Ouro_GCCycleStats *stats = &cy->c.interp->gc.slices.stats;
    if (review_round(cy, true) < 0 || watch->discards != cy->c.heap->trim.discards) {
        return false;
    }
    for (uint32_t i = 0; i < watch->unwatched; i++) {
        if (!is_as_tallied(cy, cy->c.queue.entries[i])) {
            return false;
        }
    }
    Py_ssize_t looked_at = (Py_ssize_t)watch->reviewed + watch->unwatched;
    stats->largest_proof =
        looked_at > stats->largest_proof ? looked_at : stats->largest_proof;
    return true;
}

enum step
ouro_cycle_review(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    while (!watch->is_settled) {
        if (watch->rest.start == watch->rest.end) { /* of the round before */
            watch->rest = watch->range;
            watch->reviewed = 0;
        }
        int result = review_round(cy, false);
        if (result < 0) {
            return give_up(cy);
        }
        if (result == 0) {
            return STEP_MORE;
        }
        watch->rounds++;
        watch->is_settled = watch->reviewed <= cy->c.interp->gc.slices.batch ||
                            watch->rounds == OURO_REVIEWS - 1;
        if (cy->slice.is_over) {
            return STEP_MORE;
        }
    }
    watch->rest = watch->range;
    watch->reviewed = 0;
    if (!review_for_good(cy) || !suits_all(cy)) {
        return give_up(cy);
    }
    cy->c.interp->gc.slices.stats.proofs++;
    cy->c.interp->gc.slices.stats.watched_proofs++;
    cy->c.interp->gc.slices.stats.huge_proofs += watch->is_of_all;
    watch->proved += cy->proof.last - cy->proof.first;
    if (!cy->farewell.has_begun) {
        ouro_confirm_tell(cy, cy->proof.last - cy->proof.first);
    }
    return ouro_confirm_destroy(cy);
}

/* --- all proposals at once ------------------------------------------------------------------- */

bool
ouro_watch_is_for_all(const struct cycle *cy)
{
    const struct gc_state *gc = &cy->c.interp->gc;
    return gc->slices.watch_trust > 0 && gc->debug == 0 &&
           cy->proposals >= OURO_WATCHED * gc->slices.batch &&
           cy->neighbours <= 2 * (size_t)cy->proposals;
}

static inline __attribute__((always_inline)) void
list_body(struct cycle *cy, size_t slot, uint32_t position)
{
    cy->order[position] = (uint32_t)slot;
    cy->exact[position] = 0;
}

/* Like ouro_cycle_watch(), by pages. Dead members are noticed when they are tallied. */
static enum step
arm_all(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    while (watch->next_page < cy->pages) {
        uint32_t page = watch->next_page++;
        if (cy->base[page] == cy->base[page + 1]) {
            continue;
        }
        if (!arm_span(cy, range_of_pages(cy, page, page))) {
            return give_up(cy);
        }
        if (ouro_slice_is_over(cy, OURO_ARM_WORK)) {
            return STEP_MORE;
        }
    }
    return arm_pending(cy) ? STEP_DONE : give_up(cy);
}

/* Pages from the first to the last with a proposal. */
static bool
begin_for_all(struct cycle *cy)
{
    uint32_t first = 0, last = cy->pages - 1;
    while (cy->base[first + 1] == 0) {
        first++;
    }
    while (cy->base[last] == cy->proposals) {
        last--;
    }
    cy->proof.number = cy->proposals; /* larger than every position */
    cy->watch.is_of_all = true;
    cy->watch.next_page = first;
    return start_watching(cy, first, last);
}

enum step
ouro_cycle_list(struct cycle *cy)
{
    if (!cy->watch.is_of_all && !begin_for_all(cy)) {
        return give_up(cy);
    }
    enum step step = ouro_each_proposal(cy, list_body) ? arm_all(cy) : STEP_MORE;
    if (step == STEP_DONE) {
        cy->proof.first = 0;
        cy->proof.last = cy->cursor = cy->ordered = cy->proposals;
    }
    return step;
}

void
ouro_watch_learn(const struct cycle *cy)
{
    int *trust = &cy->c.interp->gc.slices.watch_trust;
    bool were_huge = cy->watch.proved > cy->proposals / 2;
    int next = *trust + were_huge;
    *trust = next > were_huge ? were_huge : next;
}
