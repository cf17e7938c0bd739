/* SPDX-License-Identifier: MIT */
/* The init functions of the modules that the library brings; inittab.c lists them. */
#ifndef OURO_MODULES_MODULES_H
#define OURO_MODULES_MODULES_H

#include <ouroboros.h>
#include <stdbool.h>

PyObject *ouro_init_builtins(void);
PyObject *ouro_init_gc(void);
PyObject *ouro_init_sys(void);
PyObject *ouro_init_weakref(void);

/* textfile.c: a file object that writes to a stream; a new reference, or NULL. */
PyObject *ouro_text_file_new(FILE *stream, const char *name);
/* unraisable_args.c: is this what Ouro_UnraisableArgsNew made? Then its fields, borrowed. */
int ouro_unraisable_args_read(PyObject *args, Ouro_Unraisable *report);
/* builtins_iterate.c: the functions on iterables. */
extern PyMethodDef ouro_iterating_builtins[] __attribute__((visibility("hidden")));
/* inittab.c: the names of all modules that need no file; a new tuple, or NULL. */
PyObject *ouro_inittab_names(void);

/* Add an attribute and take the value, which may be NULL with an exception. */
static inline bool
ouro_module_put(PyObject *module, const char *name, PyObject *value)
{
    return PyModule_Add(module, name, value) == 0;
}

/* Finish the methods of a table that an entry with a NULL name ends. */
#define OURO_METHODS_END                                                                 \
    {                                                                                    \
        NULL, NULL, 0, NULL                                                              \
    }
/* A function with keyword arguments in a method table. */
#define OURO_KEYWORDS(function)                                                          \
    (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

#endif
