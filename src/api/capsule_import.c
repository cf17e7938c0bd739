/* SPDX-License-Identifier: MIT */
/* The pointer that a module offers to others in a capsule. */
#include <Python.h>

#include <stdbool.h>

/* The object that "module.attribute.attribute" stands for: a new reference; or NULL. */
static PyObject *
follow_dotted_name(char *name)
{
    PyObject *found = NULL;
    bool is_first = true;
    for (char *part = name, *rest; part != NULL; part = rest) {
        char *dot = strchr(part, '.');
        rest = dot == NULL ? NULL : dot + 1;
        if (dot != NULL) {
            *dot = '\0';
        }
        PyObject *next =
            is_first ? PyImport_ImportModule(part) : PyObject_GetAttrString(found, part);
        if (next == NULL && is_first) {
            PyErr_Format(PyExc_ImportError,
                         "PyCapsule_Import could not import module \"%s\"", part);
        }
        is_first = false;
        Py_XSETREF(found, next);
        if (next == NULL) {
            break;
        }
    }
    return found;
}

void *
PyCapsule_Import(const char *name, int Py_UNUSED(no_block))
{
    size_t size = strlen(name) + 1;
    char *copy = PyMem_Malloc(size);
    if (copy == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memcpy(copy, name, size);
    PyObject *capsule = follow_dotted_name(copy);
    PyMem_Free(copy);
    void *pointer = NULL;
    if (capsule != NULL && PyCapsule_IsValid(capsule, name)) {
        pointer = PyCapsule_GetPointer(capsule, name);
    } else if (capsule != NULL) {
        PyErr_Format(PyExc_AttributeError, "PyCapsule_Import \"%s\" is not valid", name);
    }
    Py_XDECREF(capsule);
    return pointer;
}
