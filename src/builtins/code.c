/* SPDX-License-Identifier: MIT */
/* Code objects without instructions: what extension modules put into tracebacks so that
 * their C functions show up there. */
#include <Python.h>

static PyCodeObject *
code_of(PyObject *op)
{
    return (PyCodeObject *)op;
}

PyCodeObject *
PyCode_NewEmpty(const char *filename, const char *funcname, int firstlineno)
{
    if (PyType_Ready(&PyCode_Type) < 0) {
        return NULL;
    }
    PyObject *file = PyUnicode_DecodeFSDefault(filename);
    PyObject *name = file == NULL ? NULL : PyUnicode_FromString(funcname);
    PyCodeObject *code = name == NULL ? NULL : PyObject_New(PyCodeObject, &PyCode_Type);
    if (code == NULL) {
        Py_XDECREF(name);
        Py_XDECREF(file);
        return NULL;
    }
    code->co_filename = file;
    code->co_name = name;
    code->co_qualname = Py_NewRef(name);
    code->co_consts = Py_GetConstant(Py_CONSTANT_EMPTY_TUPLE);
    code->co_names = Py_GetConstant(Py_CONSTANT_EMPTY_TUPLE);
    code->co_firstlineno = firstlineno;
    code->co_flags = CO_OPTIMIZED | CO_NEWLOCALS;
    code->co_argcount = code->co_posonlyargcount = code->co_kwonlyargcount = 0;
    code->co_nlocals = 0;
    code->co_stacksize = 1;
    return code;
}

int
PyCode_Addr2Line(PyCodeObject *code, int Py_UNUSED(byte_offset))
{
    return code->co_firstlineno;
}

int
PyCode_Addr2Location(PyCodeObject *code, int Py_UNUSED(byte_offset), int *start_line,
                     int *start_column, int *end_line, int *end_column)
{
    *start_line = *end_line = code->co_firstlineno;
    *start_column = *end_column = -1;
    return 1;
}

PyObject *
PyCode_GetCode(PyCodeObject *Py_UNUSED(code))
{
    return Py_GetConstant(Py_CONSTANT_EMPTY_BYTES);
}

PyObject *
PyCode_GetVarnames(PyCodeObject *Py_UNUSED(code))
{
    return Py_GetConstant(Py_CONSTANT_EMPTY_TUPLE);
}

PyObject *
PyCode_GetCellvars(PyCodeObject *Py_UNUSED(code))
{
    return Py_GetConstant(Py_CONSTANT_EMPTY_TUPLE);
}

PyObject *
PyCode_GetFreevars(PyCodeObject *Py_UNUSED(code))
{
    return Py_GetConstant(Py_CONSTANT_EMPTY_TUPLE);
}

static void
code_dealloc(PyObject *op)
{
    PyCodeObject *code = code_of(op);
    Py_DECREF(code->co_filename);
    Py_DECREF(code->co_name);
    Py_DECREF(code->co_qualname);
    Py_DECREF(code->co_consts);
    Py_DECREF(code->co_names);
    PyObject_Free(op);
}

static PyObject *
code_repr(PyObject *op)
{
    PyCodeObject *code = code_of(op);
    return PyUnicode_FromFormat("<code object %U at %p, file \"%U\", line %d>",
                                code->co_name, op, code->co_filename,
                                code->co_firstlineno);
}

#define OURO_CODE_OBJECT(name)                                                           \
    {                                                                                    \
#name, _Py_T_OBJECT, offsetof(PyCodeObject, name), Py_READONLY, NULL             \
    }
#define OURO_CODE_INT(name)                                                              \
    {                                                                                    \
#name, Py_T_INT, offsetof(PyCodeObject, name), Py_READONLY, NULL                 \
    }

static PyMemberDef code_members[] = {
    OURO_CODE_OBJECT(co_filename),
    OURO_CODE_OBJECT(co_name),
    OURO_CODE_OBJECT(co_qualname),
    OURO_CODE_OBJECT(co_consts),
    OURO_CODE_OBJECT(co_names),
    OURO_CODE_INT(co_firstlineno),
    OURO_CODE_INT(co_flags),
    OURO_CODE_INT(co_argcount),
    OURO_CODE_INT(co_posonlyargcount),
    OURO_CODE_INT(co_kwonlyargcount),
    OURO_CODE_INT(co_nlocals),
    OURO_CODE_INT(co_stacksize),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject PyCode_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "code",
    .tp_basicsize = sizeof(PyCodeObject),
    .tp_dealloc = code_dealloc,
    .tp_repr = code_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Code without instructions, for tracebacks.",
    .tp_members = code_members,
};
