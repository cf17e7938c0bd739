/* SPDX-License-Identifier: MIT */
/* The module builtins: types, exceptions, constants, and the functions that programs use
 * without importing anything. What needs source code (eval, exec, compile, open, input)
 * does not exist. Functions on sequences are in builtins_iterate.c. */
#include "modules.h"

/* --- about one object ----------------------------------------------------------------------- */

static PyObject *
builtin_abs(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyNumber_Absolute(op);
}

static PyObject *
builtin_bin(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyNumber_ToBase(op, 2);
}

static PyObject *
builtin_oct(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyNumber_ToBase(op, 8);
}

static PyObject *
builtin_hex(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyNumber_ToBase(op, 16);
}

static PyObject *
builtin_callable(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyBool_FromLong(PyCallable_Check(op));
}

static PyObject *
builtin_chr(PyObject *Py_UNUSED(module), PyObject *op)
{
    int overflow;
    PyObject *number = PyNumber_Index(op);
    if (number == NULL) {
        return NULL;
    }
    long value = PyLong_AsLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    if (overflow != 0 || value < 0 || value > 0x10ffff) {
        return PyErr_Format(PyExc_ValueError, "chr() arg not in range(0x110000)");
    }
    return PyUnicode_FromOrdinal((int)value);
}

static PyObject *
builtin_ord(PyObject *Py_UNUSED(module), PyObject *op)
{
    Py_ssize_t size;
    if (PyUnicode_Check(op)) {
        size = PyUnicode_GET_LENGTH(op);
        if (size == 1) {
            return PyLong_FromLong((long)PyUnicode_ReadChar(op, 0));
        }
    } else if (PyBytes_Check(op)) {
        size = PyBytes_GET_SIZE(op);
        if (size == 1) {
            return PyLong_FromLong((unsigned char)PyBytes_AS_STRING(op)[0]);
        }
    } else {
        return PyErr_Format(PyExc_TypeError,
                            "ord() expected string of length 1, but %.200s found",
                            Py_TYPE(op)->tp_name);
    }
    return PyErr_Format(PyExc_TypeError,
                        "ord() expected a character, but string of length %zd found",
                        size);
}

static PyObject *
builtin_hash(PyObject *Py_UNUSED(module), PyObject *op)
{
    Py_hash_t hash = PyObject_Hash(op);
    return hash == -1 && PyErr_Occurred() ? NULL : PyLong_FromSsize_t(hash);
}

static PyObject *
builtin_id(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyLong_FromVoidPtr(op);
}

static PyObject *
builtin_len(PyObject *Py_UNUSED(module), PyObject *op)
{
    Py_ssize_t length = PyObject_Size(op);
    return length < 0 ? NULL : PyLong_FromSsize_t(length);
}

static PyObject *
builtin_repr(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyObject_Repr(op);
}

static PyObject *
builtin_ascii(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyObject_ASCII(op);
}

static PyObject *
builtin_dir(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *op = NULL;
    return PyArg_UnpackTuple(args, "dir", 1, 1, &op) ? PyObject_Dir(op) : NULL;
}

static PyObject *
builtin_format(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *op, *spec = NULL;
    if (!PyArg_UnpackTuple(args, "format", 1, 2, &op, &spec)) {
        return NULL;
    }
    if (spec != NULL && !PyUnicode_Check(spec)) {
        return PyErr_Format(PyExc_TypeError, "format() argument 2 must be str, not %s",
                            Py_TYPE(spec)->tp_name);
    }
    return PyObject_Format(op, spec);
}

/* --- about two ---------------------------------------------------------------------------------- */

static PyObject *
builtin_divmod(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *left, *right;
    return PyArg_UnpackTuple(args, "divmod", 2, 2, &left, &right)
               ? PyNumber_Divmod(left, right)
               : NULL;
}

static PyObject *
builtin_pow(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"base", "exp", "mod", NULL};
    PyObject *base, *exponent, *modulus = Py_None;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O:pow", keywords, &base,
                                       &exponent, &modulus)
               ? PyNumber_Power(base, exponent, modulus)
               : NULL;
}

static PyObject *
builtin_isinstance(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *op, *class;
    if (!PyArg_UnpackTuple(args, "isinstance", 2, 2, &op, &class)) {
        return NULL;
    }
    int result = PyObject_IsInstance(op, class);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

static PyObject *
builtin_issubclass(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *derived, *class;
    if (!PyArg_UnpackTuple(args, "issubclass", 2, 2, &derived, &class)) {
        return NULL;
    }
    int result = PyObject_IsSubclass(derived, class);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

/* --- attributes ----------------------------------------------------------------------------------- */

static PyObject *
builtin_getattr(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *op, *name, *fallback = NULL, *value;
    if (!PyArg_UnpackTuple(args, "getattr", 2, 3, &op, &name, &fallback)) {
        return NULL;
    }
    if (fallback == NULL) {
        return PyObject_GetAttr(op, name);
    }
    return PyObject_GetOptionalAttr(op, name, &value) == 0 ? Py_NewRef(fallback) : value;
}

static PyObject *
builtin_hasattr(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *op, *name, *value;
    if (!PyArg_UnpackTuple(args, "hasattr", 2, 2, &op, &name)) {
        return NULL;
    }
    int found = PyObject_GetOptionalAttr(op, name, &value);
    Py_XDECREF(value);
    return found < 0 ? NULL : PyBool_FromLong(found);
}

static PyObject *
builtin_setattr(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *op, *name, *value;
    if (!PyArg_UnpackTuple(args, "setattr", 3, 3, &op, &name, &value) ||
        PyObject_SetAttr(op, name, value) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
builtin_delattr(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *op, *name;
    if (!PyArg_UnpackTuple(args, "delattr", 2, 2, &op, &name) ||
        PyObject_DelAttr(op, name) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* --- import and print ------------------------------------------------------------------------------- */

static PyObject *
builtin_import(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"name", "globals", "locals", "fromlist", "level", NULL};
    PyObject *name, *globals = NULL, *locals = NULL, *fromlist = NULL;
    int level = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|OOOi:__import__", keywords, &name,
                                     &globals, &locals, &fromlist, &level)) {
        return NULL;
    }
    return PyImport_ImportModuleLevelObject(name, globals, locals, fromlist, level);
}

/* The argument as text, or `usual` for NULL and None. NULL with TypeError. */
static const char *
print_text(PyObject *arg, const char *name, const char *usual)
{
    if (arg == NULL || arg == Py_None) {
        return usual;
    }
    if (!PyUnicode_Check(arg)) {
        PyErr_Format(PyExc_TypeError, "%s must be None or a string, not %.200s", name,
                     Py_TYPE(arg)->tp_name);
        return NULL;
    }
    return PyUnicode_AsUTF8(arg);
}

/* Everything print() writes, as one str. */
static PyObject *
print_line(PyObject *objects, const char *separator, const char *end)
{
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(0);
    bool done = writer != NULL;
    for (Py_ssize_t i = 0; done && i < PyTuple_GET_SIZE(objects); i++) {
        done = (i == 0 || PyUnicodeWriter_WriteUTF8(writer, separator, -1) == 0) &&
               PyUnicodeWriter_WriteStr(writer, PyTuple_GET_ITEM(objects, i)) == 0;
    }
    if (!done || PyUnicodeWriter_WriteUTF8(writer, end, -1) < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}

static PyObject *
print_to(PyObject *file, PyObject *objects, const char *separator, const char *end,
         int flush)
{
    PyObject *line = print_line(objects, separator, end);
    PyObject *result =
        line == NULL ? NULL : PyObject_CallMethod(file, "write", "(O)", line);
    Py_XDECREF(line);
    if (result != NULL && flush) {
        Py_SETREF(result, PyObject_CallMethod(file, "flush", NULL));
    }
    if (result != NULL) {
        Py_SETREF(result, Py_NewRef(Py_None));
    }
    return result;
}

static PyObject *
builtin_print(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"sep", "end", "file", "flush", NULL};
    PyObject *separator = NULL, *end = NULL, *file = NULL, *none = PyTuple_New(0);
    int flush = 0;
    bool parsed =
        none != NULL && PyArg_ParseTupleAndKeywords(none, kwargs, "|OOOp:print", keywords,
                                                    &separator, &end, &file, &flush);
    Py_XDECREF(none);
    const char *between = parsed ? print_text(separator, "sep", " ") : NULL;
    const char *last = between == NULL ? NULL : print_text(end, "end", "\n");
    if (last == NULL) {
        return NULL;
    }
    file =
        file == NULL || file == Py_None ? PySys_GetAttrString("stdout") : Py_NewRef(file);
    if (file == NULL || file == Py_None) {
        return file;
    }
    PyObject *result = print_to(file, args, between, last, flush);
    Py_DECREF(file);
    return result;
}

/* --- round, vars --------------------------------------------------------------------------------------- */

static PyObject *
builtin_round(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"number", "ndigits", NULL};
    PyObject *number, *digits = Py_None, *method;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:round", names, &number,
                                     &digits)) {
        return NULL;
    }
    int found =
        PyObject_GetOptionalAttrString((PyObject *)Py_TYPE(number), "__round__", &method);
    if (found <= 0) {
        return found < 0 ? NULL
                         : PyErr_Format(PyExc_TypeError,
                                        "type %.100s doesn't define __round__ method",
                                        Py_TYPE(number)->tp_name);
    }
    PyObject *result = PyObject_CallFunctionObjArgs(
        method, number, digits == Py_None ? NULL : digits, NULL);
    Py_DECREF(method);
    return result;
}

static PyObject *
builtin_vars(PyObject *Py_UNUSED(module), PyObject *object)
{
    PyObject *dict;
    if (PyObject_GetOptionalAttrString(object, "__dict__", &dict) == 0) {
        PyErr_SetString(PyExc_TypeError, "vars() argument must have __dict__ attribute");
    }
    return dict;
}

/* --- the module ----------------------------------------------------------------------------------------- */

static PyMethodDef builtin_functions[] = {
    {"__import__", OURO_KEYWORDS(builtin_import),
     "__import__(name, globals=None, locals=None, fromlist=(), level=0)\n\nImport a "
     "module."},
    {"abs", builtin_abs, METH_O, "The absolute value."},
    {"ascii", builtin_ascii, METH_O, "repr() with ASCII characters only."},
    {"bin", builtin_bin, METH_O, "The binary digits of an int."},
    {"callable", builtin_callable, METH_O, "Can the object be called?"},
    {"chr", builtin_chr, METH_O, "The character with this code point."},
    {"delattr", builtin_delattr, METH_VARARGS, "Delete an attribute."},
    {"dir", builtin_dir, METH_VARARGS, "The names of an object's attributes."},
    {"divmod", builtin_divmod, METH_VARARGS, "Quotient and remainder."},
    {"format", builtin_format, METH_VARARGS, "The object as text, by a format."},
    {"getattr", builtin_getattr, METH_VARARGS,
     "getattr(object, name[, default])\n\nAn attribute, or the default."},
    {"hasattr", builtin_hasattr, METH_VARARGS, "Is there such an attribute?"},
    {"hash", builtin_hash, METH_O, "The hash of an object."},
    {"hex", builtin_hex, METH_O, "The hexadecimal digits of an int."},
    {"id", builtin_id, METH_O, "The address of an object."},
    {"isinstance", builtin_isinstance, METH_VARARGS,
     "Is the object an instance of the class, or of one of a tuple of classes?"},
    {"issubclass", builtin_issubclass, METH_VARARGS,
     "Does the class derive from the other, or from one of a tuple of classes?"},
    {"len", builtin_len, METH_O, "The number of items."},
    {"oct", builtin_oct, METH_O, "The octal digits of an int."},
    {"ord", builtin_ord, METH_O, "The code point of a character."},
    {"pow", OURO_KEYWORDS(builtin_pow), "pow(base, exp, mod=None)\n\nA power."},
    {"print", OURO_KEYWORDS(builtin_print),
     "print(*args, sep=' ', end='\\n', file=None, flush=False)\n\nWrite the objects as "
     "text to a file, or to sys.stdout."},
    {"repr", builtin_repr, METH_O, "The object as text for programmers."},
    {"round", OURO_KEYWORDS(builtin_round), "round(number, ndigits=None)\n\nRounded."},
    {"setattr", builtin_setattr, METH_VARARGS, "Set an attribute."},
    {"vars", builtin_vars, METH_O, "The __dict__ of an object."},
    OURO_METHODS_END,
};

static PyTypeObject *const builtin_type_list[] = {
    &PyBaseObject_Type, &PyType_Type,        &PyBool_Type,         &PyBytes_Type,
    &PyByteArray_Type,  &PyMemoryView_Type,  &PyComplex_Type,      &PyDict_Type,
    &PyEnum_Type,       &PyFloat_Type,       &PyFrozenDict_Type,   &PyFrozenSet_Type,
    &PyList_Type,       &PyLong_Type,        &PyProperty_Type,     &PyReversed_Type,
    &PySet_Type,        &PySlice_Type,       &PySuper_Type,        &PyTuple_Type,
    &PyUnicode_Type,    &PyClassMethod_Type, &PyStaticMethod_Type, &PyRange_Type,
    &PyMap_Type,        &PyFilter_Type,      &PyZip_Type,
};

static PyObject **const builtin_exception_list[] = {
    &PyExc_ArithmeticError,
    &PyExc_AssertionError,
    &PyExc_AttributeError,
    &PyExc_BaseException,
    &PyExc_BlockingIOError,
    &PyExc_BrokenPipeError,
    &PyExc_BufferError,
    &PyExc_BytesWarning,
    &PyExc_ChildProcessError,
    &PyExc_ConnectionAbortedError,
    &PyExc_ConnectionError,
    &PyExc_ConnectionRefusedError,
    &PyExc_ConnectionResetError,
    &PyExc_DeprecationWarning,
    &PyExc_EOFError,
    &PyExc_EncodingWarning,
    &PyExc_Exception,
    &PyExc_FileExistsError,
    &PyExc_FileNotFoundError,
    &PyExc_FloatingPointError,
    &PyExc_FutureWarning,
    &PyExc_GeneratorExit,
    &PyExc_ImportError,
    &PyExc_ImportWarning,
    &PyExc_IndentationError,
    &PyExc_IndexError,
    &PyExc_InterruptedError,
    &PyExc_IsADirectoryError,
    &PyExc_KeyError,
    &PyExc_KeyboardInterrupt,
    &PyExc_LookupError,
    &PyExc_MemoryError,
    &PyExc_ModuleNotFoundError,
    &PyExc_NameError,
    &PyExc_NotADirectoryError,
    &PyExc_NotImplementedError,
    &PyExc_OSError,
    &PyExc_OverflowError,
    &PyExc_PendingDeprecationWarning,
    &PyExc_PermissionError,
    &PyExc_ProcessLookupError,
    &PyExc_PythonFinalizationError,
    &PyExc_RecursionError,
    &PyExc_ReferenceError,
    &PyExc_ResourceWarning,
    &PyExc_RuntimeError,
    &PyExc_RuntimeWarning,
    &PyExc_StopAsyncIteration,
    &PyExc_StopIteration,
    &PyExc_SyntaxError,
    &PyExc_SyntaxWarning,
    &PyExc_SystemError,
    &PyExc_SystemExit,
    &PyExc_TabError,
    &PyExc_TimeoutError,
    &PyExc_TypeError,
    &PyExc_UnboundLocalError,
    &PyExc_UnicodeDecodeError,
    &PyExc_UnicodeEncodeError,
    &PyExc_UnicodeError,
    &PyExc_UnicodeTranslateError,
    &PyExc_UnicodeWarning,
    &PyExc_UserWarning,
    &PyExc_ValueError,
    &PyExc_Warning,
    &PyExc_ZeroDivisionError,
};

static bool
put_types(PyObject *module)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(builtin_type_list); i++) {
        if (PyModule_AddType(module, builtin_type_list[i]) < 0) {
            return false;
        }
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(builtin_exception_list); i++) {
        if (PyModule_AddType(module, (PyTypeObject *)*builtin_exception_list[i]) < 0) {
            return false;
        }
    }
    return true;
}

static int
builtins_exec(PyObject *module)
{
    bool done = PyModule_AddFunctions(module, ouro_iterating_builtins) == 0 &&
                put_types(module) &&
                ouro_module_put(module, "None", Py_NewRef(Py_None)) &&
                ouro_module_put(module, "True", Py_NewRef(Py_True)) &&
                ouro_module_put(module, "False", Py_NewRef(Py_False)) &&
                ouro_module_put(module, "Ellipsis", Py_NewRef(Py_Ellipsis)) &&
                ouro_module_put(module, "NotImplemented", Py_NewRef(Py_NotImplemented)) &&
                ouro_module_put(module, "__debug__", PyBool_FromLong(1));
    return done ? 0 : -1;
}

static PyModuleDef_Slot builtins_slots[] = {
    {Py_mod_exec, (void *)builtins_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {0, NULL},
};

static PyModuleDef builtins_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "builtins",
    .m_doc = "Types, exceptions and functions that every program can use.",
    .m_methods = builtin_functions,
    .m_slots = builtins_slots,
};

PyObject *
ouro_init_builtins(void)
{
    return PyModuleDef_Init(&builtins_def);
}
