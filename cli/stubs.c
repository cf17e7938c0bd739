/* SPDX-License-Identifier: MIT */
/* Stubs: modules that stand in for those which a module imports and which are not there.
 *
 * Each name that is asked for is made at once: a class that derives from Exception, so that it
 * can be raised, called with anything, and derived from. Its own names, and those of its
 * instances, are made the same way; as a number it is 0. */
#include "worker.h"

#include <string.h>

/* The names that a stub has; without a list, any. Modules ask for some names that begin with
 * two underscores, such as __path__. Of these a stub has only those that copyreg has. */
static bool
stub_has(PyObject *module, const char *name)
{
    PyObject *dict = PyModule_GetDict(module);
    PyObject *names = PyDict_GetItemString(dict, "__stub_names__"); /* borrowed */
    PyObject *text = PyUnicode_FromString(name);
    int found = names == NULL || text == NULL ? 1 : PySequence_Contains(names, text);
    Py_XDECREF(text);
    PyErr_Clear();
    return found == 1 &&
           (strncmp(name, "__", 2) != 0 || strncmp(name, "__newobj", 8) == 0);
}

/* Of the module types, what C code has as well; a method in it must be a method. NULL for all
 * others. Borrowed. */
static PyObject *
real_type(PyObject *module, const char *name)
{
    static const struct {
        const char *name;
        PyTypeObject *type;
    } types[] = {
        {"MethodType", &PyMethod_Type},
        {"BuiltinFunctionType", &PyCFunction_Type},
        {"FunctionType", &PyFunction_Type},
        {"ModuleType", &PyModule_Type},
        {"MappingProxyType", &PyDictProxy_Type},
    };
    if (!PyModule_Check(module) || strcmp(PyModule_GetName(module), "types") != 0) {
        return NULL;
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(types); i++) {
        if (strcmp(name, types[i].name) == 0) {
            return (PyObject *)types[i].type;
        }
    }
    return NULL;
}

static PyObject *new_stub_class(const char *name);

/* The program asked a stub for an attribute that it lacks: make it, and store it. An exception
 * is pending, and stays if the name is not for stubs. */
static PyObject *
make_attribute(PyObject *owner, PyObject *name)
{
    PyObject *error = PyErr_GetRaisedException();
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL ||
        !(PyModule_Check(owner) ? stub_has(owner, text) : strncmp(text, "__", 2) != 0)) {
        PyErr_SetRaisedException(error);
        return NULL;
    }
    Py_DECREF(error);
    PyObject *made = Py_XNewRef(real_type(owner, text));
    made = made == NULL ? new_stub_class(text) : made;
    if (made != NULL && PyObject_SetAttr(owner, name, made) < 0) {
        Py_CLEAR(made);
    }
    return made;
}

static PyObject *
stub_getattro(PyObject *self, PyObject *name)
{
    getattrofunc usual =
        PyType_Check(self) ? PyType_Type.tp_getattro : PyObject_GenericGetAttr;
    PyObject *found = usual(self, name);
    if (found != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return found;
    }
    return make_attribute(self, name);
}

static PyObject *
stub_as_number(PyObject *self)
{
    (void)self;
    return PyLong_FromLong(0);
}

/* Any arguments are accepted. */
static int
stub_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    return PyExceptionInstance_Check(self)
               ? ((PyTypeObject *)PyExc_Exception)->tp_init(self, args, NULL)
               : 0;
}

static PyObject *
new_stub_class(const char *name)
{
    static PyNumberMethods as_number = {.nb_index = stub_as_number};
    static PyTypeObject metatype = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ouro.stub_class",
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_getattro = stub_getattro,
        .tp_as_number = &as_number,
    };
    static PyTypeObject base = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ouro.stub_object",
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        .tp_getattro = stub_getattro,
        .tp_as_number = &as_number,
        .tp_init = stub_init,
    };
    metatype.tp_base = &PyType_Type;
    base.tp_base = (PyTypeObject *)PyExc_Exception;
    if (PyType_Ready(&metatype) < 0 || PyType_Ready(&base) < 0) {
        return NULL;
    }
    return PyObject_CallFunction((PyObject *)&metatype, "s(O){}", name,
                                 (PyObject *)&base);
}

static PyObject *
new_stub(const char *name)
{
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ouro.stub",
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_getattro = stub_getattro,
    };
    type.tp_base = &PyModule_Type;
    return PyType_Ready(&type) < 0 ? NULL
                                   : PyObject_CallFunction((PyObject *)&type, "s", name);
}

/* The module of this name, made when it is not there. Borrowed. */
static PyObject *
module_or_stub(const char *name)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *there = PyDict_GetItemString(modules, name);
    if (there == NULL) {
        PyObject *made = new_stub(name);
        if (made != NULL && PyDict_SetItemString(modules, name, made) == 0) {
            there = made;
        }
        Py_XDECREF(made);
    }
    return there;
}

/* "a.b.c": a, then a.b as attribute b of a, and so on. Borrowed. */
static PyObject *
stub_with_parents(char *name)
{
    PyObject *outer = NULL, *module = NULL;
    char *start = name;
    for (;;) {
        char *dot = strchr(start, '.');
        if (dot != NULL) {
            *dot = '\0';
        }
        module = module_or_stub(name);
        if (module == NULL ||
            (outer != NULL && PyObject_SetAttrString(outer, start, module) < 0)) {
            return NULL;
        }
        if (dot == NULL) {
            return module;
        }
        *dot = '.';
        start = dot + 1;
        outer = module;
    }
}

bool
put_module(const char *name, PyObject *module)
{
    char package[300];
    const char *dot = strrchr(name, '.');
    if (PyDict_SetItemString(PyImport_GetModuleDict(), name, module) < 0) {
        return false;
    }
    if (dot == NULL) {
        return true;
    }
    snprintf(package, sizeof(package), "%.*s", (int)(dot - name), name);
    PyObject *outer = stub_with_parents(package);
    return outer != NULL && PyObject_SetAttrString(outer, dot + 1, module) == 0;
}

bool
make_stub(const char *text)
{
    char name[300];
    snprintf(name, sizeof(name), "%s", text);
    char *names = strchr(name, ':');
    if (names != NULL) {
        *names++ = '\0';
    }
    PyObject *module = stub_with_parents(name);
    PyObject *list = names == NULL || module == NULL ? NULL : PyList_New(0);
    char *rest;
    for (char *part = list == NULL ? NULL : strtok_r(names, ",", &rest); part != NULL;
         part = strtok_r(NULL, ",", &rest)) {
        PyObject *item = PyUnicode_FromString(part);
        (void)(item == NULL ? -1 : PyList_Append(list, item));
        Py_XDECREF(item);
    }
    if (list != NULL) {
        (void)PyDict_SetItemString(PyModule_GetDict(module), "__stub_names__", list);
    }
    Py_XDECREF(list);
    return module != NULL && !PyErr_Occurred();
}
