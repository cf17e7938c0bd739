/* SPDX-License-Identifier: MIT */
#include "helpers.h"

TEST(every_size_fits_the_slot_of_its_class)
{
    for (size_t size = 1; size <= OURO_MEDIUM_MAX; size++) {
        unsigned c = ouro_size_class(size);
        REQUIRE(c < OURO_CLASSES);
        REQUIRE(ouro_class_slot_size(c) >= size);
        REQUIRE(ouro_class_slot_size(c) >= OURO_SLOT_MIN);
        REQUIRE(ouro_class_slot_size(c) % 16 == 0);
    }
}

TEST(no_smaller_class_would_do)
{
    for (size_t size = 33; size <= OURO_MEDIUM_MAX; size++) {
        unsigned c = ouro_size_class(size);
        REQUIRE(ouro_class_slot_size(c - 1) < size);
    }
}

TEST(a_slot_wastes_at_most_a_sixteenth_beyond_512_bytes)
{
    for (size_t size = 513; size <= 8192; size++) {
        REQUIRE(ouro_class_slot_size(ouro_size_class(size)) <= size + size / 16);
    }
}

TEST(classes_grow)
{
    for (unsigned c = 3; c < OURO_CLASSES; c++) {
        EXPECT(ouro_class_slot_size(c) > ouro_class_slot_size(c - 1));
    }
    EXPECT_EQ(ouro_class_slot_size(OURO_CLASSES - 1), OURO_MEDIUM_MAX);
}
