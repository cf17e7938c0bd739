/* SPDX-License-Identifier: MIT */
/* Pauses of ordinary programs with `n` live objects, most of which grow old before they are
 * dropped, so that only a full collection finds them.
 *
 *   tree     documents: a page is a tree of 5,461 nodes with pointers to their parents, and a
 *            listener at every fourth. A random page is replaced by a new one
 *   cache    rings of ten objects. The cache knows one object of each ring by a weak reference
 *            that calls back. A random ring is replaced, and some rings are looked up
 *   events   a queue of closures, each in a cycle with its variables. The oldest is dropped
 *            when a new one is queued
 *
 *   idle     nothing. The machine causes whatever looks like a pause here, such as time that
 *            the host of a virtual machine took: the thread's clock counts it
 *
 * Behind the name may follow, with a "-" each:
 *
 *   ends     one listener in 16 has a finalizer, and one in 16 a weak reference; every other
 *            weak reference calls back
 *   dropped  all the pages are dropped at once, at a third of the run
 *   long     six times as many turns: what comes after many cycles
 *   touch    the next page of memory, which the system has not given to the program so far, is written
 *            between two looks at the clock
 *   work     three microseconds of work for each object */
#include "measure.h"
#include "peer.h"
#include "watch.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

#define STEP    32 /* objects between two looks at the clock */
#define OS_PAGE 4096
#define FANOUT  4
#define DEPTH   6
#define PAGE    5461 /* 1 + 4 + ... + 4^6 */

enum { PARENT, CHILD, LISTENER = CHILD + FANOUT, NODE_WIDTH };

struct program {
    node *roots; /* these hold everything that is alive */
    uint32_t count, next;
    node *weak; /* a ring: the newest take the places of the oldest */
    uint32_t weak_count, weak_next;
    uint32_t made, listeners;
    int has_ends, works;
    char *untouched; /* memory, and its end; NULL unless it is to be touched */
    char *end;
    struct watch watch;
};

static void
touch_next_page(struct program *program)
{
    if (program->untouched < program->end) {
        *(volatile char *)program->untouched = 1;
        program->untouched += OS_PAGE;
    }
}

/* Call this once for each new object. */
static void
note_made(struct program *program)
{
    if (program->works) {
        work_do();
    }
    if (++program->made % STEP == 0) {
        touch_next_page(program);
        peer_safe_point();
        watch_step(&program->watch, program->works ? STEP * WORK : 0);
    }
}

static void
keep_weak(struct program *program, node weakref)
{
    node *place = &program->weak[program->weak_next++ % program->weak_count];
    if (*place != NULL) {
        peer_drop(*place);
    }
    *place = weakref;
}

/* --- documents ------------------------------------------------------------------------------- */

static node
new_listener(struct program *program)
{
    uint32_t number = program->listeners++;
    if (program->has_ends && number % 16 == 0) {
        return peer_new_finalized();
    }
    if (program->has_ends && number % 16 == 8) {
        node weakref, listener = peer_new_weak(&weakref, number % 32 == 8);
        keep_weak(program, weakref);
        return listener;
    }
    return peer_new();
}

static node
new_tree(struct program *program, int depth)
{
    node self = peer_new_wide(NODE_WIDTH);
    note_made(program);
    if (program->made % 4 == 0) {
        node listener = new_listener(program);
        peer_link(listener, 0, self);
        peer_link_wide(self, LISTENER, listener);
        peer_drop(listener);
    }
    for (int i = 0; i < FANOUT && depth > 0; i++) {
        node child = new_tree(program, depth - 1);
        peer_link_wide(child, PARENT, self);
        peer_link_wide(self, CHILD + i, child);
        peer_drop(child);
    }
    return self;
}

static node
new_page(struct program *program)
{
    return new_tree(program, DEPTH);
}

/* --- a cache --------------------------------------------------------------------------------- */

#define RING 10

static node
new_entry(struct program *program)
{
    node weakref, first = peer_new_weak(&weakref, 1), last = first;
    keep_weak(program, weakref);
    for (int i = 1; i < RING; i++) {
        node next = peer_new();
        note_made(program);
        peer_link(last, 0, next);
        peer_link(next, 1, first);
        peer_drop(next);
        last = next;
    }
    note_made(program);
    peer_link(last, 0, first);
    node known = program->weak[random_below(program->weak_count)];
    (void)(known != NULL && peer_is_weak_dead(known));
    return first;
}

/* --- events ---------------------------------------------------------------------------------- */

#define EVENT 3

static node
new_event(struct program *program)
{
    node closure = peer_new_wide(2), variables = peer_new_wide(3), value = peer_new();
    peer_link_wide(closure, 0, variables);
    peer_link_wide(variables, 0, closure);
    peer_link_wide(variables, 1, value);
    peer_drop(variables);
    peer_drop(value);
    for (int i = 0; i < EVENT; i++) {
        note_made(program);
    }
    return closure;
}

static node
make_nothing(struct program *program)
{
    note_made(program);
    return NULL;
}

/* --- all ------------------------------------------------------------------------------------- */

static const struct scene {
    const char *name;
    node (*make)(struct program *program);
    uint32_t size; /* objects that make() makes */
    int is_queue;
} scenes[] = {
    {"tree", new_page, PAGE, 0},
    {"cache", new_entry, RING, 0},
    {"events", new_event, EVENT, 1},
    {"idle", make_nothing, 1, 1},
};

static const struct scene *
find_scene(const char *shape)
{
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (strncmp(shape, scenes[i].name, strlen(scenes[i].name)) == 0) {
            return &scenes[i];
        }
    }
    bench_fail("there is no program %s", shape);
}

static void
replace_one(struct program *program, const struct scene *scene)
{
    uint32_t i = program->next++ % program->count;
    i = scene->is_queue ? i : random_below(program->count);
    node old = program->roots[i];
    program->roots[i] = scene->make(program);
    if (old != NULL) {
        peer_drop(old);
    }
}

static void
drop_all(struct program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        peer_drop(program->roots[i]);
        program->roots[i] = NULL;
    }
}

void
run_programs(const struct job *job)
{
    const struct scene *scene = find_scene(job->shape);
    struct program program = {.count = job->n / scene->size + 1};
    int drops = strstr(job->shape, "-dropped") != NULL;
    random_seed(1);
    work_calibrate();
    program.has_ends = strstr(job->shape, "-ends") != NULL;
    program.roots = peer_array(program.count);
    program.weak_count = 2 * job->n / RING + 1;
    program.weak = peer_array(program.weak_count);
    peer_automatic();
    for (uint32_t i = 0; i < program.count; i++) {
        program.roots[i] = scene->make(&program);
    }
    peer_collect(); /* this also switches automatic collections off again */
    peer_automatic();
    peer_record_pauses();
    program.works = strstr(job->shape, "-work") != NULL;
    uint32_t turns = (program.works ? 1 : 4) * program.count;
    turns *= strstr(job->shape, "-long") != NULL ? 6 : 1;
    if (strstr(job->shape, "-touch") != NULL) {
        size_t size = (size_t)turns * scene->size / STEP * OS_PAGE;
        program.untouched = malloc(size);
        program.end = program.untouched != NULL ? program.untouched + size : NULL;
    }
    watch_start(&program.watch);
    double start = clock_read();
    for (uint32_t i = 0; i < turns; i++) {
        if (drops && i == turns / 3) {
            drop_all(&program);
        }
        replace_one(&program, scene);
    }
    value_print("total", clock_read() - start);
    value_print("rss", peak_bytes());
    watch_print_all(&program.watch);
    peer_print_cycles();
}
