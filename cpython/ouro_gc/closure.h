/* SPDX-License-Identifier: MIT */
/* Closures: what some objects lead to, counted by itself; detect.h has the plan.
 *
 * A closure is counted while it is gathered. Then the references that come from outside of it
 * decide: what they reach is reachable, and the rest is garbage. */
#ifndef OURO_GC_CLOSURE_H
#define OURO_GC_CLOSURE_H

#include "detect.h"

/* All that the wanted objects lead to. False if these are more than `most`. */
bool closure_gather(struct detector *detector, const uint32_t *slots, size_t most);

/* It was too large: all is as it was before, when the mark had come to slots[limit]. */
void closure_leave(struct detector *detector, const uint32_t *slots, size_t first,
                   size_t limit);

/* Follow references from outside. What they reach belongs behind all `count` candidates. Returns
 * how many are unreachable. */
size_t closure_mark(struct detector *detector, size_t count);

/* Instead of counting candidates in an order: begin with the first, count what it leads to, go on
 * with the next that was not counted, and so on. Each object is referred to by one that was
 * counted before, but for those that were begun with. If all of these are held from outside,
 * everything is reachable, and the order of the closure is a proof: then true. The others are
 * noted, by their slots. */
bool closure_of_all(struct detector *detector, const uint32_t *slots, size_t count);

/* After that: the closure of those that were noted. False if it has more than `most` objects. */
bool closure_of_noted(struct detector *detector, const uint32_t *slots, size_t count,
                      size_t most);

/* For closures that somebody else gathers, after detect_begin(): an object joins the closure.
 * False if it has done so before, or memory is lacking. */
bool closure_add(struct detector *detector, PyObject *object);
/* The objects of the closure from number `first` on leave it. */
void closure_release(struct detector *detector, size_t first);
/* How many of the closure are unreachable? is_unreachable() tells them. */
size_t closure_try(struct detector *detector);

#endif
