/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int
no_traverse(PyObject *op, visitproc visit, void *arg)
{
    (void)op;
    (void)visit;
    (void)arg;
    return 0;
}

static int
no_clear(PyObject *op)
{
    (void)op;
    return 0;
}

static PyTypeObject NoTraverse = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "NoTraverse",
                                  .tp_basicsize = sizeof(PyObject),
                                  .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC};
static PyTypeObject Base = {NODE_SLOTS("Base"), .tp_clear = node_clear};
static PyTypeObject FlagOnly = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "FlagOnly",
                                .tp_base = &Base,
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC};
static PyTypeObject ClearOnly = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ClearOnly",
                                 .tp_base = &Base, .tp_clear = no_clear};
static PyTypeObject NoClear = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "NoClear", .tp_base = &Base,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, .tp_traverse = no_traverse};
static PyTypeObject Nothing = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Nothing",
                               .tp_base = &Base, .tp_flags = Py_TPFLAGS_DEFAULT};
static PyTypeObject WrongFree = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "WrongFree",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_traverse = no_traverse,
    .tp_free = PyObject_Free,
};
static PyTypeObject FinalWrongFree = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "FinalWrongFree",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = no_traverse,
    .tp_free = PyObject_Free,
};
static PyTypeObject NoName = {PyVarObject_HEAD_INIT(NULL, 0).tp_basicsize =
                                  sizeof(PyObject)};

static void
try_ready(PyTypeObject *type)
{
    int result = PyType_Ready(type);
    trace("%s: %d", type->tp_name == NULL ? "no name" : type->tp_name, result);
    if (result < 0) {
        trace_error("error");
    } else {
        trace("gc %d, traverse %d, clear %d, free %s", PyType_IS_GC(type),
              type->tp_traverse != NULL, type->tp_clear != NULL,
              type->tp_free == PyObject_GC_Del ? "PyObject_GC_Del"
              : type->tp_free == PyObject_Free ? "PyObject_Free"
                                               : "?");
    }
}

PROGRAM("what PyType_Ready makes of the collector's slots")
{
    Base.tp_flags |= Py_TPFLAGS_BASETYPE;
    try_ready(&Base);
    try_ready(&NoTraverse);
    try_ready(&FlagOnly);
    try_ready(&ClearOnly);
    try_ready(&NoClear);
    try_ready(&Nothing);
    try_ready(&WrongFree);
    try_ready(&FinalWrongFree);
    try_ready(&NoName);
    try_ready(&Base);
    trace("inherits: %d %d", Nothing.tp_traverse == node_traverse,
          Nothing.tp_clear == node_clear);
}
