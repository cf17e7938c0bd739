/* SPDX-License-Identifier: MIT */
/* Format specifications and str.format give what CPython gives. */
#include "../cases.h"

TEST_PY(formatted_values_are_those_of_cpython)
{
    static const struct recorded_case cases[] = {
#include "format_cases.inc"
    };
    RECORDED_CASES(cases);
}
