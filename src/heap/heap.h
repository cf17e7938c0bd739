/* SPDX-License-Identifier: MIT */
/* The heap of containers: one reserved range of addresses, cut into pages.
 *
 * It knows blocks, not objects: it hands out memory with the ALLOCATED bit set and takes it
 * back. It never collects; it counts, and the allocation functions in api/ run the collection
 * that is due. There is one heap per interpreter, used under that interpreter's lock.
 *
 *   heap.inv.range    every block lies in [base, base + size), where base is a multiple of
 *                     the page size; page 0 holds none, so that offset 0 may stand for "no
 *                     block of this heap"
 *   heap.inv.commit   descriptors, tables and memory of pages < committed are usable
 *   heap.inv.listed   a page with room is the current page of its class or in its list
 *   heap.inv.fresh    fresh[c] is current[c] if that page's blocks are born FRESH, else a page
 *                     without any: inline allocation need not ask
 *   heap.inv.unused   the unused bitmap has a 1 for each unused page < touched
 *   heap.inv.room     the open bitmap has a 1 for each page in which a large block may begin
 *                     behind another one's end, and perhaps for some where none fits; none
 *                     below first_room is unused or open
 *
 * Checked by ouro_heap_verify(). */
#ifndef OURO_HEAP_HEAP_H
#define OURO_HEAP_HEAP_H

#include <ouro_statistics.h>

#include "../base/check.h"
#include "page.h"
#include "scan.h"

/* Finding pages. Written when pages come into use or go out of use (heap.c, large.c). */
struct heap_room {
    uint64_t *unused;      /* per page: 1 when unused */
    uint64_t *open;        /* per page: 1 when a large block may begin inside */
    uint32_t first_unused; /* no unused page below */
    uint32_t first_room;   /* heap.inv.room */
};

/* While pages are being walked: ouro_heap_hold(). */
struct heap_hold {
    uint32_t count;   /* while not 0, empty pages are not taken out of use */
    uint32_t emptied; /* pages that became empty meanwhile, linked by number */
};

/* Giving memory back to the system: ouro_heap_trim(). */
struct heap_trim {
    uint32_t resident_unused; /* unused pages whose memory was not given back */
    uint32_t peak_pages;      /* most used pages since the heap was last trimmed */
    uint32_t most_pages;      /* most used pages ever */
    uint32_t trimmed_pages;   /* used pages when it was last trimmed */
    uint32_t grown_before;    /* pages that it grew by between the two trims before */
    uint32_t expected;        /* used pages to come: trimming keeps memory for them */
    uint32_t discards;        /* times that memory of pages was given back */
};

/* Memory for code that walks over blocks, indexed by slot number (offset >> 5). The heap
 * reserves it, because it grows with the range, and never reads it. */
struct slot_tables {
    uint8_t *bytes;  /* per slot */
    uint16_t *words; /* per slot */
    uint32_t *queue; /* OURO_QUEUE_LENGTH entries */
    uint32_t ready;  /* pages below had their words written */
};

/* Short in paranoid builds, so that it overflows: a walk finds what did not fit. */
#define OURO_QUEUE_LENGTH ((uint32_t)1 << (OURO_PARANOID ? 14 : 20))

struct heap {
    /* The members that every allocation reads stand together. */
    char *base;
    size_t size;         /* bytes of the range */
    struct page *pages;  /* descriptors, by page number */
    uint8_t *birth_scan; /* == sets.scan[OURO_BIRTH_SET] */
    int64_t allocations; /* since the last collection, less frees, never below 0 */
    int64_t alarm;       /* beyond this many an allocation takes the slow path */
    struct page *fresh[OURO_ALL_CLASSES];   /* heap.inv.fresh */
    struct page *current[OURO_ALL_CLASSES]; /* where blocks of a class come from */

    size_t
        bare; /* the size if blocks have no canary, else 0: freeing takes the slow path */
    uint32_t available[OURO_ALL_CLASSES]; /* first page with room, besides the current */

    /* The range. */
    uint32_t page_count; /* pages in it */
    uint32_t committed;  /* pages usable */
    uint32_t touched;    /* pages ever used; none at or above is */
    uint32_t used_pages;
    uint32_t page_alarm; /* beyond this many used pages the alarm goes off */
    uint32_t sparse;     /* the last page that became sparse; 0 when none */
    size_t limit;        /* most bytes of used pages; SIZE_MAX when unlimited */
    size_t guard;      /* inaccessible bytes behind each large block: an OS page, or 0 */
    bool small_faults; /* no huge OS pages: clearing one takes milliseconds */
    void *reservation;
    size_t reservation_size;

    struct heap_room room;
    struct heap_hold hold;
    struct heap_trim trim;
    struct block_sets sets;
    struct slot_tables slots;
};

static_assert(offsetof(struct heap, allocations) ==
                      offsetof(struct _Py_Heap, allocations) &&
                  offsetof(struct heap, alarm) == offsetof(struct _Py_Heap, alarm) &&
                  offsetof(struct heap, fresh) == offsetof(struct _Py_Heap, fresh),
              "allocation is inline: py/gcsupport.h");

/* Reserve a range of at most `wanted` bytes, halved until the system agrees; false when
 * it grants none. */
bool ouro_heap_init(struct heap *heap, size_t wanted);
/* Give everything back. */
void ouro_heap_destroy(struct heap *heap);
/* A heap without a range, for detached threads: every call takes its slow path and fails there. */
void ouro_heap_init_empty(struct heap *heap);

/* A block of `size` bytes with ALLOCATED set and count 1, the rest not initialised; NULL when
 * the range, the limit or the system has no more. `lead` is 0 or OURO_LEAD: that many bytes
 * before the block also belong to the caller. */
PyObject *ouro_heap_allocate(struct heap *heap, size_t size, size_t lead);
/* The slow half of ouro_heap_give(). */
void ouro_heap_notify(struct heap *heap, struct page *page);

/* This many blocks of the page were put on its free list. */
void ouro_heap_gave(struct heap *heap, struct page *page, uint32_t blocks);

/* While the heap is held, a page that becomes empty stays in use. So code that walks over pages
 * may free blocks. Calls nest. */
void ouro_heap_hold(struct heap *heap);
void ouro_heap_unhold(struct heap *heap);

/* Allocate, and free, a block of more than OURO_MEDIUM_MAX bytes (large.c). */
PyObject *ouro_heap_allocate_large(struct heap *heap, size_t total, size_t lead);
void ouro_heap_free_large(struct heap *heap, struct page *page);
/* Enlarge a block to `size` bytes without moving it; false when it is not large or there is no
 * room behind it. */
bool ouro_heap_extend(struct heap *heap, PyObject *block, size_t size);

/* Make another page current; NULL for none. */
void ouro_heap_set_current(struct heap *heap, unsigned size_class, struct page *page);
/* Keep heap.inv.fresh after a change of the page's birth. */
void ouro_heap_note_birth(struct heap *heap, struct page *page);

/* Bring `run` unused pages from `first` on into use, for one block that is larger than a page
 * or not, false when there is no memory for them; or take them out of use. Within heap/ only. */
bool ouro_heap_use_pages(struct heap *heap, uint32_t first, uint32_t run, bool is_long);
void ouro_heap_unuse_pages(struct heap *heap, uint32_t first, uint32_t run);
/* From now on a large block may begin in the page, behind the one that ends there, if any room
 * is left. */
void ouro_heap_open_page(struct heap *heap, uint32_t number);
/* The page holds no object any more. */
void ouro_heap_forget_page(struct heap *heap, uint32_t number);
/* Return the memory of unused pages to the system. */
void ouro_heap_discard(struct heap *heap, uint32_t first, uint32_t run);

/* For messages about a block, and about a free one; the type may be freed, too. */
const char *ouro_heap_type_name(const struct heap *heap, const PyObject *block);
const char *ouro_heap_dead_type_name(const struct heap *heap, const PyObject *block);
/* How many bytes the block can hold from its address on. */
size_t ouro_heap_block_size(const struct heap *heap, const PyObject *block);

/* A full collection begins. After an automatic one the heap is expected to grow to its largest
 * size since the last full collection. After a requested one it is expected to grow only by as
 * much as it grew twice in a row. Giving memory back only to fault it in again costs more than
 * the rest of the collection. Memory that was not needed goes back after the next collection. */
void ouro_heap_expect(struct heap *heap, bool was_asked_for);
/* Return memory of unused pages to the system, except for a reserve and for what is expected to
 * be used again, at most `most` pages now; true when nothing is left to return. */
bool ouro_heap_trim(struct heap *heap, uint32_t most);

/* What is in use, in total and, unless `classes` is NULL, for each of OURO_HEAP_CLASSES sizes
 * of blocks. */
Ouro_HeapUsage ouro_heap_measure(const struct heap *heap, Ouro_HeapClass *classes);

/* Call before the words of all slots are written. */
void ouro_heap_populate_words(struct heap *heap);

/* --- free lists (free_list.c) ------------------------------------------------------------- */

/* The free list of the page is empty: put its next untouched slots on it, in address order, so that every
 * block is handed out in one way. False when the page has none. */
bool ouro_page_extend_free(struct page *page);

/* Put the free list into address order. */
void ouro_page_order_free(struct page *page);

bool ouro_page_verify(const struct heap *heap, uint32_t number);
bool ouro_heap_verify(const struct heap *heap);

/* Run `visit` for every ALLOCATED block, in address order, until it returns false. It may free
 * the block it is given. */
void ouro_heap_each(struct heap *heap, bool (*visit)(PyObject *block, void *arg),
                    void *arg);

/* --- canaries (canary.c) ---------------------------------------------------------------- */

/* Bytes that a block needs beyond the object. */
#define OURO_CANARY ((size_t)16)

/* The object has `size` bytes: fill the bytes behind them. The second function is called when the
 * object is freed: it is a fatal error if these bytes were written to. */
void ouro_canary_put(const struct heap *heap, PyObject *block, size_t size);
void ouro_canary_check(const struct heap *heap, const PyObject *block);

static inline bool
ouro_heap_has_canaries(const struct heap *heap)
{
    return heap->bare != heap->size;
}

/* --- sanitizers (sanitize.c) ---------------------------------------------------------- */

/* Tell AddressSanitizer that a block was born or died. */
#if OURO_ASAN
void ouro_sanitize_live(PyObject *block, size_t lead, size_t bytes);
void ouro_sanitize_dead(PyObject *block, size_t lead, size_t bytes);
/* The range was reserved, or is about to be released. */
void ouro_sanitize_range(void *start, size_t bytes, bool ours);
/* Pages or a large block come into use or go out of use: LeakSanitizer searches those in use. */
void ouro_sanitize_pages(void *start, size_t bytes, bool used);
/* The header of a slot that may be free, without a report. */
uint32_t ouro_sanitize_peek_gc(const PyObject *block);
PyTypeObject *ouro_sanitize_peek_type(const PyObject *block);
uint64_t ouro_sanitize_peek_header(const PyObject *block);
#else
#define ouro_sanitize_live(block, lead, bytes)  ((void)(lead))
#define ouro_sanitize_dead(block, lead, bytes)  ((void)(lead))
#define ouro_sanitize_range(start, bytes, ours) ((void)0)
#define ouro_sanitize_pages(start, bytes, used) ((void)(start))
#define ouro_sanitize_peek_gc(block)            ((block)->ob_gc)
#define ouro_sanitize_peek_type(block)          ((block)->ob_type)
#define ouro_sanitize_peek_header(block)        ((block)->ob_header)
#endif

/* --- inline halves ---------------------------------------------------------------------- */

static inline size_t
ouro_heap_offset(const struct heap *heap, const void *p)
{
    return (size_t)((const char *)p - heap->base);
}

/* Is `p` an address of this heap's range? One compare, nothing is read from p. */
static inline bool
ouro_heap_contains(const struct heap *heap, const void *p)
{
    return ouro_heap_offset(heap, p) < heap->size;
}

static inline struct page *
ouro_heap_page_of(const struct heap *heap, const void *p)
{
    return &heap->pages[ouro_heap_offset(heap, p) >> OURO_PAGE_SHIFT];
}

/* Also for a page that is not in use. */
static inline char *
ouro_heap_page_start(const struct heap *heap, const struct page *page)
{
    return heap->base + ((size_t)(page - heap->pages) << OURO_PAGE_SHIFT);
}

/* Is the page's bit set in a bitmap of pages? */
static inline bool
ouro_page_bit(const uint64_t *bitmap, uint32_t number)
{
    return (bitmap[number / 64] >> (number % 64)) & 1;
}

/* The first page from `number` on whose bit is set in either bitmap; else `end`. */
static inline uint32_t
ouro_page_next_bit(const uint64_t *one, const uint64_t *other, uint32_t number,
                   uint32_t end)
{
    while (number < end) {
        uint64_t word = (one[number / 64] | other[number / 64]) >> (number % 64);
        if (word != 0) {
            return number + (uint32_t)__builtin_ctzll(word);
        }
        number = (number | 63) + 1;
    }
    return end;
}

/* The block whose slot number is `slot`; the inverse of offset >> 5. */
static inline PyObject *
ouro_heap_block_of_slot(const struct heap *heap, size_t slot)
{
    size_t offset = slot << OURO_GRAIN_SHIFT;
    const struct page *page = &heap->pages[offset >> OURO_PAGE_SHIFT];
    size_t in_page = offset & (OURO_PAGE_SIZE - 1);
    size_t before = in_page > page->lead ? in_page - page->lead + page->slot_size - 1 : 0;
    size_t index = (before * page->inverse) >> 32;
    return (PyObject *)(ouro_heap_page_start(heap, page) + page->lead +
                        index * page->slot_size);
}

/* Take a block from the free list of the current page of a class; NULL when the list is empty.
 * Class 0 is always empty. */
static inline PyObject *
ouro_heap_take(struct heap *heap, unsigned size_class)
{
    struct page *page = heap->current[size_class];
    PyObject *block = page->free;
    uint64_t link = _Py_FreeLink(ouro_sanitize_peek_header(block));
    if (OURO_UNLIKELY(!_Py_IsFreeLink(link))) {
        return NULL;
    }
    page->free = (PyObject *)(page->before + link);
    page->left++;
    ouro_sanitize_live(block, page->front, page->slot_size);
    block->ob_gc = page->birth; /* and its count is 1 already */
    return block;
}

/* The page of an untracked block is scanned another way from now on: tracking the block must
 * tell the page (page.inv.fresh). */
static inline void
ouro_block_age(PyObject *block, uint32_t gc)
{
    if (OURO_UNLIKELY((gc & (OURO_BLOCK_TRACKED | OURO_BLOCK_FRESH)) ==
                      OURO_BLOCK_FRESH)) {
        block->ob_gc = gc & ~(uint32_t)OURO_BLOCK_FRESH;
    }
}

/* Give a block of `page` back; its ALLOCATED bit is set. */
static inline void
ouro_heap_give(struct heap *heap, struct page *page, PyObject *block)
{
    ouro_block_set_free(block, page->free);
    page->free = block;
    ouro_sanitize_dead(block, page->front, page->slot_size);
    if (OURO_UNLIKELY(--page->left == 0)) {
        ouro_heap_notify(heap, page);
    }
}

#endif
