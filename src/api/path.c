/* SPDX-License-Identifier: MIT */
/* Names of files as objects: str, bytes, and what has __fspath__(). They are UTF-8. */
#include <Python.h>

const char *Py_FileSystemDefaultEncoding = "utf-8";
const char *Py_FileSystemDefaultEncodeErrors = "surrogateescape";
int Py_HasFileSystemDefaultEncoding = 1;
int Py_UTF8Mode = 1;

PyObject *
PyOS_FSPath(PyObject *path)
{
    if (PyUnicode_Check(path) || PyBytes_Check(path)) {
        return Py_NewRef(path);
    }
    /* Looked up on the type, as special methods are. */
    PyObject *method;
    if (PyObject_GetOptionalAttrString((PyObject *)Py_TYPE(path), "__fspath__", &method) <
        0) {
        return NULL;
    }
    if (method == NULL) {
        return PyErr_Format(PyExc_TypeError,
                            "expected str, bytes or os.PathLike object, not %.200s",
                            Py_TYPE(path)->tp_name);
    }
    PyObject *name = PyObject_CallOneArg(method, path);
    Py_DECREF(method);
    if (name != NULL && !PyUnicode_Check(name) && !PyBytes_Check(name)) {
        PyErr_Format(PyExc_TypeError,
                     "expected %.200s.__fspath__() to return str or bytes, not %.200s",
                     Py_TYPE(path)->tp_name, Py_TYPE(name)->tp_name);
        Py_CLEAR(name);
    }
    return name;
}

/* Store `name`, stolen, unless it has a NUL in its `size` bytes at `text`. */
static int
store_name(PyObject *name, const char *text, Py_ssize_t size, void *result, int success)
{
    if (text == NULL || memchr(text, '\0', (size_t)size) != NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "embedded null byte");
        }
        Py_DECREF(name);
        return 0;
    }
    *(PyObject **)result = name;
    return success;
}

static int
release_name(void *result)
{
    Py_CLEAR(*(PyObject **)result);
    return 1;
}

int
PyUnicode_FSConverter(PyObject *arg, void *result)
{
    if (arg == NULL) {
        return release_name(result);
    }
    PyObject *path = PyOS_FSPath(arg);
    PyObject *bytes = path == NULL || PyBytes_Check(path)
                          ? Py_XNewRef(path)
                          : PyUnicode_EncodeFSDefault(path);
    Py_XDECREF(path);
    return bytes == NULL
               ? 0
               : store_name(bytes, PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes),
                            result, Py_CLEANUP_SUPPORTED);
}

int
PyUnicode_FSDecoder(PyObject *arg, void *result)
{
    if (arg == NULL) {
        return release_name(result);
    }
    PyObject *path = PyOS_FSPath(arg);
    PyObject *name = path == NULL || PyUnicode_Check(path)
                         ? Py_XNewRef(path)
                         : PyUnicode_DecodeFSDefaultAndSize(PyBytes_AS_STRING(path),
                                                            PyBytes_GET_SIZE(path));
    Py_XDECREF(path);
    if (name == NULL) {
        return 0;
    }
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    return store_name(name, text, size, result, Py_CLEANUP_SUPPORTED);
}

FILE *
Py_fopen(PyObject *path, const char *mode)
{
    PyObject *name = NULL;
    char flags[16];
    if (snprintf(flags, sizeof flags, "%se", mode) >= (int)sizeof flags) {
        PyErr_SetString(PyExc_ValueError, "the mode is too long");
        return NULL;
    }
    if (!PyUnicode_FSConverter(path, &name) || name == NULL) {
        return NULL;
    }
    FILE *file = fopen(PyBytes_AS_STRING(name), flags);
    if (file == NULL) {
        PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
    }
    Py_DECREF(name);
    return file;
}

int
Py_fclose(FILE *file)
{
    return fclose(file);
}
