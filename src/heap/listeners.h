/* SPDX-License-Identifier: MIT */
/* Reports what happens to the program's listeners and to external tracers. It is here because
 * the heap is the lowest folder that reports anything. Without a listener an event costs one
 * load and one branch; its probe, if the system has <sys/sdt.h>, costs one nop. */
#ifndef OURO_HEAP_LISTENERS_H
#define OURO_HEAP_LISTENERS_H

#include <ouroboros.h>
#include <stdbool.h>
#include <stddef.h>

#include "../base/check.h"
#include "heap.h"

extern int ouro_listener_count;

/* Call the function at this offset in Ouro_Listener. Fills in the heap, its size and the
 * clocks. The duration is the time since the same event was told as a beginning. */
void ouro_tell(size_t offset, const struct heap *heap, Ouro_Event *event);

/* docs/events.md promises the names and arguments. The arguments are passed where they are: a
 * probe loads nothing. */
#if defined(__has_include)
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define OURO_PROBE(name, heap, event)                                                    \
    DTRACE_PROBE9(ouroboros, name, heap, (event)->generation, (event)->candidates,       \
                  (event)->collected, (event)->uncollectable, (heap)->used_pages,        \
                  (heap)->trim.resident_unused, (event)->first_phase,                    \
                  (event)->last_phase)
#endif
#endif
#ifndef OURO_PROBE
#define OURO_PROBE(name, heap, event) ((void)0)
#endif

/* `event` is an expression without side effects. */
#define OURO_TELL(name, heap, event)                                                     \
    do {                                                                                 \
        OURO_PROBE(name, heap, event);                                                   \
        if (OURO_UNLIKELY(__atomic_load_n(&ouro_listener_count, __ATOMIC_RELAXED))) {    \
            ouro_tell(offsetof(Ouro_Listener, name), heap, event);                       \
        }                                                                                \
    } while (0)

#endif
