/* SPDX-License-Identifier: MIT */
/* Compiling and running Python code, which cannot be done here.
 *
 * Each function fails as it does in CPython: NULL or -1, with NotImplementedError. The Simple
 * and Any forms print the exception and return -1. */
#ifndef OURO_PY_RUN_H
#define OURO_PY_RUN_H

#include "frame.h"
#include "object.h"

OURO_BEGIN_DECLS

#define Py_single_input 256
#define Py_file_input   257
#define Py_eval_input   258

typedef struct {
    int cf_flags;
    int cf_feature_version;
} PyCompilerFlags;

/* NULL with NotImplementedError, or -1 after printing it. A file is closed when it says so. */
PyAPI_FUNC(PyObject *) PyRun_StringFlags(const char *source, int start, PyObject *globals,
                                         PyObject *locals, PyCompilerFlags *flags);
PyAPI_FUNC(PyObject *) PyRun_FileExFlags(FILE *file, const char *name, int start,
                                         PyObject *globals, PyObject *locals, int closeit,
                                         PyCompilerFlags *flags);
PyAPI_FUNC(int) PyRun_SimpleStringFlags(const char *source, PyCompilerFlags *flags);
PyAPI_FUNC(int) PyRun_SimpleFileExFlags(FILE *file, const char *name, int closeit,
                                        PyCompilerFlags *flags);
PyAPI_FUNC(PyObject *) Py_CompileStringExFlags(const char *source, const char *name,
                                               int start, PyCompilerFlags *flags,
                                               int optimize);
PyAPI_FUNC(PyObject *) PyEval_EvalCode(PyObject *code, PyObject *globals,
                                       PyObject *locals);
PyAPI_FUNC(PyObject *) PyImport_ExecCodeModuleEx(const char *name, PyObject *code,
                                                 const char *path);
PyAPI_FUNC(PyObject *) PyImport_ExecCodeModuleObject(PyObject *name, PyObject *code,
                                                     PyObject *path, PyObject *compiled);
PyAPI_FUNC(PyObject *) PyImport_ExecCodeModuleWithPathnames(const char *name,
                                                            PyObject *code,
                                                            const char *path,
                                                            const char *compiled);
PyAPI_FUNC(PyObject *) PyEval_EvalCodeEx(PyObject *code, PyObject *globals,
                                         PyObject *locals, PyObject *const *args,
                                         int argc, PyObject *const *kws, int kwc,
                                         PyObject *const *defs, int defc,
                                         PyObject *kwdefs, PyObject *closure);
PyAPI_FUNC(PyObject *) PyEval_EvalFrame(PyFrameObject *frame);
PyAPI_FUNC(PyObject *) PyEval_EvalFrameEx(PyFrameObject *frame, int exc);
/* 0: no module of this name is frozen. */
PyAPI_FUNC(int) PyImport_ImportFrozenModule(const char *name);
PyAPI_FUNC(int) PyImport_ImportFrozenModuleObject(PyObject *name);
#define PyRun_String(source, start, globals, locals)                                     \
    PyRun_StringFlags((source), (start), (globals), (locals), NULL)
#define PyRun_SimpleString(source) PyRun_SimpleStringFlags((source), NULL)
#define PyRun_File(file, name, start, globals, locals)                                   \
    PyRun_FileExFlags((file), (name), (start), (globals), (locals), 0, NULL)
#define PyRun_SimpleFile(file, name) PyRun_SimpleFileExFlags((file), (name), 0, NULL)
#define PyRun_AnyFile(file, name)    PyRun_SimpleFileExFlags((file), (name), 0, NULL)
#define Py_CompileString(source, name, start)                                            \
    Py_CompileStringExFlags((source), (name), (start), NULL, -1)
#define Py_CompileStringFlags(source, name, start, flags)                                \
    Py_CompileStringExFlags((source), (name), (start), (flags), -1)
#define PyImport_ExecCodeModule(name, code)                                              \
    PyImport_ExecCodeModuleEx((name), (code), NULL)

OURO_END_DECLS

#endif
