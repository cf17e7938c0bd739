/* SPDX-License-Identifier: MIT */
/* Prove a huge component in slices, where the kernel can tell which pages were written.
 *
 *   watch    arm the pages of all members
 *   tally    count the references between members; of each keep a *print*, which stands for
 *            its reference count and its references, in order
 *   compare  is every count explained?
 *   review   take the prints of members on written pages again. When few pages are written
 *            between two rounds, do the last one in one piece
 *
 * After the last round the count and the references of every member are, at one moment, what
 * they were when they were tallied: on a page that was not written nothing changed, and the
 * others were looked at. So at that moment the counts are explained, as confirm.c wants it.
 *
 * The watch sees the memory of the heap only, and a type may keep references elsewhere, as a
 * list does. A member whose block does not account for all that it visits is *loose*, and
 * looked at again in the last round in any case.
 *
 * When anything is different, or the kernel refuses, the proof is made in one piece. */
#include "cycle.h"

#define ROUNDS        8   /* of review, at most, the last included */
#define ROUND_PAGES   8   /* written pages to look at between two looks at the clock */
#define EXPLAINED_MAX 256 /* bytes of an object: of more, some are sure to look odd */
#define ARM_BYTES     ((uintptr_t)64 << 10)
#define ARM_WORK      128 /* arming so much costs about as much as this many objects */
#define DROP_BYTES    ((uintptr_t)256 << 10)

/* --- where a member is ----------------------------------------------------------------------- */

static struct ouro_span
span_of_block(const struct cycle *cy, const PyObject *op)
{
    const struct page *page = ouro_heap_page_of(cy->c.heap, op);
    uintptr_t unit = ouro_platform_page_size() - 1;
    uintptr_t start = (uintptr_t)op - page->front;
    uintptr_t end = (uintptr_t)op + ouro_heap_block_size(cy->c.heap, op);
    return (struct ouro_span){start & ~unit, (end + unit) & ~unit};
}

/* The first member at or behind an address; they are in address order. */
static uint32_t
member_from(const struct cycle *cy, uintptr_t address)
{
    uint32_t low = cy->first, high = cy->last;
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

/* --- prints ---------------------------------------------------------------------------------- */

/* References seen in one call of tp_traverse. */
struct print {
    struct cycle *cy;
    uint64_t sum;
    bool counts; /* tally them, too */
    uint32_t seen;
    const PyObject *first[16];
};

static inline uint64_t
stir(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * 0xff51afd7ed558ccdu;
    return sum ^ sum >> 29;
}

static int
print_reference(PyObject *op, void *arg)
{
    struct print *print = arg;
    print->sum = stir(print->sum, (uintptr_t)op);
    if (print->counts) {
        if (print->seen < Py_ARRAY_LENGTH(print->first)) {
            print->first[print->seen] = op;
        }
        print->seen++;
        (void)ouro_confirm_count(op, print->cy);
    }
    return 0;
}

static uint64_t
print_of(struct cycle *cy, PyObject *op, struct print *print, bool counts)
{
    print->cy = cy;
    print->counts = counts;
    print->seen = 0;
    print->sum = stir(stir(cy->watch.key, op->ob_refcnt), (uintptr_t)Py_TYPE(op));
    ouro_call_traverse(op, print_reference, print);
    return print->sum;
}

/* Take `word` out of what was visited; false when it is not there. */
static bool
explain_word(struct print *print, uintptr_t word)
{
    for (uint32_t i = 0; i < print->seen; i++) {
        if ((uintptr_t)print->first[i] == word) {
            print->first[i] = print->first[--print->seen];
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

/* Bytes from the header on, as the type declares them, but no more than the block has. */
static size_t
size_of_object(const struct cycle *cy, const PyObject *op)
{
    const PyTypeObject *type = Py_TYPE(op);
    size_t most = ouro_heap_block_size(cy->c.heap, op);
    size_t size = (size_t)type->tp_basicsize;
    if (type->tp_itemsize != 0) {
        Py_ssize_t items = Py_SIZE(op);
        size += (size_t)(items < 0 ? -items : items) * (size_t)type->tp_itemsize;
    }
    return (size < most ? size : most) & ~(sizeof(void *) - 1);
}

/* Does the block account for every reference, and the references for every address in the
 * block? Then there is no other place that they could come from. */
static bool
keeps_references_inside(const struct cycle *cy, const PyObject *op, struct print *print)
{
    const struct page *page = ouro_heap_page_of(cy->c.heap, op);
    const PyTypeObject *type = Py_TYPE(op);
    size_t size = size_of_object(cy, op);
    if (print->seen > Py_ARRAY_LENGTH(print->first) || size > EXPLAINED_MAX) {
        return type == &PyTuple_Type;
    }
    const char *end = (const char *)op + size;
    (void)explain_word(print, (uintptr_t)type);
    for (const char *at = (const char *)op - page->front; at < end;
         at += sizeof(void *)) {
        uintptr_t word;
        bool is_header = at >= (const char *)op && at < (const char *)(op + 1);
        memcpy(&word, at, sizeof word);
        if (!is_header && may_be_address(word) && !explain_word(print, word)) {
            return false;
        }
    }
    return print->seen == 0;
}

/* --- watch ----------------------------------------------------------------------------------- */

/* Whole pages of the heap: some members may be gone. */
static struct ouro_span
range_of_members(const struct cycle *cy)
{
    uint32_t first = cy->order[cy->first] / OURO_PAGE_GRAINS;
    uint32_t last = cy->order[cy->last - 1] / OURO_PAGE_GRAINS;
    uint32_t run = ouro_page_run(&cy->c.heap->pages[last]);
    return (struct ouro_span){
        .start = (uintptr_t)cy->c.base + ((uintptr_t)first << OURO_PAGE_SHIFT),
        .end = (uintptr_t)cy->c.base + ((uintptr_t)(last + run) << OURO_PAGE_SHIFT),
    };
}

bool
ouro_watch_begin(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    struct heap *heap = cy->c.heap;
    if (watch->prints == NULL) {
        watch->prints = ouro_cycle_table(cy, cy->proposals, sizeof *watch->prints);
    }
    watch->range = range_of_members(cy);
    if (watch->prints == NULL ||
        !ouro_platform_watch_begin(&watch->handles, watch->range)) {
        return false;
    }
    watch->key = (uintptr_t)cy + (uint64_t)(ouro_platform_clock() * 1e9);
    watch->kinds = (struct collection){.interp = cy->c.interp};
    watch->discards = heap->discards;
    watch->pending = watch->rest = (struct ouro_span){0, 0};
    watch->kept = cy->at = cy->first;
    watch->rounds = watch->loose = 0;
    watch->is_settled = false;
    cy->proof++;
    cy->phase = CYCLE_WATCH;
    return true;
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
    uintptr_t start = watch->range.start, end = span_of_block(cy, op).end;
    if (watch->handles.faults < 0 || end <= start) {
        return;
    }
    end = end - start < DROP_BYTES ? start + DROP_BYTES : end;
    end = end < watch->range.end ? end : watch->range.end;
    ouro_platform_watch_drop(&watch->handles, (struct ouro_span){start, end});
    watch->range.start = end;
    (void)ouro_slice_is_over(cy, 4 * ARM_WORK);
}

/* The proof is made in one piece after all. */
static bool
give_up(struct cycle *cy)
{
    ouro_watch_end(cy);
    ouro_confirm_at_once(cy);
    return false;
}

static bool
arm_pending(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    struct ouro_span span = watch->pending;
    watch->pending = (struct ouro_span){0, 0};
    return span.start == span.end || ouro_platform_watch_arm(&watch->handles, span);
}

/* Pages in a row are armed together. */
static bool
arm_block(struct cycle *cy, const PyObject *op)
{
    struct cycle_watch *watch = &cy->watch;
    struct ouro_span span = span_of_block(cy, op);
    bool is_next = span.start <= watch->pending.end;
    if (is_next && span.end - watch->pending.start <= ARM_BYTES) {
        watch->pending.end =
            span.end > watch->pending.end ? span.end : watch->pending.end;
        return true;
    }
    bool is_armed = arm_pending(cy);
    watch->pending = span;
    return is_armed;
}

/* As admit_members() of confirm.c, in slices; those who died are left out at once. */
bool
ouro_cycle_watch(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    while (cy->at < cy->last) {
        size_t slot = cy->order[cy->at++];
        uint32_t position = ouro_cycle_position(cy, slot);
        PyObject *op = ouro_cycle_object(cy, slot);
        cy->exact[position] = op != NULL ? 0 : CYCLE_EVICTED;
        cy->parent[position] = op != NULL ? cy->proof : 0;
        if (op != NULL) {
            cy->order[watch->kept++] = (uint32_t)slot;
            uintptr_t before = watch->pending.start;
            if (!arm_block(cy, op)) {
                return give_up(cy);
            }
            bool has_armed = before != watch->pending.start;
            if (ouro_slice_is_over(cy, has_armed ? ARM_WORK : 1)) {
                return false;
            }
        }
    }
    if (!arm_pending(cy)) {
        return give_up(cy);
    }
    cy->last = watch->kept;
    return true;
}

/* --- tally and compare ----------------------------------------------------------------------- */

/* What is at order[at] if it is still the member that was admitted. */
static PyObject *
watched_member(const struct cycle *cy, uint32_t at)
{
    return ouro_cycle_object(cy, cy->order[at]);
}

bool
ouro_cycle_tally(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    while (cy->at < cy->last) {
        PyObject *op = watched_member(cy, cy->at);
        struct print print;
        if (op == NULL) {
            return give_up(cy);
        }
        watch->prints[cy->at - cy->first] = print_of(cy, op, &print, true);
        ouro_note_kind(&watch->kinds, op);
        if (!keeps_references_inside(cy, op, &print)) {
            if (watch->loose == OURO_QUEUE_LENGTH) {
                return give_up(cy);
            }
            cy->c.queue[watch->loose++] = cy->at;
        }
        cy->at++;
        if (ouro_slice_is_over(cy, 2)) {
            return cy->at == cy->last;
        }
    }
    return true;
}

bool
ouro_cycle_compare(struct cycle *cy)
{
    while (cy->at < cy->last) {
        PyObject *op = watched_member(cy, cy->at);
        uint32_t position = ouro_cycle_position(cy, cy->order[cy->at++]);
        if (op == NULL || cy->exact[position] != op->ob_refcnt) {
            return give_up(cy);
        }
        if (ouro_slice_is_over(cy, 1)) {
            return cy->at == cy->last;
        }
    }
    return true;
}

/* --- review ---------------------------------------------------------------------------------- */

static bool
is_as_tallied(struct cycle *cy, uint32_t at)
{
    PyObject *op = watched_member(cy, at);
    struct print print;
    if (op == NULL ||
        print_of(cy, op, &print, false) != cy->watch.prints[at - cy->first]) {
        return false;
    }
    ouro_note_kind(&cy->watch.kinds, op); /* it may have a weak reference now */
    return true;
}

/* Look at the members whose block has a part in the span; arm it first unless this is the
 * last round, so that what is written from here on is seen in the next. */
static bool
review_span(struct cycle *cy, struct ouro_span span, bool is_last)
{
    struct cycle_watch *watch = &cy->watch;
    uint32_t at = member_from(cy, span.start);
    if (at > cy->first) { /* the block before may reach into the span */
        const PyObject *before = ouro_heap_block_of_slot(cy->c.heap, cy->order[at - 1]);
        at -= span_of_block(cy, before).end > span.start;
    }
    uintptr_t end = span.end - (uintptr_t)cy->c.base;
    bool has_members =
        at < cy->last && (uintptr_t)cy->order[at] << OURO_GRAIN_SHIFT < end;
    if (!has_members) {
        return true;
    }
    if (!is_last && !ouro_platform_watch_arm(&watch->handles, span)) {
        return false;
    }
    for (; at < cy->last && (uintptr_t)cy->order[at] << OURO_GRAIN_SHIFT < end; at++) {
        watch->reviewed++;
        if (!is_as_tallied(cy, at)) {
            return false;
        }
    }
    return true;
}

/* A round: 1 when it is done, 0 when the slice is over, -1 when something is different. */
static int
review_round(struct cycle *cy, bool is_last)
{
    struct cycle_watch *watch = &cy->watch;
    struct ouro_span spans[OURO_WATCH_SPANS];
    while (watch->rest.start < watch->rest.end) {
        int count = ouro_platform_watch_read(&watch->handles, &watch->rest,
                                             is_last ? 0 : ROUND_PAGES, spans);
        uint32_t before = watch->reviewed;
        for (int i = 0; i < count; i++) {
            if (!review_span(cy, spans[i], is_last)) {
                return -1;
            }
        }
        if (count < 0) {
            return -1;
        }
        bool is_over = ouro_slice_is_over(cy, 2 * (watch->reviewed - before) + ARM_WORK);
        if (!is_last && is_over && watch->rest.start < watch->rest.end) {
            return 0;
        }
    }
    return 1;
}

/* One piece: what was written since the last round, and those the watch does not see. */
static bool
review_for_good(struct cycle *cy)
{
    struct cycle_watch *watch = &cy->watch;
    struct cycle_stats *stats = &cy->c.interp->gc.cycle_stats;
    if (review_round(cy, true) < 0 || watch->discards != cy->c.heap->discards) {
        return false;
    }
    for (uint32_t i = 0; i < watch->loose; i++) {
        if (!is_as_tallied(cy, cy->c.queue[i])) {
            return false;
        }
    }
    Py_ssize_t looked_at = (Py_ssize_t)watch->reviewed + watch->loose;
    stats->largest_proof =
        looked_at > stats->largest_proof ? looked_at : stats->largest_proof;
    return true;
}

bool
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
            return false;
        }
        watch->rounds++;
        watch->is_settled = watch->reviewed <= cy->c.interp->gc.cycle_batch ||
                            watch->rounds == ROUNDS - 1;
        if (cy->is_over) {
            return false;
        }
    }
    watch->rest = watch->range;
    watch->reviewed = 0;
    if (!review_for_good(cy)) {
        return give_up(cy);
    }
    cy->c.interp->gc.cycle_stats.proofs++;
    cy->c.interp->gc.cycle_stats.watched_proofs++;
    ouro_confirm_destroy(cy, &watch->kinds);
    return false;
}
