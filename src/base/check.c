/* SPDX-License-Identifier: MIT */
/* What a failed check prints. Neither function allocates. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
ouro_fatal(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fflush(stdout);
    fprintf(stderr, "Fatal Ouroboros error: %s\n", text);
    fflush(stderr);
    abort();
}

void
ouro_assert_failed(const char *condition, const char *file, int line)
{
    ouro_fatal("internal check failed: %s (%s:%d)", condition, file, line);
}
