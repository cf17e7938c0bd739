/* SPDX-License-Identifier: MIT */
#include "differential.h"

#include <fcntl.h>
#include <unistd.h>

static char output[20000];

/* Run a full collection, and read what it writes to stderr. */
static Py_ssize_t
collect_and_listen(void)
{
    char name[] = "/tmp/differential-XXXXXX";
    int file = mkstemp(name), old = dup(2);
    unlink(name);
    dup2(file, 2);
    Py_ssize_t found = collect();
    fflush(stderr);
    dup2(old, 2);
    ssize_t size = pread(file, output, sizeof output - 1, 0);
    output[size > 0 ? size : 0] = '\0';
    close(file);
    close(old);
    return found;
}

static int
lines_with(const char *part)
{
    int count = 0;
    for (const char *at = output; (at = strstr(at, part)) != NULL; at++) {
        count++;
    }
    return count;
}

static void
report(const char *what)
{
    trace("%s: collectable <N %d, <F %d, uncollectable <D %d, <N %d", what,
          lines_with("gc: collectable <N 0x"), lines_with("gc: collectable <F 0x"),
          lines_with("gc: uncollectable <D 0x"), lines_with("gc: uncollectable <N 0x"));
    trace("%s: collecting %d, each %d, permanent %d, done %d, elapsed %d", what,
          lines_with("gc: collecting generation 2..."),
          lines_with("gc: objects in each generation: "),
          lines_with("gc: objects in permanent generation: "), lines_with("gc: done, "),
          lines_with("s elapsed"));
    trace("%s: 3 unreachable, 0 uncollectable %d; 2 unreachable, 2 uncollectable %d",
          what, lines_with("gc: done, 3 unreachable, 0 uncollectable, "),
          lines_with("gc: done, 2 unreachable, 2 uncollectable, "));
    trace("%s: %d lines", what, lines_with("\n"));
}

static void
make_garbage(void)
{
    PyObject *x = N("x"), *y = F("y"), *z = N("z");
    set_a(x, y);
    set_a(y, x);
    set_b(y, z);
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(z);
}

PROGRAM("what the debug flags print")
{
    make_garbage();
    trace("without: %zd", collect_and_listen());
    report("without");
    set_debug(STATS);
    make_garbage();
    trace("stats: %zd", collect_and_listen());
    report("stats");
    trace("stats of nothing: %zd", collect_and_listen());
    report("stats of nothing");
    set_debug(COLLECTABLE);
    make_garbage();
    trace("collectable: %zd", collect_and_listen());
    report("collectable");
    set_debug(UNCOLLECTABLE | STATS);
    PyObject *d = D("d"), *n = N("n");
    set_a(d, n);
    set_a(n, d);
    Py_DECREF(d);
    Py_DECREF(n);
    trace("uncollectable: %zd", collect_and_listen());
    report("uncollectable");
    set_debug(0);
    set_a(n, NULL);
    must_be_zero(PyList_SetSlice(gc_garbage(), 0, 1, NULL));
    trace_notes("events");
}
