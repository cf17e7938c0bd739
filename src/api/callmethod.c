/* SPDX-License-Identifier: MIT */
/* Calls whose arguments come as a C argument list, and calls of an object's methods.
 *
 * A method that the type defines is called with the object in front of its arguments, so
 * no bound method is made. */
#include <Python.h>

#include "buildvalue.h"
#include "methods.h"
#include "protocol.h"

#define OURO_LISTED_STACK 6

/* Objects gathered from a C argument list, with one free place in front. */
struct listed {
    PyObject **items;
    Py_ssize_t count;
    PyObject *on_stack[OURO_LISTED_STACK];
};

/* Gather `first` (unless NULL) and the list up to NULL. False with MemoryError. */
static bool
gather_listed(struct listed *l, PyObject *first, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    Py_ssize_t count = first != NULL;
    while (va_arg(again, PyObject *) != NULL) {
        count++;
    }
    va_end(again);

    /* cppcheck-suppress ctuuninitvar ; the address of an array, not what is in it */
    PyObject **space = l->on_stack;
    if (count + 1 > OURO_LISTED_STACK) {
        space = PyMem_New(PyObject *, (size_t)(count + 1));
        if (space == NULL) {
            PyErr_NoMemory();
            return false;
        }
    }
    space[0] = NULL;
    l->items = space + 1;
    l->count = 0;
    if (first != NULL) {
        l->items[l->count++] = first;
    }
    while (l->count < count) {
        l->items[l->count++] = va_arg(arguments, PyObject *);
    }
    return true;
}

static void
release_listed(struct listed *l)
{
    if (l->items - 1 != l->on_stack) {
        PyMem_Free(l->items - 1);
    }
}

PyObject *
PyObject_CallFunctionObjArgs(PyObject *callable, ...)
{
    if (callable == NULL) {
        return ouro_null_argument();
    }
    struct listed l;
    va_list arguments;
    va_start(arguments, callable);
    bool gathered = gather_listed(&l, NULL, arguments);
    va_end(arguments);
    if (!gathered) {
        return NULL;
    }
    size_t nargsf = (size_t)l.count | PY_VECTORCALL_ARGUMENTS_OFFSET;
    PyObject *result = PyObject_Vectorcall(callable, l.items, nargsf, NULL);
    release_listed(&l);
    return result;
}

PyObject *
PyObject_CallMethodObjArgs(PyObject *self, PyObject *name, ...)
{
    if (self == NULL || name == NULL) {
        return ouro_null_argument();
    }
    struct listed l;
    va_list arguments;
    va_start(arguments, name);
    bool gathered = gather_listed(&l, self, arguments);
    va_end(arguments);
    if (!gathered) {
        return NULL;
    }
    size_t nargsf = (size_t)l.count | PY_VECTORCALL_ARGUMENTS_OFFSET;
    PyObject *result = PyObject_VectorcallMethod(name, l.items, nargsf, NULL);
    release_listed(&l);
    return result;
}

/* --- with a format ---------------------------------------------------------------------- */

PyObject *
PyObject_CallFunction(PyObject *callable, const char *format, ...)
{
    if (callable == NULL) {
        return ouro_null_argument();
    }
    va_list values;
    va_start(values, format);
    PyObject *args = ouro_build_arguments(format, values);
    va_end(values);
    if (args == NULL) {
        return NULL;
    }
    PyObject *result = PyObject_Call(callable, args, NULL);
    Py_DECREF(args);
    return result;
}

/* The arguments come first, so that references given for N are released even if there is no
 * such method. */
PyObject *
PyObject_CallMethod(PyObject *self, const char *name, const char *format, ...)
{
    if (self == NULL || name == NULL) {
        return ouro_null_argument();
    }
    va_list values;
    va_start(values, format);
    PyObject *args = ouro_build_arguments(format, values);
    va_end(values);
    PyObject *callable = args == NULL ? NULL : PyObject_GetAttrString(self, name);
    PyObject *result = NULL;
    if (callable != NULL && PyCallable_Check(callable)) {
        result = PyObject_Call(callable, args, NULL);
    } else if (callable != NULL) {
        ouro_type_error("attribute of type '%.200s' is not callable", callable);
    }
    Py_XDECREF(callable);
    Py_XDECREF(args);
    return result;
}

/* --- methods without making one ----------------------------------------------------------- */

PyObject *
PyObject_VectorcallMethod(PyObject *name, PyObject *const *args, size_t nargsf,
                          PyObject *kwnames)
{
    if (name == NULL || args == NULL || args[0] == NULL) {
        return ouro_null_argument();
    }
    PyObject *method;
    int unbound = ouro_methods_use() ? ouro_method_get(args[0], name, &method) : -1;
    if (unbound < 0) {
        return NULL;
    }
    PyObject *result;
    if (unbound) {
        /* In the contract of this function the bit lends args[0], not args[-1]. */
        result = PyObject_Vectorcall(method, args,
                                     nargsf & ~PY_VECTORCALL_ARGUMENTS_OFFSET, kwnames);
    } else {
        /* One argument less. The bit is right as it is: args[0] is now in front
         * of the arguments. */
        result = PyObject_Vectorcall(method, args + 1, nargsf - 1, kwnames);
    }
    Py_DECREF(method);
    return result;
}

PyObject *
PyObject_CallMethodNoArgs(PyObject *self, PyObject *name)
{
    PyObject *space[2] = {NULL, self};
    return PyObject_VectorcallMethod(name, space + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                     NULL);
}

PyObject *
PyObject_CallMethodOneArg(PyObject *self, PyObject *name, PyObject *arg)
{
    if (arg == NULL) {
        return ouro_null_argument();
    }
    PyObject *space[3] = {NULL, self, arg};
    return PyObject_VectorcallMethod(name, space + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                     NULL);
}
