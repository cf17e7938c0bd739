/* SPDX-License-Identifier: MIT */
/* The container type of the README. */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *next; /* owned, or NULL */
} Link;

static int
link_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Link *)self)->next);
    return 0;
}

static int
link_clear(PyObject *self)
{
    Py_CLEAR(((Link *)self)->next);
    return 0;
}

static void
link_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    link_clear(self);
    Py_TYPE(self)->tp_free(self);
}

/* clang-format off */
static PyTypeObject Link_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "example.Link",
    .tp_basicsize = sizeof(Link),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = link_traverse,
    .tp_clear = link_clear,
    .tp_dealloc = link_dealloc,
};
/* clang-format on */

int
main(void)
{
    Py_Initialize();
    if (PyType_Ready(&Link_Type) < 0) {
        PyErr_Print();
        return 1;
    }
    Link *link = (Link *)PyType_GenericAlloc(&Link_Type, 0); /* zeroed and tracked */
    link->next = Py_NewRef(link);                            /* a cycle */
    Py_DECREF(link);                           /* nobody else refers to it */
    printf("%zd collected\n", PyGC_Collect()); /* 1 collected */
    return Py_FinalizeEx();
}
