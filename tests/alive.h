/* SPDX-License-Identifier: MIT */
/* Is anything alive after Py_FinalizeEx that was not before Py_Initialize? See alive.c. */
#ifndef OURO_TESTS_ALIVE_H
#define OURO_TESTS_ALIVE_H

#include <stddef.h>

/* Before Py_Initialize; and after it, attached to the main interpreter. */
void alive_begin(void);
void alive_note_heap(void);
/* After Py_FinalizeEx: how many objects are left; the kinds of them are on stderr. */
size_t alive_report(void);

#endif
