/* SPDX-License-Identifier: MIT */
/* UnraisableHookArgs: what sys.unraisablehook is called with. */
#include "modules.h"

/* The fields are in the order of UnraisableHookArgs. */
enum { ARGS_TYPE, ARGS_VALUE, ARGS_TRACEBACK, ARGS_MESSAGE, ARGS_OBJECT, ARGS_COUNT };

struct unraisable_args {
    PyObject_HEAD
    PyObject *fields[ARGS_COUNT]; /* owned; None when there is nothing */
};

static int
unraisable_args_traverse(PyObject *self, visitproc visit, void *arg)
{
    for (int i = 0; i < ARGS_COUNT; i++) {
        Py_VISIT(((struct unraisable_args *)self)->fields[i]);
    }
    return 0;
}

static int
unraisable_args_clear(PyObject *self)
{
    for (int i = 0; i < ARGS_COUNT; i++) {
        Py_CLEAR(((struct unraisable_args *)self)->fields[i]);
    }
    return 0;
}

static void
unraisable_args_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    unraisable_args_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *
unraisable_args_repr(PyObject *self)
{
    PyObject **fields = ((struct unraisable_args *)self)->fields;
    return PyUnicode_FromFormat("UnraisableHookArgs(exc_type=%R, exc_value=%R, "
                                "exc_traceback=%R, err_msg=%R, object=%R)",
                                fields[ARGS_TYPE], fields[ARGS_VALUE],
                                fields[ARGS_TRACEBACK], fields[ARGS_MESSAGE],
                                fields[ARGS_OBJECT]);
}

#define ARGS_FIELD(name, index)                                                          \
    {                                                                                    \
        name, _Py_T_OBJECT,                                                              \
            offsetof(struct unraisable_args, fields) + (index) * sizeof(PyObject *),     \
            Py_READONLY, NULL                                                            \
    }

static PyMemberDef unraisable_args_members[] = {
    ARGS_FIELD("exc_type", ARGS_TYPE),           ARGS_FIELD("exc_value", ARGS_VALUE),
    ARGS_FIELD("exc_traceback", ARGS_TRACEBACK), ARGS_FIELD("err_msg", ARGS_MESSAGE),
    ARGS_FIELD("object", ARGS_OBJECT),           {NULL, 0, 0, 0, NULL},
};

static PyTypeObject unraisable_args_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "UnraisableHookArgs",
    .tp_basicsize = sizeof(struct unraisable_args),
    .tp_dealloc = unraisable_args_dealloc,
    .tp_repr = unraisable_args_repr,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Type used to pass arguments to sys.unraisablehook.",
    .tp_traverse = unraisable_args_traverse,
    .tp_clear = unraisable_args_clear,
    .tp_members = unraisable_args_members,
    .tp_alloc = PyType_GenericAlloc,
    .tp_free = PyObject_GC_Del,
};

static PyObject *
new_or_none(PyObject *op)
{
    return Py_NewRef(op != NULL ? op : Py_None);
}

PyObject *
Ouro_UnraisableArgsNew(const Ouro_Unraisable *report)
{
    if (PyType_Ready(&unraisable_args_type) < 0) {
        return NULL;
    }
    PyObject *message = report->message == NULL ? Py_NewRef(Py_None)
                                                : PyUnicode_FromString(report->message);
    PyObject *self =
        message == NULL ? NULL : PyType_GenericAlloc(&unraisable_args_type, 0);
    if (self == NULL) {
        Py_XDECREF(message);
        return NULL;
    }
    PyObject **fields = ((struct unraisable_args *)self)->fields;
    fields[ARGS_TYPE] = new_or_none(report->exc_type);
    fields[ARGS_VALUE] = new_or_none(report->exc_value);
    fields[ARGS_TRACEBACK] = new_or_none(report->exc_traceback);
    fields[ARGS_MESSAGE] = message;
    fields[ARGS_OBJECT] = new_or_none(report->object);
    return self;
}

static PyObject *
null_if_none(PyObject *op)
{
    return op == Py_None ? NULL : op;
}

int
ouro_unraisable_args_read(PyObject *args, Ouro_Unraisable *report)
{
    if (!Py_IS_TYPE(args, &unraisable_args_type)) {
        PyErr_SetString(PyExc_TypeError,
                        "sys.unraisablehook argument type must be UnraisableHookArgs");
        return -1;
    }
    PyObject **fields = ((struct unraisable_args *)args)->fields;
    PyObject *message = null_if_none(fields[ARGS_MESSAGE]);
    *report = (Ouro_Unraisable){
        .exc_type = null_if_none(fields[ARGS_TYPE]),
        .exc_value = null_if_none(fields[ARGS_VALUE]),
        .exc_traceback = null_if_none(fields[ARGS_TRACEBACK]),
        .message = message == NULL ? NULL : PyUnicode_AsUTF8(message),
        .object = null_if_none(fields[ARGS_OBJECT]),
    };
    return 0;
}
