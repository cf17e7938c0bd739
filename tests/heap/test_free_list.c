/* SPDX-License-Identifier: MIT */
/* In which order the blocks of a page are handed out again. */
#include "helpers.h"

enum { SIZE = 64, COUNT = OURO_PAGE_SIZE / SIZE };

/* Fill three pages, the last of which is current then, and give blocks of the first back, in the wildest order:
 * those for which `is_given` of their place in the page is true. Returns how many. Before that, the block behind the
 * page is given back: it is not one of the page's. */
static int
give_some(struct heap *heap, PyObject **blocks, size_t lead, bool (*is_given)(int place))
{
    int given = 0;
    for (int i = 0; i < 3 * COUNT; i++) {
        blocks[i] = ouro_heap_allocate(heap, SIZE - lead, lead);
    }
    give_block(heap, blocks[COUNT]);
    for (int i = 0; i < COUNT; i++) {
        int place = i * 389 % COUNT; /* an odd number: each of them once */
        if (is_given(place)) {
            give_block(heap, blocks[place]);
            given++;
        }
    }
    return given;
}

static bool
every_third(int place)
{
    return place % 3 == 1;
}

static bool
every_hundredth(int place)
{
    return place % 100 == 50;
}

static bool
the_first(int place)
{
    return place == 0;
}

static bool
all_but_one(int place)
{
    return place != 7;
}

/* The current page is full, so that the one listed last is used again. */
static void
expect_address_order(size_t lead, bool (*is_given)(int place))
{
    static PyObject *blocks[3 * COUNT];
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    int given = give_some(&heap, blocks, lead, is_given);
    REQUIRE(ouro_heap_verify(&heap));
    const PyObject *last = NULL;
    for (int i = 0; i < given; i++) {
        const PyObject *block = ouro_heap_allocate(&heap, SIZE - lead, lead);
        EXPECT(last < block);
        last = block;
        REQUIRE(i > 0 || ouro_heap_verify(&heap));
    }
    REQUIRE(ouro_heap_verify(&heap));
    EXPECT_EQ(heap.used_pages, 3);
    ouro_heap_destroy(&heap);
}

TEST(few_blocks_that_came_back_are_handed_out_in_address_order) /* [page.inv.free] */
{
    expect_address_order(0, every_hundredth);
    expect_address_order(OURO_LEAD, every_hundredth);
    expect_address_order(0, the_first);
}

TEST(many_blocks_that_came_back_are_handed_out_in_address_order) /* [page.inv.free] */
{
    expect_address_order(0, every_third);
    expect_address_order(OURO_LEAD, every_third);
    expect_address_order(0, all_but_one);
}

/* Give blocks back, spoil the header of one of them by `write`, and use their page again. */
static void
spoil_and_take(bool (*is_given)(int place), int place, void (*write)(PyObject *block))
{
    static PyObject *blocks[3 * COUNT];
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    int given = give_some(&heap, blocks, 0, is_given);
    ouro_sanitize_live(blocks[place], 0, SIZE);
    blocks[place]->ob_type = NULL;
    write(blocks[place]);
    for (int i = 0; i < given; i++) {
        take_block(&heap, SIZE);
    }
    ouro_heap_destroy(&heap);
}

static void
take_reference(PyObject *block)
{
    block->ob_refcnt++;
}

/* A list of one block that never ends. */
static void
link_to_itself(PyObject *block)
{
    ouro_block_link(block, block);
}

TEST(damage_among_blocks_that_came_back_is_fatal_when_it_is_met)
{
    EXPECT_FATAL(spoil_and_take(every_hundredth, 150, take_reference),
                 "was changed after it was freed (page 1 of the heap");
    EXPECT_FATAL(spoil_and_take(every_third, 100, take_reference),
                 "was changed after it was freed (page 1 of the heap");
    EXPECT_FATAL(spoil_and_take(every_hundredth, 150, link_to_itself),
                 "was changed after it was freed (page 1 of the heap");
}
