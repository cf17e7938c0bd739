/* SPDX-License-Identifier: MIT */
/* What init functions may return, and single-phase modules that are imported again. */
#include "../protocol.h"

static PyObject *
return_self(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return Py_NewRef(self);
}

static PyMethodDef functions[] = {{"me", return_self, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
static PyModuleDef global_def = {PyModuleDef_HEAD_INIT, .m_name = "global_state",
                                 .m_size = -1, .m_methods = functions};
static PyModuleDef again_def = {PyModuleDef_HEAD_INIT, .m_name = "again", .m_size = 8,
                                .m_methods = functions};
static int global_inits, again_inits;

static PyObject *
init_global(void)
{
    global_inits++;
    PyObject *module = PyModule_Create(&global_def);
    if (module != NULL) {
        PyModule_Add(module, "list", PyList_New(0));
    }
    return module;
}

static PyObject *
init_again(void)
{
    again_inits++;
    PyObject *module = PyModule_Create(&again_def);
    PyModule_Add(module, "list", PyList_New(0));
    return module;
}

static PyObject *
init_nothing(void)
{
    return NULL;
}

static PyObject *
init_and_raise(void)
{
    PyErr_SetString(PyExc_ValueError, "left behind");
    return Py_None;
}

static PyObject *
init_number(void)
{
    return PyLong_FromLong(1000);
}

static PyObject *
init_without_definition(void)
{
    return PyModule_New("spam");
}

static PyModuleDef unready_def = {PyModuleDef_HEAD_INIT, .m_name = "unready"};

static PyObject *
init_unready(void)
{
    return (PyObject *)&unready_def;
}

/* Import the module with this init function, and expect a SystemError. */
static void
expect_failure(PyObject *(*init)(void), const char *message)
{
    PyImport_AppendInittab("spam", init);
    EXPECT_NULL(PyImport_ImportModule("spam"));
    EXPECT_RAISED_TEXT(PyExc_SystemError, message);
    _PyImport_ResetInittab();
}

TEST_PY(init_functions_that_fail_are_explained)
{
    expect_failure(init_nothing,
                   "initialization of spam failed without raising an exception");
    expect_failure(init_and_raise, "initialization of spam raised unreported exception");
    expect_failure(init_number,
                   "initialization of spam did not return an extension module");
    expect_failure(init_without_definition,
                   "initialization of spam did not return a valid extension module");
    expect_failure(init_unready, "init function of spam returned uninitialized object");
}

static PyObject *
forget_and_import(const char *name)
{
    PyDict_DelItemString(PyImport_GetModuleDict(), name);
    return PyImport_ImportModule(name);
}

TEST_PY(a_module_with_global_state_is_copied_when_imported_again)
{
    PyImport_AppendInittab("global_state", init_global);
    PyObject *first = PyImport_ImportModule("global_state");
    REQUIRE_NOT_NULL(first);
    EXPECT_EQ(PyState_FindModule(&global_def), first);
    EXPECT_EQ(global_def.m_base.m_init, init_global);
    PyModule_AddIntConstant(first, "added_later", 1);
    PyObject *second = forget_and_import("global_state");
    EXPECT_NE(second, first);
    EXPECT_EQ(global_inits, 1);
    PyObject *list = PyObject_GetAttrString(first, "list");
    PyObject *same_list = PyObject_GetAttrString(second, "list");
    EXPECT_EQ(same_list, list);
    EXPECT_EQ(PyObject_HasAttrString(second, "added_later"), 0);
    Py_XDECREF(list);
    Py_XDECREF(same_list);
    Py_DECREF(first);
    Py_DECREF(second);
}

TEST_PY(a_module_with_state_of_its_own_is_made_again)
{
    PyImport_AppendInittab("again", init_again);
    PyObject *first = PyImport_ImportModule("again");
    PyObject *second = forget_and_import("again");
    EXPECT_NE(second, first);
    EXPECT_EQ(again_inits, 2);
    EXPECT_NE(PyModule_GetState(second), PyModule_GetState(first));
    EXPECT_EQ(PyState_FindModule(&again_def), second);
    Py_DECREF(first);
    Py_DECREF(second);
}

TEST_PY(global_state_is_for_the_main_interpreter_alone)
{
    PyImport_AppendInittab("global_state", init_global);
    PyImport_AppendInittab("again", init_again);
    PyThreadState *main_thread = PyThreadState_Get();
    PyThreadState *thread = Py_NewInterpreter();
    EXPECT_NULL(PyImport_ImportModule("global_state"));
    EXPECT_RAISED_TEXT(PyExc_ImportError,
                       "module global_state does not support loading in subinterpreters");
    Py_XDECREF(PyImport_ImportModule("again"));
    EXPECT_NO_ERROR();
    Py_EndInterpreter(thread);
    PyThreadState_Swap(main_thread);
}

/* A single-phase module knows only the last part of its name. */
static int
become_package(PyObject *module)
{
    return PyModule_Add(module, "__path__", PyList_New(0));
}

static PyObject *
init_package(void)
{
    static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)become_package}, {0, NULL}};
    static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "package"};
    def.m_slots = slots;
    return PyModuleDef_Init(&def);
}

TEST_PY(a_single_phase_module_of_a_package_gets_its_full_name)
{
    PyImport_AppendInittab("package", init_package);
    PyImport_AppendInittab("package.again", init_again);
    PyObject *module = PyImport_ImportModule("package.again");
    REQUIRE_NOT_NULL(module);
    EXPECT_STR(PyModule_GetName(module), "package.again");
    EXPECT_NULL(_PyImport_Context());
    Py_DECREF(module);
}

TEST_PY(an_init_function_makes_a_module_for_a_spec)
{
    PyObject *name = text("made"), *spec = Ouro_ModuleSpecNew(name, NULL, 0);
    PyObject *module = PyImport_CreateModuleFromInitfunc(spec, init_package);
    EXPECT_STR(PyModule_GetName(module), "made");
    EXPECT_EQ(PyModule_Exec(module), 0);
    EXPECT_EQ(PyDict_ContainsString(PyImport_GetModuleDict(), "made"), 0);
    Py_DECREF(module);
    EXPECT_NULL(PyImport_CreateModuleFromInitfunc(spec, NULL));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyImport_CreateModuleFromInitfunc(Py_None, init_package));
    EXPECT_RAISED(PyExc_AttributeError);
    Py_DECREF(spec);
    Py_DECREF(name);
}

TEST_PY(a_file_that_cannot_be_loaded_says_why)
{
    EXPECT_NULL(Ouro_ImportFile("spam", "/nowhere/spam.so"));
    PyObject *error = PyErr_GetRaisedException();
    EXPECT_EQ(Py_TYPE(error), PyExc_ImportError);
    EXPECT_REPR_OF(PyObject_GetAttrString(error, "name"), "'spam'");
    EXPECT_REPR_OF(PyObject_GetAttrString(error, "path"), "'/nowhere/spam.so'");
    Py_DECREF(error);
    PyObject *gc = Ouro_ImportFile("sys", "/nowhere/spam.so"); /* it is there already */
    EXPECT_NOT_NULL(gc);
    Py_XDECREF(gc);
}
