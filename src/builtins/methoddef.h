/* SPDX-License-Identifier: MIT */
/* Calling the function of a method table entry; shared by built-in functions and method
 * descriptors. */
#ifndef OURO_BUILTINS_METHODDEF_H
#define OURO_BUILTINS_METHODDEF_H

#include <Python.h>
#include <stdbool.h>

/* The part of ml_flags that says how ml_meth is called. */
#define OURO_METH_SHAPE                                                                  \
    (METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | METH_FASTCALL | METH_METHOD)

/* Do ml_flags name a shape? Else SystemError. */
bool ouro_methoddef_is_valid(const PyMethodDef *ml);

/* Call the function with the arguments of a vectorcall. `callable` is the built-in function or
 * the descriptor of the entry: messages about arguments name it, and METH_METHOD functions
 * are passed its class. A new reference; or NULL. */
PyObject *ouro_methoddef_vectorcall(const PyMethodDef *ml, PyObject *callable,
                                    PyObject *self, PyObject *const *args,
                                    Py_ssize_t nargs, PyObject *kwnames);

/* Call a function that takes a tuple. */
PyObject *ouro_methoddef_call(const PyMethodDef *ml, PyObject *callable, PyObject *self,
                              PyObject *args, PyObject *kwargs);

/* How messages name a callable: "module.qualname()", or its str without such attributes.
 * A new reference; or NULL with an exception. */
PyObject *ouro_function_label(PyObject *callable);

#endif
