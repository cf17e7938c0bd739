/* SPDX-License-Identifier: MIT */
/* Importing modules: the built-in ones, those of the program, and shared objects.
 *
 * A name is looked for in sys.modules, then among the modules that the program brings
 * (the inittab), then as a shared object `name.so` or `name.*.so` in the folders of
 * sys.path. There is no source code to import, so nothing else is looked for. */
#ifndef OURO_PY_IMPORT_H
#define OURO_PY_IMPORT_H

#include "module.h"

OURO_BEGIN_DECLS

/* --- modules that the program brings ---------------------------------------------------- */

struct _inittab {
    const char *name;
    PyObject *(*initfunc)(void);
};

/* Make modules importable under their names, until the library ends; an array ends with a
 * NULL name. The names are not copied. 0; or -1 without an exception when out of memory. */
PyAPI_FUNC(int) PyImport_AppendInittab(const char *name, PyObject *(*initfunc)(void));
PyAPI_FUNC(int) PyImport_ExtendInittab(struct _inittab *newtab);
/* The function for a name, or NULL; and forget what the program brought. */
typedef PyObject *(*_PyInitFunction)(void);
PyAPI_FUNC(_PyInitFunction) _PyImport_FindInittab(const char *name);
PyAPI_FUNC(void) _PyImport_ResetInittab(void);

/* --- importing ---------------------------------------------------------------------------- */

/* Import the module with this full name, its packages first. A new reference; or NULL with
 * ModuleNotFoundError, ImportError, or what the module raised. */
PyAPI_FUNC(PyObject *) PyImport_ImportModule(const char *name);
PyAPI_FUNC(PyObject *) PyImport_ImportModuleNoBlock(const char *name);
PyAPI_FUNC(PyObject *) PyImport_Import(PyObject *name);
/* The module itself, a new reference: extension modules do not run a second time. ImportError
 * when sys.modules does not have it; TypeError when `module` is none. */
PyAPI_FUNC(PyObject *) PyImport_ReloadModule(PyObject *module);
/* What the statement does: `globals` is needed for relative names (level > 0), `locals` is
 * not used. Without a `fromlist` the result is the first package of the name, with one it
 * is the module, and the list's submodules are imported. */
PyAPI_FUNC(PyObject *) PyImport_ImportModuleLevel(const char *name, PyObject *globals,
                                                  PyObject *locals, PyObject *fromlist,
                                                  int level);
PyAPI_FUNC(PyObject *) PyImport_ImportModuleLevelObject(PyObject *name, PyObject *globals,
                                                        PyObject *locals,
                                                        PyObject *fromlist, int level);
#define PyImport_ImportModuleEx(name, globals, locals, fromlist)                         \
    PyImport_ImportModuleLevel((name), (globals), (locals), (fromlist), 0)
/* An attribute of a module: a new reference; or NULL with an exception. */
PyAPI_FUNC(PyObject *) PyImport_ImportModuleAttr(PyObject *name, PyObject *attribute);
PyAPI_FUNC(PyObject *) PyImport_ImportModuleAttrString(const char *name,
                                                       const char *attribute);
/* The first phase for one function of an inittab: a module that PyModule_Exec completes. A
 * new reference; or NULL. */
PyAPI_FUNC(PyObject *) PyImport_CreateModuleFromInitfunc(PyObject *spec,
                                                         PyObject *(*initfunc)(void));

/* --- sys.modules ---------------------------------------------------------------------------- */

/* The dict itself, borrowed. NULL with an exception when it cannot be made, or is gone
 * because the interpreter ends. */
PyAPI_FUNC(PyObject *) PyImport_GetModuleDict(void);
/* The module, a new reference; NULL with or without an exception. */
PyAPI_FUNC(PyObject *) PyImport_GetModule(PyObject *name);
/* The module, made empty and added if it is not there: a new reference, or a borrowed one.
 * NULL with an exception. */
PyAPI_FUNC(PyObject *) PyImport_AddModuleRef(const char *name);
PyAPI_FUNC(PyObject *) PyImport_AddModule(const char *name);
PyAPI_FUNC(PyObject *) PyImport_AddModuleObject(PyObject *name);

/* The full name of the module whose init function runs on this thread; NULL when none
 * does. */
PyAPI_FUNC(const char *) _PyImport_Context(void);

/* --- sys and builtins --------------------------------------------------------------------------- */

/* An attribute of sys, borrowed; NULL without exception when it is missing. */
PyAPI_FUNC(PyObject *) PySys_GetObject(const char *name);
/* The same as a new reference (3.15): RuntimeError when missing; or 1, 0 and NULL when
 * missing, -1 with an exception. */
PyAPI_FUNC(PyObject *) PySys_GetAttr(PyObject *name);
PyAPI_FUNC(PyObject *) PySys_GetAttrString(const char *name);
PyAPI_FUNC(int) PySys_GetOptionalAttr(PyObject *name, PyObject **result);
PyAPI_FUNC(int) PySys_GetOptionalAttrString(const char *name, PyObject **result);
/* Set an attribute, or delete it when the value is NULL. 0; or -1 with an exception. */
PyAPI_FUNC(int) PySys_SetObject(const char *name, PyObject *value);
/* Set sys.argv; and put the folder of the first argument in front of sys.path, if asked to. */
PyAPI_FUNC(void) PySys_SetArgv(int argc, wchar_t **argv);
PyAPI_FUNC(void) PySys_SetArgvEx(int argc, wchar_t **argv, int updatepath);
/* sys._xoptions, a dict, borrowed; and make sys.warnoptions empty. */
PyAPI_FUNC(PyObject *) PySys_GetXOptions(void);
PyAPI_FUNC(void) PySys_ResetWarnOptions(void);
/* Tell hooks what is about to happen; the arguments are those of Py_BuildValue, or a tuple
 * that may be NULL. 0; or -1 with the exception of the first hook that objects. */
typedef int (*Py_AuditHookFunction)(const char *event, PyObject *args, void *data);
PyAPI_FUNC(int) PySys_Audit(const char *event, const char *format, ...);
PyAPI_FUNC(int) PySys_AuditTuple(const char *event, PyObject *args);
/* Hooks are called in their order until Py_FinalizeEx has ended. Also before Py_Initialize. 0;
 * or -1. */
PyAPI_FUNC(int) PySys_AddAuditHook(Py_AuditHookFunction function, void *data);
/* Write to sys.stdout or sys.stderr, or to the C stream if that fails. The first two format
 * like printf and cut after 1000 bytes; the others format like PyUnicode_FromFormat. The
 * pending exception is kept. */
PyAPI_FUNC(void) PySys_WriteStdout(const char *format, ...)
    Py_GCC_ATTRIBUTE((format(printf, 1, 2)));
PyAPI_FUNC(void) PySys_WriteStderr(const char *format, ...)
    Py_GCC_ATTRIBUTE((format(printf, 1, 2)));
PyAPI_FUNC(void) PySys_FormatStdout(const char *format, ...);
PyAPI_FUNC(void) PySys_FormatStderr(const char *format, ...);
/* The dict of builtins, borrowed, and as a new reference. NULL with an exception. */
PyAPI_FUNC(PyObject *) PyEval_GetBuiltins(void);
PyAPI_FUNC(PyObject *) PyEval_GetFrameBuiltins(void);

OURO_END_DECLS

#endif
