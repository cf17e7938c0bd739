/* SPDX-License-Identifier: MIT */
/* What the programs of this folder share: functions to print a trace that is the same on CPython
 * and on Ouroboros, and a few types of objects.
 *
 * A program is a file with one function,
 *
 *     PROGRAM("a cycle of two is found")
 *     {
 *         trace("found %zd", collect());
 *     }
 *
 * which runs between Py_Initialize and Py_FinalizeEx, after a full collection. Automatic
 * collections are off: CPython runs them between the steps of its interpreter, we run them in
 * allocations. A program that needs them switches them on. The output of a program must not depend
 * on the order in which a collection visits, clears or finalizes objects, nor on how often tp_clear
 * is called (docs/differences.md). note() collects such events, and trace_notes() prints them
 * sorted.
 *
 * differential.c has the code behind this; README.md says how to add a program. */
#ifndef OURO_TESTS_DIFFERENTIAL_H
#define OURO_TESTS_DIFFERENTIAL_H

#include <Python.h>
#include <structmember.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a program -------------------------------------------------------------------------- */

extern const char *const program_claim;
void program(void);
#define PROGRAM(claim_)                                                                  \
    const char *const program_claim = claim_;                                            \
    void program(void)

/* In place of PROGRAM, for a CPython that is too old for it. */
#define SKIP_PROGRAM(why_)                                                               \
    const char *const program_claim = "skip: " why_;                                     \
    void program(void)                                                                   \
    {                                                                                    \
    }

/* Go on printing while the interpreter ends. */
extern bool trace_shutdown;

/* ---- printing ---------------------------------------------------------------------------- */

#define PRINTF_LIKE(n_) __attribute__((format(printf, n_, n_ + 1)))

void trace(const char *format, ...) PRINTF_LIKE(1);
void note(const char *format, ...) PRINTF_LIKE(1);
/* Prints "LABEL: " and the notes since the last call, sorted; "LABEL: -" if there are none. */
void trace_notes(const char *label);
/* The pending exception, "LABEL: ValueError: text", which is cleared; or "LABEL: no error". */
void trace_error(const char *label);
/* The same for a text that changed with a version: the text of an older one is not compared. */
void trace_error_since(unsigned long since, const char *label);
/* str or repr of an object, whose reference is taken; or the pending exception. */
void trace_str(const char *label, PyObject *object);
void trace_repr(const char *label, PyObject *object);

/* Prints a line whose value changed with a version of CPython. If the CPython is older than
 * `since`, its value is not compared, and ours must be `newest`. */
#define VERSION_DEPENDENT(since_, what_, value_, newest_)                                \
    trace_since((since_), (what_), (long)(value_), (long)(newest_))
void trace_since(unsigned long since, const char *what, long value, long newest);

/* ---- the collector ------------------------------------------------------------------------- */

/* gc.collect(generation), and a full one. -1 with an exception. */
Py_ssize_t collect_generation(int generation);
Py_ssize_t collect(void);
void get_counts(int counts[3]);
void get_thresholds(int thresholds[3]);
void set_thresholds(int first, int second, int third);
/* The number `key` of gc.get_stats()[generation]. */
long get_stat(int generation, const char *key);
void freeze(void);
void unfreeze(void);
Py_ssize_t get_freeze_count(void);
int get_debug(void);
void set_debug(int flags);
/* gc.garbage and gc.callbacks; borrowed. */
PyObject *gc_garbage(void);
PyObject *gc_callbacks(void);
/* New lists. -1 means all generations. */
PyObject *get_objects(int generation);
PyObject *get_referrers(PyObject *object);
PyObject *get_referents(PyObject *object);
/* Whether the object is in that list, by identity. The list is released. */
bool is_listed(PyObject *list, PyObject *object);
/* The length of a list, which is released. */
Py_ssize_t count_of(PyObject *list);

enum { STATS = 1, COLLECTABLE = 2, UNCOLLECTABLE = 4, SAVEALL = 32, LEAK = 38 };

/* From now on an exception that no caller can receive is noted as "unraisable TYPE: TEXT". */
void note_unraisable(void);

/* ---- nodes ----------------------------------------------------------------------------------- */

/* An object with two owned fields, weak references, a name under which its end is noted
 * ("dealloc x", "finalize x"), and hooks that are called then. */
struct node {
    PyObject_HEAD
    PyObject *a, *b;
    PyObject *weaklist;
    const char *name;
    void (*when_finalized)(struct node *self);
    void (*when_cleared)(struct node *self);
    void (*when_deallocated)(struct node *self); /* the fields are still there */
};

/* N, F with tp_finalize, D with tp_del. */
extern PyTypeObject N_Type, F_Type, D_Type;
#define NODE(op_) ((struct node *)(op_))

PyObject *new_node(PyTypeObject *type, const char *name);
PyObject *new_untracked_node(PyTypeObject *type, const char *name);
#define N(name_) new_node(&N_Type, name_)
#define F(name_) new_node(&F_Type, name_)
#define D(name_) new_node(&D_Type, name_)

/* from->a = to, from->b = to; a new reference is taken, the old one released. */
void set_a(PyObject *from, PyObject *to);
void set_b(PyObject *from, PyObject *to);

/* The handlers, for types of a program's own that begin with struct node. */
int node_traverse(PyObject *op, visitproc visit, void *arg);
int node_clear(PyObject *op);
void node_finalize(PyObject *op);
void node_dealloc(PyObject *op);
#define NODE_SLOTS(name_)                                                                \
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = name_, .tp_basicsize = sizeof(struct node), \
                                .tp_dealloc = node_dealloc,                              \
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,     \
                                .tp_traverse = node_traverse,                            \
                                .tp_weaklistoffset = offsetof(struct node, weaklist),    \
                                .tp_free = PyObject_GC_Del
/* Make a type ready. This must succeed. */
void ready(PyTypeObject *type);

/* ---- weak references and callables --------------------------------------------------------------- */

/* A weak reference whose callback notes "callback NAME"; none when the name is NULL. */
PyObject *new_weakref(PyObject *op, const char *name);
/* A callable of one argument that calls `function` with it. */
PyObject *new_callable(PyObject *(*function)(PyObject *self, PyObject *argument));
/* The same with a tuple of arguments. */
PyObject *new_callable_of_many(PyObject *(*function)(PyObject *self,
                                                     PyObject *arguments));
/* A callable that is bound to an instance like a method: the tuple starts with `self`. */
PyObject *new_method(PyObject *(*function)(PyObject *self, PyObject *arguments));
bool is_dead(PyObject *weakref);
/* metaclass(name, (base,), {}): pairs of a name and an attribute, whose reference is taken,
 * and NULL at the end. A base that is NULL is object. */
PyObject *new_class_of(PyObject *metaclass, const char *name, PyObject *base, ...);
#define new_class(...) new_class_of((PyObject *)&PyType_Type, __VA_ARGS__)
/* An interpreter of its own runs `body`; the caller is attached again after that. */
void in_another_interpreter(void (*body)(void));
/* Another thread runs `body`, attached; the caller waits, detached. */
void in_another_thread(void (*body)(void));

/* If the value is NULL, the program ends with the exception. */
PyObject *must(PyObject *object);
void must_be_zero(int result);
/* New str, int. */
PyObject *text(const char *value);
PyObject *number(long value);

/* ---- for versions before 3.13 -------------------------------------------------------------------- */

#if PY_VERSION_HEX < 0x030C0000
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_T_PYSSIZET  T_PYSSIZET
#define Py_T_INT       T_INT
#define Py_READONLY    READONLY
#endif
#if PY_VERSION_HEX < 0x030D0000
int PyWeakref_GetRef(PyObject *ref, PyObject **object);
#endif

#endif
