/* SPDX-License-Identifier: MIT */
/* The types of generators and coroutines written in Python. There are none here: the types
 * exist so that code which asks for them compiles and gets its answer. */
#include <Python.h>

/* clang-format off */
#define OURO_NO_INSTANCES(type_name, doc)                                                \
    {                                                                                    \
        PyVarObject_HEAD_INIT(&PyType_Type, 0)                                           \
        .tp_name = (type_name),                                                          \
        .tp_basicsize = sizeof(PyObject),                                                \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,              \
        .tp_doc = (doc),                                                                 \
    }
/* clang-format on */

PyTypeObject PyGen_Type =
    OURO_NO_INSTANCES("generator", "Generators written in Python; there are none.");
PyTypeObject PyCoro_Type =
    OURO_NO_INSTANCES("coroutine", "Coroutines written in Python; there are none.");
PyTypeObject PyAsyncGen_Type = OURO_NO_INSTANCES(
    "async_generator", "Asynchronous generators written in Python; there are none.");
