/* SPDX-License-Identifier: MIT */
/* The hash table of a dict, and of a set, which is a dict without values: entries in order of
 * insertion, and an index by hash.
 *
 * The index has 2^log2_size places of 1, 2, 4 or 8 bytes, each the number of an entry, EMPTY,
 * or DELETED. A search starts at the low bits of the hash and steps on until it finds the key
 * or EMPTY. Deleting an item leaves a hole among the entries (key NULL); growing copies the
 * entries without holes into a new table.
 *
 *   dict.inv.room      places taken + usable <= 2/3 of the places, so EMPTY ones remain; a
 *                      place that was taken once never becomes EMPTY again
 *   dict.inv.index     each entry with a key is named by exactly one place
 *   dict.inv.used      ma_used is the number of entries with a key
 *   dict.inv.version   ma_version changes whenever a key comes or goes or entries move:
 *                      code that calls other code compares it before using the table again
 *
 * Nothing in dict_table.c runs other code. */
#ifndef OURO_BUILTINS_DICT_TABLE_H
#define OURO_BUILTINS_DICT_TABLE_H

#include <Python.h>

#include <stdbool.h>

struct dict_entry {
    Py_hash_t hash;
    PyObject *key;   /* owned; NULL in a hole */
    PyObject *value; /* owned; NULL in a set */
};

struct ouro_dict_table {
    uint8_t log2_size;
    uint8_t log2_width; /* of a place, in bytes */
    Py_ssize_t usable;  /* places that may still be taken from EMPTY */
    Py_ssize_t count;   /* entries in use, holes included */
    struct dict_entry *entries;
    char index[]; /* the places; the entries follow them */
};

enum { OURO_DICT_EMPTY = -1, OURO_DICT_DELETED = -2 };

static inline PyDictObject *
ouro_dict(PyObject *op)
{
    return (PyDictObject *)op;
}

/* A table with room for `entries` items; NULL without exception when out of memory. */
struct ouro_dict_table *ouro_dict_table_new(Py_ssize_t entries);
void ouro_dict_table_free(struct ouro_dict_table *table);
/* Bytes that a table takes; 0 for none. */
size_t ouro_dict_table_bytes(const struct ouro_dict_table *table);

static inline size_t
ouro_dict_mask(const struct ouro_dict_table *table)
{
    return ((size_t)1 << table->log2_size) - 1;
}

/* The content of a place. */
static inline Py_ssize_t
ouro_dict_place(const struct ouro_dict_table *table, size_t place)
{
    switch (table->log2_width) {
    case 0:
        return ((const int8_t *)table->index)[place];
    case 1:
        return ((const int16_t *)(const void *)table->index)[place];
    case 2:
        return ((const int32_t *)(const void *)table->index)[place];
    default:
        return ((const int64_t *)(const void *)table->index)[place];
    }
}

/* A search: the next place to look at. In the end all bits of the hash take part. */
struct dict_search {
    size_t place;
    size_t rest;
    size_t mask;
};

static inline struct dict_search
ouro_dict_search_begin(const struct ouro_dict_table *table, Py_hash_t hash)
{
    size_t mask = ouro_dict_mask(table);
    return (struct dict_search){(size_t)hash & mask, (size_t)hash, mask};
}

static inline void
ouro_dict_search_next(struct dict_search *search)
{
    search->rest >>= 5;
    search->place = (search->place * 5 + search->rest + 1) & search->mask;
}

/* The next entry with a key, from number *pos on; *pos becomes the number behind it. NULL
 * at the end. */
static inline struct dict_entry *
ouro_dict_next_entry(const PyDictObject *self, Py_ssize_t *pos)
{
    struct ouro_dict_table *table = self->ma_table;
    if (table == NULL) {
        return NULL;
    }
    while (*pos < table->count) {
        struct dict_entry *entry = &table->entries[(*pos)++];
        if (entry->key != NULL) {
            return entry;
        }
    }
    return NULL;
}

/* The same backwards: the entry with a key before number *pos, which becomes its number. */
static inline struct dict_entry *
ouro_dict_previous_entry(const PyDictObject *self, Py_ssize_t *pos)
{
    struct ouro_dict_table *table = self->ma_table;
    if (table == NULL) {
        return NULL;
    }
    *pos = Py_MIN(*pos, table->count);
    while (*pos > 0) {
        struct dict_entry *entry = &table->entries[--*pos];
        if (entry->key != NULL) {
            return entry;
        }
    }
    return NULL;
}

/* Make sure that one more entry fits. 0, or -1 with MemoryError and nothing changed. */
int ouro_dict_reserve(PyDictObject *self);
/* Append an entry for a key that is not there; there is room. Takes over both references. */
void ouro_dict_append(PyDictObject *self, PyObject *key, Py_hash_t hash, PyObject *value);
/* Make entry number `number` a hole; the references go to the caller. */
void ouro_dict_remove(PyDictObject *self, Py_ssize_t number);

#endif
