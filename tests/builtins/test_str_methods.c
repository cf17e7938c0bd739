/* SPDX-License-Identifier: MIT */
/* The methods and operators of str give what CPython gives. */
#include "../cases.h"

TEST_PY(methods_of_str_do_what_they_do_in_cpython)
{
    static const struct recorded_case cases[] = {
#include "str_method_cases.inc"
    };
    RECORDED_CASES(cases);
}
