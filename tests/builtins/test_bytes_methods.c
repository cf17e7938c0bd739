/* SPDX-License-Identifier: MIT */
/* The methods and operators of bytes give what CPython gives. */
#include "../cases.h"

TEST_PY(methods_of_bytes_do_what_they_do_in_cpython)
{
    static const struct recorded_case cases[] = {
#include "bytes_method_cases.inc"
    };
    RECORDED_CASES(cases);
}
