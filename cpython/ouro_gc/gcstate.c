/* SPDX-License-Identifier: MIT */
/* Finding and checking CPython's generations; gcstate.h says how. */
#include "gcstate.h"

#include <string.h>

/* Words from the pointer to gc.callbacks to long_lived_total. */
#if PY_VERSION_HEX >= 0x030F0000
#define WORDS_TO_TOTAL 2 /* heap_size stands between them */
#elif PY_VERSION_HEX >= 0x030E0000
#define WORDS_TO_TOTAL 4 /* and what the incremental collector of 3.14.0 left behind */
#else
#define WORDS_TO_TOTAL 1
#endif
#define WORDS_TO_SEARCH 64 /* between the generations and the pointer to gc.callbacks */
#define LISTS_TO_CHECK                                                                   \
    1000 /* links of each list that are compared with their neighbours */

static bool
refuse(const char *what)
{
    PyErr_Format(
        PyExc_RuntimeError,
        "ouro_gc cannot find the collector of this CPython (%s): the module was built "
        "for %s and runs in %s; build it again for this one",
        what, PY_VERSION, Py_GetVersion());
    return false;
}

/* The newest tracked object is the last of the youngest generation. */
static struct generation *
find_generations(void)
{
    PyObject *newest = PyList_New(0);
    if (newest == NULL) {
        return NULL;
    }
    struct generation *found = (struct generation *)next_of(link_of(newest));
    bool is_last = prev_of(&found->head) == link_of(newest);
    Py_DECREF(newest);
    return is_last ? found : NULL;
}

/* The numbers of the tuple that gc.get_threshold() or gc.get_count() returns. */
static bool
ask_numbers(PyObject *gc, const char *function, long *numbers)
{
    PyObject *answer = PyObject_CallMethod(gc, function, NULL);
    bool is_good = answer != NULL &&
                   PyArg_ParseTuple(answer, "lll", &numbers[0], &numbers[1], &numbers[2]);
    Py_XDECREF(answer);
    return is_good;
}

/* The result of gc.get_count() is a little older than memory: making its tuple is counted. */
static bool
numbers_agree(PyObject *gc, const struct generation *generations)
{
    long thresholds[GENERATIONS], counts[GENERATIONS];
    if (!ask_numbers(gc, "get_threshold", thresholds) ||
        !ask_numbers(gc, "get_count", counts)) {
        return false;
    }
    for (int i = 0; i < GENERATIONS; i++) {
        long drift = generations[i].count - counts[i];
        if (generations[i].threshold != thresholds[i] || drift < -16 || drift > 16) {
            return refuse("thresholds and counts differ from those of the gc module");
        }
    }
    return true;
}

static bool
lists_are_whole(struct generation *generations)
{
    for (int i = 0; i < GENERATIONS; i++) {
        struct gc_link *head = &generations[i].head, *link = head;
        for (int steps = 0; steps < LISTS_TO_CHECK; steps++) {
            struct gc_link *next = next_of(link);
            if (next == NULL || prev_of(next) != link) {
                return refuse("a list of objects is not linked both ways");
            }
            link = next;
            if (link == head) {
                break;
            }
        }
    }
    return true;
}

static bool
find_counters(struct gc_state *state, PyObject *garbage)
{
    uintptr_t *words = (uintptr_t *)(state->generations + GENERATIONS);
    for (int i = 0; i < WORDS_TO_SEARCH; i++) {
        if (words[i] == (uintptr_t)garbage &&
            words[i + 1] == (uintptr_t)state->callbacks) {
            state->long_lived_total = (Py_ssize_t *)&words[i + 1 + WORDS_TO_TOTAL];
            state->long_lived_pending = state->long_lived_total + 1;
            return (*state->long_lived_total >= 0 && *state->long_lived_pending >= 0) ||
                   refuse("the numbers of long-lived objects are negative");
        }
    }
    return refuse("gc.garbage and gc.callbacks are not where they should be");
}

static bool
find_with_module(struct gc_state *state, PyObject *gc)
{
    PyObject *garbage = PyObject_GetAttrString(gc, "garbage");
    state->callbacks = PyObject_GetAttrString(gc, "callbacks");
    state->get_debug = PyObject_GetAttrString(gc, "get_debug");
    bool is_found = false;
    if (garbage != NULL && state->callbacks != NULL && state->get_debug != NULL) {
        state->generations = find_generations();
        is_found =
            !PyList_CheckExact(state->callbacks) ? refuse("gc.callbacks is no list")
            : state->generations == NULL
                ? PyErr_Occurred() == NULL && refuse("a new list is in no generation")
                : numbers_agree(gc, state->generations) &&
                      lists_are_whole(state->generations) &&
                      find_counters(state, garbage);
    }
    Py_XDECREF(garbage);
    return is_found;
}

bool
gc_state_find(struct gc_state *state)
{
    *state = (struct gc_state){0};
    PyObject *gc = PyImport_ImportModule("gc");
    bool is_found = gc != NULL && find_with_module(state, gc);
    Py_XDECREF(gc);
    if (!is_found) {
        gc_state_release(state);
    }
    return is_found;
}

void
gc_state_release(struct gc_state *state)
{
    Py_CLEAR(state->callbacks);
    Py_CLEAR(state->get_debug);
    state->generations = NULL;
}

bool
gc_state_is_debugging(const struct gc_state *state)
{
    PyObject *flags = PyObject_CallObject(state->get_debug, NULL);
    bool is_debugging = flags == NULL || PyLong_AsLong(flags) != 0;
    Py_XDECREF(flags);
    PyErr_Clear();
    return is_debugging;
}
