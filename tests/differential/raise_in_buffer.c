/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int
get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    (void)self;
    (void)flags;
    view->obj = NULL;
    PyErr_SetString(PyExc_BufferError, "from bf_getbuffer");
    return -1;
}

static PyBufferProcs as_buffer = {.bf_getbuffer = get_buffer};
static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_as_buffer = &as_buffer};

PROGRAM("bf_getbuffer that raises, and who asks for a buffer")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    Py_buffer view;
    trace("has a buffer: %d", PyObject_CheckBuffer(x));
    trace("get: %d", PyObject_GetBuffer(x, &view, PyBUF_SIMPLE));
    trace_error("get");
    trace_repr("bytes", PyBytes_FromObject(x));
    trace_repr("bytearray", PyByteArray_FromObject(x));
    trace_repr("memoryview", PyMemoryView_FromObject(x));
    trace("get from None: %d", PyObject_GetBuffer(Py_None, &view, PyBUF_SIMPLE));
    trace_error("get from None");
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
