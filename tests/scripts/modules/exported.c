/* SPDX-License-Identifier: MIT */
/* A module defined by slots alone. */
#include <Python.h>

PyABIInfo_VAR(abi_info);

static PyObject *
exported_next(PyObject *module, PyObject *Py_UNUSED(unused))
{
    long *count = PyModule_GetState(module);
    return PyLong_FromLong(++*count);
}

static PyMethodDef exported_methods[] = {
    {"next", exported_next, METH_NOARGS, "Count."},
    {NULL, NULL, 0, NULL},
};

static PySlot exported_slots[] = {
    PySlot_DATA(Py_mod_abi, &abi_info),
    PySlot_DATA(Py_mod_name, "exported"),
    PySlot_SIZE(Py_mod_state_size, sizeof(long)),
    PySlot_DATA(Py_mod_methods, exported_methods),
    PySlot_END,
};

PyMODEXPORT_FUNC PyModExport_exported(void);

PyMODEXPORT_FUNC
PyModExport_exported(void)
{
    return exported_slots;
}
