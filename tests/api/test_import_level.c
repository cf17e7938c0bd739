/* SPDX-License-Identifier: MIT */
/* What the import statement means. */
#include "../protocol.h"

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

static void
append_packages(void)
{
    PyImport_AppendInittab("a", init_package);
    PyImport_AppendInittab("a.b", init_package);
    PyImport_AppendInittab("a.b.c", init_package);
}

/* The name of the module that the import statement yields; or the exception is pending. */
static const char *
imported(const char *name, PyObject *globals, const char *item, int level)
{
    static char found[100];
    PyObject *fromlist = item == NULL ? NULL : Py_BuildValue("[s]", item);
    PyObject *module = PyImport_ImportModuleLevel(name, globals, NULL, fromlist, level);
    Py_XDECREF(fromlist);
    if (module == NULL) {
        return NULL;
    }
    snprintf(found, sizeof(found), "%s", PyModule_GetName(module));
    Py_DECREF(module);
    return found;
}

TEST_PY(a_name_yields_its_first_part_or_itself)
{
    append_packages();
    EXPECT_STR(imported("a.b.c", NULL, NULL, 0), "a");
    EXPECT_STR(imported("a.b.c", NULL, "x", 0), "a.b.c");
    EXPECT_STR(imported("a", NULL, NULL, 0), "a");
    EXPECT_NULL(imported("a", NULL, NULL, -1));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "level must be >= 0");
    EXPECT_NULL(imported("", NULL, NULL, 0));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "Empty module name");
}

TEST_PY(items_of_a_package_are_imported)
{
    append_packages();
    EXPECT_STR(imported("a", NULL, "b", 0), "a");
    EXPECT_EQ(PyDict_ContainsString(PyImport_GetModuleDict(), "a.b"), 1);
    EXPECT_STR(imported("a", NULL, "nothing", 0), "a"); /* may be an attribute later */
    PyObject *numbers = Py_BuildValue("[i]", 3);
    EXPECT_NULL(PyImport_ImportModuleLevel("a", NULL, NULL, numbers, 0));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "Item in ``from list'' must be str, not int");
    Py_DECREF(numbers);
}

TEST_PY(relative_names_start_from_the_package)
{
    append_packages();
    PyObject *globals = Py_BuildValue("{ss}", "__package__", "a.b");
    EXPECT_STR(imported("c", globals, NULL, 1), "a.b.c");
    EXPECT_STR(imported("", globals, "c", 1), "a.b");
    EXPECT_STR(imported("b", globals, NULL, 2), "a.b");
    EXPECT_STR(imported("b.c", globals, NULL, 2), "a.b");
    EXPECT_NULL(imported("x", globals, NULL, 3));
    EXPECT_RAISED_TEXT(PyExc_ImportError,
                       "attempted relative import beyond top-level package");
    Py_DECREF(globals);

    globals = Py_BuildValue("{ss}", "__name__", "a.b.module");
    EXPECT_STR(imported("c", globals, NULL, 1), "a.b.c");
    PyDict_SetItemString(globals, "__path__", Py_None); /* a package itself */
    EXPECT_NULL(imported("c", globals, NULL, 1));
    EXPECT_RAISED_TEXT(PyExc_ModuleNotFoundError, "No module named 'a.b.module'");
    Py_DECREF(globals);
}

TEST_PY(relative_names_need_a_package)
{
    EXPECT_NULL(imported("x", NULL, NULL, 1));
    EXPECT_RAISED(PyExc_KeyError);
    PyObject *globals = PyDict_New();
    EXPECT_NULL(imported("x", globals, NULL, 1));
    EXPECT_RAISED(PyExc_KeyError);
    PyDict_SetItemString(globals, "__name__", Py_None);
    EXPECT_NULL(imported("x", globals, NULL, 1));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__name__ must be a string");
    PyObject *name = text("top");
    PyDict_SetItemString(globals, "__name__", name);
    EXPECT_NULL(imported("x", globals, NULL, 1));
    EXPECT_RAISED_TEXT(PyExc_ImportError,
                       "attempted relative import with no known parent package");
    PyDict_SetItemString(globals, "__package__", Py_Ellipsis);
    EXPECT_NULL(imported("x", globals, NULL, 1));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "package must be a string");
    Py_DECREF(name);
    Py_DECREF(globals);
}

/* The name cannot be written as UTF-8. A name from other code may be any str. */
TEST_PY(a_package_with_half_a_surrogate_pair_in_its_name_is_an_exception)
{
    PyObject *half = PyUnicode_FromOrdinal(0xD800);
    PyObject *globals = Py_BuildValue("{s:O}", "__name__", half);
    EXPECT_NULL(imported("a", globals, NULL, 1));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    EXPECT_EQ(PyDict_SetItemString(globals, "__package__", half), 0);
    EXPECT_NULL(imported("a", globals, NULL, 1));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    EXPECT_EQ(PyDict_SetItem(PyImport_GetModuleDict(), half, Py_None), 0);
    EXPECT_NULL(PyImport_ImportModuleLevelObject(half, NULL, NULL, NULL, 0));
    EXPECT_RAISED(PyExc_ModuleNotFoundError);
    EXPECT_EQ(PyDict_SetItem(PyImport_GetModuleDict(), half, Py_True), 0);
    EXPECT_NULL(PyImport_ImportModuleLevelObject(half, NULL, NULL, NULL, 0));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    EXPECT_EQ(PyDict_DelItem(PyImport_GetModuleDict(), half), 0);
    Py_DECREF(globals);
    Py_DECREF(half);
}
