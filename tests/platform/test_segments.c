/* SPDX-License-Identifier: MIT */
/* The memory of the program and of shared objects. */
#include "../harness.h"

#include <dlfcn.h>

#include "../../src/platform/platform.h"

struct search {
    uintptr_t address;
    const char *file; /* NULL: not found yet */
    bool is_writable;
};

static void
compare_segment(const struct ouro_segment *segment, void *arg)
{
    struct search *search = arg;
    if (segment->start <= search->address && search->address < segment->end) {
        EXPECT_NULL(search->file);
        search->file = segment->file;
        search->is_writable = segment->is_writable;
    }
}

static struct search
search_for(const void *address)
{
    struct search search = {.address = (uintptr_t)address};
    ouro_platform_each_segment(compare_segment, &search);
    REQUIRE_NOT_NULL(search.file);
    return search;
}

TEST(segments_of_the_program_have_no_file_and_those_of_shared_objects_do)
{
    static int variable = 1;
    static const int constant = 1;
    struct search own = search_for(&variable);
    EXPECT_STR(own.file, "");
    EXPECT(own.is_writable);
    own = search_for(&constant);
    EXPECT_STR(own.file, "");
    const void *shared = dlsym(RTLD_DEFAULT, "getenv");
    if (shared == NULL) {
        SKIP("the C library is linked statically");
    }
    EXPECT(search_for(shared).file[0] != 0);
}
