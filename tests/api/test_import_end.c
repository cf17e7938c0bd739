/* SPDX-License-Identifier: MIT */
/* The end of an interpreter's modules. */
#include "../protocol.h"

static int deaths;

static void
count_death(PyObject *op)
{
    deaths++;
    PyTypeObject *type = Py_TYPE(op);
    type->tp_free(op);
    Py_DECREF(type);
}

/* An object whose death is counted. */
static PyObject *
make_mortal(void)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)count_death}, {0, NULL}};
    static PyType_Spec spec = {"t.Mortal", sizeof(PyObject), 0, 0, slots};
    PyObject *type = PyType_FromSpec(&spec);
    PyObject *op = PyObject_CallNoArgs(type);
    Py_DECREF(type);
    return op;
}

TEST(what_modules_keep_alive_goes_with_the_interpreter)
{
    Py_Initialize();
    PyObject *module = PyImport_AddModule("spam");
    PyModule_Add(module, "thing", make_mortal());
    PyModule_AddObjectRef(module, "self", module);
    Py_FinalizeEx();
    EXPECT_EQ(deaths, 1);
}

TEST(a_module_that_is_kept_from_outside_loses_its_variables, .mistakes = true,
     .no_leak_check = true)
{
    Py_Initialize();
    PyObject *kept = PyImport_AddModuleRef("spam"); /* never released */
    PyModule_Add(kept, "thing", make_mortal());
    PyModule_Add(kept, "_thing", make_mortal());
    Py_FinalizeEx();
    EXPECT_EQ(deaths, 2);
}

TEST(what_sys_keeps_alive_goes_last)
{
    Py_Initialize();
    PyObject *mortal = make_mortal();
    PySys_SetObject("thing", mortal);
    PyDict_SetItemString(PyEval_GetBuiltins(), "thing", mortal);
    Py_DECREF(mortal);
    Py_FinalizeEx();
    EXPECT_EQ(deaths, 1);
}

static void
note_variable(PyObject *op)
{
    PyObject *module = PyImport_GetModule(op);
    EXPECT_NULL(module);
    PyErr_Clear();
    count_death(op);
}

TEST(destructors_at_the_end_find_no_sys_modules)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)note_variable}, {0, NULL}};
    static PyType_Spec spec = {"t.Nosy", sizeof(PyObject), 0, 0, slots};
    Py_Initialize();
    PyObject *type = PyType_FromSpec(&spec);
    PyObject *module = PyImport_AddModule("spam");
    PyModule_Add(module, "thing", PyObject_CallNoArgs(type));
    Py_DECREF(type);
    Py_FinalizeEx();
    EXPECT_EQ(deaths, 1);
}

TEST(the_library_starts_and_ends_again_with_modules)
{
    for (int i = 0; i < 3; i++) {
        Py_Initialize();
        Py_XDECREF(PyImport_ImportModule("gc"));
        Py_XDECREF(PyImport_ImportModule("weakref"));
        PyObject *module = PyImport_AddModule("spam");
        PyModule_Add(module, "thing", make_mortal());
        EXPECT_EQ(Py_FinalizeEx(), 0);
        EXPECT_EQ(deaths, i + 1);
    }
}
