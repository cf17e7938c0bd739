/* SPDX-License-Identifier: MIT */
/* Finds out whether an object is lost: alive, although no pointer to it is left in memory. Then no
 * code can ever release it. All writable memory is searched. If there are stale copies of the
 * pointer, the object does not count as lost. */
#include "module.h"

#include <stdint.h>

#include "maps.h"
#include "stack.h"

enum { LARGEST = 1 << 30 }; /* larger mappings take too long; sanitizers have some */

struct search {
    uintptr_t wanted, skip_start, skip_end, own_start, own_end;
    Py_ssize_t count;
};

static bool
is_between(uintptr_t address, uintptr_t start, uintptr_t end)
{
    return address >= start && address < end;
}

/* This also reads memory that AddressSanitizer has poisoned. */
__attribute__((no_sanitize("address"))) static void
search_mapping(struct search *search, const struct mapping *mapping)
{
    for (uintptr_t at = mapping->start; at + sizeof(uintptr_t) <= mapping->end;
         at += sizeof(uintptr_t)) {
        uintptr_t word = *(const volatile uintptr_t *)at;
        search->count += word == search->wanted &&
                         !is_between(at, search->skip_start, search->skip_end) &&
                         !is_between(at, search->own_start, search->own_end) &&
                         !stack_has(at);
    }
}

const char ouro_audit_pointers_to_doc[] =
    "pointers_to(object id, weak reference)\n--\n\n"
    "Return how many words of writable memory are the address of the object. Stacks,\n"
    "the object itself and its weak reference do not count. A mapping that is too large\n"
    "to be searched counts as one word.";

PyObject *
ouro_audit_pointers_to(PyObject *Py_UNUSED(module), PyObject *args)
{
    unsigned long long wanted;
    PyObject *weak;
    struct maps maps;
    if (!PyArg_ParseTuple(args, "KO", &wanted, &weak)) {
        return NULL;
    }
    const PyObject *object = (const PyObject *)(uintptr_t)wanted;
    struct search search = {
        .wanted = (uintptr_t)wanted,
        .skip_start = (uintptr_t)weak,
        .skip_end = (uintptr_t)weak + (uintptr_t)Py_TYPE(weak)->tp_basicsize,
        .own_start = (uintptr_t)object - 32,
        .own_end = (uintptr_t)object + (uintptr_t)Py_TYPE(object)->tp_basicsize};
    if (!maps_read(&maps)) {
        return PyErr_NoMemory();
    }
    for (size_t i = 0; i < maps.count; i++) {
        const struct mapping *mapping = &maps.items[i];
        if (mapping->end - mapping->start >= LARGEST) {
            search.count++;
        } else if (!mapping->is_stack) {
            search_mapping(&search, mapping);
        }
    }
    maps_free(&maps);
    return PyLong_FromSsize_t(search.count);
}
