/* SPDX-License-Identifier: MIT */
/* Module objects: namespace, attributes, and the handlers of their state. */
#include "modules.h"

/* --- an empty module ------------------------------------------------------------------- */

TEST_PY(a_new_module_has_a_name_and_nothing_else)
{
    PyObject *module = PyModule_New("spam");
    REQUIRE_NOT_NULL(module);
    EXPECT(PyModule_CheckExact(module));
    EXPECT_STR(PyModule_GetName(module), "spam");
    EXPECT_EQ(PyObject_GC_IsTracked(module), 1);
    EXPECT_EQ(PyDict_Size(PyModule_GetDict(module)), 5);
    EXPECT_REPR_OF(Py_NewRef(PyModule_GetDict(module)),
                   "{'__name__': 'spam', '__doc__': None, '__package__': None, "
                   "'__loader__': None, '__spec__': None}");
    EXPECT_NULL(PyModule_GetDef(module));
    EXPECT_NULL(PyModule_GetState(module));
    EXPECT_NO_ERROR();
    EXPECT_REPR_OF(module, "<module 'spam'>");
}

TEST_PY(the_type_makes_modules)
{
    PyObject *type = (PyObject *)&PyModule_Type;
    PyObject *name = text("spam"), *doc = text("Tasty.");
    PyObject *module = PyObject_CallFunctionObjArgs(type, name, doc, NULL);
    REQUIRE_NOT_NULL(module);
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "__doc__"), "'Tasty.'");
    Py_DECREF(module);
    EXPECT_NULL(PyObject_CallNoArgs(type));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "module() missing required argument 'name' (pos 1)");
    EXPECT_NULL(PyObject_CallOneArg(type, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "module() argument 1 must be str, not None");
    Py_DECREF(name);
    Py_DECREF(doc);
}

static PyObject *
make_and_drop(void)
{
    return PyModule_New("spam");
}

TEST_PY(making_a_module_leaves_nothing_behind)
{
    repeat_without_leak(make_and_drop);
    fail_each_allocation(make_and_drop);
}

TEST_PY(a_module_can_be_referred_to_weakly)
{
    PyObject *module = PyModule_New("spam");
    PyObject *weak = PyWeakref_NewRef(module, NULL);
    REQUIRE_NOT_NULL(weak);
    Py_DECREF(module);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
}

TEST_PY(a_module_in_a_cycle_is_collected)
{
    PyObject *module = PyModule_New("spam");
    PyModule_AddObjectRef(module, "self", module);
    PyObject *weak = PyWeakref_NewRef(module, NULL);
    Py_DECREF(module);
    EXPECT_EQ(PyWeakref_IsDead(weak), 0);
    PyGC_Collect();
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
}

/* --- attributes -------------------------------------------------------------------------- */

TEST_PY(a_missing_attribute_names_the_module)
{
    PyObject *module = PyModule_New("spam");
    EXPECT_NULL(PyObject_GetAttrString(module, "eggs"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "module 'spam' has no attribute 'eggs'");
    PyObject_DelAttrString(module, "__name__");
    EXPECT_NULL(PyObject_GetAttrString(module, "eggs"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "module has no attribute 'eggs'");
    EXPECT_REPR_OF(Py_NewRef(module), "<module '?'>");
    Py_DECREF(module);
}

static PyObject *
return_name_twice(PyObject *Py_UNUSED(self), PyObject *name)
{
    return PyUnicode_Concat(name, name);
}

TEST_PY(a_missing_attribute_is_asked_of_getattr_in_the_module)
{
    static PyMethodDef getattr = {"__getattr__", return_name_twice, METH_O, NULL};
    PyObject *module = PyModule_New("spam");
    PyModule_Add(module, "__getattr__", PyCFunction_New(&getattr, NULL));
    PyModule_AddIntConstant(module, "there", 3);
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "eggs"), "'eggseggs'");
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "there"), "3");
    Py_DECREF(module);
}

TEST_PY(dir_lists_the_dict_or_calls_dir_in_the_module)
{
    static PyMethodDef dir = {"__dir__", return_name_twice, METH_O, NULL};
    PyObject *module = PyModule_New("spam");
    EXPECT_REPR_OF(PyObject_Dir(module), "['__doc__', '__loader__', '__name__', "
                                         "'__package__', '__spec__']");
    PyModule_Add(module, "__dir__", PyCFunction_New(&dir, NULL));
    EXPECT_NULL(PyObject_Dir(module)); /* it wants an argument */
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(module);
}

TEST_PY(repr_says_where_the_module_came_from)
{
    PyObject *module = PyModule_New("spam"), *name = text("spam");
    PyModule_AddStringConstant(module, "__file__", "/lib/spam.so");
    EXPECT_REPR_OF(Py_NewRef(module), "<module 'spam' from '/lib/spam.so'>");
    PyObject *origin = text("built-in");
    PyModule_Add(module, "__spec__", Ouro_ModuleSpecNew(name, origin, 0));
    EXPECT_REPR_OF(Py_NewRef(module), "<module 'spam' (built-in)>");
    PyModule_Add(module, "__spec__", Ouro_ModuleSpecNew(name, name, 1));
    EXPECT_REPR_OF(Py_NewRef(module), "<module 'spam' from 'spam'>");
    Py_DECREF(origin);
    Py_DECREF(name);
    Py_DECREF(module);
}

/* --- accessors on what is no module ------------------------------------------------------- */

TEST_PY(accessors_refuse_other_objects)
{
    const char *bad_argument = "bad argument type for built-in operation";
    Py_ssize_t size = 3;
    void *token = &size;
    EXPECT_NULL(PyModule_GetDict(Py_None));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyModule_GetName(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, bad_argument);
    EXPECT_NULL(PyModule_GetFilenameObject(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, bad_argument);
    EXPECT_NULL(PyModule_GetDef(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, bad_argument);
    EXPECT_NULL(PyModule_GetState(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, bad_argument);
    EXPECT_EQ(PyModule_GetStateSize(Py_None, &size), -1);
    EXPECT_EQ(size, -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected module, got NoneType");
    EXPECT_EQ(PyModule_GetToken(Py_None, &token), -1);
    EXPECT_NULL(token);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected module, got NoneType");
}

TEST_PY(a_module_without_name_or_file_says_so)
{
    PyObject *module = PyModule_New("spam");
    EXPECT_NULL(PyModule_GetFilename(module));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "module filename missing");
    PyModule_AddStringConstant(module, "__file__", "f");
    EXPECT_STR(PyModule_GetFilename(module), "f");
    PyModule_AddIntConstant(module, "__name__", 3);
    EXPECT_NULL(PyModule_GetNameObject(module));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "nameless module");
    Py_DECREF(module);
}

/* --- state and its handlers ------------------------------------------------------------------ */

struct spam_state {
    PyObject *owned;
};

static int traversals, clears, frees;

static int
spam_traverse(PyObject *module, visitproc visit, void *arg)
{
    traversals++;
    Py_VISIT(((struct spam_state *)PyModule_GetState_DuringGC(module))->owned);
    return 0;
}

static int
spam_clear(PyObject *module)
{
    clears++;
    Py_CLEAR(((struct spam_state *)PyModule_GetState(module))->owned);
    return 0;
}

static void
spam_free(void *module)
{
    frees++;
    spam_clear(module);
    clears--;
}

static PyModuleDef spam_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "spam",
    .m_size = sizeof(struct spam_state),
    .m_slots = MODULE_SLOTS({Py_mod_gil, Py_MOD_GIL_NOT_USED}),
    .m_traverse = spam_traverse,
    .m_clear = spam_clear,
    .m_free = spam_free,
};

/* C115 */
TEST_PY(handlers_are_not_called_before_the_state_exists)
{
    PyObject *module = create_from_def(&spam_def);
    REQUIRE_NOT_NULL(module);
    EXPECT_NULL(PyModule_GetState(module));
    EXPECT_NO_ERROR();
    PyModule_AddObjectRef(module, "self", module);
    PyGC_Collect();
    EXPECT_EQ(traversals, 0);
    Py_DECREF(module);
    PyGC_Collect();
    EXPECT_EQ(traversals, 0);
    EXPECT_EQ(clears, 0);
    EXPECT_EQ(frees, 0);
}

/* C116 */
TEST_PY(state_that_refers_back_is_traversed_cleared_and_freed)
{
    PyObject *module = create_from_def(&spam_def);
    EXPECT_EQ(PyModule_ExecDef(module, &spam_def), 0);
    struct spam_state *state = PyModule_GetState(module);
    REQUIRE_NOT_NULL(state);
    EXPECT_NULL(state->owned);
    state->owned = Py_NewRef(module);
    PyObject *weak = PyWeakref_NewRef(module, NULL);
    Py_DECREF(module);
    EXPECT_GE(PyGC_Collect(), 1);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    EXPECT_GT(traversals, 0);
    EXPECT_EQ(clears, 1);
    EXPECT_EQ(frees, 1);
    Py_DECREF(weak);
}

TEST_PY(without_a_cycle_only_free_is_called)
{
    PyObject *module = create_from_def(&spam_def);
    PyModule_ExecDef(module, &spam_def);
    ((struct spam_state *)PyModule_GetState(module))->owned = PyList_New(0);
    Py_DECREF(module);
    EXPECT_EQ(clears, 0);
    EXPECT_EQ(frees, 1);
}

static int
visit_nothing(PyObject *Py_UNUSED(module), visitproc Py_UNUSED(visit),
              void *Py_UNUSED(arg))
{
    traversals++;
    return 0;
}

static int
clear_and_raise(PyObject *Py_UNUSED(module))
{
    clears++;
    PyErr_SetString(PyExc_ValueError, "from m_clear");
    return -1;
}

static void
count_free(void *Py_UNUSED(module))
{
    frees++;
}

static PyModuleDef stateless_def = {
    PyModuleDef_HEAD_INIT,       .m_name = "stateless",      .m_size = -1,
    .m_traverse = visit_nothing, .m_clear = clear_and_raise, .m_free = count_free,
};

static void
collect_a_stateless_module(void)
{
    PyObject *module = PyModule_Create(&stateless_def);
    PyModule_AddObjectRef(module, "self", module);
    Py_DECREF(module);
    PyGC_Collect();
}

TEST_PY(handlers_of_a_module_without_state_are_called_and_errors_reported)
{
    char *output = capture_stderr(collect_a_stateless_module);
    EXPECT_GT(traversals, 0);
    EXPECT_EQ(clears, 1);
    EXPECT_EQ(frees, 1);
    EXPECT_HAS(output, "Exception ignored in m_clear of module stateless");
    EXPECT_HAS(output, "ValueError: from m_clear");
    free(output);
}

/* The dict of a type and the module refer to each other through the module's state. */
TEST_PY(modules_that_nobody_drops_go_at_the_end_of_the_interpreter)
{
    PyThreadState *main_thread = PyThreadState_Get();
    PyThreadState *thread = Py_NewInterpreter();
    REQUIRE_NOT_NULL(thread);
    PyObject *module = create_from_def(&spam_def);
    PyModule_ExecDef(module, &spam_def);
    ((struct spam_state *)PyModule_GetState(module))->owned = module;
    Py_EndInterpreter(thread);
    PyThreadState_Swap(main_thread);
    EXPECT_EQ(clears, 1);
    EXPECT_EQ(frees, 1);
}

TEST_PY(an_empty_module_is_made_from_a_name)
{
    PyObject *name = PyUnicode_FromString("empty");
    PyObject *module = PyModule_NewObject(name);
    REQUIRE_NOT_NULL(module);
    EXPECT_STR(PyModule_GetName(module), "empty");
    EXPECT_EQ(PyModule_Check(module), 1);
    EXPECT_NULL(PyModule_GetDef(module));
    EXPECT_NO_ERROR();
    Py_DECREF(module);
    Py_DECREF(name);
}
