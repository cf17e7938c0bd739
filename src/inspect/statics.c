/* SPDX-License-Identifier: MIT */
/* Static variables that hold objects: words of static data that are addresses of nodes. */
#include "statics.h"

#include "../platform/platform.h"

#include <stdio.h>
#include <string.h>

struct scan {
    struct ouro_graph *graph;
    const struct ouro_span *skipped;
    int skipped_count;
};

static bool
is_skipped(const struct scan *scan, uintptr_t address)
{
    for (int i = 0; i < scan->skipped_count; i++) {
        if (address >= scan->skipped[i].start && address < scan->skipped[i].end) {
            return true;
        }
    }
    return false;
}

static void
note_static(const struct scan *scan, const struct ouro_segment *segment, uintptr_t at,
            PyObject *object)
{
    const char *slash = strrchr(segment->file, '/');
    const char *file = slash != NULL ? slash + 1 : segment->file;
    char name[120];
    snprintf(name, sizeof name, "%.80s+0x%llx", file[0] != '\0' ? file : "the program",
             (unsigned long long)(at - segment->base));
    ouro_graph_root(scan->graph, OURO_GROUP_STATIC, object, name);
}

/* It reads all of the data, including gaps between variables, and while other threads write. */
#if defined(__clang__) || defined(__GNUC__)
__attribute__((no_sanitize("address", "thread")))
#endif
static void
scan_segment(const struct ouro_segment *segment, void *arg)
{
    const struct scan *scan = arg;
    uintptr_t at =
        (segment->start + sizeof(void *) - 1) & ~(uintptr_t)(sizeof(void *) - 1);
    for (; segment->is_writable && at + sizeof(void *) <= segment->end;
         at += sizeof(void *)) {
        PyObject *word = *(PyObject *const volatile *)at;
        if (word != NULL && ouro_graph_misses(scan->graph, word) &&
            !is_skipped(scan, at)) {
            note_static(scan, segment, at, word);
        }
    }
}

void
ouro_statics_root(struct ouro_graph *graph, const struct ouro_span *skipped, int count)
{
    struct scan scan = {graph, skipped, count};
    ouro_platform_each_segment(scan_segment, &scan);
}
