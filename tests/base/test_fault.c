/* SPDX-License-Identifier: MIT */
/* Fault injection, and the switch that arms it. */
#include "../harness.h"

#include <stdlib.h>

#include "../../src/base/fault.h"

TEST(the_nth_allocation_fails_and_only_that_one)
{
    if (!OURO_DEBUG) {
        SKIP("faults are for debug builds");
    }
    ouro_fault_arm(3);
    EXPECT(ouro_fault_is_armed());
    EXPECT(!ouro_fault());
    EXPECT(!ouro_fault());
    EXPECT(ouro_fault());
    EXPECT(!ouro_fault());
    EXPECT_EQ(ouro_fault_seen(), 4);
    ouro_fault_arm(0);
    EXPECT(!ouro_fault_is_armed());
    EXPECT(!ouro_fault());
    EXPECT_EQ(ouro_fault_seen(), 0);
}

TEST(the_environment_arms_it_when_the_library_is_up)
{
    if (!OURO_DEBUG) {
        SKIP("faults are for debug builds");
    }
    setenv("OURO_FAIL_ALLOC", "2", 1);
    Py_Initialize();
    void *first = PyMem_RawMalloc(1);
    EXPECT_NOT_NULL(first);
    EXPECT_NULL(PyMem_RawMalloc(1));
    PyMem_RawFree(first);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}
