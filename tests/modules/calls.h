/* SPDX-License-Identifier: MIT */
/* Calling functions of modules as a program would. */
#ifndef OURO_TESTS_MODULES_CALLS_H
#define OURO_TESTS_MODULES_CALLS_H

#include "../protocol.h"

/* module.function(*args, **kwargs), as a new reference. Steals both; kwargs may be NULL. */
static inline PyObject *
call_with(const char *module, const char *function, PyObject *args, PyObject *kwargs)
{
    PyObject *callable = PyImport_ImportModuleAttrString(module, function);
    PyObject *result = callable == NULL ? NULL : PyObject_Call(callable, args, kwargs);
    Py_XDECREF(callable);
    Py_DECREF(args);
    Py_XDECREF(kwargs);
    return result;
}

/* The arguments and the keyword arguments of a call, built by format. */
#define ARGS(...)   Py_BuildValue(__VA_ARGS__)
#define KWARGS(...) Py_BuildValue(__VA_ARGS__)

/* The repr of the call's result is this text; or the call raises this. */
#define EXPECT_CALL(expected, module, function, args, kwargs)                            \
    EXPECT_REPR_OF(call_with((module), (function), (args), (kwargs)), (expected))
#define EXPECT_CALL_RAISES(type, message, module, function, args, kwargs)                \
    do {                                                                                 \
        EXPECT_NULL(call_with((module), (function), (args), (kwargs)));                  \
        EXPECT_RAISED_TEXT((type), (message));                                           \
    } while (0)

#endif
