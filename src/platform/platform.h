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

/* Give the memory back and keep the range usable: it reads as zero again. Boundaries are
 * rounded inwards to OS pages. */
void ouro_platform_discard(void *start, size_t size);

/* All of it will be written soon: get the memory in one go, which is several times cheaper
 * than page fault by page fault; a hint. */
void ouro_platform_populate(void *start, size_t size);

/* Ask for large OS pages, or for none; a hint. */
void ouro_platform_prefer_huge(void *start, size_t size);
void ouro_platform_prefer_small(void *start, size_t size);

/* How much address space the process may still take (RLIMIT_AS), or SIZE_MAX. */
size_t ouro_platform_address_space_left(void);

/* The lowest and one past the highest address of the calling thread's stack. */
void ouro_platform_stack_bounds(char **low, char **high);

/* Seconds: of the wall, monotonic; and of the calling thread's CPU. */
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

/* Prepare to watch pages of a range of committed memory; false when the system cannot, or
 * refuses. Not inherited by a child of fork, which ends it all the same. */
bool ouro_platform_watch_begin(struct ouro_watch *watch, struct ouro_span range);
void ouro_platform_watch_end(struct ouro_watch *watch);
/* Watch a part no longer. The end of a watch takes 300 ns for each page still armed. */
void ouro_platform_watch_drop(const struct ouro_watch *watch, struct ouro_span span);
/* From now on writes to these pages are seen. What is discarded after that is forgotten. */
bool ouro_platform_watch_arm(const struct ouro_watch *watch, struct ouro_span span);
/* Where in `rest` pages were written since they were armed, or never armed: fills in spans
 * for at most so many pages (0: any number), makes `rest` what is left, and returns how many
 * spans there are; -1 when the system fails. */
int ouro_platform_watch_read(const struct ouro_watch *watch, struct ouro_span *rest,
                             size_t most_pages, struct ouro_span spans[OURO_WATCH_SPANS]);

/* --- shared objects ---------------------------------------------------------------------- */

/* Load a shared object for good: a handle; or NULL, and why in `error`. */
void *ouro_platform_load(const char *file, char *error, size_t size);
/* The address of a name that the shared object exports; NULL when there is none. */
void *ouro_platform_symbol(void *handle, const char *name);
/* What the name means inside the shared object: what the program and its libraries export
 * comes first. NULL when there is none. */
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

/* The number of the calling thread that the kernel shows, or another that is its own. */
unsigned long ouro_platform_thread_number(void);

/* Do nothing for about a millisecond. */
void ouro_platform_pause(void);

#endif
