/* SPDX-License-Identifier: MIT */
/* All tracked objects of a CPython, whatever its version, as the objects of a graph. */
#ifndef OURO_INSPECT_TRACKED_H
#define OURO_INSPECT_TRACKED_H

#include "graph.h"

#if PY_VERSION_HEX >= 0x030C0000
static int
tracked_add(PyObject *object, void *graph)
{
    ouro_graph_add(graph, object);
    return 1;
}

static bool
tracked_list(struct ouro_graph *graph, void *context)
{
    (void)context;
    PyUnstable_GC_VisitObjects(tracked_add, graph);
    return true;
}
#else
/* gc.get_objects() makes a list of them, which is gone before references are counted. */
static bool
tracked_list(struct ouro_graph *graph, void *context)
{
    (void)context;
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *list = gc == NULL ? NULL : PyObject_CallMethod(gc, "get_objects", NULL);
    Py_XDECREF(gc);
    for (Py_ssize_t i = 0; list != NULL && i < PyList_GET_SIZE(list); i++) {
        ouro_graph_add(graph, PyList_GET_ITEM(list, i));
    }
    Py_XDECREF(list);
    return list != NULL;
}
#endif

#endif
