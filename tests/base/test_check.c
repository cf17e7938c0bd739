/* SPDX-License-Identifier: MIT */
/* How failed checks end, and that disabled ones do nothing. */
#include "../harness.h"

#include "../../src/base/check.h"

TEST(a_failed_requirement_says_what_to_fix_and_aborts)
{
    EXPECT_FATAL(OURO_REQUIRE(1 + 1 == 3, "%s: sums go to %d", "add", 3),
                 "Fatal Ouroboros error: add: sums go to 3");
    OURO_REQUIRE(1 + 1 == 2, "not printed");
}

TEST(a_failed_assertion_names_its_place)
{
    if (!OURO_DEBUG) {
        SKIP("assertions are off");
    }
    EXPECT_FATAL(OURO_ASSERT(1 + 1 == 3), "internal check failed: 1 + 1 == 3");
    EXPECT_FATAL(OURO_ASSERT(1 + 1 == 3), "test_check.c");
    OURO_ASSERT(1 + 1 == 2);
}

TEST(a_long_message_is_cut_not_lost)
{
    EXPECT_FATAL(ouro_fatal("%01000d", 7), "Fatal Ouroboros error: 000");
}

TEST(a_disabled_walk_is_not_made)
{
    if (OURO_PARANOID) {
        SKIP("walks are on");
    }
    int walks = 0;
    OURO_VERIFY(++walks == 0);
    EXPECT_EQ(walks, 0);
}
