/* SPDX-License-Identifier: MIT */
#include "differential.h"

#if PY_VERSION_HEX < 0x030C0000
SKIP_PROGRAM("a negative basicsize is new in 3.12")
#else

struct data {
    PyObject *held;
    long numbers[2];
};

static PyTypeObject *data_type;

static int
data_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct data *data = PyObject_GetTypeData(op, data_type);
    Py_VISIT(data->held);
    Py_VISIT(Py_TYPE(op));
    return 0;
}

static int
data_clear(PyObject *op)
{
    struct data *data = PyObject_GetTypeData(op, data_type);
    Py_CLEAR(data->held);
    return 0;
}

static void
data_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    data_clear(op);
    note("data dealloc");
    type->tp_free(op);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {{Py_tp_dealloc, data_dealloc},
                              {Py_tp_traverse, data_traverse},
                              {Py_tp_clear, data_clear},
                              {Py_tp_new, PyType_GenericNew},
                              {0, NULL}};
static PyType_Spec spec = {"sample.Data", -(int)sizeof(struct data), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                           slots};
static PyType_Slot more_slots[] = {{0, NULL}};
static PyType_Spec more_spec = {"sample.More", -5, 0, Py_TPFLAGS_DEFAULT, more_slots};

PROGRAM("a type with data of its own after that of its base")
{
    data_type = (PyTypeObject *)must(PyType_FromSpec(&spec));
    trace("data size %zd, basicsize %zd", PyType_GetTypeDataSize(data_type),
          data_type->tp_basicsize);
    PyObject *x = must(PyObject_CallNoArgs((PyObject *)data_type));
    struct data *data = PyObject_GetTypeData(x, data_type);
    trace("offset %zd", (Py_ssize_t)((char *)data - (char *)x));
    trace("zeroed %d", data->held == NULL && data->numbers[0] == 0);
    data->numbers[0] = data->numbers[1] = 7;
    data->held = Py_NewRef(x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");

    PyTypeObject *more =
        (PyTypeObject *)must(PyType_FromSpecWithBases(&more_spec, (PyObject *)data_type));
    trace("more: data size %zd, basicsize %zd, gc %d", PyType_GetTypeDataSize(more),
          more->tp_basicsize, PyType_IS_GC(more));
    x = must(PyObject_CallNoArgs((PyObject *)more));
    char *bytes = PyObject_GetTypeData(x, more);
    memset(bytes, 1, (size_t)PyType_GetTypeDataSize(more));
    data = PyObject_GetTypeData(x, data_type);
    trace("untouched %d", data->held == NULL && data->numbers[1] == 0);
    trace("offset %zd", (Py_ssize_t)(bytes - (char *)x));
    data->held = Py_NewRef(x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    trace("item data: %d", PyObject_GetItemData((PyObject *)more) != NULL);
    trace_error("item data of a type");
    PyObject *n = N("n");
    trace("item data: %d", PyObject_GetItemData(n) != NULL);
    trace_error("item data of a node");
    Py_DECREF(n);
    trace_notes("events");
    Py_DECREF(more);
    Py_DECREF(data_type);
}
#endif
