/* SPDX-License-Identifier: MIT */
/* Type objects: what the files of this folder share.
 *
 * A type is finished once: its base, bases, MRO and dict are filled, its slots inherited,
 * its flags checked, and READY is set last. Static types are finished in the shared scope
 * (thread/interpreter.h), so all that belongs to them is immortal and process-wide; heap
 * types belong to the interpreter that made them and are objects of the collector.
 *
 *   type.inv.ready     READY implies tp_base (but for object), tp_bases, tp_mro and
 *                      tp_dict are set, and every base is READY
 *   type.inv.static    a static type has static bases only
 *   type.inv.gc        READY and HAVE_GC imply tp_traverse
 *   type.inv.managed   MANAGED_DICT implies tp_dictoffset == -1, MANAGED_WEAKREF implies
 *                      tp_weaklistoffset == -8, and both imply HAVE_GC
 *   type.inv.members   a heap type has Py_SIZE(type) members behind its own structure
 *
 * Read next: ready.c. */
#ifndef OURO_TYPES_TYPE_H
#define OURO_TYPES_TYPE_H

#include <Python.h>
#include <stdbool.h>

#include "../base/check.h"
#include "failure.h"

/* Where the managed words of an instance are, counted from the object. */
#define OURO_MANAGED_DICT_OFFSET    (-1) /* not a place: asks for the managed dict */
#define OURO_MANAGED_WEAKREF_OFFSET (-(Py_ssize_t)sizeof(void *))
#define OURO_MANAGED_DICT_WORD      (-2) /* the dict itself, in words */

/* --- ready.c: finishing --------------------------------------------------------------- */

static inline bool
ouro_type_is_heap(PyTypeObject *type)
{
    return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE);
}

/* Finish a heap type whose slots, tp_base and tp_bases are set; or say why not. */
bool ouro_heap_type_finish(PyTypeObject *type, struct failure *failure);
/* Finish `base` unless it is, whatever the current scope. */
bool ouro_base_finish(PyTypeObject *base, struct failure *failure);
/* Choose how PyObject_GC_New allocates instances: tp_ouro_size_class. */
void ouro_type_set_size_class(PyTypeObject *type);

/* --- builtin_types.c: the static types of the library ------------------------------------ */

/* Finish the types that nothing works without. Once per process; repeating it is fine. */
int ouro_types_start(void);
extern bool ouro_types_have_started;
/* Finish all others, too; false with MemoryError. */
bool ouro_types_finish_all(void);

/* ready.c: finish a static type that is not. */
bool ouro_type_finish_late(PyTypeObject *type);

/* Called before instances of a type are made, and before it is called: the first use of a
 * static type of the library finishes it. False with an exception. */
static inline bool
ouro_type_use(PyTypeObject *type)
{
    unsigned long flags = __atomic_load_n(&type->tp_flags, __ATOMIC_ACQUIRE);
    return OURO_LIKELY((flags & Py_TPFLAGS_READY) != 0) || ouro_type_finish_late(type);
}

/* --- the steps of finishing, one file each ---------------------------------------------- */

/* bases.c: the base whose layout instances extend; borrowed, or NULL. */
PyTypeObject *ouro_bases_best(PyObject *bases, struct failure *failure);
/* bases.c: the nearest type on the way up that changed the size of instances. */
PyTypeObject *ouro_solid_ancestor(PyTypeObject *type);
/* bases.c: the most derived of `metatype` and the types of `bases`; borrowed, or NULL. */
PyTypeObject *ouro_bases_metatype(PyTypeObject *metatype, PyObject *bases,
                                  struct failure *failure);
/* bases.c: may an immutable type called `name` have these ancestors, from `first` on? */
bool ouro_bases_are_immutable(const char *name, PyObject *ancestors, Py_ssize_t first,
                              struct failure *failure);
/* mro.c: the C3 order of `type`; a new tuple, or NULL. */
PyObject *ouro_mro_compute(PyTypeObject *type, struct failure *failure);
/* dict.c: descriptors for tp_methods, tp_members and tp_getset, and __doc__. */
bool ouro_type_fill_dict(PyTypeObject *type, struct failure *failure);
/* dict.c: give a static type tables that it did not come with. In the shared scope; false
 * with MemoryError. */
bool ouro_type_add_tables(PyTypeObject *type, PyMethodDef *methods, PyGetSetDef *getset);
/* inherit.c: everything that comes from the bases. */
bool ouro_type_inherit(PyTypeObject *type, struct failure *failure);
/* check.c: the rules that a type must keep after inheriting. */
bool ouro_type_check(PyTypeObject *type, struct failure *failure);

/* lookup.c: what the types of the MRO have under `name`, borrowed; or NULL. Never fails. */
PyObject *ouro_type_lookup(PyTypeObject *type, PyObject *name);

/* --- heap types ---------------------------------------------------------------------------- */

/* heap_dealloc.c: tp_dealloc of heap types that bring none. */
void ouro_heap_instance_dealloc(PyObject *self);
/* class_instance.c: tp_traverse and tp_clear of what type(name, bases, dict) makes. */
int ouro_class_instance_traverse(PyObject *self, visitproc visit, void *arg);
int ouro_class_instance_clear(PyObject *self);
/* class_instance.c: release the Py_T_OBJECT_EX members that `type` itself adds. */
void ouro_members_clear(PyTypeObject *type, PyObject *self);
/* class.c: type(name, bases, dict). */
PyObject *ouro_class_new(PyTypeObject *metatype, PyObject *args, PyObject *kwargs);

/* class_hooks.c: call what wants to know about a new class. False with an exception. */
bool ouro_class_announce(PyTypeObject *type, PyObject *kwargs);

/* The members of a heap type; Py_SIZE(type) of them. */
static inline PyMemberDef *
ouro_heap_type_members(PyTypeObject *type)
{
    return (PyMemberDef *)((char *)type + Py_TYPE(type)->tp_basicsize);
}

/* Copy a text for a heap type; NULL without exception when out of memory. */
char *ouro_text_copy(const char *text, size_t length);
/* Point the tp_as_* fields of a heap type at the structures it has inside. */
void ouro_heap_type_wire(PyHeapTypeObject *heap);

/* --- type_attributes.c ----------------------------------------------------------------------- */

PyObject *ouro_type_getattro(PyObject *self, PyObject *name);
int ouro_type_setattro(PyObject *self, PyObject *name, PyObject *value);
extern PyGetSetDef ouro_type_getset[] __attribute__((visibility("hidden")));
/* type_methods.c: mro() and the like. */
extern PyMethodDef ouro_type_methods[] __attribute__((visibility("hidden")));
/* names.c: "module.qualname", without the module of built-in types; a new reference. */
PyObject *ouro_type_display_name(PyTypeObject *type);
/* names.c: __module__, a new reference; NULL, with or without an exception. */
PyObject *ouro_type_module_name(PyTypeObject *type);

#endif
