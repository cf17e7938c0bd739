/* SPDX-License-Identifier: MIT */
/* Arguments and options in sys. */
#include "../protocol.h"

TEST_PY(the_arguments_of_the_program_are_in_sys)
{
    wchar_t one[] = L"/bin/prog", two[] = L"x", *argv[] = {one, two, NULL};
    PySys_SetArgvEx(2, argv, 0);
    EXPECT_REPR_OF(Py_NewRef(PySys_GetObject("argv")), "['/bin/prog', 'x']");
    PySys_SetArgv(2, argv);
    PyObject *path = PySys_GetObject("path");
    EXPECT_REPR_OF(Py_NewRef(PyList_GetItem(path, 0)), "'/bin'");
    PySys_SetArgv(0, NULL);
    EXPECT_REPR_OF(Py_NewRef(PySys_GetObject("argv")), "['']");
    EXPECT_REPR_OF(Py_NewRef(PyList_GetItem(path, 0)), "''");
}

TEST_PY(there_are_no_options)
{
    EXPECT_REPR_OF(Py_XNewRef(PySys_GetXOptions()), "{}");
    EXPECT(PySys_GetXOptions() == PySys_GetObject("_xoptions"));
    PySys_ResetWarnOptions();
    EXPECT_REPR_OF(Py_XNewRef(PySys_GetObject("warnoptions")), "[]");
}
