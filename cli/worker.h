/* SPDX-License-Identifier: MIT */
/* Inside the worker: the parts that deal with objects. */
#ifndef OURO_CLI_WORKER_H
#define OURO_CLI_WORKER_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

/* Do everything that can be done with instances of a type, and tell what comes of it. */
void exercise_type(PyTypeObject *type);

/* Tell which types of the module have instances now, of themselves or of a class derived from
 * them: the audit has looked at these. */
void tell_seen(void);

/* Follow a script; its variables are gone afterwards. False after telling an error. */
bool run_script(PyObject *module, const char *file);

/* Put a stub into sys.modules: "name", or "name:attribute,attribute". False with an
 * exception. */
bool make_stub(const char *text);

/* Put a module into sys.modules, and into its package, which may be a stub. False with an
 * exception. */
bool put_module(const char *name, PyObject *module);

/* Tell the frames of a crash from now on. */
void crash_watch(void);

/* The pending exception as text; it is gone afterwards. */
void take_error(char *out, size_t size);

/* Tracked objects of exactly this type. */
long count_instances(PyTypeObject *type);

#endif
