/* SPDX-License-Identifier: MIT */
/* What the descriptor types have in common. */
#ifndef OURO_BUILTINS_DESCRIPTOR_OBJECT_H
#define OURO_BUILTINS_DESCRIPTOR_OBJECT_H

#include <Python.h>
#include <stdbool.h>

#define OURO_DESCR(op) ((PyDescrObject *)(op))

/* A tracked descriptor; fields of its own type are the caller's to fill. */
PyDescrObject *ouro_descr_new(PyTypeObject *descr_type, PyTypeObject *type,
                              const char *name);
int ouro_descr_traverse(PyObject *op, visitproc visit, void *arg);
void ouro_descr_dealloc(PyObject *op);

/* Is `obj` an instance of the descriptor's type? Else TypeError with the text `format`,
 * which names the descriptor, its type, and the type of `obj`. */
bool ouro_descr_applies_to(PyDescrObject *descr, PyObject *obj, const char *format);
extern const char ouro_wrong_object_to_get[];

/* "<what 'name' of 'type' objects>". */
PyObject *ouro_descr_repr(PyObject *op, const char *what);
/* Getter of __qualname__. */
PyObject *ouro_descr_get_qualname(PyObject *op, void *closure);
/* `doc` as a str, or None. */
PyObject *ouro_doc_text(const char *doc);
/* __objclass__ and __name__. */
extern PyMemberDef ouro_descr_members[] __attribute__((visibility("hidden")));

#endif
