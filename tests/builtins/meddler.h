/* SPDX-License-Identifier: MIT */
/* Keys that all have the same hash, so that every lookup compares them. Their == can be armed to
 * change the container during the lookup. */
#ifndef OURO_TESTS_BUILTINS_MEDDLER_H
#define OURO_TESTS_BUILTINS_MEDDLER_H

#include "../harness.h"

static void (*meddling)(PyObject *); /* what armed keys do */
static int meddle_after;             /* after this many comparisons */

typedef struct {
    PyObject_HEAD
    long value;
} KeyObject;

static PyObject *
key_richcompare(PyObject *a, PyObject *b, int op)
{
    if (Py_TYPE(a) != Py_TYPE(b) || op != Py_EQ) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    bool equal = ((KeyObject *)a)->value == ((KeyObject *)b)->value;
    if (meddling != NULL && --meddle_after == 0) {
        void (*now)(PyObject *) = meddling;
        meddling = NULL;
        now(a);
    }
    return PyBool_FromLong(equal);
}

static Py_hash_t
key_hash(PyObject *Py_UNUSED(self))
{
    return 7; /* all collide, so every lookup compares */
}

static PyTypeObject key_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Key",
    .tp_basicsize = sizeof(KeyObject),
    .tp_hash = key_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_richcompare = key_richcompare,
};

static PyObject *
new_key(long value)
{
    REQUIRE_EQ(PyType_Ready(&key_type), 0);
    KeyObject *key = PyObject_New(KeyObject, &key_type);
    key->value = value;
    return (PyObject *)key;
}

#endif
