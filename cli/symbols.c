/* SPDX-License-Identifier: MIT */
/* Reading the dynamic symbols of an ELF file; see symbols.h. Every offset is checked: the file
 * may be anything. */
#include "symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const char *start;
    size_t size;
};

static const void *
part_of(const struct image *image, size_t offset, size_t size)
{
    return offset <= image->size && size <= image->size - offset ? image->start + offset
                                                                 : NULL;
}

static const ElfW(Shdr) * section_at(const struct image *image, size_t number)
{
    const ElfW(Ehdr) *header = part_of(image, 0, sizeof(*header));
    bool is_elf =
        header != NULL && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
        header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
    return is_elf && number < header->e_shnum
               ? part_of(image, header->e_shoff + number * sizeof(ElfW(Shdr)),
                         sizeof(ElfW(Shdr)))
               : NULL;
}

/* The string in a table of strings, or "". */
static const char *
string_at(const struct image *image, const ElfW(Shdr) * strings, size_t offset)
{
    const char *start =
        offset < strings->sh_size
            ? part_of(image, strings->sh_offset + offset, strings->sh_size - offset)
            : NULL;
    return start != NULL && memchr(start, '\0', strings->sh_size - offset) != NULL ? start
                                                                                   : "";
}

/* Is the second name a better one for the file? */
static bool
is_better(const char *file, const char *name, const char *than)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash == NULL ? file : slash + 1;
    size_t length = strlen(name);
    bool fits =
        strncmp(base, name, length) == 0 && (base[length] == '.' || base[length] == 0);
    return than == NULL || fits;
}

static const char *
look_for_init(const struct image *image, const char *file)
{
    static const char prefix[] = "PyInit_";
    const char *found = NULL;
    const ElfW(Shdr) * section;
    for (size_t i = 0; (section = section_at(image, i)) != NULL; i++) {
        const ElfW(Shdr) *strings = section_at(image, section->sh_link);
        if (section->sh_type != SHT_DYNSYM || strings == NULL) {
            continue;
        }
        for (size_t at = 0; at + sizeof(ElfW(Sym)) <= section->sh_size;
             at += sizeof(ElfW(Sym))) {
            const ElfW(Sym) *symbol =
                part_of(image, section->sh_offset + at, sizeof(*symbol));
            if (symbol == NULL) {
                break;
            }
            const char *name = string_at(image, strings, symbol->st_name);
            if (strncmp(name, prefix, sizeof(prefix) - 1) == 0 &&
                symbol->st_shndx != SHN_UNDEF &&
                is_better(file, name + sizeof(prefix) - 1, found)) {
                found = name + sizeof(prefix) - 1;
            }
        }
    }
    return found;
}

char *
symbols_module_name(const char *file)
{
    struct stat status;
    char *name = NULL;
    int handle = open(file, O_RDONLY | O_CLOEXEC);
    if (handle >= 0 && fstat(handle, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, handle, 0);
        if (start != MAP_FAILED) {
            struct image image = {start, size};
            const char *found = look_for_init(&image, file);
            name = found == NULL ? NULL : strdup(found);
            munmap(start, size);
        }
    }
    if (handle >= 0) {
        close(handle);
    }
    return name;
}
