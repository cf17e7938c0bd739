/* SPDX-License-Identifier: MIT */
/* What Python code consists of: code objects, functions, generators and coroutines.
 *
 * No Python code runs here. Code objects can be made empty, as extension modules do for
 * their tracebacks; of the other types there are no instances, so their checks say no and
 * their accessors raise SystemError, as CPython's do for an object of another type. */
#ifndef OURO_PY_CODE_H
#define OURO_PY_CODE_H

#include "typeobject.h"

OURO_BEGIN_DECLS

/* --- code ---------------------------------------------------------------------------- */

typedef struct PyCodeObject {
    PyObject_HEAD
    PyObject *co_filename, *co_name, *co_qualname; /* str; owned */
    PyObject *co_consts, *co_names;                /* empty tuples */
    int co_firstlineno;
    int co_flags;
    int co_argcount, co_posonlyargcount, co_kwonlyargcount;
    int co_nlocals, co_stacksize;
} PyCodeObject;

PyAPI_DATA(PyTypeObject) PyCode_Type;
#define PyCode_Check(op) Py_IS_TYPE((op), &PyCode_Type)

#define CO_OPTIMIZED          0x0001
#define CO_NEWLOCALS          0x0002
#define CO_VARARGS            0x0004
#define CO_VARKEYWORDS        0x0008
#define CO_NESTED             0x0010
#define CO_GENERATOR          0x0020
#define CO_NOFREE             0x0040
#define CO_COROUTINE          0x0080
#define CO_ITERABLE_COROUTINE 0x0100
#define CO_ASYNC_GENERATOR    0x0200

/* Code without a single instruction, for a frame that stands for C code. A new reference;
 * or NULL with an exception. `filename` and `funcname` are UTF-8. */
PyAPI_FUNC(PyCodeObject *) PyCode_NewEmpty(const char *filename, const char *funcname,
                                           int firstlineno);
/* The line of the instruction at this offset: the first line, as there are none. */
PyAPI_FUNC(int) PyCode_Addr2Line(PyCodeObject *code, int byte_offset);
/* The same with columns, which are unknown (-1). 1 always. */
PyAPI_FUNC(int) PyCode_Addr2Location(PyCodeObject *code, int byte_offset, int *start_line,
                                     int *start_column, int *end_line, int *end_column);
/* The instructions, empty bytes; and names of variables, empty tuples. New references. */
PyAPI_FUNC(PyObject *) PyCode_GetCode(PyCodeObject *code);
PyAPI_FUNC(PyObject *) PyCode_GetVarnames(PyCodeObject *code);
PyAPI_FUNC(PyObject *) PyCode_GetCellvars(PyCodeObject *code);
PyAPI_FUNC(PyObject *) PyCode_GetFreevars(PyCodeObject *code);
#define PyCode_GetNumFree(code)            ((void)(code), (Py_ssize_t)0)
#define PyUnstable_Code_GetFirstFree(code) ((code)->co_nlocals)
#define PyCode_GetFirstFree(code)          PyUnstable_Code_GetFirstFree(code)

/* --- functions ------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *func_globals, *func_builtins, *func_name, *func_qualname, *func_code;
    PyObject *func_defaults, *func_kwdefaults, *func_closure, *func_doc, *func_dict;
    PyObject *func_weakreflist, *func_module, *func_annotations, *func_typeparams;
} PyFunctionObject;

/* Calling the type raises TypeError. */
PyAPI_DATA(PyTypeObject) PyFunction_Type;
#define PyFunction_Check(op) Py_IS_TYPE((op), &PyFunction_Type)

/* Parts of a function, borrowed. NULL with SystemError: `op` is no function. */
PyAPI_FUNC(PyObject *) PyFunction_GetCode(PyObject *op);
PyAPI_FUNC(PyObject *) PyFunction_GetGlobals(PyObject *op);
PyAPI_FUNC(PyObject *) PyFunction_GetModule(PyObject *op);
PyAPI_FUNC(PyObject *) PyFunction_GetDefaults(PyObject *op);
PyAPI_FUNC(PyObject *) PyFunction_GetKwDefaults(PyObject *op);
PyAPI_FUNC(PyObject *) PyFunction_GetClosure(PyObject *op);
PyAPI_FUNC(PyObject *) PyFunction_GetAnnotations(PyObject *op);
/* -1 with SystemError: `op` is no function. */
PyAPI_FUNC(int) PyFunction_SetDefaults(PyObject *op, PyObject *defaults);
PyAPI_FUNC(int) PyFunction_SetKwDefaults(PyObject *op, PyObject *defaults);
PyAPI_FUNC(int) PyFunction_SetClosure(PyObject *op, PyObject *closure);
PyAPI_FUNC(int) PyFunction_SetAnnotations(PyObject *op, PyObject *annotations);
#define PyFunction_GET_CODE(op)        (((PyFunctionObject *)(op))->func_code)
#define PyFunction_GET_GLOBALS(op)     (((PyFunctionObject *)(op))->func_globals)
#define PyFunction_GET_MODULE(op)      (((PyFunctionObject *)(op))->func_module)
#define PyFunction_GET_DEFAULTS(op)    (((PyFunctionObject *)(op))->func_defaults)
#define PyFunction_GET_KW_DEFAULTS(op) (((PyFunctionObject *)(op))->func_kwdefaults)
#define PyFunction_GET_CLOSURE(op)     (((PyFunctionObject *)(op))->func_closure)
#define PyFunction_GET_ANNOTATIONS(op) (((PyFunctionObject *)(op))->func_annotations)

/* --- generators and coroutines ----------------------------------------------------------- */

typedef struct _PyGenObject PyGenObject;
typedef struct _PyCoroObject PyCoroObject;
typedef struct _PyAsyncGenObject PyAsyncGenObject;

PyAPI_DATA(PyTypeObject) PyGen_Type;
PyAPI_DATA(PyTypeObject) PyCoro_Type;
PyAPI_DATA(PyTypeObject) PyAsyncGen_Type;
#define PyGen_Check(op)           PyObject_TypeCheck((op), &PyGen_Type)
#define PyGen_CheckExact(op)      Py_IS_TYPE((op), &PyGen_Type)
#define PyCoro_CheckExact(op)     Py_IS_TYPE((op), &PyCoro_Type)
#define PyAsyncGen_CheckExact(op) Py_IS_TYPE((op), &PyAsyncGen_Type)
/* The code of a generator. NULL with SystemError: there is none. */
PyAPI_FUNC(PyCodeObject *) PyGen_GetCode(PyGenObject *gen);

OURO_END_DECLS

#endif
