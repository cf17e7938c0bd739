/* SPDX-License-Identifier: MIT */
/* For the coverage build. Tests end in many ways, and the lines that they ran must be recorded
 * in each case. exit() does this by itself; for abort() and _exit() this file does it. The
 * Makefile lets the linker redirect calls of _exit() to this file. */
#include "harness.h"

#if OURO_COVERAGE

#include <signal.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

void
__wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}

/* abort() goes on when this returns. */
static void
dump_before_abort(int signal)
{
    (void)signal;
    __gcov_dump();
}

__attribute__((constructor)) static void
listen_for_abort(void)
{
    signal(SIGABRT, dump_before_abort);
}

#else

extern int ouro_coverage_is_off; /* a translation unit may not be empty */

#endif
