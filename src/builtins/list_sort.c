/* SPDX-License-Identifier: MIT */
/* Sorting a list: a stable merge sort, bottom up, that starts from the runs it finds.
 *
 * While it works the items are not in the list: comparing runs any code, which sees an
 * empty list and may even put things into it. That is a ValueError afterwards. */
#include "list_object.h"

#include <stdbool.h>

/* Does `b` belong before `a`? 1, 0, or -1 with an exception. */
static int
belongs_before(PyObject *b, PyObject *a)
{
    return PyObject_RichCompareBool(b, a, Py_LT);
}

/* The end of the ascending run that begins at `start`; a strictly descending one is turned
 * round first, which keeps equal items in order. -1 with an exception. */
static Py_ssize_t
find_run(PyObject **items, Py_ssize_t start, Py_ssize_t size)
{
    Py_ssize_t end = start + 1;
    if (end >= size) {
        return size;
    }
    int descending = belongs_before(items[end], items[start]);
    int before = descending;
    while (before == descending) {
        end++;
        if (end >= size) {
            break;
        }
        before = belongs_before(items[end], items[end - 1]);
    }
    if (descending < 0 || before < 0) {
        return -1;
    }
    for (Py_ssize_t i = start, j = end - 1; descending && i < j; i++, j--) {
        PyObject *swap = items[i];
        items[i] = items[j];
        items[j] = swap;
    }
    return end;
}

/* Merge [start, middle) and [middle, end) of `items`, by way of `spare`. Whatever happens,
 * every item is in `items` exactly once afterwards. */
static int
merge_runs(PyObject **items, PyObject **spare, Py_ssize_t start, Py_ssize_t middle,
           Py_ssize_t end)
{
    Py_ssize_t left_count = middle - start;
    memcpy(spare, items + start, (size_t)left_count * sizeof(PyObject *));
    Py_ssize_t left = 0, right = middle, to = start;
    int before = 0;
    while (left < left_count && right < end) {
        before = belongs_before(items[right], spare[left]);
        if (before < 0) {
            break;
        }
        items[to++] = before ? items[right++] : spare[left++];
    }
    /* What is left of the right half is in place already. */
    memcpy(items + to, spare + left, (size_t)(left_count - left) * sizeof(PyObject *));
    return before < 0 ? -1 : 0;
}

/* Ends of sorted runs, as a stack: a run is merged into the one below it as soon as that
 * is not twice as long, so lengths grow towards the bottom and the stack stays short. */
struct run_stack {
    Py_ssize_t starts[130];
    int count;
};

static int
merge_top(PyObject **items, PyObject **spare, struct run_stack *runs, Py_ssize_t end)
{
    runs->count--;
    return merge_runs(items, spare, runs->starts[runs->count - 1],
                      runs->starts[runs->count], end);
}

static bool
top_is_large(const struct run_stack *runs, Py_ssize_t end)
{
    Py_ssize_t top = runs->starts[runs->count - 1];
    return runs->count > 1 && (end - top) * 2 > top - runs->starts[runs->count - 2];
}

static int
sort_items(PyObject **items, PyObject **spare, Py_ssize_t size)
{
    struct run_stack runs = {.count = 0};
    Py_ssize_t end = 0;
    while (end < size) {
        runs.starts[runs.count++] = end;
        end = find_run(items, end, size);
        if (end < 0) {
            return -1;
        }
        while (top_is_large(&runs, end)) {
            if (merge_top(items, spare, &runs, end) < 0) {
                return -1;
            }
        }
    }
    while (runs.count > 1) {
        if (merge_top(items, spare, &runs, size) < 0) {
            return -1;
        }
    }
    return 0;
}

int
ouro_list_sort(PyListObject *self)
{
    Py_ssize_t size = Py_SIZE(self), allocated = self->allocated;
    if (size < 2) {
        return 0;
    }
    PyObject **spare = PyMem_New(PyObject *, size);
    if (spare == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject **items = self->ob_item;
    self->ob_item = NULL;
    self->allocated = 0;
    Py_SET_SIZE(self, 0);

    int result = sort_items(items, spare, size);
    PyMem_Free(spare);

    PyObject **strangers = self->ob_item;
    Py_ssize_t stranger_count = Py_SIZE(self);
    self->ob_item = items;
    self->allocated = allocated;
    Py_SET_SIZE(self, size);
    if (strangers != NULL && result == 0) {
        PyErr_SetString(PyExc_ValueError, "list modified during sort");
        result = -1;
    }
    while (stranger_count-- > 0) {
        Py_DECREF(strangers[stranger_count]);
    }
    PyMem_Free(strangers);
    return result;
}
