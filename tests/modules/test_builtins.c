/* SPDX-License-Identifier: MIT */
/* The module builtins: functions about one or two objects, and print. */
#include "calls.h"

#define EXPECT_BUILTIN(expected, function, args, kwargs)                                 \
    EXPECT_CALL(expected, "builtins", function, args, kwargs)
#define EXPECT_BUILTIN_RAISES(type, message, function, args, kwargs)                     \
    EXPECT_CALL_RAISES(type, message, "builtins", function, args, kwargs)

TEST_PY(types_exceptions_and_constants_are_there)
{
    PyObject *found = PyImport_ImportModuleAttrString("builtins", "list");
    EXPECT_EQ(found, &PyList_Type);
    Py_XDECREF(found);
    found = PyImport_ImportModuleAttrString("builtins", "ZeroDivisionError");
    EXPECT_EQ(found, PyExc_ZeroDivisionError);
    Py_XDECREF(found);
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("builtins", "Ellipsis"), "Ellipsis");
    EXPECT_EQ(PyDict_ContainsString(PyEval_GetBuiltins(), "NotImplemented"), 1);
    PyObject *builtins = PyEval_GetFrameBuiltins();
    EXPECT_EQ(builtins, PyEval_GetBuiltins());
    Py_XDECREF(builtins);
}

TEST_PY(numbers_and_characters)
{
    EXPECT_BUILTIN("3", "abs", ARGS("(i)", -3), NULL);
    EXPECT_BUILTIN("'0b101'", "bin", ARGS("(i)", 5), NULL);
    EXPECT_BUILTIN("'0o17'", "oct", ARGS("(i)", 15), NULL);
    EXPECT_BUILTIN("'0xff'", "hex", ARGS("(i)", 255), NULL);
    EXPECT_BUILTIN("(2, 1)", "divmod", ARGS("(ii)", 7, 3), NULL);
    EXPECT_BUILTIN("8", "pow", ARGS("(ii)", 2, 3), NULL);
    EXPECT_BUILTIN("3", "pow", ARGS("(ii)", 2, 3), KWARGS("{si}", "mod", 5));
    EXPECT_BUILTIN("'A'", "chr", ARGS("(i)", 65), NULL);
    EXPECT_BUILTIN("65", "ord", ARGS("(s)", "A"), NULL);
    EXPECT_BUILTIN("255", "ord", ARGS("(y)", "\xff"), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_ValueError, "chr() arg not in range(0x110000)", "chr",
                          ARGS("(i)", -1), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError,
                          "ord() expected a character, but string of length 2 found",
                          "ord", ARGS("(s)", "ab"), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError,
                          "ord() expected string of length 1, but int found", "ord",
                          ARGS("(i)", 3), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "divmod expected 2 arguments, got 0", "divmod",
                          ARGS("()"), NULL);
}

TEST_PY(numbers_are_rounded_and_ranges_are_there)
{
    EXPECT_BUILTIN("3", "round", ARGS("(d)", 2.6), NULL);
    EXPECT_BUILTIN("2.6", "round", ARGS("(di)", 2.57, 1), NULL);
    EXPECT_BUILTIN("2.6", "round", ARGS("(d)", 2.57), KWARGS("{si}", "ndigits", 1));
    EXPECT_BUILTIN("1200", "round", ARGS("(ii)", 1234, -2), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "type str doesn't define __round__ method",
                          "round", ARGS("(s)", "x"), NULL);
    EXPECT_BUILTIN("range(0, 3)", "range", ARGS("(i)", 3), NULL);
}

TEST_PY(vars_is_the_dict_of_an_object)
{
    PyObject *module = PyModule_New("spam");
    PyObject *dict = call_with("builtins", "vars", ARGS("(O)", module), NULL);
    EXPECT_EQ(dict, PyModule_GetDict(module));
    Py_XDECREF(dict);
    Py_DECREF(module);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "vars() argument must have __dict__ attribute",
                          "vars", ARGS("(i)", 3), NULL);
}

TEST_PY(questions_about_an_object)
{
    EXPECT_BUILTIN("2", "len", ARGS("([ii])", 1, 2), NULL);
    EXPECT_BUILTIN("7", "hash", ARGS("(i)", 7), NULL);
    EXPECT_BUILTIN("'[1]'", "repr", ARGS("([i])", 1), NULL);
    EXPECT_BUILTIN("'7'", "format", ARGS("(i)", 7), NULL);
    EXPECT_BUILTIN("False", "callable", ARGS("(i)", 7), NULL);
    PyObject *id = call_with("builtins", "id", ARGS("(O)", Py_None), NULL);
    EXPECT_EQ(PyLong_AsVoidPtr(id), Py_None);
    Py_XDECREF(id);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "len() takes exactly one argument (0 given)",
                          "len", ARGS("()"), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "object of type 'int' has no len()", "len",
                          ARGS("(i)", 3), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "format() argument 2 must be str, not int",
                          "format", ARGS("(ii)", 3, 3), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "unhashable type: 'list'", "hash",
                          ARGS("([])"), NULL);
}

TEST_PY(classes_are_compared)
{
    PyObject *integer = (PyObject *)&PyLong_Type, *boolean = (PyObject *)&PyBool_Type;
    EXPECT_BUILTIN("True", "isinstance", ARGS("(iO)", 3, integer), NULL);
    EXPECT_BUILTIN("False", "isinstance", ARGS("(s(OO))", "x", integer, boolean), NULL);
    EXPECT_BUILTIN("True", "issubclass", ARGS("(OO)", boolean, integer), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "isinstance expected 2 arguments, got 0",
                          "isinstance", ARGS("()"), NULL);
}

TEST_PY(attributes_are_read_and_changed)
{
    PyObject *module = PyModule_New("spam");
    EXPECT_BUILTIN("None", "setattr", ARGS("(Osi)", module, "x", 3), NULL);
    EXPECT_BUILTIN("3", "getattr", ARGS("(Os)", module, "x"), NULL);
    EXPECT_BUILTIN("True", "hasattr", ARGS("(Os)", module, "x"), NULL);
    EXPECT_BUILTIN("None", "delattr", ARGS("(Os)", module, "x"), NULL);
    EXPECT_BUILTIN("False", "hasattr", ARGS("(Os)", module, "x"), NULL);
    EXPECT_BUILTIN("7", "getattr", ARGS("(Osi)", module, "x", 7), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_AttributeError, "module 'spam' has no attribute 'x'",
                          "getattr", ARGS("(Os)", module, "x"), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "attribute name must be string, not 'int'",
                          "hasattr", ARGS("(ii)", 3, 3), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "setattr expected 3 arguments, got 0",
                          "setattr", ARGS("()"), NULL);
    Py_DECREF(module);
}

TEST_PY(modules_are_imported)
{
    EXPECT_BUILTIN("<module 'gc' (built-in)>", "__import__", ARGS("(s)", "gc"), NULL);
    EXPECT_BUILTIN_RAISES(PyExc_ModuleNotFoundError, "No module named 'none'",
                          "__import__", ARGS("()"), KWARGS("{ss}", "name", "none"));
}

static void
print_some(void)
{
    PyObject *errors = PySys_GetAttrString("stderr");
    EXPECT_BUILTIN("None", "print", ARGS("(isO)", 1, "two", Py_None),
                   KWARGS("{sOssss}", "file", errors, "sep", "-", "end", ".\n"));
    EXPECT_BUILTIN("None", "print", ARGS("()"),
                   KWARGS("{sOsi}", "file", errors, "flush", 1));
    Py_DECREF(errors);
}

TEST_PY(objects_are_printed)
{
    char *output = capture_stderr(print_some);
    EXPECT_STR(output, "1-two-None.\n\n");
    free(output);
    EXPECT_BUILTIN_RAISES(PyExc_TypeError,
                          "print() got an unexpected keyword argument 'x'", "print",
                          ARGS("(i)", 3), KWARGS("{si}", "x", 3));
    EXPECT_BUILTIN_RAISES(PyExc_TypeError, "sep must be None or a string, not int",
                          "print", ARGS("(i)", 3), KWARGS("{si}", "sep", 4));
    EXPECT_BUILTIN_RAISES(PyExc_AttributeError, "'int' object has no attribute 'write'",
                          "print", ARGS("(i)", 3), KWARGS("{si}", "file", 4));
    PySys_SetObject("stdout", Py_None); /* nowhere to print to */
    EXPECT_BUILTIN("None", "print", ARGS("(i)", 3), NULL);
    PySys_SetObject("stdout", NULL);
    EXPECT_BUILTIN_RAISES(PyExc_RuntimeError, "lost sys.stdout", "print", ARGS("(i)", 3),
                          NULL);
}
