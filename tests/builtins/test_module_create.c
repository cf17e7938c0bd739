/* SPDX-License-Identifier: MIT */
/* Making modules, single- and multi-phase, and from slot arrays. */
#include "modules.h"

PyABIInfo_VAR(abi_info);

static char token;
static int executions;

static int
exec_ok(PyObject *module)
{
    executions = executions % 1000 * 10 + 1;
    return PyModule_AddIntConstant(module, "answer", 42);
}

static int
exec_second(PyObject *Py_UNUSED(module))
{
    executions = executions % 1000 * 10 + 2;
    return 0;
}

static int
exec_fails_silently(PyObject *Py_UNUSED(module))
{
    return -1;
}

static int
exec_raises_and_succeeds(PyObject *Py_UNUSED(module))
{
    PyErr_SetString(PyExc_ValueError, "left behind");
    return 0;
}

static PyObject *
create_nothing(PyObject *Py_UNUSED(spec), PyModuleDef *Py_UNUSED(def))
{
    return NULL;
}

static PyObject *
create_and_raise(PyObject *Py_UNUSED(spec), PyModuleDef *Py_UNUSED(def))
{
    PyErr_SetString(PyExc_ValueError, "left behind");
    return PyModule_New("lost");
}

static PyObject *
create_number(PyObject *Py_UNUSED(spec), PyModuleDef *Py_UNUSED(def))
{
    return number(1000);
}

static PyObject *
create_renamed(PyObject *Py_UNUSED(spec), PyModuleDef *Py_UNUSED(def))
{
    return PyModule_New("renamed");
}

static PyObject *
return_self(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return Py_NewRef(self);
}

static PyMethodDef spam_methods[] = {
    {"me", return_self, METH_NOARGS, "The module."},
    {NULL, NULL, 0, NULL},
};

static PyObject *
call_me(PyObject *module)
{
    PyObject *function = PyObject_GetAttrString(module, "me");
    PyObject *result = function == NULL ? NULL : PyObject_CallNoArgs(function);
    Py_XDECREF(function);
    return result;
}

/* --- single-phase ---------------------------------------------------------------------- */

static PyModuleDef single_def = {
    PyModuleDef_HEAD_INIT, .m_name = "single",        .m_doc = "Made at once.",
    .m_size = 16,          .m_methods = spam_methods,
};

TEST_PY(a_single_phase_module_is_complete_at_once)
{
    PyObject *module = PyModule_Create(&single_def);
    REQUIRE_NOT_NULL(module);
    EXPECT_EQ(PyModule_GetDef(module), &single_def);
    const char *state = PyModule_GetState(module);
    REQUIRE_NOT_NULL(state);
    for (int i = 0; i < 16; i++) {
        EXPECT_EQ(state[i], 0);
    }
    Py_ssize_t size;
    void *found;
    EXPECT_EQ(PyModule_GetStateSize(module, &size), 0);
    EXPECT_EQ(size, 16);
    EXPECT_EQ(PyModule_GetToken(module, &found), 0);
    EXPECT_EQ(found, &single_def);
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "__doc__"), "'Made at once.'");
    EXPECT_EQ(PyModule_Exec(module), 0);
    PyObject *me = call_me(module);
    EXPECT_EQ(me, module);
    Py_XDECREF(me);
    PyObject *function = PyObject_GetAttrString(module, "me");
    EXPECT_REPR_OF(PyObject_GetAttrString(function, "__module__"), "'single'");
    Py_DECREF(function);
    Py_DECREF(module);
}

static PyObject *
make_single(void)
{
    return PyModule_Create(&single_def);
}

TEST_PY(a_single_phase_module_leaves_nothing_behind)
{
    repeat_without_leak(make_single);
    fail_each_allocation(make_single);
}

TEST_PY(a_single_phase_definition_has_no_slots)
{
    static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "slotted"};
    def.m_slots = MODULE_SLOTS({Py_mod_exec, (void *)exec_ok});
    EXPECT_NULL(PyModule_Create(&def));
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "module slotted: PyModule_Create is incompatible with m_slots");
}

TEST_PY(a_definition_is_initialised_once)
{
    static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "once"};
    EXPECT_EQ(PyModuleDef_Init(&def), &def);
    Py_ssize_t index = def.m_base.m_index;
    EXPECT_GT(index, 0);
    EXPECT_EQ(Py_TYPE(&def), &PyModuleDef_Type);
    EXPECT_EQ(PyModuleDef_Init(&def), &def);
    EXPECT_EQ(def.m_base.m_index, index);
}

/* --- other headers ---------------------------------------------------------------------------- */

TEST_PY(a_caller_with_other_headers_is_refused)
{
    static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "foreign"};
    char message[400];
    EXPECT_NULL(PyModule_Create2(&def, 1013));
    EXPECT(PyErr_ExceptionMatches(PyExc_ImportError));
    take_raised_text(message, sizeof(message));
    EXPECT_HAS(message, "the module was compiled with CPython's or other headers");
    PyObject *spec = make_spec("spam");
    EXPECT_NULL(PyModule_FromDefAndSpec2(&def, spec, (int)(OURO_ABI_TAG ^ 0x100)));
    EXPECT(PyErr_ExceptionMatches(PyExc_ImportError));
    take_raised_text(message, sizeof(message));
    EXPECT_HAS(message, "headers of another version");
    Py_DECREF(spec);
}

TEST_PY(a_definition_of_other_headers_is_refused)
{
    static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "foreign"};
    def.m_base.m_abi_tag = 1013;
    EXPECT_NULL(PyModuleDef_Init(&def));
    EXPECT_RAISED(PyExc_ImportError);
}

/* --- multi-phase ------------------------------------------------------------------------------- */

static PyModuleDef multi_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "multi",
    .m_doc = "Made in two phases.",
    .m_size = 8,
    .m_methods = spam_methods,
    .m_slots =
        MODULE_SLOTS({Py_mod_exec, (void *)exec_ok}, {Py_mod_exec, (void *)exec_second},
                     {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
                     {Py_mod_gil, Py_MOD_GIL_USED}),
};

TEST_PY(creation_and_execution_are_two_phases)
{
    PyObject *module = create_from_def(&multi_def);
    REQUIRE_NOT_NULL(module);
    EXPECT_STR(PyModule_GetName(module), "spam"); /* the spec's name */
    EXPECT_NULL(PyModule_GetState(module));
    EXPECT_EQ(executions, 0);
    EXPECT_EQ(PyModule_ExecDef(module, &multi_def), 0);
    EXPECT_EQ(executions, 12); /* in order */
    void *state = PyModule_GetState(module);
    EXPECT_NOT_NULL(state);
    EXPECT_EQ(PyModule_Exec(module), 0);
    EXPECT_EQ(executions, 1212);
    EXPECT_EQ(PyModule_GetState(module), state);
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "answer"), "42");
    Py_DECREF(module);
}

static PyObject *
make_and_exec_multi(void)
{
    PyObject *module = create_from_def(&multi_def);
    if (module != NULL && PyModule_ExecDef(module, &multi_def) < 0) {
        Py_CLEAR(module);
    }
    return module;
}

TEST_PY(a_multi_phase_module_leaves_nothing_behind)
{
    repeat_without_leak(make_and_exec_multi);
}

static PyObject *kept_spec;

static PyObject *
make_with_kept_spec(void)
{
    PyObject *module = PyModule_FromDefAndSpec(&multi_def, kept_spec);
    if (module != NULL && PyModule_ExecDef(module, &multi_def) < 0) {
        Py_CLEAR(module);
    }
    return module;
}

TEST_PY(a_multi_phase_module_survives_a_lack_of_memory)
{
    kept_spec = make_spec("spam");
    fail_each_allocation(make_with_kept_spec);
    Py_CLEAR(kept_spec);
}

TEST_PY(a_module_without_state_has_been_executed_when_its_state_is_set)
{
    static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "empty"};
    def.m_slots = MODULE_SLOTS({Py_mod_exec, (void *)exec_ok});
    PyObject *module = create_from_def(&def);
    EXPECT_NULL(PyModule_GetState(module));
    EXPECT_EQ(PyModule_ExecDef(module, &def), 0);
    EXPECT_NOT_NULL(PyModule_GetState(module));
    Py_DECREF(module);
}

/* Expect that the definition with these slots cannot be created. */
#define EXPECT_NO_MODULE(type, message, size, ...)                                       \
    do {                                                                                 \
        static PyModuleDef def_ = {PyModuleDef_HEAD_INIT, .m_name = "m",                 \
                                   .m_size = (size)};                                    \
        def_.m_slots = MODULE_SLOTS(__VA_ARGS__);                                        \
        EXPECT_NULL(create_from_def(&def_));                                             \
        EXPECT_RAISED_TEXT(type, message);                                               \
    } while (0)

TEST_PY(a_spec_needs_a_name)
{
    EXPECT_NULL(PyModule_FromDefAndSpec(&multi_def, Py_None));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "'NoneType' object has no attribute 'name'");
}

TEST_PY(creation_that_fails_is_explained)
{
    EXPECT_NO_MODULE(PyExc_SystemError,
                     "creation of module spam failed without setting an exception", 0,
                     {Py_mod_create, (void *)create_nothing});
    EXPECT_NO_MODULE(PyExc_SystemError,
                     "creation of module spam raised unreported exception", 0,
                     {Py_mod_create, (void *)create_and_raise});
    EXPECT_NO_MODULE(
        PyExc_SystemError,
        "module spam: m_size may not be negative for multi-phase initialization", -1,
        {Py_mod_exec, (void *)exec_ok});
}

TEST_PY(what_is_no_module_cannot_have_state_or_execution)
{
    EXPECT_NO_MODULE(PyExc_SystemError,
                     "module spam is not a module object, but requests module state", 8,
                     {Py_mod_create, (void *)create_number});
    EXPECT_NO_MODULE(PyExc_SystemError,
                     "module spam specifies execution slots, but did not create a "
                     "ModuleType instance",
                     0, {Py_mod_create, (void *)create_number},
                     {Py_mod_exec, (void *)exec_ok});
    static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "m"};
    def.m_slots = MODULE_SLOTS({Py_mod_create, (void *)create_number});
    EXPECT_REPR_OF(create_from_def(&def), "1000");
}

TEST_PY(create_chooses_the_module)
{
    static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "m", .m_size = 4};
    def.m_slots = MODULE_SLOTS({Py_mod_create, (void *)create_renamed});
    PyObject *module = create_from_def(&def);
    EXPECT_STR(PyModule_GetName(module), "renamed");
    EXPECT_EQ(PyModule_GetDef(module), &def);
    EXPECT_EQ(PyModule_Exec(module), 0);
    EXPECT_NOT_NULL(PyModule_GetState(module));
    Py_DECREF(module);
}

/* Expect that a module with this exec function is made but cannot be executed. */
static void
expect_exec_error(int (*exec)(PyObject *), const char *message)
{
    PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "m"};
    def.m_slots = MODULE_SLOTS({Py_mod_exec, (void *)exec});
    PyObject *module = create_from_def(&def);
    EXPECT_EQ(PyModule_ExecDef(module, &def), -1);
    EXPECT_RAISED_TEXT(PyExc_SystemError, message);
    Py_DECREF(module);
}

TEST_PY(execution_that_fails_is_explained)
{
    expect_exec_error(exec_fails_silently,
                      "execution of module spam failed without setting an exception");
    expect_exec_error(exec_raises_and_succeeds,
                      "execution of module spam raised unreported exception");
    EXPECT_EQ(PyModule_Exec(Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
}

/* --- slot arrays -------------------------------------------------------------------------------- */

static int
traverse_nothing(PyObject *Py_UNUSED(module), visitproc Py_UNUSED(visit),
                 void *Py_UNUSED(arg))
{
    return 0;
}

TEST_PY(a_slot_array_says_all_that_a_definition_says)
{
    const PySlot slots[] = {
        PySlot_DATA(Py_mod_abi, &abi_info),
        PySlot_DATA(Py_mod_name, "ignored"),
        PySlot_DATA(Py_mod_doc, "From slots."),
        PySlot_SIZE(Py_mod_state_size, 24),
        PySlot_DATA(Py_mod_methods, spam_methods),
        PySlot_FUNC(Py_mod_state_traverse, traverse_nothing),
        PySlot_FUNC(Py_mod_exec, exec_ok),
        PySlot_DATA(Py_mod_token, &token),
        PySlot_DATA(Py_mod_gil, Py_MOD_GIL_NOT_USED),
        PySlot_END,
    };
    PyObject *module = create_from_slots(slots);
    REQUIRE_NOT_NULL(module);
    Py_ssize_t size;
    void *found;
    EXPECT_EQ(PyModule_GetStateSize(module, &size), 0);
    EXPECT_EQ(size, 24);
    EXPECT_EQ(PyModule_GetToken(module, &found), 0);
    EXPECT_EQ(found, &token);
    EXPECT_NULL(PyModule_GetDef(module));
    EXPECT_NULL(PyModule_GetState(module));
    EXPECT_EQ(PyModule_Exec(module), 0);
    EXPECT_EQ(executions, 1);
    EXPECT_NOT_NULL(PyModule_GetState(module));
    EXPECT_STR(PyModule_GetName(module), "spam");
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "__doc__"), "'From slots.'");
    PyObject *me = call_me(module);
    EXPECT_EQ(me, module);
    Py_XDECREF(me);
    Py_DECREF(module);
}

TEST_PY(an_exported_slot_array_is_the_token)
{
    const PySlot slots[] = {PySlot_DATA(Py_mod_abi, &abi_info), PySlot_END};
    PyObject *spec = make_spec("spam");
    void *found;
    PyObject *module = PyModule_FromSlotsAndSpec(slots, spec);
    EXPECT_EQ(PyModule_GetToken(module, &found), 0);
    EXPECT_NULL(found);
    Py_DECREF(module);
    module = _PyModule_FromExportAndSpec(slots, spec);
    EXPECT_EQ(PyModule_GetToken(module, &found), 0);
    EXPECT_EQ(found, slots);
    Py_DECREF(module);
    Py_DECREF(spec);
}

TEST_PY(a_slot_array_is_not_null)
{
    EXPECT_NULL(create_from_slots(NULL));
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "PyModule_FromSlotsAndSpec called with NULL slots");
}
