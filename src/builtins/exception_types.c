/* SPDX-License-Identifier: MIT */
/* The exception types, and the pointers PyExc_*. */
#include "exception_object.h"

/* A type that adds nothing to its base but a name. */
#define SIMPLE_EXCEPTION(name, base, doc)                                                \
    PyTypeObject ouro_##name = {                                                         \
        PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = #name,                          \
        .tp_basicsize = sizeof(PyBaseExceptionObject),                                   \
        .tp_dealloc = ouro_exception_dealloc,                                            \
        .tp_flags = OURO_EXCEPTION_FLAGS,                                                \
        .tp_doc = doc,                                                                   \
        .tp_traverse = ouro_exception_traverse,                                          \
        .tp_clear = ouro_exception_clear,                                                \
        .tp_base = &ouro_##base,                                                         \
        .tp_dictoffset = offsetof(PyBaseExceptionObject, dict),                          \
        .tp_init = ouro_exception_init,                                                  \
        .tp_alloc = PyType_GenericAlloc,                                                 \
        .tp_new = ouro_exception_new,                                                    \
        .tp_free = PyObject_GC_Del,                                                      \
    };                                                                                   \
    EXPORTED(name)
#define EXPORTED(name) PyObject *PyExc_##name = (PyObject *)&ouro_##name;

/* KeyError shows the repr of the key, because '' and a missing message would look alike. */
static PyObject *
key_error_str(PyObject *self)
{
    PyObject *args = ouro_exception(self)->args;
    if (args != NULL && PyTuple_GET_SIZE(args) == 1) {
        return PyObject_Repr(PyTuple_GET_ITEM(args, 0));
    }
    return ouro_exception_str(self);
}

/* clang-format off */
EXPORTED(BaseException)
SIMPLE_EXCEPTION(Exception, BaseException, "Common base class for all non-exit exceptions.")
SIMPLE_EXCEPTION(GeneratorExit, BaseException, "Request that a generator exit.")
SIMPLE_EXCEPTION(KeyboardInterrupt, BaseException, "Program interrupted by user.")
EXPORTED(SystemExit)

SIMPLE_EXCEPTION(ArithmeticError, Exception, "Base class for arithmetic errors.")
SIMPLE_EXCEPTION(FloatingPointError, ArithmeticError, "Floating-point operation failed.")
SIMPLE_EXCEPTION(OverflowError, ArithmeticError, "Result too large to be represented.")
SIMPLE_EXCEPTION(ZeroDivisionError, ArithmeticError, "Division or modulo by zero.")

SIMPLE_EXCEPTION(AssertionError, Exception, "Assertion failed.")
EXPORTED(AttributeError)
SIMPLE_EXCEPTION(BufferError, Exception, "Buffer error.")
SIMPLE_EXCEPTION(EOFError, Exception, "Read beyond end of file.")
EXPORTED(ImportError)
PyTypeObject ouro_ModuleNotFoundError;
EXPORTED(ModuleNotFoundError)
SIMPLE_EXCEPTION(LookupError, Exception, "Base class for lookup errors.")
SIMPLE_EXCEPTION(IndexError, LookupError, "Sequence index out of range.")
PyTypeObject ouro_KeyError;
EXPORTED(KeyError)
SIMPLE_EXCEPTION(MemoryError, Exception, "Out of memory.")
EXPORTED(NameError)
PyTypeObject ouro_UnboundLocalError;
EXPORTED(UnboundLocalError)
SIMPLE_EXCEPTION(ReferenceError, Exception, "Weak ref proxy used after referent went away.")
SIMPLE_EXCEPTION(RuntimeError, Exception, "Unspecified run-time error.")
SIMPLE_EXCEPTION(NotImplementedError, RuntimeError,
                 "Method or function hasn't been implemented yet.")
SIMPLE_EXCEPTION(RecursionError, RuntimeError, "Recursion limit exceeded.")
SIMPLE_EXCEPTION(PythonFinalizationError, RuntimeError,
                 "Operation blocked during Python finalization.")
SIMPLE_EXCEPTION(StopAsyncIteration, Exception,
                 "Signal the end from iterator.__anext__().")
EXPORTED(StopIteration)
EXPORTED(SyntaxError)
PyTypeObject ouro_IndentationError, ouro_TabError;
EXPORTED(IndentationError)
EXPORTED(TabError)
SIMPLE_EXCEPTION(SystemError, Exception,
                 "Internal error: a C function was called with wrong arguments.")
SIMPLE_EXCEPTION(TypeError, Exception, "Inappropriate argument type.")
SIMPLE_EXCEPTION(ValueError, Exception,
                 "Inappropriate argument value (of correct type).")
SIMPLE_EXCEPTION(UnicodeError, ValueError, "Unicode related error.")
EXPORTED(UnicodeDecodeError)
EXPORTED(UnicodeEncodeError)
EXPORTED(UnicodeTranslateError)

SIMPLE_EXCEPTION(Warning, Exception, "Base class for warning categories.")
SIMPLE_EXCEPTION(BytesWarning, Warning,
                 "Warnings about bytes and buffer related problems.")
SIMPLE_EXCEPTION(DeprecationWarning, Warning, "Warnings about deprecated features.")
SIMPLE_EXCEPTION(EncodingWarning, Warning, "Warnings about encodings.")
SIMPLE_EXCEPTION(FutureWarning, Warning,
                 "Warnings about constructs that will change in the future.")
SIMPLE_EXCEPTION(ImportWarning, Warning, "Warnings about probable mistakes in imports.")
SIMPLE_EXCEPTION(PendingDeprecationWarning, Warning,
                 "Warnings about features which will be deprecated in the future.")
SIMPLE_EXCEPTION(ResourceWarning, Warning, "Warnings about resource usage.")
SIMPLE_EXCEPTION(RuntimeWarning, Warning, "Warnings about dubious runtime behavior.")
SIMPLE_EXCEPTION(SyntaxWarning, Warning, "Warnings about dubious syntax.")
SIMPLE_EXCEPTION(UnicodeWarning, Warning, "Warnings about Unicode related problems.")
SIMPLE_EXCEPTION(UserWarning, Warning, "Warnings generated by user code.")

PyTypeObject ouro_KeyError = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0)
    .tp_name = "KeyError",
    .tp_basicsize = sizeof(PyBaseExceptionObject),
    .tp_dealloc = ouro_exception_dealloc,
    .tp_str = key_error_str,
    .tp_flags = OURO_EXCEPTION_FLAGS,
    .tp_doc = "Mapping key not found.",
    .tp_traverse = ouro_exception_traverse,
    .tp_clear = ouro_exception_clear,
    .tp_base = &ouro_LookupError,
    .tp_dictoffset = offsetof(PyBaseExceptionObject, dict),
    .tp_init = ouro_exception_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = ouro_exception_new,
    .tp_free = PyObject_GC_Del,
};

/* Subtypes of types with fields; they have their base's initialiser. */
#define FIELDS_SUBTYPE(name, count, base, doc)                                           \
    PyTypeObject ouro_##name = {                                                         \
        OURO_EXCEPTION_TYPE(#name, count),                                               \
        .tp_doc = doc,                                                                   \
        .tp_base = &ouro_##base,                                                         \
        .tp_new = ouro_exception_new,                                                    \
    };
FIELDS_SUBTYPE(ModuleNotFoundError, 5, ImportError, "Module not found.")
FIELDS_SUBTYPE(UnboundLocalError, 2, NameError,
               "Local name referenced but not bound to a value.")
FIELDS_SUBTYPE(IndentationError, 2, SyntaxError, "Improper indentation.")
FIELDS_SUBTYPE(TabError, 2, IndentationError, "Improper mixture of spaces and tabs.")
/* clang-format on */
