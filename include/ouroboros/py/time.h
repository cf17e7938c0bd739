/* SPDX-License-Identifier: MIT */
/* Clocks, in nanoseconds. */
#ifndef OURO_PY_TIME_H
#define OURO_PY_TIME_H

#include "object.h"

OURO_BEGIN_DECLS

typedef int64_t PyTime_t;
#define PyTime_MIN INT64_MIN
#define PyTime_MAX INT64_MAX

/* The same in seconds. */
PyAPI_FUNC(double) PyTime_AsSecondsDouble(PyTime_t t);
/* A clock that never goes back, the finest such clock (the same here), and the time since
 * 1970. 0; or -1 with OSError, and *result is 0. */
PyAPI_FUNC(int) PyTime_Monotonic(PyTime_t *result);
PyAPI_FUNC(int) PyTime_PerfCounter(PyTime_t *result);
PyAPI_FUNC(int) PyTime_Time(PyTime_t *result);
/* The same for a thread that need not be attached: -1 without an exception. */
PyAPI_FUNC(int) PyTime_MonotonicRaw(PyTime_t *result);
PyAPI_FUNC(int) PyTime_PerfCounterRaw(PyTime_t *result);
PyAPI_FUNC(int) PyTime_TimeRaw(PyTime_t *result);

OURO_END_DECLS

#endif
