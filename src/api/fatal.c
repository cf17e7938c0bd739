/* SPDX-License-Identifier: MIT */
/* Py_FatalError: the user's program found that it cannot go on. Our own fatal messages are
 * in base/check.c. Neither allocates. */
#include <Python.h>

void
_Py_FatalErrorFunc(const char *func, const char *message)
{
    fflush(stdout);
    if (func != NULL) {
        fprintf(stderr, "Fatal Python error: %s: %s\n", func, message);
    } else {
        fprintf(stderr, "Fatal Python error: %s\n", message);
    }
    fflush(stderr);
    abort();
}

/* In parentheses, the name is not the macro. */
void(Py_FatalError)(const char *message)
{
    _Py_FatalErrorFunc(NULL, message);
}
