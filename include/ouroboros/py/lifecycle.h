/* SPDX-License-Identifier: MIT */
/* Starting and ending the library, interpreters, threads, fork.
 *
 * A thread works with objects while it is attached to an interpreter, and one thread at a
 * time is attached to each interpreter. */
#ifndef OURO_PY_LIFECYCLE_H
#define OURO_PY_LIFECYCLE_H

#include "current.h"
#include "object.h"
#include "version.h"

OURO_BEGIN_DECLS

/* --- the process -------------------------------------------------------------------- */

/* Make the main interpreter and attach the calling thread; nothing when it is there
 * already. Fatal when the kernel grants no address space, and when the caller was
 * compiled against other headers (the tag). */
PyAPI_FUNC(void) Ouro_InitializeTagged(int initsigs, uint32_t abi_tag);
#define Py_Initialize()           Ouro_InitializeTagged(1, OURO_ABI_TAG)
#define Py_InitializeEx(initsigs) Ouro_InitializeTagged((initsigs), OURO_ABI_TAG)
PyAPI_FUNC(int) Py_IsInitialized(void);
PyAPI_FUNC(int) Py_IsFinalizing(void);
#define _Py_IsFinalizing() Py_IsFinalizing()
/* Collect, call the Py_AtExit functions, release everything. 0; or -1 when something went
 * wrong on the way. Initialising again afterwards is fine. */
PyAPI_FUNC(int) Py_FinalizeEx(void);
PyAPI_FUNC(void) Py_Finalize(void);
/* Py_FinalizeEx and exit(status); when that failed, and status is 0, with 120. */
PyAPI_FUNC(void) Py_NO_RETURN Py_Exit(int status);
/* Call `func` at the end of Py_FinalizeEx, last registered first; it must not use the
 * library. 0; or -1 when 32 are registered already. */
PyAPI_FUNC(int) Py_AtExit(void (*func)(void));
PyAPI_FUNC(const char *) Py_GetVersion(void);
PyAPI_FUNC(const char *) Py_GetPlatform(void); /* "linux" */
PyAPI_DATA(const unsigned long) Py_Version;
PyAPI_FUNC(const char *) Py_GetBuildInfo(void);
PyAPI_FUNC(const char *) Py_GetCompiler(void); /* "[GCC ...]" */
PyAPI_FUNC(const char *) Py_GetCopyright(void);
/* What the program says about itself, which is copied; L"" and NULL before that. The full path
 * is the name; there are no prefixes: L"". */
PyAPI_FUNC(void) Py_SetProgramName(const wchar_t *name);
PyAPI_FUNC(wchar_t *) Py_GetProgramName(void);
PyAPI_FUNC(wchar_t *) Py_GetProgramFullPath(void);
PyAPI_FUNC(void) Py_SetPythonHome(const wchar_t *home);
PyAPI_FUNC(wchar_t *) Py_GetPythonHome(void);
PyAPI_FUNC(wchar_t *) Py_GetPrefix(void);
PyAPI_FUNC(wchar_t *) Py_GetExecPrefix(void);
/* The folders of OURO_PATH, valid until the next call. */
PyAPI_FUNC(wchar_t *) Py_GetPath(void);

/* The arguments of the program, as Py_Main would have got them: none, and *argv is NULL. */
PyAPI_FUNC(void) Py_GetArgcArgv(int *argc, wchar_t ***argv);

/* Let the next Py_MakePendingCalls call `func(arg)`. Any thread, attached or not. 0; or -1 when
 * 32 calls are waiting already. Nothing else runs these calls, because no Python code runs. */
PyAPI_FUNC(int) Py_AddPendingCall(int (*func)(void *), void *arg);
/* Run the waiting calls in order. 0; or -1 with the exception of the first function that fails;
 * the others keep waiting. Attached. */
PyAPI_FUNC(int) Py_MakePendingCalls(void);

/* --- interpreters and thread states --------------------------------------------------- */

typedef struct _is PyInterpreterState;
typedef struct _ts PyThreadState;
typedef enum {
    PyGILState_LOCKED,
    PyGILState_UNLOCKED,
} PyGILState_STATE;

/* A second interpreter with a heap and lock of its own. The calling thread, attached
 * before, is attached to the new one with a new thread state afterwards. NULL on failure,
 * and the thread is attached as before. */
PyAPI_FUNC(PyThreadState *) Py_NewInterpreter(void);
/* Destroy the interpreter of the current thread state; no other thread state of it may
 * exist. The thread is detached afterwards. */
PyAPI_FUNC(void) Py_EndInterpreter(PyThreadState *tstate);

/* The interpreter of the calling thread, which must be attached; the first one; and the
 * number of one, 0 for the first. Never fail. */
PyAPI_FUNC(PyInterpreterState *) PyInterpreterState_Get(void);
PyAPI_FUNC(PyInterpreterState *) PyInterpreterState_Main(void);
PyAPI_FUNC(int64_t) PyInterpreterState_GetID(PyInterpreterState *interp);
/* A dict for the embedding program, borrowed; NULL without exception when out of memory. */
PyAPI_FUNC(PyObject *) PyInterpreterState_GetDict(PyInterpreterState *interp);

/* A place where built-in types keep one object per interpreter, such as the table of
 * interned strings; owned, NULL at first, released when the interpreter ends. */
enum {
    _Py_CACHE_INTERNED,
    _Py_CACHE_EMPTY_FROZENSET,
    _Py_CACHE_SUBCLASSES,
    _Py_CACHE_IDENTIFIERS,
    _Py_CACHE_COUNT = 16,
};
PyAPI_FUNC(PyObject **) _PyInterpreterState_Cache(int index);

/* A new state for the calling thread, not yet attached; NULL when out of memory. */
PyAPI_FUNC(PyThreadState *) PyThreadState_New(PyInterpreterState *interp);
/* Release the objects a state holds; attached to its interpreter. */
PyAPI_FUNC(void) PyThreadState_Clear(PyThreadState *tstate);
/* Free a cleared state that is not current. */
PyAPI_FUNC(void) PyThreadState_Delete(PyThreadState *tstate);
/* Free the cleared, current state and detach. */
PyAPI_FUNC(void) PyThreadState_DeleteCurrent(void);
/* The current state. Fatal when detached; the Unchecked form returns NULL. */
PyAPI_FUNC(PyThreadState *) PyThreadState_Get(void);
PyAPI_FUNC(PyThreadState *) PyThreadState_GetUnchecked(void);
#define PyThreadState_GET()           PyThreadState_Get()
#define _PyThreadState_UncheckedGet() PyThreadState_GetUnchecked()
/* Attach to `tstate` (NULL: detach); returns the state that was current, or NULL. */
PyAPI_FUNC(PyThreadState *) PyThreadState_Swap(PyThreadState *tstate);
PyAPI_FUNC(PyInterpreterState *) PyThreadState_GetInterpreter(PyThreadState *tstate);
PyAPI_FUNC(uint64_t) PyThreadState_GetID(PyThreadState *tstate);
/* A dict of the current thread, borrowed; NULL without exception. */
PyAPI_FUNC(PyObject *) PyThreadState_GetDict(void);

/* Detach, returning the state that was current; and attach again. */
PyAPI_FUNC(PyThreadState *) PyEval_SaveThread(void);
PyAPI_FUNC(void) PyEval_RestoreThread(PyThreadState *tstate);
PyAPI_FUNC(void) PyEval_AcquireThread(PyThreadState *tstate);
PyAPI_FUNC(void) PyEval_ReleaseThread(PyThreadState *tstate);
PyAPI_FUNC(void) PyEval_InitThreads(void);
#define Py_BEGIN_ALLOW_THREADS                                                           \
    {                                                                                    \
        PyThreadState *_save;                                                            \
        _save = PyEval_SaveThread();
#define Py_BLOCK_THREADS   PyEval_RestoreThread(_save);
#define Py_UNBLOCK_THREADS _save = PyEval_SaveThread();
#define Py_END_ALLOW_THREADS                                                             \
    PyEval_RestoreThread(_save);                                                         \
    }

/* Attach the calling thread to the main interpreter whatever its state, and undo that.
 * Calls nest. Check returns 1 when the thread is attached. */
PyAPI_FUNC(PyGILState_STATE) PyGILState_Ensure(void);
PyAPI_FUNC(void) PyGILState_Release(PyGILState_STATE state);
PyAPI_FUNC(int) PyGILState_Check(void);
PyAPI_FUNC(PyThreadState *) PyGILState_GetThisThreadState(void);

/* clang-format off */
/* One thread is attached at a time, so critical sections need no lock. */
#define Py_BEGIN_CRITICAL_SECTION(op)    {
#define Py_END_CRITICAL_SECTION()        }
#define Py_BEGIN_CRITICAL_SECTION2(a, b) {
#define Py_END_CRITICAL_SECTION2()       }
/* clang-format on */

/* --- deep recursion ------------------------------------------------------------------- */

/* Raise RecursionError "maximum recursion depth exceeded<where>" when the C stack is
 * nearly used up. 0; or -1 with the exception, and then Leave must not be called. */
PyAPI_FUNC(int) Py_EnterRecursiveCall(const char *where);
PyAPI_FUNC(void) Py_LeaveRecursiveCall(void);

/* Both without a call while there is stack. */
static inline int
_Py_EnterRecursiveCall(const char *where)
{
    return __builtin_expect(_Py_StackPointer() < _Py_current.stack_low, 0)
               ? Py_EnterRecursiveCall(where)
               : 0;
}

/* No instruction, but the recursive call before it is not the last thing its function does.
 * Otherwise compilers make a loop of it, and a recursion without end never runs out of stack. */
static inline void
_Py_LeaveRecursiveCall(void)
{
    __asm__ volatile("");
}
#define Py_EnterRecursiveCall(where) _Py_EnterRecursiveCall(where)
#define Py_LeaveRecursiveCall()      _Py_LeaveRecursiveCall()

/* clang-format off */
/* Names of the editions up to 3.13; destruction never recurses too deep without them. */
#define Py_TRASHCAN_BEGIN(op, dealloc) do {
#define Py_TRASHCAN_END                                                                  \
    }                                                                                    \
    while (0)                                                                            \
        ;
#define Py_TRASHCAN_SAFE_BEGIN(op) do {
#define Py_TRASHCAN_SAFE_END(op)                                                         \
    }                                                                                    \
    while (0)                                                                            \
        ;
/* clang-format on */

/* --- fork -------------------------------------------------------------------------------- */

/* Around fork(), attached: Before, then one of the After functions on each side. The child
 * keeps its heap and may go on using and collecting it; the other threads are gone. */
PyAPI_FUNC(void) PyOS_BeforeFork(void);
PyAPI_FUNC(void) PyOS_AfterFork_Parent(void);
PyAPI_FUNC(void) PyOS_AfterFork_Child(void);
PyAPI_FUNC(void) PyOS_AfterFork(void);

OURO_END_DECLS

#endif
