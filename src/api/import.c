/* SPDX-License-Identifier: MIT */
/* sys.modules, and importing by name.
 *
 * sys.modules, sys and builtins are made together, when the first of them is asked for. */
#include "import.h"

#include <limits.h>

#include "../base/events.h"
#include "../platform/platform.h"
#include "../thread/thread.h"

/* --- the lock ------------------------------------------------------------------------------ */

/* Only an attached thread reads or writes the owner, so it needs no lock of its own. The thread
 * that ends the interpreter does not wait: the owner never attaches again. */
void
ouro_import_lock(struct _is *interp)
{
    struct _ts *thread = ouro_current.thread;
    while (interp->import_owner != NULL && interp->import_owner != thread &&
           interp->finalizing != thread) {
        ouro_thread_detach();
        ouro_platform_pause();
        ouro_thread_attach(thread);
    }
    interp->import_depth = interp->import_owner == thread ? interp->import_depth + 1 : 1;
    interp->import_owner = thread;
}

void
ouro_import_unlock(struct _is *interp)
{
    if (--interp->import_depth == 0) {
        interp->import_owner = NULL;
    }
}

/* --- sys.modules ----------------------------------------------------------------------------- */

/* Import `name` and keep its dict in *dict. */
static bool
start_module(const char *name, PyObject **dict)
{
    PyObject *module = PyImport_ImportModule(name);
    if (module != NULL) {
        Py_XSETREF(*dict, Py_XNewRef(PyModule_GetDict(module)));
        Py_DECREF(module);
    }
    return module != NULL && *dict != NULL;
}

static bool
start_modules(struct _is *interp)
{
    interp->module_end = &ouro_module_end;
    interp->modules = PyDict_New();
    if (interp->modules == NULL) {
        return false;
    }
    if (!start_module("sys", &interp->sys_dict) ||
        !start_module("builtins", &interp->builtins)) {
        Py_CLEAR(interp->sys_dict);
        Py_CLEAR(interp->builtins);
        Py_CLEAR(interp->modules);
        return false;
    }
    return true;
}

PyObject *
PyImport_GetModuleDict(void)
{
    struct _is *interp = ouro_thread_required("PyImport_GetModuleDict")->interp;
    if (interp->modules == NULL) {
        if (interp->finalizing != NULL) {
            return PyErr_Format(PyExc_ImportError,
                                "sys.modules is gone: the interpreter ends");
        }
        if (!start_modules(interp)) {
            return NULL;
        }
    }
    return interp->modules;
}

PyObject *
PyImport_GetModule(PyObject *name)
{
    PyObject *module = NULL;
    PyObject *modules = Py_XNewRef(PyImport_GetModuleDict());
    if (modules != NULL) {
        (void)PyDict_GetItemRef(modules, name, &module);
        Py_DECREF(modules);
    }
    return module;
}

/* The module of that name, a new reference, which is added when there is none. */
static PyObject *
get_or_add_module(PyObject *name)
{
    PyObject *module = PyImport_GetModule(name);
    if ((module != NULL && PyModule_Check(module)) || PyErr_Occurred()) {
        return module;
    }
    Py_XSETREF(module, PyModule_NewObject(name));
    if (module != NULL &&
        PyDict_SetItem(ouro_current.interp->modules, name, module) < 0) {
        Py_CLEAR(module);
    }
    return module;
}

PyObject *
PyImport_AddModuleObject(PyObject *name)
{
    PyObject *module = get_or_add_module(name);
    Py_XDECREF(module); /* sys.modules has it */
    return module;
}

PyObject *
PyImport_AddModuleRef(const char *name)
{
    PyObject *text = PyUnicode_FromString(name);
    PyObject *module = text == NULL ? NULL : get_or_add_module(text);
    Py_XDECREF(text);
    return module;
}

PyObject *
PyImport_AddModule(const char *name)
{
    PyObject *module = PyImport_AddModuleRef(name);
    Py_XDECREF(module);
    return module;
}

/* --- finding ------------------------------------------------------------------------------------ */

PyObject *
ouro_import_not_found(PyObject *message, PyObject *name)
{
    if (message != NULL) {
        PyErr_SetImportErrorSubclass(PyExc_ModuleNotFoundError, message, name, NULL);
        Py_DECREF(message);
    }
    return NULL;
}

/* Look for the shared object in one folder, given as any object. 1 and its path, 0, or -1
 * with an exception. */
static int
find_in_folder(PyObject *folder, const char *name, char *path, size_t size)
{
    if (!PyUnicode_Check(folder)) {
        return 0;
    }
    const char *text = PyUnicode_AsUTF8(folder);
    return text == NULL ? -1 : ouro_platform_find_library(text, name, path, size);
}

/* The same for a list of folders; what is no list holds none. */
static int
find_in_folders(PyObject *folders, const char *name, char *path, size_t size)
{
    int found = 0;
    for (Py_ssize_t i = 0;
         found == 0 && PyList_Check(folders) && i < PyList_GET_SIZE(folders); i++) {
        found = find_in_folder(PyList_GET_ITEM(folders, i), name, path, size);
    }
    return found;
}

/* The folders to search: __path__ of the package, else sys.path. A new reference; or NULL
 * with an exception. */
static PyObject *
folders_for(PyObject *package, PyObject *name)
{
    PyObject *folders;
    if (package == NULL) {
        int found = PySys_GetOptionalAttrString("path", &folders);
        return found == 0 ? Py_NewRef(Py_None) : folders;
    }
    if (PyObject_GetOptionalAttrString(package, "__path__", &folders) == 0) {
        PyObject *package_name = PyModule_GetNameObject(package);
        if (package_name != NULL) {
            ouro_import_not_found(
                PyUnicode_FromFormat("No module named %R; %R is not a package", name,
                                     package_name),
                name);
            Py_DECREF(package_name);
        }
    }
    return folders;
}

/* `package` is NULL for a name without dots. */
static PyObject *
find_and_load(PyObject *package, PyObject *name, const char *tail)
{
    char file[PATH_MAX];
    _PyInitFunction init = _PyImport_FindInittab(PyUnicode_AsUTF8(name));
    if (init != NULL && package == NULL) {
        return ouro_import_from_init(name, init);
    }
    PyObject *folders = folders_for(package, name);
    if (folders == NULL) {
        return NULL;
    }
    int found = init != NULL ? 0 : find_in_folders(folders, tail, file, sizeof(file));
    Py_DECREF(folders);
    if (init != NULL) {
        return ouro_import_from_init(name, init);
    }
    if (found == 0) {
        ouro_import_not_found(PyUnicode_FromFormat("No module named %R", name), name);
    }
    return found <= 0 ? NULL : ouro_import_from_file(name, file);
}

/* --- importing ------------------------------------------------------------------------------------- */

static PyObject *import_with_lock(PyObject *name);

/* Import "package.tail": first the package, which then gets the module as attribute. */
static PyObject *
import_from_package(PyObject *name, const char *text, const char *dot)
{
    PyObject *package_name = PyUnicode_FromStringAndSize(text, dot - text);
    PyObject *package = package_name == NULL ? NULL : ouro_import_name(package_name);
    PyObject *module = NULL;
    if (package != NULL) {
        module = PyImport_GetModule(name); /* it may have imported its parts */
        if (module == NULL && !PyErr_Occurred()) {
            module = find_and_load(package, name, dot + 1);
            if (module != NULL && PyObject_SetAttrString(package, dot + 1, module) < 0) {
                Py_CLEAR(module);
            }
        }
    }
    Py_XDECREF(package);
    Py_XDECREF(package_name);
    return module;
}

static PyObject *
import_with_lock(PyObject *name)
{
    PyObject *module = PyImport_GetModule(name);
    if (module == NULL ? PyErr_Occurred() != NULL : module != Py_None) {
        return module;
    }
    if (module != NULL) {
        Py_DECREF(module);
        return ouro_import_not_found(
            PyUnicode_FromFormat("import of %U halted; None in sys.modules", name), name);
    }
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL || Py_EnterRecursiveCall(" while importing a module")) {
        return NULL;
    }
    const char *dot = strrchr(text, '.');
    module = dot == NULL || dot == text ? find_and_load(NULL, name, text)
                                        : import_from_package(name, text, dot);
    Py_LeaveRecursiveCall();
    return module;
}

PyObject *
ouro_import_name(PyObject *name)
{
    struct _is *interp = ouro_thread_required("PyImport_Import")->interp;
    ouro_import_lock(interp);
    PyObject *module = import_with_lock(name);
    ouro_import_unlock(interp);
    return module;
}

PyObject *
PyImport_Import(PyObject *name)
{
    ouro_event_entry("PyImport_Import");
    if (!PyUnicode_Check(name)) {
        return PyErr_Format(PyExc_TypeError, "module name must be a string");
    }
    if (PyUnicode_GET_LENGTH(name) == 0) {
        return PyErr_Format(PyExc_ValueError, "Empty module name");
    }
    return ouro_import_name(name);
}

PyObject *
PyImport_ImportModule(const char *name)
{
    PyObject *text = PyUnicode_FromString(name);
    PyObject *module = text == NULL ? NULL : PyImport_Import(text);
    Py_XDECREF(text);
    return module;
}

PyObject *
PyImport_ReloadModule(PyObject *module)
{
    if (module == NULL || !PyModule_Check(module)) {
        return PyErr_Format(PyExc_TypeError, "reload() argument must be a module");
    }
    PyObject *name = PyModule_GetNameObject(module);
    PyObject *known = name == NULL ? NULL : PyImport_GetModule(name);
    if (name != NULL && known == NULL && !PyErr_Occurred()) {
        PyErr_Format(PyExc_ImportError, "module %U not in sys.modules", name);
    }
    Py_XDECREF(name);
    return known;
}

PyObject *
PyImport_ImportModuleNoBlock(const char *name)
{
    return PyImport_ImportModule(name);
}

PyObject *
PyImport_ImportModuleAttr(PyObject *name, PyObject *attribute)
{
    PyObject *module = PyImport_Import(name);
    PyObject *value = module == NULL ? NULL : PyObject_GetAttr(module, attribute);
    Py_XDECREF(module);
    return value;
}

PyObject *
PyImport_ImportModuleAttrString(const char *name, const char *attribute)
{
    PyObject *module = PyImport_ImportModule(name);
    PyObject *value = module == NULL ? NULL : PyObject_GetAttrString(module, attribute);
    Py_XDECREF(module);
    return value;
}

PyObject *
Ouro_ImportFile(const char *name, const char *file)
{
    struct _is *interp = ouro_thread_required("Ouro_ImportFile")->interp;
    PyObject *text = PyUnicode_FromString(name);
    if (text == NULL) {
        return NULL;
    }
    ouro_import_lock(interp);
    PyObject *module = PyImport_GetModule(text);
    if (module == NULL && !PyErr_Occurred()) {
        module = ouro_import_from_file(text, file);
    }
    ouro_import_unlock(interp);
    Py_DECREF(text);
    return module;
}
