/* SPDX-License-Identifier: MIT */
/* ModuleSpec: what a module is made for, and where it came from. */
#include <ouroboros.h>

struct module_spec {
    PyObject_HEAD
    PyObject *name;
    PyObject *loader;
    PyObject *origin;
    PyObject *submodule_search_locations;
    char has_location;
};

static int
module_spec_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct module_spec *spec = (struct module_spec *)self;
    Py_VISIT(spec->name);
    Py_VISIT(spec->loader);
    Py_VISIT(spec->origin);
    Py_VISIT(spec->submodule_search_locations);
    return 0;
}

static int
module_spec_clear(PyObject *self)
{
    struct module_spec *spec = (struct module_spec *)self;
    Py_CLEAR(spec->name);
    Py_CLEAR(spec->loader);
    Py_CLEAR(spec->origin);
    Py_CLEAR(spec->submodule_search_locations);
    return 0;
}

static void
module_spec_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    module_spec_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *
module_spec_repr(PyObject *self)
{
    struct module_spec *spec = (struct module_spec *)self;
    return PyUnicode_FromFormat("ModuleSpec(name=%R, loader=%R, origin=%R)", spec->name,
                                spec->loader, spec->origin);
}

#define SPEC_FIELD(name) _Py_T_OBJECT, offsetof(struct module_spec, name)

static PyMemberDef module_spec_members[] = {
    {"name", SPEC_FIELD(name), 0, NULL},
    {"loader", SPEC_FIELD(loader), 0, NULL},
    {"origin", SPEC_FIELD(origin), 0, NULL},
    {"submodule_search_locations", SPEC_FIELD(submodule_search_locations), 0, NULL},
    {"has_location", Py_T_BOOL, offsetof(struct module_spec, has_location), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject module_spec_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "importlib.machinery.ModuleSpec",
    .tp_basicsize = sizeof(struct module_spec),
    .tp_dealloc = module_spec_dealloc,
    .tp_repr = module_spec_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = module_spec_traverse,
    .tp_clear = module_spec_clear,
    .tp_members = module_spec_members,
    .tp_alloc = PyType_GenericAlloc,
    .tp_free = PyObject_GC_Del,
};

PyObject *
Ouro_ModuleSpecNew(PyObject *name, PyObject *origin, int has_location)
{
    if (PyType_Ready(&module_spec_type) < 0) {
        return NULL;
    }
    PyObject *self = PyType_GenericAlloc(&module_spec_type, 0);
    if (self != NULL) {
        struct module_spec *spec = (struct module_spec *)self;
        spec->name = Py_NewRef(name);
        spec->loader = Py_NewRef(Py_None);
        spec->origin = Py_NewRef(origin == NULL ? Py_None : origin);
        spec->submodule_search_locations = Py_NewRef(Py_None);
        spec->has_location = has_location != 0;
    }
    return self;
}
