/* SPDX-License-Identifier: MIT */
/* POSIX, with Linux extensions where the plain way is missing. */
#include "platform.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <stdio.h>
#include <string.h>

#include "../base/fault.h"

size_t
ouro_platform_page_size(void)
{
    static size_t size;
    if (size == 0) {
        size = (size_t)sysconf(_SC_PAGESIZE);
    }
    return size;
}

static uintptr_t
round_down(uintptr_t value, size_t unit)
{
    return value & ~(uintptr_t)(unit - 1);
}

static uintptr_t
round_up(uintptr_t value, size_t unit)
{
    return round_down(value + unit - 1, unit);
}

static void *
map_nothing(size_t size)
{
    return mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
}

/* A number below `most`: as random as the kernel's placement of the stack, and the same in
 * every run if that is not randomised. */
static size_t
random_distance(size_t most)
{
    uint64_t mixed = (uintptr_t)__builtin_frame_address(0) / 16 * 0x9E3779B97F4A7C15u;
    return round_down((size_t)(mixed >> 20) % most, ouro_platform_page_size());
}

/* The kernel places mappings side by side. Without a random gap, an attacker who knows an
 * address of a library would know this one. */
void *
ouro_platform_reserve(size_t size, size_t alignment)
{
    size_t total = size + alignment + random_distance(size);
    if (ouro_fault()) {
        return NULL;
    }
    void *raw = map_nothing(total);
    if (raw == MAP_FAILED) {
        total = size + alignment;
        raw = map_nothing(total);
    }
    if (raw == MAP_FAILED) {
        return NULL;
    }
    uintptr_t start = round_up((uintptr_t)raw, alignment);
    uintptr_t before = start - (uintptr_t)raw;
    if (before != 0) {
        munmap(raw, before);
    }
    if (total - before - size != 0) {
        munmap((char *)start + size, total - before - size);
    }
    return (void *)start;
}

void
ouro_platform_release(void *start, size_t size)
{
    munmap(start, size);
}

bool
ouro_platform_commit(void *start, size_t size)
{
    size_t unit = ouro_platform_page_size();
    uintptr_t low = round_down((uintptr_t)start, unit);
    uintptr_t high = round_up((uintptr_t)start + size, unit);
    return !ouro_fault() &&
           mprotect((void *)low, high - low, PROT_READ | PROT_WRITE) == 0;
}

void
ouro_platform_guard(void *start, size_t size, bool guarded)
{
    (void)mprotect(start, size, guarded ? PROT_NONE : PROT_READ | PROT_WRITE);
}

void
ouro_platform_discard(void *start, size_t size)
{
    size_t unit = ouro_platform_page_size();
    uintptr_t low = round_up((uintptr_t)start, unit);
    uintptr_t high = round_down((uintptr_t)start + size, unit);
    if (low < high) {
        madvise((void *)low, high - low, MADV_DONTNEED);
    }
}

void
ouro_platform_populate(void *start, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    size_t unit = ouro_platform_page_size();
    size_t before = (uintptr_t)start & (unit - 1);
    madvise((char *)start - before, size + before, MADV_POPULATE_WRITE);
#else
    (void)start;
    (void)size;
#endif
}

void
ouro_platform_prefer_huge(void *start, size_t size)
{
#ifdef MADV_HUGEPAGE
    madvise(start, size, MADV_HUGEPAGE);
#else
    (void)start;
    (void)size;
#endif
}

void
ouro_platform_prefer_small(void *start, size_t size)
{
#ifdef MADV_NOHUGEPAGE
    madvise(start, size, MADV_NOHUGEPAGE);
#else
    (void)start;
    (void)size;
#endif
}

/* Pages mapped now, from /proc; 0 where that is missing. */
static size_t
address_space_in_use(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        if (fscanf(file, "%zu", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * ouro_platform_page_size();
}

size_t
ouro_platform_address_space_left(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return SIZE_MAX;
    }
    size_t used = address_space_in_use();
    return limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
}

void
ouro_platform_stack_bounds(char **low, char **high)
{
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        size_t guard = 0;
        pthread_attr_getstack(&attributes, &start, &size);
        pthread_attr_getguardsize(&attributes, &guard);
        pthread_attr_destroy(&attributes);
        start = (char *)start + guard;
        size -= guard;
    }
    if (size == 0) { /* unknown: assume little below the caller */
        size = (size_t)128 << 10;
        start = (char *)__builtin_frame_address(0) - size;
    }
    *low = start;
    *high = (char *)start + size;
}

static double
seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double
ouro_platform_clock(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double
ouro_platform_thread_clock(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

const char *
ouro_platform_getenv(const char *name)
{
    return secure_getenv(name);
}

int64_t
ouro_platform_getenv_size(const char *name, int64_t fallback)
{
    const char *text = ouro_platform_getenv(name);
    if (text == NULL) {
        return fallback;
    }
    char *end = NULL;
    long long value = strtoll(text, &end, 10);
    const char *units = "KMGT";
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    int shift = unit != NULL ? (int)(unit - units + 1) * 10 : 0;
    if (end == text || value < 0 || (*end != '\0' && (unit == NULL || end[1] != '\0')) ||
        value > INT64_MAX >> shift) {
        return fallback;
    }
    return (int64_t)value << shift;
}

/* --- shared objects ---------------------------------------------------------------------- */

void *
ouro_platform_load(const char *file, char *error, size_t size)
{
    /* The system would search its folders for a name without a slash. */
    char path[PATH_MAX];
    int length =
        snprintf(path, sizeof(path), "%s%s", strchr(file, '/') == NULL ? "./" : "", file);
    if (length < 0 || (size_t)length >= sizeof(path)) {
        snprintf(error, size, "%.100s...: the name is too long", file);
        return NULL;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *reason = dlerror();
        snprintf(error, size, "%s", reason != NULL ? reason : "unknown error");
    }
    return handle;
}

void *
ouro_platform_symbol(void *handle, const char *name)
{
    return dlsym(handle, name);
}

void *
ouro_platform_symbol_inside(void *handle, const char *name)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    return address != NULL ? address : dlsym(handle, name);
}

static bool
is_library_of(const char *file, const char *name)
{
    size_t length = strlen(file), prefix = strlen(name);
    return length > prefix + 3 && strncmp(file, name, prefix) == 0 &&
           file[prefix] == '.' && strcmp(file + length - 3, ".so") == 0;
}

static bool
join_path(char *path, size_t size, const char *folder, const char *file)
{
    int length = snprintf(path, size, "%s/%s", folder, file);
    return length > 0 && (size_t)length < size;
}

static bool
find_tagged_library(DIR *listing, const char *name, char *best, size_t size)
{
    best[0] = '\0';
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (is_library_of(entry->d_name, name) && strlen(entry->d_name) < size &&
            (best[0] == '\0' || strcmp(entry->d_name, best) < 0)) {
            strcpy(best, entry->d_name); /* NOLINT: its length was compared */
        }
    }
    return best[0] != '\0';
}

bool
ouro_platform_find_library(const char *folder, const char *name, char *path, size_t size)
{
    char file[NAME_MAX + 1];
    folder = folder[0] == '\0' ? "." : folder;
    int length = snprintf(file, sizeof(file), "%s.so", name);
    if (length < 0 || (size_t)length >= sizeof(file)) {
        return false;
    }
    if (join_path(path, size, folder, file) && access(path, F_OK) == 0) {
        return true;
    }
    DIR *listing = opendir(folder);
    if (listing == NULL) {
        return false;
    }
    bool found = find_tagged_library(listing, name, file, sizeof(file)) &&
                 join_path(path, size, folder, file);
    closedir(listing);
    return found;
}

unsigned long
ouro_platform_thread_number(void)
{
#ifdef __linux__
    return (unsigned long)syscall(SYS_gettid);
#else
    return (unsigned long)pthread_self();
#endif
}

void
ouro_platform_pause(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
}
