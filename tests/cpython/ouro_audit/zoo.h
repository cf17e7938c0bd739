/* SPDX-License-Identifier: MIT */
/* The zoo: a module with types that have one mistake each, and correct types that are hard to
 * judge. It compiles for CPython and for Ouroboros.
 *
 * The name of a type begins with the code of its mistake: T01_block breaks GC-T01. A type whose
 * name has no code is correct. All types share the structure Node, unless they say otherwise.
 *   zoo_traverse.c   mistakes of tp_traverse
 *   zoo_life.c       mistakes of construction and destruction
 *   zoo_clear.c      mistakes of tp_clear
 *   zoo_correct.c    correct types
 *   zoo.c            makes the types from the rows of the other files */
#ifndef OURO_ZOO_H
#define OURO_ZOO_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *a, *b;    /* owned; attributes */
    PyObject *borrowed; /* set by borrow(); not owned */
    PyObject *weakrefs;
    PyObject **items; /* a C block with owned references */
    Py_ssize_t count;
    uintptr_t tagged; /* an owned reference with its lowest bit set, or 0 */
} Node;

typedef struct {
    Node node;
    PyObject *c;
} BigNode;

/* One type. Members that are NULL or 0 stand for those of a correct node. */
struct row {
    const char *name; /* without the name of the module */
    traverseproc traverse;
    inquiry clear;
    destructor dealloc;
    newfunc new;
    destructor del, finalize;
    PyMethodDef *methods;
    PyMemberDef *members;
    const char *base; /* of types with the structure BigNode */
    unsigned long flags;
    Py_ssize_t size; /* of the structure */
    Py_ssize_t itemsize;
    freefunc free;
    unsigned int is_heap : 1, is_plain : 1; /* plain: without Py_TPFLAGS_HAVE_GC */
    unsigned int no_clear : 1, no_dealloc : 1, no_traverse : 1, no_weakrefs : 1,
        no_new : 1;
};

extern const struct row zoo_traverse_rows[], zoo_life_rows[], zoo_clear_rows[],
    zoo_correct_rows[]; /* each ends with a row without a name */

/* Adds types that are no Node; zoo.c calls it before it makes the others. False on failure. */
int zoo_add_others(PyObject *module);

/* ---- what a correct node does ---- */

int zoo_visit_fields(PyObject *op, visitproc visit, void *arg);
int zoo_visit_type(PyObject *op, visitproc visit, void *arg); /* and the fields */
int zoo_visit_big(PyObject *op, visitproc visit, void *arg);  /* of a BigNode */
int zoo_clear(PyObject *op);
void zoo_dealloc(PyObject *op);
void zoo_heap_dealloc(PyObject *op);
PyObject *zoo_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
PyObject *zoo_append(PyObject *op, PyObject *value);
PyObject *zoo_tag(PyObject *op, PyObject *value);
extern PyMethodDef zoo_methods[];
extern PyMemberDef zoo_members[], zoo_big_members[];

#endif
