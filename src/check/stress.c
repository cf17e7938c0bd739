/* SPDX-License-Identifier: MIT */
/* Stress: provoke rare events, and survive their consequences. */
#include <setjmp.h>
#include <signal.h>

#include "../collector/collector.h"
#include "check.h"

/* --- collecting at every zero ------------------------------------------------------------- */

/* An object that is destroyed while it is tracked was reported; a collection would destroy
 * it again. */
static bool
somebody_is_half_destroyed(void)
{
    const struct frame *frame = ouro_top_frame;
    while (frame != NULL && (frame->handler != IN_DEALLOC || frame->is_freed ||
                             !ouro_object_is_tracked(frame->self))) {
        frame = frame->up;
    }
    return frame != NULL;
}

void
ouro_stress_after_dealloc(void)
{
    static _Thread_local bool is_collecting;
    struct _is *interp = ouro_current.interp;
    if ((ouro_check_settings.stress & OURO_CHECK_STRESS_ZERO) == 0 || is_collecting ||
        !ouro_is_attached() || interp == &ouro_shared || interp->finalizing != NULL ||
        !interp->gc.enabled || somebody_is_half_destroyed()) {
        return;
    }
    is_collecting = true;
    ouro_collect(interp, OURO_OLD, OURO_REASON_AUTOMATIC);
    is_collecting = false;
}

/* --- finalizers in another order ---------------------------------------------------------- */

#define SHUFFLE_ROUNDS                                                                   \
    4 /* an object's is chosen by its address and a number that changes */

static unsigned shuffle_round;
static uintptr_t shuffle_number;

static bool
is_shuffling(void)
{
    return (ouro_check_settings.stress & OURO_CHECK_STRESS_SHUFFLE) != 0;
}

bool
ouro_event_finalizes_later(PyObject *op)
{
    uintptr_t mixed = ((uintptr_t)op + shuffle_number) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93u;
    return is_shuffling() && (mixed >> 32) % SHUFFLE_ROUNDS != shuffle_round;
}

bool
ouro_event_finalizes_more(void)
{
    if (!is_shuffling()) {
        return false;
    }
    shuffle_round = (shuffle_round + 1) % SHUFFLE_ROUNDS;
    shuffle_number += shuffle_round == 0 ? 4096 : 0;
    return shuffle_round != 0;
}

/* --- surviving a fault ---------------------------------------------------------------------- */

static _Thread_local sigjmp_buf *fault_exit;

static void
leave_fault(int Py_UNUSED(number))
{
    if (fault_exit != NULL) {
        siglongjmp(*fault_exit, 1);
    }
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

bool
ouro_survives(void (*probe)(void *), void *arg)
{
    struct sigaction action = {.sa_handler = leave_fault, .sa_flags = SA_NODEFER}, before;
    sigjmp_buf here;
    sigjmp_buf *outer = fault_exit;
    struct frame *frame = ouro_top_frame;
    sigaction(SIGSEGV, &action, &before);
    bool survived = sigsetjmp(here, 1) == 0;
    if (survived) {
        fault_exit = &here;
        probe(arg);
    }
    fault_exit = outer;
    ouro_top_frame = frame;
    sigaction(SIGSEGV, &before, NULL);
    return survived;
}

/* --- usable after tp_clear ------------------------------------------------------------------- */

static void
call_probe(void *arg)
{
    PyObject *op = arg;
    ouro_type_info(Py_TYPE(op))->probe(op);
}

void
ouro_probe_cleared(PyObject *op)
{
    const struct type_info *info = ouro_type_info(Py_TYPE(op));
    if (info->probe == NULL || !ouro_report_is_new(OURO_GC_C51, info->name, -1)) {
        return;
    }
    PyObject *error = PyErr_GetRaisedException();
    if (!ouro_survives(call_probe, op)) {
        ouro_report(OURO_GC_C51, op, -1,
                    "using it after tp_clear makes a fault: methods must cope with "
                    "fields that are NULL");
    }
    PyErr_SetRaisedException(error);
}
