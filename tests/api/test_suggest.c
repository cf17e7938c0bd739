/* SPDX-License-Identifier: MIT */
/* Which name was meant. The answers are CPython's. */
#include "../../src/api/suggest.h"

#include "../harness.h"

static const char *
meant(const char *wrong, char *first, char *second)
{
    return ouro_suggest_name(wrong, (char *[]){first, second, NULL});
}

TEST(the_nearest_name_is_meant)
{
    EXPECT_STR(meant("nam", "name", "mane"), "name");
    EXPECT_STR(meant("Name", "game", "name"), "name");
    EXPECT_STR(meant("length_of", "lenght", "lengthof"), "lengthof");
}

TEST(nothing_near_is_nothing_meant)
{
    EXPECT_NULL(meant("c", "a", "b"));
    EXPECT_NULL(meant("xyz", "game", "xxyyzz"));
    EXPECT_NULL(meant("nmae", "name", "nome"));
    EXPECT_NULL(meant("NAME", "game", "name"));
    EXPECT_NULL(meant("a_name_that_is_too_long_to_be_compared_with",
                      "a_name_that_is_too_long_to_be_compared_wit", "b"));
}
