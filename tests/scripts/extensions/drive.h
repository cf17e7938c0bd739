/* SPDX-License-Identifier: MIT */
/* What the operations on the example modules share. They are compiled twice, against CPython
 * and against Ouroboros, and must print the same. */
#ifndef DRIVE_H
#define DRIVE_H

#include <Python.h>

/* Print what was done and its result, or the exception that is pending. Steals it. */
void show(const char *what, PyObject *result);
/* The same for a function that returns 0, a truth value or a size, or -1. */
void show_number(const char *what, Py_ssize_t result);

#define CALL(object, method, ...)                                                        \
    show(#object "." method " " #__VA_ARGS__,                                            \
         PyObject_CallMethod(object, method, __VA_ARGS__))
#define SHOW(expression)   show(#expression, expression)
#define NUMBER(expression) show_number(#expression, expression)
/* Before the text of an error that older versions of CPython word differently. */
#define SINCE_3_13() fputs("since 3.13: ", stdout)

/* These end the program when they fail. `need` gives its argument back. */
PyObject *need(PyObject *object);
PyObject *number(long value);
PyObject *attr(PyObject *object, const char *name);
/* These two steal their first argument: what it iterates over, as a list, and whether it is
 * the other one. */
PyObject *list_of(PyObject *iterable);
int is_same(PyObject *object, PyObject *other);

/* Instances of a type that are alive: each owns a reference to its heap type. Call once at
 * first for each type, to remember the references that others have. */
void remember_type(PyObject *type);
void show_instances(const char *when, PyObject *type);

/* Run a full collection; the only ones are these. */
Py_ssize_t collect(void);

/* `count`, or a hundred when the environment has DRIVE_QUICK: then collections run whenever
 * they are due, and what they find does not matter. */
long many(long count);

/* A callable that appends what it is called with to the list `log`. */
PyObject *new_logger(PyObject *log);
/* A type whose instances all have the same hash, and are equal if their numbers are. */
PyObject *new_collider_type(void);
PyObject *new_collider(PyObject *type, long value);

void drive_linked(PyObject *module);
void drive_lru(PyObject *module);
void drive_pmap(PyObject *module);
void drive_words(PyObject *module);

#endif
