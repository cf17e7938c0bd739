/* SPDX-License-Identifier: MIT */
/* The extension module _ouro_heap: a snapshot of the running CPython. */
#include "source.h"

#include "inspect/tracked.h"

#include <errno.h>

/* --- the source -------------------------------------------------------------------------------- */

struct listing {
    const struct ouro_graph *graph;
    uint32_t tracked; /* nodes from this number on were found by visits */
};

static bool
list_objects(struct ouro_graph *graph, void *context)
{
    struct listing *listing = context;
    bool is_listed = tracked_list(graph, NULL);
    *listing = (struct listing){graph, graph->count};
    return is_listed;
}

/* The fields of an untracked object may not be valid yet, except for types whose objects are
 * untracked on purpose. */
static bool
has_valid_fields(PyObject *object, void *context)
{
    const struct listing *listing = context;
    return PyTuple_CheckExact(object) || PyDict_CheckExact(object) ||
           PyList_CheckExact(object) ||
           ouro_graph_find(listing->graph, object) < listing->tracked;
}

/* "module.Class" for classes; tp_name has no module there. */
static const char *
full_name(PyObject *object, void *context)
{
    static char text[300];
    PyTypeObject *type = Py_TYPE(object);
    (void)context;
    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) {
        return type->tp_name;
    }
    PyObject *module =
        type->tp_dict != NULL ? PyDict_GetItemString(type->tp_dict, "__module__") : NULL;
    PyObject *name = ((PyHeapTypeObject *)type)->ht_qualname;
    const char *first =
        module != NULL && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
    const char *second = name != NULL ? PyUnicode_AsUTF8(name) : NULL;
    PyErr_Clear();
    snprintf(text, sizeof text, "%.100s%s%.150s", first != NULL ? first : "",
             first != NULL ? "." : "", second != NULL ? second : type->tp_name);
    return text;
}

/* --- the module ---------------------------------------------------------------------------------- */

static int
save_graph(const struct ouro_graph *graph, const char *path)
{
    int error;
    Py_BEGIN_ALLOW_THREADS
    error = ouro_graph_save(graph, path);
    Py_END_ALLOW_THREADS
    return error;
}

static const char snapshot_doc[] =
    "snapshot(path, values)\n--\n\n"
    "Write a snapshot of all objects. The collector must be disabled.";

static PyObject *
write_snapshot(PyObject *module, PyObject *args)
{
    PyObject *path;
    int values;
    struct listing listing;
    struct ouro_graph graph;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&p", PyUnicode_FSConverter, &path, &values)) {
        return NULL;
    }
    const struct ouro_graph_source source = {
        .context = &listing,
        .objects = list_objects,
        .roots = roots_add,
        .is_traversed = has_valid_fields,
        .type_name = full_name,
        .names = attributes_name,
        .modules = PyImport_GetModuleDict(),
        .with_values = values != 0,
    };
    bool is_taken = ouro_graph_take(&graph, &source);
    ouro_graph_seal(&graph);
    int error = is_taken ? save_graph(&graph, PyBytes_AS_STRING(path)) : 0;
    ouro_graph_free(&graph);
    if (error != 0) {
        errno = error;
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, PyBytes_AS_STRING(path));
    } else if (!is_taken && !PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    Py_DECREF(path);
    if (error != 0 || !is_taken) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"snapshot", write_snapshot, METH_VARARGS, snapshot_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_ouro_heap",
    .m_doc = "Snapshots of the heap; use ouro_heap.",
    .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__ouro_heap(void)
{
    return PyModuleDef_Init(&definition);
}
