/* SPDX-License-Identifier: MIT */
/* Exceptions: the error indicator of each thread, and what nobody can raise to. */
#ifndef OURO_PY_ERRORS_H
#define OURO_PY_ERRORS_H

#include "object.h"

OURO_BEGIN_DECLS

typedef struct {
    PyObject_HEAD
    PyObject *dict;
    PyObject *args;
    PyObject *notes;
    PyObject *traceback;
    PyObject *context;
    PyObject *cause;
    char suppress_context;
} PyBaseExceptionObject;

/* --- the error indicator ------------------------------------------------------------ */

/* Raise `type` with one argument. Both are borrowed. */
PyAPI_FUNC(void) PyErr_SetObject(PyObject *type, PyObject *value);
PyAPI_FUNC(void) PyErr_SetString(PyObject *type, const char *message);
PyAPI_FUNC(void) PyErr_SetNone(PyObject *type);
/* Raise `type` with a formatted message; the codes are those of PyUnicode_FromFormat.
 * Returns NULL. */
PyAPI_FUNC(PyObject *) PyErr_Format(PyObject *type, const char *format, ...);
PyAPI_FUNC(PyObject *) PyErr_FormatV(PyObject *type, const char *format, va_list vargs);
/* The type of the pending exception, borrowed; NULL when there is none. */
PyAPI_FUNC(PyObject *) PyErr_Occurred(void);
PyAPI_FUNC(void) PyErr_Clear(void);
PyAPI_FUNC(void) PyErr_Print(void);
PyAPI_FUNC(void) PyErr_PrintEx(int set_sys_last_vars);
PyAPI_FUNC(void) PyErr_DisplayException(PyObject *exc);
/* Is the pending exception, or `given`, an instance or subclass of `exc` (a type, or a
 * tuple of types)? */
PyAPI_FUNC(int) PyErr_ExceptionMatches(PyObject *exc);
PyAPI_FUNC(int) PyErr_GivenExceptionMatches(PyObject *given, PyObject *exc);

/* Take the pending exception away: a new reference, or NULL. */
PyAPI_FUNC(PyObject *) PyErr_GetRaisedException(void);
/* Make `exc` the pending exception; its reference is stolen. NULL clears. */
PyAPI_FUNC(void) PyErr_SetRaisedException(PyObject *exc);
/* The older triple; traceback is NULL unless one was given. */
PyAPI_FUNC(void) PyErr_Fetch(PyObject **type, PyObject **value, PyObject **traceback);
PyAPI_FUNC(void) PyErr_Restore(PyObject *type, PyObject *value, PyObject *traceback);
PyAPI_FUNC(void) PyErr_NormalizeException(PyObject **type, PyObject **value,
                                          PyObject **traceback);

/* Raise ImportError, or a subclass of it, with a message, and the name and path that may be
 * NULL. All are borrowed. Returns NULL. */
PyAPI_FUNC(PyObject *) PyErr_SetImportError(PyObject *msg, PyObject *name,
                                            PyObject *path);
PyAPI_FUNC(PyObject *) PyErr_SetImportErrorSubclass(PyObject *exception, PyObject *msg,
                                                    PyObject *name, PyObject *path);

/* Raise MemoryError; returns NULL. Never allocates. */
PyAPI_FUNC(PyObject *) PyErr_NoMemory(void);
/* Raise SystemError "bad argument to internal function". */
PyAPI_FUNC(void) _PyErr_BadInternalCall(const char *filename, int lineno);
PyAPI_FUNC(void) PyErr_BadInternalCall(void);
#define PyErr_BadInternalCall() _PyErr_BadInternalCall(__FILE__, __LINE__)
/* Raise TypeError "bad argument type for built-in operation"; returns 0. */
PyAPI_FUNC(int) PyErr_BadArgument(void);

/* A safe point: runs a collection that is due and lets a waiting thread have the lock.
 * Returns 0; or -1 with an exception. */
PyAPI_FUNC(int) PyErr_CheckSignals(void);

/* Warnings go to stderr as "Category: message"; see Ouro_SetWarningHook. 0; or -1 with
 * the exception that a hook raised, or with TypeError when `category` is no Warning class
 * (NULL: RuntimeWarning). */
PyAPI_FUNC(int) PyErr_WarnEx(PyObject *category, const char *message, Py_ssize_t level);
PyAPI_FUNC(int) PyErr_WarnFormat(PyObject *category, Py_ssize_t level, const char *format,
                                 ...);

/* --- exceptions that nobody can receive ------------------------------------------------ */

/* Report the pending exception and clear it; nothing when there is none. `obj` says where it
 * happened; may be NULL. The report goes to the hook of Ouro_SetUnraisableHook, or is
 * printed: "Exception ignored in: <repr>", then "Type: text". Works when memory is out. */
PyAPI_FUNC(void) PyErr_WriteUnraisable(PyObject *obj);
/* The same with a whole message instead: "Exception ignored in tp_clear of X". The codes are
 * those of PyUnicode_FromFormat; NULL prints the exception alone. */
PyAPI_FUNC(void) PyErr_FormatUnraisable(const char *format, ...);

/* Print the message with the name of the calling function and abort. */
PyAPI_FUNC(void) Py_NO_RETURN _Py_FatalErrorFunc(const char *func, const char *message);
PyAPI_FUNC(void) Py_NO_RETURN Py_FatalError(const char *message);
#define Py_FatalError(message) _Py_FatalErrorFunc(__func__, (message))

/* --- exception objects ---------------------------------------------------------------- */

#define PyExceptionClass_Check(x)                                                        \
    (PyType_Check(x) &&                                                                  \
     PyType_FastSubclass((PyTypeObject *)(x), Py_TPFLAGS_BASE_EXC_SUBCLASS))
#define PyExceptionInstance_Check(x)                                                     \
    PyType_FastSubclass(Py_TYPE(x), Py_TPFLAGS_BASE_EXC_SUBCLASS)
#define PyExceptionInstance_Class(x) ((PyObject *)Py_TYPE(x))
PyAPI_FUNC(const char *) PyExceptionClass_Name(PyObject *type);

/* New exception class "module.name". `base` is a class, a tuple of classes, or NULL for
 * Exception; `dict` may be NULL. */
PyAPI_FUNC(PyObject *) PyErr_NewException(const char *name, PyObject *base,
                                          PyObject *dict);
PyAPI_FUNC(PyObject *) PyErr_NewExceptionWithDoc(const char *name, const char *doc,
                                                 PyObject *base, PyObject *dict);

/* Getters return new references or NULL without exception; setters of cause and context
 * steal. */
PyAPI_FUNC(PyObject *) PyException_GetTraceback(PyObject *exc);
PyAPI_FUNC(int) PyException_SetTraceback(PyObject *exc, PyObject *tb);
PyAPI_FUNC(PyObject *) PyException_GetCause(PyObject *exc);
PyAPI_FUNC(void) PyException_SetCause(PyObject *exc, PyObject *cause);
PyAPI_FUNC(PyObject *) PyException_GetContext(PyObject *exc);
PyAPI_FUNC(void) PyException_SetContext(PyObject *exc, PyObject *context);
PyAPI_FUNC(PyObject *) PyException_GetArgs(PyObject *exc);
PyAPI_FUNC(void) PyException_SetArgs(PyObject *exc, PyObject *args);

PyAPI_DATA(PyObject *) PyExc_BaseException;
PyAPI_DATA(PyObject *) PyExc_Exception;
PyAPI_DATA(PyObject *) PyExc_ArithmeticError;
PyAPI_DATA(PyObject *) PyExc_AssertionError;
PyAPI_DATA(PyObject *) PyExc_AttributeError;
PyAPI_DATA(PyObject *) PyExc_BufferError;
PyAPI_DATA(PyObject *) PyExc_EOFError;
PyAPI_DATA(PyObject *) PyExc_FloatingPointError;
PyAPI_DATA(PyObject *) PyExc_GeneratorExit;
PyAPI_DATA(PyObject *) PyExc_ImportError;
PyAPI_DATA(PyObject *) PyExc_IndexError;
PyAPI_DATA(PyObject *) PyExc_KeyError;
PyAPI_DATA(PyObject *) PyExc_KeyboardInterrupt;
PyAPI_DATA(PyObject *) PyExc_LookupError;
PyAPI_DATA(PyObject *) PyExc_MemoryError;
PyAPI_DATA(PyObject *) PyExc_ModuleNotFoundError;
PyAPI_DATA(PyObject *) PyExc_NameError;
PyAPI_DATA(PyObject *) PyExc_NotImplementedError;
PyAPI_DATA(PyObject *) PyExc_OSError;
PyAPI_DATA(PyObject *) PyExc_OverflowError;
PyAPI_DATA(PyObject *) PyExc_RecursionError;
PyAPI_DATA(PyObject *) PyExc_ReferenceError;
PyAPI_DATA(PyObject *) PyExc_RuntimeError;
PyAPI_DATA(PyObject *) PyExc_StopAsyncIteration;
PyAPI_DATA(PyObject *) PyExc_StopIteration;
PyAPI_DATA(PyObject *) PyExc_SyntaxError;
PyAPI_DATA(PyObject *) PyExc_SystemError;
PyAPI_DATA(PyObject *) PyExc_SystemExit;
PyAPI_DATA(PyObject *) PyExc_TimeoutError;
PyAPI_DATA(PyObject *) PyExc_TypeError;
PyAPI_DATA(PyObject *) PyExc_UnicodeDecodeError;
PyAPI_DATA(PyObject *) PyExc_UnicodeEncodeError;
PyAPI_DATA(PyObject *) PyExc_UnicodeError;
PyAPI_DATA(PyObject *) PyExc_ValueError;
PyAPI_DATA(PyObject *) PyExc_ZeroDivisionError;
PyAPI_DATA(PyObject *) PyExc_Warning;
PyAPI_DATA(PyObject *) PyExc_DeprecationWarning;
PyAPI_DATA(PyObject *) PyExc_PendingDeprecationWarning;
PyAPI_DATA(PyObject *) PyExc_ResourceWarning;
PyAPI_DATA(PyObject *) PyExc_RuntimeWarning;
PyAPI_DATA(PyObject *) PyExc_UserWarning;

OURO_END_DECLS

#endif
