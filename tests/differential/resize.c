/* SPDX-License-Identifier: MIT */
#include "differential.h"

struct array {
    PyObject_VAR_HEAD
    PyObject *items[];
};

static int
array_traverse(PyObject *op, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_VISIT(((struct array *)op)->items[i]);
    }
    return 0;
}

static int
array_clear(PyObject *op)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_CLEAR(((struct array *)op)->items[i]);
    }
    return 0;
}

static void
array_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    note("dealloc of %zd", Py_SIZE(op));
    array_clear(op);
    PyObject_GC_Del(op);
}

static PyTypeObject Array_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Array",
    .tp_basicsize = sizeof(struct array),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = array_traverse,
    .tp_clear = array_clear,
    .tp_dealloc = array_dealloc,
};

static struct array *
new_array(Py_ssize_t size)
{
    struct array *array = PyObject_GC_NewVar(struct array, &Array_Type, size);
    must((PyObject *)array);
    for (Py_ssize_t i = 0; i < size; i++) {
        array->items[i] = Py_NewRef(Py_None);
    }
    return array;
}

PROGRAM("var-sized containers, and resizing them")
{
    ready(&Array_Type);
    struct array *array = new_array(2);
    trace("size %zd, tracked %d", Py_SIZE(array),
          PyObject_GC_IsTracked((PyObject *)array));
    static const Py_ssize_t sizes[] = {5, 100, 3000, 20000, 70, 3, 0, 1};
    for (int i = 0; i < 8; i++) {
        Py_ssize_t old = Py_SIZE(array);
        array = PyObject_GC_Resize(struct array, array, sizes[i]);
        must((PyObject *)array);
        int kept = 1;
        for (Py_ssize_t k = 0; k < sizes[i]; k++) {
            if (k < old) {
                kept &= array->items[k] == Py_None;
            }
            array->items[k] = Py_None;
        }
        trace("size %zd, tracked %d, references %zd, kept %d", Py_SIZE(array),
              PyObject_GC_IsTracked((PyObject *)array), (Py_ssize_t)Py_REFCNT(array),
              kept);
    }
    struct array *failed = PyObject_GC_Resize(struct array, array, PY_SSIZE_T_MAX / 16);
    trace("absurd: %d", failed != NULL);
    trace_error("absurd");
    trace("as before: size %zd, item %d", Py_SIZE(array), array->items[0] == Py_None);
    array->items[0] = Py_NewRef((PyObject *)array);
    PyObject_GC_Track((PyObject *)array);
    Py_DECREF(array);
    trace("found %zd", collect());
    trace_notes("events");

    PyVarObject *none = PyObject_GC_NewVar(PyVarObject, &Array_Type, -1);
    trace("negative: %d", none != NULL);
    trace_error("negative");
    none = PyObject_GC_NewVar(PyVarObject, &Array_Type, PY_SSIZE_T_MAX / 16);
    trace("absurd: %d", none != NULL);
    trace_error("absurd");
}
