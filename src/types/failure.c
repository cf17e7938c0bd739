/* SPDX-License-Identifier: MIT */
/* Reasons are text until they can be raised; see failure.h. */
#include "failure.h"

bool
ouro_fail(struct failure *failure, PyObject *exception, const char *format, ...)
{
    if (failure->exception == NULL) {
        failure->exception = exception;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(failure->text, sizeof failure->text, format, arguments);
        va_end(arguments);
    }
    return false;
}

void
ouro_failure_raise(const struct failure *failure)
{
    if (failure->exception == PyExc_MemoryError) {
        PyErr_NoMemory();
    } else if (failure->exception != NULL) {
        PyErr_SetString(failure->exception, failure->text);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
}
