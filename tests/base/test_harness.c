/* SPDX-License-Identifier: MIT */
/* The harness, tested with itself. The samples are made to fail, each in its own way.
 * scripts/harness.sh runs them and reads the output of the runner. */
#include "../harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what must pass ------------------------------------------------------------- */

TEST(expectations_hold_for_integers_and_pointers)
{
    char text[] = "text";
    uint64_t large = UINT64_MAX;

    EXPECT(1 + 1 == 2);
    EXPECT_EQ(sizeof(int), 4);
    EXPECT_EQ(large, UINT64_MAX);
    EXPECT_EQ(&text[0], text);
    EXPECT_NE(&text[1], text);
    EXPECT_LT(-1, 0);
    EXPECT_LE(2, 2);
    EXPECT_GT(INT64_C(1) << 40, 1);
    EXPECT_GE(3, 3);
    EXPECT_NULL(NULL);
    EXPECT_NOT_NULL(text);
    EXPECT_STR(text, "text");
    EXPECT_HAS(text, "ex");
    REQUIRE(text[0] == 't');
    REQUIRE_EQ(strlen(text), 4);
    REQUIRE_NOT_NULL(strchr(text, 'x'));
}

static void
complain(void)
{
    fprintf(stderr, "stream, ");
    dprintf(STDERR_FILENO, "descriptor");
}

TEST(captured_stderr_is_what_was_written)
{
    char *text = capture_stderr(complain);

    EXPECT_STR(text, "stream, descriptor");
    free(text);
}

static void
complain_and_abort(void)
{
    complain();
    abort();
}

TEST(a_fatal_statement_ends_only_its_child)
{
    pid_t self = getpid();

    EXPECT_FATAL(complain_and_abort(), "descriptor");
    EXPECT_DIES(_exit(3), "");
    EXPECT_SURVIVES(complain());
    EXPECT_EQ(getpid(), self);
}

TEST(an_expected_signal_passes, .signal = SIGABRT, .stderr_has = "stream")
{
    complain_and_abort();
}

TEST(stack_is_that_of_a_thread, .stack = 256 * 1024)
{
    pthread_attr_t attributes;
    size_t size = 0;

    REQUIRE_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    EXPECT_GE(size, 256 * 1024);
    EXPECT_LT(size, 1024 * 1024);
}

TEST_PY(test_py_has_the_library_initialized)
{
    EXPECT(Py_IsInitialized());
}

TEST_PY(test_py_runs_its_fixture_on_the_stack_too, .stack = 512 * 1024)
{
    EXPECT(Py_IsInitialized());
}

TEST(no_leak_check_lets_a_leak_pass, .no_leak_check = true)
{
    char *volatile lost = malloc(100);

    lost = NULL;
    EXPECT_NULL(lost);
}

/* ---- what must fail --------------------------------------------------------------- */

TEST(sample_expects_in_vain, .sample = true)
{
    EXPECT_EQ(1 + 1, 3);
    EXPECT_STR("one", "other");
    printf("words on stdout\n");
}

TEST(sample_gives_up, .sample = true)
{
    REQUIRE(1 + 1 == 3);
    fprintf(stderr, "not reached\n");
}

TEST(sample_crashes, .sample = true)
{
    fprintf(stderr, "last words\n");
    abort();
}

TEST(sample_hangs, .sample = true, .timeout = 1)
{
    if (fork() == 0) {
        pause();
    }
    pause();
}

TEST(sample_exits, .sample = true)
{
    exit(0);
}

TEST(sample_does_not_abort, .sample = true, .signal = SIGABRT)
{
}

TEST(sample_fails_then_aborts, .sample = true, .signal = SIGABRT)
{
    EXPECT(1 + 1 == 3);
    abort();
}

TEST(sample_keeps_silent, .sample = true, .stderr_has = "a word")
{
}

TEST(sample_survives, .sample = true)
{
    EXPECT_FATAL(complain(), "descriptor");
}

TEST(sample_fails_in_a_child, .sample = true)
{
    EXPECT_SURVIVES(EXPECT(1 + 1 == 3));
}

TEST(sample_is_skipped, .sample = true)
{
    SKIP("no such device");
}

TEST(sample_passes, .sample = true)
{
}

TEST_PY(sample_keeps_containers_alive, .sample = true)
{
    PyList_New(0);
    PyList_New(0);
    PySet_New(NULL);
}

/* Sanitizers find the object in another way, and the checking library looks for it itself. */
TEST_PY(sample_keeps_a_plain_object_alive, .sample = true, .no_leak_check = UNDER_ASAN)
{
    if (UNDER_ASAN || UNDER_TSAN || OURO_CHECK) {
        SKIP("plain objects are not counted");
    }
    PyFloat_FromDouble(0.5);
}

TEST(sample_leaks, .sample = true)
{
    char *volatile lost;

    if (!UNDER_ASAN) {
        SKIP("only LeakSanitizer sees it");
    }
    lost = malloc(100);
    lost = NULL;
    EXPECT_NULL(lost);
}
