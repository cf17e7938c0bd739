/* SPDX-License-Identifier: MIT */
/* PyGILState_*: attaching a thread that knows nothing about thread states.
 *
 * Each thread has at most one state of the main interpreter that these calls use: the one it
 * attached to last, else one they make. It is remembered by its id, so that a state that was
 * deleted in the meantime is not used again. */
#include <Python.h>

#include "../base/check.h"
#include "../thread/registry.h"
#include "../thread/thread.h"

/* The state that the calls of this thread use; NULL when it has none yet. */
static struct _ts *
gilstate_thread(struct _is *main)
{
    struct _ts *thread = ouro_current.thread;
    if (thread != NULL && thread->interp == main) {
        return thread;
    }
    return ouro_current.main_id != 0 ? ouro_thread_find(main, ouro_current.main_id)
                                     : NULL;
}

static struct _ts *
new_gilstate_thread(struct _is *main)
{
    struct _ts *thread = ouro_thread_new(main);
    OURO_REQUIRE(thread != NULL, "PyGILState_Ensure: no memory for a thread state");
    thread->made_by_gilstate = true;
    return thread;
}

PyGILState_STATE
PyGILState_Ensure(void)
{
    struct _is *main = ouro_registry_main();
    OURO_REQUIRE(main != NULL,
                 "PyGILState_Ensure: there is no main interpreter (Py_Initialize was not "
                 "called, or the interpreter has ended)");
    struct _ts *thread = gilstate_thread(main);
    if (thread == NULL) {
        thread = new_gilstate_thread(main);
    }
    PyGILState_STATE before = PyGILState_LOCKED;
    if (thread != ouro_current.thread) {
        before = PyGILState_UNLOCKED;
        struct _ts *previous = ouro_is_attached() ? ouro_thread_detach() : NULL;
        ouro_thread_attach(thread);
        thread->gilstate_previous = previous;
    }
    thread->gilstate_depth++;
    return before;
}

void
PyGILState_Release(PyGILState_STATE state)
{
    struct _ts *thread = ouro_current.thread;
    OURO_REQUIRE(
        thread != NULL && thread->gilstate_depth > 0,
        "PyGILState_Release: the thread state of the matching PyGILState_Ensure is "
        "not the current one");
    struct _ts *previous = thread->gilstate_previous;
    thread->gilstate_depth--;
    if (thread->gilstate_depth == 0 && thread->made_by_gilstate) {
        thread->gilstate_depth++; /* a destructor may call Ensure and Release */
        PyThreadState_Clear(thread);
        PyThreadState_DeleteCurrent();
    } else if (state == PyGILState_UNLOCKED) {
        ouro_thread_detach();
    } else {
        return;
    }
    if (previous != NULL) {
        ouro_thread_attach(previous);
    }
}

int
PyGILState_Check(void)
{
    return ouro_is_attached();
}

PyThreadState *
PyGILState_GetThisThreadState(void)
{
    struct _is *main = ouro_registry_main();
    return main != NULL ? gilstate_thread(main) : NULL;
}
