/* SPDX-License-Identifier: MIT */
/* Everything that the core needs from the layers above it. Base, platform, heap, thread, object
 * and collector refer to no other name of those layers. `make check` proves that from the
 * symbols of the object files. tests/core/core.c is a program that consists of the core alone
 * and supplies its own seam.
 *
 * The library's seam is in api/seam.c. It is constant, because loops over all objects compare
 * the types. */
#ifndef OURO_THREAD_SEAM_H
#define OURO_THREAD_SEAM_H

#include <Python.h>
#include <stdbool.h>

struct _is;

/* What the collector's callbacks learn about a collection. */
struct collection_facts {
    int generation;
    Py_ssize_t collected, uncollectable, candidates;
    double duration;
};

struct seam {
    PyTypeObject *tuple_type; /* its exact instances are untracked when they hold atoms */
    PyTypeObject *weakref_type; /* it and its subtypes are weak references */
    PyObject *none;             /* what a dead weak reference refers to */
    /* Start to manage an object again, in the youngest generation. */
    void (*track)(PyObject *op);
    /* callable(argument): a new reference, or NULL with an exception. */
    PyObject *(*call)(PyObject *callable, PyObject *argument);
    /* No caller can receive the pending exception: report it, with a text as for
     * PyUnicode_FromFormat, and clear it. */
    void (*report_error)(const char *format, ...);
    /* Call the interpreter's callbacks, if it has any; `phase` is "start" or "stop". */
    void (*tell_callbacks)(struct _is *interp, const char *phase,
                           const struct collection_facts *facts);
    /* Append to the list of garbage. A failure for lack of memory is ignored. */
    void (*show_garbage)(struct _is *interp, PyObject *op);
    /* At shutdown: report that the list holds garbage. */
    void (*warn_of_garbage)(struct _is *interp);
};

extern const struct seam ouro_seam __attribute__((visibility("hidden")));

#endif
