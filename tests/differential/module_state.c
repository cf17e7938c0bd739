/* SPDX-License-Identifier: MIT */
#include "differential.h"

struct state {
    PyObject *held;
};

static int
state_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct state *state = PyModule_GetState(module);
    Py_VISIT(state->held);
    return 0;
}

static int
state_clear(PyObject *module)
{
    struct state *state = PyModule_GetState(module);
    note("m_clear");
    Py_CLEAR(state->held);
    return 0;
}

static void
state_free(void *module)
{
    struct state *state = PyModule_GetState((PyObject *)module);
    note("m_free");
    if (state != NULL) {
        Py_CLEAR(state->held);
    }
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sample",
    .m_doc = "A module with state.",
    .m_size = sizeof(struct state),
    .m_traverse = state_traverse,
    .m_clear = state_clear,
    .m_free = state_free,
};

PROGRAM("a module whose state refers back to it is collected, state first")
{
    PyObject *module = must(PyModule_Create(&definition));
    struct state *state = PyModule_GetState(module);
    trace("state %d, empty %d", state != NULL, state->held == NULL);
    trace("name %s, tracked %d", PyModule_GetName(module), PyObject_GC_IsTracked(module));
    trace_str("doc", PyObject_GetAttrString(module, "__doc__"));
    must_be_zero(PyModule_AddIntConstant(module, "answer", 42));
    trace_repr("constant", PyObject_GetAttrString(module, "answer"));
    PyObject *x = N("x");
    state->held = x;
    set_a(x, module);
    PyObject *weak = new_weakref(module, "module");
    Py_DECREF(module);
    trace_notes("a cycle holds it");
    trace("some found: %d", collect() >= 2);
    trace("dead: %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);

    /* by count, m_clear is not called */
    module = must(PyModule_Create(&definition));
    state = PyModule_GetState(module);
    state->held = N("x");
    Py_DECREF(module);
    trace_notes("by count");
    trace("state of None: %d", PyModule_GetState(Py_None) != NULL);
    trace_error("state of None");
}
