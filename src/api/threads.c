/* SPDX-License-Identifier: MIT */
/* Interpreters and thread states as their users see them: attach, detach, take turns. */
#include <Python.h>

#include "../base/check.h"
#include "../base/inspect.h"
#include "../collector/collector.h"
#include "../thread/registry.h"
#include "../thread/thread.h"
#include "reprguard.h"
#include "signals.h"

/* --- interpreters ----------------------------------------------------------------------- */

PyInterpreterState *
PyInterpreterState_Get(void)
{
    return ouro_thread_required("PyInterpreterState_Get")->interp;
}

PyInterpreterState *
PyInterpreterState_Main(void)
{
    return ouro_registry_main();
}

int64_t
PyInterpreterState_GetID(PyInterpreterState *interp)
{
    return interp->id;
}

/* The dict in *place, made when it is missing; NULL without exception. */
static PyObject *
dict_on_demand(PyObject **place)
{
    if (*place == NULL) {
        PyObject *pending = PyErr_GetRaisedException();
        *place = PyDict_New();
        PyErr_SetRaisedException(pending);
    }
    return *place;
}

PyObject *
PyInterpreterState_GetDict(PyInterpreterState *interp)
{
    struct _ts *thread = ouro_current.thread;
    if (thread == NULL || thread->interp != interp) {
        return interp->dict; /* a new one would belong to another heap */
    }
    return dict_on_demand(&interp->dict);
}

PyObject **
_PyInterpreterState_Cache(int index)
{
    OURO_REQUIRE(index >= 0 && index < _Py_CACHE_COUNT, "there is no cache number %d",
                 index);
    return &ouro_current.interp->cache[index];
}

/* --- thread states ------------------------------------------------------------------------ */

PyThreadState *
PyThreadState_New(PyInterpreterState *interp)
{
    return ouro_thread_new(interp);
}

/* Releasing an object may run code that puts another in its place. */
void
PyThreadState_Clear(PyThreadState *tstate)
{
    ouro_thread_required("PyThreadState_Clear");
    while (tstate->error != NULL || tstate->handled != NULL || tstate->dict != NULL ||
           tstate->repr_active != NULL) {
        Py_CLEAR(tstate->error);
        Py_CLEAR(tstate->handled);
        Py_CLEAR(tstate->dict);
        ouro_repr_forget(tstate);
    }
}

void
PyThreadState_Delete(PyThreadState *tstate)
{
    OURO_REQUIRE(tstate != ouro_current.thread,
                 "PyThreadState_Delete: the thread state is the current one; use "
                 "PyThreadState_DeleteCurrent");
    ouro_thread_free(tstate);
}

void
PyThreadState_DeleteCurrent(void)
{
    ouro_thread_required("PyThreadState_DeleteCurrent");
    /* Freed first: once detached, the interpreter may end. */
    struct _ts *thread = ouro_current.thread;
    struct interpreter_lock *lock = &thread->interp->lock;
    ouro_current.interp = &ouro_nowhere;
    ouro_current.thread = NULL;
    ouro_thread_free(thread);
    ouro_lock_release(lock);
}

PyThreadState *
PyThreadState_GetUnchecked(void)
{
    return ouro_current.thread;
}

PyThreadState *
PyThreadState_Get(void)
{
    return ouro_thread_required("PyThreadState_Get");
}

PyThreadState *
PyThreadState_Swap(PyThreadState *tstate)
{
    struct _ts *old = ouro_current.thread;
    if (old == tstate) {
        return old;
    }
    if (old != NULL) {
        ouro_thread_detach();
    }
    if (tstate != NULL) {
        ouro_thread_attach(tstate);
    }
    return old;
}

PyInterpreterState *
PyThreadState_GetInterpreter(PyThreadState *tstate)
{
    return tstate->interp;
}

uint64_t
PyThreadState_GetID(PyThreadState *tstate)
{
    return tstate->id;
}

PyObject *
PyThreadState_GetDict(void)
{
    struct _ts *thread = ouro_current.thread;
    return thread != NULL ? dict_on_demand(&thread->dict) : NULL;
}

/* --- detach and attach -------------------------------------------------------------------- */

PyThreadState *
PyEval_SaveThread(void)
{
    ouro_thread_required("PyEval_SaveThread");
    return ouro_thread_detach();
}

void
PyEval_RestoreThread(PyThreadState *tstate)
{
    OURO_REQUIRE(tstate != NULL, "PyEval_RestoreThread: the thread state is NULL");
    OURO_REQUIRE(!ouro_is_attached(),
                 "PyEval_RestoreThread: the calling thread is attached already");
    ouro_thread_attach(tstate);
}

void
PyEval_AcquireThread(PyThreadState *tstate)
{
    PyEval_RestoreThread(tstate);
}

void
PyEval_ReleaseThread(PyThreadState *tstate)
{
    OURO_REQUIRE(tstate != NULL && tstate == ouro_current.thread,
                 "PyEval_ReleaseThread: the thread state is not the current one");
    ouro_thread_detach();
}

void
PyEval_InitThreads(void)
{
}

/* An exception to the rule that threads wait while detached: the yielding thread stays attached
 * in name, and holds the lock again when this returns. */
int
PyErr_CheckSignals(void)
{
    struct _is *interp = ouro_current.interp;
    if (!ouro_is_attached() || interp == &ouro_shared) {
        return 0;
    }
    if (OURO_UNLIKELY(ouro_inspect_is_asked)) {
        ouro_inspector->safe_point();
    }
    ouro_collector_safe_point(interp);
    ouro_lock_yield(&interp->lock);
    return ouro_signals_raise();
}

/* --- deep recursion ----------------------------------------------------------------------- */

/* The stack is nearly used up; a RecursionError that is being made may use the rest. */
__attribute__((noinline, cold)) static int
raise_recursion(const char *where)
{
    struct _ts *thread = ouro_current.thread;
    if (thread == NULL || thread->raising_recursion) {
        return 0;
    }
    thread->raising_recursion = true;
    PyErr_Format(PyExc_RecursionError, "maximum recursion depth exceeded%s",
                 where != NULL ? where : "");
    thread->raising_recursion = false;
    return -1;
}

int(Py_EnterRecursiveCall)(const char *where)
{
    return OURO_LIKELY(!ouro_stack_is_low()) ? 0 : raise_recursion(where);
}

void(Py_LeaveRecursiveCall)(void)
{
}
