/* SPDX-License-Identifier: MIT */
/* The listeners of the process. They have a few fixed places. So nothing is allocated and no
 * lock is taken while parallel interpreters call them and the program adds and removes some. */
#include "listeners.h"

#include <string.h>

#include "../platform/platform.h"

int ouro_listener_count;
static const Ouro_Listener *listeners[OURO_MOST_LISTENERS];

/* Put `after` in the first place that has `before`; false when none has. */
static bool
replace_listener(const Ouro_Listener *before, const Ouro_Listener *after)
{
    for (int i = 0; i < OURO_MOST_LISTENERS; i++) {
        const Ouro_Listener *found = before;
        if (__atomic_compare_exchange_n(&listeners[i], &found, after, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

int
Ouro_AddListener(const Ouro_Listener *listener)
{
    if (!replace_listener(NULL, listener)) {
        return -1;
    }
    __atomic_add_fetch(&ouro_listener_count, 1, __ATOMIC_RELAXED);
    return 0;
}

int
Ouro_RemoveListener(const Ouro_Listener *listener)
{
    if (listener == NULL || !replace_listener(listener, NULL)) {
        return -1;
    }
    __atomic_sub_fetch(&ouro_listener_count, 1, __ATOMIC_RELAXED);
    return 0;
}

/* An interpreter begins with its heap: see py/gcsupport.h. */
static void
measure_heap(Ouro_Event *event, const struct heap *heap)
{
    size_t resident = (size_t)heap->used_pages + heap->trim.resident_unused;
    event->interpreter = (PyInterpreterState *)heap;
    event->used_bytes = (size_t)heap->used_pages << OURO_PAGE_SHIFT;
    event->resident_bytes = resident << OURO_PAGE_SHIFT;
}

static void
read_clocks(Ouro_Event *event)
{
    double wall = ouro_platform_clock(), cpu = ouro_platform_thread_clock();
    bool is_end = event->wall != 0;
    event->wall_seconds = is_end ? wall - event->wall : 0;
    event->cpu_seconds = is_end ? cpu - event->cpu : 0;
    event->wall = wall;
    event->cpu = cpu;
}

void
ouro_tell(size_t offset, const struct heap *heap, Ouro_Event *event)
{
    measure_heap(event, heap);
    read_clocks(event);
    for (int i = 0; i < OURO_MOST_LISTENERS; i++) {
        const Ouro_Listener *listener = __atomic_load_n(&listeners[i], __ATOMIC_ACQUIRE);
        Ouro_EventFunction function = NULL;
        if (listener != NULL) {
            memcpy(&function, (const char *)listener + offset, sizeof function);
        }
        if (function != NULL) {
            function(event, listener->arg);
        }
    }
}
