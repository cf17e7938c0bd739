/* SPDX-License-Identifier: MIT */
#include "differential.h"

#if PY_VERSION_HEX < 0x030C0000
SKIP_PROGRAM("PyUnstable_GC_VisitObjects is new in 3.12")
#else

static PyObject *wanted;
static int visits, seen, others_after;
static Py_ssize_t references;

static int
find(PyObject *object, void *arg)
{
    visits++;
    if (object == wanted) {
        seen++;
        references = Py_REFCNT(object);
        trace("enabled inside: %d, collects: %zd", PyGC_IsEnabled(), PyGC_Collect());
        return *(int *)arg;
    }
    others_after += seen > 0;
    return 1;
}

static int
count_it(PyObject *object, void *arg)
{
    (void)arg;
    seen += object == wanted;
    return 1;
}

static void
walk(const char *what, PyObject *object, int go_on)
{
    wanted = object;
    visits = seen = others_after = 0;
    references = 0;
    PyUnstable_GC_VisitObjects(find, &go_on);
    trace("%s: seen %d, references %zd, stopped %d, enabled after %d", what, seen,
          references, seen > 0 && others_after == 0, PyGC_IsEnabled());
}

PROGRAM("PyUnstable_GC_VisitObjects visits each tracked object once")
{
    PyObject *x = N("x");
    PyObject *later = N("later");
    walk("tracked, and stopped", x, 0);
    PyGC_Disable();
    walk("disabled", x, 0);
    PyGC_Enable();
    PyObject_GC_UnTrack(x);
    walk("untracked", x, 1);
    PyObject_GC_Track(x);
    freeze();
    wanted = x;
    seen = 0;
    PyUnstable_GC_VisitObjects(count_it, NULL);
    VERSION_DEPENDENT(0x030E0000, "a frozen object is visited", seen, 1);
    unfreeze();
    Py_DECREF(x);
    Py_DECREF(later);
    trace_notes("events");
}
#endif
