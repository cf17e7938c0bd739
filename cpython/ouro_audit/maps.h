/* SPDX-License-Identifier: MIT */
/* The writable memory of this process, as the kernel lists it. */
#ifndef OURO_AUDIT_MAPS_H
#define OURO_AUDIT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
    uintptr_t start, end;
    bool is_stack;
};

struct maps {
    struct mapping *items; /* by address */
    size_t count, room;
};

/* False without memory. Without /proc there are no mappings. */
bool maps_read(struct maps *maps);
void maps_free(struct maps *maps);

/* The mapping that has all bytes from `address` on, or NULL. */
const struct mapping *maps_find(const struct maps *maps, uintptr_t address, size_t size);

#endif
