/* SPDX-License-Identifier: MIT */
/* Where something happened: the walk along frame pointers ends where there are none. */
#include "../harness.h"

#include "../../src/check/check.h"

static __attribute__((noinline)) void
take_site(struct site *site)
{
    ouro_site_take(site);
}

TEST(a_site_has_the_functions_on_the_way)
{
    struct site site;
    take_site(&site);
    EXPECT_GE(site.count, 2);
}

#ifdef __x86_64__
/* Call it like code without frame pointers, which may have any value in that register. */
static __attribute__((noinline)) void
take_site_with_frame(struct site *site, uintptr_t frame)
{
    void (*function)(struct site *) = ouro_site_take;
    __asm__ volatile("mov %%rbp, %%rbx\n\t"
                     "mov %[frame], %%rbp\n\t"
                     "call *%[function]\n\t"
                     "mov %%rbx, %%rbp"
                     : "+D"(site)
                     : [frame] "r"(frame), [function] "r"(function)
                     : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11",
                       "memory", "cc");
}
#else
static void
take_site_with_frame(struct site *site, uintptr_t frame)
{
    (void)site;
    (void)frame;
    SKIP("the test knows the frame pointer of x86-64");
}
#endif

TEST(a_frame_pointer_that_is_none_ends_the_walk)
{
    static const uintptr_t values[] = {
        0, 8, 7, 0xBFE0000000000000, UINTPTR_MAX - 7, 0x7FF0000000000000};
    struct site site;
    take_site(&site); /* the end of the stack is known now */
    for (size_t i = 0; i < Py_ARRAY_LENGTH(values); i++) {
        take_site_with_frame(&site, values[i]);
        EXPECT_EQ(site.count, 1);
    }
}
