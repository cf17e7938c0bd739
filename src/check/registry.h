/* SPDX-License-Identifier: MIT */
/* Changing the table of records: for the events of memory (memory.c) and the quarantine. */
#ifndef OURO_CHECK_REGISTRY_H
#define OURO_CHECK_REGISTRY_H

#include "check.h"

/* A record for a new block; with the site of the caller and a new serial number. */
struct record *ouro_record_add(void *block, size_t bytes, enum block_family family);
void ouro_record_remove(struct record *record);
/* The block is at another address now, and the same otherwise. */
void ouro_record_move(struct record *record, void *block, size_t bytes);

/* The heap and all its blocks are gone. */
void ouro_record_forget_heap(const struct heap *heap);

void ouro_block_mark_zone(const struct record *record);
void ouro_block_check_zone(const struct record *record);

/* quarantine.c: a block that its owner freed; it is kept for a while. */
void ouro_quarantine_add(struct record *record, bool was_moved);
/* Give blocks of the heap back until `most` bytes are left; true when it gave some. NULL is
 * the quarantine of plain blocks. */
bool ouro_quarantine_shrink(struct heap *heap, size_t most);

#endif
