/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int mode;

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    if (mode == 1) {
        PyErr_SetString(PyExc_ValueError, "from tp_new");
        return NULL;
    }
    return mode == 2 ? number(7) : new_node(type, "made");
}

static int
init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self;
    (void)args;
    (void)kwargs;
    note("init");
    if (mode == 3) {
        PyErr_SetString(PyExc_KeyError, "from tp_init");
        return -1;
    }
    return 0;
}

static PyTypeObject Made_Type = {NODE_SLOTS("Made"), .tp_clear = node_clear,
                                 .tp_new = new, .tp_init = init};

PROGRAM("exceptions in tp_new and tp_init, and a tp_new that makes something else")
{
    ready(&Made_Type);
    for (mode = 0; mode < 4; mode++) {
        PyObject *made = PyObject_CallNoArgs((PyObject *)&Made_Type);
        trace("mode %d: made %d, of the type %d", mode, made != NULL,
              made != NULL && Py_TYPE(made) == &Made_Type);
        trace_error("error");
        Py_XDECREF(made);
        trace_notes("events");
    }
}
