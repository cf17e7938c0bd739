/* SPDX-License-Identifier: MIT */
/* The module type: a namespace whose C code may keep state in it.
 *
 * Attributes are those of the dict. For a missing name the function __getattr__ in the dict is
 * called. Read next: module_create.c. */
#include "module_object.h"

#include <ouro_check.h>

/* --- life --------------------------------------------------------------------------------- */

static PyObject *
module_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    PyObject *self = type->tp_alloc(type, 0);
    if (self != NULL) {
        ouro_module_cast(self)->dict = PyDict_New();
        if (ouro_module_cast(self)->dict == NULL) {
            Py_CLEAR(self);
        }
    }
    return self;
}

static int
module_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct module *module = ouro_module_cast(self);
    if (module->plan.traverse != NULL && ouro_module_has_state(module)) {
        int result = module->plan.traverse(self, visit, arg);
        if (result != 0) {
            return result;
        }
    }
    Py_VISIT(module->dict);
    return 0;
}

static int
module_clear(PyObject *self)
{
    struct module *module = ouro_module_cast(self);
    if (module->plan.clear != NULL && ouro_module_has_state(module) &&
        module->plan.clear(self) != 0 && PyErr_Occurred() != NULL) {
        PyErr_FormatUnraisable("Exception ignored in m_clear of module%s%V",
                               module->name != NULL ? " " : "", module->name, "");
    }
    Py_CLEAR(module->dict);
    return 0;
}

static void
module_dealloc(PyObject *self)
{
    struct module *module = ouro_module_cast(self);
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (module->weakrefs != NULL) {
        PyObject_ClearWeakRefs(self);
    }
    if (module->plan.free != NULL && ouro_module_has_state(module)) {
        module->plan.free(self);
    }
    Py_XDECREF(module->dict);
    Py_XDECREF(module->name);
    PyMem_Free(module->state);
    type->tp_free(self);
}

/* --- making an empty one ---------------------------------------------------------------------- */

static bool
set_in_dict(PyObject *dict, const char *name, PyObject *value)
{
    PyObject *key = PyUnicode_InternFromString(name);
    bool done = key != NULL && PyDict_SetItem(dict, key, value) == 0;
    Py_XDECREF(key);
    return done;
}

static bool
start_module_dict(struct module *module, PyObject *name, PyObject *doc)
{
    PyObject *dict = Py_NewRef(module->dict);
    bool done = set_in_dict(dict, "__name__", name) &&
                set_in_dict(dict, "__doc__", doc) &&
                set_in_dict(dict, "__package__", Py_None) &&
                set_in_dict(dict, "__loader__", Py_None) &&
                set_in_dict(dict, "__spec__", Py_None);
    Py_DECREF(dict);
    if (done && PyUnicode_CheckExact(name)) {
        Py_XSETREF(module->name, Py_NewRef(name));
    }
    return done;
}

PyObject *
PyModule_NewObject(PyObject *name)
{
    PyObject *self = module_new(&PyModule_Type, NULL, NULL);
    if (self != NULL && !start_module_dict(ouro_module_cast(self), name, Py_None)) {
        Py_CLEAR(self);
    }
    return self;
}

PyObject *
PyModule_New(const char *name)
{
    PyObject *text = PyUnicode_FromString(name);
    PyObject *module = text == NULL ? NULL : PyModule_NewObject(text);
    Py_XDECREF(text);
    return module;
}

static int
module_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"name", "doc", NULL};
    PyObject *name, *doc = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|O:module", keywords, &name, &doc)) {
        return -1;
    }
    struct module *module = ouro_module_cast(self);
    if (module->dict == NULL) {
        module->dict = PyDict_New();
        if (module->dict == NULL) {
            return -1;
        }
    }
    return start_module_dict(module, name, doc) ? 0 : -1;
}

/* --- attributes ------------------------------------------------------------------------------- */

/* The dict's item, a new reference; NULL with or without an exception. */
static PyObject *
find_in_module(PyObject *self, const char *name)
{
    PyObject *value = NULL;
    PyObject *dict = Py_XNewRef(ouro_module_cast(self)->dict);
    if (dict != NULL) {
        (void)PyDict_GetItemStringRef(dict, name, &value);
        Py_DECREF(dict);
    }
    return value;
}

static void
raise_no_module_attribute(PyObject *self, PyObject *name)
{
    PyObject *own_name = find_in_module(self, "__name__");
    if (own_name != NULL && PyUnicode_Check(own_name)) {
        PyErr_Format(PyExc_AttributeError, "module '%U' has no attribute '%U'", own_name,
                     name);
    } else if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_AttributeError, "module has no attribute '%U'", name);
    }
    Py_XDECREF(own_name);
}

static PyObject *
module_getattro(PyObject *self, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(self, name);
    if (value != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return value;
    }
    PyErr_Clear();
    PyObject *getattr = find_in_module(self, "__getattr__");
    if (getattr != NULL) {
        value = PyObject_CallOneArg(getattr, name);
        Py_DECREF(getattr);
    } else if (!PyErr_Occurred()) {
        raise_no_module_attribute(self, name);
    }
    return value;
}

/* An attribute of `spec`, a new reference; NULL with an exception, or without when it is
 * missing, None or false. */
static PyObject *
spec_attribute(PyObject *spec, const char *name)
{
    PyObject *value;
    if (_PyObject_FindAttrString(spec, name, &value) <= 0) {
        return NULL;
    }
    int is_true = PyObject_IsTrue(value);
    if (is_true <= 0) {
        Py_CLEAR(value);
    }
    return value;
}

/* The text behind the name: " from '/lib/x.so'", " (built-in)", or nothing; a new
 * reference, or NULL with an exception. */
static PyObject *
module_origin(PyObject *self)
{
    PyObject *spec = find_in_module(self, "__spec__");
    PyObject *origin = NULL, *text = NULL;
    bool is_file = true;
    if (spec != NULL && spec != Py_None) {
        origin = spec_attribute(spec, "origin");
        PyObject *location = origin == NULL ? NULL : spec_attribute(spec, "has_location");
        is_file = location != NULL;
        Py_XDECREF(location);
    } else if (!PyErr_Occurred()) {
        origin = find_in_module(self, "__file__");
    }
    if (!PyErr_Occurred()) {
        text = origin == NULL ? PyUnicode_FromString("")
               : is_file      ? PyUnicode_FromFormat(" from %R", origin)
                              : PyUnicode_FromFormat(" (%S)", origin);
    }
    Py_XDECREF(origin);
    Py_XDECREF(spec);
    return text;
}

static PyObject *
module_repr(PyObject *self)
{
    PyObject *name = find_in_module(self, "__name__");
    if (name == NULL) {
        name = PyErr_Occurred() ? NULL : PyUnicode_FromString("?");
    }
    PyObject *origin = name == NULL ? NULL : module_origin(self);
    PyObject *text =
        origin == NULL ? NULL : PyUnicode_FromFormat("<module %R%U>", name, origin);
    Py_XDECREF(origin);
    Py_XDECREF(name);
    return text;
}

static PyObject *
module_dir(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *own = find_in_module(self, "__dir__");
    if (own != NULL || PyErr_Occurred()) {
        PyObject *names = own == NULL ? NULL : PyObject_CallNoArgs(own);
        Py_XDECREF(own);
        return names;
    }
    PyObject *dict = ouro_module_cast(self)->dict;
    return dict == NULL ? PyList_New(0) : PyDict_Keys(dict);
}

static PyMethodDef module_methods[] = {
    {"__dir__", module_dir, METH_NOARGS,
     PyDoc_STR("__dir__() -> list\nspecialized dir() implementation")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef module_members[] = {
    {"__dict__", _Py_T_OBJECT, offsetof(struct module, dict), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(module_doc, "Create a module object.\n\n"
                         "The name must be a string; the optional doc argument can have "
                         "any type.");

PyTypeObject PyModule_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "module",
    .tp_basicsize = sizeof(struct module),
    .tp_dealloc = module_dealloc,
    .tp_repr = module_repr,
    .tp_getattro = module_getattro,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_doc = module_doc,
    .tp_traverse = module_traverse,
    .tp_clear = module_clear,
    .tp_weaklistoffset = offsetof(struct module, weakrefs),
    .tp_methods = module_methods,
    .tp_members = module_members,
    .tp_dictoffset = offsetof(struct module, dict),
    .tp_init = module_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = module_new,
    .tp_free = PyObject_GC_Del,
};

/* --- looking inside ------------------------------------------------------------------------------ */

PyObject *
PyModule_GetDict(PyObject *module)
{
    if (!PyModule_Check(module)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return ouro_module_cast(module)->dict;
}

/* A str of the module's dict, a new reference; or NULL with an exception. */
static PyObject *
module_text(PyObject *module, const char *name, const char *complaint)
{
    if (!PyModule_Check(module)) {
        PyErr_BadArgument();
        return NULL;
    }
    PyObject *value = find_in_module(module, name);
    if (value != NULL && !PyUnicode_Check(value)) {
        Py_CLEAR(value);
    }
    if (value == NULL && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_SystemError, complaint);
    }
    return value;
}

/* The module's dict keeps the text alive. */
static const char *
borrowed_utf8(PyObject *text)
{
    if (text == NULL) {
        return NULL;
    }
    Py_DECREF(text);
    return PyUnicode_AsUTF8(text);
}

PyObject *
PyModule_GetNameObject(PyObject *module)
{
    return module_text(module, "__name__", "nameless module");
}

const char *
PyModule_GetName(PyObject *module)
{
    return borrowed_utf8(PyModule_GetNameObject(module));
}

PyObject *
PyModule_GetFilenameObject(PyObject *module)
{
    return module_text(module, "__file__", "module filename missing");
}

const char *
PyModule_GetFilename(PyObject *module)
{
    return borrowed_utf8(PyModule_GetFilenameObject(module));
}

PyModuleDef *
PyModule_GetDef(PyObject *module)
{
    if (!PyModule_Check(module)) {
        PyErr_BadArgument();
        return NULL;
    }
    return ouro_module_cast(module)->def;
}

void *
PyModule_GetState(PyObject *module)
{
    if (!PyModule_Check(module)) {
        PyErr_BadArgument();
        return NULL;
    }
    return ouro_module_cast(module)->state;
}

void *
PyModule_GetState_DuringGC(PyObject *module)
{
    _PyCheck_DuringGC("PyModule_GetState_DuringGC");
    return PyModule_Check(module) ? ouro_module_cast(module)->state : NULL;
}

static int
raise_no_module(PyObject *op)
{
    PyErr_Format(PyExc_TypeError, "expected module, got %s", Py_TYPE(op)->tp_name);
    return -1;
}

int
PyModule_GetStateSize(PyObject *module, Py_ssize_t *result)
{
    *result = -1;
    if (!PyModule_Check(module)) {
        return raise_no_module(module);
    }
    *result = ouro_module_cast(module)->plan.size;
    return 0;
}

static int
get_token(PyObject *module, void **result)
{
    bool is_module = PyModule_Check(module);
    *result = is_module ? ouro_module_cast(module)->token : NULL;
    return is_module ? 0 : -1;
}

int
PyModule_GetToken_DuringGC(PyObject *module, void **result)
{
    _PyCheck_DuringGC("PyModule_GetToken_DuringGC");
    return get_token(module, result);
}

int
PyModule_GetToken(PyObject *module, void **result)
{
    int status = get_token(module, result);
    return status < 0 ? raise_no_module(module) : 0;
}
