/* SPDX-License-Identifier: MIT */
/* Objects whose tp_dealloc returned and left the block alone, and objects that die without ever
 * having been tracked.
 *
 * A block that is not freed is either forgotten (D33) or in a free list. A free list keeps the
 * address somewhere: in static data, in a module's state, or in another dead block. So when the
 * outermost tp_dealloc has returned, those places are searched. */
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

int
ouro_words_count(const char *from, size_t bytes, const void *wanted)
{
    int count = 0;
    for (size_t at = 0; at + sizeof(void *) <= bytes; at += sizeof(void *)) {
        void *word;
        memcpy(&word, from + at, sizeof word);
        count += word == wanted;
    }
    return count;
}

struct hunt {
    const void *wanted;
    int count;
};

static void
hunt_in_record(struct record *record, void *arg)
{
    struct hunt *hunt = arg;
    PyObject *op = record->block;
    if (op == hunt->wanted || record->state == BLOCK_FREED) {
        return;
    }
    if (record->state == BLOCK_DEAD) {
        hunt->count += ouro_words_count(record->block, record->bytes, hunt->wanted);
    } else if (record->info != NULL && record->info->type == &PyModule_Type) {
        Py_ssize_t bytes = 0;
        const void *state = PyModule_GetState(op);
        if (state != NULL && PyModule_GetStateSize(op, &bytes) == 0) {
            hunt->count += ouro_words_count(state, (size_t)bytes, hunt->wanted);
        }
    }
}

int
ouro_count_kept(const void *block)
{
    struct hunt hunt = {block, ouro_segments_count(block)};
    ouro_record_each(hunt_in_record, &hunt);
    return hunt.count;
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
        if (ouro_count_kept(record->block) > 0) {
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
        bool is_weak = (Py_ssize_t)at == record->info->type->tp_weaklistoffset;
        if (held != NULL && !is_weak && held->family == BLOCK_CONTAINER &&
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
