/* SPDX-License-Identifier: MIT */
/* PyState_FindModule and its companions. */
#include "../protocol.h"

static PyModuleDef one = {PyModuleDef_HEAD_INIT, .m_name = "one", .m_size = -1};
static PyModuleDef two = {PyModuleDef_HEAD_INIT, .m_name = "two", .m_size = -1};

TEST_PY(a_module_is_found_by_its_definition)
{
    EXPECT_NULL(PyState_FindModule(&one));
    PyObject *first = PyModule_Create(&one), *second = PyModule_Create(&two);
    EXPECT_NULL(PyState_FindModule(&one));
    EXPECT_EQ(PyState_AddModule(first, &one), 0);
    EXPECT_EQ(PyState_AddModule(second, &two), 0);
    EXPECT_EQ(Py_REFCNT(first), 2);
    EXPECT_SAME_COUNT(first, EXPECT_EQ(PyState_FindModule(&one), first));
    EXPECT_EQ(PyState_FindModule(&two), second);
    EXPECT_EQ(PyState_AddModule(second, &one), 0); /* replaces */
    EXPECT_EQ(Py_REFCNT(first), 1);
    EXPECT_EQ(PyState_FindModule(&one), second);
    EXPECT_EQ(PyState_RemoveModule(&one), 0);
    EXPECT_NULL(PyState_FindModule(&one));
    EXPECT_EQ(PyState_RemoveModule(&one), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(first);
    Py_DECREF(second);
}

TEST_PY(each_interpreter_has_its_own)
{
    PyObject *module = PyModule_Create(&one);
    PyState_AddModule(module, &one);
    PyThreadState *main_thread = PyThreadState_Get();
    PyThreadState *thread = Py_NewInterpreter();
    EXPECT_NULL(PyState_FindModule(&one));
    PyObject *other = PyModule_Create(&one);
    PyState_AddModule(other, &one);
    Py_DECREF(other);
    Py_EndInterpreter(thread);
    PyThreadState_Swap(main_thread);
    EXPECT_EQ(PyState_FindModule(&one), module);
    Py_DECREF(module);
}

TEST_PY(definitions_with_slots_have_no_place)
{
    static PyModuleDef_Slot slots[] = {{0, NULL}};
    static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "m", .m_slots = slots};
    EXPECT_EQ(PyState_AddModule(Py_None, &def), -1);
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "PyState_AddModule called on module with slots");
    EXPECT_EQ(PyState_RemoveModule(&def), -1);
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "PyState_RemoveModule called on module with slots");
    EXPECT_NULL(PyState_FindModule(&def));
    EXPECT_EQ(PyState_AddModule(Py_None, NULL), -1);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "module definition is NULL");
}
