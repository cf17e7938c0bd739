/* SPDX-License-Identifier: MIT */
/* How each CPython lays out dicts and the attributes of instances.
 *
 * CPython's headers for these are private, and missing in some installations. So the layouts
 * are described here, once for each change. Code that uses them compares its result with
 * tp_traverse first (plan.c). A test compares every edge of a large program
 * (tests/cpython/ouro_gc). */
#ifndef OURO_GC_LAYOUT_H
#define OURO_GC_LAYOUT_H

#include <Python.h>

#include <stdint.h>

struct dict_entry {
    Py_hash_t hash;
    PyObject *key, *value;
};

struct dict_name_entry { /* if all keys are strings, since 3.11 */
    PyObject *key, *value;
};

#if PY_VERSION_HEX >= 0x030B0000

#define DICT_KEYS_HAVE_KINDS 1
#define DICT_KIND_GENERAL    0

struct dict_keys {
    Py_ssize_t refcnt;
    uint8_t log2_size;
    uint8_t log2_index_bytes;
    uint8_t kind;
    uint32_t version;
    Py_ssize_t usable;
    Py_ssize_t entry_count;
    char indices[];
};

static inline void *
dict_entries(struct dict_keys *keys)
{
    return keys->indices + ((size_t)1 << keys->log2_index_bytes);
}

#else

#define DICT_KEYS_HAVE_KINDS 0

struct dict_keys {
    Py_ssize_t refcnt;
    Py_ssize_t size;
    void (*lookup)(void); /* another function for each kind */
    Py_ssize_t usable;
    Py_ssize_t entry_count;
    char indices[];
};

static inline void *
dict_entries(struct dict_keys *keys)
{
    size_t size = (size_t)keys->size;
    return keys->indices + size * (size <= 0xff         ? 1
                                   : size <= 0xffff     ? 2
                                   : size <= 0xffffffff ? 4
                                                        : 8);
}

#endif

/* The values of a dict that shares its keys with others. */
#if PY_VERSION_HEX >= 0x030D0000
#define DICT_VALUES_MAY_BE_EMBEDDED 1 /* they lie in the instance */

struct shared_values {
    uint8_t capacity, size, is_embedded, is_valid;
    PyObject *items[];
};

static inline PyObject **
shared_items(void *values)
{
    return ((struct shared_values *)values)->items;
}
#else
#define DICT_VALUES_MAY_BE_EMBEDDED 0

static inline PyObject **
shared_items(void *values)
{
    return values;
}
#endif

/* Managed attributes stand before the header of the collector. */
#if PY_VERSION_HEX >= 0x030B0000
#define HAS_MANAGED_DICTS          1
#define MANAGED_DICT_WORD          (-3)
#define MANAGED_VALUES_WORD_OF_311 (-4)
#else
#define HAS_MANAGED_DICTS 0
#endif

/* sys._clear_type_cache() gives out the same version tags again before 3.11. */
#define TAGS_ARE_UNIQUE (PY_VERSION_HEX >= 0x030B0000)

/* Frames of 3.14 and newer hold references that are not counted. CPython skips them only for its
 * own visit functions. */
#define FRAMES_BORROW (PY_VERSION_HEX >= 0x030E0000)

#endif
