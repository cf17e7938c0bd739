/* SPDX-License-Identifier: MIT */
/* Why a type could not be finished.
 *
 * In the shared scope every new object is immortal; an exception made there would stay for
 * ever. So the reason is kept as text there, and raised after leaving the scope. */
#ifndef OURO_TYPES_FAILURE_H
#define OURO_TYPES_FAILURE_H

#include <Python.h>
#include <stdbool.h>

struct failure {
    PyObject *exception; /* borrowed class; NULL: memory, or an exception is pending */
    char text[400];
};

/* Note a reason. Returns false, so that `return ouro_fail(...)` reads well. The first reason
 * stays. */
bool ouro_fail(struct failure *failure, PyObject *exception, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Raise the noted reason, else the pending exception, else MemoryError. */
void ouro_failure_raise(const struct failure *failure);

#endif
