/* SPDX-License-Identifier: MIT */
/* The counter behind fault injection. One for the process: tests that arm it run one
 * thread. */
#include "fault.h"

#include <stddef.h>

bool (*ouro_fault_witness)(bool fails);

static bool fault_armed;
static bool fault_lasts;
static int64_t fault_at;
static int64_t fault_count;

void
ouro_fault_arm(int64_t n)
{
    fault_armed = n > 0;
    fault_lasts = false;
    fault_at = n;
    fault_count = 0;
}

void
ouro_fault_arm_from(int64_t n)
{
    ouro_fault_arm(n);
    fault_lasts = true;
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
ouro_fault_is_watched(void)
{
    return fault_armed || ouro_fault_witness != NULL;
}

static bool
count_one(void)
{
    fault_count++;
    return fault_lasts ? fault_count >= fault_at : fault_count == fault_at;
}

bool
ouro_fault_hits(void)
{
    bool fails = fault_armed && count_one();
    return ouro_fault_witness != NULL ? ouro_fault_witness(fails) : fails;
}
