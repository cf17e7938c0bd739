/* SPDX-License-Identifier: MIT */
/* Events as a file that Perfetto and chrome://tracing open: a listener that writes the Trace Event
 * Format, one object of a JSON array on each line. It has a buffer of its own, so that nothing is
 * allocated, and a child of fork, which has a copy of it, can drop it. */
#include <ouroboros.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../platform/platform.h"

#define BUFFER_BYTES 65536
#define LINE_BYTES   512 /* at most */

static struct {
    pthread_mutex_t lock; /* interpreters run in parallel */
    int file;             /* -1: no trace */
    int error;            /* of the first write that failed */
    long process;
    double start;
    size_t used;
    int64_t cycles;
    char buffer[BUFFER_BYTES];
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

/* --- the file ------------------------------------------------------------------------------- */

static void
flush_buffer(void)
{
    for (size_t done = 0; done < trace.used && trace.error == 0;) {
        ssize_t written = write(trace.file, trace.buffer + done, trace.used - done);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno != EINTR) {
            trace.error = errno;
        }
    }
    trace.used = 0;
}

__attribute__((format(printf, 1, 2))) static void
put(const char *format, ...)
{
    va_list args;
    if (trace.used + LINE_BYTES > BUFFER_BYTES) {
        flush_buffer();
    }
    va_start(args, format);
    int length = vsnprintf(trace.buffer + trace.used, LINE_BYTES, format, args);
    va_end(args);
    trace.used += length < LINE_BYTES ? (size_t)length : 0;
}

/* A time in microseconds, with a decimal point, which printf replaces in some languages. */
static void
put_time(const char *key, double seconds)
{
    long long thousandths = (long long)(1e9 * seconds);
    put(",\"%s\":%s%lld.%03lld", key, thousandths < 0 ? "-" : "",
        llabs(thousandths) / 1000, llabs(thousandths) % 1000);
}

static void
put_line_head(const char *name, char phase, double wall)
{
    put(",\n{\"name\":\"%s\",\"cat\":\"gc\",\"ph\":\"%c\",\"pid\":%ld,\"tid\":%lu", name,
        phase, trace.process, PyThread_get_thread_native_id());
    put_time("ts", wall - trace.start);
}

/* Begin a line, if there is a trace. The lock is then taken until end_line(). */
static bool
begin_line(const char *name, char phase, double wall)
{
    pthread_mutex_lock(&trace.lock);
    if (trace.file < 0) {
        pthread_mutex_unlock(&trace.lock);
        return false;
    }
    put_line_head(name, phase, wall);
    return true;
}

static void
end_line(void)
{
    put("}");
    pthread_mutex_unlock(&trace.lock);
}

/* --- the listener ----------------------------------------------------------------------------- */

static void
put_event_counts(const Ouro_Event *event)
{
    put(",\"args\":{\"generation\":%d,\"candidates\":%zd,\"collected\":%zd,"
        "\"uncollectable\":%zd,\"dropped\":%s",
        event->generation, event->candidates, event->collected, event->uncollectable,
        event->is_dropped ? "true" : "false");
    put_time("cpu_us", event->cpu_seconds);
    put("}");
}

/* From its begin to its end, on its thread. */
static void
write_whole(const char *name, const Ouro_Event *event)
{
    if (begin_line(name, 'X', event->wall - event->wall_seconds)) {
        put_time("dur", event->wall_seconds);
        put_event_counts(event);
        end_line();
    }
}

static void
write_collection(const Ouro_Event *event, void *Py_UNUSED(arg))
{
    static const char *const names[] = {"collection of generation 0",
                                        "collection of generation 1",
                                        "collection of generation 2"};
    write_whole(names[event->generation], event);
}

/* "slice: mark", or "slice: mark to gather". */
static void
write_slice(const Ouro_Event *event, void *Py_UNUSED(arg))
{
    char name[60];
    bool is_one = strcmp(event->first_phase, event->last_phase) == 0;
    snprintf(name, sizeof name, "slice: %s%s%s", event->first_phase, is_one ? "" : " to ",
             is_one ? "" : event->last_phase);
    write_whole(name, event);
}

/* The program runs meanwhile, so it is a line of its own: "async". */
static void
write_cycle_line(const Ouro_Event *event, void *Py_UNUSED(arg))
{
    if (begin_line("cycle", 'b', event->wall - event->wall_seconds)) {
        put(",\"id\":%lld", (long long)++trace.cycles);
        put_event_counts(event);
        put("}");
        put_line_head("cycle", 'e', event->wall);
        put(",\"id\":%lld", (long long)trace.cycles);
        end_line();
    }
}

/* A moment, on its thread. */
static void
write_moment(const char *name, const Ouro_Event *event)
{
    if (begin_line(name, 'i', event->wall)) {
        put(",\"s\":\"t\"");
        put_event_counts(event);
        end_line();
    }
}

static void
write_proof(const Ouro_Event *event, void *Py_UNUSED(arg))
{
    write_moment("component proved", event);
}

static void
write_forced(const Ouro_Event *event, void *Py_UNUSED(arg))
{
    write_moment("cycle forced to its end", event);
}

static void
write_failure(const Ouro_Event *event, void *Py_UNUSED(arg))
{
    write_moment("allocation failed", event);
}

/* A curve. */
static void
write_heap(const Ouro_Event *event, void *Py_UNUSED(arg))
{
    char name[40];
    snprintf(name, sizeof name, "heap %lld",
             (long long)PyInterpreterState_GetID(event->interpreter));
    if (begin_line(name, 'C', event->wall)) {
        put(",\"args\":{\"used\":%zu,\"kept for later\":%zu}", event->used_bytes,
            event->resident_bytes - event->used_bytes);
        end_line();
    }
}

static const Ouro_Listener writer = {
    .collection_ends = write_collection,
    .cycle_ends = write_cycle_line,
    .slice_ends = write_slice,
    .component_proved = write_proof,
    .cycle_forced = write_forced,
    .heap_grew = write_heap,
    .heap_shrank = write_heap,
    .allocation_failed = write_failure,
};

/* --- begin and end ------------------------------------------------------------------------------ */

/* A child of fork does not write its parent's trace. A thread that the child does not have may
 * hold the lock. */
static void
forget_trace(void)
{
    pthread_mutex_init(&trace.lock, NULL);
    if (trace.file >= 0) {
        Ouro_RemoveListener(&writer);
        close(trace.file);
        trace.file = -1;
    }
}

static void
prepare_for_fork(void)
{
    pthread_atfork(NULL, NULL, forget_trace);
}

/* The array begins with an object that names the process, so that all others follow a comma. */
static void
put_head(void)
{
    trace.error = 0;
    trace.used = 0;
    trace.process = (long)getpid();
    trace.start = ouro_platform_clock();
    put("[{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%ld,"
        "\"args\":{\"name\":\"Ouroboros\"}}",
        trace.process);
}

/* An errno. */
static int
open_trace(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return errno;
    }
    if (Ouro_AddListener(&writer) < 0) {
        close(file);
        unlink(path);
        return ENOSPC;
    }
    trace.file = file;
    put_head();
    return 0;
}

static int
close_trace(void)
{
    Ouro_RemoveListener(&writer);
    put("\n]\n");
    flush_buffer();
    int closed = close(trace.file) == 0 ? 0 : errno;
    trace.file = -1;
    return trace.error != 0 ? trace.error : closed;
}

int
Ouro_TraceBegin(const char *path)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_for_fork);
    pthread_mutex_lock(&trace.lock);
    int error = trace.file >= 0 ? EBUSY : open_trace(path);
    pthread_mutex_unlock(&trace.lock);
    return error;
}

int
Ouro_TraceEnd(void)
{
    pthread_mutex_lock(&trace.lock);
    int error = trace.file >= 0 ? close_trace() : 0;
    pthread_mutex_unlock(&trace.lock);
    return error;
}
