/* SPDX-License-Identifier: MIT */
/* What PyErr_Print does with SystemExit, and the older forms. test_errors.c tests plain
 * printing. */
#include "../protocol.h"

#include <sys/wait.h>
#include <unistd.h>

/* The exit status of a child that prints a SystemExit with this code (taken). */
static int
status_of_exit(PyObject *code)
{
    fflush(stdout);
    fflush(stderr);
    pid_t pid = fork();
    if (pid == 0) {
        PyOS_AfterFork_Child();
        PyErr_SetObject(PyExc_SystemExit, code);
        Py_DECREF(code);
        PyErr_Print();
        _exit(99);
    }
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    Py_DECREF(code);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_PY(printing_system_exit_ends_the_process)
{
    EXPECT_EQ(status_of_exit(Py_NewRef(Py_None)), 0);
    EXPECT_EQ(status_of_exit(number(3)), 3);
    EXPECT_EQ(status_of_exit(number(0)), 0);
    capture_stderr_begin();
    EXPECT_EQ(status_of_exit(text("the reason")), 1);
    char *said = capture_stderr_end();
    EXPECT_STR(said, "the reason\n");
    free(said);
}

TEST_PY(displaying_system_exit_prints_it)
{
    PyObject *e = PyObject_CallFunction(PyExc_SystemExit, "i", 3);
    capture_stderr_begin();
    PyErr_Display(NULL, e, NULL);
    char *said = capture_stderr_end();
    EXPECT_STR(said, "SystemExit: 3\n");
    free(said);
    Py_DECREF(e);
}

TEST_PY(a_resource_warning_is_formatted)
{
    capture_stderr_begin();
    EXPECT_EQ(PyErr_ResourceWarning(Py_None, 1, "%d open", 2), 0);
    char *said = capture_stderr_end();
    EXPECT_STR(said, "ResourceWarning: 2 open\n");
    free(said);
}
