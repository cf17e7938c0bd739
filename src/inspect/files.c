/* SPDX-License-Identifier: MIT */
/* Snapshots in files, on request of the program or of its user. OURO_HEAP_SNAPSHOT writes one
 * at the end of the program; with OURO_HEAP_SIGNAL, one at the next safe point after each such
 * signal instead. OURO_TRACE starts a trace (trace.c), OURO_STATISTICS prints statistics at the
 * end. */
#include <ouroboros.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/inspect.h"
#include "../platform/platform.h"
#include "graph.h"

#define PATH_MOST_BYTES 4096

int
Ouro_HeapSnapshot(const char *path)
{
    Ouro_Snapshot *snapshot = Ouro_SnapshotTake(0);
    if (snapshot == NULL) {
        return -1;
    }
    int error = Ouro_SnapshotWrite(snapshot, path);
    Ouro_SnapshotFree(snapshot);
    if (error != 0) {
        errno = error;
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
        return -1;
    }
    return 0;
}

/* --- the switches --------------------------------------------------------------------------------- */

static int snapshots; /* that a signal asked for */

/* The path with %p replaced by the process number, and the number of the file inserted before
 * the extension, if there is one. False when it does not fit. */
static bool
make_file_path(const char *pattern, int number, char *path)
{
    const char *slash = strrchr(pattern, '/');
    const char *ending = strrchr(slash != NULL ? slash : pattern, '.');
    ending = ending != NULL ? ending : pattern + strlen(pattern);
    size_t used = 0;
    for (const char *at = pattern;; at++) {
        char part[32] = {*at, '\0'};
        if (at == ending && number > 0) {
            snprintf(part, sizeof part, "-%d%c", number, *at);
        } else if (at[0] == '%' && at[1] == 'p') {
            snprintf(part, sizeof part, "%ld", (long)getpid());
            at++;
        }
        size_t length = strlen(part);
        if (used + length + 1 > PATH_MOST_BYTES) {
            return false;
        }
        memcpy(path + used, part, length + 1);
        used += length;
        if (*at == '\0') {
            return true;
        }
    }
}

static void
write_snapshot(int number)
{
    const char *pattern = ouro_platform_getenv("OURO_HEAP_SNAPSHOT");
    char path[PATH_MOST_BYTES];
    PyObject *pending = PyErr_GetRaisedException();
    if (pattern != NULL && make_file_path(pattern, number, path) &&
        Ouro_HeapSnapshot(path) < 0) {
        PyErr_FormatUnraisable("OURO_HEAP_SNAPSHOT: no snapshot was written to %s", path);
    }
    PyErr_SetRaisedException(pending);
}

static void
ask_for_snapshot(int Py_UNUSED(number))
{
    ouro_inspect_is_asked = 1;
}

/* Never replace a handler of the program. */
static void
hear_signal(int number)
{
    struct sigaction before,
        ours = {.sa_handler = ask_for_snapshot, .sa_flags = SA_RESTART};
    sigemptyset(&ours.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL &&
        (before.sa_flags & SA_SIGINFO) == 0) {
        sigaction(number, &ours, NULL);
    }
}

static bool is_tracing; /* as OURO_TRACE asked for it */

static void
start_trace(void)
{
    static int traces;
    const char *pattern = ouro_platform_getenv("OURO_TRACE");
    char path[PATH_MOST_BYTES];
    if (pattern != NULL && make_file_path(pattern, traces++, path)) {
        int error = Ouro_TraceBegin(path);
        is_tracing = error == 0;
        if (error != 0) {
            fprintf(stderr, "OURO_TRACE: %s: %s\n", path, strerror(error));
        }
    }
}

static void
end_trace(void)
{
    int error = is_tracing ? Ouro_TraceEnd() : 0;
    is_tracing = false;
    if (error != 0) {
        fprintf(stderr, "OURO_TRACE: %s\n", strerror(error));
    }
}

static bool
put_statistics(const void *statistics, const char *path, FILE *file)
{
    Ouro_StatisticsWrite(statistics, file, ouro_file_ends_with(path, ".json"));
    return true;
}

static void
write_statistics(void)
{
    static int files;
    const char *pattern = ouro_platform_getenv("OURO_STATISTICS");
    char path[PATH_MOST_BYTES];
    Ouro_Statistics statistics;
    if (pattern == NULL || !make_file_path(pattern, files++, path)) {
        return;
    }
    Ouro_StatisticsGet(&statistics);
    if (strcmp(pattern, "-") == 0) {
        put_statistics(&statistics, path, stderr);
        return;
    }
    int error = ouro_file_write(path, put_statistics, &statistics);
    if (error != 0) {
        fprintf(stderr, "OURO_STATISTICS: %s: %s\n", path, strerror(error));
    }
}

static void
start_views(void)
{
    start_trace();
    if (ouro_platform_getenv("OURO_STATISTICS") != NULL) {
        (void)Ouro_GCRecordPauses(1); /* without memory, without pauses */
    }
    int64_t number = ouro_platform_getenv_size("OURO_HEAP_SIGNAL", 0);
    if (number > 0 && number < NSIG &&
        ouro_platform_getenv("OURO_HEAP_SNAPSHOT") != NULL) {
        hear_signal((int)number);
    }
}

static void
write_asked_snapshot(void)
{
    ouro_inspect_is_asked = 0;
    write_snapshot(++snapshots);
}

static void
write_last_views(void)
{
    write_statistics();
    if (ouro_platform_getenv("OURO_HEAP_SIGNAL") == NULL) {
        write_snapshot(0);
    } else if (ouro_inspect_is_asked) {
        write_asked_snapshot();
    }
}

__attribute__((constructor)) static void
put_inspector(void)
{
    static const struct ouro_inspector inspector = {
        .start = start_views,
        .end = write_last_views,
        .ended = end_trace,
        .safe_point = write_asked_snapshot,
    };
    ouro_inspector = &inspector;
}
