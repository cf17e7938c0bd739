/* SPDX-License-Identifier: MIT */
#include "../../src/base/fault.h"
#include "helpers.h"

/* A block whose last bytes are alone in another page. */
#define SOME (OURO_PAGE_SIZE + 40)

static PyObject *
behind_block(const struct heap *heap, PyObject *block)
{
    return (PyObject *)((char *)block + ouro_heap_block_size(heap, block));
}

TEST(a_large_block_has_no_more_pages_and_bytes_than_it_needs)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 5 * OURO_PAGE_SIZE + 1);
    REQUIRE_NOT_NULL(block);
    memset(block + 1, 7, 5 * OURO_PAGE_SIZE);
    EXPECT_EQ(heap.used_pages, 6);
    EXPECT_EQ(ouro_heap_block_size(&heap, block), 5 * OURO_PAGE_SIZE + OURO_LARGE_UNIT);
    EXPECT(ouro_heap_verify(&heap));
    give_block(&heap, block);
    EXPECT_EQ(heap.used_pages, 0);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_run_is_reused_and_split_by_smaller_ones)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *large = take_block(&heap, 8 * OURO_PAGE_SIZE);
    PyObject *guard = take_block(&heap, 40000);
    give_block(&heap, large);
    PyObject *half = take_block(&heap, 4 * OURO_PAGE_SIZE);
    PyObject *other = take_block(&heap, 4 * OURO_PAGE_SIZE);
    EXPECT_EQ(half, large);
    EXPECT_EQ((char *)other, (char *)large + 4 * OURO_PAGE_SIZE);
    EXPECT_NOT_NULL(guard);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(large_blocks_lie_side_by_side) /* [page.inv.large] */
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *before = take_block(&heap, SOME);
    for (int i = 0; i < 20; i++) {
        PyObject *block = take_block(&heap, SOME);
        REQUIRE_EQ(block, behind_block(&heap, before));
        REQUIRE_EQ(ouro_heap_block_of_slot(&heap, ouro_heap_offset(&heap, block) >>
                                                      OURO_GRAIN_SHIFT),
                   block);
        before = block;
    }
    EXPECT_EQ(heap.used_pages, 22);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(at_most_one_large_block_begins_in_a_page) /* [page.inv.large] */
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *first = take_block(&heap, OURO_PAGE_SIZE + 1000);
    PyObject *second = take_block(&heap, 40000); /* begins and ends behind the first */
    PyObject *third = take_block(&heap, 40000);
    EXPECT_EQ(second, behind_block(&heap, first));
    EXPECT_EQ(ouro_heap_page_of(&heap, second) + 1, ouro_heap_page_of(&heap, third));
    EXPECT_EQ(heap.used_pages, 3);
    EXPECT(ouro_heap_verify(&heap));
    give_block(&heap, first);
    EXPECT_EQ(heap.used_pages, 2);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(the_place_of_a_large_block_between_others_is_used_again)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *blocks[3];
    for (int i = 0; i < 3; i++) {
        blocks[i] = take_block(&heap, SOME);
    }
    for (size_t less = 0; less < 32000; less += 4000) {
        give_block(&heap, blocks[1]);
        EXPECT_EQ(heap.used_pages, 4); /* both of its pages have another block */
        EXPECT(ouro_heap_verify(&heap));
        EXPECT_EQ(take_block(&heap, SOME - less), blocks[1]);
        EXPECT(ouro_heap_verify(&heap));
    }
    EXPECT_EQ(heap.used_pages, 4);
    ouro_heap_destroy(&heap);
}

TEST(room_that_no_large_block_fits_is_found_when_it_has_become_larger)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *first = take_block(&heap, OURO_PAGE_SIZE + 50000);
    void *pages[2];
    for (int i = 0; i < 2; i++) {
        pages[i] = take_block(&heap, 32000); /* a page of slots each */
        take_block(&heap, 32000);
    }
    PyObject *far = take_block(&heap, SOME); /* does not fit behind the first */
    EXPECT_GT((char *)far, (char *)pages[1]);
    EXPECT(ouro_heap_verify(&heap));
    PyObject *neighbour = (PyObject *)((char *)pages[0] + 32768);
    give_block(&heap, neighbour);
    give_block(&heap, pages[0]);
    EXPECT(ouro_heap_verify(&heap));
    EXPECT_EQ(take_block(&heap, SOME), behind_block(&heap, first));
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

/* The next order in which to free four blocks; false when there is none. */
static bool
next_order(int order[4])
{
    int i = 2, j = 3;
    while (i >= 0 && order[i] > order[i + 1]) {
        i--;
    }
    if (i < 0) {
        return false;
    }
    while (order[j] < order[i]) {
        j--;
    }
    int was = order[i];
    order[i] = order[j];
    order[j] = was;
    for (int low = i + 1, high = 3; low < high; low++, high--) {
        was = order[low];
        order[low] = order[high];
        order[high] = was;
    }
    return true;
}

TEST(neighbours_that_are_freed_in_any_order_leave_no_page_in_use)
{
    static const size_t sizes[4] = {SOME, 40000, 3 * OURO_PAGE_SIZE,
                                    OURO_PAGE_SIZE + 9000};
    struct heap heap;
    int order[4] = {0, 1, 2, 3}, orders = 0;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    do {
        PyObject *blocks[4];
        for (int i = 0; i < 4; i++) {
            blocks[i] = take_block(&heap, sizes[(i + orders) % 4]);
            memset(blocks[i] + 1, i, ouro_heap_block_size(&heap, blocks[i]) - 16);
        }
        for (int i = 0; i < 4; i++) {
            give_block(&heap, blocks[order[i]]);
            REQUIRE(ouro_heap_verify(&heap));
        }
        REQUIRE_EQ(heap.used_pages, 0);
        REQUIRE_EQ(heap.touched, 8); /* always the same pages */
        orders++;
    } while (next_order(order));
    EXPECT_EQ(orders, 24);
    ouro_heap_destroy(&heap);
}

TEST(a_large_block_grows_where_it_is_as_long_as_there_is_room)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 40000);
    memset(block + 1, 3, 40000 - sizeof *block);
    for (size_t size = 41000; size < 300000; size += 1000) {
        REQUIRE(ouro_heap_extend(&heap, block, size));
        REQUIRE(ouro_heap_block_size(&heap, block) >= size);
        ((char *)block)[size - 1] = 3;
        REQUIRE(ouro_heap_verify(&heap));
    }
    EXPECT_EQ(heap.used_pages, 5);
    EXPECT_EQ(((char *)block)[39999], 3);
    PyObject *next = take_block(&heap, SOME);
    EXPECT_EQ(next, behind_block(&heap, block));
    EXPECT(!ouro_heap_extend(&heap, block, 300100)); /* a block shares its last page */
    PyObject *guard = take_block(&heap, OURO_PAGE_SIZE);
    give_block(&heap, next);
    EXPECT(ouro_heap_extend(&heap, block, 300100));
    EXPECT(ouro_heap_verify(&heap));
    EXPECT(!ouro_heap_extend(&heap, block, 500000)); /* the guard is in the way */
    EXPECT(!ouro_heap_extend(&heap, block, heap.size + 1));
    EXPECT(ouro_heap_verify(&heap));
    PyObject *small = take_block(&heap, 100);
    EXPECT(!ouro_heap_extend(&heap, small, 40000)); /* a slot */
    give_block(&heap, block);
    give_block(&heap, guard);
    give_block(&heap, small);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_large_block_that_ends_with_its_page_grows_into_the_next)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 2 * OURO_PAGE_SIZE);
    EXPECT(ouro_heap_extend(&heap, block, 2 * OURO_PAGE_SIZE + 1));
    EXPECT_EQ(heap.used_pages, 3);
    EXPECT(ouro_heap_verify(&heap));
    give_block(&heap, block);
    block = take_block(&heap, 2 * OURO_PAGE_SIZE);
    PyObject *guard = take_block(&heap, OURO_PAGE_SIZE);
    EXPECT(!ouro_heap_extend(&heap, block, 2 * OURO_PAGE_SIZE + 1));
    EXPECT_EQ(guard, behind_block(&heap, block));
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(more_than_the_range_is_refused)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    EXPECT_NULL(ouro_heap_allocate(&heap, heap.size, 0));
    EXPECT_NULL(ouro_heap_allocate(&heap, heap.size * 4, 0));
    EXPECT_NULL(ouro_heap_allocate(&heap, (size_t)PY_SSIZE_T_MAX, 0));
    EXPECT_NOT_NULL(ouro_heap_allocate(&heap, heap.size - OURO_PAGE_SIZE, 0));
    ouro_heap_destroy(&heap);
}

TEST(beyond_the_limit_large_blocks_fill_the_pages_in_use_and_no_others)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *first = take_block(&heap, OURO_PAGE_SIZE + 1000);
    heap.limit = 2 * OURO_PAGE_SIZE;
    EXPECT_NULL(take_block(&heap, SOME));
    EXPECT(!ouro_heap_extend(&heap, first, 3 * OURO_PAGE_SIZE));
    EXPECT(ouro_heap_verify(&heap));
    PyObject *second = take_block(&heap, 50000);
    EXPECT_EQ(second, behind_block(&heap, first));
    EXPECT_EQ(heap.used_pages, 2);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_refused_large_block_leaves_everything_as_it_was)
{
    struct heap heap;
    if (!OURO_DEBUG) {
        SKIP("faults are for debug builds");
    }
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *last = NULL;
    while (heap.touched < heap.committed) {
        last = take_block(&heap, SOME);
    }
    size_t holds = ouro_heap_block_size(&heap, last);
    uint32_t used = heap.used_pages, committed = heap.committed;
    ouro_fault_arm_from(1);
    EXPECT_NULL(take_block(&heap, 2 * OURO_PAGE_SIZE));
    EXPECT(!ouro_heap_extend(&heap, last, 3 * OURO_PAGE_SIZE));
    ouro_fault_arm(0);
    EXPECT_EQ(heap.used_pages, used);
    EXPECT_EQ(heap.committed, committed);
    EXPECT_EQ(ouro_heap_block_size(&heap, last), holds);
    EXPECT(ouro_heap_verify(&heap));
    EXPECT_NOT_NULL(take_block(&heap, 2 * OURO_PAGE_SIZE));
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(the_memory_of_a_long_run_goes_back_at_once)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 32 * OURO_PAGE_SIZE);
    memset(block + 1, 1, 1000);
    give_block(&heap, block);
    EXPECT_EQ(heap.trim.resident_unused, 0);
    block = take_block(&heap, 32 * OURO_PAGE_SIZE);
    EXPECT_EQ(((char *)(block + 1))[100], 0);
    ouro_heap_destroy(&heap);
}

TEST(the_pages_that_a_long_run_shares_with_others_keep_their_memory)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *first = take_block(&heap, SOME);
    PyObject *run = take_block(&heap, 32 * OURO_PAGE_SIZE);
    PyObject *last = take_block(&heap, SOME);
    memset(first + 1, 5, SOME - sizeof *first);
    memset(last + 1, 6, SOME - sizeof *last);
    give_block(&heap, run);
    EXPECT_EQ(heap.trim.resident_unused, 0);
    EXPECT_EQ(heap.used_pages, 4);
    EXPECT_EQ(((char *)first)[SOME - 1], 5);
    EXPECT_EQ(((char *)(last + 1))[0], 6);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

/* --- against a model ----------------------------------------------------------------------- */

enum { MODEL_BLOCKS = 200 };

/* What must hold: every byte of a block belongs to it alone and keeps its value. */
struct model_block {
    PyObject *block;
    size_t size, lead;
    unsigned char fill;
};

struct model {
    struct heap heap;
    struct model_block at[MODEL_BLOCKS];
    uint32_t state;
    unsigned char fill;
};

static uint32_t
draw(struct model *model, uint32_t below)
{
    model->state = model->state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)model->state * below) >> 32);
}

static size_t
draw_size(struct model *model)
{
    static const uint32_t most[] = {500, 33000, 70000, 70000, 200000, 2000000};
    uint32_t limit = most[draw(model, 6)];
    return limit == 33000 && draw(model, 2) ? SOME : 24 + draw(model, limit);
}

/* Without the header, which belongs to the heap. */
static void
fill_block(const struct model_block *b, size_t from)
{
    memset((char *)b->block - b->lead, b->fill, b->lead);
    memset((char *)b->block + from, b->fill, b->size - from);
}

static bool
block_is_intact(const struct model_block *b)
{
    const char *start = (const char *)b->block;
    for (size_t i = 0; i < b->lead; i++) {
        if ((unsigned char)start[-1 - (ptrdiff_t)i] != b->fill) {
            return false;
        }
    }
    unsigned char first = (unsigned char)start[sizeof(PyObject)];
    return first == b->fill &&
           memcmp(start + sizeof(PyObject), start + sizeof(PyObject) + 1,
                  b->size - sizeof(PyObject) - 1) == 0;
}

static void
step_model(struct model *model)
{
    struct model_block *b = &model->at[draw(model, MODEL_BLOCKS)];
    if (b->block == NULL) {
        b->size = draw_size(model);
        b->lead = draw(model, 2) * OURO_LEAD;
        b->fill = ++model->fill;
        b->block = ouro_heap_allocate(&model->heap, b->size, b->lead);
        if (b->block != NULL) {
            REQUIRE(ouro_heap_block_size(&model->heap, b->block) >= b->size);
            fill_block(b, sizeof(PyObject));
        }
        return;
    }
    size_t more = b->size + 1 + draw(model, 100000), was = b->size;
    REQUIRE(block_is_intact(b));
    if (draw(model, 4) == 0 && more > ouro_heap_block_size(&model->heap, b->block) &&
        ouro_heap_extend(&model->heap, b->block, more)) {
        b->size = more;
        fill_block(b, was);
    } else {
        give_block(&model->heap, b->block);
        b->block = NULL;
    }
}

TEST(random_large_and_small_blocks_never_overlap_and_keep_their_contents)
{
    static struct model model;
    int steps = OURO_ASAN ? 2000 : 6000;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        memset(&model, 0, sizeof model);
        model.state = seed * 7919;
        REQUIRE(ouro_heap_init(&model.heap, SMALL_RANGE));
        model.heap.limit = seed % 2 ? SIZE_MAX : (size_t)16 << 20;
        for (int i = 0; i < steps; i++) {
            step_model(&model);
            if (i % 16 == 0) {
                REQUIRE(ouro_heap_verify(&model.heap));
            }
            if (i % 500 == 0) {
                ouro_heap_trim(&model.heap, UINT32_MAX);
            }
        }
        for (int i = 0; i < MODEL_BLOCKS; i++) {
            if (model.at[i].block != NULL) {
                REQUIRE(block_is_intact(&model.at[i]));
                give_block(&model.heap, model.at[i].block);
            }
        }
        ouro_heap_trim(&model.heap, UINT32_MAX);
        EXPECT_EQ(model.heap.used_pages, 0);
        EXPECT(ouro_heap_verify(&model.heap));
        ouro_heap_destroy(&model.heap);
    }
}
