/* SPDX-License-Identifier: MIT */
/* What the library knows about the calling thread: its stack, its state. */
#include "../harness.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../src/base/config.h"
#include "../../src/thread/thread.h"

static void *
attach_and_look(void *arg)
{
    PyGILState_STATE state = PyGILState_Ensure();
    char **low = arg;
    *low = ouro_current.stack_low;
    char here;
    EXPECT_GT(&here, ouro_current.stack_low);
    EXPECT_LT(&here - ouro_current.stack_low, (ptrdiff_t)256 << 10);
    EXPECT(!ouro_stack_is_low());
    PyGILState_Release(state);
    return NULL;
}

TEST_PY(each_thread_has_its_own_stack_bound)
{
    char *low = NULL;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    Py_BEGIN_ALLOW_THREADS
    REQUIRE_EQ(pthread_create(&thread, &attributes, attach_and_look, &low), 0);
    pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
    EXPECT_NOT_NULL(low);
    EXPECT_NE(low, ouro_current.stack_low);
}

TEST_PY(the_bound_leaves_a_reserve_on_a_small_stack, .stack = 128 * 1024)
{
    char here;
    EXPECT_GT(&here, ouro_current.stack_low);
    EXPECT_LT(&here - ouro_current.stack_low, (ptrdiff_t)(128 << 10) * 3 / 4);
}

TEST(a_state_that_is_gone_is_not_found)
{
    Py_Initialize();
    struct _is *interp = ouro_current.interp;
    struct _ts *thread = ouro_thread_new(interp);
    uint64_t id = thread->id;
    EXPECT_EQ(ouro_thread_find(interp, id), thread);
    ouro_thread_free(thread);
    EXPECT_NULL(ouro_thread_find(interp, id));
    EXPECT_EQ(ouro_thread_find(interp, ouro_current.thread->id), ouro_current.thread);
    Py_FinalizeEx();
    uint64_t before = id;
    Py_Initialize();
    EXPECT_GT(ouro_current.thread->id, before); /* ids are not used again */
    Py_FinalizeEx();
}
