/* SPDX-License-Identifier: MIT */
/* Code, frames and tracebacks, made as extension modules make them. */
#include "../types/special.h"

static PyFrameObject *
frame_in(PyObject *globals, const char *function, int line)
{
    PyCodeObject *code = PyCode_NewEmpty("source.c", function, line);
    REQUIRE_NOT_NULL(code);
    PyFrameObject *frame = PyFrame_New(PyThreadState_Get(), code, globals, NULL);
    REQUIRE_NOT_NULL(frame);
    Py_DECREF(code);
    return frame;
}

static void
expect_attribute(void *object, const char *name, const char *repr)
{
    PyObject *value = PyObject_GetAttrString((PyObject *)object, name);
    REQUIRE_NOT_NULL(value);
    PyObject *shown = PyObject_Repr(value);
    EXPECT_STR(PyUnicode_AsUTF8(shown), repr);
    Py_DECREF(shown);
    Py_DECREF(value);
}

TEST_PY(empty_code_has_a_name_a_file_and_a_line)
{
    PyCodeObject *code = PyCode_NewEmpty("source.c", "spam", 7);
    int line, column, end_line, end_column;
    REQUIRE(code != NULL && PyCode_Check(code));
    EXPECT_EQ(code->co_firstlineno, 7);
    EXPECT_EQ(PyCode_Addr2Line(code, 0), 7);
    EXPECT_EQ(PyCode_Addr2Location(code, 0, &line, &column, &end_line, &end_column), 1);
    EXPECT(line == 7 && end_line == 7 && column == -1 && end_column == -1);
    EXPECT_EQ(PyCode_GetNumFree(code), 0);
    expect_attribute(code, "co_name", "'spam'");
    expect_attribute(code, "co_qualname", "'spam'");
    expect_attribute(code, "co_filename", "'source.c'");
    expect_attribute(code, "co_firstlineno", "7");
    expect_attribute(code, "co_consts", "()");
    PyObject *parts[] = {PyCode_GetCode(code), PyCode_GetVarnames(code),
                         PyCode_GetCellvars(code), PyCode_GetFreevars(code)};
    EXPECT(PyBytes_CheckExact(parts[0]) && PyTuple_CheckExact(parts[1]));
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(PyObject_Size(parts[i]), 0);
        Py_DECREF(parts[i]);
    }
    PyObject *repr = PyObject_Repr((PyObject *)code);
    EXPECT_HAS(PyUnicode_AsUTF8(repr), "file \"source.c\", line 7>");
    Py_DECREF(repr);
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)&PyCode_Type));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(code);
}

TEST_PY(a_frame_of_c_code_has_parts)
{
    PyObject *globals = PyDict_New(), *locals = PyDict_New();
    PyObject *name = text("x"), *seven = number(7);
    PyCodeObject *code = PyCode_NewEmpty("source.c", "spam", 3);
    PyFrameObject *frame = PyFrame_New(PyThreadState_Get(), code, globals, locals);
    REQUIRE(frame != NULL && PyFrame_Check(frame));
    EXPECT_NULL(PyFrame_GetBack(frame));
    EXPECT_NULL(PyFrame_GetGenerator(frame));
    EXPECT_NO_ERROR();
    EXPECT_IS((PyObject *)PyFrame_GetCode(frame), (PyObject *)code);
    EXPECT_IS(PyFrame_GetGlobals(frame), globals);
    EXPECT_IS(PyFrame_GetLocals(frame), locals);
    EXPECT_IS(PyFrame_GetBuiltins(frame), PyEval_GetBuiltins());
    EXPECT_EQ(PyFrame_GetLasti(frame), -1);
    EXPECT_EQ(PyFrame_GetLineNumber(frame), 3);
    EXPECT_NULL(PyFrame_GetVar(frame, name));
    EXPECT_RAISED_TEXT(PyExc_NameError, "variable 'x' does not exist");
    PyDict_SetItem(locals, name, seven);
    EXPECT_IS(PyFrame_GetVarString(frame, "x"), seven);
    EXPECT_NULL(PyFrame_GetVar(frame, seven));
    EXPECT_RAISED(PyExc_TypeError);
    PyFrame_FastToLocals(frame);
    PyFrame_LocalsToFast(frame, 1);
    EXPECT_EQ(PyFrame_FastToLocalsWithError(frame), 0);
    expect_attribute(frame, "f_lineno", "3");
    expect_attribute(frame, "f_lasti", "-1");
    expect_attribute(frame, "f_back", "None");
    expect_attribute(frame, "f_locals", "{'x': 7}");
    Py_DECREF(frame);
    EXPECT_NULL(PyFrame_New(PyThreadState_Get(), code, Py_None, NULL));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(code);
    Py_DECREF(name);
    Py_DECREF(seven);
    Py_DECREF(locals);
    Py_DECREF(globals);
}

TEST_PY(locals_that_were_not_given_are_an_empty_dict)
{
    PyObject *globals = PyDict_New();
    PyFrameObject *frame = frame_in(globals, "spam", 1);
    PyObject *locals = PyFrame_GetLocals(frame);
    EXPECT(locals != globals && PyDict_CheckExact(locals) && PyDict_Size(locals) == 0);
    EXPECT_IS(PyFrame_GetLocals(frame), locals);
    Py_DECREF(locals);
    Py_DECREF(frame);
    Py_DECREF(globals);
}

TEST_PY(a_cycle_through_a_frame_is_collected)
{
    PyObject *globals = PyDict_New();
    PyFrameObject *frame = frame_in(globals, "spam", 1);
    PyDict_SetItemString(globals, "frame", (PyObject *)frame);
    Py_DECREF(frame);
    Py_DECREF(globals);
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST_PY(a_traceback_grows_at_its_front)
{
    PyObject *globals = PyDict_New();
    PyFrameObject *inner = frame_in(globals, "inner", 5),
                  *outer = frame_in(globals, "outer", 9);
    PyErr_SetString(PyExc_ValueError, "spam");
    EXPECT_EQ(PyTraceBack_Here(inner), 0);
    EXPECT_EQ(PyTraceBack_Here(outer), 0);
    PyObject *exc = PyErr_GetRaisedException();
    PyTracebackObject *tb = (PyTracebackObject *)PyException_GetTraceback(exc);
    REQUIRE(tb != NULL && PyTraceBack_Check((PyObject *)tb));
    EXPECT(tb->tb_frame == outer && tb->tb_lineno == 9 && tb->tb_lasti == -1);
    EXPECT(tb->tb_next != NULL && tb->tb_next->tb_frame == inner);
    EXPECT_NULL(tb->tb_next->tb_next);
    expect_attribute(tb, "tb_lineno", "9");
    expect_attribute(tb->tb_next, "tb_next", "None");
    Py_DECREF(tb);
    /* The exception refers to the traceback, its frame to the dict, and the dict back. */
    PyDict_SetItemString(globals, "exc", exc);
    Py_DECREF(exc);
    Py_DECREF(inner);
    Py_DECREF(outer);
    Py_DECREF(globals);
    EXPECT_EQ(PyGC_Collect(), 6);
}

TEST_PY(a_traceback_needs_an_exception)
{
    PyObject *globals = PyDict_New();
    PyFrameObject *frame = frame_in(globals, "spam", 1);
    EXPECT_EQ(PyTraceBack_Here(frame), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(frame);
    Py_DECREF(globals);
}

TEST_PY(a_traceback_is_printed_as_python_does,
        .stderr_has = "Traceback (most recent call last):\n"
                      "  File \"source.c\", line 9, in outer\n")
{
    PyObject *globals = PyDict_New(), *file = PySys_GetObject("stderr");
    PyFrameObject *frame = frame_in(globals, "outer", 9);
    PyErr_SetString(PyExc_ValueError, "spam");
    PyTraceBack_Here(frame);
    PyObject *exc = PyErr_GetRaisedException(), *tb = PyException_GetTraceback(exc);
    EXPECT_EQ(PyTraceBack_Print(tb, file), 0);
    EXPECT_EQ(PyTraceBack_Print(Py_None, file), 0);
    EXPECT_EQ(PyTraceBack_Print(exc, file), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(tb);
    Py_DECREF(exc);
    Py_DECREF(frame);
    Py_DECREF(globals);
}
