/* SPDX-License-Identifier: MIT */
/* The contract with the operating system: address space, stack bounds, clocks,
 * environment. Everything that is not plain C11 or pthreads is behind this header.
 *
 * Linux is what is tested, on x86-64 and aarch64 (`make ports`). Another system needs a file
 * like posix.c, and the build must pick it. What is different elsewhere:
 *   macOS    discard: MADV_DONTNEED does not make memory read as zero; map the range again.
 *            stack_bounds: pthread_get_stackaddr_np and pthread_get_stacksize_np.
 *            getenv: issetugid() and getenv. The shared library is a .dylib without symbol
 *            versions; linking needs no -ldl. No watch: watch.c has stubs for that case.
 *   Windows  reserve, commit, discard: VirtualAlloc with MEM_RESERVE, MEM_COMMIT, MEM_RESET or
 *            MEM_DECOMMIT. stack_bounds: GetCurrentThreadStackLimits. load: LoadLibrary.
 *            A compiler with gcc's attributes (clang, mingw-w64) and a pthread library:
 *            thread/ uses pthreads directly. Exports need __declspec in py/port.h. */
#ifndef OURO_PLATFORM_PLATFORM_H
#define OURO_PLATFORM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__APPLE__)
#define OURO_PLATFORM_NAME "darwin"
#elif defined(__linux__)
#define OURO_PLATFORM_NAME "linux"
#else
#define OURO_PLATFORM_NAME "posix"
#endif

/* The unit in which the system maps memory ("OS page"). */
size_t ouro_platform_page_size(void);

/* Reserve address space without memory behind it; NULL when the system refuses. */
void *ouro_platform_reserve(size_t size, size_t alignment);
void ouro_platform_release(void *start, size_t size);

/* Make part of a reservation usable, zero-filled; false when refused. Boundaries are
 * rounded outwards to OS pages; what is usable already stays as it is. */
bool ouro_platform_commit(void *start, size_t size);

/* Make usable OS pages inaccessible, or usable again; a hint where the system refuses. */
void ouro_platform_guard(void *start, size_t size, bool guarded);

/* Give the memory back and keep the range usable: it reads as zero again. Boundaries are
 * rounded inwards to OS pages. */
void ouro_platform_discard(void *start, size_t size);

/* All of it will be written soon: get the memory in one call, which is several times cheaper
 * than one page fault at a time; a hint. */
void ouro_platform_populate(void *start, size_t size);

/* Ask for large OS pages, or for none; a hint. */
void ouro_platform_prefer_huge(void *start, size_t size);
void ouro_platform_prefer_small(void *start, size_t size);

/* How much address space the process may still take (RLIMIT_AS), or SIZE_MAX. */
size_t ouro_platform_address_space_left(void);

/* The lowest and one past the highest address of the calling thread's stack. */
void ouro_platform_stack_bounds(char **low, char **high);

/* Seconds: wall clock, monotonic; and the calling thread's CPU time. */
double ouro_platform_clock(void);
double ouro_platform_thread_clock(void);

/* The value of an environment switch, NULL when unset or when the process runs with
 * privileges its caller lacks. */
const char *ouro_platform_getenv(const char *name);
/* The same as a number of bytes ("64M", "2G"), an integer, or `fallback` when unset or
 * malformed. */
int64_t ouro_platform_getenv_size(const char *name, int64_t fallback);

/* --- a write-watch (watch.c) -------------------------------------------------------------- */

/* Addresses from `start` up to `end`, OS page boundaries. */
struct ouro_span {
    uintptr_t start, end;
};

/* Handles of the kernel; -1 for none. */
struct ouro_watch {
    int faults, pages;
};
#define OURO_NO_WATCH    ((struct ouro_watch){-1, -1})
#define OURO_WATCH_SPANS 64

/* Prepare to watch pages of a range of committed memory; false when the system cannot or
 * refuses. A child of fork does not inherit it, but must end it too. */
bool ouro_platform_watch_begin(struct ouro_watch *watch, struct ouro_span range);
void ouro_platform_watch_end(struct ouro_watch *watch);
/* Stop watching a part. Ending a watch takes 300 ns for each page that is still armed. */
void ouro_platform_watch_drop(const struct ouro_watch *watch, struct ouro_span span);
/* From now on writes to these pages are recorded. Discarding a page forgets its record. */
bool ouro_platform_watch_arm(const struct ouro_watch *watch, struct ouro_span span);
/* Find the pages in `rest` that were written since they were armed, or were never armed. Fills
 * in spans for at most this many pages (0: any number), sets `rest` to what is left, and
 * returns the number of spans; -1 when the system fails. */
int ouro_platform_watch_read(const struct ouro_watch *watch, struct ouro_span *rest,
                             size_t most_pages, struct ouro_span spans[OURO_WATCH_SPANS]);

/* --- shared objects ---------------------------------------------------------------------- */

/* Load a shared object for good. Returns a handle; or NULL, with the reason in `error`. */
void *ouro_platform_load(const char *file, char *error, size_t size);
/* The address of a name that the shared object exports; NULL when there is none. */
void *ouro_platform_symbol(void *handle, const char *name);
/* What the name means inside the shared object: exports of the program and its libraries come
 * first. NULL when there is none. */
void *ouro_platform_symbol_inside(void *handle, const char *name);
/* Put the path of the shared object `name` of a folder into `path`: name.so, else the first
 * in alphabetical order of name.*.so. False when there is none, or it does not fit. */
bool ouro_platform_find_library(const char *folder, const char *name, char *path,
                                size_t size);

/* The memory of the program and of each shared object that is loaded: code, or static data.
 * Call `visit` for each piece; `file` is "" for the program itself, and `base` where it was
 * loaded. (segments.c) */
struct ouro_segment {
    uintptr_t start, end, base;
    const char *file;
    bool is_writable;
};
void ouro_platform_each_segment(void (*visit)(const struct ouro_segment *segment,
                                              void *arg),
                                void *arg);

/* The kernel's number of the calling thread, or another one that is unique. */
unsigned long ouro_platform_thread_number(void);

/* Do nothing for about a millisecond. */
void ouro_platform_pause(void);

#endif
