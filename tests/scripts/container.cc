/* SPDX-License-Identifier: MIT */
/* A container type in C++17. Its cycles are collected, in whichever way the type is made. */
#include <Python.h>

namespace {

struct Node {
    PyObject_HEAD
    PyObject *next;
};

Node *
as_node(PyObject *self)
{
    return reinterpret_cast<Node *>(self);
}

int
traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_node(self)->next);
    return 0;
}

int
clear(PyObject *self)
{
    Py_CLEAR(as_node(self)->next);
    return 0;
}

void
dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyType_Slot old_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
    {0, nullptr},
};

PyType_Spec spec = {"example.Node", sizeof(Node), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, old_slots};

/* Without designated initialisers, which C++ has since C++20. */
PySlot new_slots[] = {
    PySlot_PTR(Py_tp_name, "example.Node"),
    PySlot_PTR(Py_tp_basicsize, sizeof(Node)),
    PySlot_PTR(Py_tp_flags, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC),
    PySlot_PTR(Py_tp_traverse, traverse),
    PySlot_PTR(Py_tp_clear, clear),
    PySlot_PTR(Py_tp_dealloc, dealloc),
    PySlot_END,
};

bool
collects_a_cycle(PyObject *type)
{
    if (type == nullptr) {
        PyErr_Print();
        return false;
    }
    Node *node = PyObject_GC_New(Node, reinterpret_cast<PyTypeObject *>(type));
    if (node == nullptr) {
        return false;
    }
    node->next = Py_NewRef(node);
    PyObject_GC_Track(node);
    Py_DECREF(node);
    bool is_collected = PyGC_Collect() == 1;
    Py_DECREF(type);
    PyGC_Collect(); /* the type, which is in a cycle with its MRO */
    return is_collected;
}

}  // namespace

int
main()
{
    Py_Initialize();
    bool is_well = collects_a_cycle(PyType_FromSpec(&spec)) &&
                   collects_a_cycle(PyType_FromSlots(new_slots));
    return Py_FinalizeEx() == 0 && is_well ? 0 : 1;
}
