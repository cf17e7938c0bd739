/* SPDX-License-Identifier: MIT */
/* Running Python code fails with an exception that says why. */
#include "../protocol.h"

TEST_PY(running_python_code_says_that_there_is_none)
{
    PyObject *dict = PyDict_New();
    EXPECT_NULL(PyRun_String("1", Py_eval_input, dict, dict));
    EXPECT_RAISED_TEXT(PyExc_NotImplementedError,
                       "PyRun_String: there is no Python code in this program");
    EXPECT_NULL(PyRun_StringFlags("1", Py_file_input, dict, dict, NULL));
    EXPECT_RAISED(PyExc_NotImplementedError);
    EXPECT_NULL(PyRun_FileExFlags(tmpfile(), "spam", Py_file_input, dict, dict, 1, NULL));
    EXPECT_RAISED(PyExc_NotImplementedError);
    EXPECT_NULL(Py_CompileStringExFlags("1", "spam", Py_single_input, NULL, -1));
    EXPECT_RAISED(PyExc_NotImplementedError);
    EXPECT_NULL(PyEval_EvalCode(Py_None, dict, dict));
    EXPECT_RAISED(PyExc_NotImplementedError);
    EXPECT_NULL(PyImport_ExecCodeModuleEx("spam", Py_None, NULL));
    EXPECT_RAISED(PyExc_NotImplementedError);
    EXPECT_NULL(
        PyEval_EvalCodeEx(Py_None, dict, dict, NULL, 0, NULL, 0, NULL, 0, NULL, NULL));
    EXPECT_RAISED(PyExc_NotImplementedError);
    EXPECT_NULL(PyEval_EvalFrame(NULL));
    EXPECT_RAISED(PyExc_NotImplementedError);
    EXPECT_NULL(PyEval_EvalFrameEx(NULL, 0));
    EXPECT_RAISED(PyExc_NotImplementedError);
    EXPECT_NULL(PyImport_ExecCodeModuleObject(Py_None, Py_None, NULL, NULL));
    EXPECT_RAISED(PyExc_NotImplementedError);
    EXPECT_NULL(PyImport_ExecCodeModuleWithPathnames("spam", Py_None, NULL, NULL));
    EXPECT_RAISED(PyExc_NotImplementedError);
    Py_DECREF(dict);
}

TEST_PY(no_module_is_frozen)
{
    EXPECT_EQ(PyImport_ImportFrozenModule("spam"), 0);
    EXPECT_EQ(PyImport_ImportFrozenModuleObject(Py_None), 0);
    EXPECT_NO_ERROR();
}

TEST_PY(the_simple_forms_print_it, .stderr_has = "NotImplementedError: PyRun_SimpleFile:")
{
    EXPECT_EQ(PyRun_SimpleStringFlags("1", NULL), -1);
    EXPECT_EQ(PyRun_SimpleFileExFlags(tmpfile(), "spam", 1, NULL), -1);
    EXPECT_NO_ERROR();
}
