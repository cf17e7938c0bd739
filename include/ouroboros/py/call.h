/* SPDX-License-Identifier: MIT */
/* The call protocol.
 *
 * All functions that call return a new reference, or NULL with an exception; arguments are
 * borrowed. A callee that breaks that rule (NULL without exception, or a result together
 * with an exception) shows as SystemError. Calls that nest too deep raise RecursionError. */
#ifndef OURO_PY_CALL_H
#define OURO_PY_CALL_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

/* 1 if `o` can be called, else 0; NULL is not. */
PyAPI_FUNC(int) PyCallable_Check(PyObject *o);

/* Call with a tuple and a dict of keyword arguments, or NULL. */
PyAPI_FUNC(PyObject *) PyObject_Call(PyObject *callable, PyObject *args,
                                     PyObject *kwargs);
/* Call with a tuple, or NULL for no arguments. TypeError when it is not a tuple. */
PyAPI_FUNC(PyObject *) PyObject_CallObject(PyObject *callable, PyObject *args);
#define PyEval_CallObject(callable, args) PyObject_CallObject((callable), (args))

/* Call without arguments, and with one. */
PyAPI_FUNC(PyObject *) PyObject_CallNoArgs(PyObject *callable);
PyAPI_FUNC(PyObject *) PyObject_CallOneArg(PyObject *callable, PyObject *arg);
/* Call with the objects given, up to the first NULL. */
PyAPI_FUNC(PyObject *) PyObject_CallFunctionObjArgs(PyObject *callable, ...);
/* Call with what Py_BuildValue makes of the format (NULL or "": no arguments): a tuple is
 * the arguments, any other object the only one. */
PyAPI_FUNC(PyObject *) PyObject_CallFunction(PyObject *callable, const char *format, ...);
PyAPI_FUNC(PyObject *) PyObject_CallMethod(PyObject *self, const char *name,
                                           const char *format, ...);

/* Call the attribute `name` of `self`. */
PyAPI_FUNC(PyObject *) PyObject_CallMethodNoArgs(PyObject *self, PyObject *name);
PyAPI_FUNC(PyObject *) PyObject_CallMethodOneArg(PyObject *self, PyObject *name,
                                                 PyObject *arg);
PyAPI_FUNC(PyObject *) PyObject_CallMethodObjArgs(PyObject *self, PyObject *name, ...);

/* --- vectorcall ------------------------------------------------------------------------ */

/* Added to a count of arguments: the callee may change args[-1] during the call, and restores
 * it. */
#define PY_VECTORCALL_ARGUMENTS_OFFSET  ((size_t)1 << (8 * sizeof(size_t) - 1))
#define _Py_VECTORCALL_ARGUMENTS_OFFSET PY_VECTORCALL_ARGUMENTS_OFFSET

/* The number of positional arguments in `nargsf`. */
static inline Py_ssize_t
PyVectorcall_NARGS(size_t nargsf)
{
    return (Py_ssize_t)(nargsf & ~PY_VECTORCALL_ARGUMENTS_OFFSET);
}

/* Call with positional arguments args[0 .. nargs-1], followed by the values of the
 * keyword arguments whose names are in the tuple `kwnames` (NULL: none). */
PyAPI_FUNC(PyObject *) PyObject_Vectorcall(PyObject *callable, PyObject *const *args,
                                           size_t nargsf, PyObject *kwnames);
/* The same with the keyword arguments in a dict, or NULL. */
PyAPI_FUNC(PyObject *) PyObject_VectorcallDict(PyObject *callable, PyObject *const *args,
                                               size_t nargsf, PyObject *kwargs);
/* Call the attribute `name` of args[0] with the rest; nargsf counts args[0]. */
PyAPI_FUNC(PyObject *) PyObject_VectorcallMethod(PyObject *name, PyObject *const *args,
                                                 size_t nargsf, PyObject *kwnames);
/* The vectorcall function of `callable`; NULL without exception when it has none. */
PyAPI_FUNC(vectorcallfunc) PyVectorcall_Function(PyObject *callable);
/* A tp_call for types that have a vectorcall function. */
PyAPI_FUNC(PyObject *) PyVectorcall_Call(PyObject *callable, PyObject *args,
                                         PyObject *kwargs);

/* Names of 3.8. */
#define _PyObject_Vectorcall     PyObject_Vectorcall
#define _PyObject_VectorcallDict PyObject_VectorcallDict
#define _PyObject_FastCallDict   PyObject_VectorcallDict
#define _PyObject_CallNoArg      PyObject_CallNoArgs
#define _PyObject_CallOneArg     PyObject_CallOneArg
#define _PyVectorcall_Function   PyVectorcall_Function

OURO_END_DECLS

#endif
