/* SPDX-License-Identifier: MIT */
/* Type tokens: finding the ancestor that a given piece of C code made.
 *
 * A token is any address; a heap type has it from Py_tp_token. Static types have none, and
 * so have all ancestors of static types. */
#include <ouro_check.h>

#include "type.h"

static int find_base(PyTypeObject *type, void *token, PyTypeObject **result);
static PyTypeObject *find_token(PyTypeObject *type, const void *token);

int
PyType_GetBaseByToken(PyTypeObject *type, void *token, PyTypeObject **result)
{
    int found = find_base(type, token, result);
    if (found > 0 && result != NULL) {
        Py_INCREF(*result);
    } else if (found < 0 && token == NULL) {
        PyErr_SetString(PyExc_SystemError,
                        "PyType_GetBaseByToken called with token=NULL");
    } else if (found < 0) {
        PyErr_Format(PyExc_TypeError, "expected a type, got a '%s' object",
                     Py_TYPE(type)->tp_name);
    }
    return found;
}

int
PyType_GetBaseByToken_DuringGC(PyTypeObject *type, void *token, PyTypeObject **result)
{
    _PyCheck_DuringGC("PyType_GetBaseByToken_DuringGC");
    return find_base(type, token, result);
}

static int
find_base(PyTypeObject *type, void *token, PyTypeObject **result)
{
    bool valid = token != NULL && PyType_Check(type);
    PyTypeObject *found = valid ? find_token(type, token) : NULL;
    if (result != NULL) {
        *result = found;
    }
    return valid ? found != NULL : -1;
}

static bool
has_token(PyTypeObject *type, const void *token)
{
    return ouro_type_is_heap(type) && ((PyHeapTypeObject *)type)->ht_token == token;
}

static PyTypeObject *
find_token(PyTypeObject *type, const void *token)
{
    if (has_token(type, token)) {
        return type;
    }
    PyObject *mro = type->tp_mro;
    if (mro == NULL) { /* cleared by the collector */
        type = type->tp_base;
        while (type != NULL && !has_token(type, token)) {
            type = type->tp_base;
        }
        return type;
    }
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *ancestor = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (has_token(ancestor, token)) {
            return ancestor;
        }
    }
    return NULL;
}
