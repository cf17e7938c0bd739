/* SPDX-License-Identifier: MIT */
/* Linked into the programs that tools/fault-programs.sh lets run out of memory. At the end it
 * writes to descriptor 9 how many allocations the library was asked for. */
#include <stdio.h>

#include "../../src/base/fault.h"

__attribute__((destructor)) static void
tell_allocations(void)
{
    dprintf(9, "%lld\n", (long long)ouro_fault_seen());
}
