/* SPDX-License-Identifier: MIT */
/* format % args gives what CPython gives. */
#include "../cases.h"

TEST_PY(percent_formatting_is_that_of_cpython)
{
    static const struct recorded_case cases[] = {
#include "percent_cases.inc"
    };
    RECORDED_CASES(cases);
}
