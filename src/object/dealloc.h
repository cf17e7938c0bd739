/* SPDX-License-Identifier: MIT */
/* A deep destruction under way; see dealloc.c. It is in a header for the tests. */
#ifndef OURO_OBJECT_DEALLOC_H
#define OURO_OBJECT_DEALLOC_H

#include "../thread/interpreter.h"

struct _Py_Destruction {
    struct _ts *thread; /* whose objects it defers */
    char *limit;        /* its destructors nest down to here */
    uint32_t first;     /* slot number of the first deferred object; 0 when none */
    struct _Py_Destruction *outer; /* the next one up the stack; or NULL */
};

/* What tp_ouro_dead of every type is: fatal. */
void ouro_refuse_release(PyObject *op);

#endif
