/* SPDX-License-Identifier: MIT */
/* Signals and interrupts. */
#include "../protocol.h"

#include <signal.h>

TEST_PY(an_interrupt_is_raised_at_the_next_safe_point_once)
{
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    PyErr_SetInterrupt();
    EXPECT_EQ(PyErr_CheckSignals(), -1);
    EXPECT_RAISED(PyExc_KeyboardInterrupt);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
}

TEST_PY(only_sigint_interrupts)
{
    EXPECT_EQ(PyErr_SetInterruptEx(SIGTERM), 0);
    EXPECT_EQ(PyOS_InterruptOccurred(), 0);
    EXPECT_EQ(PyErr_SetInterruptEx(0), -1);
    EXPECT_EQ(PyErr_SetInterruptEx(100000), -1);
    EXPECT_EQ(PyErr_SetInterruptEx(SIGINT), 0);
    EXPECT_EQ(PyOS_InterruptOccurred(), 1);
    EXPECT_EQ(PyOS_InterruptOccurred(), 0);
}

static void
interrupt(int number)
{
    PyErr_SetInterruptEx(number);
}

TEST_PY(a_handler_of_a_signal_can_interrupt)
{
    PyOS_sighandler_t old = PyOS_setsig(SIGINT, interrupt);
    EXPECT(PyOS_getsig(SIGINT) == interrupt);
    raise(SIGINT);
    EXPECT_EQ(PyErr_CheckSignals(), -1);
    EXPECT_RAISED(PyExc_KeyboardInterrupt);
    EXPECT(PyOS_setsig(SIGINT, old) == interrupt);
    EXPECT(PyOS_getsig(100000) == SIG_ERR);
    EXPECT(PyOS_setsig(100000, interrupt) == SIG_ERR);
}
