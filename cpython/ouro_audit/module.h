/* SPDX-License-Identifier: MIT */
/* What the C files of _ouro_audit share: the functions that module.c lists, each documented
 * beside its code, and a few helpers.
 *
 * Functions that destroy or change objects say so. They are for a forked child. */
#ifndef OURO_AUDIT_MODULE_H
#define OURO_AUDIT_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

/* run.c */
extern const char ouro_audit_run_doc[];
PyObject *ouro_audit_run_all(PyObject *module, PyObject *args);

/* types.c */
extern const char ouro_audit_describe_type_doc[];
PyObject *ouro_audit_describe_type(PyObject *module, PyObject *type);

/* names.c */
extern const char ouro_audit_field_name_doc[];
PyObject *ouro_audit_field_name(PyObject *module, PyObject *args);

/* handlers.c */
extern const char ouro_audit_try_clear_doc[], ouro_audit_try_traverse_doc[];
PyObject *ouro_audit_try_clear(PyObject *module, PyObject *object);
PyObject *ouro_audit_try_traverse(PyObject *module, PyObject *object);

/* death.c */
extern const char ouro_audit_kill_doc[], ouro_audit_note_release_doc[],
    ouro_audit_owns_doc[];
PyObject *ouro_audit_kill(PyObject *module, PyObject *args);
PyObject *ouro_audit_note_release(PyObject *module, PyObject *weak);
PyObject *ouro_audit_owns(PyObject *module, PyObject *args);

/* early.c */
extern const char ouro_audit_traverse_at_allocations_doc[];
PyObject *ouro_audit_traverse_at_allocations(PyObject *module, PyObject *args);

/* lost.c */
extern const char ouro_audit_pointers_to_doc[];
PyObject *ouro_audit_pointers_to(PyObject *module, PyObject *args);

/* frames.c */
extern const char ouro_audit_keep_frame_doc[], ouro_audit_kept_frame_doc[];
PyObject *ouro_audit_keep_frame(PyObject *module, PyObject *code);
PyObject *ouro_audit_kept_frame(PyObject *module, PyObject *ignored);

/* bags of visited objects */
struct visits {
    PyObject **items;
    Py_ssize_t count, room;
    bool no_memory;
};
/* The objects that tp_traverse visits; we hold a reference to each. False with an exception. */
bool ouro_audit_visits_take(struct visits *visits, PyObject *object);
/* Give the references back, unless `keep`. */
void ouro_audit_visits_drop(struct visits *visits, bool keep);
Py_ssize_t ouro_audit_visits_count(const struct visits *visits, const PyObject *referent);

/* Whether the collector tracks the object. 3.8 has no function for this. */
bool ouro_audit_is_tracked(PyObject *object);

/* The head of its list of weak references, or NULL. */
PyObject *ouro_audit_weak_references(PyObject *object);

#endif
