/* SPDX-License-Identifier: MIT */
/* Reading definitions and slot arrays. */
#include "modules.h"

PyABIInfo_VAR(abi_info);

static char token;

static int
exec_ok(PyObject *Py_UNUSED(module))
{
    return 0;
}

static PyObject *
create_named(PyObject *Py_UNUSED(spec), PyModuleDef *Py_UNUSED(def))
{
    return PyModule_New("named");
}

static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "m", .m_doc = "d"};

static void
expect_refused(PyModuleDef_Slot *slots, const char *message)
{
    def.m_slots = slots;
    EXPECT_NULL(create_from_def(&def));
    EXPECT_RAISED_TEXT(PyExc_SystemError, message);
}

TEST_PY(slots_come_once)
{
    expect_refused(MODULE_SLOTS({Py_mod_create, (void *)create_named},
                                {Py_mod_create, (void *)create_named}),
                   "module spam has multiple create slots");
    expect_refused(
        MODULE_SLOTS(
            {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED},
            {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED}),
        "module spam has more than one 'multiple interpreters' slots");
    expect_refused(MODULE_SLOTS({Py_mod_gil, NULL}, {Py_mod_gil, NULL}),
                   "module spam has more than one 'gil' slot");
    const PySlot twice[] = {PySlot_FUNC(Py_mod_exec, exec_ok),
                            PySlot_FUNC(Py_mod_exec, exec_ok), PySlot_END};
    EXPECT_NULL(create_from_slots(twice));
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "module spam has more than one Py_mod_exec slot");
}

TEST_PY(unknown_slots_are_refused_unless_optional)
{
    expect_refused(MODULE_SLOTS({99, NULL}), "module spam uses unknown slot ID 99");
    const PySlot slots[] = {
        PySlot_DATA(Py_mod_abi, &abi_info),
        {9999, PySlot_OPTIONAL, 0, {NULL}},
        PySlot_END,
    };
    EXPECT_REPR_OF(create_from_slots(slots), "<module 'spam'>");
    const PySlot required[] = {PySlot_DATA(9999, NULL), PySlot_END};
    EXPECT_NULL(create_from_slots(required));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "module spam uses unknown slot ID 9999");
}

TEST_PY(numbers_from_before_3_15_are_understood)
{
    def.m_slots = MODULE_SLOTS({1, (void *)create_named}, {2, (void *)exec_ok},
                               {3, Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED}, {4, NULL});
    PyObject *module = create_from_def(&def);
    EXPECT_STR(PyModule_GetName(module), "named");
    EXPECT_EQ(PyModule_ExecDef(module, &def), 0);
    Py_DECREF(module);
}

TEST_PY(values_are_not_null)
{
    expect_refused(MODULE_SLOTS({Py_mod_exec, NULL}),
                   "module spam: the value of Py_mod_exec is NULL");
}

TEST_PY(slots_do_not_contradict_their_definition)
{
    expect_refused(MODULE_SLOTS({Py_mod_doc, "another"}),
                   "module spam: Py_mod_doc differs from the PyModuleDef");
    expect_refused(MODULE_SLOTS({Py_mod_name, "another"}),
                   "module spam: Py_mod_name differs from the PyModuleDef");
    expect_refused(MODULE_SLOTS({Py_mod_state_size, (void *)8}),
                   "module spam: Py_mod_state_size differs from the PyModuleDef");
    expect_refused(MODULE_SLOTS({Py_mod_token, &token}),
                   "module spam: Py_mod_token cannot be used in PyModuleDef.m_slots");
    def.m_slots = MODULE_SLOTS({Py_mod_name, (void *)def.m_name},
                               {Py_mod_doc, (void *)def.m_doc}, {Py_mod_abi, &abi_info});
    EXPECT_REPR_OF(create_from_def(&def), "<module 'spam'>");
}

TEST_PY(a_slot_array_says_which_abi_it_is_for)
{
    const PySlot none[] = {PySlot_END};
    EXPECT_NULL(create_from_slots(none));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "module spam: the slots have no Py_mod_abi");
    PyABIInfo foreign = {1, 0, PyABIInfo_GIL, PY_VERSION_HEX, PY_VERSION_HEX};
    const PySlot other[] = {PySlot_DATA(Py_mod_abi, &foreign), PySlot_END};
    EXPECT_NULL(create_from_slots(other));
    EXPECT_RAISED(PyExc_ImportError);
}

TEST_PY(slot_arrays_contain_others_but_not_for_ever)
{
    PyModuleDef_Slot older[] = {{Py_mod_abi, &abi_info}, {0, NULL}};
    const PySlot inner[] = {PySlot_DATA(Py_mod_slots, older),
                            PySlot_DATA(Py_mod_doc, "inside"), PySlot_END};
    PySlot outer[] = {PySlot_DATA(Py_slot_subslots, inner), PySlot_END};
    PyObject *module = create_from_slots(outer);
    EXPECT_REPR_OF(PyObject_GetAttrString(module, "__doc__"), "'inside'");
    Py_DECREF(module);
    outer[0].sl_ptr = outer;
    EXPECT_NULL(create_from_slots(outer));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "module spam: slots are nested too deep");
}

TEST_PY(a_module_for_one_interpreter_does_not_load_in_another)
{
    def.m_slots = MODULE_SLOTS(
        {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED});
    EXPECT_REPR_OF(create_from_def(&def), "<module 'spam'>");
    PyThreadState *main_thread = PyThreadState_Get();
    PyThreadState *thread = Py_NewInterpreter();
    EXPECT_NULL(create_from_def(&def));
    EXPECT_RAISED_TEXT(PyExc_ImportError,
                       "module spam does not support loading in subinterpreters");
    Py_EndInterpreter(thread);
    PyThreadState_Swap(main_thread);
}
