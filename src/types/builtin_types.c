/* SPDX-License-Identifier: MIT */
/* The static types of the library, and when they are finished.
 *
 * The first ones are finished when the library starts, in the order of need: `type` and
 * `object`, what dicts of types consist of, types with static instances, list and float. Until
 * then those types work with the static slots and flags of their definitions; they have
 * inherited nothing yet. All others are finished when they are first used (ouro_type_use). That
 * makes the start short, and leaves types out of programs that do not use them: code that is
 * part of every program must not refer to `later_types` or `exceptions`. */
#include "../thread/interpreter.h"
#include "slot_methods.h"

/* One type a line, so that adding a type changes one line. */
/* clang-format off */
static PyTypeObject *const first_types[] = {
    &PyBaseObject_Type,
    &PyType_Type,
    &PyUnicode_Type,
    &PyTuple_Type,
    &PyDict_Type,
    &PyWrapperDescr_Type,
    &PyMethodDescr_Type,
    &PyClassMethodDescr_Type,
    &PyMemberDescr_Type,
    &PyGetSetDescr_Type,
    &PyStaticMethod_Type,
    &PyCFunction_Type,
    &_PyNone_Type,
    &_PyNotImplemented_Type,
    &PyEllipsis_Type,
    &PyLong_Type,
    &PyBool_Type,
    &PyBytes_Type,
    &PyFloat_Type,
    &PyList_Type,
};

static PyTypeObject *const later_types[] = {
    &_PyMethodWrapper_Type,
    &PyClassMethod_Type,
    &PyCMethod_Type,
    &PyMethod_Type,
    &PyModuleDef_Type,
    &PyModule_Type,
    &PyUnicodeIter_Type,
    &PyComplex_Type,
    &PyByteArray_Type,
    &PyMemoryView_Type,
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

static PyObject **const exceptions[] = {
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

static bool
finish_types(PyTypeObject *const *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (PyType_Ready(types[i]) < 0) {
            return false;
        }
    }
    return true;
}

bool ouro_types_have_started;

int
ouro_types_start(void)
{
    ouro_shared_begin();
    bool done = ouro_special_names_make() &&
                finish_types(first_types, Py_ARRAY_LENGTH(first_types));
    __atomic_store_n(&ouro_types_have_started, done, __ATOMIC_RELEASE);
    ouro_shared_end();
    return done && (!OURO_CHECK || ouro_types_finish_all()) ? 0 : -1;
}

bool
ouro_types_finish_all(void)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(exceptions); i++) {
        if (PyType_Ready((PyTypeObject *)*exceptions[i]) < 0) {
            return false;
        }
    }
    return finish_types(later_types, Py_ARRAY_LENGTH(later_types));
}
