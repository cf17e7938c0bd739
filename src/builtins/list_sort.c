/* SPDX-License-Identifier: MIT */
/* Sorting a list: a stable merge sort, bottom up, that starts from the runs it finds.
 *
 * During the sort the items are not in the list. Comparing and calling the key function may run
 * any code, which sees an empty list. If that code adds items, the sort raises ValueError
 * afterwards. */
#include "list_object.h"

#include <stdbool.h>

/* What is sorted: an array of elements of `width` references each. An element begins with
 * what is compared and ends with the item, which are the same reference without a key
 * function. */
struct sorting {
    PyObject **items;
    PyObject **spare; /* as large */
    Py_ssize_t size;  /* elements */
    Py_ssize_t width; /* 1, or 2 with a key function */
};

static void
copy_elements(const struct sorting *s, PyObject **to, PyObject *const *from,
              Py_ssize_t count)
{
    memmove(to, from, (size_t)(count * s->width) * sizeof(PyObject *));
}

/* Does element `b` belong before `a`, by what is compared? 1, 0, or -1 with an exception. */
static int
belongs_before(PyObject *const *b, PyObject *const *a)
{
    return PyObject_RichCompareBool(*b, *a, Py_LT);
}

static PyObject **
element(const struct sorting *s, Py_ssize_t index)
{
    return s->items + index * s->width;
}

static void
reverse_elements(const struct sorting *s, Py_ssize_t start, Py_ssize_t end)
{
    for (end--; start < end; start++, end--) {
        PyObject **a = element(s, start), **b = element(s, end);
        for (Py_ssize_t i = 0; i < s->width; i++) {
            PyObject *swap = a[i];
            a[i] = b[i];
            b[i] = swap;
        }
    }
}

/* The end of the ascending run that begins at `start`; a strictly descending one is turned
 * round first, which keeps equal items in order. -1 with an exception. */
static Py_ssize_t
find_run(const struct sorting *s, Py_ssize_t start)
{
    Py_ssize_t end = start + 1;
    if (end >= s->size) {
        return s->size;
    }
    int descending = belongs_before(element(s, end), element(s, start));
    int before = descending;
    while (before == descending) {
        end++;
        if (end >= s->size) {
            break;
        }
        before = belongs_before(element(s, end), element(s, end - 1));
    }
    if (descending < 0 || before < 0) {
        return -1;
    }
    if (descending) {
        reverse_elements(s, start, end);
    }
    return end;
}

/* Merge [start, middle) and [middle, end), by way of the spare array. Whatever happens,
 * every element is there exactly once afterwards. */
static int
merge_runs(const struct sorting *s, Py_ssize_t start, Py_ssize_t middle, Py_ssize_t end)
{
    Py_ssize_t width = s->width;
    copy_elements(s, s->spare, element(s, start), middle - start);
    PyObject **left = s->spare, **left_end = left + (middle - start) * width;
    PyObject **right = element(s, middle), **right_end = element(s, end);
    PyObject **to = element(s, start);
    int before = 0;
    while (left < left_end && right < right_end) {
        before = belongs_before(right, left);
        if (before < 0) {
            break;
        }
        copy_elements(s, to, before ? right : left, 1);
        right += before ? width : 0;
        left += before ? 0 : width;
        to += width;
    }
    /* The rest of the right half is in place already. */
    copy_elements(s, to, left, (left_end - left) / width);
    return before < 0 ? -1 : 0;
}

/* Ends of sorted runs, as a stack: a run is merged into the one below it as soon as that
 * is not twice as long, so lengths grow towards the bottom and the stack stays short. */
struct run_stack {
    Py_ssize_t starts[130];
    int count;
};

static int
merge_top(const struct sorting *s, struct run_stack *runs, Py_ssize_t end)
{
    runs->count--;
    return merge_runs(s, runs->starts[runs->count - 1], runs->starts[runs->count], end);
}

static bool
top_is_large(const struct run_stack *runs, Py_ssize_t end)
{
    Py_ssize_t top = runs->starts[runs->count - 1];
    return runs->count > 1 && (end - top) * 2 > top - runs->starts[runs->count - 2];
}

static int
sort_elements(const struct sorting *s)
{
    struct run_stack runs = {.count = 0};
    Py_ssize_t end = 0;
    while (end < s->size) {
        runs.starts[runs.count++] = end;
        end = find_run(s, end);
        if (end < 0) {
            return -1;
        }
        while (top_is_large(&runs, end)) {
            if (merge_top(s, &runs, end) < 0) {
                return -1;
            }
        }
    }
    while (runs.count > 1) {
        if (merge_top(s, &runs, s->size) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The opposite order, in which equal items still keep theirs. */
static int
sort_in_direction(const struct sorting *s, bool reverse)
{
    if (reverse) {
        reverse_elements(s, 0, s->size);
    }
    int result = sort_elements(s);
    if (reverse) {
        reverse_elements(s, 0, s->size);
    }
    return result;
}

/* Sort `items` by what `key` returns for them. */
static int
sort_by_key(PyObject **items, Py_ssize_t size, PyObject *key, bool reverse)
{
    struct sorting s = {.size = size, .width = 2};
    s.items = PyMem_New(PyObject *, (size_t)size * 4);
    if (s.items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    s.spare = s.items + size * 2;
    Py_ssize_t called = 0;
    for (; called < size; called++) {
        PyObject *value = PyObject_CallOneArg(key, items[called]);
        if (value == NULL) {
            break;
        }
        s.items[called * 2] = value;
        s.items[called * 2 + 1] = items[called];
    }
    int result = called < size ? -1 : sort_in_direction(&s, reverse);
    for (Py_ssize_t i = 0; i < called; i++) {
        items[i] = s.items[i * 2 + 1];
        Py_DECREF(s.items[i * 2]);
    }
    PyMem_Free(s.items);
    return result;
}

static int
sort_items(PyObject **items, Py_ssize_t size, PyObject *key, bool reverse)
{
    if (key != NULL) {
        return sort_by_key(items, size, key, reverse);
    }
    PyObject **spare = PyMem_New(PyObject *, size);
    if (spare == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    struct sorting s = {items, spare, size, 1};
    int result = sort_in_direction(&s, reverse);
    PyMem_Free(spare);
    return result;
}

int
ouro_list_sort(PyListObject *self, PyObject *key, bool reverse)
{
    Py_ssize_t size = Py_SIZE(self), allocated = self->allocated;
    PyObject **items = self->ob_item;
    self->ob_item = NULL;
    self->allocated = 0;
    Py_SET_SIZE(self, 0);

    int result = sort_items(items, size, key, reverse);

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
