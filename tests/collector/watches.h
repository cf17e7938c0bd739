/* SPDX-License-Identifier: MIT */
/* Rings that are huge when batches have eight objects, and cycles that watch them. */
#ifndef OURO_TESTS_COLLECTOR_WATCHES_H
#define OURO_TESTS_COLLECTOR_WATCHES_H

#include "cycles.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/seccomp.h>)
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

#define RING 600 /* objects of a ring that is huge when batches have eight */

static inline bool
system_has_watch(void)
{
    size_t size = ouro_platform_page_size();
    char *page =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(page != MAP_FAILED);
    struct ouro_span span = {(uintptr_t)page, (uintptr_t)page + size};
    struct ouro_watch watch;
    bool has = ouro_platform_watch_begin(&watch, span);
    ouro_platform_watch_end(&watch);
    munmap(page, size);
    return has;
}

/* Drops a ring and steps a cycle to `phase`. Returns a weak reference to the ring. */
static inline PyObject *
watch_ring_up_to(enum cycle_phase phase)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    PyObject *weakref = drop_old_ring(&N, RING);
    start_cycle();
    REQUIRE(step_to(phase));
    REQUIRE_EQ(gc_now()->cycle->phase, phase);
    return weakref;
}

static inline int
length_of_ring(PyObject *first)
{
    int length = 1;
    for (PyObject *each = node_of(first)->a; each != first; each = node_of(each)->a) {
        REQUIRE_NOT_NULL(each);
        length++;
    }
    return length;
}

/* From now on the system call fails with EPERM, as in many containers. */
static inline bool
deny_userfaultfd(void)
{
#ifdef SECCOMP_MODE_FILTER
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = Py_ARRAY_LENGTH(rules), .filter = rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
    return false; /* no headers of the kernel */
#endif
}

/* From now on the kernel refuses every operation on the handle. */
static inline void
break_handle(int handle)
{
    int other = open("/dev/null", O_RDONLY);
    REQUIRE(other >= 0);
    REQUIRE_EQ(dup2(other, handle), handle);
    close(other);
}

enum { SMALL = 5, ALL = 2 * RING + SMALL };

#endif
