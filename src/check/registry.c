/* SPDX-License-Identifier: MIT */
/* The records of all blocks, by address: a table with chains and one lock.
 *
 * This file also handles the bytes of a block: it fills new bodies, writes and checks the zone
 * behind each block, and decides whether a pointer may be an object. quarantine.c handles freed
 * blocks. */
#include "registry.h"

#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static struct record **buckets;
static size_t bucket_count, record_count;
static uint64_t last_serial;
static pthread_mutex_t table_mutex = PTHREAD_MUTEX_INITIALIZER;

static void
lock_table(void)
{
    pthread_mutex_lock(&table_mutex);
}

static void
unlock_table(void)
{
    pthread_mutex_unlock(&table_mutex);
}

/* A child of fork() finds the table whole. */
__attribute__((constructor)) static void
prepare_table_for_fork(void)
{
    pthread_atfork(lock_table, unlock_table, unlock_table);
}

/* --- the table ---------------------------------------------------------------------------- */

static size_t
bucket_of_block(const void *block)
{
    return (size_t)((uintptr_t)block * 0x9E3779B97F4A7C15u >> 20) & (bucket_count - 1);
}

static void
grow_table(void)
{
    struct record **old = buckets;
    size_t old_count = bucket_count;
    bucket_count = old_count != 0 ? 2 * old_count : (size_t)1 << 14;
    buckets = calloc(bucket_count, sizeof(void *));
    OURO_REQUIRE(buckets != NULL, "the contract checker: out of memory");
    for (size_t i = 0; i < old_count; i++) {
        struct record *next;
        for (struct record *record = old[i]; record != NULL; record = next) {
            next = record->next;
            size_t b = bucket_of_block(record->block);
            record->next = buckets[b];
            buckets[b] = record;
        }
    }
    free(old);
}

static struct record *
find_locked(const void *block)
{
    struct record *record = bucket_count != 0 ? buckets[bucket_of_block(block)] : NULL;
    while (record != NULL && record->block != block) {
        record = record->next;
    }
    return record;
}

struct record *
ouro_record_find(const void *block)
{
    lock_table();
    struct record *record = find_locked(block);
    unlock_table();
    return record;
}

struct record *
ouro_record_live(const void *block)
{
    struct record *record = ouro_record_find(block);
    return record != NULL && record->state != BLOCK_FREED ? record : NULL;
}

static void
unlink_record(struct record *record)
{
    struct record **place = &buckets[bucket_of_block(record->block)];
    while (*place != record) {
        place = &(*place)->next;
    }
    *place = record->next;
    record_count--;
}

void
ouro_record_remove(struct record *record)
{
    lock_table();
    unlink_record(record);
    unlock_table();
    free(record);
}

struct record *
ouro_record_add(void *block, size_t bytes, enum block_family family)
{
    struct record *record = calloc(1, sizeof *record);
    OURO_REQUIRE(record != NULL, "the contract checker: out of memory");
    record->block = block;
    record->bytes = bytes;
    record->family = (uint8_t)family;
    record->home = &ouro_current.interp->heap;
    ouro_site_take(&record->allocated);
    lock_table();
    struct record *stale = bucket_count != 0 ? find_locked(block) : NULL;
    if (stale != NULL) { /* its memory went back without a call of ours */
        unlink_record(stale);
    }
    if (record_count >= bucket_count) {
        grow_table();
    }
    record->serial = ++last_serial;
    size_t b = bucket_of_block(block);
    record->next = buckets[b];
    buckets[b] = record;
    record_count++;
    unlock_table();
    free(stale);
    return record;
}

void
ouro_record_move(struct record *record, void *block, size_t bytes)
{
    lock_table();
    struct record *stale = find_locked(block);
    if (stale != NULL && stale != record) {
        unlink_record(stale);
    }
    unlink_record(record);
    record->block = block;
    record->bytes = bytes;
    size_t b = bucket_of_block(block);
    record->next = buckets[b];
    buckets[b] = record;
    record_count++;
    unlock_table();
    if (stale != record) {
        free(stale);
    }
}

void
ouro_record_forget_heap(const struct heap *heap)
{
    lock_table();
    for (size_t i = 0; i < bucket_count; i++) {
        struct record **place = &buckets[i];
        while (*place != NULL) {
            struct record *record = *place;
            if (record->heap == heap) {
                *place = record->next;
                record_count--;
                free(record);
            } else {
                place = &record->next;
            }
        }
    }
    unlock_table();
}

void
ouro_record_each(void (*visit)(struct record *record, void *arg), void *arg)
{
    lock_table();
    for (size_t i = 0; i < bucket_count; i++) {
        struct record *next;
        for (struct record *record = buckets[i]; record != NULL; record = next) {
            next = record->next;
            visit(record, arg);
        }
    }
    unlock_table();
}

/* --- names -------------------------------------------------------------------------------- */

const char *
ouro_type_name_of(const void *op)
{
    const struct record *record = ouro_record_find(op);
    if (record != NULL) {
        return record->info != NULL ? record->info->name : "plain";
    }
    if (ouro_pointer_state(op) != POINTER_GOOD) {
        return "?";
    }
    const PyTypeObject *type = Py_TYPE((const PyObject *)op);
    return ouro_pointer_state(type) == POINTER_GOOD && type->tp_name != NULL
               ? type->tp_name
               : "?";
}

uint64_t
ouro_serial_of(const void *op)
{
    const struct record *record = ouro_record_find(op);
    return record != NULL ? record->serial : 0;
}

/* --- bytes -------------------------------------------------------------------------------- */

void
ouro_block_mark_zone(const struct record *record)
{
    memset((char *)record->block + record->bytes, OURO_ZONE_BYTE, OURO_RED_ZONE);
}

void
ouro_block_check_zone(const struct record *record)
{
    const unsigned char *zone = (unsigned char *)record->block + record->bytes;
    for (size_t i = 0; i < OURO_RED_ZONE; i++) {
        if (zone[i] != OURO_ZONE_BYTE) {
            ouro_report(OURO_GC_A03, record->block, (Py_ssize_t)(record->bytes + i),
                        "written to %zu bytes behind its end; it has %zu bytes", i,
                        record->bytes);
            ouro_block_mark_zone(record);
            return;
        }
    }
}

/* Can this many bytes be read from `p`? */
static bool
is_readable(const void *p, size_t bytes)
{
    char buffer[sizeof(PyObject)];
    struct iovec here = {buffer, bytes}, there = {(void *)(uintptr_t)p, bytes};
    ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    return got == (ssize_t)bytes || (got < 0 && errno != EFAULT);
}

bool
ouro_is_freed(const PyObject *op)
{
    return op->ob_gc == OURO_FREED_GC && op->ob_type == &ouro_freed_type;
}

enum pointer_state
ouro_pointer_state(const void *p)
{
    uintptr_t address = (uintptr_t)p;
    if (address == OURO_FRESH_WORD || (uint32_t)address == 0xCDCDCDCDu) {
        return POINTER_FRESH;
    }
    const struct record *record = ouro_record_find(p);
    if (record != NULL) {
        return record->state == BLOCK_FREED ? POINTER_FREED : POINTER_GOOD;
    }
    if (address % sizeof(void *) != 0 || address < 4096 ||
        ouro_heap_contains(&ouro_current.interp->heap, p) ||
        !(ouro_segments_have(p, sizeof(PyObject)) || is_readable(p, sizeof(PyObject)))) {
        return POINTER_WILD;
    }
    return POINTER_GOOD;
}
