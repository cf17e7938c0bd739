/* SPDX-License-Identifier: MIT */
/* What the operations on the example modules share. They are compiled twice, against CPython
 * and against Ouroboros, and must print the same. */
#ifndef DRIVE_H
#define DRIVE_H

#include <Python.h>

/* Print what was done and its result, or the pending exception. Steals the result. */
void show(const char *what, PyObject *result);
/* The same for a function that returns 0, a truth value or a size, or -1. */
void show_number(const char *what, Py_ssize_t result);

#define CALL(object, method, ...)                                                        \
    show(#object "." method " " #__VA_ARGS__,                                            \
         PyObject_CallMethod(object, method, __VA_ARGS__))
#define SHOW(expression)   show(#expression, expression)
#define NUMBER(expression) show_number(#expression, expression)
/* Call this before the text of an error that is different in older versions of CPython. */
#define SINCE_3_13() fputs("since 3.13: ", stdout)

/* These end the program when they fail. `need` returns its argument. */
PyObject *need(PyObject *object);
PyObject *number(long value);
PyObject *attr(PyObject *object, const char *name);
/* The items of an iterable as a list, and whether two objects are the same. Both functions steal
 * their first argument. */
PyObject *list_of(PyObject *iterable);
int is_same(PyObject *object, PyObject *other);

/* Count the live instances of a type: each owns a reference to its heap type. Call remember_type
 * once for each type, before all else, to remember the references that others have. */
void remember_type(PyObject *type);
void show_instances(const char *when, PyObject *type);

/* Run a full collection. No others run. */
Py_ssize_t collect(void);

/* `count`, or a hundred if the environment has DRIVE_QUICK: then collections run whenever they are
 * due, and their results do not matter. */
long many(long count);

/* A callable that appends its argument to the list `log`. */
PyObject *new_logger(PyObject *log);
/* A type whose instances all have the same hash, and are equal if their numbers are. */
PyObject *new_collider_type(void);
PyObject *new_collider(PyObject *type, long value);

void drive_linked(PyObject *module);
void drive_lru(PyObject *module);
void drive_pmap(PyObject *module);
void drive_words(PyObject *module);

#endif
