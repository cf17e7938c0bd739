/* SPDX-License-Identifier: MIT */
/* User code in strict C: a module with a container type that uses each kind of macro in the
 * headers. `make check` compiles it as C99, C11, C17 and C2x with -Wpedantic. */
#include <Python.h>
#include <ouro_check.h>
#include <ouroboros.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *held;
    long number;
} Box;

typedef struct {
    PyObject_VAR_HEAD
    PyObject *items[1];
} Row;

PyDoc_STRVAR(box_doc, "A box.");

static int
box_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Box *)self)->held);
    return 0;
}

static int
box_clear(PyObject *self)
{
    Py_CLEAR(((Box *)self)->held);
    return 0;
}

static void
box_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, box_dealloc)(void) box_clear(self);
    Py_TYPE(self)->tp_free(self);
    Py_TRASHCAN_END
}

static PyObject *
box_compare(PyObject *left, PyObject *right, int op)
{
    if (!Py_IS_TYPE(right, Py_TYPE(left))) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    Py_RETURN_RICHCOMPARE(((Box *)left)->number, ((Box *)right)->number, op);
}

static PyObject *
box_put(PyObject *self, PyObject *value)
{
    Py_BEGIN_CRITICAL_SECTION(self);
    Py_XSETREF(((Box *)self)->held, Py_NewRef(value));
    Py_END_CRITICAL_SECTION();
    Py_BEGIN_ALLOW_THREADS
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *
box_is_empty(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    if (((Box *)self)->held == NULL) {
        Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}

static PyMethodDef box_methods[] = {
    {"put", box_put, METH_O, PyDoc_STR("Put it in.")},
    {"is_empty", box_is_empty, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef box_members[] = {
    {"number", T_LONG, offsetof(Box, number), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* clang-format off */
static PyTypeObject Box_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "strict.Box",
    .tp_basicsize = sizeof(Box),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc = box_doc,
    .tp_traverse = box_traverse,
    .tp_clear = box_clear,
    .tp_dealloc = box_dealloc,
    .tp_richcompare = box_compare,
    .tp_methods = box_methods,
    .tp_members = box_members,
};

/* clang-format on */

static int
row_traverse(PyObject *self, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_VISIT(((Row *)self)->items[i]);
    }
    return 0;
}

static PySlot row_slots[] = {
    PySlot_STATIC_DATA(Py_tp_name, "strict.Row"),
    PySlot_SIZE(Py_tp_basicsize, offsetof(Row, items)),
    PySlot_SIZE(Py_tp_itemsize, sizeof(PyObject *)),
    PySlot_UINT64(Py_tp_flags, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC),
    PySlot_FUNC(Py_tp_traverse, row_traverse),
    PySlot_END,
};

static PyObject *
new_row(PyTypeObject *type, Py_ssize_t size)
{
    Row *row = PyObject_GC_NewVar(Row, type, size);
    if (row == NULL) {
        return PyErr_NoMemory();
    }
    row = PyObject_GC_Resize(Row, row, size + 1);
    memset(row->items, 0, (size_t)Py_SIZE(row) * sizeof row->items[0]);
    PyObject_GC_Track(row);
    return (PyObject *)row;
}

static int
add_types(PyObject *module)
{
    PyObject *type = PyType_FromSlots(row_slots);
    Box *box = PyObject_GC_New(Box, &Box_Type);
    box->held = new_row((PyTypeObject *)type, Py_MAX(1, 2));
    PyObject_GC_Track(box);
    Py_SETREF(type, Py_NewRef(Py_None));
    Py_DECREF(type);
    Py_DECREF(box);
    return PyModule_AddIntMacro(module, METH_O);
}

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "strict",
    .m_doc = box_doc,
    .m_size = 0,
};

/* These are statements in every build: without the checker they do nothing, without warnings. */
static void
prepare_checker(PyObject *module)
{
    Ouro_CheckSetReportHook(NULL, NULL);
    Ouro_CheckSuppress("GC-T01", "strict.Row");
    Ouro_CheckSetAbort("", 0);
    Ouro_CheckSetNotes(1);
    Ouro_CheckSetStress(0);
    Ouro_CheckBorrowed(&Box_Type, 24);
    Ouro_CheckProbe(&Box_Type, NULL);
    Ouro_CheckIsKept(module);
    Ouro_CheckCountReports("GC-T");
    Ouro_CheckAudit();
    Ouro_CheckExplain(stderr, 0);
}

PyMODINIT_FUNC
PyInit_strict(void)
{
    PyObject *module = PyType_Ready(&Box_Type) < 0 ? NULL : PyModule_Create(&definition);
    if (module != NULL && add_types(module) < 0) {
        Py_CLEAR(module);
    }
    prepare_checker(module);
    return module;
}
