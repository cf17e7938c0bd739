/* SPDX-License-Identifier: MIT */
/* CPython's lists of tracked objects, as its GIL builds have them.
 *
 * In front of each object of a GC type stands a header with two links; the low two bits of
 * each are flags. A generation is a circular list around a head. New objects join at the
 * end. All functions need the GIL. */
#ifndef OURO_GC_GCLIST_H
#define OURO_GC_GCLIST_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

struct gc_link {
    uintptr_t next, prev;
};

#define GC_LINK_FLAGS ((uintptr_t)3)

static inline struct gc_link *
link_of(const PyObject *object)
{
    return (struct gc_link *)object - 1;
}

static inline PyObject *
object_of(struct gc_link *link)
{
    return (PyObject *)(link + 1);
}

static inline struct gc_link *
next_of(const struct gc_link *link)
{
    return (struct gc_link *)(link->next & ~GC_LINK_FLAGS);
}

static inline struct gc_link *
prev_of(const struct gc_link *link)
{
    return (struct gc_link *)(link->prev & ~GC_LINK_FLAGS);
}

/* Whether the object of this header is in a list. */
static inline bool
link_is_tracked(const struct gc_link *link)
{
    return link->next != 0;
}

static inline void
join(struct gc_link *first, struct gc_link *second)
{
    first->next = (first->next & GC_LINK_FLAGS) | (uintptr_t)second;
    second->prev = (second->prev & GC_LINK_FLAGS) | (uintptr_t)first;
}

static inline void
list_init(struct gc_link *head)
{
    head->next = head->prev = (uintptr_t)head;
}

static inline bool
list_is_empty(const struct gc_link *head)
{
    return next_of(head) == head;
}

static inline void
list_insert_after(struct gc_link *place, struct gc_link *link)
{
    struct gc_link *next = next_of(place);
    join(place, link);
    join(link, next);
}

/* Behind itself an object stays where it is. */
static inline void
list_move_after(struct gc_link *place, struct gc_link *link)
{
    if (place != link) {
        join(prev_of(link), next_of(link));
        list_insert_after(place, link);
    }
}

/* Move all objects of `from` to the end of `to`. */
static inline void
list_append(struct gc_link *to, struct gc_link *from)
{
    if (!list_is_empty(from)) {
        struct gc_link *last = prev_of(from);
        join(prev_of(to), next_of(from));
        join(last, to);
        list_init(from);
    }
}

#endif
