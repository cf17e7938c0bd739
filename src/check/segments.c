/* SPDX-License-Identifier: MIT */
/* The memory of the program and its libraries, as they were loaded: code and static data. Static
 * objects are there; a look at them needs no system call. */
#include <link.h>

#include "check.h"

#define SEGMENTS_MOST 1024

struct segment {
    uintptr_t start, end;
    bool is_writable;
};

static struct segment segments[SEGMENTS_MOST];
static int segment_count;

static int
note_segments(struct dl_phdr_info *info, size_t Py_UNUSED(size), void *Py_UNUSED(arg))
{
    for (int i = 0; i < info->dlpi_phnum && segment_count < SEGMENTS_MOST; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && (header->p_flags & PF_R) != 0) {
            segments[segment_count++] = (struct segment){start, start + header->p_memsz,
                                                         (header->p_flags & PF_W) != 0};
        }
    }
    return 0;
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

/* Loading is seen when the answer would be no. Modules are not unloaded. */
bool
ouro_segments_have(const void *p, size_t bytes)
{
    uintptr_t start = (uintptr_t)p;
    if (is_in_known_segment(start, bytes)) {
        return true;
    }
    segment_count = 0;
    dl_iterate_phdr(note_segments, NULL);
    return is_in_known_segment(start, bytes);
}

int
ouro_segments_count(const void *wanted)
{
    int found = 0;
    segment_count = 0;
    dl_iterate_phdr(note_segments, NULL);
    for (int i = 0; i < segment_count; i++) {
        if (segments[i].is_writable) {
            uintptr_t start = segments[i].start + -segments[i].start % sizeof(void *);
            found +=
                ouro_words_count((const char *)start, segments[i].end - start, wanted);
        }
    }
    return found;
}
