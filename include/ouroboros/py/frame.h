/* SPDX-License-Identifier: MIT */
/* Frames and tracebacks: where Python code is, and where an exception came through.
 *
 * No Python code runs here, so no thread ever has a frame. Extension modules make frames
 * for their C functions and put them into tracebacks; that works. */
#ifndef OURO_PY_FRAME_H
#define OURO_PY_FRAME_H

#include "code.h"
#include "lifecycle.h"

OURO_BEGIN_DECLS

/* --- frames -------------------------------------------------------------------------- */

typedef struct _frame PyFrameObject;

PyAPI_DATA(PyTypeObject) PyFrame_Type;
#define PyFrame_Check(op) Py_IS_TYPE((op), &PyFrame_Type)

/* A frame that stands for C code. `globals` is a dict, `locals` a mapping or NULL; all are
 * borrowed. A new reference; or NULL with an exception. */
PyAPI_FUNC(PyFrameObject *) PyFrame_New(PyThreadState *tstate, PyCodeObject *code,
                                        PyObject *globals, PyObject *locals);
/* Parts of a frame, new references. GetBack and GetGenerator: NULL without an exception,
 * as there is none. GetLocals is an empty dict where no locals were given. */
PyAPI_FUNC(PyFrameObject *) PyFrame_GetBack(PyFrameObject *frame);
PyAPI_FUNC(PyObject *) PyFrame_GetGenerator(PyFrameObject *frame);
PyAPI_FUNC(PyCodeObject *) PyFrame_GetCode(PyFrameObject *frame);
PyAPI_FUNC(PyObject *) PyFrame_GetBuiltins(PyFrameObject *frame);
PyAPI_FUNC(PyObject *) PyFrame_GetGlobals(PyFrameObject *frame);
PyAPI_FUNC(PyObject *) PyFrame_GetLocals(PyFrameObject *frame);
/* -1: no instruction has run. */
PyAPI_FUNC(int) PyFrame_GetLasti(PyFrameObject *frame);
/* The first line of its code. */
PyAPI_FUNC(int) PyFrame_GetLineNumber(PyFrameObject *frame);
/* A local variable, a new reference; NULL with NameError, or TypeError for a name that is
 * no str. */
PyAPI_FUNC(PyObject *) PyFrame_GetVar(PyFrameObject *frame, PyObject *name);
PyAPI_FUNC(PyObject *) PyFrame_GetVarString(PyFrameObject *frame, const char *name);
/* Up to 3.12 these moved variables between a frame and its dict. Nothing, and 0. */
PyAPI_FUNC(void) PyFrame_FastToLocals(PyFrameObject *frame);
PyAPI_FUNC(int) PyFrame_FastToLocalsWithError(PyFrameObject *frame);
PyAPI_FUNC(void) PyFrame_LocalsToFast(PyFrameObject *frame, int clear);

/* --- what a thread is running ------------------------------------------------------------ */

/* NULL without an exception: no thread runs Python code. The first is borrowed there, the
 * second a new reference. */
PyAPI_FUNC(PyFrameObject *) PyEval_GetFrame(void);
PyAPI_FUNC(PyFrameObject *) PyThreadState_GetFrame(PyThreadState *tstate);
/* The variables of the running code: NULL; GetLocals and GetFrameLocals with SystemError,
 * the others without an exception. */
PyAPI_FUNC(PyObject *) PyEval_GetGlobals(void);
PyAPI_FUNC(PyObject *) PyEval_GetLocals(void);
PyAPI_FUNC(PyObject *) PyEval_GetFrameGlobals(void);
PyAPI_FUNC(PyObject *) PyEval_GetFrameLocals(void);
/* The name of a callable, or of its type; and what to write behind it, "()" or " object".
 * Valid as long as `func`. */
PyAPI_FUNC(const char *) PyEval_GetFuncName(PyObject *func);
PyAPI_FUNC(const char *) PyEval_GetFuncDesc(PyObject *func);

/* Functions to call when Python code starts, ends or reaches another line. They are never
 * called, because no Python code runs. */
typedef int (*Py_tracefunc)(PyObject *arg, PyFrameObject *frame, int what,
                            PyObject *event);
#define PyTrace_CALL        0
#define PyTrace_EXCEPTION   1
#define PyTrace_LINE        2
#define PyTrace_RETURN      3
#define PyTrace_C_CALL      4
#define PyTrace_C_EXCEPTION 5
#define PyTrace_C_RETURN    6
#define PyTrace_OPCODE      7
PyAPI_FUNC(void) PyEval_SetProfile(Py_tracefunc func, PyObject *arg);
PyAPI_FUNC(void) PyEval_SetTrace(Py_tracefunc func, PyObject *arg);
PyAPI_FUNC(void) PyEval_SetProfileAllThreads(Py_tracefunc func, PyObject *arg);
PyAPI_FUNC(void) PyEval_SetTraceAllThreads(Py_tracefunc func, PyObject *arg);
PyAPI_FUNC(void) PyThreadState_EnterTracing(PyThreadState *tstate);
PyAPI_FUNC(void) PyThreadState_LeaveTracing(PyThreadState *tstate);

/* --- tracebacks ------------------------------------------------------------------------------ */

typedef struct _traceback {
    PyObject_HEAD
    struct _traceback *tb_next; /* owned, or NULL */
    PyFrameObject *tb_frame;    /* owned */
    int tb_lasti;
    int tb_lineno;
} PyTracebackObject;

PyAPI_DATA(PyTypeObject) PyTraceBack_Type;
#define PyTraceBack_Check(op) Py_IS_TYPE((op), &PyTraceBack_Type)

/* Put `frame` in front of the traceback of the pending exception. 0; or -1, and then an
 * exception is pending that has the former one as its context. */
PyAPI_FUNC(int) PyTraceBack_Here(PyFrameObject *frame);
/* Write a traceback to a file object, as Python prints it. Nothing for None. 0 or -1. */
PyAPI_FUNC(int) PyTraceBack_Print(PyObject *tb, PyObject *file);

OURO_END_DECLS

#endif
