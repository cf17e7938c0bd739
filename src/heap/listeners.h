/* SPDX-License-Identifier: MIT */
/* Telling the program's listeners what happens. Here, as the heap is the lowest folder with
 * something to tell. Without a listener a place that tells costs one load and one branch. */
#ifndef OURO_HEAP_LISTENERS_H
#define OURO_HEAP_LISTENERS_H

#include <ouroboros.h>
#include <stdbool.h>
#include <stddef.h>

#include "../base/check.h"
#include "heap.h"

extern int ouro_listener_count;

/* Tell of what stands at this offset in Ouro_Listener. Fills in whose heap it is, how large it
 * is, and the clocks: the time since the same event was told before, as the beginning, is how
 * long it took. */
void ouro_tell(size_t offset, const struct heap *heap, Ouro_Event *event);

#define OURO_TELL(name, heap, event)                                                     \
    do {                                                                                 \
        if (OURO_UNLIKELY(__atomic_load_n(&ouro_listener_count, __ATOMIC_RELAXED))) {    \
            ouro_tell(offsetof(Ouro_Listener, name), heap, event);                       \
        }                                                                                \
    } while (0)

#endif
