/* SPDX-License-Identifier: MIT */
#include "differential.h"

#if PY_VERSION_HEX < 0x030F0000
SKIP_PROGRAM("the functions for use during a collection are new in 3.15")
#else

struct thing {
    PyObject *held;
};

static PyModuleDef module_def = {PyModuleDef_HEAD_INIT, .m_name = "sample", .m_size = 8};
static int token;

static int
thing_traverse(PyObject *op, visitproc visit, void *arg)
{
    PyTypeObject *base = NULL;
    Py_VISIT(Py_TYPE(op));
    if (PyType_GetBaseByToken_DuringGC(Py_TYPE(op), &token, &base) == 1) {
        struct thing *thing = PyObject_GetTypeData_DuringGC(op, base);
        Py_VISIT(thing->held);
    }
    return 0;
}

static int
thing_clear(PyObject *op)
{
    PyTypeObject *base;
    if (PyType_GetBaseByToken(Py_TYPE(op), &token, &base) == 1) {
        struct thing *thing = PyObject_GetTypeData(op, base);
        Py_CLEAR(thing->held);
        Py_DECREF(base);
    }
    return 0;
}

static void
thing_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    thing_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {{Py_tp_traverse, thing_traverse},
                              {Py_tp_clear, thing_clear},
                              {Py_tp_dealloc, thing_dealloc},
                              {Py_tp_token, &token},
                              {0, NULL}};
static PyType_Spec spec = {"sample.Thing", -(int)sizeof(struct thing), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                           slots};

PROGRAM(
    "a traverse function finds its data with the functions for use during a collection")
{
    PyObject *module = must(PyModule_Create(&module_def));
    PyObject *type = must(PyType_FromModuleAndSpec(module, &spec, NULL));
    PyObject *x = must(PyObject_CallNoArgs(type)), *node = N("held");
    ((struct thing *)PyObject_GetTypeData(x, (PyTypeObject *)type))->held = node;
    set_a(node, x);
    trace("type in a list: %d", is_listed(get_referents(x), type));
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    Py_DECREF(type);
    Py_DECREF(module);
    collect();
}
#endif
