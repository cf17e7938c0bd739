/* SPDX-License-Identifier: MIT */
/* A closure is the set of objects that some objects lead to. detect.h has the plan.
 *
 * A closure is counted separately, while it is gathered. Then the references from outside the
 * closure decide: the objects that they reach are reachable, and the rest is garbage. */
#ifndef OURO_GC_CLOSURE_H
#define OURO_GC_CLOSURE_H

#include "detect.h"

/* Gather everything that the wanted objects lead to. False if it has more than `most` objects. */
bool closure_gather(struct detector *detector, const uint32_t *slots, size_t most);

/* The closure was too large: undo it. Everything is as before, when the mark was at slots[limit]. */
void closure_leave(struct detector *detector, const uint32_t *slots, size_t first,
                   size_t limit);

/* Follow the references from outside. Objects that they reach belong behind all `count`
 * candidates. Returns how many objects are unreachable. */
size_t closure_mark(struct detector *detector, size_t count);

/* Instead of counting candidates in a given order: begin with the first candidate, count what it
 * leads to, continue with the next candidate that was not counted, and so on. An object that was
 * counted earlier refers to each object, except to those that counting began with. If all of these
 * are held from outside, everything is reachable, and the order of the closure is a proof: then
 * this returns true. Otherwise those that are not held are noted, by their slots. */
bool closure_of_all(struct detector *detector, const uint32_t *slots, size_t count);

/* After that: gather the closure of the noted objects. False if it has more than `most` objects. */
bool closure_of_noted(struct detector *detector, const uint32_t *slots, size_t count,
                      size_t most);

/* For closures that other files gather, after detect_begin(): an object joins the closure. False if
 * it has joined before, or if there is no memory. */
bool closure_add(struct detector *detector, PyObject *object);
/* The objects of the closure from number `first` on leave it. */
void closure_release(struct detector *detector, size_t first);
/* How many objects of the closure are unreachable; is_unreachable() says which. */
size_t closure_try(struct detector *detector);

#endif
