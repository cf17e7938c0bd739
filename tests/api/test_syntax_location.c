/* SPDX-License-Identifier: MIT */
/* Where a syntax error is. */
#include "../protocol.h"

#include <stdlib.h>
#include <unistd.h>

/* Writes a file of three lines. The caller frees its name. */
static char *
new_program(void)
{
    char *name = strdup("/tmp/ouro-test-XXXXXX");
    int handle = mkstemp(name);
    EXPECT_EQ(write(handle, "one\ntwo\nthree", 13), 13);
    close(handle);
    return name;
}

TEST_PY(a_line_of_a_program_is_found_by_its_number)
{
    char *name = new_program();
    EXPECT_REPR_OF(PyErr_ProgramText(name, 2), "'two\\n'");
    EXPECT_REPR_OF(PyErr_ProgramText(name, 3), "'three'");
    EXPECT_NULL(PyErr_ProgramText(name, 4));
    EXPECT_NULL(PyErr_ProgramText(name, 0));
    EXPECT_NULL(PyErr_ProgramText("/nowhere/at/all", 1));
    PyObject *object = text(name);
    EXPECT_REPR_OF(PyErr_ProgramTextObject(object, 2), "'two\\n'");
    EXPECT_NULL(PyErr_ProgramTextObject(object, 4));
    EXPECT_NULL(PyErr_ProgramTextObject(NULL, 1));
    Py_DECREF(object);
    EXPECT_NULL(PyErr_Occurred());
    unlink(name);
    free(name);
}

TEST_PY(the_pending_exception_gets_the_place_of_a_syntax_error)
{
    char *name = new_program();
    PyErr_SetString(PyExc_SyntaxError, "bad");
    PyErr_SyntaxLocationEx(name, 2, 7);
    PyObject *exc = PyErr_GetRaisedException();
    REQUIRE_NOT_NULL(exc);
    EXPECT_REPR_OF(PyObject_GetAttrString(exc, "lineno"), "2");
    EXPECT_REPR_OF(PyObject_GetAttrString(exc, "offset"), "7");
    EXPECT_REPR_OF(PyObject_GetAttrString(exc, "text"), "'two\\n'");
    PyErr_SetRaisedException(exc);
    PyObject *object = text(name);
    PyErr_SyntaxLocationObject(object, 3, 1);
    Py_DECREF(object);
    exc = PyErr_GetRaisedException();
    EXPECT_REPR_OF(PyObject_GetAttrString(exc, "text"), "'three'");
    PyErr_SetRaisedException(exc);
    PyErr_SyntaxLocation(NULL, 9);
    exc = PyErr_GetRaisedException();
    EXPECT_REPR_OF(PyObject_GetAttrString(exc, "lineno"), "9");
    EXPECT_REPR_OF(PyObject_GetAttrString(exc, "offset"), "None");
    Py_DECREF(exc);
    PyErr_SyntaxLocation(name, 1); /* nothing is pending */
    EXPECT_NULL(PyErr_Occurred());
    unlink(name);
    free(name);
}
