/* SPDX-License-Identifier: MIT */
/* Reading /proc/self/maps; see maps.h. */
#include "maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
add_mapping(struct maps *maps, struct mapping mapping)
{
    if (maps->count == maps->room) {
        size_t room = maps->room * 2 + 64;
        struct mapping *items = realloc(maps->items, room * sizeof(items[0]));
        if (items == NULL) {
            return false;
        }
        maps->items = items;
        maps->room = room;
    }
    maps->items[maps->count++] = mapping;
    return true;
}

/* A line is "start-end rw-p offset device inode name". */
static bool
add_line(struct maps *maps, const char *line)
{
    char *end;
    struct mapping mapping = {.start = (uintptr_t)strtoull(line, &end, 16)};
    mapping.end = *end == '-' ? (uintptr_t)strtoull(end + 1, &end, 16) : 0;
    mapping.is_stack = strstr(end, "[stack") != NULL;
    if (strncmp(end, " rw", 3) != 0 || strstr(end, "/dev/") != NULL) {
        return true;
    }
    return add_mapping(maps, mapping);
}

bool
maps_read(struct maps *maps)
{
    char line[1000];
    bool done = true;
    FILE *file = fopen("/proc/self/maps", "re");
    *maps = (struct maps){0};
    while (done && file != NULL && fgets(line, sizeof(line), file) != NULL) {
        done = add_line(maps, line);
    }
    if (file != NULL) {
        fclose(file);
    }
    return done;
}

void
maps_free(struct maps *maps)
{
    free(maps->items);
    *maps = (struct maps){0};
}

const struct mapping *
maps_find(const struct maps *maps, uintptr_t address, size_t size)
{
    size_t low = 0, high = maps->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct mapping *mapping = &maps->items[middle];
        if (address < mapping->start) {
            high = middle;
        } else if (address >= mapping->end) {
            low = middle + 1;
        } else {
            return size <= mapping->end - address ? mapping : NULL;
        }
    }
    return NULL;
}
