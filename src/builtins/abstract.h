/* SPDX-License-Identifier: MIT */
/* Is an object marked as abstract? */
#ifndef OURO_BUILTINS_ABSTRACT_H
#define OURO_BUILTINS_ABSTRACT_H

#include <Python.h>

/* The truth of o.__isabstractmethod__; 0 without it, or when `o` is NULL; -1 with an
 * exception. */
static inline int
ouro_is_abstract(PyObject *o)
{
    PyObject *mark = NULL;
    int found =
        o == NULL ? 0 : _PyObject_FindAttrString(o, "__isabstractmethod__", &mark);
    int truth = found <= 0 ? found : PyObject_IsTrue(mark);
    Py_XDECREF(mark);
    return truth;
}

#endif
