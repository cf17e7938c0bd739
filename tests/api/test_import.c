/* SPDX-License-Identifier: MIT */
/* sys.modules, and importing by name. Shared objects are in tests/scripts/modules.sh. */
#include "../protocol.h"

#include <pthread.h>

static int executions;

static int
count_execution(PyObject *Py_UNUSED(module))
{
    executions++;
    return 0;
}

static int
fail_execution(PyObject *Py_UNUSED(module))
{
    PyErr_SetString(PyExc_KeyError, "mine");
    return -1;
}

/* A package: a module with a __path__, here without folders. */
static int
become_package(PyObject *module)
{
    return PyModule_Add(module, "__path__", PyList_New(0));
}

/* Importing itself again yields the module that is being made. */
static int
import_itself(PyObject *module)
{
    PyObject *again = PyImport_ImportModule("circular");
    EXPECT_EQ(again, module);
    Py_XDECREF(again);
    return 0;
}

static int
replace_itself(PyObject *Py_UNUSED(module))
{
    return PyDict_SetItemString(PyImport_GetModuleDict(), "replaced", Py_Ellipsis);
}

static int
remove_itself(PyObject *Py_UNUSED(module))
{
    return PyDict_DelItemString(PyImport_GetModuleDict(), "removed");
}

#define MULTI_PHASE(label, exec)                                                         \
    static PyObject *init_##label(void)                                                  \
    {                                                                                    \
        static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)(exec)}, {0, NULL}};    \
        static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = #label,               \
                                  .m_doc = "A test."};                                   \
        def.m_slots = slots;                                                             \
        return PyModuleDef_Init(&def);                                                   \
    }

MULTI_PHASE(spam, count_execution)
MULTI_PHASE(failing, fail_execution)
MULTI_PHASE(package, become_package)
MULTI_PHASE(circular, import_itself)
MULTI_PHASE(replaced, replace_itself)
MULTI_PHASE(removed, remove_itself)

static void
append_modules(void)
{
    PyImport_AppendInittab("spam", init_spam);
    PyImport_AppendInittab("failing", init_failing);
    PyImport_AppendInittab("package", init_package);
    PyImport_AppendInittab("package.spam", init_spam);
    PyImport_AppendInittab("spam.inner", init_spam);
    PyImport_AppendInittab("circular", init_circular);
    PyImport_AppendInittab("replaced", init_replaced);
    PyImport_AppendInittab("removed", init_removed);
}

/* --- finding ------------------------------------------------------------------------------ */

TEST_PY(a_module_is_made_once)
{
    append_modules();
    PyObject *first = PyImport_ImportModule("spam");
    REQUIRE_NOT_NULL(first);
    EXPECT_EQ(executions, 1);
    EXPECT_REPR_OF(PyObject_GetAttrString(first, "__package__"), "''");
    EXPECT_REPR_OF(PyObject_GetAttrString(first, "__spec__"),
                   "ModuleSpec(name='spam', loader=None, origin='built-in')");
    PyObject *second = PyImport_ImportModule("spam");
    EXPECT_EQ(second, first);
    EXPECT_EQ(executions, 1);
    PyObject *name = text("spam");
    PyObject *third = PyImport_GetModule(name);
    EXPECT_EQ(third, first);
    Py_XDECREF(third);
    Py_XDECREF(second);
    Py_DECREF(name);
    Py_DECREF(first);
}

TEST_PY(a_name_that_is_not_found_says_so)
{
    EXPECT_NULL(PyImport_ImportModule("nope"));
    PyObject *error = PyErr_GetRaisedException();
    EXPECT_EQ(Py_TYPE(error), PyExc_ModuleNotFoundError);
    EXPECT_REPR_OF(PyObject_GetAttrString(error, "name"), "'nope'");
    EXPECT_REPR_OF(PyObject_GetAttrString(error, "path"), "None");
    EXPECT_REPR_OF(PyObject_Str(error), "\"No module named 'nope'\"");
    Py_DECREF(error);
    EXPECT_NULL(PyImport_ImportModule(""));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "Empty module name");
    EXPECT_NULL(PyImport_ImportModule("."));
    EXPECT_RAISED_TEXT(PyExc_ModuleNotFoundError, "No module named '.'");
    EXPECT_NULL(PyImport_Import(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "module name must be a string");
    PyDict_SetItemString(PyImport_GetModuleDict(), "blocked", Py_None);
    EXPECT_NULL(PyImport_ImportModuleNoBlock("blocked"));
    EXPECT_RAISED_TEXT(PyExc_ModuleNotFoundError,
                       "import of blocked halted; None in sys.modules");
}

TEST_PY(packages_come_first)
{
    append_modules();
    EXPECT_NULL(PyImport_ImportModule("pk.spam"));
    EXPECT_RAISED_TEXT(PyExc_ModuleNotFoundError, "No module named 'pk'");
    EXPECT_NULL(PyImport_ImportModule("spam.inner"));
    EXPECT_RAISED_TEXT(PyExc_ModuleNotFoundError,
                       "No module named 'spam.inner'; 'spam' is not a package");
    PyObject *inner = PyImport_ImportModule("package.spam");
    REQUIRE_NOT_NULL(inner);
    EXPECT_STR(PyModule_GetName(inner), "package.spam");
    EXPECT_REPR_OF(PyObject_GetAttrString(inner, "__package__"), "'package'");
    PyObject *found = PyImport_ImportModuleAttrString("package", "spam");
    EXPECT_EQ(found, inner);
    Py_XDECREF(found);
    Py_DECREF(inner);
    EXPECT_NULL(PyImport_ImportModule("package.nope"));
    EXPECT_RAISED_TEXT(PyExc_ModuleNotFoundError, "No module named 'package.nope'");
}

TEST_PY(a_name_with_very_many_dots_ends_in_an_exception)
{
    static char name[60001];
    for (int i = 0; i < 60000; i += 2) {
        name[i] = 'a';
        name[i + 1] = '.';
    }
    name[59999] = 'a';
    EXPECT_NULL(PyImport_ImportModule(name));
    EXPECT(PyErr_ExceptionMatches(PyExc_RecursionError) ||
           PyErr_ExceptionMatches(PyExc_ModuleNotFoundError));
    PyErr_Clear();
}

/* --- executing -------------------------------------------------------------------------------- */

TEST_PY(a_module_that_fails_is_not_in_sys_modules)
{
    append_modules();
    EXPECT_NULL(PyImport_ImportModule("failing"));
    EXPECT_RAISED(PyExc_KeyError);
    EXPECT_EQ(PyDict_ContainsString(PyImport_GetModuleDict(), "failing"), 0);
}

TEST_PY(a_module_may_import_itself_or_be_replaced)
{
    append_modules();
    Py_XDECREF(PyImport_ImportModule("circular"));
    EXPECT_NO_ERROR();
    EXPECT_REPR_OF(PyImport_ImportModule("replaced"), "Ellipsis");
    EXPECT_NULL(PyImport_ImportModule("removed"));
    EXPECT_RAISED_TEXT(PyExc_ImportError,
                       "module 'removed' removed itself from sys.modules");
}

static PyObject *
import_and_forget(void)
{
    PyObject *module = PyImport_ImportModule("spam");
    PyDict_DelItemString(PyImport_GetModuleDict(), "spam");
    return module;
}

TEST_PY(importing_leaves_nothing_behind)
{
    append_modules();
    repeat_without_leak(import_and_forget);
}

static PyObject *
import_once_more(void)
{
    PyObject *module = PyImport_ImportModule("spam");
    if (module != NULL) {
        PyDict_Clear(PyImport_GetModuleDict());
    }
    return module;
}

TEST_PY(importing_survives_a_lack_of_memory)
{
    append_modules();
    Py_XDECREF(PyImport_ImportModule("sys"));
    fail_each_allocation(import_once_more);
}

static PyObject *
start_in_new_interpreter(void)
{
    PyThreadState *main_thread = PyThreadState_Get();
    PyThreadState *thread = Py_NewInterpreter();
    if (thread == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *modules = PyImport_GetModuleDict();
    bool failed = modules == NULL;
    if (failed) {
        EXPECT_RAISED(PyExc_MemoryError);
    }
    Py_EndInterpreter(thread);
    PyThreadState_Swap(main_thread);
    return failed ? PyErr_NoMemory() : Py_NewRef(Py_None);
}

TEST_PY(starting_sys_and_builtins_survives_a_lack_of_memory, .timeout = 300)
{
    for (int64_t n = 1; OURO_DEBUG && n < 3000; n++) {
        ouro_fault_arm(n);
        PyObject *done = start_in_new_interpreter();
        bool all_seen = ouro_fault_seen() < n;
        ouro_fault_arm(0);
        PyErr_Clear();
        if (all_seen) {
            EXPECT_NOT_NULL(done);
            break;
        }
    }
}

/* --- sys.modules ---------------------------------------------------------------------------------- */

TEST_PY(modules_are_added_empty)
{
    PyObject *module = PyImport_AddModuleRef("fresh");
    EXPECT_EQ(Py_REFCNT(module), 2);
    EXPECT_SAME_COUNT(module, EXPECT_EQ(PyImport_AddModule("fresh"), module));
    PyObject *name = text("fresh"), *other = text("other");
    EXPECT_EQ(PyImport_AddModuleObject(name), module);
    EXPECT_NULL(PyImport_GetModule(other));
    EXPECT_NO_ERROR();
    PyDict_SetItemString(PyImport_GetModuleDict(), "other", Py_Ellipsis);
    EXPECT(PyModule_Check(PyImport_AddModuleObject(other))); /* replaces a non-module */
    Py_DECREF(name);
    Py_DECREF(other);
    Py_DECREF(module);
}

TEST_PY(each_interpreter_has_modules_of_its_own)
{
    append_modules();
    PyObject *module = PyImport_ImportModule("spam");
    PyThreadState *main_thread = PyThreadState_Get();
    PyThreadState *thread = Py_NewInterpreter();
    PyObject *other = PyImport_ImportModule("spam");
    EXPECT_NOT_NULL(other);
    EXPECT_NE(other, module);
    EXPECT_EQ(executions, 2);
    Py_DECREF(other);
    Py_EndInterpreter(thread);
    PyThreadState_Swap(main_thread);
    Py_DECREF(module);
}

/* --- threads ---------------------------------------------------------------------------------------- */

static int slow_executions;

static int
execute_slowly(PyObject *module)
{
    slow_executions++;
    Py_BEGIN_ALLOW_THREADS
    struct timespec moment = {.tv_nsec = 50000000};
    nanosleep(&moment, NULL);
    Py_END_ALLOW_THREADS
    return PyModule_AddIntConstant(module, "ready", 1);
}

MULTI_PHASE(slow, execute_slowly)

static void *
import_slow(void *Py_UNUSED(arg))
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *ready = PyImport_ImportModuleAttrString("slow", "ready");
    EXPECT_NOT_NULL(ready);
    Py_XDECREF(ready);
    PyGILState_Release(state);
    return NULL;
}

TEST_PY(threads_wait_for_a_module_that_another_makes)
{
    PyImport_AppendInittab("slow", init_slow);
    pthread_t threads[4];
    Py_BEGIN_ALLOW_THREADS
    for (int i = 0; i < 4; i++) {
        REQUIRE_EQ(pthread_create(&threads[i], NULL, import_slow, NULL), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    Py_END_ALLOW_THREADS
    EXPECT_EQ(slow_executions, 1);
}

TEST_PY(an_attribute_of_a_module_is_imported)
{
    PyObject *gc = text("gc"), *collect = text("collect"), *missing = text("nothing");
    PyObject *function = PyImport_ImportModuleAttr(gc, collect);
    REQUIRE_NOT_NULL(function);
    EXPECT_EQ(PyCallable_Check(function), 1);
    Py_DECREF(function);
    EXPECT_NULL(PyImport_ImportModuleAttr(gc, missing));
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_NULL(PyImport_ImportModuleAttr(missing, collect));
    EXPECT_RAISED(PyExc_ModuleNotFoundError);
    PyObject *module = PyImport_ImportModuleLevelObject(gc, NULL, NULL, NULL, 0);
    EXPECT_EQ(PyModule_Check(module), 1);
    Py_XDECREF(module);
    EXPECT_NULL(PyImport_ImportModuleLevelObject(gc, NULL, NULL, NULL, -1));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "level must be >= 0");
    EXPECT_NULL(PyImport_ImportModuleLevelObject(NULL, NULL, NULL, NULL, 0));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "Empty module name");
    Py_DECREF(missing);
    Py_DECREF(collect);
    Py_DECREF(gc);
}

TEST_PY(reloading_a_module_gives_the_module_itself)
{
    PyObject *module = PyImport_ImportModule("gc");
    PyObject *again = PyImport_ReloadModule(module);
    EXPECT_EQ(again, module);
    Py_XDECREF(again);
    Py_DECREF(module);
    module = PyModule_New("spam");
    EXPECT_NULL(PyImport_ReloadModule(module));
    EXPECT_RAISED_TEXT(PyExc_ImportError, "module spam not in sys.modules");
    Py_DECREF(module);
    EXPECT_NULL(PyImport_ReloadModule(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
}
