/* SPDX-License-Identifier: MIT */
/* Prove that candidates are alive without marking them, when their addresses are in no useful
 * order.
 *
 * Where addresses give the proof (count.c), this is not needed. Elsewhere every slot has a side
 * word with an order number from the last mark. Order number and slot number together are a
 * key. Keys are a strict total order, whatever the numbers are. One streaming pass reads every
 * edge afresh and computes for each candidate
 *     count  its reference count less the edges that end at it, modulo 256
 *     sup    the edges that come from a candidate with a smaller key, up to 3
 * If every candidate has count != 0 (something outside refers to it) or sup > 0, then all are
 * reachable, by induction on the key: the smallest must be held from outside, and each larger
 * one from outside or by a smaller one. The proof needs no write barrier, and does not trust
 * old numbers: a wrong number can only make the proof fail.
 *
 * Otherwise the unsupported objects, and those that lose all support with them, are the
 * suspects. If there are few suspects, they are counted and marked among themselves. If there
 * are many, one mark over everything renumbers the heap.
 *
 * Odd order numbers compare slots the other way round. Without that, a list built by
 * prepending, or a doubly linked one, loses the proof every time: 17 to 32 ns per object
 * instead of 9 to 15 in the prototype. */
#include "collection.h"

#include <string.h>

/* A side word: count in bits 8..15, order 4..7, support 2..3, flags 0..1. */
typedef uint16_t side_word;
#define COUNT_SHIFT  8
#define ORDER_SHIFT  4
#define ONE          ((side_word)(1 << COUNT_SHIFT))
#define COUNT_MASK   ((side_word)0xFF00)
#define ORDER_MASK   ((side_word)0x00F0)
#define SUPPORT_MASK ((side_word)0x000C)
#define SUPPORT_ONE  ((side_word)0x0004)
#define MEMBER       ((side_word)0x0002) /* a candidate */
#define SUSPECT      ((side_word)0x0001)
#define ORDER_MAX    15u

#define SUSPECTS_MAX (OURO_QUEUE_LENGTH / 2)

static inline struct certificate *
memory_of(const struct collection *c)
{
    return &c->interp->gc.certificate;
}

static inline uint32_t
order_of(side_word word)
{
    return (word & ORDER_MASK) >> ORDER_SHIFT;
}

/* Numbers are hints: it does no harm when they run out. */
static inline side_word
word_with_order(uint32_t order)
{
    return (side_word)((order < ORDER_MAX ? order : ORDER_MAX) << ORDER_SHIFT);
}

static inline uint32_t
flip_of(side_word word)
{
    return -(uint32_t)((word >> ORDER_SHIFT) & 1);
}

static inline uint64_t
key_of(side_word word, size_t slot)
{
    return (uint64_t)(word & ORDER_MASK) << 32 | ((uint32_t)slot ^ flip_of(word));
}

/* The order number of a child so that its key is larger than its parent's. */
static inline uint32_t
order_of_child(uint32_t order, size_t child, size_t parent)
{
    return order + ((order & 1) != 0 ? child > parent : child < parent);
}

static inline PyObject *
object_at(const struct collection *c, size_t slot)
{
    return ouro_heap_block_of_slot(c->heap, slot);
}

static inline void
note_suspect(struct collection *c, size_t slot)
{
    struct page *page = &c->heap->pages[slot / OURO_PAGE_GRAINS];
    ouro_note_unreachable(c, object_at(c, slot), page);
}

/* --- the first numbers ---------------------------------------------------------------------- */

/* In pages that are new since the last full collection all orders are 0, because references
 * usually lead to younger objects at higher addresses. If most references lead down, as in a
 * list that grew at its head, orders start with 1. A few objects are sampled, and only
 * references to neighbours count: leaves that refer to the root of a tree do not show how they
 * are reached. */
struct directions {
    const PyObject *from;
    uint32_t up, down;
};

OURO_VISITOR
note_direction(PyObject *op, void *arg)
{
    struct directions *d = arg;
    bool is_near = ((uintptr_t)op ^ (uintptr_t)d->from) < OURO_PAGE_SIZE;
    d->up += is_near && op > d->from;
    d->down += is_near && op < d->from;
    return 0;
}

static void
ask_page(const struct collection *c, const struct page *page, struct directions *d)
{
    if (page->state != OURO_PAGE_SLOTS) {
        return;
    }
    char *start = ouro_heap_page_start(c->heap, page);
    uint32_t step = (page->capacity / OURO_ASKED_IN_PAGE + 1u) * page->slot_size;
    for (uint32_t at = page->lead; at < page->untouched; at += step) {
        PyObject *op = (PyObject *)(start + at);
        if (ouro_is_candidate(c, op)) {
            d->from = op;
            ouro_call_edges(op, note_direction, d);
        }
    }
}

static void
guess_orders(struct collection *c)
{
    struct heap *heap = c->heap;
    uint32_t from = heap->slots.ready;
    ouro_heap_populate_words(heap);
    struct directions directions = {0};
    uint32_t step = (heap->slots.ready - from) / OURO_ASKED_PAGES + 1;
    for (uint32_t n = from; n < heap->slots.ready; n += step) {
        ask_page(c, &heap->pages[n], &directions);
    }
    if (directions.down <= 3 * directions.up) {
        return;
    }
    for (size_t i = (size_t)from * OURO_PAGE_GRAINS;
         i < (size_t)heap->slots.ready * OURO_PAGE_GRAINS; i++) {
        c->keys[i] |= (side_word)(1 << ORDER_SHIFT);
    }
}

/* --- counting ------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) int
count_and_support(struct collection *c, PyObject *op, bool filtered)
{
    size_t slot = ouro_candidate_offset(c, op, filtered) >> OURO_GRAIN_SHIFT;
    side_word word = c->keys[slot];
    /* If the orders differ, the slots do not matter. If they are equal, both objects compare
     * slots the same way. So the target's key may be made with the traversed object's flip. */
    uint64_t key =
        (uint64_t)(word & ORDER_MASK) << 32 | ((uint32_t)slot ^ c->number.flip);
    bool supports = (c->number.key < key) & ((word & SUPPORT_MASK) != SUPPORT_MASK);
    c->keys[slot] = (side_word)(word - ONE + (supports ? SUPPORT_ONE : 0));
    return 0;
}

OURO_VISITOR
support_any(PyObject *op, void *arg)
{
    return count_and_support(arg, op, false);
}

OURO_VISITOR
support_filtered(PyObject *op, void *arg)
{
    return count_and_support(arg, op, true);
}

/* Prepare the candidate's own word before its references are visited; false if `op` is no
 * candidate. */
static inline __attribute__((always_inline)) bool
certify_begin(struct collection *c, PyObject *op)
{
    if (!ouro_take_candidate(c, op)) {
        return false;
    }
    ouro_object_promote(op, ouro_next_generation(c));
    side_word *words = c->keys;
    size_t slot = (size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT;
    side_word word = words[slot];
    words[slot] = (side_word)(word + (side_word)(op->ob_refcnt << COUNT_SHIFT)) | MEMBER;
    c->cursor = slot;
    c->number.key = key_of(word, slot);
    c->number.flip = flip_of(word);
    return true;
}

OURO_BODY
certify_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    ouro_prefetch_targets(c, op, (const char *)c->keys, 1);
    if (certify_begin(c, op)) {
        ouro_visit_edges(op, support_any, c);
    }
}

OURO_BODY
certify_body_filtered(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (certify_begin(c, op)) {
        ouro_call_edges(op, support_filtered, c);
    }
}

/* --- looking at side words -------------------------------------------------------------------- */

static side_word *
words_of_page(const struct collection *c, uint32_t number)
{
    return c->keys + (size_t)number * OURO_PAGE_GRAINS;
}

/* Neither held from outside nor supported. */
static inline bool
is_unsupported(side_word word)
{
    return (word & ~ORDER_MASK) == MEMBER;
}

static uint16_t
count_unsupported(const side_word *words)
{
    uint16_t count = 0;
    for (size_t i = 0; i < OURO_PAGE_GRAINS; i++) {
        count = (uint16_t)(count + is_unsupported(words[i]));
    }
    return count;
}

typedef void (*word_body)(struct collection *c, side_word *word, size_t slot);

static bool
has_few_slots(const struct collection *c, uint32_t number)
{
    return ouro_page_has_few_slots(&c->heap->pages[number]);
}

static inline __attribute__((always_inline)) void
each_word_of_few(struct collection *c, uint32_t number, word_body body)
{
    const struct page *page = &c->heap->pages[number];
    side_word *words = words_of_page(c, number);
    size_t first = (size_t)number * OURO_PAGE_GRAINS;
    size_t end = page->lead + (size_t)page->capacity * page->slot_size;
    for (size_t at = page->lead; at < end; at += page->slot_size) {
        size_t i = at >> OURO_GRAIN_SHIFT;
        body(c, &words[i], first + i);
    }
}

/* Call `body` for the side word of each slot that may be a candidate's. */
static inline __attribute__((always_inline)) void
each_word_in_page(struct collection *c, uint32_t number, word_body body)
{
    side_word *words = words_of_page(c, number);
    size_t first = (size_t)number * OURO_PAGE_GRAINS;
    if (c->scan[number] == OURO_SCAN_ALL && has_few_slots(c, number)) {
        each_word_of_few(c, number, body);
        return;
    }
    if (c->scan[number] == OURO_SCAN_ALL) {
        for (size_t i = 0; i < OURO_PAGE_GRAINS; i++) {
            body(c, &words[i], first + i);
        }
        return;
    }
    for (uint32_t nonzero = c->words[number]; nonzero != 0; nonzero &= nonzero - 1) {
        size_t i = (size_t)__builtin_ctz(nonzero);
        for (uint64_t bits = c->bits[first / 64 + i]; bits != 0; bits &= bits - 1) {
            size_t at = i * 64 + (size_t)__builtin_ctzll(bits);
            body(c, &words[at], first + at);
        }
    }
}

static inline __attribute__((always_inline)) void
each_word(struct collection *c, word_body body)
{
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        each_word_in_page(c, n, body);
    }
}

/* At most this many suspects are few. */
static uint32_t
suspects_max(const struct collection *c)
{
    size_t most = (size_t)c->candidates / 16 + 64;
    return most < SUSPECTS_MAX ? (uint32_t)most : SUSPECTS_MAX;
}

static void
add_suspect(struct collection *c, side_word *word, size_t slot)
{
    *word |= SUSPECT;
    c->queue.entries[c->queue.tail++] = (uint32_t)slot;
    c->queue.overflow = c->queue.tail > suspects_max(c);
}

OURO_BODY
suspect_body(struct collection *c, side_word *word, size_t slot)
{
    if (is_unsupported(*word)) {
        add_suspect(c, word, slot);
    }
}

/* The number of unsupported objects in the page. If looking at each is as fast as counting
 * them, just 1. */
static uint32_t
unsupported_in_page(const struct collection *c, uint32_t number)
{
    bool is_short = c->scan[number] == OURO_SCAN_BITS || has_few_slots(c, number);
    return is_short ? 1 : count_unsupported(words_of_page(c, number));
}

/* Fill the queue with the unsupported objects; overflow when there are too many. */
static void
gather_suspects(struct collection *c)
{
    c->queue.head = c->queue.tail = 0;
    c->queue.overflow = false;
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages && !c->queue.overflow;
         n = ouro_next_page(c, n + 1)) {
        uint32_t more = unsupported_in_page(c, n);
        c->queue.overflow = c->queue.tail + more > suspects_max(c);
        if (more != 0 && !c->queue.overflow) {
            each_word_in_page(c, n, suspect_body);
        }
    }
}

OURO_BODY
forget_body(struct collection *c, side_word *word, size_t slot)
{
    (void)c;
    (void)slot;
    *word &= ORDER_MASK;
}

/* No reference leads into an unused page or into the middle of a run. */
static void
forget_counts_in_page(struct collection *c, uint32_t number)
{
    uint8_t state = c->heap->pages[number].state;
    if (state != OURO_PAGE_SLOTS && state != OURO_PAGE_LARGE) {
        return;
    }
    if (has_few_slots(c, number)) {
        each_word_of_few(c, number, forget_body);
        return;
    }
    side_word *words = words_of_page(c, number);
    for (size_t i = 0; i < OURO_PAGE_GRAINS; i++) {
        words[i] &= ORDER_MASK;
    }
}

/* collection.inv.keys. Unfiltered walks may have touched any page. */
static void
forget_counts(struct collection *c)
{
    if (c->filtered) {
        each_word(c, forget_body);
    } else {
        for (uint32_t n = 1; n < c->pages; n++) {
            forget_counts_in_page(c, n);
        }
    }
    c->keys[0] = 0;
}

/* --- few suspects -------------------------------------------------------------------------------- */

/* A candidate loses one support. Without any left it becomes a suspect, too. A saturated number
 * is not exact any more, so it counts as none left. */
OURO_VISITOR
withdraw_support(PyObject *op, void *arg)
{
    struct collection *c = arg;
    size_t slot = ouro_candidate_offset(c, op, true) >> OURO_GRAIN_SHIFT;
    side_word *word = &c->keys[slot];
    bool settled = (*word & (MEMBER | SUSPECT)) != MEMBER || (*word & COUNT_MASK) != 0;
    if (settled || c->number.key >= key_of(*word, slot)) {
        return 0;
    }
    bool unknown = (*word & SUPPORT_MASK) == SUPPORT_MASK;
    if (!unknown) {
        *word = (side_word)(*word - SUPPORT_ONE);
    }
    if ((unknown || (*word & SUPPORT_MASK) == 0) && !c->queue.overflow) {
        add_suspect(c, word, slot);
    }
    return 0;
}

/* Add the objects that lose their support with the suspects; false when there are too many. */
static bool
close_suspects(struct collection *c)
{
    for (c->queue.head = 0; c->queue.head < c->queue.tail && !c->queue.overflow;
         c->queue.head++) {
        size_t slot = c->queue.entries[c->queue.head];
        PyObject *op = object_at(c, slot);
        c->number.key = key_of(c->keys[slot], slot);
        ouro_call_edges(op, withdraw_support, c);
    }
    return !c->queue.overflow;
}

OURO_VISITOR
forget_reference_of_suspect(PyObject *op, void *arg)
{
    struct collection *c = arg;
    size_t slot = ouro_candidate_offset(c, op, true) >> OURO_GRAIN_SHIFT;
    side_word *word = &c->keys[slot];
    *word = (side_word)(*word - ((*word & SUSPECT) != 0 ? ONE : 0));
    return 0;
}

OURO_VISITOR
reach_suspect(PyObject *op, void *arg)
{
    struct collection *c = arg;
    size_t slot = ouro_candidate_offset(c, op, true) >> OURO_GRAIN_SHIFT;
    side_word *word = &c->keys[slot];
    if ((*word & SUSPECT) != 0 && (*word & COUNT_MASK) == 0) {
        uint32_t order = order_of_child(c->number.order, slot, c->cursor);
        uint32_t *max = &memory_of(c)->order_max;
        *max = order > *max && order <= ORDER_MAX ? order : *max;
        *word = (side_word)(ONE | word_with_order(order) | MEMBER | SUSPECT);
        c->queue.entries[c->queue.tail++] = (uint32_t)slot;
    }
    return 0;
}

/* Count and mark the suspects among themselves. queue[0..suspects) holds them; those found
 * reachable are queued behind them. New numbers are larger than all old ones, until numbers run
 * out; after that the same few objects are suspects again next time. */
static void
settle_suspects(struct collection *c)
{
    side_word *words = c->keys;
    uint32_t suspects = c->queue.tail;
    for (uint32_t i = 0; i < suspects; i++) {
        size_t slot = c->queue.entries[i];
        words[slot] =
            (side_word)((words[slot] & (ONE - 1)) |
                        (side_word)(object_at(c, slot)->ob_refcnt << COUNT_SHIFT));
    }
    for (uint32_t i = 0; i < suspects; i++) {
        PyObject *op = object_at(c, c->queue.entries[i]);
        ouro_call_edges(op, forget_reference_of_suspect, c);
    }
    uint32_t order_max = memory_of(c)->order_max;
    uint32_t first_order = order_max < ORDER_MAX ? order_max + 1 : ORDER_MAX;
    for (uint32_t i = 0; i < suspects; i++) {
        side_word *word = &words[c->queue.entries[i]];
        if ((*word & COUNT_MASK) != 0) {
            *word = (side_word)(ONE | word_with_order(first_order) | MEMBER | SUSPECT);
            c->queue.entries[c->queue.tail++] = c->queue.entries[i];
            memory_of(c)->order_max = first_order;
        }
    }
    for (uint32_t i = suspects; i < c->queue.tail; i++) {
        size_t slot = c->queue.entries[i];
        PyObject *op = object_at(c, slot);
        c->cursor = slot;
        c->number.order = order_of(words[slot]);
        ouro_call_edges(op, reach_suspect, c);
    }
    for (uint32_t i = 0; i < suspects; i++) {
        if ((words[c->queue.entries[i]] & COUNT_MASK) == 0) {
            note_suspect(c, c->queue.entries[i]);
        }
    }
}

/* --- many suspects: mark everything, renumber ------------------------------------------------------ */

static inline __attribute__((always_inline)) int
reach_and_number(struct collection *c, PyObject *op, bool filtered)
{
    size_t offset = ouro_candidate_offset(c, op, filtered);
    size_t slot = offset >> OURO_GRAIN_SHIFT;
    side_word word = c->keys[slot];
    bool is_new = (word & (COUNT_MASK | MEMBER)) == MEMBER;
    c->keys[slot] = is_new ? c->number.reached[slot < c->cursor] : word;
    if (is_new & (offset < c->horizon)) {
        ouro_queue_push(&c->queue, (uint32_t)(offset >> 4));
    }
    return 0;
}

OURO_VISITOR
number_any(PyObject *op, void *arg)
{
    return reach_and_number(arg, op, false);
}

OURO_VISITOR
number_filtered(PyObject *op, void *arg)
{
    return reach_and_number(arg, op, true);
}

static inline __attribute__((always_inline)) void
number_targets_of(struct collection *c, PyObject *op, side_word word, visitproc visit)
{
    uint32_t order = order_of(word);
    uint32_t *max = &memory_of(c)->order_max;
    if (OURO_UNLIKELY(order > *max)) {
        *max = order;
    }
    c->cursor = (size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT;
    for (int behind = 0; behind < 2; behind++) {
        uint32_t child = order + ((order & 1) != (uint32_t)behind);
        c->number.reached[behind] = ONE | word_with_order(child) | MEMBER;
    }
    ouro_call_edges(op, visit, c);
}

static inline __attribute__((always_inline)) void
number_one(struct collection *c, PyObject *op, visitproc visit)
{
    size_t offset = (size_t)((char *)op - c->base);
    side_word word = c->keys[offset >> OURO_GRAIN_SHIFT];
    if ((word & MEMBER) != 0 && (word & COUNT_MASK) != 0) {
        ouro_prefetch_targets(c, op, (const char *)c->keys, 1);
        c->horizon = offset;
        number_targets_of(c, op, word, visit);
    }
}

OURO_BODY
number_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    number_one(c, op, number_any);
}

OURO_BODY
number_body_filtered(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    number_one(c, op, number_filtered);
}

static bool
counts_are_zero(const struct collection *c, uint32_t number)
{
    const side_word *words = words_of_page(c, number);
    side_word any = 0;
    if (c->scan[number] != OURO_SCAN_ALL || has_few_slots(c, number)) {
        return false; /* looking at the slots is as fast */
    }
    for (size_t i = 0; i < OURO_PAGE_GRAINS; i++) {
        any |= words[i];
    }
    return (any & COUNT_MASK) == 0;
}

static inline __attribute__((always_inline)) void
number_queued(struct collection *c, visitproc visit)
{
    while (!ouro_queue_is_empty(&c->queue)) {
        ouro_prefetch_queue(c, (const char *)c->keys, 1);
        size_t offset = (size_t)ouro_queue_pop(&c->queue) << 4;
        side_word word = c->keys[offset >> OURO_GRAIN_SHIFT];
        number_targets_of(c, (PyObject *)(c->base + offset), word, visit);
    }
}

static void
number_queued_any(struct collection *c)
{
    number_queued(c, number_any);
}

static void
number_queued_filtered(struct collection *c)
{
    number_queued(c, number_filtered);
}

/* Order numbers restart at 0 at each member that something outside holds. An unreached member
 * keeps its number: when it dies, the next object in its slot is likely to be linked the same
 * way. */
OURO_BODY
restart_body(struct collection *c, side_word *word, size_t slot)
{
    (void)c;
    (void)slot;
    side_word member = *word & (MEMBER | ORDER_MASK);
    side_word held = (*word & COUNT_MASK) != 0 ? ONE | MEMBER : member;
    *word = (*word & MEMBER) != 0 ? held : member;
}

OURO_BODY
left_over_body(struct collection *c, side_word *word, size_t slot)
{
    if (is_unsupported(*word)) {
        note_suspect(c, slot);
    }
}

static void
renumber(struct collection *c)
{
    each_word(c, restart_body);
    memory_of(c)->order_max = 0;
    if (c->filtered) {
        ouro_sweep(c, counts_are_zero, number_body_filtered, number_queued_filtered);
    } else {
        ouro_sweep(c, counts_are_zero, number_body, number_queued_any);
    }
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        if (unsupported_in_page(c, n) != 0) {
            each_word_in_page(c, n, left_over_body);
        }
    }
}

/* --- entry ----------------------------------------------------------------------------------------- */

/* From the third failure in a row on, each failure doubles the number of collections without a
 * proof. */
static void
note_failure(struct certificate *memory)
{
    memory->rest = memory->failures < 2 ? 0 : 1 << (memory->failures - 2);
    memory->failures += memory->rest < OURO_PROOF_REST_MAX;
}

static void
certify(struct collection *c)
{
    guess_orders(c);
    if (c->filtered) {
        ouro_each_slot(c, certify_body_filtered);
    } else {
        ouro_each_slot(c, certify_body);
    }
}

/* The references from outside are counted already. Continue as if the proof had failed. */
OURO_BODY
load_word_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_candidate(c, op)) {
        size_t slot = (size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT;
        uint32_t count = c->counters[slot] & OURO_COUNTER_RESIDUE;
        c->keys[slot] |= (side_word)(count << COUNT_SHIFT | MEMBER);
        ouro_object_promote(op, OURO_OLD);
    }
}

/* Was almost nothing garbage? */
static bool
heap_is_steady(const struct collection *c)
{
    return c->unreachable <= c->candidates / OURO_STEADY_SHARE;
}

/* Numbering pays if the next full collections find no garbage. If this one found some, the next
 * ones probably will, too. So numbering waits for a collection that finds almost none. */
void
ouro_certificate_learn(const struct collection *c, bool is_proved)
{
    if (c->generation == OURO_OLD && (is_proved || !heap_is_steady(c))) {
        memory_of(c)->failures = 0;
    }
}

/* Numbers are for heaps that are mostly alive. If garbage did not prevent the proof by
 * addresses, addresses will not prove the next collection either. */
static void
number_all(struct collection *c)
{
    struct certificate *memory = memory_of(c);
    renumber(c);
    note_failure(memory);
    memory->order_max += memory->order_max == 0 && c->unreachable == 0;
    memory->is_numbered = heap_is_steady(c);
}

static void
finish(struct collection *c)
{
    forget_counts(c);
    c->reachable = c->candidates - c->unreachable;
}

bool
ouro_certificate_applies(struct collection *c)
{
    struct certificate *memory = memory_of(c);
    if (c->generation != OURO_OLD) {
        return false;
    }
    memory->is_resting = memory->rest > 0;
    memory->rest -= memory->is_resting;
    return !memory->is_resting && memory->is_numbered;
}

void
ouro_detect_by_certificate(struct collection *c)
{
    struct certificate *memory = memory_of(c);
    certify(c);
    gather_suspects(c);
    if (c->queue.tail == 0 && !c->queue.overflow) {
        memory->failures = 0;
        memory->is_numbered = memory->order_max > 0;
    } else if (close_suspects(c)) {
        settle_suspects(c);
        memory->failures = 0;
    } else {
        number_all(c);
        ouro_certificate_learn(c, false);
    }
    finish(c);
}

/* Numbering takes 1.5 times as long as marking: it pays from the third collection on. */
bool
ouro_number_reachable(struct collection *c)
{
    struct certificate *memory = memory_of(c);
    if (c->generation != OURO_OLD || memory->is_resting) {
        return false;
    }
    if (memory->failures == 0) {
        note_failure(memory);
        return false;
    }
    ouro_heap_populate_words(c->heap);
    ouro_each_slot(c, load_word_body);
    ouro_reset_counters(c);
    number_all(c);
    finish(c);
    return true;
}
