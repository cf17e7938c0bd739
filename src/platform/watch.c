/* SPDX-License-Identifier: MIT */
/* A write-watch: which OS pages of a range were written since they were armed?
 *
 * Linux has one from 6.7 on: userfaultfd with asynchronous write protection, where the kernel
 * lets the first write to a page pass and remembers it, and PAGEMAP_SCAN, which reads what it
 * remembers. Sandboxes often refuse the first. Names that older headers lack are spelled out;
 * without the kernel's headers, as with musl-gcc, there is no watch. */
#include "platform.h"

#include <unistd.h>

#include "../base/fault.h"

#if defined(__linux__) && __has_include(<linux/userfaultfd.h>)

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define USER_MODE_ONLY 1
#define WP_UNPOPULATED (1u << 13)
#define WP_ASYNC       (1u << 15)

/* struct pm_scan_arg of linux/fs.h. */
struct pagemap_scan {
    uint64_t size, flags, start, end, walk_end, spans, span_count, most_pages;
    uint64_t inverted, mask, any_of, returned;
};
struct pagemap_span {
    uint64_t start, end, categories;
};
#define PAGEMAP_SCAN_CALL _IOWR('f', 16, struct pagemap_scan)
#define IS_WRITTEN        2u

static bool
open_watch(struct ouro_watch *watch)
{
    struct uffdio_api api = {.api = UFFD_API, .features = WP_ASYNC | WP_UNPOPULATED};
    watch->faults =
        (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
    watch->pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return watch->faults >= 0 && watch->pages >= 0 &&
           ioctl(watch->faults, UFFDIO_API, &api) == 0;
}

static bool
register_range(const struct ouro_watch *watch, struct ouro_span range)
{
    struct uffdio_register wanted = {
        .range = {range.start, range.end - range.start},
        .mode = UFFDIO_REGISTER_MODE_WP,
    };
    return ioctl(watch->faults, UFFDIO_REGISTER, &wanted) == 0;
}

void
ouro_platform_watch_drop(const struct ouro_watch *watch, struct ouro_span span)
{
    struct uffdio_range range = {span.start, span.end - span.start};
    (void)ioctl(watch->faults, UFFDIO_UNREGISTER, &range);
}

bool
ouro_platform_watch_arm(const struct ouro_watch *watch, struct ouro_span span)
{
    struct uffdio_writeprotect protect = {
        .range = {span.start, span.end - span.start},
        .mode = UFFDIO_WRITEPROTECT_MODE_WP,
    };
    return ioctl(watch->faults, UFFDIO_WRITEPROTECT, &protect) == 0;
}

int
ouro_platform_watch_read(const struct ouro_watch *watch, struct ouro_span *rest,
                         size_t most_pages, struct ouro_span spans[OURO_WATCH_SPANS])
{
    struct pagemap_span found[OURO_WATCH_SPANS];
    struct pagemap_scan scan = {
        .size = sizeof scan,
        .start = rest->start,
        .end = rest->end,
        .spans = (uintptr_t)found,
        .span_count = OURO_WATCH_SPANS,
        .most_pages = most_pages,
        .mask = IS_WRITTEN,
        .returned = IS_WRITTEN,
    };
    int count = (int)ioctl(watch->pages, PAGEMAP_SCAN_CALL, &scan);
    for (int i = 0; i < count; i++) {
        spans[i] = (struct ouro_span){(uintptr_t)found[i].start, (uintptr_t)found[i].end};
    }
    rest->start = (uintptr_t)scan.walk_end;
    return count;
}

#else

static bool
open_watch(struct ouro_watch *watch)
{
    (void)watch;
    return false;
}

static bool
register_range(const struct ouro_watch *watch, struct ouro_span range)
{
    (void)watch;
    (void)range;
    return false;
}

void
ouro_platform_watch_drop(const struct ouro_watch *watch, struct ouro_span span)
{
    (void)watch;
    (void)span;
}

bool
ouro_platform_watch_arm(const struct ouro_watch *watch, struct ouro_span span)
{
    (void)watch;
    (void)span;
    return false;
}

int
ouro_platform_watch_read(const struct ouro_watch *watch, struct ouro_span *rest,
                         size_t most_pages, struct ouro_span spans[OURO_WATCH_SPANS])
{
    (void)watch;
    (void)rest;
    (void)most_pages;
    (void)spans;
    return -1;
}

#endif

bool
ouro_platform_watch_begin(struct ouro_watch *watch, struct ouro_span range)
{
    *watch = OURO_NO_WATCH;
    if (!ouro_fault() && open_watch(watch) && register_range(watch, range)) {
        return true;
    }
    ouro_platform_watch_end(watch);
    return false;
}

void
ouro_platform_watch_end(struct ouro_watch *watch)
{
    if (watch->faults >= 0) {
        close(watch->faults);
    }
    if (watch->pages >= 0) {
        close(watch->pages);
    }
    *watch = OURO_NO_WATCH;
}
