/* SPDX-License-Identifier: MIT */
/* Starting and ending the library and its interpreters.
 *
 * An interpreter starts with a heap, a lock, the collector's settings, and one exception
 * object made in advance. It ends in this order:
 *   1. from now on, other threads that want to attach wait for ever
 *   2. dicts and modules are released, and what only they kept alive is collected
 *   3. modules that live on lose their variables; the last collection
 *   4. what finalizers put back is released, then the collector's lists and the caches
 *   5. the thread state goes, and the heap's range unless something still lives in it
 * Static types stay: they belong to the process. */
#include <ouroboros.h>

#include "../base/events.h"
#include "../base/fault.h"
#include "../base/inspect.h"
#include "../collector/collector.h"
#include "../object/weakref.h"
#include "../platform/platform.h"
#include "../thread/registry.h"
#include "../thread/thread.h"
#include "../types/type.h"
#include "abi.h"
#include "import.h"

#define AT_EXIT_MOST 32

const unsigned long Py_Version = PY_VERSION_HEX;

static void (*at_exit_functions[AT_EXIT_MOST])(void);
static int at_exit_count;

/* --- the ABI tag ------------------------------------------------------------------------ */

/* Our headers turn these two names into calls with a tag. In parentheses they are not the
 * macros. A program that calls the functions directly was compiled with other headers, most
 * likely CPython's. */
PyAPI_FUNC(void)(Py_Initialize)(void);
PyAPI_FUNC(void)(Py_InitializeEx)(int initsigs);

void(Py_Initialize)(void)
{
    ouro_abi_require("Py_Initialize", 0);
}

void(Py_InitializeEx)(int Py_UNUSED(initsigs))
{
    ouro_abi_require("Py_InitializeEx", 0);
}

/* --- start ------------------------------------------------------------------------------ */

static size_t range_setting = OURO_HEAP_RANGE_DEFAULT;

static size_t
possible_range(size_t bytes)
{
    bytes = bytes < OURO_HEAP_RANGE_MIN ? OURO_HEAP_RANGE_MIN : bytes;
    return bytes > OURO_HEAP_RANGE_MAX ? OURO_HEAP_RANGE_MAX : bytes;
}

void
Ouro_HeapSetRange(size_t bytes)
{
    range_setting = possible_range(bytes);
}

static size_t
wanted_range(void)
{
    int64_t wanted = ouro_platform_getenv_size("OURO_HEAP_RANGE", (int64_t)range_setting);
    return possible_range((size_t)wanted);
}

/* The MemoryError that PyErr_NoMemory raises. It is immortal, so that it can be raised any
 * number of times at once. The main interpreter's heap keeps it until the next start. */
static bool
prepare_memory_error(struct _is *interp)
{
    if (interp->memory_error == NULL) {
        PyObject *exc = PyObject_CallNoArgs(PyExc_MemoryError);
        if (exc == NULL) {
            return false;
        }
        PyUnstable_SetImmortal(exc);
        interp->memory_error = exc;
    }
    return true;
}

/* There is one for the process as well, for an interpreter that cannot make its own. */
static bool
prepare_shared_memory_error(void)
{
    ouro_shared_begin();
    bool is_ready = prepare_memory_error(&ouro_shared);
    ouro_shared_end();
    return is_ready;
}

/* Objects that the program attached to it must not outlive the interpreter. */
static void
strip_memory_error(struct _is *interp)
{
    if (interp->memory_error != NULL) {
        PyBaseExceptionObject *exc = (PyBaseExceptionObject *)interp->memory_error;
        Py_CLEAR(exc->dict);
        Py_CLEAR(exc->notes);
        Py_CLEAR(exc->traceback);
        Py_CLEAR(exc->context);
        Py_CLEAR(exc->cause);
        PyObject *empty = Py_GetConstantBorrowed(Py_CONSTANT_EMPTY_TUPLE);
        Py_XSETREF(exc->args, Py_NewRef(empty));
    }
}

/* Attach the calling thread to a new interpreter and fill it. On failure the thread stays
 * attached, and false is returned. */
static bool
fill_interpreter(struct _is *interp, struct _ts *thread)
{
    ouro_thread_attach(thread);
    ouro_collector_init(interp);
    bool is_filled = ouro_types_start() == 0 && prepare_shared_memory_error() &&
                     prepare_memory_error(interp);
    ouro_event_started(interp);
    return is_filled;
}

static void
start_inspecting(void)
{
    if (ouro_inspector != NULL) {
        ouro_inspector->start();
    } else if (ouro_platform_getenv("OURO_HEAP_SNAPSHOT") != NULL ||
               ouro_platform_getenv("OURO_TRACE") != NULL ||
               ouro_platform_getenv("OURO_STATISTICS") != NULL) {
        fputs("OURO_HEAP_SNAPSHOT, OURO_TRACE, OURO_STATISTICS: this program was linked "
              "without them; link it with -Wl,--undefined=Ouro_HeapSnapshot\n",
              stderr);
    }
}

void
Ouro_InitializeTagged(int Py_UNUSED(initsigs), uint32_t abi_tag)
{
    ouro_abi_require("Py_Initialize", abi_tag);
    if (ouro_registry_main() != NULL) {
        return;
    }
    OURO_REQUIRE(!ouro_is_attached(),
                 "Py_Initialize: the thread is attached to an interpreter");
    struct _is *interp = ouro_registry_start_main(wanted_range());
    OURO_REQUIRE(
        interp != NULL,
        "Py_Initialize: the system grants no address space for the heap (a lower "
        "OURO_HEAP_RANGE asks for less)");
    struct _ts *thread = ouro_thread_new(interp);
    OURO_REQUIRE(thread != NULL, "Py_Initialize: no memory for a thread state");
    OURO_REQUIRE(fill_interpreter(interp, thread),
                 "Py_Initialize: no memory for the built-in types");
    start_inspecting();
    int64_t fails = OURO_DEBUG ? ouro_platform_getenv_size("OURO_FAIL_ALLOC", 0) : 0;
    if (fails > 0) {
        ouro_fault_arm(fails);
    }
}

int
Py_IsInitialized(void)
{
    return ouro_registry_main() != NULL;
}

int
Py_IsFinalizing(void)
{
    const struct _is *interp = ouro_registry_main();
    return interp != NULL && interp->finalizing != NULL;
}

/* --- end -------------------------------------------------------------------------------- */

/* Release what the interpreter and its threads keep for their users. Destructors may put
 * something back, so this runs twice. */
static void
release_dicts(struct _is *interp)
{
    for (struct _ts *thread = interp->threads; thread != NULL; thread = thread->next) {
        PyThreadState_Clear(thread);
    }
    Py_CLEAR(interp->dict);
    if (interp->module_end != NULL) {
        interp->module_end->release(interp);
    }
    Py_CLEAR(interp->modules_by_index);
    Py_CLEAR(interp->single_phase);
}

static void
orphan_waiting_threads(struct _is *interp)
{
    struct _ts *thread = interp->threads;
    while (thread != NULL) {
        struct _ts *next = thread->next;
        if (thread != ouro_current.thread) {
            ouro_thread_orphan(thread);
        }
        thread = next;
    }
}

/* Empty the interpreter that the calling thread is attached to. */
static void
empty_interpreter(struct _is *interp)
{
    interp->finalizing = ouro_current.thread;
    release_dicts(interp);
    ouro_collector_shutdown(interp);
    if (interp->module_end != NULL) {
        interp->module_end->clear_survivors(interp);
    }
    ouro_collector_shutdown_last(interp);
    release_dicts(interp);
    ouro_collector_release(interp);
    strip_memory_error(interp);
    release_dicts(interp);
    for (int i = 0; i < _Py_CACHE_COUNT; i++) {
        Py_CLEAR(interp->cache[i]);
    }
    ouro_weakref_release_entries(interp);
    ouro_event_emptied(interp);
}

/* End an emptied interpreter; detaches. */
static void
end_interpreter(struct _is *interp)
{
    orphan_waiting_threads(interp);
    PyThreadState_DeleteCurrent();
    ouro_registry_stop(interp);
}

static void
call_at_exit_functions(void)
{
    while (at_exit_count > 0) {
        at_exit_functions[--at_exit_count]();
    }
}

/* An interpreter that was not ended: its threads may still come back to it, so its memory
 * stays. */
static void
end_forgotten_interpreter(struct _is *interp)
{
    struct _ts *thread = ouro_thread_new(interp);
    if (thread != NULL) {
        ouro_thread_attach(thread);
        empty_interpreter(interp);
        orphan_waiting_threads(interp);
        PyThreadState_DeleteCurrent();
    }
    ouro_registry_abandon(interp);
}

int
Py_FinalizeEx(void)
{
    struct _is *interp = ouro_registry_main();
    if (interp == NULL) {
        return 0;
    }
    OURO_REQUIRE(
        ouro_is_attached() && ouro_current.interp == interp,
        "Py_FinalizeEx: the calling thread is not attached to the main interpreter");
    if (interp->finalizing != NULL) {
        return 0;
    }
    OURO_REQUIRE(!interp->gc.running.is_collecting ||
                     interp->gc.running.thread != &ouro_current,
                 "Py_FinalizeEx: called by a handler while the collector runs");
    struct _ts *thread = ouro_current.thread;
    for (struct _is *other; (other = ouro_registry_any_other()) != NULL;) {
        ouro_thread_detach();
        end_forgotten_interpreter(other);
        ouro_thread_attach(thread);
    }
    if (ouro_inspector != NULL) {
        ouro_inspector->end();
    }
    empty_interpreter(interp);
    end_interpreter(interp);
    if (ouro_inspector != NULL) {
        ouro_inspector->ended();
    }
    _PyImport_ResetInittab();
    call_at_exit_functions();
    int flushed = fflush(stdout) | fflush(stderr);
    return flushed == 0 ? 0 : -1;
}

void
Py_Finalize(void)
{
    Py_FinalizeEx();
}

void
Py_Exit(int status)
{
    if (Py_FinalizeEx() < 0 && status == 0) {
        status = 120;
    }
    exit(status);
}

int
Py_AtExit(void (*func)(void))
{
    if (at_exit_count == AT_EXIT_MOST) {
        return -1;
    }
    at_exit_functions[at_exit_count++] = func;
    return 0;
}

const char *
Py_GetVersion(void)
{
    return PY_VERSION " (Ouroboros " OURO_VERSION ")";
}

/* --- further interpreters --------------------------------------------------------------- */

PyThreadState *
Py_NewInterpreter(void)
{
    struct _ts *caller = ouro_thread_required("Py_NewInterpreter");
    struct _is *interp = ouro_registry_start(wanted_range());
    if (interp == NULL) {
        return NULL;
    }
    struct _ts *thread = ouro_thread_new(interp);
    if (thread == NULL) {
        ouro_registry_stop(interp);
        return NULL;
    }
    ouro_thread_detach();
    if (fill_interpreter(interp, thread)) {
        return thread;
    }
    empty_interpreter(interp);
    end_interpreter(interp);
    ouro_thread_attach(caller);
    return NULL;
}

void
Py_EndInterpreter(PyThreadState *tstate)
{
    OURO_REQUIRE(tstate != NULL && tstate == ouro_current.thread,
                 "Py_EndInterpreter: the thread state is not the current one");
    struct _is *interp = tstate->interp;
    OURO_REQUIRE(interp != ouro_registry_main(),
                 "Py_EndInterpreter: the main interpreter is ended by Py_FinalizeEx");
    OURO_REQUIRE(interp->threads == tstate && tstate->next == NULL,
                 "Py_EndInterpreter: the interpreter has other thread states");
    empty_interpreter(interp);
    end_interpreter(interp);
}
