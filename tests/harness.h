/* SPDX-License-Identifier: MIT */
/* What a test file includes: how to declare a test, and what it can expect.
 *
 *     TEST(an_empty_page_has_no_used_slots)         a claim, in words
 *     {
 *         EXPECT_EQ(page->used, 0);
 *     }
 *
 *     TEST_PY(a_new_object_has_one_reference)       between Py_Initialize and
 *     { ... }                                       Py_FinalizeEx, which must return 0
 *                                                   and leave no object alive
 *
 *     TEST(deep_chains_need_little_stack, .stack = 256 * 1024, .timeout = 120)
 *     { ... }                                       with attributes: see struct test
 *
 * A test registers itself and runs in a process of its own, so it may change global state,
 * lower a resource limit, or crash. EXPECT_* report and go on; REQUIRE_* report and end the
 * test. Both may be used on any thread and in forked children.
 *
 * Read next: main.c, which runs the tests and judges their results. */
#ifndef OURO_TESTS_HARNESS_H
#define OURO_TESTS_HARNESS_H

#include <Python.h>

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- declaring a test --------------------------------------------------------- */

struct test {
    const char *label; /* the name given to TEST() */
    const char *file;
    int line;
    void (*body)(void);
    void (*fixture)(void (*body)(void)); /* calls the body, or NULL */
    struct test *next;

    /* Attributes: TEST(name, .attribute = value, ...) */
    size_t stack;           /* run the body on a thread with this many bytes of stack */
    int signal;             /* the test passes if it dies of this signal */
    const char *stderr_has; /* the test must also write this to stderr */
    int timeout;            /* seconds; 60 unless given */
    bool no_leak_check; /* leaves something alive on purpose: nothing looks for leaks */
    bool sample;        /* made to fail: runs only with --samples */
    bool mistakes;      /* breaks rules on purpose: the contract checker may report */
};

#define TEST(label_, ...)    OURO_TEST(label_, NULL, __VA_ARGS__)
#define TEST_PY(label_, ...) OURO_TEST(label_, test_with_python, __VA_ARGS__)

#define OURO_TEST(label_, fixture_, ...)                                                 \
    static void test_##label_(void);                                                     \
    static struct test test_entry_##label_ = {.label = #label_,                          \
                                              .file = __FILE__,                          \
                                              .line = __LINE__,                          \
                                              .body = test_##label_,                     \
                                              .fixture = fixture_,                       \
                                              __VA_ARGS__};                              \
    __attribute__((constructor)) static void register_##label_(void)                     \
    {                                                                                    \
        test_register(&test_entry_##label_);                                             \
    }                                                                                    \
    static void test_##label_(void)

void test_register(struct test *test);
struct test *test_first(void);

/* ---- expecting ---------------------------------------------------------------- */

#define EXPECT(condition)                                                                \
    ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, "not true: %s", #condition))

/* Integers and pointers, compared as signed 64-bit values and printed. Floating-point
 * arguments do not compile: they would lose their fractions. */
#define EXPECT_EQ(a, b) OURO_EXPECT_COMPARED(a, ==, b)
#define EXPECT_NE(a, b) OURO_EXPECT_COMPARED(a, !=, b)
#define EXPECT_LT(a, b) OURO_EXPECT_COMPARED(a, <, b)
#define EXPECT_LE(a, b) OURO_EXPECT_COMPARED(a, <=, b)
#define EXPECT_GT(a, b) OURO_EXPECT_COMPARED(a, >, b)
#define EXPECT_GE(a, b) OURO_EXPECT_COMPARED(a, >=, b)

#define EXPECT_NULL(pointer)                                                             \
    ((void)test_compare(__FILE__, __LINE__, #pointer, "==", "NULL", (intptr_t)(pointer), \
                        0))
#define EXPECT_NOT_NULL(pointer)                                                         \
    ((void)test_compare(__FILE__, __LINE__, #pointer, "!=", "NULL", (intptr_t)(pointer), \
                        0))

/* Two strings are equal; or the first contains the second. NULL equals and contains nothing. */
#define EXPECT_STR(a, b) ((void)test_equal_text(__FILE__, __LINE__, #a, (a), (b)))
#define EXPECT_HAS(text, part)                                                           \
    ((void)test_has_text(__FILE__, __LINE__, #text, (text), (part)))

/* An exception of this type is pending; it is cleared. Or: none is. */
#define EXPECT_RAISED(type)                                                              \
    ((PyErr_Occurred() != NULL && PyErr_ExceptionMatches(type))                          \
         ? (void)0                                                                       \
         : test_fail(__FILE__, __LINE__, "%s is not pending", #type),                    \
     PyErr_Clear())
#define EXPECT_NO_ERROR() EXPECT_NULL(PyErr_Occurred())

/* The same, but a failure ends the test, for cases where the rest would make no sense. */
#define REQUIRE(condition)                                                               \
    ((condition)                                                                         \
         ? (void)0                                                                       \
         : (test_fail(__FILE__, __LINE__, "not true: %s", #condition), test_give_up()))
#define REQUIRE_EQ(a, b)                                                                 \
    (test_compare(__FILE__, __LINE__, #a, "==", #b, OURO_TEST_VALUE(a),                  \
                  OURO_TEST_VALUE(b))                                                    \
         ? (void)0                                                                       \
         : test_give_up())
#define REQUIRE_NOT_NULL(pointer)                                                        \
    (test_compare(__FILE__, __LINE__, #pointer, "!=", "NULL", (intptr_t)(pointer), 0)    \
         ? (void)0                                                                       \
         : test_give_up())

/* 1: the coverage build, which is not optimised, and counts what runs. */
#ifndef OURO_COVERAGE
#define OURO_COVERAGE 0
#endif

/* End the test here: it cannot run on this system, and the report says why. */
#define SKIP(why) test_skip(why)
/* The same for tests of what the checking library does in another way. */
#define SKIP_CHECKED(why)                                                                \
    do {                                                                                 \
        if (OURO_CHECK) {                                                                \
            SKIP("the checking library " why);                                           \
        }                                                                                \
    } while (0)

/* ---- expecting the end of the process ------------------------------------------ */

/* The statement, run in a forked child, ends in abort() after writing `text`. */
#define EXPECT_FATAL(statement, text) OURO_EXPECT_END(statement, text, SIGABRT)
/* With the checking library its report may be what ends the child. */
/* The same for any abnormal end: a signal, or a status other than 0, with which the sanitizers
 * stop a program. */
#define EXPECT_DIES(statement, text) OURO_EXPECT_END(statement, text, 0)
/* The statement, run in a forked child, returns. */
#define EXPECT_SURVIVES(statement) OURO_EXPECT_END(statement, NULL, -1)

#define OURO_EXPECT_END(statement, text, how)                                            \
    do {                                                                                 \
        struct test_child child_;                                                        \
        if (test_child_start(&child_)) {                                                 \
            statement;                                                                   \
            test_child_survived();                                                       \
        }                                                                                \
        test_child_expect(&child_, __FILE__, __LINE__, #statement, (how), (text));       \
    } while (0)

/* ---- listening to stderr ---------------------------------------------------------- */

/* What `function` writes to stderr, in memory for the caller to free. The begin and end
 * form is for code that does not fit a function; begins do not nest. */
char *capture_stderr(void (*function)(void));
void capture_stderr_begin(void);
char *capture_stderr_end(void);

/* ---- where we run ----------------------------------------------------------------- */

#if defined(__has_feature)
#define OURO_TEST_HAS_FEATURE(x) __has_feature(x)
#else
#define OURO_TEST_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || OURO_TEST_HAS_FEATURE(address_sanitizer)
#define UNDER_ASAN 1
#else
#define UNDER_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || OURO_TEST_HAS_FEATURE(thread_sanitizer)
#define UNDER_TSAN 1
#else
#define UNDER_TSAN 0
#endif
bool under_valgrind(void);
/* Under an emulator such as qemu-user, which gives every process all the memory it asks for. */
bool under_emulator(void);
/* Skip the test where RLIMIT_AS and RLIMIT_DATA change nothing. */
void skip_without_limits(void);
/* Bytes that malloc has handed out; 0 under tools with a malloc of their own. Skips the test
 * where the C library does not count them. */
size_t malloc_in_use(void);

/* ---- behind the macros -------------------------------------------------------------- */

#define OURO_TEST_VALUE(x)                                                               \
    _Generic((x), float : (void)0, double : (void)0, default : (intptr_t)(x))
#define OURO_EXPECT_COMPARED(a, operator, b)                                             \
    ((void)test_compare(__FILE__, __LINE__, #a, #operator, #b, OURO_TEST_VALUE(a),       \
                        OURO_TEST_VALUE(b)))

struct test_child {
    pid_t pid;
    int stderr_file;
};

void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Expectations of this test that did not hold so far. */
int test_failures(void);
/* In a child: failed expectations do not count as failures of the test. */
void test_ignore_failures(void);
_Noreturn void test_give_up(void);
_Noreturn void test_skip(const char *why);
bool test_compare(const char *file, int line, const char *left, const char *operator,
                  const char * right, intptr_t a, intptr_t b);
bool test_equal_text(const char *file, int line, const char *what, const char *a,
                     const char *b);
bool test_has_text(const char *file, int line, const char *what, const char *text,
                   const char *part);
bool test_child_start(struct test_child *child);
_Noreturn void test_child_survived(void);
void test_child_expect(struct test_child *child, const char *file, int line,
                       const char *statement, int how, const char *text);

void test_with_python(void (*body)(void));

/* ---- for the runner ------------------------------------------------------------------ */

/* What a test says about itself, in memory that its process shares with the runner. */
struct test_verdict {
    _Atomic int failures; /* expectations that did not hold */
    _Atomic bool skipped;
    _Atomic bool finished; /* the body returned */
    char why_skipped[200];
};

/* Run the test in this process, and end the process. */
_Noreturn void test_run(const struct test *test, struct test_verdict *verdict);

/* A temporary file without a name, closed on exec. */
int test_temporary_file(void);

/* The text of a file from its beginning, in memory for the caller to free. */
char *test_file_text(int descriptor);

#endif
