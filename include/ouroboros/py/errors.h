/* SPDX-License-Identifier: MIT */
/* Exceptions: the error indicator of each thread, and exceptions that no caller can receive. */
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

/* Exceptions with fields of their own; each field is owned and may be NULL. */
typedef struct {
    PyBaseExceptionObject base;
    PyObject *value;
} PyStopIterationObject;

typedef struct {
    PyBaseExceptionObject base;
    PyObject *code;
} PySystemExitObject;

typedef struct {
    PyBaseExceptionObject base;
    PyObject *name;
} PyNameErrorObject;

typedef struct {
    PyBaseExceptionObject base;
    PyObject *obj;
    PyObject *name;
} PyAttributeErrorObject;

typedef struct {
    PyBaseExceptionObject base;
    PyObject *msg;
    PyObject *name;
    PyObject *path;
    PyObject *name_from;
} PyImportErrorObject;

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
/* Print the pending exception, with its causes and contexts, to stderr, and clear it. For
 * SystemExit, end the process instead: with status 0 when its code is None, with the code
 * when it is an int, else with 1 after printing it. The argument has no effect. */
PyAPI_FUNC(void) PyErr_PrintEx(int set_sys_last_vars);
PyAPI_FUNC(void) PyErr_Print(void);
/* Print `exc` in the same way, even if it is SystemExit. Keeps the pending exception. */
PyAPI_FUNC(void) PyErr_DisplayException(PyObject *exc);
/* The older form. `type` and `traceback` are not looked at. */
PyAPI_FUNC(void) PyErr_Display(PyObject *type, PyObject *value, PyObject *traceback);
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

/* The exception that is being handled, as in an except block: a new reference, or NULL. What
 * is raised while there is one has it as its context. Set borrows `exc`; NULL ends it. */
PyAPI_FUNC(PyObject *) PyErr_GetHandledException(void);
PyAPI_FUNC(void) PyErr_SetHandledException(PyObject *exc);
/* The older triple: new references, None and NULL as value when there is none. Set steals
 * all three and looks at the value alone. */
PyAPI_FUNC(void) PyErr_GetExcInfo(PyObject **type, PyObject **value,
                                  PyObject **traceback);
PyAPI_FUNC(void) PyErr_SetExcInfo(PyObject *type, PyObject *value, PyObject *traceback);

/* Raise `type`, an OSError class, with errno and its text. OSError itself becomes the
 * subclass for that errno, such as FileNotFoundError. Objects with file names are borrowed
 * and may be NULL; a name in C that is not UTF-8 becomes bytes. All return NULL. */
PyAPI_FUNC(PyObject *) PyErr_SetFromErrno(PyObject *type);
PyAPI_FUNC(PyObject *) PyErr_SetFromErrnoWithFilename(PyObject *type, const char *name);
PyAPI_FUNC(PyObject *) PyErr_SetFromErrnoWithFilenameObject(PyObject *type,
                                                            PyObject *name);
PyAPI_FUNC(PyObject *) PyErr_SetFromErrnoWithFilenameObjects(PyObject *type,
                                                             PyObject *name,
                                                             PyObject *name2);
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
 * Returns 0; or -1 with an exception: KeyboardInterrupt after PyErr_SetInterrupt. */
PyAPI_FUNC(int) PyErr_CheckSignals(void);
/* Let the next PyErr_CheckSignals raise KeyboardInterrupt. Any thread, attached or not, and
 * signal handlers. With a number, only SIGINT does that: Python code handles no other signal.
 * -1 when it is not the number of a signal. */
PyAPI_FUNC(void) PyErr_SetInterrupt(void);
PyAPI_FUNC(int) PyErr_SetInterruptEx(int number);
/* 1 if an interrupt was requested; the request is then forgotten. */
PyAPI_FUNC(int) PyOS_InterruptOccurred(void);
/* The handler of a signal; a new one, and the old. SIG_ERR on failure. */
typedef void (*PyOS_sighandler_t)(int);
PyAPI_FUNC(PyOS_sighandler_t) PyOS_getsig(int number);
PyAPI_FUNC(PyOS_sighandler_t) PyOS_setsig(int number, PyOS_sighandler_t handler);

/* Warnings go to stderr as "Category: message"; see Ouro_SetWarningHook. 0; or -1 with the
 * exception that a hook raised, or with TypeError when `category` is no Warning class (NULL:
 * RuntimeWarning). */
PyAPI_FUNC(int) PyErr_WarnEx(PyObject *category, const char *message, Py_ssize_t level);
PyAPI_FUNC(int) PyErr_WarnFormat(PyObject *category, Py_ssize_t level, const char *format,
                                 ...);
/* With a place: "file:line: Category: message". `module` and `registry` have no effect. */
PyAPI_FUNC(int) PyErr_WarnExplicit(PyObject *category, const char *message,
                                   const char *filename, int lineno, const char *module,
                                   PyObject *registry);
PyAPI_FUNC(int) PyErr_WarnExplicitObject(PyObject *category, PyObject *message,
                                         PyObject *filename, int lineno, PyObject *module,
                                         PyObject *registry);
#define PyErr_Warn(category, message) PyErr_WarnEx((category), (message), 1)
/* A ResourceWarning about `source`, which may be NULL. */
PyAPI_FUNC(int) PyErr_ResourceWarning(PyObject *source, Py_ssize_t level,
                                      const char *format, ...);

/* --- syntax errors ---------------------------------------------------------------------- */

/* Give the pending exception the attributes lineno, offset (None when negative), and with a
 * name of a file filename and text, the line itself. */
PyAPI_FUNC(void) PyErr_SyntaxLocation(const char *filename, int lineno);
PyAPI_FUNC(void) PyErr_SyntaxLocationEx(const char *filename, int lineno, int col_offset);
PyAPI_FUNC(void) PyErr_SyntaxLocationObject(PyObject *filename, int lineno,
                                            int col_offset);
/* A line of a file, a new reference; NULL without exception when there is none. */
PyAPI_FUNC(PyObject *) PyErr_ProgramText(const char *filename, int lineno);
PyAPI_FUNC(PyObject *) PyErr_ProgramTextObject(PyObject *filename, int lineno);

/* --- exceptions that no caller can receive ------------------------------------------------ */

/* Report the pending exception and clear it; does nothing when there is none. `obj` says where
 * it happened; may be NULL. The report goes to the hook of Ouro_SetUnraisableHook, or is
 * printed: "Exception ignored in: <repr>", then "Type: text". Works when memory is exhausted. */
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
/* tp_name of an exception class; it belongs to the class. Never fails. */
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

/* --- Unicode errors -------------------------------------------------------------------- */

/* A new UnicodeDecodeError about bytes that are copied. NULL with an exception. */
PyAPI_FUNC(PyObject *) PyUnicodeDecodeError_Create(const char *encoding,
                                                   const char *object, Py_ssize_t length,
                                                   Py_ssize_t start, Py_ssize_t end,
                                                   const char *reason);
/* New references; or NULL with TypeError when the attribute was set to something else. */
PyAPI_FUNC(PyObject *) PyUnicodeDecodeError_GetEncoding(PyObject *exc);
PyAPI_FUNC(PyObject *) PyUnicodeEncodeError_GetEncoding(PyObject *exc);
PyAPI_FUNC(PyObject *) PyUnicodeDecodeError_GetObject(PyObject *exc);
PyAPI_FUNC(PyObject *) PyUnicodeDecodeError_GetReason(PyObject *exc);
PyAPI_FUNC(PyObject *) PyUnicodeEncodeError_GetObject(PyObject *exc);
PyAPI_FUNC(PyObject *) PyUnicodeEncodeError_GetReason(PyObject *exc);
PyAPI_FUNC(PyObject *) PyUnicodeTranslateError_GetObject(PyObject *exc);
PyAPI_FUNC(PyObject *) PyUnicodeTranslateError_GetReason(PyObject *exc);
/* Positions in the object: a start or end that is outside is moved into it. 0; or -1 with
 * TypeError. */
PyAPI_FUNC(int) PyUnicodeDecodeError_GetStart(PyObject *exc, Py_ssize_t *start);
PyAPI_FUNC(int) PyUnicodeDecodeError_GetEnd(PyObject *exc, Py_ssize_t *end);
PyAPI_FUNC(int) PyUnicodeEncodeError_GetStart(PyObject *exc, Py_ssize_t *start);
PyAPI_FUNC(int) PyUnicodeEncodeError_GetEnd(PyObject *exc, Py_ssize_t *end);
PyAPI_FUNC(int) PyUnicodeTranslateError_GetStart(PyObject *exc, Py_ssize_t *start);
PyAPI_FUNC(int) PyUnicodeTranslateError_GetEnd(PyObject *exc, Py_ssize_t *end);
/* 0; or -1 with an exception. The reason is UTF-8. */
PyAPI_FUNC(int) PyUnicodeDecodeError_SetStart(PyObject *exc, Py_ssize_t start);
PyAPI_FUNC(int) PyUnicodeDecodeError_SetEnd(PyObject *exc, Py_ssize_t end);
PyAPI_FUNC(int) PyUnicodeDecodeError_SetReason(PyObject *exc, const char *reason);
PyAPI_FUNC(int) PyUnicodeEncodeError_SetStart(PyObject *exc, Py_ssize_t start);
PyAPI_FUNC(int) PyUnicodeEncodeError_SetEnd(PyObject *exc, Py_ssize_t end);
PyAPI_FUNC(int) PyUnicodeEncodeError_SetReason(PyObject *exc, const char *reason);
PyAPI_FUNC(int) PyUnicodeTranslateError_SetStart(PyObject *exc, Py_ssize_t start);
PyAPI_FUNC(int) PyUnicodeTranslateError_SetEnd(PyObject *exc, Py_ssize_t end);
PyAPI_FUNC(int) PyUnicodeTranslateError_SetReason(PyObject *exc, const char *reason);

/* --- the classes ------------------------------------------------------------------------ */

PyAPI_DATA(PyObject *) PyExc_BaseException;
PyAPI_DATA(PyObject *) PyExc_Exception;
PyAPI_DATA(PyObject *) PyExc_ArithmeticError;
PyAPI_DATA(PyObject *) PyExc_AssertionError;
PyAPI_DATA(PyObject *) PyExc_AttributeError;
PyAPI_DATA(PyObject *) PyExc_BlockingIOError;
PyAPI_DATA(PyObject *) PyExc_BrokenPipeError;
PyAPI_DATA(PyObject *) PyExc_BufferError;
PyAPI_DATA(PyObject *) PyExc_ChildProcessError;
PyAPI_DATA(PyObject *) PyExc_ConnectionAbortedError;
PyAPI_DATA(PyObject *) PyExc_ConnectionError;
PyAPI_DATA(PyObject *) PyExc_ConnectionRefusedError;
PyAPI_DATA(PyObject *) PyExc_ConnectionResetError;
PyAPI_DATA(PyObject *) PyExc_EOFError;
PyAPI_DATA(PyObject *) PyExc_FileExistsError;
PyAPI_DATA(PyObject *) PyExc_FileNotFoundError;
PyAPI_DATA(PyObject *) PyExc_FloatingPointError;
PyAPI_DATA(PyObject *) PyExc_GeneratorExit;
PyAPI_DATA(PyObject *) PyExc_ImportError;
PyAPI_DATA(PyObject *) PyExc_IndentationError;
PyAPI_DATA(PyObject *) PyExc_IndexError;
PyAPI_DATA(PyObject *) PyExc_InterruptedError;
PyAPI_DATA(PyObject *) PyExc_IsADirectoryError;
PyAPI_DATA(PyObject *) PyExc_KeyError;
PyAPI_DATA(PyObject *) PyExc_KeyboardInterrupt;
PyAPI_DATA(PyObject *) PyExc_LookupError;
PyAPI_DATA(PyObject *) PyExc_MemoryError;
PyAPI_DATA(PyObject *) PyExc_ModuleNotFoundError;
PyAPI_DATA(PyObject *) PyExc_NameError;
PyAPI_DATA(PyObject *) PyExc_NotADirectoryError;
PyAPI_DATA(PyObject *) PyExc_NotImplementedError;
PyAPI_DATA(PyObject *) PyExc_OSError;
PyAPI_DATA(PyObject *) PyExc_OverflowError;
PyAPI_DATA(PyObject *) PyExc_PermissionError;
PyAPI_DATA(PyObject *) PyExc_ProcessLookupError;
PyAPI_DATA(PyObject *) PyExc_PythonFinalizationError;
PyAPI_DATA(PyObject *) PyExc_RecursionError;
PyAPI_DATA(PyObject *) PyExc_ReferenceError;
PyAPI_DATA(PyObject *) PyExc_RuntimeError;
PyAPI_DATA(PyObject *) PyExc_StopAsyncIteration;
PyAPI_DATA(PyObject *) PyExc_StopIteration;
PyAPI_DATA(PyObject *) PyExc_SyntaxError;
PyAPI_DATA(PyObject *) PyExc_SystemError;
PyAPI_DATA(PyObject *) PyExc_SystemExit;
PyAPI_DATA(PyObject *) PyExc_TabError;
PyAPI_DATA(PyObject *) PyExc_TimeoutError;
PyAPI_DATA(PyObject *) PyExc_TypeError;
PyAPI_DATA(PyObject *) PyExc_UnboundLocalError;
PyAPI_DATA(PyObject *) PyExc_UnicodeDecodeError;
PyAPI_DATA(PyObject *) PyExc_UnicodeEncodeError;
PyAPI_DATA(PyObject *) PyExc_UnicodeError;
PyAPI_DATA(PyObject *) PyExc_UnicodeTranslateError;
PyAPI_DATA(PyObject *) PyExc_ValueError;
PyAPI_DATA(PyObject *) PyExc_ZeroDivisionError;
PyAPI_DATA(PyObject *) PyExc_Warning;
PyAPI_DATA(PyObject *) PyExc_BytesWarning;
PyAPI_DATA(PyObject *) PyExc_DeprecationWarning;
PyAPI_DATA(PyObject *) PyExc_EncodingWarning;
PyAPI_DATA(PyObject *) PyExc_FutureWarning;
PyAPI_DATA(PyObject *) PyExc_ImportWarning;
PyAPI_DATA(PyObject *) PyExc_PendingDeprecationWarning;
PyAPI_DATA(PyObject *) PyExc_ResourceWarning;
PyAPI_DATA(PyObject *) PyExc_RuntimeWarning;
PyAPI_DATA(PyObject *) PyExc_SyntaxWarning;
PyAPI_DATA(PyObject *) PyExc_UnicodeWarning;
PyAPI_DATA(PyObject *) PyExc_UserWarning;
/* Older names of OSError. */
PyAPI_DATA(PyObject *) PyExc_EnvironmentError;
PyAPI_DATA(PyObject *) PyExc_IOError;

OURO_END_DECLS

#endif
