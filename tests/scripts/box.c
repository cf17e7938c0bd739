/* SPDX-License-Identifier: MIT */
/* A program with a mistake: a container type whose tp_traverse does not visit what it holds. The
 * plain library runs it; the checking library reports GC-T01. */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *held;
} Box;

static int
box_traverse(PyObject *self, visitproc visit, void *arg)
{
    (void)self;
    (void)visit;
    (void)arg;
    return 0;
}

static void
box_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((Box *)self)->held);
    Py_TYPE(self)->tp_free(self);
}

/* clang-format off */
static PyTypeObject Box_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "mine.Box",
    .tp_basicsize = sizeof(Box),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = box_traverse,
    .tp_dealloc = box_dealloc,
};
/* clang-format on */

int
main(void)
{
    Py_Initialize();
    PyType_Ready(&Box_Type);
    Box *box = (Box *)PyType_GenericAlloc(&Box_Type, 0);
    box->held = PyList_New(0);
    PyGC_Collect();
    Py_DECREF(box);
    puts("done");
    return Py_FinalizeEx();
}
