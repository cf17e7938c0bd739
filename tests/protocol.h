/* SPDX-License-Identifier: MIT */
/* For tests of the object protocol: expecting messages, values and out-of-memory. */
#ifndef OURO_TESTS_PROTOCOL_H
#define OURO_TESTS_PROTOCOL_H

#include "harness.h"

#include <ouroboros.h>

#include "../src/base/fault.h"

/* An exception of this type and with this text is pending; it is cleared. */
#define EXPECT_RAISED_TEXT(type, expected)                                               \
    do {                                                                                 \
        EXPECT(PyErr_Occurred() != NULL && PyErr_ExceptionMatches(type));                \
        char text_[400];                                                                 \
        take_raised_text(text_, sizeof(text_));                                          \
        EXPECT_STR(text_, expected);                                                     \
    } while (0)

static inline void
take_raised_text(char *out, size_t size)
{
    PyObject *exc = PyErr_GetRaisedException();
    PyObject *text = exc == NULL ? NULL : PyObject_Str(exc);
    snprintf(out, size, "%s",
             text == NULL ? "<nothing is pending>" : PyUnicode_AsUTF8(text));
    Py_XDECREF(text);
    Py_XDECREF(exc);
}

/* repr(o) is this text; the reference to `o` is taken. */
#define EXPECT_REPR_OF(o, expected)                                                      \
    do {                                                                                 \
        PyObject *object_ = (o);                                                         \
        PyObject *repr_ = object_ == NULL ? NULL : PyObject_Repr(object_);               \
        EXPECT_STR(repr_ == NULL ? NULL : PyUnicode_AsUTF8(repr_), expected);            \
        Py_XDECREF(repr_);                                                               \
        Py_XDECREF(object_);                                                             \
    } while (0)

/* The statement changes no reference count of `o`. */
#define EXPECT_SAME_COUNT(o, statement)                                                  \
    do {                                                                                 \
        Py_ssize_t before_ = Py_REFCNT(o);                                               \
        statement;                                                                       \
        EXPECT_EQ(Py_REFCNT(o), before_);                                                \
    } while (0)

/* A new instance of the type that the spec makes, called without arguments. */
static inline PyObject *
instance_of_spec(PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    REQUIRE_NOT_NULL(type);
    PyObject *instance = PyObject_CallNoArgs(type);
    REQUIRE_NOT_NULL(instance);
    Py_DECREF(type);
    return instance;
}

/* Blocks of the heap in use after everything unreachable is gone. */
static inline size_t
blocks_in_use(void)
{
    Ouro_HeapUsage usage;
    PyGC_Collect();
    Ouro_HeapGetUsage(&usage);
    return usage.objects;
}

/* Run `function` often. It may return a new reference, raise an exception, or return NULL without
 * one. From the second run on (the first may fill caches) it may leave no block behind. */
static inline void
repeat_without_leak(PyObject *(*function)(void))
{
    size_t before = 0;
    for (int i = 0; i < 20; i++) {
        if (i == 1) {
            before = blocks_in_use();
        }
        Py_XDECREF(function());
        PyErr_Clear();
    }
    EXPECT_EQ(blocks_in_use(), before);
}

/* Run `function`, which returns a new reference or NULL, once for each of its allocations. In each
 * run that allocation fails: the function must raise MemoryError and leave nothing behind. In the
 * last run nothing fails, and the function must succeed. */
static inline void
fail_each_allocation(PyObject *(*function)(void))
{
    Py_XDECREF(function()); /* what it caches permanently does not count */
    PyErr_Clear();
    size_t before = blocks_in_use();
    for (int64_t n = 1; n < 1000; n++) {
        ouro_fault_arm(n);
        PyObject *result = function();
        bool all_seen = ouro_fault_seen() < n;
        ouro_fault_arm(0);
        if (result != NULL) {
            EXPECT_NO_ERROR();
            Py_DECREF(result);
            if (all_seen || !OURO_DEBUG) {
                EXPECT_EQ(blocks_in_use(), before);
                return;
            }
        } else if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
            PyErr_Clear();
        } else {
            EXPECT_RAISED(PyExc_MemoryError);
            return;
        }
    }
    EXPECT(!"it succeeds when no allocation fails");
}

/* A new int, for tests that want an object of their own. */
static inline PyObject *
number(long value)
{
    return PyLong_FromLong(value);
}

static inline PyObject *
text(const char *value)
{
    return PyUnicode_FromString(value);
}

#endif
