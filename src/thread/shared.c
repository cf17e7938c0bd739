/* SPDX-License-Identifier: MIT */
/* Finishing static types, which belong to the process and not to an interpreter.
 *
 * Between begin and end the calling thread allocates in ouro_shared: objects come out
 * immortal and outside every heap, and nobody ever frees them. It keeps its thread state,
 * so that an exception raised meanwhile reaches it, and its interpreter's lock. It must
 * not detach: a thread that waits for the process lock has its interpreter's lock too. */
#include "shared.h"

#include "interpreter.h"

/* What is made in between is never freed, by design: LeakSanitizer need not look. */
#if OURO_ASAN
void __lsan_disable(void);
void __lsan_enable(void);
#define OURO_LEAKS_IGNORE() __lsan_disable()
#define OURO_LEAKS_REPORT() __lsan_enable()
#else
#define OURO_LEAKS_IGNORE() ((void)0)
#define OURO_LEAKS_REPORT() ((void)0)
#endif

static pthread_mutex_t shared_mutex = PTHREAD_MUTEX_INITIALIZER;

/* How often the calling thread is inside, and where it came from. */
static _Thread_local unsigned shared_depth;
static _Thread_local struct _is *shared_came_from;

void
ouro_shared_begin(void)
{
    if (shared_depth++ == 0) {
        pthread_mutex_lock(&shared_mutex);
        shared_came_from = ouro_current.interp;
        ouro_current.interp = &ouro_shared;
        OURO_LEAKS_IGNORE();
    }
}

void
ouro_shared_end(void)
{
    OURO_ASSERT(shared_depth > 0);
    if (--shared_depth == 0) {
        OURO_LEAKS_REPORT();
        ouro_current.interp = shared_came_from;
        pthread_mutex_unlock(&shared_mutex);
    }
}

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
