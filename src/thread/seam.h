/* SPDX-License-Identifier: MIT */
/* What the core needs of the layers above it, and nothing else: base, platform, heap, thread,
 * object and collector refer to this one name of theirs. `make check` proves that from the
 * symbols of the objects; tests/core/core.c is a program of the core alone, with a seam of its
 * own.
 *
 * The library's is in api/seam.c. It is constant: the types are compared in loops over all
 * objects. */
#ifndef OURO_THREAD_SEAM_H
#define OURO_THREAD_SEAM_H

#include <Python.h>
#include <stdbool.h>

struct _is;

/* What callbacks of the collector are told about a collection. */
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
    /* Nobody can receive the pending exception: report it, with a text as for
     * PyUnicode_FromFormat, and clear it. */
    void (*report_error)(const char *format, ...);
    /* Tell the callbacks of the interpreter, if it has any; `phase` is "start" or "stop". */
    void (*tell_callbacks)(struct _is *interp, const char *phase,
                           const struct collection_facts *facts);
    /* Append to the list of garbage; that this fails for want of memory is swallowed. */
    void (*show_garbage)(struct _is *interp, PyObject *op);
    /* At shutdown: say that there is garbage in the list. */
    void (*warn_of_garbage)(struct _is *interp);
};

extern const struct seam ouro_seam __attribute__((visibility("hidden")));

#endif
