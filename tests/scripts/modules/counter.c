/* SPDX-License-Identifier: MIT */
/* A multi-phase module with state: counter.next() counts. Compiles for CPython too. */
#include <Python.h>

#ifndef INIT
#define INIT PyInit_counter
#endif

struct counter {
    long count;
    PyObject *self; /* a cycle, for the collector */
};

static PyObject *
counter_next(PyObject *module, PyObject *Py_UNUSED(unused))
{
    struct counter *state = PyModule_GetState(module);
    return PyLong_FromLong(++state->count);
}

static int
counter_exec(PyObject *module)
{
    struct counter *state = PyModule_GetState(module);
    state->self = Py_NewRef(module);
#ifdef MISSING
    extern int PyFrame_Missing(void);
    return PyFrame_Missing();
#else
    return 0;
#endif
}

static int
counter_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct counter *state = PyModule_GetState(module);
    Py_VISIT(state->self);
    return 0;
}

static int
counter_clear(PyObject *module)
{
    struct counter *state = PyModule_GetState(module);
    Py_CLEAR(state->self);
    return 0;
}

static PyMethodDef counter_methods[] = {
    {"next", counter_next, METH_NOARGS, "Count."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot counter_slots[] = {
    {Py_mod_exec, (void *)counter_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {0, NULL},
};

static PyModuleDef counter_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "counter",
    .m_size = sizeof(struct counter),
    .m_methods = counter_methods,
    .m_slots = counter_slots,
    .m_traverse = counter_traverse,
    .m_clear = counter_clear,
};

PyMODINIT_FUNC INIT(void);

PyMODINIT_FUNC
INIT(void)
{
    return PyModuleDef_Init(&counter_def);
}
