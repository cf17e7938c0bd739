/* SPDX-License-Identifier: MIT */
/* The assertion levels.
 *
 *   OURO_REQUIRE  speaks to the user of the API and says what to fix; in every build
 *   OURO_ASSERT   a local invariant of ours; debug builds
 *   OURO_VERIFY   a walk over a whole structure; paranoid builds
 *
 * A disabled check still compiles and has no side effects. */
#ifndef OURO_BASE_CHECK_H
#define OURO_BASE_CHECK_H

#include <assert.h>
#include <stdbool.h>

#include "config.h"

#define OURO_LIKELY(x)   __builtin_expect(!!(x), 1)
#define OURO_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Print "Fatal Ouroboros error: ..." and abort. */
__attribute__((noreturn, cold, format(printf, 1, 2))) void ouro_fatal(const char *format,
                                                                      ...);

__attribute__((noreturn, cold)) void ouro_assert_failed(const char *condition,
                                                        const char *file, int line);

#define OURO_REQUIRE(cond, ...)                                                          \
    do {                                                                                 \
        if (OURO_UNLIKELY(!(cond))) {                                                    \
            ouro_fatal(__VA_ARGS__);                                                     \
        }                                                                                \
    } while (0)

#define OURO_ASSERT(cond)                                                                \
    do {                                                                                 \
        if (OURO_DEBUG && !(cond)) {                                                     \
            ouro_assert_failed(#cond, __FILE__, __LINE__);                               \
        }                                                                                \
    } while (0)

/* The same where static analysis cannot see why the condition holds: other builds assume it. */
#define OURO_ASSUME(cond)                                                                \
    do {                                                                                 \
        OURO_ASSERT(cond);                                                               \
        if (!(cond)) {                                                                   \
            __builtin_unreachable();                                                     \
        }                                                                                \
    } while (0)

#define OURO_VERIFY(walk)                                                                \
    do {                                                                                 \
        if (OURO_PARANOID && !(walk)) {                                                  \
            ouro_assert_failed(#walk, __FILE__, __LINE__);                               \
        }                                                                                \
    } while (0)

#endif
