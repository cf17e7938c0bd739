/* SPDX-License-Identifier: MIT */
/* What the import statement means: relative names, and what it yields. */
#include "import.h"

/* --- relative names ------------------------------------------------------------------------ */

/* The package that a relative name starts from: __package__, or what __name__ and __path__
 * tell. A new reference to a str; or NULL with an exception. */
static PyObject *
package_of(PyObject *globals)
{
    PyObject *package, *path;
    if (globals == NULL || !PyDict_Check(globals)) {
        return PyErr_Format(globals == NULL ? PyExc_KeyError : PyExc_TypeError,
                            globals == NULL ? "'__name__' not in globals"
                                            : "globals must be a dict");
    }
    if (PyDict_GetItemStringRef(globals, "__package__", &package) < 0) {
        return NULL;
    }
    if (package != NULL && package != Py_None) {
        if (!PyUnicode_Check(package)) {
            PyErr_SetString(PyExc_TypeError, "package must be a string");
            Py_CLEAR(package);
        }
        return package;
    }
    Py_XDECREF(package);
    if (PyDict_GetItemStringRef(globals, "__name__", &package) <= 0) {
        return PyErr_Occurred()
                   ? NULL
                   : PyErr_Format(PyExc_KeyError, "'__name__' not in globals");
    }
    if (!PyUnicode_Check(package)) {
        PyErr_SetString(PyExc_TypeError, "__name__ must be a string");
        Py_CLEAR(package);
        return NULL;
    }
    if (PyDict_GetItemStringRef(globals, "__path__", &path) == 0) {
        const char *text = PyUnicode_AsUTF8(package);
        const char *dot = text == NULL ? NULL : strrchr(text, '.');
        Py_SETREF(package, text == NULL ? NULL
                                        : PyUnicode_FromStringAndSize(
                                              text, dot == NULL ? 0 : dot - text));
    }
    Py_XDECREF(path);
    return package;
}

/* `package` without its last level - 1 parts, then `name`. */
static PyObject *
join_relative(PyObject *package, PyObject *name, int level)
{
    const char *text = PyUnicode_AsUTF8(package);
    if (text == NULL) {
        return NULL;
    }
    size_t length = strlen(text);
    if (length == 0) {
        return PyErr_Format(PyExc_ImportError,
                            "attempted relative import with no known parent package");
    }
    for (; level > 1; level--) {
        while (length > 0 && text[length - 1] != '.') {
            length--;
        }
        if (length == 0) {
            return PyErr_Format(PyExc_ImportError,
                                "attempted relative import beyond top-level package");
        }
        length--;
    }
    PyObject *base = PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
    if (base != NULL && PyUnicode_GET_LENGTH(name) > 0) {
        Py_SETREF(base, PyUnicode_FromFormat("%U.%U", base, name));
    }
    return base;
}

static PyObject *
absolute_name(PyObject *name, PyObject *globals, int level)
{
    if (level == 0) {
        return Py_NewRef(name);
    }
    PyObject *package = package_of(globals);
    PyObject *absolute = package == NULL ? NULL : join_relative(package, name, level);
    Py_XDECREF(package);
    return absolute;
}

/* --- the result ------------------------------------------------------------------------------- */

/* Without a fromlist: the module that the first part of the name stands for. */
static PyObject *
first_part(PyObject *absolute, PyObject *name, int level)
{
    const char *text = PyUnicode_AsUTF8(absolute);
    const char *relative = text == NULL ? NULL : PyUnicode_AsUTF8(name);
    if (relative == NULL) {
        return NULL;
    }
    const char *dot = strchr(relative, '.');
    size_t cut = dot == NULL ? 0 : strlen(dot);
    size_t length =
        level == 0 && dot != NULL ? (size_t)(dot - relative) : strlen(text) - cut;
    PyObject *part = PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
    PyObject *module = part == NULL ? NULL : ouro_import_name(part);
    Py_XDECREF(part);
    return module;
}

/* Import package.item unless the package has that attribute; it may be no module at all. */
static bool
import_item(PyObject *package, PyObject *name, PyObject *item)
{
    if (!PyUnicode_Check(item)) {
        PyErr_Format(PyExc_TypeError, "Item in ``from list'' must be str, not %s",
                     Py_TYPE(item)->tp_name);
        return false;
    }
    PyObject *found;
    int has = PyObject_GetOptionalAttr(package, item, &found);
    Py_XDECREF(found);
    if (has != 0 || PyUnicode_CompareWithASCIIString(item, "*") == 0) {
        return has >= 0;
    }
    PyObject *full = PyUnicode_FromFormat("%U.%U", name, item);
    PyObject *module = full == NULL ? NULL : ouro_import_name(full);
    Py_XDECREF(full);
    Py_XDECREF(module);
    if (module == NULL && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) {
        PyErr_Clear();
        return true;
    }
    return module != NULL;
}

static bool
import_items(PyObject *module, PyObject *name, PyObject *fromlist)
{
    PyObject *path;
    int is_package = PyObject_GetOptionalAttrString(module, "__path__", &path);
    Py_XDECREF(path);
    if (is_package <= 0) {
        return is_package == 0;
    }
    PyObject *items = PySequence_Tuple(fromlist);
    bool done = items != NULL;
    for (Py_ssize_t i = 0; done && i < PyTuple_GET_SIZE(items); i++) {
        done = import_item(module, name, PyTuple_GET_ITEM(items, i));
    }
    Py_XDECREF(items);
    return done;
}

/* --- entry points --------------------------------------------------------------------------------- */

PyObject *
PyImport_ImportModuleLevelObject(PyObject *name, PyObject *globals,
                                 PyObject *Py_UNUSED(locals), PyObject *fromlist,
                                 int level)
{
    if (name == NULL || !PyUnicode_Check(name)) {
        return PyErr_Format(name == NULL ? PyExc_ValueError : PyExc_TypeError,
                            name == NULL ? "Empty module name"
                                         : "module name must be a string");
    }
    if (level < 0) {
        return PyErr_Format(PyExc_ValueError, "level must be >= 0");
    }
    int has_items =
        fromlist == NULL || fromlist == Py_None ? 0 : PyObject_IsTrue(fromlist);
    PyObject *absolute = has_items < 0 ? NULL : absolute_name(name, globals, level);
    PyObject *module = absolute == NULL ? NULL : PyImport_Import(absolute);
    if (module != NULL && has_items && !import_items(module, absolute, fromlist)) {
        Py_CLEAR(module);
    } else if (module != NULL && !has_items &&
               (level == 0 || PyUnicode_GET_LENGTH(name))) {
        Py_SETREF(module, first_part(absolute, name, level));
    }
    Py_XDECREF(absolute);
    return module;
}

PyObject *
PyImport_ImportModuleLevel(const char *name, PyObject *globals, PyObject *locals,
                           PyObject *fromlist, int level)
{
    PyObject *text = PyUnicode_FromString(name);
    PyObject *module =
        text == NULL
            ? NULL
            : PyImport_ImportModuleLevelObject(text, globals, locals, fromlist, level);
    Py_XDECREF(text);
    return module;
}
