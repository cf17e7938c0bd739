/* SPDX-License-Identifier: MIT */
/* What AddressSanitizer and LeakSanitizer are told about slots. Otherwise they would see one
 * big mapping with nothing inside. Free slots are poisoned whole, header included. The few
 * places that read free slots use the functions below. */
#include "heap.h"

#if OURO_ASAN

#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>

void
ouro_sanitize_live(PyObject *block, size_t lead, size_t bytes)
{
    ASAN_UNPOISON_MEMORY_REGION((char *)block - lead, bytes);
}

void
ouro_sanitize_dead(PyObject *block, size_t lead, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION((char *)block - lead, bytes);
}

void
ouro_sanitize_range(void *start, size_t bytes, bool ours)
{
    if (ours) {
        ASAN_POISON_MEMORY_REGION(start, bytes);
    } else {
        ASAN_UNPOISON_MEMORY_REGION(start, bytes);
    }
}

void
ouro_sanitize_pages(void *start, size_t bytes, bool used)
{
    ASAN_POISON_MEMORY_REGION(start, bytes);
    if (used) {
        __lsan_register_root_region(start, bytes);
    } else {
        __lsan_unregister_root_region(start, bytes);
    }
}

__attribute__((no_sanitize_address)) uint32_t
ouro_sanitize_peek_gc(const PyObject *block)
{
    return block->ob_gc;
}

__attribute__((no_sanitize_address)) PyTypeObject *
ouro_sanitize_peek_type(const PyObject *block)
{
    return block->ob_type;
}

__attribute__((no_sanitize_address)) uint64_t
ouro_sanitize_peek_header(const PyObject *block)
{
    return block->ob_header;
}

#else

extern int ouro_sanitize_nothing; /* a translation unit may not be empty */

#endif
