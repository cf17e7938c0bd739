/* SPDX-License-Identifier: MIT */
/* A single-phase module, to be compiled for CPython. */
#include <Python.h>

static PyModuleDef single_def = {PyModuleDef_HEAD_INIT, .m_name = "single", .m_size = -1};

PyMODINIT_FUNC PyInit_single(void);

PyMODINIT_FUNC
PyInit_single(void)
{
    return PyModule_Create(&single_def);
}
