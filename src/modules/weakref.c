/* SPDX-License-Identifier: MIT */
/* The modules weakref and _weakref: weak references and proxies. Both are the same module,
 * as the containers that CPython's weakref adds in source code do not exist here. */
#include "modules.h"

static PyObject *
weakref_proxy(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *referent, *callback = NULL;
    if (!PyArg_UnpackTuple(args, "proxy", 1, 2, &referent, &callback)) {
        return NULL;
    }
    return PyWeakref_NewProxy(referent, callback);
}

static PyObject *
weakref_getweakrefs(PyObject *Py_UNUSED(module), PyObject *op)
{
    return Ouro_WeakrefsList(op);
}

static PyObject *
weakref_getweakrefcount(PyObject *Py_UNUSED(module), PyObject *op)
{
    PyObject *list = Ouro_WeakrefsList(op);
    PyObject *count = list == NULL ? NULL : PyLong_FromSsize_t(PyList_GET_SIZE(list));
    Py_XDECREF(list);
    return count;
}

static PyMethodDef weakref_functions[] = {
    {"proxy", weakref_proxy, METH_VARARGS,
     "proxy(object[, callback])\n\nAn object that passes everything on to another one, "
     "without keeping it alive."},
    {"getweakrefs", weakref_getweakrefs, METH_O,
     "The weak references and proxies to an object."},
    {"getweakrefcount", weakref_getweakrefcount, METH_O, "How many there are."},
    OURO_METHODS_END,
};

static PyObject *
type_object(PyTypeObject *type)
{
    return Py_NewRef((PyObject *)type);
}

static int
weakref_exec(PyObject *module)
{
    PyTypeObject *proxy = &_PyWeakref_ProxyType;
    PyTypeObject *callable_proxy = &_PyWeakref_CallableProxyType;
    bool done =
        ouro_module_put(module, "ref", type_object(&_PyWeakref_RefType)) &&
        ouro_module_put(module, "ReferenceType", type_object(&_PyWeakref_RefType)) &&
        ouro_module_put(module, "ProxyType", type_object(proxy)) &&
        ouro_module_put(module, "CallableProxyType", type_object(callable_proxy)) &&
        ouro_module_put(module, "ProxyTypes", PyTuple_Pack(2, proxy, callable_proxy));
    return done ? 0 : -1;
}

static PyModuleDef_Slot weakref_slots[] = {
    {Py_mod_exec, (void *)weakref_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {0, NULL},
};

static PyModuleDef weakref_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_weakref",
    .m_doc = "References that do not keep their object alive.",
    .m_methods = weakref_functions,
    .m_slots = weakref_slots,
};

PyObject *
ouro_init_weakref(void)
{
    return PyModuleDef_Init(&weakref_def);
}
