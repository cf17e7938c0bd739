/* SPDX-License-Identifier: MIT */
/* The exception types and their bases. */
#include "../protocol.h"

TEST_PY(the_hierarchy_is_that_of_python)
{
    PyObject *pairs[][2] = {{PyExc_Exception, PyExc_BaseException},
                            {PyExc_GeneratorExit, PyExc_BaseException},
                            {PyExc_KeyboardInterrupt, PyExc_BaseException},
                            {PyExc_SystemExit, PyExc_BaseException},
                            {PyExc_ArithmeticError, PyExc_Exception},
                            {PyExc_OverflowError, PyExc_ArithmeticError},
                            {PyExc_ZeroDivisionError, PyExc_ArithmeticError},
                            {PyExc_FloatingPointError, PyExc_ArithmeticError},
                            {PyExc_AssertionError, PyExc_Exception},
                            {PyExc_AttributeError, PyExc_Exception},
                            {PyExc_BufferError, PyExc_Exception},
                            {PyExc_EOFError, PyExc_Exception},
                            {PyExc_ImportError, PyExc_Exception},
                            {PyExc_ModuleNotFoundError, PyExc_ImportError},
                            {PyExc_LookupError, PyExc_Exception},
                            {PyExc_IndexError, PyExc_LookupError},
                            {PyExc_KeyError, PyExc_LookupError},
                            {PyExc_MemoryError, PyExc_Exception},
                            {PyExc_NameError, PyExc_Exception},
                            {PyExc_OSError, PyExc_Exception},
                            {PyExc_TimeoutError, PyExc_OSError},
                            {PyExc_ReferenceError, PyExc_Exception},
                            {PyExc_RuntimeError, PyExc_Exception},
                            {PyExc_NotImplementedError, PyExc_RuntimeError},
                            {PyExc_RecursionError, PyExc_RuntimeError},
                            {PyExc_StopIteration, PyExc_Exception},
                            {PyExc_StopAsyncIteration, PyExc_Exception},
                            {PyExc_SyntaxError, PyExc_Exception},
                            {PyExc_SystemError, PyExc_Exception},
                            {PyExc_TypeError, PyExc_Exception},
                            {PyExc_ValueError, PyExc_Exception},
                            {PyExc_UnicodeError, PyExc_ValueError},
                            {PyExc_UnicodeDecodeError, PyExc_UnicodeError},
                            {PyExc_UnicodeEncodeError, PyExc_UnicodeError},
                            {PyExc_UnicodeTranslateError, PyExc_UnicodeError},
                            {PyExc_Warning, PyExc_Exception},
                            {PyExc_DeprecationWarning, PyExc_Warning},
                            {PyExc_PendingDeprecationWarning, PyExc_Warning},
                            {PyExc_ResourceWarning, PyExc_Warning},
                            {PyExc_RuntimeWarning, PyExc_Warning},
                            {PyExc_UserWarning, PyExc_Warning}};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(pairs); i++) {
        EXPECT_EQ(((PyTypeObject *)pairs[i][0])->tp_base, (PyTypeObject *)pairs[i][1]);
        EXPECT(PyExceptionClass_Check(pairs[i][0]));
        PyTypeObject *type = (PyTypeObject *)pairs[i][0];
        EXPECT(PyType_IS_GC(type) && type->tp_traverse != NULL && type->tp_clear != NULL);
    }
    EXPECT_STR(PyExceptionClass_Name(PyExc_ValueError), "ValueError");
}

TEST_PY(a_key_error_shows_its_key_as_written)
{
    PyObject *empty = text(""), *e = PyObject_CallOneArg(PyExc_KeyError, empty);
    EXPECT_REPR_OF(PyObject_Str(e), "\"''\"");
    Py_DECREF(e);
}
