/* SPDX-License-Identifier: MIT */
/* The static types of the library, finished before anybody can use them.
 *
 * The order is the order of need: `type` and `object`, then what dicts of types consist
 * of. Until their turn comes those types work with what their definitions say: static
 * slots and flags, no inherited ones. Exceptions are found through their PyExc_ names. */
#include "../thread/interpreter.h"
#include "slot_methods.h"

/* One a line, so that adding a type changes one line. */
/* clang-format off */
static PyTypeObject *const builtin_types[] = {
    &PyBaseObject_Type,
    &PyType_Type,
    &PyUnicode_Type,
    &PyTuple_Type,
    &PyDict_Type,
    &PyWrapperDescr_Type,
    &_PyMethodWrapper_Type,
    &PyMethodDescr_Type,
    &PyClassMethodDescr_Type,
    &PyMemberDescr_Type,
    &PyGetSetDescr_Type,
    &PyStaticMethod_Type,
    &PyClassMethod_Type,
    &PyCFunction_Type,
    &PyCMethod_Type,
    &PyMethod_Type,
    &PyModuleDef_Type,
    &PyModule_Type,
    &_PyNone_Type,
    &_PyNotImplemented_Type,
    &PyEllipsis_Type,
    &PyUnicodeIter_Type,
    &PyLong_Type,
    &PyBool_Type,
    &PyFloat_Type,
    &PyComplex_Type,
    &PyBytes_Type,
    &PyByteArray_Type,
    &PyMemoryView_Type,
    &PyList_Type,
    &PyListIter_Type,
    &PyListRevIter_Type,
    &PyTupleIter_Type,
    &PyReversed_Type,
    &PyEnum_Type,
    &PyFrozenDict_Type,
    &PyDictKeys_Type,
    &PyDictValues_Type,
    &PyDictItems_Type,
    &PyDictIterKey_Type,
    &PyDictIterValue_Type,
    &PyDictIterItem_Type,
    &PyDictRevIterKey_Type,
    &PyDictRevIterValue_Type,
    &PyDictRevIterItem_Type,
    &PySet_Type,
    &PyFrozenSet_Type,
    &PySetIter_Type,
    &PySeqIter_Type,
    &PyCallIter_Type,
    &PySlice_Type,
    &_PyWeakref_RefType,
    &_PyWeakref_ProxyType,
    &_PyWeakref_CallableProxyType,
    &PyDictProxy_Type,
    &PyInstanceMethod_Type,
    &PyFunction_Type,
    &PyProperty_Type,
    &PySuper_Type,
    &PyCell_Type,
    &PyCapsule_Type,
    &Py_GenericAliasType,
};
/* clang-format on */

static PyObject **const builtin_exceptions[] = {
    &PyExc_BaseException,
    &PyExc_Exception,
    &PyExc_ArithmeticError,
    &PyExc_AssertionError,
    &PyExc_AttributeError,
    &PyExc_BlockingIOError,
    &PyExc_BrokenPipeError,
    &PyExc_BufferError,
    &PyExc_ChildProcessError,
    &PyExc_ConnectionAbortedError,
    &PyExc_ConnectionError,
    &PyExc_ConnectionRefusedError,
    &PyExc_ConnectionResetError,
    &PyExc_EOFError,
    &PyExc_FileExistsError,
    &PyExc_FileNotFoundError,
    &PyExc_FloatingPointError,
    &PyExc_GeneratorExit,
    &PyExc_ImportError,
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
    &PyExc_PermissionError,
    &PyExc_ProcessLookupError,
    &PyExc_PythonFinalizationError,
    &PyExc_RecursionError,
    &PyExc_ReferenceError,
    &PyExc_RuntimeError,
    &PyExc_StopAsyncIteration,
    &PyExc_StopIteration,
    &PyExc_SyntaxError,
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
    &PyExc_ValueError,
    &PyExc_ZeroDivisionError,
    &PyExc_Warning,
    &PyExc_BytesWarning,
    &PyExc_DeprecationWarning,
    &PyExc_EncodingWarning,
    &PyExc_FutureWarning,
    &PyExc_ImportWarning,
    &PyExc_PendingDeprecationWarning,
    &PyExc_ResourceWarning,
    &PyExc_RuntimeWarning,
    &PyExc_SyntaxWarning,
    &PyExc_UnicodeWarning,
    &PyExc_UserWarning,
};

int
ouro_types_ready_builtin(void)
{
    ouro_shared_begin();
    bool named = ouro_special_names_make();
    ouro_shared_end();
    if (!named) {
        return -1;
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(builtin_types); i++) {
        if (PyType_Ready(builtin_types[i]) < 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(builtin_exceptions); i++) {
        if (PyType_Ready((PyTypeObject *)*builtin_exceptions[i]) < 0) {
            return -1;
        }
    }
    return 0;
}
