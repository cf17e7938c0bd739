/* SPDX-License-Identifier: MIT */
/* The counter behind fault injection. One for the process: tests that arm it run one
 * thread. */
#include "fault.h"

static bool fault_armed;
static int64_t fault_at;
static int64_t fault_count;

void
ouro_fault_arm(int64_t n)
{
    fault_armed = n > 0;
    fault_at = n;
    fault_count = 0;
}

int64_t
ouro_fault_seen(void)
{
    return fault_count;
}

bool
ouro_fault_is_armed(void)
{
    return fault_armed;
}

bool
ouro_fault_hits(void)
{
    return fault_armed && ++fault_count == fault_at;
}
