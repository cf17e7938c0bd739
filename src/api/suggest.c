/* SPDX-License-Identifier: MIT */
/* Finding the name that was meant: the smallest edit distance, in CPython's weights, so that
 * the same names are suggested. Inserting, deleting or replacing a byte costs 2, changing
 * its case costs 1. */
#include "suggest.h"

#include <Python.h>

#include "../base/config.h"

#define SUGGEST_EDIT    2
#define SUGGEST_CASE    1
#define SUGGEST_LONGEST 40
#define SUGGEST_NEVER   INT_MAX

static int
cost_of_replacing(char a, char b)
{
    if (a == b) {
        return 0;
    }
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? SUGGEST_CASE
                                                                  : SUGGEST_EDIT;
}

/* The distance of two texts of at most SUGGEST_LONGEST bytes: the usual table, one row at a
 * time. */
static int
edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int row[SUGGEST_LONGEST + 1];
    for (size_t j = 0; j <= b_size; j++) {
        row[j] = (int)j * SUGGEST_EDIT;
    }
    for (size_t i = 1; i <= a_size; i++) {
        int diagonal = row[0];
        row[0] = (int)i * SUGGEST_EDIT;
        for (size_t j = 1; j <= b_size; j++) {
            int replaced = diagonal + cost_of_replacing(a[i - 1], b[j - 1]);
            diagonal = row[j];
            int added = Py_MIN(row[j], row[j - 1]) + SUGGEST_EDIT;
            row[j] = Py_MIN(replaced, added);
        }
    }
    return row[b_size];
}

const char *
ouro_suggest_name(const char *wrong, char *const *names)
{
    const char *best = NULL;
    int best_distance = SUGGEST_NEVER;
    size_t wrong_size = strlen(wrong);
    for (; wrong_size <= SUGGEST_LONGEST && *names != NULL; names++) {
        size_t size = strlen(*names);
        if (size > SUGGEST_LONGEST) {
            continue;
        }
        int distance = edit_distance(wrong, wrong_size, *names, size);
        /* No more than a third of the bytes may need an edit. */
        int most = (int)(wrong_size + size + 3) * SUGGEST_EDIT / 6;
        if (distance <= most && distance < best_distance) {
            best = *names;
            best_distance = distance;
        }
    }
    return best;
}
