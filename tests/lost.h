/* SPDX-License-Identifier: MIT */
/* Looking for blocks of the collector's heap that nothing points to any more; see lost.c. */
#ifndef OURO_TESTS_LOST_H
#define OURO_TESTS_LOST_H

#include <stddef.h>

/* Blocks that nothing points to from here on count as lost. */
void lost_blocks_begin(void);
/* How many blocks are lost now; the first few are described on stderr. */
size_t lost_blocks_report(void);

#endif
