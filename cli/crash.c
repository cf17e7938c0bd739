/* SPDX-License-Identifier: MIT */
/* A crash of the worker: it reports which functions were running before the process ends. The
 * program itself, which is intact, turns the addresses into lines. */
#include "cli.h"
#include "worker.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else /* musl has none: a crash is told without its frames */
static int
backtrace(void **frames, int most)
{
    (void)frames;
    (void)most;
    return 0;
}
#endif

/* CRASHED: the frame of the instruction; before it are the handler and what the system calls it
 * from. */
enum { DEEPEST = 64, CRASHED = 2, STACK_BYTES = 1 << 16 };

/* Frames of libc, and of the library, which is part of this program, are left out. */
static bool
is_told(const Dl_info *info)
{
    Dl_info self;
    return dladdr((void *)(size_t)&crash_watch, &self) != 0 &&
           info->dli_fbase != self.dli_fbase && info->dli_fname != NULL &&
           strstr(info->dli_fname, "/libc.so") == NULL &&
           strstr(info->dli_fname, "/libc-") == NULL;
}

/* Places are reported as return addresses, so the crashed instruction is given as the one after
 * it. */
static void
tell_crash(int number)
{
    void *frames[DEEPEST];
    Dl_info info;
    int count = backtrace(frames, DEEPEST);
    for (int i = 0; i < count; i++) {
        if (dladdr(frames[i], &info) != 0 && is_told(&info)) {
            tell("frame", "%s+0x%zx", info.dli_fname,
                 (size_t)((char *)frames[i] - (char *)info.dli_fbase) + (i == CRASHED));
        }
    }
    signal(number, SIG_DFL);
    raise(number);
}

void
crash_watch(void)
{
    static char memory[STACK_BYTES];
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
    struct sigaction action = {.sa_flags = SA_ONSTACK | SA_NODEFER};
    void *frames[1];
    backtrace(frames, 1); /* loads what it needs while that is safe */
    action.sa_handler = tell_crash;
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        sigaction(signals[i], &action, NULL);
    }
}
