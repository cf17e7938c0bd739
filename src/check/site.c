/* SPDX-License-Identifier: MIT */
/* Where something happened: return addresses along the frame pointers.
 *
 * Every allocation records one, so it must be cheap: no unwinder, and lines are looked up when
 * a report is printed (lines.c). The walk stays inside the thread's stack, and ends early in
 * code that was compiled without frame pointers. */
#include <dlfcn.h>
#include <pthread.h>

#include "check.h"

static _Thread_local char *stack_end;

static char *
end_of_stack(void)
{
    if (stack_end == NULL) {
        pthread_attr_t attributes;
        void *low = NULL;
        size_t bytes = 0;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstack(&attributes, &low, &bytes);
            pthread_attr_destroy(&attributes);
        }
        stack_end = (char *)low + bytes;
    }
    return stack_end;
}

void
ouro_site_take(struct site *site)
{
    char *end = end_of_stack();
    char *frame = __builtin_frame_address(0);
    site->count = 0;
    while (site->count < OURO_SITE_DEPTH) {
        char *caller;
        void *address;
        /* as numbers: in code without frame pointers it may be anything */
        if ((uintptr_t)frame % sizeof(void *) != 0 || (uintptr_t)end < 16 ||
            (uintptr_t)frame > (uintptr_t)end - 16) {
            return;
        }
        memcpy(&caller, frame, sizeof caller);
        memcpy(&address, frame + sizeof caller, sizeof address);
        if (address == NULL) {
            return;
        }
        site->frames[site->count++] = address;
        if ((uintptr_t)caller <= (uintptr_t)frame) {
            return;
        }
        frame = caller;
    }
}

static void
print_address(FILE *file, void *address)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL) {
        fprintf(file, "    %p\n", address);
        return;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    const char *name = slash != NULL ? slash + 1 : info.dli_fname;
    if (info.dli_sname != NULL) {
        fprintf(file, "    %s+%#tx in %s\n", info.dli_sname,
                (char *)address - (char *)info.dli_saddr, name);
    } else {
        fprintf(file, "    %s+%#tx\n", name, (char *)address - (char *)info.dli_fbase);
    }
}

static void
print_frame(FILE *file, void *address, const struct line *line)
{
    if (line->is_known) {
        fprintf(file, "    %s\n", line->text);
    } else {
        print_address(file, address);
    }
}

/* Frames of the library itself are left out. */
void
ouro_site_print(FILE *file, const char *what, void *const *frames, int count)
{
    struct line lines[OURO_SITE_DEPTH];
    bool is_told = false;
    count = count < OURO_SITE_DEPTH ? count : OURO_SITE_DEPTH;
    ouro_lines_find(frames, count, lines);
    for (int i = 0; i < count; i++) {
        if (!lines[i].is_left_out) {
            if (!is_told) {
                fprintf(file, "  %s\n", what);
                is_told = true;
            }
            print_frame(file, frames[i], &lines[i]);
        }
    }
}
