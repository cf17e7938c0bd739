/* SPDX-License-Identifier: MIT */
/* Every call of the library that asks for memory fails once, in tests that know nothing of this.
 *
 * Whenever the library asks whether an allocation fails, this file looks at the return addresses
 * on the stack, up to the test's own code. They belong to the calls through which the library asks
 * for memory: the *sites*. If one of these sites has not failed before, the test forks. In the
 * child the allocation fails. The library must return to the test's code, where the child checks
 * what is left and ends. Then another child does the same, with every later allocation failing,
 * too. In the parent nothing fails, and the test goes on. The test has failed if a child crashes,
 * if a sanitizer stops it, if its heap is damaged, if it lost a block (lost.c), or if it raises a
 * SystemError about the library itself.
 *
 * The file of notes has one byte for each byte of the library's code. SITE_ASKED and SITE_FAILED
 * are set for return addresses. Both bits exist once more, WHILE_STARTING bits further, for
 * failures before there is a MemoryError to raise. The file is mapped and shared, so the processes
 * of all tests see each other's notes. tools/fault-sites.sh translates it to lines of the source.
 *
 * This needs VARIANT=faults: frame pointers, no tail calls, and the library's code in a section of
 * its own. It also needs x86-64, because it changes a return address on the stack. */
#include "harness.h"
#include "lost.h"
#include "sites.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/base/fault.h"
#include "../src/heap/heap.h"
#include "../src/thread/interpreter.h"

enum { SITE_ASKED = 1, SITE_FAILED = 2, WHILE_STARTING = 2 /* bits further */ };
enum { CHILD_SECONDS = 30, THREAD_SECONDS = 5, DEPTH_SHOWN = 40 };
/* The exit status of a child. The test's code gives up with 1 when it cannot go on. */
enum { GAVE_UP = 1, HEAP_IS_DAMAGED = 3, INTERNAL_ERROR, BLOCK_IS_LOST, LEAK };

/* The linker's names for the section of the library's code. */
extern const char __start_ouro_text[] __attribute__((weak));
extern const char __stop_ouro_text[] __attribute__((weak));

#if defined(__x86_64__)

static unsigned char *site_notes;
static bool among_threads; /* whether there are other threads when the test forks */
static char site_report[60 * DEPTH_SHOWN];

/* What a function pushes first: the caller's frame, and where it returns to. */
struct frame {
    struct frame *caller;
    const char *returns_to;
};

static bool
is_library_code(const char *address)
{
    return address >= __start_ouro_text && address < __stop_ouro_text;
}

/* While the first Py_Initialize runs there is no MemoryError yet, and it is fatal. */
static bool
is_starting(void)
{
    return ouro_shared.memory_error == NULL;
}

/* Note the sites. Returns the library's outermost frame; `is_new`: a site never failed before. */
static struct frame *
note_sites(struct frame *frame, unsigned mark, bool *is_new)
{
    unsigned shift = is_starting() ? WHILE_STARTING : 0;
    mark <<= shift;
    while (is_library_code(frame->returns_to)) {
        unsigned char *note = &site_notes[frame->returns_to - __start_ouro_text];
        *is_new |= (*note & SITE_FAILED << shift) == 0;
        if ((*note | mark) != *note) {
            *note |= (unsigned char)mark;
        }
        if (frame->caller <= frame) {
            return NULL; /* not a chain of frames */
        }
        frame = frame->caller;
    }
    return frame;
}

/* The return addresses, as tools/fault-sites.sh reads them. */
static void
describe_sites(const struct frame *frame)
{
    size_t length = 0;
    site_report[0] = '\0';
    for (int i = 0; i < DEPTH_SHOWN && is_library_code(frame->returns_to); i++) {
        length += (size_t)snprintf(site_report + length, sizeof(site_report) - length,
                                   " site+%#zx",
                                   (size_t)(frame->returns_to - __start_ouro_text));
        frame = frame->caller;
    }
}

/* A forked child has no other threads. It may wait for a thread that does not exist. */
static bool
is_among_threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks != NULL && (entry = readdir(tasks)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return count > 1;
}

/* ---- in the child ------------------------------------------------------------------------ */

void judge_after_failure(void *result);
void return_to_judge(void);

/* The library returns here instead of to the test, whose frame stays as it is. */
__asm__(".text\n"
        ".globl return_to_judge\n"
        "return_to_judge:\n"
        "    movq %rax, %rdi\n"
        "    andq $-16, %rsp\n"
        "    call judge_after_failure\n");

#if UNDER_ASAN
int __lsan_do_recoverable_leak_check(void);
#else
#define __lsan_do_recoverable_leak_check() 0
#endif

/* Errors that say something about the library itself, not about the arguments of a call. */
static bool
is_internal_error(void)
{
    PyObject *exc = PyErr_GetRaisedException();
    PyObject *text = PyObject_Str(exc);
    const char *said = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
    return Py_IS_TYPE(exc, (PyTypeObject *)PyExc_SystemError) &&
           (said == NULL || strstr(said, "bad argument to internal function") == NULL);
}

__attribute__((used)) void
judge_after_failure(void *result)
{
    void *volatile keep = result;
    ouro_fault_witness = NULL;
    if (ouro_is_attached()) {
        if (!ouro_heap_verify(&ouro_current.interp->heap)) {
            _exit(HEAP_IS_DAMAGED);
        }
        if (lost_blocks_report() != 0) {
            _exit(BLOCK_IS_LOST);
        }
        if (PyErr_Occurred() != NULL && is_internal_error()) {
            _exit(INTERNAL_ERROR);
        }
    }
    if (__lsan_do_recoverable_leak_check() != 0) {
        _exit(LEAK);
    }
    (void)keep;
    _exit(0);
}

static struct frame *failing_call; /* the outermost frame of the library in that call */

/* All allocations of the current call fail, but not those of the test's callbacks. */
static bool
fail_all_of_call(bool Py_UNUSED(fails))
{
    struct frame *frame = __builtin_frame_address(0);
    while (is_library_code(frame->returns_to)) {
        frame = frame->caller;
    }
    return frame == failing_call;
}

static void
begin_child(struct frame *outermost, int output, bool lasts)
{
    dup2(output, STDERR_FILENO);
    alarm(among_threads ? THREAD_SECONDS : CHILD_SECONDS);
    test_ignore_failures();
    ouro_fault_arm(0);
    lost_blocks_begin();
    outermost->returns_to = (const char *)return_to_judge;
    failing_call = outermost;
    ouro_fault_witness = lasts ? fail_all_of_call : NULL;
}

/* ---- in the parent ----------------------------------------------------------------------- */

/* Some functions have no other way to fail than to end the process. */
static bool
is_documented_end(int status, const char *said)
{
    static const char *const texts[] = {
        "Py_Initialize: no memory",
        "Py_Initialize: the system grants no address space",
        "out of memory while starting",
        "PyGILState_Ensure: no memory",
        "Py_SetProgramName: out of memory",
        "Py_SetPythonHome: out of memory",
        "PySys_SetArgvEx: sys.argv cannot be set",
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(texts); i++) {
        if (strstr(said, texts[i]) != NULL) {
            return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
        }
    }
    return false;
}

/* The library has leaked a block if the failing call allocated it. Other blocks belong to the
 * test, which cannot release them. */
static bool
is_leak_of_test(int status, const char *said, const struct frame *outermost)
{
    char call[32];
    snprintf(call, sizeof(call), "%p", (const void *)(outermost->returns_to - 1));
    return WIFEXITED(status) && WEXITSTATUS(status) == LEAK &&
           (among_threads || strstr(said, call) == NULL);
}

static void
judge_child(pid_t child, int output, const struct frame *outermost, bool lasts)
{
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == GAVE_UP) ||
        (among_threads && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)) {
        return;
    }
    char *said = test_file_text(output);
    if (!is_documented_end(status, said) && !is_leak_of_test(status, said, outermost)) {
        test_fail(__FILE__, __LINE__, "%s: status %#x\n%s\n%s",
                  lasts ? "memory was gone at" : "an allocation failed at", status,
                  site_report, said);
    }
    free(said);
}

/* True in the child. */
static bool
fork_at_site(struct frame *outermost, bool lasts)
{
    int output = test_temporary_file();
    pid_t child = fork();
    if (child == 0) {
        begin_child(outermost, output, lasts);
        return true;
    }
    judge_child(child, output, outermost, lasts);
    close(output);
    return false;
}

static bool
witness_site(bool fails)
{
    struct frame *innermost = __builtin_frame_address(0);
    bool is_new = false;
    struct frame *outermost =
        note_sites(innermost, SITE_ASKED | (fails ? SITE_FAILED : 0), &is_new);
    if (fails || !is_new || outermost == NULL) {
        return fails;
    }
    note_sites(innermost, SITE_FAILED, &is_new);
    describe_sites(innermost);
    among_threads = is_among_threads();
    return fork_at_site(outermost, false) || fork_at_site(outermost, true);
}

/* ---- switching it on --------------------------------------------------------------------- */

void
test_fail_each_site(const char *path)
{
    size_t size = (size_t)(__stop_ouro_text - __start_ouro_text);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    void *notes = MAP_FAILED;

    if (size > 0 && file >= 0 && ftruncate(file, (off_t)size) == 0) {
        notes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (notes == MAP_FAILED) {
        fprintf(stderr, "%s cannot be used for the sites of VARIANT=faults\n", path);
        exit(2);
    }
    close(file);
    site_notes = notes;
    ouro_fault_witness = witness_site;
}

#else

void
test_fail_each_site(const char *path)
{
    fprintf(stderr, "%s: sites are for x86-64 only\n", path);
    exit(2);
}

#endif
