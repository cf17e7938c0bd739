/* SPDX-License-Identifier: MIT */
/* Finishing static types, which belong to the process and not to an interpreter.
 *
 * Between begin and end the calling thread allocates in ouro_shared: its objects are immortal,
 * lie outside every heap, and are never freed. It keeps its thread state, so that an exception
 * raised meanwhile reaches it, and its interpreter's lock. It must not detach: a thread that
 * waits for the process lock has its interpreter's lock too. */
#include "shared.h"

#include "interpreter.h"

#include <stdlib.h>

static pthread_mutex_t shared_mutex = PTHREAD_MUTEX_INITIALIZER;

/* How often the calling thread has entered, and what it was attached to before. */
static _Thread_local unsigned shared_depth;
static _Thread_local struct _is *shared_came_from;

void
ouro_shared_begin(void)
{
    if (shared_depth++ == 0) {
        pthread_mutex_lock(&shared_mutex);
        shared_came_from = ouro_current.interp;
        ouro_current.interp = &ouro_shared;
    }
}

void
ouro_shared_end(void)
{
    OURO_ASSERT(shared_depth > 0);
    if (--shared_depth == 0) {
        ouro_current.interp = shared_came_from;
        pthread_mutex_unlock(&shared_mutex);
    }
}

/* --- what lives as long as the process -------------------------------------------------- */

/* Leak checkers follow pointers; without this they would report temporaries of the shared
 * scope. */
static struct {
    void **blocks;
    size_t count, capacity;
} kept;

void
ouro_shared_keep(void *block)
{
    if (kept.count == kept.capacity) {
        size_t capacity = kept.capacity != 0 ? 2 * kept.capacity : 1024;
        void **blocks = realloc(kept.blocks, capacity * sizeof *blocks);
        if (blocks == NULL) {
            return;
        }
        kept.blocks = blocks;
        kept.capacity = capacity;
    }
    kept.blocks[kept.count++] = block;
}

void
ouro_shared_forget(const void *block)
{
    for (size_t i = kept.count; i-- > 0;) {
        if (kept.blocks[i] == block) {
            kept.blocks[i] = kept.blocks[--kept.count];
            return;
        }
    }
}

/* --- around fork ------------------------------------------------------------------------- */

void
ouro_shared_lock(void)
{
    OURO_REQUIRE(shared_depth == 0, "fork() while a static type is being finished");
    pthread_mutex_lock(&shared_mutex);
}

void
ouro_shared_unlock(void)
{
    pthread_mutex_unlock(&shared_mutex);
}

void
ouro_shared_renew_lock(void)
{
    pthread_mutex_init(&shared_mutex, NULL);
}
