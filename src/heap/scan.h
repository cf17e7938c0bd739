/* SPDX-License-Identifier: MIT */
/* Sets of blocks. Code that walks over blocks keeps them in sets, and finds the blocks of one
 * set without looking at the others.
 *
 * The heap knows numbers of sets, not what they mean; object/header.h names them. A block whose
 * TRACKED bit is set is in the set that its header names (OURO_BLOCK_SET). Any other block is
 * in no set. Blocks are born for set 0, OURO_BIRTH_SET.
 *
 * scan[set] says for each page how to find the blocks of the set in it:
 *   NONE  there are none
 *   BITS  bits[set] has a 1 for each of them, and perhaps for slots that held one before
 *   ALL   look at every slot
 * So a few young objects in the holes of an old page, or a few live ones in a nearly empty
 * page, cost in proportion to their number, not to the size of the page.
 *
 *   page.inv.scan   a block of a set is found by the page's scan mode for the set
 *   page.inv.fresh  a FRESH block would be found by the scan of its page for the birth set, so
 *                   that tracking it need not tell the page
 *
 * The heap calls these functions when pages change their use. Everything else is up to the code
 * that walks. */
#ifndef OURO_HEAP_SCAN_H
#define OURO_HEAP_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct heap;
struct page;

enum ouro_scan { OURO_SCAN_NONE, OURO_SCAN_BITS, OURO_SCAN_ALL };

/* The header of a block names one of the first sets. The last set exists only during a walk. */
enum { OURO_BIRTH_SET = 0, OURO_HEADER_SETS = 4, OURO_BLOCK_SETS = 5 };

struct block_sets {
    uint8_t *scan[OURO_BLOCK_SETS];   /* per page: enum ouro_scan */
    uint64_t *bits[OURO_BLOCK_SETS];  /* per slot */
    uint32_t *words[OURO_BLOCK_SETS]; /* per page: which words of its bits are not zero */
    uint32_t pages[OURO_BLOCK_SETS];  /* pages with a block of the set */
};

/* Move everything of set `from` in page `number` to set `into`; remove everything of `set` from
 * the page; replace ALL by exact bits. */
void ouro_scan_merge(struct heap *heap, uint32_t number, int from, int into);
void ouro_scan_forget(struct heap *heap, uint32_t number, int set);
void ouro_scan_thin(struct heap *heap, struct page *page);
/* Does the page have a bit of the set for more than a quarter of its slots? */
bool ouro_scan_is_dense(const struct heap *heap, uint32_t number, int set);
/* Drop the bits of blocks that are no longer in the set. */
void ouro_scan_refresh(struct heap *heap, uint32_t number, int set);
/* Set how the page is scanned for `set`; the caller sets the bits. */
void ouro_scan_set(struct heap *heap, uint32_t number, int set, enum ouro_scan mode);
/* Two sets, neither of them the birth set, exchange their contents. */
void ouro_scan_exchange(struct heap *heap, int one, int other);
/* The slow half of tracking: the block at `offset` joins the birth set, and its page may not
 * know. */
void ouro_scan_note_birth(struct heap *heap, size_t offset);

/* The first page from `number` on whose entry in a scan table is not NONE; else `end`. */
static inline uint32_t
ouro_scan_next(const uint8_t *scan, uint32_t number, uint32_t end)
{
    while (number < end && scan[number] == OURO_SCAN_NONE) {
        uint64_t eight;
        if (number % 8 == 0 && number + 8 <= end) {
            memcpy(&eight, scan + number, sizeof eight);
            number += eight == 0 ? 8 : (uint32_t)__builtin_ctzll(eight) / 8;
        } else {
            number++;
        }
    }
    return number;
}

#endif
