/* SPDX-License-Identifier: MIT */
/* The range and its pages: reserving, committing, handing pages out, taking them back.
 *
 * Everything but the range itself is proportional to what is in use: tables are reserved
 * for the whole range at once, and committed with the pages they describe. Large blocks
 * are in large.c, checks in verify.c. */
#include "heap.h"

#include <string.h>

#include "../platform/platform.h"
#include "listeners.h"

#define COMMIT_STEP_MIN 32   /* pages: 2 MiB */
#define COMMIT_STEP_MAX 1024 /* pages: 64 MiB */
#define READY_PAGES     8    /* pages whose words have memory from the start: 32 KiB */
#define HUGE_FROM       512  /* pages: heaps beyond 32 MiB ask for huge OS pages */

/* A page that never has room. It stands for the current page of a class that has none. */
static PyObject no_block;
static struct page no_page = {.free = &no_block, .left = 1, .notify = OURO_NOTIFY_NEVER};

/* --- the range ------------------------------------------------------------------------ */

/* The side tables, in the order in which they follow the range. */
struct table {
    void *field;           /* where in struct heap its address goes */
    size_t bytes_per_page; /* in bits */
};

#define TABLE_COUNT (5 + 3 * OURO_BLOCK_SETS)

static void
list_tables(struct heap *heap, struct table *tables)
{
    size_t bits = OURO_PAGE_GRAINS; /* one bit per slot */
    struct table fixed[] = {
        {&heap->pages, 8 * sizeof(struct page)},
        {&heap->room.unused, 1},
        {&heap->room.open, 1},
        {&heap->slots.bytes, 8 * OURO_PAGE_GRAINS},
        {&heap->slots.words, 16 * OURO_PAGE_GRAINS},
    };
    memcpy(tables, fixed, sizeof fixed);
    tables += sizeof fixed / sizeof fixed[0];
    for (int set = 0; set < OURO_BLOCK_SETS; set++) {
        *tables++ = (struct table){&heap->sets.scan[set], 8};
        *tables++ = (struct table){&heap->sets.bits[set], bits};
        *tables++ = (struct table){&heap->sets.words[set], 8 * sizeof(uint32_t)};
    }
}

static size_t
table_bytes(const struct table *table, size_t pages)
{
    size_t unit = ouro_platform_page_size();
    return (table->bytes_per_page * pages / 8 + unit) & ~(unit - 1);
}

static size_t
reservation_for(struct heap *heap, size_t size)
{
    struct table tables[TABLE_COUNT];
    list_tables(heap, tables);
    size_t total = size + OURO_QUEUE_LENGTH * sizeof *heap->slots.queue;
    for (int i = 0; i < TABLE_COUNT; i++) {
        total += table_bytes(&tables[i], size >> OURO_PAGE_SHIFT);
    }
    return total;
}

static bool
reserve_range(struct heap *heap, size_t wanted)
{
    size_t left = ouro_platform_address_space_left();
    size_t most = left == SIZE_MAX ? SIZE_MAX : left / 2;
    size_t size = wanted < OURO_HEAP_RANGE_MAX ? wanted : OURO_HEAP_RANGE_MAX;
    size &= ~(OURO_PAGE_SIZE - 1);
    for (; size >= OURO_HEAP_RANGE_MIN; size = (size / 2) & ~(OURO_PAGE_SIZE - 1)) {
        size_t total = reservation_for(heap, size);
        if (total > most) {
            continue;
        }
        heap->reservation = ouro_platform_reserve(total, (size_t)2 << 20);
        if (heap->reservation != NULL) {
            heap->reservation_size = total;
            heap->size = size;
            return true;
        }
    }
    return false;
}

static void
place_tables(struct heap *heap)
{
    struct table tables[TABLE_COUNT];
    list_tables(heap, tables);
    char *at = heap->base + heap->size;
    for (int i = 0; i < TABLE_COUNT; i++) {
        memcpy(tables[i].field, &at, sizeof at);
        at += table_bytes(&tables[i], heap->page_count);
    }
    heap->birth_scan = heap->sets.scan[OURO_BIRTH_SET];
    heap->slots.queue = (uint32_t *)at;
}

void
ouro_heap_set_current(struct heap *heap, unsigned size_class, struct page *page)
{
    bool is_fresh = page != NULL && page->birth == _Py_GC_BIRTH;
    heap->current[size_class] = page != NULL ? page : &no_page;
    heap->fresh[size_class] = is_fresh ? page : &no_page;
}

void
ouro_heap_note_birth(struct heap *heap, struct page *page)
{
    if (heap->current[page->size_class] == page) {
        ouro_heap_set_current(heap, page->size_class, page);
    }
}

void
ouro_heap_init_empty(struct heap *heap)
{
    memset(heap, 0, sizeof *heap);
    for (unsigned c = 0; c < OURO_ALL_CLASSES; c++) {
        ouro_heap_set_current(heap, c, NULL);
        heap->available[c] = OURO_NO_PAGE;
    }
    heap->limit = SIZE_MAX;
    heap->alarm = INT64_MAX;
    heap->page_alarm = UINT32_MAX;
}

/* Make the pages below `count` usable, for a block that is larger than a page or not; false
 * when the system refuses. */
static bool
commit_pages(struct heap *heap, uint32_t count, bool is_long)
{
    struct table tables[TABLE_COUNT];
    uint32_t from = heap->committed;
    list_tables(heap, tables);
    for (int i = 0; i < TABLE_COUNT; i++) {
        char *start;
        memcpy(&start, tables[i].field, sizeof start);
        size_t low = tables[i].bytes_per_page * from / 8;
        size_t high = (tables[i].bytes_per_page * count + 7) / 8;
        if (!ouro_platform_commit(start + low, high - low)) {
            return false;
        }
    }
    char *memory = heap->base + ((size_t)from << OURO_PAGE_SHIFT);
    size_t bytes = (size_t)(count - from) << OURO_PAGE_SHIFT;
    if (!ouro_platform_commit(memory, bytes)) {
        return false;
    }
    if (from >= HUGE_FROM && !is_long && !heap->small_faults) {
        ouro_platform_prefer_huge(memory, bytes);
    }
    ouro_sanitize_range(memory, bytes, true);
    heap->committed = count;
    return true;
}

/* Commit at least `needed` pages, which the range has, and more ahead if the system grants
 * them. */
static bool
grow_committed(struct heap *heap, uint32_t needed, bool is_long)
{
    if (needed <= heap->committed) {
        return true;
    }
    uint32_t step = heap->committed / 4;
    step = step < COMMIT_STEP_MIN ? COMMIT_STEP_MIN : step;
    step = step > COMMIT_STEP_MAX ? COMMIT_STEP_MAX : step;
    uint32_t ahead = (needed + step - 1) & ~(uint32_t)(COMMIT_STEP_MIN - 1);
    ahead = ahead > heap->page_count ? heap->page_count : ahead;
    return commit_pages(heap, ahead, is_long) || commit_pages(heap, needed, is_long);
}

static void
populate_words_of(struct heap *heap, uint32_t from, uint32_t to)
{
    size_t bytes_per_page = OURO_PAGE_GRAINS * sizeof *heap->slots.words;
    ouro_platform_populate(heap->slots.words + (size_t)from * OURO_PAGE_GRAINS,
                           (to - from) * bytes_per_page);
}

/* In a small heap a collection takes less time than the page faults of its tables would. */
static void
populate_first_tables(struct heap *heap)
{
    populate_words_of(heap, 0, READY_PAGES);
    ouro_platform_populate(heap->slots.bytes, READY_PAGES * OURO_PAGE_GRAINS);
    ouro_platform_populate(heap->slots.queue, ouro_platform_page_size());
}

bool
ouro_heap_init(struct heap *heap, size_t wanted)
{
    ouro_heap_init_empty(heap);
    if (!reserve_range(heap, wanted)) {
        return false;
    }
    heap->base = heap->reservation;
    bool has_canaries = ouro_platform_getenv_size("OURO_HEAP_CANARIES", 0) > 0;
    heap->bare = has_canaries ? 0 : heap->size;
    bool has_guards = ouro_platform_getenv_size("OURO_HEAP_GUARDS", 0) > 0;
    heap->guard = has_guards ? ouro_platform_page_size() : 0;
    heap->page_count = (uint32_t)(heap->size >> OURO_PAGE_SHIFT);
    place_tables(heap);
    if (!grow_committed(heap, COMMIT_STEP_MIN, false) ||
        !ouro_platform_commit(heap->slots.queue,
                              OURO_QUEUE_LENGTH * sizeof *heap->slots.queue)) {
        ouro_heap_destroy(heap);
        return false;
    }
    populate_first_tables(heap);
    heap->touched = 1; /* heap.inv.range: page 0 stays empty */
    heap->room.first_unused = heap->room.first_room = 1;
    return true;
}

void
ouro_heap_destroy(struct heap *heap)
{
    if (heap->reservation != NULL) {
        for (uint32_t n = 1; n < heap->touched; n++) {
            const struct page *page = &heap->pages[n];
            char *start = ouro_heap_page_start(heap, page);
            if (page->state == OURO_PAGE_SLOTS) {
                ouro_sanitize_pages(start, OURO_PAGE_SIZE, false);
            } else if (page->state == OURO_PAGE_LARGE) {
                ouro_sanitize_pages(start + ouro_page_large_start(page),
                                    ouro_page_large_bytes(page) - heap->guard, false);
            }
        }
        ouro_sanitize_range(heap->base, (size_t)heap->committed << OURO_PAGE_SHIFT,
                            false);
        ouro_platform_release(heap->reservation, heap->reservation_size);
    }
    ouro_heap_init_empty(heap);
}

void
ouro_heap_populate_words(struct heap *heap)
{
    uint32_t from = heap->slots.ready < READY_PAGES ? READY_PAGES : heap->slots.ready;
    if (from < heap->touched) {
        populate_words_of(heap, from, heap->touched);
    }
    heap->slots.ready =
        heap->touched > heap->slots.ready ? heap->touched : heap->slots.ready;
}

/* --- pages in and out of use ------------------------------------------------------------ */

bool
ouro_heap_use_pages(struct heap *heap, uint32_t first, uint32_t run, bool is_long)
{
    size_t after = ((size_t)heap->used_pages + run) << OURO_PAGE_SHIFT;
    uint32_t resident = heap->used_pages + heap->trim.resident_unused;
    if (after > heap->limit || first > heap->page_count - run ||
        !grow_committed(heap, first + run, is_long)) {
        return false;
    }
    for (uint32_t n = first; n < first + run; n++) {
        if (n < heap->touched) {
            heap->room.unused[n / 64] &= ~((uint64_t)1 << (n % 64));
            heap->trim.resident_unused -= heap->pages[n].resident;
        }
        heap->pages[n].resident = 1;
    }
    heap->touched = first + run > heap->touched ? first + run : heap->touched;
    if (first == heap->room.first_unused) {
        heap->room.first_unused = first + run;
    }
    heap->used_pages += run;
    if (heap->used_pages > heap->trim.peak_pages) {
        heap->trim.peak_pages = heap->used_pages;
        heap->trim.most_pages = heap->trim.peak_pages > heap->trim.most_pages
                                    ? heap->trim.peak_pages
                                    : heap->trim.most_pages;
    }
    if (heap->used_pages > heap->page_alarm) {
        heap->alarm = -1;
    }
    if (heap->used_pages + heap->trim.resident_unused > resident) {
        OURO_TELL(heap_grew, heap, &(Ouro_Event){0});
    }
    return true;
}

void
ouro_heap_forget_page(struct heap *heap, uint32_t number)
{
    for (int set = 0; set < OURO_BLOCK_SETS; set++) {
        ouro_scan_forget(heap, number, set);
    }
    heap->pages[number].noted = 0;
    heap->pages[number].left = 1; /* freeing any of its blocks again is noticed */
}

void
ouro_heap_open_page(struct heap *heap, uint32_t number)
{
    if (heap->pages[number].head == OURO_PAGE_UNITS) {
        return; /* the range ends with this page */
    }
    heap->room.open[number / 64] |= (uint64_t)1 << (number % 64);
    if (number < heap->room.first_room) {
        heap->room.first_room = number;
    }
}

void
ouro_heap_unuse_pages(struct heap *heap, uint32_t first, uint32_t run)
{
    for (uint32_t n = first; n < first + run; n++) {
        ouro_heap_forget_page(heap, n);
        heap->pages[n].state = OURO_PAGE_UNUSED;
        heap->room.unused[n / 64] |= (uint64_t)1 << (n % 64);
        heap->room.open[n / 64] &= ~((uint64_t)1 << (n % 64));
    }
    heap->trim.resident_unused += run;
    heap->used_pages -= run;
    if (first < heap->room.first_unused) {
        heap->room.first_unused = first;
    }
    if (first < heap->room.first_room) {
        heap->room.first_room = first;
    }
    if (heap->pages[first - 1].state == OURO_PAGE_INSIDE) {
        ouro_heap_open_page(heap, first - 1); /* what is free there goes on here */
    }
}

/* --- pages with room ---------------------------------------------------------------------- */

/* When a listed page has this few blocks left, it is scanned by bits. Otherwise one object
 * among 2,048 slots would cost a look at every slot. */
static uint16_t
sparse_mark(const struct page *page)
{
    return page->capacity >= 128 ? page->capacity / 128 : 0;
}

static void
list_page(struct heap *heap, struct page *page)
{
    uint32_t number = (uint32_t)(page - heap->pages);
    uint32_t head = heap->available[page->size_class];
    page->prev = OURO_NO_PAGE;
    page->next = head;
    if (head != OURO_NO_PAGE) {
        heap->pages[head].prev = number;
    }
    heap->available[page->size_class] = number;
    ouro_page_notify_at(page, sparse_mark(page));
}

static void
unlist_page(struct heap *heap, struct page *page)
{
    if (page->prev != OURO_NO_PAGE) {
        heap->pages[page->prev].next = page->next;
    } else {
        heap->available[page->size_class] = page->next;
    }
    if (page->next != OURO_NO_PAGE) {
        heap->pages[page->next].prev = page->prev;
    }
}

static struct page *
cut_page(struct heap *heap, unsigned size_class)
{
    uint32_t number = ouro_page_next_bit(heap->room.unused, heap->room.unused,
                                         heap->room.first_unused, heap->touched);
    if (!ouro_heap_use_pages(heap, number, 1, false)) {
        return NULL;
    }
    struct page *page = &heap->pages[number];
    bool has_lead = size_class >= OURO_CLASSES;
    page->before = ouro_heap_page_start(heap, page) - OURO_PAGE_SIZE;
    page->size_class = (uint8_t)size_class;
    page->slot_size =
        ouro_class_slot_size(has_lead ? size_class - OURO_CLASSES : size_class);
    page->capacity = (uint16_t)(OURO_PAGE_SIZE / page->slot_size);
    page->lead = page->front = has_lead ? OURO_LEAD : 0;
    page->untouched = page->lead;
    page->left = 0;
    page->notify = 0;
    page->inverse =
        (uint32_t)((((uint64_t)1 << 32) + page->slot_size - 1) / page->slot_size);
    page->state = OURO_PAGE_SLOTS;
    ouro_scan_set(heap, number, OURO_BIRTH_SET, OURO_SCAN_ALL);
    ouro_sanitize_pages(ouro_page_start(page), OURO_PAGE_SIZE, true);
    ouro_page_extend_free(
        page); /* the old contents of its memory may look like free slots */
    return page;
}

/* Does the page have a free slot, now or once it is extended? If this fires: the program
 * dropped or took a reference to a freed object, or wrote beyond the end of the object before
 * it. */
static bool
has_room(const struct heap *heap, struct page *page)
{
    const PyObject *block = page->free;
    if (_Py_IsFreeLink(_Py_FreeLink(ouro_sanitize_peek_header(block)))) {
        return true;
    }
    OURO_REQUIRE(
        ouro_page_free_slots(page) == 0,
        "the header of the '%s' object at %p was changed after it was freed (page "
        "%u of the heap, slots of %u bytes)",
        ouro_heap_dead_type_name(heap, block), (const void *)block,
        (unsigned)(page - heap->pages), page->slot_size);
    return ouro_page_extend_free(page);
}

/* The free list of the current page is empty: extend it, or make another page current.
 * False when there is none. */
static bool
refill(struct heap *heap, unsigned size_class)
{
    struct page *full = heap->current[size_class];
    struct page *page;
    if (heap->size == 0) {
        return false;
    }
    if (full != &no_page) {
        if (has_room(heap, full)) {
            return true;
        }
        ouro_page_notify_at(full, (uint16_t)(full->capacity - 1));
    }
    if (heap->available[size_class] != OURO_NO_PAGE) {
        page = &heap->pages[heap->available[size_class]];
        unlist_page(heap, page);
        ouro_page_order_free(page);
    } else {
        page = cut_page(heap, size_class);
    }
    ouro_heap_set_current(heap, size_class, page);
    if (page == NULL) {
        return false;
    }
    ouro_page_notify_at(page, OURO_NOTIFY_NEVER);
    return has_room(heap, page);
}

/* The page is neither listed nor current any more. */
static void
unuse_page(struct heap *heap, struct page *page)
{
    ouro_heap_unuse_pages(heap, (uint32_t)(page - heap->pages), 1);
    ouro_sanitize_pages(ouro_heap_page_start(heap, page), OURO_PAGE_SIZE, false);
}

static void
retire_page(struct heap *heap, struct page *page)
{
    unlist_page(heap, page);
    unuse_page(heap, page);
}

/* The page has few blocks left. A program that frees everything in order is about to free
 * these, too. So the page is examined only when the next page has reached the same point. */
static void
note_sparse(struct heap *heap, const struct page *page)
{
    struct page *before = &heap->pages[heap->sparse];
    if (before->state == OURO_PAGE_SLOTS && before->notify == 0) { /* and not empty */
        ouro_scan_thin(heap, before);
    }
    heap->sparse = (uint32_t)(page - heap->pages);
}

void
ouro_heap_notify(struct heap *heap, struct page *page)
{
    /* If this fires: an object was freed, its memory went back to the system, and now it was
     * freed again. */
    OURO_REQUIRE(
        page->state == OURO_PAGE_SLOTS || page->state == OURO_PAGE_LARGE,
        "a block of page %u of the heap is freed, but none is in use there: it was "
        "freed before",
        (unsigned)(page - heap->pages));
    if (page->state == OURO_PAGE_LARGE) {
        ouro_heap_free_large(heap, page);
    } else if (ouro_page_used(page) + 1 == page->capacity) {
        list_page(heap, page);
    } else if (page->notify != 0) {
        ouro_page_notify_at(page, 0);
        if (!heap->hold.count) {
            note_sparse(heap, page);
        }
    } else if (!heap->hold.count) {
        retire_page(heap, page);
    } else if (!page->is_emptied) {
        page->is_emptied = 1;
        page->next_emptied = heap->hold.emptied;
        heap->hold.emptied = (uint32_t)(page - heap->pages);
    }
}

void
ouro_heap_gave(struct heap *heap, struct page *page, uint32_t blocks)
{
    while (blocks > 0) {
        uint32_t some = blocks < page->left ? blocks : page->left;
        blocks -= some;
        page->left = (uint16_t)(page->left - some);
        if (page->left == 0) {
            ouro_heap_notify(heap, page);
        }
    }
}

/* Current pages that are empty count as unused too. */
static void
retire_empty_current(struct heap *heap)
{
    for (unsigned c = 0; c < OURO_ALL_CLASSES; c++) {
        struct page *page = heap->current[c];
        if (page != &no_page && ouro_page_used(page) == 0) {
            ouro_heap_set_current(heap, c, NULL);
            unuse_page(heap, page);
        }
    }
}

void
ouro_heap_hold(struct heap *heap)
{
    heap->hold.count++;
}

void
ouro_heap_unhold(struct heap *heap)
{
    bool has_retired = false;
    if (--heap->hold.count != 0) {
        return;
    }
    while (heap->hold.emptied != 0) {
        struct page *page = &heap->pages[heap->hold.emptied];
        heap->hold.emptied = page->next_emptied;
        page->is_emptied = 0;
        bool is_listed = page->notify != OURO_NOTIFY_NEVER;
        if (ouro_page_used(page) == 0 && is_listed) {
            retire_page(heap, page);
            has_retired = true;
        }
    }
    /* Otherwise the next blocks would begin there and continue in earlier pages. Collections
     * prove in the order of addresses (collector/count.c). */
    if (has_retired) {
        retire_empty_current(heap);
    }
}

PyObject *
ouro_heap_allocate(struct heap *heap, size_t size, size_t lead)
{
    size_t total = size + lead;
    if (total > OURO_MEDIUM_MAX) {
        return ouro_heap_allocate_large(heap, total, lead);
    }
    unsigned size_class = ouro_size_class(total) + (lead != 0 ? OURO_CLASSES : 0);
    PyObject *block = ouro_heap_take(heap, size_class);
    if (block == NULL && refill(heap, size_class)) {
        block = ouro_heap_take(heap, size_class);
    }
    return block;
}

static const char *
name_of_type(const struct heap *heap, const PyTypeObject *type)
{
    bool is_gone =
        type == NULL ||
        (ouro_heap_contains(heap, type) &&
         (ouro_sanitize_peek_gc((const PyObject *)type) & OURO_BLOCK_ALLOCATED) == 0);
    return is_gone ? "?" : type->tp_name;
}

const char *
ouro_heap_type_name(const struct heap *heap, const PyObject *block)
{
    return name_of_type(heap, ouro_sanitize_peek_type(block));
}

const char *
ouro_heap_dead_type_name(const struct heap *heap, const PyObject *block)
{
    uintptr_t moved = (uintptr_t)ouro_sanitize_peek_type(block);
    bool is_in_use = (ouro_sanitize_peek_gc(block) & OURO_BLOCK_ALLOCATED) != 0;
    uintptr_t type = is_in_use || moved == 0 ? moved /* 0: the block was never used */
                                             : moved - OURO_DEAD_TYPE;
    return name_of_type(heap, (const PyTypeObject *)type);
}

size_t
ouro_heap_block_size(const struct heap *heap, const PyObject *block)
{
    const struct page *page = ouro_heap_page_of(heap, block);
    bool is_large = page->state == OURO_PAGE_LARGE;
    size_t bytes = is_large ? ouro_page_large_bytes(page) - heap->guard : page->slot_size;
    return bytes - page->front;
}

/* --- giving memory back -------------------------------------------------------------------- */

void
ouro_heap_expect(struct heap *heap, bool was_asked_for)
{
    uint32_t grown = heap->trim.peak_pages - heap->trim.trimmed_pages;
    uint32_t again = grown < heap->trim.grown_before ? grown : heap->trim.grown_before;
    heap->trim.expected = was_asked_for ? again : heap->trim.peak_pages;
    heap->trim.grown_before = grown;
}

/* How many unused pages keep their memory. */
static uint32_t
pages_to_keep(const struct heap *heap)
{
    uint32_t reserve = heap->used_pages / 8 + 16;
    uint32_t again = heap->trim.expected > heap->used_pages
                         ? heap->trim.expected - heap->used_pages
                         : 0;
    return again > reserve ? again : reserve;
}

void
ouro_heap_discard(struct heap *heap, uint32_t first, uint32_t run)
{
    for (uint32_t n = first; n < first + run; n++) {
        heap->trim.resident_unused -= heap->pages[n].resident;
        heap->pages[n].resident = 0;
    }
    heap->trim.discards++;
    ouro_platform_discard(heap->base + ((size_t)first << OURO_PAGE_SHIFT),
                          (size_t)run << OURO_PAGE_SHIFT);
    OURO_TELL(heap_shrank, heap, &(Ouro_Event){0});
}

bool
ouro_heap_trim(struct heap *heap, uint32_t most)
{
    if (!heap->hold.count) {
        retire_empty_current(heap);
    }
    uint32_t keep = pages_to_keep(heap);
    uint32_t high = heap->touched;
    while (heap->trim.resident_unused > keep && high > 1) {
        if (most == 0) {
            return false;
        }
        uint32_t low = high - 1;
        if (!ouro_page_bit(heap->room.unused, low) || !heap->pages[low].resident) {
            high = low;
            continue;
        }
        uint32_t spare = heap->trim.resident_unused - keep;
        spare = spare < most ? spare : most;
        while (high - low < spare && ouro_page_bit(heap->room.unused, low - 1) &&
               heap->pages[low - 1].resident) { /* those kept lie lower */
            low--;
        }
        most -= high - low;
        ouro_heap_discard(heap, low, high - low);
        high = low;
    }
    heap->trim.peak_pages = heap->trim.trimmed_pages = heap->used_pages;
    return true;
}

/* --- statistics ------------------------------------------------------------------------- */

static_assert(OURO_HEAP_CLASSES == OURO_CLASSES, "ouro_statistics.h counts the sizes");

static void
measure_page(const struct page *page, Ouro_HeapUsage *usage, Ouro_HeapClass *classes)
{
    size_t used = ouro_page_used(page);
    if (page->state == OURO_PAGE_LARGE) {
        usage->large_objects += used;
        usage->large_bytes += used * ouro_page_large_bytes(page);
    } else if (page->state == OURO_PAGE_SLOTS) {
        usage->objects += used;
        usage->object_bytes += used * page->slot_size;
        if (classes != NULL) {
            Ouro_HeapClass *same = &classes[page->size_class % OURO_CLASSES];
            same->pages++;
            same->blocks += page->capacity;
            same->objects += used;
        }
    }
}

static void
measure_pages(const struct heap *heap, Ouro_HeapUsage *usage, Ouro_HeapClass *classes)
{
    for (unsigned c = 0; classes != NULL && c < OURO_CLASSES; c++) {
        classes[c] = (Ouro_HeapClass){.size = ouro_class_slot_size(c)};
    }
    for (uint32_t n = 1; n < heap->touched; n++) {
        measure_page(&heap->pages[n], usage, classes);
    }
    usage->objects += usage->large_objects;
    usage->object_bytes += usage->large_bytes;
}

Ouro_HeapUsage
ouro_heap_measure(const struct heap *heap, Ouro_HeapClass *classes)
{
    Ouro_HeapUsage usage = {
        .used_bytes = (size_t)heap->used_pages << OURO_PAGE_SHIFT,
        .resident_bytes = (size_t)(heap->used_pages + heap->trim.resident_unused)
                          << OURO_PAGE_SHIFT,
        .range_bytes = heap->size,
        .limit_bytes = heap->limit,
        .most_used_bytes = (size_t)heap->trim.most_pages << OURO_PAGE_SHIFT,
        .new_objects = (size_t)heap->allocations,
        .given_back = heap->trim.discards,
    };
    measure_pages(heap, &usage, classes);
    usage.free_bytes = usage.used_bytes - usage.object_bytes;
    usage.fragmentation =
        usage.used_bytes != 0 ? (double)usage.free_bytes / (double)usage.used_bytes : 0;
    return usage;
}

/* False when `visit` returns false. The page keeps its slots, because the heap is held. Only
 * the pages of a large block may be used differently once the block is freed. */
static bool
visit_page(const struct heap *heap, const struct page *page,
           bool (*visit)(PyObject *block, void *arg), void *arg)
{
    bool is_large = page->state == OURO_PAGE_LARGE;
    char *start = ouro_heap_page_start(heap, page);
    uint32_t step = page->slot_size;
    if (page->state != OURO_PAGE_SLOTS && !is_large) {
        return true;
    }
    for (uint32_t at = page->lead; at < page->untouched; at += step) {
        PyObject *block = (PyObject *)(start + at);
        if ((ouro_sanitize_peek_gc(block) & OURO_BLOCK_ALLOCATED) != 0 &&
            !visit(block, arg)) {
            return false;
        }
        if (is_large) {
            return true;
        }
    }
    return true;
}

void
ouro_heap_each(struct heap *heap, bool (*visit)(PyObject *block, void *arg), void *arg)
{
    ouro_heap_hold(heap);
    uint32_t n = 1;
    while (n < heap->touched && visit_page(heap, &heap->pages[n], visit, arg)) {
        n++;
    }
    ouro_heap_unhold(heap);
}
