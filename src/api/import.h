/* SPDX-License-Identifier: MIT */
/* What the files of the import machinery share.
 *
 *   import.c       sys.modules, and finding a name
 *   import_load.c  from an init function or a shared object to a module
 *   import_level.c what the import statement means: relative names, fromlist
 *   import_end.c   the end of the modules of an interpreter */
#ifndef OURO_API_IMPORT_H
#define OURO_API_IMPORT_H

#include <ouroboros.h>
#include <stdbool.h>

#include "../thread/interpreter.h"

/* Import an absolute name that is a str. A new reference; or NULL. */
PyObject *ouro_import_name(PyObject *name);
/* Raise ModuleNotFoundError with the name as its attribute. Takes the message, which may be
 * NULL with an exception. Returns NULL. */
PyObject *ouro_import_not_found(PyObject *message, PyObject *name);

/* Make the module `name` with an init function, or from a shared object; add it to
 * sys.modules and execute it. A new reference; or NULL, and it is not in sys.modules. */
PyObject *ouro_import_from_init(PyObject *name, PyObject *(*init)(void));
PyObject *ouro_import_from_file(PyObject *name, const char *file);

/* While a thread imports, others of its interpreter that want to import wait. Nests. */
void ouro_import_lock(struct _is *interp);
void ouro_import_unlock(struct _is *interp);

/* How to end all modules. An interpreter without modules has no pointer to it, so a program
 * that imports nothing does not contain the functions. */
struct module_end {
    /* sys.modules becomes empty. Destructors run. */
    void (*release)(struct _is *interp);
    /* Afterwards: set the variables of modules that live on to None, then those of sys and
     * builtins. */
    void (*clear_survivors)(struct _is *interp);
};
extern const struct module_end ouro_module_end;

#endif
