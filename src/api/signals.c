/* SPDX-License-Identifier: MIT */
/* Signals: their handlers, and interrupts that a program simulates. The library installs no
 * handler of its own. */
#include <Python.h>

#include <signal.h>
#include <stdatomic.h>

#include "signals.h"

PyOS_sighandler_t
PyOS_getsig(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) != 0 ? SIG_ERR : action.sa_handler;
}

PyOS_sighandler_t
PyOS_setsig(int number, PyOS_sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK}, old;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, &old) != 0 ? SIG_ERR : old.sa_handler;
}

/* --- interrupts --------------------------------------------------------------------------- */

static atomic_bool has_interrupt; /* set by any thread, also in a signal handler */

int
PyErr_SetInterruptEx(int number)
{
    if (number < 1 || number >= NSIG) {
        return -1;
    }
    if (number == SIGINT) { /* no Python code handles any other signal */
        atomic_store(&has_interrupt, true);
    }
    return 0;
}

void
PyErr_SetInterrupt(void)
{
    (void)PyErr_SetInterruptEx(SIGINT);
}

int
PyOS_InterruptOccurred(void)
{
    return atomic_load_explicit(&has_interrupt, memory_order_relaxed) &&
           atomic_exchange(&has_interrupt, false);
}

int
ouro_signals_raise(void)
{
    if (OURO_LIKELY(!PyOS_InterruptOccurred())) {
        return 0;
    }
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return -1;
}
