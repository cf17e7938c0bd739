/* SPDX-License-Identifier: MIT */
/* The memory of the program and of the shared objects that are loaded. */
#include <link.h>

#include "platform.h"

struct segment_walk {
    void (*visit)(const struct ouro_segment *segment, void *arg);
    void *arg;
    bool is_program; /* it comes first; some C libraries give it a name, others none */
};

static int
visit_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct segment_walk *walk = arg;
    bool has_name = !walk->is_program && info->dlpi_name != NULL;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && (header->p_flags & PF_R) != 0) {
            struct ouro_segment segment = {
                .start = start,
                .end = start + header->p_memsz,
                .base = info->dlpi_addr,
                .file = has_name ? info->dlpi_name : "",
                .is_writable = (header->p_flags & PF_W) != 0,
            };
            walk->visit(&segment, walk->arg);
        }
    }
    walk->is_program = false;
    return 0;
}

void
ouro_platform_each_segment(void (*visit)(const struct ouro_segment *segment, void *arg),
                           void *arg)
{
    struct segment_walk walk = {visit, arg, true};
    dl_iterate_phdr(visit_object, &walk);
}
