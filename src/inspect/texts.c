/* SPDX-License-Identifier: MIT */
/* Texts, each once, by number. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
hash_of_text(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    }
    return hash ^ hash >> 15;
}

/* Where the text's number is, or belongs. */
static uint32_t *
text_slot(const struct ouro_texts *texts, const char *text)
{
    uint32_t at = hash_of_text(text) & (texts->slot_count - 1);
    while (texts->slots[at] != OURO_NO_NODE &&
           strcmp(texts->bytes + texts->starts[texts->slots[at]], text) != 0) {
        at = (at + 1) & (texts->slot_count - 1);
    }
    return &texts->slots[at];
}

static bool
make_text_slots(struct ouro_texts *texts, uint32_t slot_count)
{
    uint32_t *slots = malloc(slot_count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0xFF, slot_count * sizeof *slots);
    free(texts->slots);
    texts->slots = slots;
    texts->slot_count = slot_count;
    for (uint32_t i = 0; i < texts->count; i++) {
        *text_slot(texts, texts->bytes + texts->starts[i]) = i;
    }
    return true;
}

static bool
make_text_room(struct ouro_texts *texts, size_t length)
{
    if (texts->count == texts->room) {
        uint32_t room = texts->room * 2 + 64;
        uint32_t *starts = realloc(texts->starts, room * sizeof *starts);
        if (starts == NULL) {
            return false;
        }
        texts->starts = starts;
        texts->room = room;
    }
    if (texts->used + length + 1 > texts->space) {
        size_t space = texts->space * 2 + length + 1024;
        char *bytes = space <= UINT32_MAX ? realloc(texts->bytes, space) : NULL;
        if (bytes == NULL) {
            return false;
        }
        texts->bytes = bytes;
        texts->space = space;
    }
    return texts->count * 2 < texts->slot_count ||
           make_text_slots(texts, texts->slot_count * 2);
}

bool
ouro_texts_init(struct ouro_texts *texts)
{
    bool failed = false;
    *texts = (struct ouro_texts){0};
    return make_text_slots(texts, 1024) && ouro_texts_put(texts, "", &failed) == 0 &&
           !failed;
}

void
ouro_texts_free(struct ouro_texts *texts)
{
    free(texts->bytes);
    free(texts->starts);
    free(texts->slots);
    *texts = (struct ouro_texts){0};
}

uint32_t
ouro_texts_put(struct ouro_texts *texts, const char *text, bool *failed)
{
    uint32_t found = *text_slot(texts, text);
    if (found != OURO_NO_NODE) {
        return found;
    }
    size_t length = strlen(text);
    if (!make_text_room(texts, length)) {
        *failed = true;
        return 0;
    }
    memcpy(texts->bytes + texts->used, text, length + 1);
    texts->starts[texts->count] = (uint32_t)texts->used;
    texts->used += length + 1;
    *text_slot(texts, text) = texts->count;
    return texts->count++;
}
