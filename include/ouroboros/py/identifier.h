/* SPDX-License-Identifier: MIT */
/* _Py_IDENTIFIER: names of attributes that sources from before 3.13 keep in static variables.
 *
 * Private in CPython, but many modules use them. The str is looked up among the interned
 * strings each time: interpreters share no objects, so the variable cannot keep it. */
#ifndef OURO_PY_IDENTIFIER_H
#define OURO_PY_IDENTIFIER_H

#include "protocol.h"

OURO_BEGIN_DECLS

typedef struct _Py_Identifier {
    const char *string;
} _Py_Identifier;

/* clang-format off */
#define _Py_static_string_init(value)   {(value)}
#define _Py_static_string(name, value)  static _Py_Identifier name = _Py_static_string_init(value)
#define _Py_IDENTIFIER(name)            _Py_static_string(PyId_##name, #name)
/* clang-format on */

/* The interned str, borrowed: it is never released. NULL with an exception. */
PyAPI_FUNC(PyObject *) _PyUnicode_FromId(_Py_Identifier *id);
/* PyObject_GetAttr and its like, with such a name. */
PyAPI_FUNC(PyObject *) _PyObject_GetAttrId(PyObject *o, _Py_Identifier *id);
PyAPI_FUNC(int) _PyObject_SetAttrId(PyObject *o, _Py_Identifier *id, PyObject *value);
PyAPI_FUNC(int) _PyObject_LookupAttrId(PyObject *o, _Py_Identifier *id,
                                       PyObject **result);
PyAPI_FUNC(PyObject *) _PyDict_GetItemIdWithError(PyObject *dict, _Py_Identifier *id);
PyAPI_FUNC(int) _PyDict_SetItemId(PyObject *dict, _Py_Identifier *id, PyObject *value);
/* o.name(...), with a format as in PyObject_CallMethod, or with objects up to a NULL. */
PyAPI_FUNC(PyObject *) _PyObject_CallMethodId(PyObject *o, _Py_Identifier *id,
                                              const char *format, ...);
PyAPI_FUNC(PyObject *) _PyObject_CallMethodIdObjArgs(PyObject *o, _Py_Identifier *id,
                                                     ...);
#define _PyObject_CallMethodIdNoArgs(o, id) _PyObject_CallMethodId((o), (id), NULL)
#define _PyObject_CallMethodIdOneArg(o, id, arg)                                         \
    _PyObject_CallMethodIdObjArgs((o), (id), (arg), NULL)

OURO_END_DECLS

#endif
