/* SPDX-License-Identifier: MIT */
/* Propose what may be garbage, in slices: count, mark, gather.
 *
 * The rule is that of count.c and mark.c: an object with more references than those counted is
 * held from outside, and what it reaches is alive. But the program runs in between, so an
 * object that is alive may be proposed, and garbage that is newer than the start may be missed.
 * All garbage of the start is proposed: the program cannot change it, so its references are all
 * counted, and no marked object refers to it. (Weak references and calls that enumerate the
 * heap are the exceptions: they can bring it back.)
 *
 * The rule is "counted >= count", not "==": a referrer that was counted may have died since, in
 * a young collection or by its count, and taken its reference with it. Counters are therefore
 * wider than those of other collections and do not wrap; at CYCLE_MANY they stop, and the object is
 * proposed unless marking reaches it (refine.c counts exactly).
 *
 * The cursor of a cycle stands between pages. A page is handled in one piece, so pages may
 * change between slices. */
#include "cycle.h"

/* --- count ------------------------------------------------------------------------------- */

/* The offset of `op` if it lies in pages that existed at the start, else 0. No block has offset
 * 0, but there is a word for it. */
static inline size_t
offset_in_cycle(const struct cycle *cy, const PyObject *op)
{
    size_t offset = (size_t)((const char *)op - cy->c.base);
    return offset & -(size_t)(offset < (size_t)cy->pages << OURO_PAGE_SHIFT);
}

OURO_VISITOR
count_one_reference(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    uint16_t *word = &cy->words[offset_in_cycle(cy, op) >> OURO_GRAIN_SHIFT];
    cy->parts.met++;
    *word = (uint16_t)(*word + (*word < CYCLE_MANY));
    return 0;
}

OURO_BODY
count_old_body(struct collection *c, PyObject *op, const struct page *page)
{
    struct cycle *cy = ouro_cycle_of(c);
    if (page->slot_size >= OURO_FAR_APART) {
        __builtin_prefetch((const char *)op + 2 * c->ahead.bytes);
    }
    ouro_prefetch_targets(c, op, (const char *)cy->words, 1);
    if (!ouro_is_old(op) || cy->words[ouro_cycle_slot(cy, op)] >= CYCLE_ALIVE) {
        return;
    }
    PyTypeObject *type = Py_TYPE(op);
    bool needs_none =
        _Py_IsImmortal(op) ||
        (OURO_UNLIKELY(type == ouro_seam.tuple_type) && ouro_tuple_needs_no_tracking(op));
    if (OURO_UNLIKELY(needs_none)) {
        ouro_object_clear(op, OURO_GC_TRACKED);
        return;
    }
    c->candidates++;
    ouro_cycle_traverse(cy, op, count_one_reference);
}

bool
ouro_propose_next_page(struct cycle *cy, uint32_t *page)
{
    cy->cursor = ouro_scan_next(cy->c.scan, cy->cursor, cy->pages);
    *page = cy->cursor;
    cy->cursor += cy->cursor < cy->pages;
    return *page < cy->pages;
}

/* The cost of a page besides its objects, in objects: its part of the tables gets memory, one
 * OS page at a time. */
uint32_t
ouro_propose_work(const struct cycle *cy, uint32_t page)
{
    return ouro_page_used(&cy->c.heap->pages[page]) + OURO_PAGE_WORK;
}

/* Get memory for the side words of pages with old objects, several pages at a time. Otherwise
 * each OS page would cost two faults, the first of them just to read zeros. */
static bool
populate_words(struct cycle *cy)
{
    while (cy->populated < cy->pages) {
        uint32_t first = ouro_scan_next(cy->c.scan, cy->populated, cy->pages);
        uint32_t end = first;
        while (end < cy->pages && end - first < OURO_POPULATE_PAGES &&
               cy->c.scan[end] != OURO_SCAN_NONE) {
            end++;
        }
        cy->populated = end;
        size_t slots = (size_t)(end - first) * OURO_PAGE_GRAINS;
        ouro_platform_populate(cy->words + (size_t)first * OURO_PAGE_GRAINS,
                               slots * sizeof *cy->words);
        if (ouro_slice_is_over(cy, OURO_POPULATE_WORK * (end - first))) {
            return false;
        }
    }
    return true;
}

/* Fetch the first objects of the next page. The walk over a page fetches its later objects. */
static void
fetch_next_page(const struct cycle *cy)
{
    if (cy->cursor < cy->pages && cy->c.scan[cy->cursor] == OURO_SCAN_ALL) {
        const struct page *page = &cy->c.heap->pages[cy->cursor];
        const char *at =
            cy->c.base + ((size_t)cy->cursor << OURO_PAGE_SHIFT) + page->lead;
        for (int i = 0; i < 2 * OURO_AHEAD; i++) {
            __builtin_prefetch(at + (size_t)i * page->slot_size);
        }
    }
}

enum step
ouro_cycle_count(struct cycle *cy)
{
    uint32_t page;
    if (!populate_words(cy)) {
        return STEP_MORE;
    }
    while (ouro_cycle_finish_parts(cy)) {
        if (!ouro_propose_next_page(cy, &page)) {
            return STEP_DONE;
        }
        fetch_next_page(cy);
        ouro_each_in_page(&cy->c, page, count_old_body);
        if (ouro_slice_is_over(cy,
                               ouro_propose_work(cy, page) + ouro_cycle_met_work(cy))) {
            return STEP_MORE;
        }
    }
    return STEP_MORE;
}

/* --- mark -------------------------------------------------------------------------------- */

/* As in mark.c: targets ahead of the sweep are only marked, those behind it are queued. */
OURO_VISITOR
reach_old(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    size_t offset = offset_in_cycle(cy, op);
    uint16_t *word = &cy->words[offset >> OURO_GRAIN_SHIFT];
    bool is_new = *word < CYCLE_ALIVE;
    cy->parts.met++;
    *word = is_new ? CYCLE_LIVE : *word;
    if (is_new & (offset < cy->c.horizon)) {
        ouro_queue_push(&cy->c.queue, (uint32_t)(offset >> OURO_GRAIN_SHIFT));
    }
    return 0;
}

static inline bool
is_held_from_outside(const PyObject *op, uint16_t word)
{
    return word < CYCLE_MANY && word < op->ob_refcnt;
}

/* A late object stays late: it may be garbage already, and then its count will not fall. */
static inline uint16_t
word_of_marked(const struct cycle *cy, const PyObject *op, uint16_t word)
{
    return word == cy->late_word ? word : ouro_doubt_belief(op);
}

OURO_BODY
mark_old_body(struct collection *c, PyObject *op, const struct page *page)
{
    struct cycle *cy = ouro_cycle_of(c);
    (void)page;
    if (!ouro_is_old(op)) {
        return;
    }
    uint16_t *word = &cy->words[ouro_cycle_slot(cy, op)];
    if (*word >= CYCLE_ALIVE || is_held_from_outside(op, *word)) {
        ouro_prefetch_targets(c, op, (const char *)cy->words, 1);
        *word = word_of_marked(cy, op, *word);
        c->horizon = (size_t)((char *)op - c->base);
        cy->marked++;
        ouro_cycle_traverse(cy, op, reach_old);
    }
}

/* A queued object was alive when it was queued; its slot may hold another one by now. */
static void
reach_from_old(struct cycle *cy, size_t slot)
{
    PyObject *op = ouro_member_at(&cy->c, slot);
    uint16_t *word = &cy->words[slot];
    if (op != NULL && ouro_is_old(op) && *word >= CYCLE_ALIVE) {
        *word = word_of_marked(cy, op, *word);
        cy->marked++;
        ouro_cycle_traverse(cy, op, reach_old);
    }
}

static bool
drain_old(struct cycle *cy)
{
    struct collection *c = &cy->c;
    uint32_t mask = OURO_QUEUE_LENGTH - 1;
    while (!ouro_queue_is_empty(&c->queue)) {
        uint32_t ahead = c->queue.entries[(c->queue.head + OURO_NEAR_AHEAD) & mask];
        __builtin_prefetch(c->base + ((size_t)ahead << OURO_GRAIN_SHIFT));
        __builtin_prefetch(c->base + ((size_t)ahead << OURO_GRAIN_SHIFT) + OURO_LINE);
        reach_from_old(cy, ouro_queue_pop(&c->queue));
        if (!ouro_cycle_finish_parts(cy) ||
            ouro_slice_is_over(cy, 1 + ouro_cycle_met_work(cy))) {
            return false;
        }
    }
    return true;
}

static void
start_draining(struct cycle *cy, size_t horizon)
{
    cy->c.horizon = horizon;
    cy->is_draining = true;
}

/* The sweep is at its end and the queue is empty. If an entry was dropped, sweep again. */
static bool
marking_is_done(struct cycle *cy)
{
    if (!cy->c.queue.overflow) {
        return true;
    }
    cy->c.queue.overflow = false;
    cy->cursor = 1;
    return false;
}

enum step
ouro_cycle_mark(struct cycle *cy)
{
    struct collection *c = &cy->c;
    cy->words[0] = CYCLE_LIVE; /* offset 0 is never new */
    for (;;) {
        if (!ouro_cycle_finish_parts(cy) || (cy->is_draining && !drain_old(cy))) {
            return STEP_MORE;
        }
        cy->is_draining = false;
        uint32_t page;
        if (!ouro_propose_next_page(cy, &page)) {
            if (!ouro_queue_is_empty(&c->queue)) {
                start_draining(cy, SIZE_MAX);
            } else if (marking_is_done(cy)) {
                return STEP_DONE;
            }
            continue;
        }
        fetch_next_page(cy);
        ouro_each_in_page(c, page, mark_old_body);
        /* The sweep has passed this page, also for the remaining parts of its containers. */
        c->horizon = (size_t)cy->cursor << OURO_PAGE_SHIFT;
        if (((c->queue.tail - c->queue.head) & (OURO_QUEUE_LENGTH - 1)) >
            OURO_QUEUE_LENGTH / 2) {
            start_draining(cy, (size_t)cy->cursor << OURO_PAGE_SHIFT);
        }
        if (ouro_slice_is_over(cy,
                               ouro_propose_work(cy, page) + ouro_cycle_met_work(cy))) {
            return STEP_MORE;
        }
    }
}

/* --- gather ------------------------------------------------------------------------------ */

/* The word of an unmarked object is at least its reference count, so it is not 0. Its header
 * would have to be fetched, and is not needed yet: whether the object still exists is checked
 * before a proposal is trusted, as always. */
OURO_BODY
gather_body(struct collection *c, PyObject *op, const struct page *page)
{
    struct cycle *cy = ouro_cycle_of(c);
    (void)page;
    size_t slot = ouro_cycle_slot(cy, op);
    uint16_t word = cy->words[slot];
    cy->live += word >= CYCLE_ALIVE;
    if (word < CYCLE_ALIVE && word != 0) {
        cy->proposed[slot / 64] |= (uint64_t)1 << (slot % 64);
    }
}

/* cycle.inv.position, for the proposals of one page. */
static void
rank_page(struct cycle *cy, uint32_t page)
{
    size_t first = (size_t)page * OURO_PAGE_BIT_WORDS;
    uint32_t count = 0;
    for (size_t word = first; word < first + OURO_PAGE_BIT_WORDS; word++) {
        cy->rank[word] = (uint16_t)count;
        count += ouro_bit_count(cy->proposed[word]);
    }
    cy->proposals += count;
    cy->neighbours += count != 0 ? ouro_page_used(&cy->c.heap->pages[page]) : 0;
}

bool
ouro_propose_tables(struct cycle *cy, uint32_t count)
{
    cy->room = count;
    cy->exact = ouro_cycle_table(cy, TABLE_EXACT, count, sizeof *cy->exact);
    cy->parent = ouro_cycle_table(cy, TABLE_PARENT, count, sizeof *cy->parent);
    cy->order = ouro_cycle_table(cy, TABLE_ORDER, count, sizeof *cy->order);
    return cy->exact != NULL && cy->parent != NULL && cy->order != NULL;
}

enum step
ouro_cycle_gather(struct cycle *cy)
{
    while (cy->cursor < cy->pages) {
        uint32_t page = cy->cursor++;
        cy->base[page] = cy->proposals;
        if (cy->c.scan[page] != OURO_SCAN_NONE) {
            ouro_each_in_page(&cy->c, page, gather_body);
            rank_page(cy, page);
        }
        if (ouro_slice_is_over(cy, ouro_propose_work(cy, page) / 4)) {
            return STEP_MORE;
        }
    }
    cy->base[cy->pages] = cy->proposals;
    if (cy->proposals == 0) {
        return STEP_FAILED;
    }
    if (!ouro_propose_tables(cy, cy->proposals)) {
        return STEP_NO_MEMORY;
    }
    return ouro_watch_is_for_all(cy) ? STEP_ASIDE : STEP_DONE;
}

/* --- a proved set -------------------------------------------------------------------------- */

/* The proposals were the members of the set before. */
static void
forget_members(struct cycle *cy)
{
    for (uint32_t page = 0; cy->proposals != 0 && page < cy->pages; page++) {
        if (cy->base[page] != cy->base[page + 1]) {
            memset(&cy->proposed[(size_t)page * OURO_PAGE_BIT_WORDS], 0,
                   OURO_PAGE_BIT_WORDS * sizeof *cy->proposed);
        }
    }
    memset(cy->base, 0, ((size_t)cy->pages + 1) * sizeof *cy->base);
    cy->proposals = 0;
}

void
ouro_propose_members(struct cycle *cy, uint32_t last)
{
    forget_members(cy);
    for (uint32_t at = cy->proof.first; at < last; at++) {
        size_t slot = cy->order[at];
        cy->proposed[slot / 64] |= (uint64_t)1 << (slot % 64);
        cy->base[slot / OURO_PAGE_GRAINS]++;
    }
    for (uint32_t page = 0; page < cy->pages; page++) {
        bool has_members = cy->base[page] != 0;
        cy->base[page] = cy->proposals;
        if (has_members) {
            rank_page(cy, page);
        }
    }
    cy->base[cy->pages] = cy->proposals;
}
