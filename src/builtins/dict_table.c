/* SPDX-License-Identifier: MIT */
/* The hash table of a dict; see dict_table.h. */
#include "dict_table.h"

static void
set_place(struct ouro_dict_table *table, size_t place, Py_ssize_t value)
{
    switch (table->log2_width) {
    case 0:
        ((int8_t *)table->index)[place] = (int8_t)value;
        break;
    case 1:
        ((int16_t *)(void *)table->index)[place] = (int16_t)value;
        break;
    case 2:
        ((int32_t *)(void *)table->index)[place] = (int32_t)value;
        break;
    default:
        ((int64_t *)(void *)table->index)[place] = value;
        break;
    }
}

static size_t
bytes_of_size(uint8_t log2_size, uint8_t log2_width)
{
    size_t capacity = ((size_t)2 << log2_size) / 3;
    return sizeof(struct ouro_dict_table) + ((size_t)1 << (log2_size + log2_width)) +
           capacity * sizeof(struct dict_entry);
}

size_t
ouro_dict_table_bytes(const struct ouro_dict_table *table)
{
    return table != NULL ? bytes_of_size(table->log2_size, table->log2_width) : 0;
}

struct ouro_dict_table *
ouro_dict_table_new(Py_ssize_t entries)
{
    uint8_t log2_size = 3;
    while (log2_size < 58 && (((Py_ssize_t)2 << log2_size) / 3) < entries) {
        log2_size++;
    }
    uint8_t log2_width = log2_size < 8 ? 0 : log2_size < 16 ? 1 : log2_size < 32 ? 2 : 3;
    Py_ssize_t capacity = ((Py_ssize_t)2 << log2_size) / 3;
    if (log2_size == 58) {
        return NULL;
    }
    /* Both parts are multiples of 8 bytes. */
    size_t places = (size_t)1 << (log2_size + log2_width);
    struct ouro_dict_table *table = PyMem_Malloc(bytes_of_size(log2_size, log2_width));
    if (table == NULL) {
        return NULL;
    }
    table->log2_size = log2_size;
    table->log2_width = log2_width;
    table->usable = capacity;
    table->count = 0;
    table->entries = (struct dict_entry *)(void *)(table->index + places);
    memset(table->index, 0xFF, places); /* OURO_DICT_EMPTY in every width */
    return table;
}

void
ouro_dict_table_free(struct ouro_dict_table *table)
{
    PyMem_Free(table);
}

/* The first free place on the probe path of `hash`. */
static size_t
find_free_place(const struct ouro_dict_table *table, Py_hash_t hash)
{
    struct dict_search search = ouro_dict_search_begin(table, hash);
    while (ouro_dict_place(table, search.place) >= 0) {
        ouro_dict_search_next(&search);
    }
    return search.place;
}

static void
append_entry(struct ouro_dict_table *table, const struct dict_entry *entry)
{
    set_place(table, find_free_place(table, entry->hash), table->count);
    table->entries[table->count++] = *entry;
    table->usable--;
}

int
ouro_dict_reserve(PyDictObject *self)
{
    struct ouro_dict_table *old = self->ma_table;
    if (old != NULL && old->usable > 0) {
        return 0;
    }
    /* Twice the items; if there were many holes, that is no more than before. */
    struct ouro_dict_table *table =
        ouro_dict_table_new(self->ma_used == 0 ? 1 : self->ma_used * 2);
    if (table == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; old != NULL && i < old->count; i++) {
        if (old->entries[i].key != NULL) {
            append_entry(table, &old->entries[i]);
        }
    }
    self->ma_table = table;
    self->ma_version++;
    ouro_dict_table_free(old);
    return 0;
}

void
ouro_dict_append(PyDictObject *self, PyObject *key, Py_hash_t hash, PyObject *value)
{
    append_entry(self->ma_table, &(struct dict_entry){hash, key, value});
    self->ma_used++;
    self->ma_version++;
}

void
ouro_dict_remove(PyDictObject *self, Py_ssize_t number)
{
    struct ouro_dict_table *table = self->ma_table;
    struct dict_entry *entry = &table->entries[number];
    struct dict_search search = ouro_dict_search_begin(table, entry->hash);
    while (ouro_dict_place(table, search.place) != number) {
        ouro_dict_search_next(&search);
    }
    set_place(table, search.place, OURO_DICT_DELETED);
    entry->key = NULL;
    entry->value = NULL;
    /* So that popping items one by one from the end does not search for each. */
    while (table->count > 0 && table->entries[table->count - 1].key == NULL) {
        table->count--;
    }
    self->ma_used--;
    self->ma_version++;
}
