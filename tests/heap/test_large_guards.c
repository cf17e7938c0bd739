/* SPDX-License-Identifier: MIT */
/* OURO_HEAP_GUARDS=1: an access behind a large block ends the program at once. */
#include "helpers.h"

#include <stdlib.h>

static struct heap guarded;

static void
start(void)
{
    setenv("OURO_HEAP_GUARDS", "1", 1);
    REQUIRE(ouro_heap_init(&guarded, SMALL_RANGE));
    REQUIRE(guarded.guard != 0);
}

static char *
end_of(const PyObject *block)
{
    return (char *)block + ouro_heap_block_size(&guarded, block);
}

TEST(a_heap_has_no_guards_unless_they_are_asked_for)
{
    struct heap heap;
    unsetenv("OURO_HEAP_GUARDS");
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    EXPECT_EQ(heap.guard, 0);
    ouro_heap_destroy(&heap);
}

TEST(an_access_behind_a_large_block_ends_the_program)
{
    start();
    for (size_t size = OURO_MEDIUM_MAX + 1; size < 3 * OURO_PAGE_SIZE; size += 20011) {
        PyObject *block = take_block(&guarded, size);
        REQUIRE_NOT_NULL(block);
        volatile char *end = end_of(block);
        EXPECT((size_t)(end - (char *)block) < size + OURO_LARGE_UNIT);
        end[-1] = 'x';
        EXPECT_DIES(end[0] = 'x', "");
        EXPECT_DIES((void)end[0], "");
        EXPECT_DIES(end[guarded.guard - 1] = 'x', "");
        EXPECT_EQ(end[-1], 'x');
    }
    EXPECT(ouro_heap_verify(&guarded));
    ouro_heap_destroy(&guarded);
}

TEST(large_blocks_with_guards_come_and_go)
{
    start();
    PyObject *blocks[16] = {NULL};
    unsigned random = 1;
    for (int i = 0; i < 2000; i++) {
        random = random * 1103515245 + 12345;
        PyObject **block = &blocks[(random >> 8) % 16];
        if (*block != NULL) {
            EXPECT_EQ(end_of(*block)[-1], 'e');
            give_block(&guarded, *block);
        }
        size_t lead = (random & 1) != 0 ? OURO_LEAD : 0;
        size_t size = OURO_MEDIUM_MAX + 1 + (random >> 10) % (4 * OURO_PAGE_SIZE);
        *block = ouro_heap_allocate(&guarded, size, lead);
        REQUIRE_NOT_NULL(*block);
        memset(*block + 1, 'e', ouro_heap_block_size(&guarded, *block) - sizeof **block);
        EXPECT(!ouro_heap_extend(&guarded, *block, size + OURO_PAGE_SIZE));
    }
    EXPECT(ouro_heap_verify(&guarded));
    for (int i = 0; i < 16; i++) {
        if (blocks[i] != NULL) {
            give_block(&guarded, blocks[i]);
        }
    }
    EXPECT_EQ(guarded.used_pages, 0);
    EXPECT(ouro_heap_verify(&guarded));
    ouro_heap_destroy(&guarded);
}

/* Where one of them was, others write everywhere. */
TEST(the_place_of_a_guard_is_used_again)
{
    start();
    PyObject *block = take_block(&guarded, 3 * OURO_PAGE_SIZE);
    give_block(&guarded, block);
    for (int i = 0; i < 400; i++) {
        memset(take_block(&guarded, 1000) + 1, 'x', 1000 - sizeof(PyObject));
    }
    EXPECT(ouro_heap_verify(&guarded));
    ouro_heap_destroy(&guarded);
}
