/* SPDX-License-Identifier: MIT */
/* For tests of parsing: make, parse and drop arguments in one line. The expected messages are
 * those of CPython. */
#ifndef OURO_TESTS_API_ARGS_H
#define OURO_TESTS_API_ARGS_H

#include "../protocol.h"

/* Parsing the tuple `made`, whose reference is taken, succeeds. */
#define EXPECT_PARSED(made, ...)                                                         \
    do {                                                                                 \
        PyObject *args_ = (made);                                                        \
        REQUIRE_NOT_NULL(args_);                                                         \
        EXPECT_EQ(PyArg_ParseTuple(args_, __VA_ARGS__), 1);                              \
        EXPECT_NO_ERROR();                                                               \
        Py_DECREF(args_);                                                                \
    } while (0)

/* It fails with this exception. */
#define EXPECT_REFUSED(made, type, message, ...)                                         \
    do {                                                                                 \
        PyObject *args_ = (made);                                                        \
        REQUIRE_NOT_NULL(args_);                                                         \
        EXPECT_EQ(PyArg_ParseTuple(args_, __VA_ARGS__), 0);                              \
        EXPECT_RAISED_TEXT(type, message);                                               \
        Py_DECREF(args_);                                                                \
    } while (0)

#endif
