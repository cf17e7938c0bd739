/* SPDX-License-Identifier: MIT */
/* Finding C blocks; see blocks.h.
 *
 * An allocator stores the size of a block: glibc right before the block, CPython at the start of
 * the pool that the block is part of. Both places are read. Several values must agree, otherwise
 * this counts as no block. */
#include "blocks.h"

#include <string.h>

enum { ALIGNMENT = 16, LARGEST_BLOCK = 64 * 1024 };

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__) || defined(Py_GIL_DISABLED)

PyObject *const *
block_words(const struct maps *maps, const void *address, size_t *count)
{
    (void)maps;
    (void)address;
    *count = 0;
    return NULL;
}

#else

static size_t
word_of(uintptr_t address)
{
    size_t word;
    memcpy(&word, (const void *)address, sizeof(word));
    return word;
}

/* --- glibc -------------------------------------------------------------------------------------- */

/* The size before a block has three flags: the previous block is in use; mapped; another arena. The
 * next block says whether this one is in use. */
static size_t
size_in_malloc(const struct maps *maps, uintptr_t start)
{
    enum { FLAGS = 7, IS_MAPPED = 2, PREVIOUS_IN_USE = 1 };
    size_t field = word_of(start - sizeof(size_t));
    size_t size = field & ~(size_t)FLAGS;
    if ((field & IS_MAPPED) != 0 || size < 2 * ALIGNMENT || size % ALIGNMENT != 0 ||
        size > LARGEST_BLOCK || maps_find(maps, start, size) == NULL) {
        return 0;
    }
    size_t behind = word_of(start + size - sizeof(size_t));
    size_t size_behind = behind & ~(size_t)FLAGS;
    return (behind & PREVIOUS_IN_USE) != 0 && size_behind >= 2 * ALIGNMENT &&
                   size_behind % ALIGNMENT == 0
               ? size - sizeof(size_t)
               : 0;
}

/* --- CPython's pools ------------------------------------------------------------------------------ */

#if PY_VERSION_HEX >= 0x030A0000
#define POOL_BYTES ((uintptr_t)16 * 1024)
#else
#define POOL_BYTES ((uintptr_t)4 * 1024)
#endif

/* The start of a pool. Only the members that are needed have names. */
struct pool {
    size_t used;
    void *free, *next, *previous;
    unsigned int arena, class, next_offset, last_offset;
};

static size_t
size_in_pool(const struct maps *maps, uintptr_t start)
{
    struct pool pool;
    uintptr_t base = start & ~(POOL_BYTES - 1);
    if (start - base < sizeof(pool) || maps_find(maps, base, POOL_BYTES) == NULL) {
        return 0;
    }
    memcpy(&pool, (const void *)base, sizeof(pool));
    size_t size = ((size_t)pool.class + 1) * ALIGNMENT;
    return pool.class < 32 && pool.last_offset == POOL_BYTES - size &&
                   (start - base - sizeof(pool)) % size == 0 && pool.used > 0 &&
                   pool.used <= POOL_BYTES / size
               ? size
               : 0;
}

/* --- both ------------------------------------------------------------------------------------------- */

/* Whether an object starts here: its second word is a type, whose type is a metatype. */
static bool
starts_object(const struct maps *maps, uintptr_t start)
{
    uintptr_t type = word_of(start + sizeof(size_t));
    if (type % sizeof(void *) != 0 ||
        maps_find(maps, type, sizeof(PyTypeObject)) == NULL) {
        return false;
    }
    const PyTypeObject *metatype = Py_TYPE((PyObject *)type);
    return metatype == &PyType_Type ||
           (maps_find(maps, (uintptr_t)metatype, sizeof(PyTypeObject)) != NULL &&
            Py_TYPE(metatype) == &PyType_Type);
}

PyObject *const *
block_words(const struct maps *maps, const void *address, size_t *count)
{
    uintptr_t start = (uintptr_t)address;
    *count = 0;
    if (start % ALIGNMENT != 0 ||
        maps_find(maps, start - ALIGNMENT, 3 * (size_t)ALIGNMENT) == NULL ||
        starts_object(maps, start)) {
        return NULL;
    }
    size_t size = size_in_pool(maps, start);
    size = size != 0 ? size : size_in_malloc(maps, start);
    *count = size / sizeof(PyObject *);
    return size == 0 ? NULL : (PyObject *const *)address;
}

#endif
