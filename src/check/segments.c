/* SPDX-License-Identifier: MIT */
/* The memory of the program and its libraries, as they were loaded: code and static data.
 * Static objects are there; reading them needs no system call. */
#include "../platform/platform.h"
#include "check.h"

#define SEGMENTS_MOST 1024

static struct ouro_segment segments[SEGMENTS_MOST];
static int segment_count;

static void
note_segment(const struct ouro_segment *segment, void *Py_UNUSED(arg))
{
    if (segment_count < SEGMENTS_MOST) {
        segments[segment_count++] = *segment;
    }
}

static bool
is_in_known_segment(uintptr_t start, size_t bytes)
{
    for (int i = 0; i < segment_count; i++) {
        if (start >= segments[i].start && start + bytes <= segments[i].end) {
            return true;
        }
    }
    return false;
}

/* If the answer would be no, look for newly loaded files. Modules are never unloaded. */
bool
ouro_segments_have(const void *p, size_t bytes)
{
    uintptr_t start = (uintptr_t)p;
    if (is_in_known_segment(start, bytes)) {
        return true;
    }
    segment_count = 0;
    ouro_platform_each_segment(note_segment, NULL);
    return is_in_known_segment(start, bytes);
}

int
ouro_segments_count(const void *wanted)
{
    int found = 0;
    segment_count = 0;
    ouro_platform_each_segment(note_segment, NULL);
    for (int i = 0; i < segment_count; i++) {
        if (segments[i].is_writable) {
            uintptr_t start = segments[i].start + -segments[i].start % sizeof(void *);
            found +=
                ouro_words_count((const char *)start, segments[i].end - start, wanted);
        }
    }
    return found;
}
