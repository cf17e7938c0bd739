/* SPDX-License-Identifier: MIT */
/* The module sys. */
#include "calls.h"

TEST_PY(sys_tells_what_this_is)
{
    PyObject *implementation = PyImport_ImportModuleAttrString("sys", "implementation");
    EXPECT_REPR_OF(PyObject_GetAttrString(implementation, "name"), "'ouroboros'");
    Py_DECREF(implementation);
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("sys", "version_info"),
                   "(3, 15, 0, 'final', 0)");
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("sys", "hexversion"), "51314928");
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("sys", "maxsize"),
                   "9223372036854775807");
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("sys", "builtin_module_names"),
                   "('_weakref', 'builtins', 'gc', 'sys', 'weakref')");
    PyObject *version = PyImport_ImportModuleAttrString("sys", "version");
    EXPECT_STR(PyUnicode_AsUTF8(version), Py_GetVersion());
    Py_DECREF(version);
}

TEST_PY(sys_modules_is_the_dict_of_modules)
{
    PyObject *modules = PyImport_ImportModuleAttrString("sys", "modules");
    EXPECT_EQ(modules, PyImport_GetModuleDict());
    EXPECT_EQ(PyDict_ContainsString(modules, "sys"), 1);
    EXPECT_EQ(PyDict_ContainsString(modules, "builtins"), 1);
    EXPECT_EQ(PyDict_ContainsString(modules, "gc"), 0); /* made when asked for */
    Py_DECREF(modules);
}

TEST_PY(references_are_counted)
{
    PyObject *list = PyList_New(0);
    PyObject *args = ARGS("(O)", list);
    EXPECT_CALL("2", "sys", "getrefcount", args, NULL);
    EXPECT_CALL_RAISES(PyExc_TypeError,
                       "sys.getrefcount() takes exactly one argument (0 given)", "sys",
                       "getrefcount", ARGS("()"), NULL);
    Py_DECREF(list);
}

TEST_PY(names_are_interned)
{
    PyObject *one = text("spam eggs"), *two = text("spam eggs");
    PyObject *first = call_with("sys", "intern", ARGS("(O)", one), NULL);
    PyObject *second = call_with("sys", "intern", ARGS("(O)", two), NULL);
    EXPECT_EQ(first, second);
    EXPECT_CALL_RAISES(PyExc_TypeError, "intern() argument must be str, not int", "sys",
                       "intern", ARGS("(i)", 3), NULL);
    Py_DECREF(first);
    Py_DECREF(second);
    Py_DECREF(one);
    Py_DECREF(two);
}

TEST_PY(small_questions_have_answers)
{
    EXPECT_CALL("(None, None, None)", "sys", "exc_info", ARGS("()"), NULL);
    PyObject *handled = PyObject_CallFunction(PyExc_KeyError, "i", 7);
    PyErr_SetHandledException(handled);
    EXPECT_CALL("(<class 'KeyError'>, KeyError(7), None)", "sys", "exc_info", ARGS("()"),
                NULL);
    PyErr_SetHandledException(NULL);
    Py_DECREF(handled);
    EXPECT_CALL("None", "sys", "exception", ARGS("()"), NULL);
    EXPECT_CALL("False", "sys", "is_finalizing", ARGS("()"), NULL);
    EXPECT_CALL("'utf-8'", "sys", "getdefaultencoding", ARGS("()"), NULL);
    EXPECT_CALL("4300", "sys", "get_int_max_str_digits", ARGS("()"), NULL);
    EXPECT_CALL("None", "sys", "set_int_max_str_digits", ARGS("(i)", 640), NULL);
    EXPECT_CALL("640", "sys", "get_int_max_str_digits", ARGS("()"), NULL);
}

/* --- the hook for exceptions that no caller can receive ------------------------------------- */

static PyObject *seen; /* what the program's hook was called with */
static int c_reports;

static PyObject *
keep_args(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_XSETREF(seen, Py_NewRef(args));
    Py_RETURN_NONE;
}

static PyObject *
fail_again(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    return PyErr_Format(PyExc_RuntimeError, "the hook failed");
}

static PyMethodDef keep_def = {"keep_args", keep_args, METH_O, NULL};
static PyMethodDef fail_def = {"fail_again", fail_again, METH_O, NULL};

static int
count_report(const Ouro_Unraisable *Py_UNUSED(report), void *Py_UNUSED(arg))
{
    c_reports++;
    return 0;
}

static void
set_hook(PyMethodDef *def)
{
    PyObject *function = PyCFunction_New(def, NULL);
    PySys_SetObject("unraisablehook", function);
    Py_DECREF(function);
}

static void
report_value_error(void)
{
    PyErr_SetString(PyExc_ValueError, "unseen");
    PyErr_WriteUnraisable(Py_Ellipsis);
}

TEST_PY(a_hook_of_the_program_gets_the_report)
{
    set_hook(&keep_def);
    report_value_error();
    REQUIRE_NOT_NULL(seen);
    EXPECT_REPR_OF(PyObject_GetAttrString(seen, "exc_type"), "<class 'ValueError'>");
    EXPECT_REPR_OF(PyObject_GetAttrString(seen, "exc_value"), "ValueError('unseen')");
    EXPECT_REPR_OF(PyObject_GetAttrString(seen, "exc_traceback"), "None");
    EXPECT_REPR_OF(PyObject_GetAttrString(seen, "err_msg"), "None");
    EXPECT_REPR_OF(PyObject_GetAttrString(seen, "object"), "Ellipsis");
    PyErr_SetString(PyExc_ValueError, "unseen");
    PyErr_FormatUnraisable("Exception ignored in %s", "a test");
    EXPECT_REPR_OF(PyObject_GetAttrString(seen, "err_msg"),
                   "'Exception ignored in a test'");
    EXPECT_REPR_OF(PyObject_GetAttrString(seen, "object"), "None");
    Py_CLEAR(seen);
}

TEST_PY(a_hook_of_the_program_comes_before_the_c_hook)
{
    Ouro_SetUnraisableHook(count_report, NULL);
    report_value_error();
    EXPECT_EQ(c_reports, 1);
    Py_XDECREF(PyImport_ImportModule("sys")); /* sys with its own hook changes nothing */
    report_value_error();
    EXPECT_EQ(c_reports, 2);
    set_hook(&keep_def);
    report_value_error();
    EXPECT_EQ(c_reports, 2);
    /* The hook may pass the report on. */
    EXPECT_CALL("None", "sys", "__unraisablehook__", ARGS("(O)", seen), NULL);
    EXPECT_EQ(c_reports, 3);
    PyObject *original = PySys_GetObject("__unraisablehook__");
    PySys_SetObject("unraisablehook", original);
    report_value_error();
    EXPECT_EQ(c_reports, 4);
    PySys_SetObject("unraisablehook", NULL); /* deleted: the same as the original */
    report_value_error();
    EXPECT_EQ(c_reports, 5);
    PySys_SetObject("unraisablehook", Py_None); /* no reports */
    report_value_error();
    EXPECT_EQ(c_reports, 5);
    Py_CLEAR(seen);
}

static void
report_to_original(void)
{
    EXPECT_CALL("None", "sys", "__unraisablehook__", ARGS("(O)", seen), NULL);
}

TEST_PY(the_original_hook_prints)
{
    set_hook(&keep_def);
    report_value_error();
    char *output = capture_stderr(report_to_original);
    EXPECT_HAS(output, "Exception ignored in: Ellipsis");
    EXPECT_HAS(output, "ValueError: unseen");
    free(output);
    EXPECT_CALL_RAISES(PyExc_TypeError,
                       "sys.unraisablehook argument type must be UnraisableHookArgs",
                       "sys", "__unraisablehook__", ARGS("(i)", 3), NULL);
    Py_CLEAR(seen);
}

TEST_PY(a_hook_that_fails_loses_no_report)
{
    set_hook(&fail_def);
    char *output = capture_stderr(report_value_error);
    EXPECT_HAS(output, "ValueError: unseen");
    EXPECT_HAS(output, "RuntimeError: the hook failed");
    EXPECT_NO_ERROR();
    free(output);
}

static PyObject *
report_once(void)
{
    report_value_error();
    Py_CLEAR(seen);
    return NULL;
}

TEST_PY(reports_leave_nothing_behind)
{
    set_hook(&keep_def);
    repeat_without_leak(report_once);
}

/* --- streams ------------------------------------------------------------------------------------ */

static void
write_to_stderr(void)
{
    PyErr_SetString(PyExc_KeyError, "kept");
    PySys_WriteStderr("%s %d\n", "plain", 3);
    PySys_FormatStderr("%R\n", Py_None);
    EXPECT_RAISED(PyExc_KeyError);
}

TEST_PY(what_is_written_arrives)
{
    char *output = capture_stderr(write_to_stderr);
    EXPECT_STR(output, "plain 3\nNone\n");
    free(output);
}

static void
write_half_a_surrogate_pair(void)
{
    PyObject *half = PyUnicode_FromOrdinal(0xD800);
    PySys_SetObject("stderr", Py_None);
    PySys_FormatStderr("<%U>\n", half);
    EXPECT_NULL(PyErr_Occurred());
    Py_DECREF(half);
}

TEST_PY(where_text_is_no_utf_8_its_format_is_written)
{
    char *output = capture_stderr(write_half_a_surrogate_pair);
    EXPECT_STR(output, "<%U>\n");
    free(output);
}

static PyObject *written;

static PyObject *
append_text(PyObject *Py_UNUSED(self), PyObject *arg)
{
    PyList_Append(written, arg);
    Py_RETURN_NONE;
}

TEST_PY(a_program_may_replace_the_streams)
{
    static PyMethodDef write_def = {"write", append_text, METH_O, NULL};
    PyObject *file = PyModule_New("file");
    PyModule_Add(file, "write", PyCFunction_New(&write_def, NULL));
    written = PyList_New(0);
    PySys_SetObject("stdout", file);
    PySys_WriteStdout("%05d", 42);
    char longer[1100];
    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';
    PySys_WriteStdout("%s", longer);
    PySys_FormatStdout("%S", Py_True);
    EXPECT_EQ(PyList_Size(written), 4);
    EXPECT_REPR_OF(Py_NewRef(PyList_GetItem(written, 0)), "'00042'");
    EXPECT_EQ(PyObject_Size(PyList_GetItem(written, 1)), 1000);
    EXPECT_REPR_OF(Py_NewRef(PyList_GetItem(written, 2)), "'... truncated'");
    EXPECT_REPR_OF(Py_NewRef(PyList_GetItem(written, 3)), "'True'");
    PyObject *original = PySys_GetObject("__stdout__");
    PySys_SetObject("stdout", original);
    Py_DECREF(file);
    Py_CLEAR(written);
}

TEST_PY(attributes_of_sys_are_read_as_new_references)
{
    PyObject *name = text("modules"), *missing = text("nothing"), *found = Py_None;
    PyObject *modules = PyImport_GetModuleDict();
    EXPECT_SAME_COUNT(modules, {
        PyObject *attribute = PySys_GetAttr(name);
        EXPECT_EQ(attribute, modules);
        Py_XDECREF(attribute);
        EXPECT_EQ(PySys_GetOptionalAttr(name, &found), 1);
        EXPECT_EQ(found, modules);
        Py_XDECREF(found);
        EXPECT_EQ(PySys_GetOptionalAttrString("modules", &found), 1);
        Py_XDECREF(found);
    });
    EXPECT_EQ(PySys_GetOptionalAttr(missing, &found), 0);
    EXPECT_NULL(found);
    found = Py_None;
    EXPECT_EQ(PySys_GetOptionalAttrString("nothing", &found), 0);
    EXPECT_NULL(found);
    EXPECT_NO_ERROR();
    EXPECT_NULL(PySys_GetAttr(missing));
    EXPECT_RAISED_TEXT(PyExc_RuntimeError, "lost sys.nothing");
    EXPECT_NULL(PySys_GetAttr(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(missing);
    Py_DECREF(name);
}

TEST_PY(the_platform_is_named)
{
    PyObject *platform = PySys_GetAttrString("platform");
    EXPECT_STR(PyUnicode_AsUTF8(platform), Py_GetPlatform());
    Py_DECREF(platform);
}

TEST(the_path_of_modules_comes_from_the_environment)
{
    setenv("OURO_PATH", "first:second", 1);
    EXPECT_STR(Ouro_GetModulePath(), "first:second");
    Py_Initialize();
    PyObject *path = PySys_GetAttrString("path");
    EXPECT_REPR_OF(path, "['first', 'second']");
    EXPECT_EQ(Py_FinalizeEx(), 0);
    unsetenv("OURO_PATH");
    EXPECT_NULL(Ouro_GetModulePath());
}
