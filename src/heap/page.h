/* SPDX-License-Identifier: MIT */
/* A page is 64 KiB of equal slots inside the heap's range; its descriptor lives outside.
 *
 * Words: a *block* is what an object occupies; a *slot* is where a block fits; a *large*
 * block reaches over as many pages as it needs, described by the one it begins in. Block
 * addresses are object addresses: those with a front lie 16 bytes behind their slot's start.
 *
 *   page.inv.count   the number of used slots is that of slots with their ALLOCATED bit set
 *   page.inv.free    a free slot has a free header (py/current.h), so its ALLOCATED bit is clear;
 *                    from `free` on, links lead over all free slots, and then to one that
 *                    is in use by the time the others are
 *   page.inv.notify  notify is: current page 0xFFFF, full page capacity - 1, listed page
 *                    its sparse mark and, once below that, 0
 *   page.inv.large   large blocks lie side by side but do not overlap, and at most one begins
 *                    in a page; `head` is how far the one from before reaches into the page
 *
 * All are checked by ouro_page_verify() and ouro_heap_verify().
 *
 * scan.h says how blocks are found in a page, and has two more invariants of it. */
#ifndef OURO_HEAP_PAGE_H
#define OURO_HEAP_PAGE_H

#include <Python.h>
#include <stdbool.h>

#include "scan.h"
#include "size_class.h"

#define OURO_PAGE_SHIFT     16
#define OURO_PAGE_SIZE      ((size_t)1 << OURO_PAGE_SHIFT)
#define OURO_PAGE_GRAINS    (OURO_PAGE_SIZE >> OURO_GRAIN_SHIFT)
#define OURO_PAGE_BIT_WORDS (OURO_PAGE_GRAINS / 64)

/* The bits of ob_gc that the heap reads or writes; object/header.h has the others. */
enum {
    OURO_BLOCK_TRACKED = 1u << 0,
    OURO_BLOCK_SET_SHIFT = 1,
    OURO_BLOCK_SET = 3u << 1,
    OURO_BLOCK_ALLOCATED = 1u << 7,
    OURO_BLOCK_FRESH = 1u << 11,
};

static_assert((OURO_BLOCK_SET >> OURO_BLOCK_SET_SHIFT) + 1 == OURO_HEADER_SETS,
              "a header can say every set but the last");

enum ouro_page_state {
    OURO_PAGE_UNUSED, /* not in use; zero-filled or stale */
    OURO_PAGE_SLOTS,  /* cut into slots */
    OURO_PAGE_LARGE,  /* a large block begins in it; another one may end before that */
    OURO_PAGE_INSIDE, /* a large block reaches into it and none begins */
};

#define OURO_LARGE_UNIT   64 /* bytes: large blocks begin and end at cache lines */
#define OURO_PAGE_UNITS   (OURO_PAGE_SIZE / OURO_LARGE_UNIT)
#define OURO_NOTIFY_NEVER 0xFFFF /* -1: never that many are used */
#define OURO_NO_PAGE      UINT32_MAX

struct page {
    _Alignas(64)        /* a descriptor is one cache line */
        PyObject *free; /* the first free slot; page.inv.free */
    char *before;       /* the beginning of the page before: links count from there */
    uint16_t left;      /* frees until the slow path; used blocks less notify */
    uint16_t notify;    /* freeing down to this many used blocks needs the slow path */
    uint32_t untouched; /* offset of the first block never on the free list */
    uint32_t birth;     /* the gc bits of a new block */
    uint32_t slot_size; /* bytes; of a large block at most those of a page */
    uint16_t capacity;  /* slots that fit */
    uint16_t lead;      /* where the first block is: what comes before is not its slot */
    uint8_t size_class; /* index into the heap's lists */
    uint8_t state;      /* enum ouro_page_state */
    uint8_t front;      /* bytes before a block that belong to it: 0 or OURO_LEAD */
    uint8_t resident;   /* 1 unless its memory was given back while unused */
    uint8_t noted;      /* by code that walks over pages; 0 in a new page */
    uint8_t is_emptied; /* in the heap's list of emptied pages */
    uint16_t head;      /* units that a large block from before the page has of it */
    uint32_t next_emptied;
    uint32_t prev, next; /* the list of pages with room, by page number */
    uint32_t extent;  /* of the large block that begins here, in units, with its front */
    uint32_t inverse; /* 2^32 / slot_size, rounded up: divides without dividing */
};

static_assert(sizeof(struct page) == 64, "a descriptor is one cache line");
static_assert(offsetof(struct page, free) == offsetof(struct _Py_Page, free) &&
                  offsetof(struct page, before) == offsetof(struct _Py_Page, before) &&
                  offsetof(struct page, left) == offsetof(struct _Py_Page, left),
              "allocation is inline: py/gcsupport.h");

/* Where the slots of the page begin. */
static inline char *
ouro_page_start(const struct page *page)
{
    return page->before + OURO_PAGE_SIZE;
}

/* Blocks handed out. */
static inline uint16_t
ouro_page_used(const struct page *page)
{
    return (uint16_t)(page->left + page->notify);
}

/* Of the large block that begins in the page: where in the page, and how many bytes. */
static inline uint32_t
ouro_page_large_start(const struct page *page)
{
    return (uint32_t)page->lead - page->front;
}

static inline size_t
ouro_page_large_bytes(const struct page *page)
{
    return (size_t)page->extent * OURO_LARGE_UNIT;
}

/* Over how many pages the blocks reach that begin in the page. */
static inline uint32_t
ouro_page_run(const struct page *page)
{
    size_t end = ouro_page_large_start(page) + ouro_page_large_bytes(page);
    bool is_large = page->state == OURO_PAGE_LARGE;
    return is_large ? (uint32_t)((end + OURO_PAGE_SIZE - 1) >> OURO_PAGE_SHIFT) : 1;
}

/* Side tables have 2,048 entries for each page. Where few of them are in use, going through
 * all would cost a large object microseconds, and make the table resident. */
static inline bool
ouro_page_has_few_slots(const struct page *page)
{
    return page->capacity <= 64;
}

/* Tell the slow path when freeing has left this many used blocks. */
static inline void
ouro_page_notify_at(struct page *page, uint16_t used)
{
    page->left = (uint16_t)(page->left + page->notify - used);
    page->notify = used;
}

/* How many slots are free, links or no links. */
static inline uint32_t
ouro_page_free_slots(const struct page *page)
{
    uint32_t cut = (page->untouched - page->lead) / page->slot_size;
    return cut - ouro_page_used(page);
}

/* The link is in the header, which no field of an object overlaps: writing to the fields of a
 * free object does the heap no harm. A changed header is noticed. */
static inline void
ouro_block_link(PyObject *block, const PyObject *next)
{
    uint64_t in_page = (uintptr_t)next; /* in its lowest 16 bits: pages are aligned */
    block->ob_header = _Py_FREE_HEADER + (in_page << _Py_FREE_NEXT_SHIFT);
}

/* The type of a dead object, moved by this, has tp_ouro_dead where Py_DECREF looks for tp_dealloc:
 * releasing the object again runs no destructor on what is left of its fields, but says so. A count
 * of the moved type, which programs must not touch either, is its tp_version_tag: nobody's. */
#define OURO_DEAD_TYPE                                                                   \
    (offsetof(PyTypeObject, tp_ouro_dead) - offsetof(PyTypeObject, tp_dealloc))
static_assert(OURO_DEAD_TYPE == offsetof(PyTypeObject, tp_version_tag) ||
                  sizeof(void *) != 8,
              "a dead type is none");

static inline void
ouro_block_set_free(PyObject *block, const PyObject *next)
{
    ouro_block_link(block, next);
    block->ob_type = (PyTypeObject *)((uintptr_t)block->ob_type + OURO_DEAD_TYPE);
}

#endif
