/* SPDX-License-Identifier: MIT */
/* Bags: sorted arrays of pointers. */
#include "audit_rules.h"

#include <stdlib.h>
#include <string.h>

bool
ouro_audit_bag_put(struct bag *bag, PyObject *item)
{
    if (bag->count == bag->room) {
        size_t room = bag->room * 2 + 16;
        PyObject **items = realloc(bag->items, room * sizeof(PyObject *));
        if (items == NULL) {
            return false;
        }
        bag->items = items;
        bag->room = room;
    }
    bag->items[bag->count++] = item;
    return true;
}

static int
compare_addresses(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (PyObject *const *)a;
    uintptr_t right = (uintptr_t) * (PyObject *const *)b;
    return (left > right) - (left < right);
}

void
ouro_audit_bag_sort(struct bag *bag)
{
    if (bag->count > 1) {
        qsort(bag->items, bag->count, sizeof(PyObject *), compare_addresses);
    }
}

/* The index of the first item that is not below `item`. */
static size_t
find_in_bag(const struct bag *bag, const PyObject *item)
{
    size_t low = 0, high = bag->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)bag->items[middle] < (uintptr_t)item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

size_t
ouro_audit_bag_count(const struct bag *bag, const PyObject *item)
{
    /* Every greater address is at least one byte further: that is where the item's run ends. */
    return find_in_bag(bag, (const PyObject *)((const char *)item + 1)) -
           find_in_bag(bag, item);
}

bool
ouro_audit_bags_are_equal(const struct bag *a, const struct bag *b)
{
    return a->count == b->count &&
           (a->count == 0 ||
            memcmp(a->items, b->items, a->count * sizeof(PyObject *)) == 0);
}

size_t
ouro_audit_bag_next(const struct bag *bag, size_t i)
{
    PyObject *item = bag->items[i];
    while (i < bag->count && bag->items[i] == item) {
        i++;
    }
    return i;
}
