/* SPDX-License-Identifier: MIT */
/* Objects whose tp_dealloc returned and left the block alone, and objects that die without
 * ever having been tracked.
 *
 * A block that is not freed is either forgotten (D33) or in a free list. A free list keeps
 * the address somewhere: in static data, in a module's state, or in another dead block. So
 * when the outermost tp_dealloc has returned, those places are looked through. */
#include <link.h>

#include "check.h"

#define DEAD_MOST 32

struct dead {
    const void *block;
    uint64_t serial;
};

static _Thread_local struct dead dead_blocks[DEAD_MOST];
static _Thread_local int dead_count;

void
ouro_dead_note(struct record *record)
{
    bool matters = record->info != NULL && !record->info->keeps_dead &&
                   ouro_report_is_new(OURO_GC_D33, record->info->name, -1);
    if (matters && dead_count < DEAD_MOST) {
        dead_blocks[dead_count++] = (struct dead){record->block, record->serial};
    }
}

/* --- looking for an address --------------------------------------------------------------- */

struct hunt {
    const void *wanted;
    bool is_found;
};

static void
hunt_in_words(struct hunt *hunt, const char *from, size_t bytes)
{
    for (size_t at = 0; at + sizeof(void *) <= bytes && !hunt->is_found;
         at += sizeof(void *)) {
        void *word;
        memcpy(&word, from + at, sizeof word);
        hunt->is_found = word == hunt->wanted;
    }
}

static int
hunt_in_segments(struct dl_phdr_info *info, size_t Py_UNUSED(size), void *arg)
{
    struct hunt *hunt = arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) != 0) {
            const char *start = (const char *)(info->dlpi_addr + segment->p_vaddr);
            start += -(uintptr_t)start % sizeof(void *);
            hunt_in_words(hunt, start, segment->p_memsz - sizeof(void *));
        }
    }
    return hunt->is_found;
}

static void
hunt_in_record(struct record *record, void *arg)
{
    struct hunt *hunt = arg;
    PyObject *op = record->block;
    if (hunt->is_found || op == hunt->wanted || record->state == BLOCK_FREED) {
        return;
    }
    if (record->state == BLOCK_DEAD) {
        hunt_in_words(hunt, record->block, record->bytes);
    } else if (record->info != NULL && record->info->type == &PyModule_Type) {
        Py_ssize_t bytes = 0;
        const void *state = PyModule_GetState(op);
        if (state != NULL && PyModule_GetStateSize(op, &bytes) == 0) {
            hunt_in_words(hunt, state, (size_t)bytes);
        }
    }
}

static bool
is_kept_somewhere(const void *block)
{
    struct hunt hunt = {block, false};
    dl_iterate_phdr(hunt_in_segments, &hunt);
    if (!hunt.is_found) {
        ouro_record_each(hunt_in_record, &hunt);
    }
    return hunt.is_found;
}

void
ouro_dead_judge(void)
{
    while (dead_count > 0) {
        struct dead dead = dead_blocks[--dead_count];
        struct record *record = ouro_record_find(dead.block);
        if (record == NULL || record->serial != dead.serial ||
            record->state != BLOCK_DEAD ||
            !ouro_report_is_new(OURO_GC_D33, record->info->name, -1)) {
            continue;
        }
        if (is_kept_somewhere(record->block)) {
            record->info->keeps_dead = true;
        } else {
            ouro_report(OURO_GC_D33, record->block, -1,
                        "tp_dealloc returned without freeing the object; call "
                        "Py_TYPE(self)->tp_free");
        }
    }
}

/* --- never tracked ----------------------------------------------------------------------------- */

/* The first field that holds a tracked object; 0 when there is none. */
static Py_ssize_t
find_tracked_field(const struct record *record)
{
    for (size_t at = sizeof(PyObject); at + sizeof(void *) <= record->bytes;
         at += sizeof(void *)) {
        PyObject *word;
        memcpy(&word, (char *)record->block + at, sizeof(void *));
        const struct record *held = ouro_record_live(word);
        if (held != NULL && held->family == BLOCK_CONTAINER &&
            ouro_object_is_tracked(word)) {
            return (Py_ssize_t)at;
        }
    }
    return 0;
}

/* A constructor that fails destroys what it has not tracked; then an exception is pending. */
void
ouro_judge_untracked(const struct record *record)
{
    if (record->family != BLOCK_CONTAINER || record->was_tracked ||
        record->info->has_tracked || record->info->is_ours ||
        ouro_current.thread == NULL || ouro_current.thread->error != NULL ||
        !ouro_report_is_new(OURO_GC_K17, record->info->name, -1)) {
        return;
    }
    Py_ssize_t field = find_tracked_field(record);
    if (field != 0) {
        ouro_report(
            OURO_GC_K17, record->block, -1,
            "it was never tracked, and the field at offset %zd holds a container: "
            "call PyObject_GC_Track when it is initialised",
            field);
    }
}
