/* SPDX-License-Identifier: MIT */
/* The part of the harness that runs inside a test's own process: the list of tests, failed
 * expectations, children that are expected to die, and capturing stderr. pool.c runs the
 * processes, and main.c judges their results. */
#include "harness.h"

#include "alive.h"

#include <ouro_check.h>

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The verdict on the test that runs in this process. It is shared memory, so a failed
 * expectation counts also when it happens in a child, or before an expected abort. */
static struct test_verdict *current_verdict;

/* Where failed expectations are reported: the test's stderr, also while a capture or a child
 * has replaced descriptor 2 by another file. */
static int report_file = STDERR_FILENO;

/* ---- the list of tests ----------------------------------------------------------- */

static struct test *tests;

void
test_register(struct test *test)
{
    test->next = tests;
    tests = test;
}

struct test *
test_first(void)
{
    return tests;
}

/* ---- running one ------------------------------------------------------------------ */

static const struct test *current_test;

void
test_with_python(void (*body)(void))
{
    alive_begin();
    Py_Initialize();
    alive_note_heap();
    body();
    EXPECT_EQ(Py_FinalizeEx(), 0);
    if (!current_test->no_leak_check && alive_report() != 0) {
        test_fail(current_test->file, current_test->line,
                  "objects are alive that were not before");
    }
}

static void *
run_body(void *argument)
{
    const struct test *test = argument;

    if (test->fixture != NULL) {
        test->fixture(test->body);
    } else {
        test->body();
    }
    return NULL;
}

static void
run_body_on_stack(const struct test *test, size_t stack)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, stack) != 0 ||
        pthread_create(&thread, &attributes, run_body, (void *)test) != 0) {
        test_fail(test->file, test->line, "no thread with %zu bytes of stack", stack);
        test_give_up();
    }
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

void
test_run(const struct test *test, struct test_verdict *verdict)
{
    struct rlimit no_core = {0, 0};
    const char *wish = getenv("OURO_TEST_STACK");
    size_t stack = wish != NULL && test->stack == 0 ? (size_t)atol(wish) : test->stack;

    setrlimit(RLIMIT_CORE, &no_core);
    current_test = test;
    current_verdict = verdict;
    report_file = dup(STDERR_FILENO);
    if (stack != 0) {
        run_body_on_stack(test, stack);
    } else {
        run_body((void *)test);
    }
    if (Ouro_CheckCountReports(NULL) != 0 && !test->mistakes) {
        test_fail(test->file, test->line, "the contract checker reports something");
    }
    atomic_store(&verdict->finished, true);

    /* exit(), not _exit(): LeakSanitizer looks for leaks at that point, and changes the exit
     * status if it finds any. */
    fflush(NULL);
    if (test->no_leak_check) {
        _exit(0);
    }
    exit(0);
}

void
test_give_up(void)
{
    fflush(NULL);
    _exit(1);
}

void
test_skip(const char *why)
{
    snprintf(current_verdict->why_skipped, sizeof(current_verdict->why_skipped), "%s",
             why);
    atomic_store(&current_verdict->skipped, true);
    fflush(NULL);
    _exit(0);
}

/* ---- expecting --------------------------------------------------------------------- */

void
test_fail(const char *file, int line, const char *format, ...)
{
    char message[2000];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    dprintf(report_file, "%s:%d: %s\n", file, line, message);
    atomic_fetch_add(&current_verdict->failures, 1);
}

void
test_ignore_failures(void)
{
    static struct test_verdict ignored;

    current_verdict = &ignored;
    report_file = open("/dev/null", O_WRONLY | O_CLOEXEC);
}

int
test_failures(void)
{
    return atomic_load(&current_verdict->failures);
}

static bool
compared(const char *operator, intptr_t a, intptr_t b)
{
    bool or_equal = operator[1] == '=';

    switch (operator[0]) {
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return a < b || (or_equal && a == b);
    default:
        return a > b || (or_equal && a == b);
    }
}

bool
test_compare(const char *file, int line, const char *left, const char *operator,
             const char * right, intptr_t a, intptr_t b)
{
    if (compared(operator, a, b)) {
        return true;
    }
    /* A pointer is easier to recognise in hexadecimal, a count is not. */
    if (a > INT32_MAX || b > INT32_MAX) {
        test_fail(file, line, "not true: %s %s %s, with %#jx and %#jx", left, operator,
                  right, (uintmax_t)a, (uintmax_t)b);
    } else {
        test_fail(file, line, "not true: %s %s %s, with %jd and %jd", left, operator,
                  right, (intmax_t)a, (intmax_t)b);
    }
    return false;
}

bool
test_equal_text(const char *file, int line, const char *what, const char *a,
                const char *b)
{
    if (a != NULL && b != NULL && strcmp(a, b) == 0) {
        return true;
    }
    test_fail(file, line, "%s is \"%s\", not \"%s\"", what, a != NULL ? a : "(NULL)",
              b != NULL ? b : "(NULL)");
    return false;
}

bool
test_has_text(const char *file, int line, const char *what, const char *text,
              const char *part)
{
    if (text != NULL && part != NULL && strstr(text, part) != NULL) {
        return true;
    }
    test_fail(file, line, "%s is \"%s\", without \"%s\"", what,
              text != NULL ? text : "(NULL)", part != NULL ? part : "(NULL)");
    return false;
}

/* ---- files of text ------------------------------------------------------------------- */

int
test_temporary_file(void)
{
    char path[] = "/tmp/ouro-test-XXXXXX";
    int descriptor = mkostemp(path, O_CLOEXEC);

    if (descriptor < 0) {
        perror("mkostemp");
        test_give_up();
    }
    unlink(path);
    return descriptor;
}

char *
test_file_text(int descriptor)
{
    off_t size = lseek(descriptor, 0, SEEK_END);
    char *text = malloc((size_t)(size > 0 ? size : 0) + 1);
    ssize_t got = 0;

    if (text == NULL) {
        abort();
    }
    if (size > 0) {
        got = pread(descriptor, text, (size_t)size, 0);
    }
    text[got > 0 ? got : 0] = '\0';
    return text;
}

/* ---- expecting the end of the process ---------------------------------------------------- */

/* Fork. In the child, send stderr to a file and return true. */
bool
test_child_start(struct test_child *child)
{
    fflush(NULL);
    child->stderr_file = test_temporary_file();
    child->pid = fork();
    if (child->pid < 0) {
        perror("fork");
        test_give_up();
    }
    if (child->pid == 0) {
        dup2(child->stderr_file, STDERR_FILENO);
        return true;
    }
    return false;
}

void
test_child_survived(void)
{
    fflush(NULL);
    _exit(0);
}

static void
describe_end(int status, char *text, size_t size)
{
    if (WIFSIGNALED(status)) {
        snprintf(text, size, "died of signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
        snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
    } else {
        snprintf(text, size, "returned");
    }
}

/* `how` is the signal that must end the child; 0 stands for any abnormal end, -1 for a
 * normal one. */
void
test_child_expect(struct test_child *child, const char *file, int line,
                  const char *statement, int how, const char *text)
{
    int status = 0;
    char end[100];
    char *said;
    bool as_expected;

    waitpid(child->pid, &status, 0);
    said = test_file_text(child->stderr_file);
    close(child->stderr_file);
    if (how > 0) {
        as_expected = WIFSIGNALED(status) && WTERMSIG(status) == how;
    } else {
        as_expected = (how == 0) == (status != 0);
    }
    if (!as_expected) {
        describe_end(status, end, sizeof(end));
        test_fail(file, line, "%s: %s, and wrote \"%s\"", statement, end, said);
    } else if (text != NULL && !(OURO_CHECK && strstr(said, "gc-check[") != NULL)) {
        test_has_text(file, line, statement, said, text);
    }
    free(said);
}

/* ---- listening to stderr ------------------------------------------------------------------- */

static int captured_stderr = -1;
static int original_stderr = -1;

void
capture_stderr_begin(void)
{
    fflush(stderr);
    captured_stderr = test_temporary_file();
    original_stderr = dup(STDERR_FILENO);
    dup2(captured_stderr, STDERR_FILENO);
}

char *
capture_stderr_end(void)
{
    char *text;

    fflush(stderr);
    dup2(original_stderr, STDERR_FILENO);
    close(original_stderr);
    text = test_file_text(captured_stderr);
    close(captured_stderr);
    return text;
}

char *
capture_stderr(void (*function)(void))
{
    capture_stderr_begin();
    function();
    return capture_stderr_end();
}

/* ---- where we run ------------------------------------------------------------------------------ */

/* valgrind loads its core into the program this way; asking it properly needs its header. */
bool
under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");

    return preload != NULL && strstr(preload, "vgpreload") != NULL;
}

/* qemu-user accepts a limit on the address space, and grants more. */
bool
under_emulator(void)
{
    struct rlimit before, limit;

    if (getrlimit(RLIMIT_AS, &before) != 0) {
        return false;
    }
    limit = (struct rlimit){1, before.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
    void *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    setrlimit(RLIMIT_AS, &before);
    if (page == MAP_FAILED) {
        return false;
    }
    munmap(page, 1);
    return true;
}

void
skip_without_limits(void)
{
    if (under_emulator()) {
        SKIP("the emulator does not enforce limits on memory");
    }
}

size_t
malloc_in_use(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();

    return UNDER_ASAN || UNDER_TSAN || under_valgrind() ? 0 : info.uordblks + info.hblkhd;
#else
    SKIP("the C library does not say how much malloc has handed out");
#endif
}

/* The sanitizers read the program's options from functions with these names, which their
 * libraries must be able to see. Tests ask for absurd amounts of memory on purpose; that must
 * return NULL, as it does without a sanitizer. */
#define SEEN_BY_SANITIZERS __attribute__((visibility("default")))
SEEN_BY_SANITIZERS const char *__asan_default_options(void);
SEEN_BY_SANITIZERS const char *__tsan_default_options(void);
SEEN_BY_SANITIZERS const char *__ubsan_default_options(void);

const char *
__asan_default_options(void)
{
    return "detect_leaks=1:allocator_may_return_null=1:exitcode=9";
}

const char *
__tsan_default_options(void)
{
    return "allocator_may_return_null=1:second_deadlock_stack=1";
}

const char *
__ubsan_default_options(void)
{
    return "print_stacktrace=1";
}
