/* SPDX-License-Identifier: MIT */
/* Clocks of the operating system, in nanoseconds. */
#include <Python.h>

static int
read_clock(clockid_t clock, PyTime_t *result)
{
    struct timespec now;
    *result = 0;
    if (clock_gettime(clock, &now) != 0) {
        return -1;
    }
    *result = (PyTime_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return 0;
}

static int
raise_clock_error(int status)
{
    if (status < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
    }
    return status;
}

double
PyTime_AsSecondsDouble(PyTime_t t)
{
    return (double)t * 1e-9;
}

int
PyTime_MonotonicRaw(PyTime_t *result)
{
    return read_clock(CLOCK_MONOTONIC, result);
}

int
PyTime_PerfCounterRaw(PyTime_t *result)
{
    return PyTime_MonotonicRaw(result);
}

int
PyTime_TimeRaw(PyTime_t *result)
{
    return read_clock(CLOCK_REALTIME, result);
}

int
PyTime_Monotonic(PyTime_t *result)
{
    return raise_clock_error(PyTime_MonotonicRaw(result));
}

int
PyTime_PerfCounter(PyTime_t *result)
{
    return raise_clock_error(PyTime_PerfCounterRaw(result));
}

int
PyTime_Time(PyTime_t *result)
{
    return raise_clock_error(PyTime_TimeRaw(result));
}
