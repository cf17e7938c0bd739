/* SPDX-License-Identifier: MIT */
/* The names that pythoncapi_compat.h gives to sources for old versions, used as such sources use
 * them. Many modern extension modules include that header. If a name is missing, this file does
 * not compile. If a name does something else, a test fails. */
#include "../types/special.h"

/* Inline functions that the header defines for every version; they are not called. */
static inline PyCodeObject *
borrow_code(PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    Py_DECREF(code);
    return code;
}

static inline PyFrameObject *
borrow_frame(PyThreadState *thread)
{
    PyFrameObject *frame = PyThreadState_GetFrame(thread);
    Py_XDECREF(frame);
    return frame;
}

TEST_PY(frames_are_borrowed_as_the_header_does)
{
    PyObject *globals = PyDict_New(), *locals;
    PyCodeObject *code = PyCode_NewEmpty("a.c", "f", 1);
    PyFrameObject *frame = PyFrame_New(PyThreadState_GET(), code, globals, NULL);
    EXPECT_NULL(borrow_frame(PyThreadState_GetUnchecked()));
    EXPECT_EQ(borrow_code(frame), code);
    EXPECT_NULL(PyFrame_GetBack(frame));
    EXPECT_EQ(PyFrame_GetLasti(frame), -1);
    locals = PyFrame_GetLocals(frame);
    EXPECT(PyDict_Check(locals));
    EXPECT_IS(PyFrame_GetGlobals(frame), globals);
    EXPECT_IS(PyFrame_GetBuiltins(frame), PyEval_GetBuiltins());
    EXPECT_NULL(PyFrame_GetVarString(frame, "x"));
    EXPECT_RAISED(PyExc_NameError);
    PyThreadState_EnterTracing(PyThreadState_Get());
    PyThreadState_LeaveTracing(PyThreadState_Get());
    EXPECT(PyThreadState_GetInterpreter(PyThreadState_Get()) == PyInterpreterState_Get());
    Py_DECREF(locals);
    Py_DECREF(frame);
    Py_DECREF(code);
    Py_DECREF(globals);
}

TEST_PY(references_and_calls_have_the_newer_names)
{
    PyObject *list = PyList_New(0), *none = Py_XNewRef(Py_None), *value = NULL;
    Py_SETREF(none, Py_NewRef(Py_None));
    Py_XSETREF(value, Py_NewRef(list));
    EXPECT(Py_Is(value, list) && Py_IsNone(none) && Py_IsTrue(Py_True) &&
           Py_IsFalse(Py_False));
    Py_CLEAR(value);
    EXPECT(PyObject_GC_IsTracked(list) && !PyObject_GC_IsFinalized(list));
    EXPECT(PyUnstable_Object_IsUniquelyReferenced(list) == 1);
    EXPECT_EQ(PyList_Extend(list, Py_GetConstantBorrowed(Py_CONSTANT_EMPTY_TUPLE)), 0);
    PyObject *made = PyObject_CallNoArgs((PyObject *)&PyDict_Type);
    EXPECT_EQ(PyDict_SetDefaultRef(made, none, list, &value), 0);
    Py_CLEAR(value);
    EXPECT_EQ(PyDict_GetItemRef(made, none, &value), 1);
    Py_CLEAR(value);
    EXPECT_EQ(PyDict_ContainsString(made, "x"), 0);
    EXPECT_EQ(PyDict_Pop(made, none, &value), 1);
    Py_CLEAR(value);
    EXPECT_EQ(PyDict_PopString(made, "x", NULL), 0);
    EXPECT_EQ(PyObject_GetOptionalAttrString(list, "x", &value), 0);
    EXPECT_EQ(PyObject_HasAttrStringWithError(list, "append"), 1);
    EXPECT_EQ(PyMapping_GetOptionalItemString(made, "x", &value), 0);
    EXPECT_EQ(PyMapping_HasKeyStringWithError(made, "x"), 0);
    EXPECT_NULL(PyList_GetItemRef(list, 0));
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_EQ(PyIter_NextItem(list, &value), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(made);
    Py_DECREF(list);
}

TEST_PY(text_numbers_and_clocks_have_the_newer_names)
{
    PyObject *s = PyUnicode_FromString("spam"), *hash = PyLong_FromLong(3);
    PyTime_t now;
    int sign;
    EXPECT_EQ(PyUnstable_Unicode_GET_CACHED_HASH(s), -1);
    Py_hash_t known = PyObject_Hash(s);
    EXPECT_EQ(PyUnstable_Unicode_GET_CACHED_HASH(s), known);
    EXPECT(PyUnicode_EqualToUTF8(s, "spam") && PyUnicode_Equal(s, s) == 1);
    EXPECT(PyLong_IsPositive(hash) == 1 && PyLong_IsZero(hash) == 0);
    EXPECT(PyLong_GetSign(hash, &sign) == 0 && sign == 1 && PyLong_AsInt(hash) == 3);
    EXPECT(PyTime_Time(&now) == 0 && PyTime_Monotonic(&now) == 0);
    EXPECT(PyHASH_BITS == 61 && PyHASH_IMAG == 1000003 && PyHASH_INF == 314159);
    EXPECT_NE(Py_HashBuffer("a", 1), 0);
    EXPECT_NE(Py_HashPointer(s), 0);
    EXPECT(!Py_IsFinalizing());
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(0);
    EXPECT_EQ(PyUnicodeWriter_WriteStr(writer, s), 0);
    EXPECT_REPR_OF(PyUnicodeWriter_Finish(writer), "'spam'");
    PyMutex mutex = {0};
    PyMutex_Lock(&mutex);
    PyMutex_Unlock(&mutex);
    Py_BEGIN_CRITICAL_SECTION(s);
    Py_END_CRITICAL_SECTION();
    Py_DECREF(hash);
    Py_DECREF(s);
}

TEST_PY(modules_weak_references_and_imports_have_the_newer_names)
{
    PyObject *module = PyImport_AddModuleRef("spam"), *found;
    EXPECT_EQ(PyModule_Add(module, "a", PyLong_FromLong(1)), 0);
    EXPECT_EQ(PyModule_AddObjectRef(module, "b", Py_None), 0);
    EXPECT_EQ(PyModule_AddType(module, &PyList_Type), 0);
    PyObject *weak = PyWeakref_NewRef(module, NULL);
    EXPECT_EQ(PyWeakref_GetRef(weak, &found), 1);
    EXPECT_EQ(PyWeakref_IsDead(weak), 0);
    Py_DECREF(found);
    Py_DECREF(weak);
    Py_DECREF(module);
    found = PyImport_ImportModuleAttrString("gc", "collect");
    EXPECT_NOT_NULL(found);
    Py_XDECREF(found);
    EXPECT_EQ(PySys_GetOptionalAttrString("spam", &found), 0);
    found = PyErr_GetHandledException();
    EXPECT_NULL(found);
    PyErr_SetHandledException(NULL);
}
