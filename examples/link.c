/* SPDX-License-Identifier: MIT */
/* The container type of the README. */
#include <Python.h>
#include <ouro_fields.h>

typedef struct {
    PyObject_HEAD
    PyObject *next; /* owned, or NULL */
} Link;
OURO_FIELDS(Link, next);

/* clang-format off */
static PyTypeObject Link_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "example.Link",
    .tp_basicsize = sizeof(Link),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Link),
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
    Py_DECREF(link);                           /* nothing else refers to it */
    printf("%zd collected\n", PyGC_Collect()); /* 1 collected */
    return Py_FinalizeEx();
}
