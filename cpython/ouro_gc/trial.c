/* SPDX-License-Identifier: MIT */
/* Gathering closures and trying them; trial.h says why. */
#include "trial.h"

#include "closure.h"
#include "tally.h"

#define CLOSURE_MOST  50000 /* objects; a larger closure is too much for slices */
#define PATIENCE_MOST 64
#define TRIES_MOST    4 /* objects tried for each old one; more are too many for slices */

static int
trial_visit(PyObject *target, void *arg)
{
    struct trial *trial = arg;
    uint32_t slot = slot_number(trial->cycle->shadow.windows, target);
    uint8_t value = *shadow_byte(trial->cycle->shadow.bytes, slot);
    if (is_open(value, slot) && is_tracked_container(target)) {
        trial->again +=
            closure_add(trial->detector, target) && (value & CYCLE_PASSED) == 0;
    }
    return 0;
}

void
trial_gather(struct trial *trial, PyObject *object)
{
    struct detector *detector = trial->detector;
    size_t before = detector->closure.count;
    closure_add(detector, object);
    for (size_t i = before; i < detector->closure.count; i++) {
        PyObject *member =
            slot_object(detector->shadow.bases, detector->closure.items[i]);
        Py_TYPE(member)->tp_traverse(member, trial_visit, trial);
        if (detector->closure.count > CLOSURE_MOST || detector->no_memory) {
            closure_release(detector, before);
            trial->cycle->stats.too_large++;
            trial->cycle->is_hopeless = true;
        }
    }
}

/* Unreachable objects of a trial go to the proposals; the others lose CYCLE_PASSED. */
static void
part_trial(struct cycle *cycle, const struct detector *detector,
           struct gc_link *proposals)
{
    for (size_t i = 0; i < detector->closure.count; i++) {
        uint32_t number = detector->closure.items[i];
        PyObject *object = slot_object(detector->shadow.bases, number);
        if (is_unreachable(detector, number)) {
            list_move_after(prev_of(proposals), link_of(object));
        } else {
            uint32_t slot = slot_number(cycle->shadow.windows, object);
            *shadow_byte(cycle->shadow.bytes, slot) &= (uint8_t)~CYCLE_PASSED;
        }
    }
}

/* Garbage may lie in an order where referred objects come first. Then each trial contains all
 * objects of earlier trials, and finds them alive. Larger trials reduce the number of trials. */
static void
choose_patience(struct cycle *cycle, size_t again, size_t tried)
{
    bool is_worse = again * 2 > tried && cycle->patience < PATIENCE_MOST;
    cycle->patience = is_worse            ? cycle->patience * 2
                      : again * 2 > tried ? cycle->patience
                                          : 1;
}

size_t
trial_end(struct trial *trial, struct gc_link *proposals)
{
    struct cycle *cycle = trial->cycle;
    size_t tried = trial->detector->closure.count;
    size_t unreachable = tried == 0 ? 0 : closure_try(trial->detector);
    part_trial(cycle, trial->detector, proposals);
    closure_release(trial->detector, 0);
    choose_patience(cycle, trial->again, tried);
    cycle->stats.tried += (long long)tried;
    cycle->tried += tried;
    cycle->is_hopeless |= cycle->tried > TRIES_MOST * cycle->order.count;
    cycle->done += tried * TRY_COST;
    cycle->stats.handed_over += (long long)unreachable;
    cycle->handed_over += unreachable;
    return unreachable;
}
