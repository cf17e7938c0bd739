/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyType_Slot slots[] = {{0, NULL}};
static PyType_Spec spec = {"sample.Empty", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                           slots};

PROGRAM("a heap type that nobody uses is found by a collection, all of it at once")
{
    PyObject *type = must(PyType_FromSpec(&spec));
    PyObject *weak = new_weakref(type, "type");
    trace("is gc %d, tracked %d", PyObject_IS_GC(type), PyObject_GC_IsTracked(type));
    trace("held: %zd", collect());
    Py_DECREF(type);
    trace("alive until a collection: %d", !is_dead(weak));
    trace("found some: %d", collect() > 0);
    trace("dead: %d", is_dead(weak));
    trace_notes("after");
    trace("found no more: %zd", collect());
    Py_DECREF(weak);
}
