/* SPDX-License-Identifier: MIT */
/* Modules that the program supplies. */
#include "../protocol.h"

static PyModuleDef spam_def = {PyModuleDef_HEAD_INIT, .m_name = "spam"};
static PyModuleDef_Slot no_slots[] = {{0, NULL}};

static PyObject *
init_spam(void)
{
    spam_def.m_slots = no_slots;
    return PyModuleDef_Init(&spam_def);
}

TEST(a_program_brings_modules_for_one_life_of_the_library)
{
    EXPECT_EQ(PyImport_AppendInittab("spam", init_spam), 0);
    struct _inittab more[] = {{"eggs", init_spam}, {"ham", init_spam}, {NULL, NULL}};
    EXPECT_EQ(PyImport_ExtendInittab(more), 0);
    EXPECT_EQ(PyImport_ExtendInittab(more + 2), 0); /* empty */
    Py_Initialize();
    EXPECT_REPR_OF(PyImport_ImportModule("spam"), "<module 'spam' (built-in)>");
    EXPECT_REPR_OF(PyImport_ImportModule("ham"), "<module 'ham' (built-in)>");
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("sys", "builtin_module_names"),
                   "('_weakref', 'builtins', 'eggs', 'gc', 'ham', 'spam', 'sys', "
                   "'weakref')");
    EXPECT_EQ(Py_FinalizeEx(), 0);
    Py_Initialize();
    EXPECT_NULL(PyImport_ImportModule("spam"));
    EXPECT_RAISED_TEXT(PyExc_ModuleNotFoundError, "No module named 'spam'");
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

TEST_PY(a_program_may_replace_a_module_of_the_library)
{
    EXPECT_EQ(PyImport_AppendInittab("gc", init_spam), 0);
    PyObject *module = PyImport_ImportModule("gc");
    EXPECT_EQ(PyModule_GetDef(module), &spam_def);
    Py_DECREF(module);
}
