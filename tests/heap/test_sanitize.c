/* SPDX-License-Identifier: MIT */
#include "helpers.h"

TEST(a_use_after_free_of_a_slot_is_reported_by_asan)
{
    if (!UNDER_ASAN) {
        SKIP("needs AddressSanitizer");
    }
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 64);
    take_block(&heap, 64);
    give_block(&heap, block);
    EXPECT_DIES(block->ob_refcnt++, "use-after-poison");
    EXPECT_DIES(((char *)block)[50] = 1, "use-after-poison");
    EXPECT_SURVIVES(take_block(&heap, 64)->ob_refcnt++);
}

TEST(the_untouched_rest_of_a_page_is_out_of_bounds_for_asan)
{
    if (!UNDER_ASAN) {
        SKIP("needs AddressSanitizer");
    }
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 64);
    EXPECT_DIES(((char *)block)[64] = 1, "use-after-poison");
}
