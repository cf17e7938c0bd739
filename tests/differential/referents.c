/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyType_Slot node_slots[] = {{Py_tp_dealloc, node_dealloc},
                                   {Py_tp_traverse, node_traverse},
                                   {Py_tp_clear, node_clear},
                                   {0, NULL}};
static PyType_Spec node_spec = {"sample.HeapNode", sizeof(struct node), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, node_slots};

PROGRAM("gc.get_referents gives what the handler visits, in order and with duplicates")
{
    PyObject *x = N("x"), *y = N("y");
    set_a(x, y);
    set_b(x, y);
    PyObject *list = get_referents(x);
    trace("twice y: %zd %d %d", PyList_Size(list), PyList_GetItem(list, 0) == y,
          PyList_GetItem(list, 1) == y);
    Py_DECREF(list);
    set_a(x, Py_None);
    list = get_referents(x);
    trace("None, y: %zd %d %d", PyList_Size(list), PyList_GetItem(list, 0) == Py_None,
          PyList_GetItem(list, 1) == y);
    Py_DECREF(list);
    PyObject_GC_UnTrack(x);
    trace("untracked too: %zd", count_of(get_referents(x)));
    trace("of an int: %zd", count_of(get_referents(Py_True)));

    PyObject *type = must(PyType_FromSpec(&node_spec));
    PyObject *h = new_node((PyTypeObject *)type, "h");
    set_a(h, x);
    list = get_referents(h);
    trace("of a heap type: %zd, the type %d, x %d", PyList_Size(list),
          PyList_GetItem(list, 0) == type, PyList_GetItem(list, 1) == x);
    Py_DECREF(list);

    PyObject *tuple = must(PyTuple_Pack(3, x, y, x));
    list = get_referents(tuple);
    trace("of a tuple: %zd", PyList_Size(list));
    Py_DECREF(list);
    PyObject *dict = must(PyDict_New());
    must_be_zero(PyDict_SetItem(dict, tuple, x));
    list = get_referents(dict);
    trace("of a dict: %zd, key %d, value %d", PyList_Size(list),
          is_listed(Py_NewRef(list), tuple), is_listed(Py_NewRef(list), x));
    Py_DECREF(list);
    PyObject *weak = new_weakref(x, NULL);
    trace("of a weak reference: %zd", count_of(get_referents(weak)));
    PyObject *with = new_weakref(x, "x");
    trace("of one with a callback: %zd", count_of(get_referents(with)));
    Py_DECREF(with);
    Py_DECREF(weak);
    Py_DECREF(dict);
    Py_DECREF(tuple);
    Py_DECREF(h);
    Py_DECREF(type);
    Py_DECREF(x);
    Py_DECREF(y);
    trace_notes("events");
}
