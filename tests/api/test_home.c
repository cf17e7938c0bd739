/* SPDX-License-Identifier: MIT */
/* What the program says about itself. */
#include "../protocol.h"

#include <stdlib.h>
#include <wchar.h>

TEST(the_names_that_were_set_are_copied)
{
    wchar_t name[] = L"prog";
    EXPECT_EQ(wcscmp(Py_GetProgramName(), L""), 0);
    EXPECT_NULL(Py_GetPythonHome());
    Py_SetProgramName(name);
    Py_SetPythonHome(name);
    name[0] = L'x';
    EXPECT_EQ(wcscmp(Py_GetProgramName(), L"prog"), 0);
    EXPECT_EQ(wcscmp(Py_GetProgramFullPath(), L"prog"), 0);
    EXPECT_EQ(wcscmp(Py_GetPythonHome(), L"prog"), 0);
    Py_SetProgramName(NULL);
    Py_SetPythonHome(NULL);
    EXPECT_EQ(wcscmp(Py_GetProgramName(), L""), 0);
}

TEST(there_is_no_installation_but_a_path_of_modules)
{
    EXPECT_EQ(wcscmp(Py_GetPrefix(), L""), 0);
    EXPECT_EQ(wcscmp(Py_GetExecPrefix(), L""), 0);
    setenv("OURO_PATH", "/a:/b", 1);
    EXPECT_EQ(wcscmp(Py_GetPath(), L"/a:/b"), 0);
    unsetenv("OURO_PATH");
    EXPECT_EQ(wcscmp(Py_GetPath(), L""), 0);
}

TEST(the_build_is_named)
{
    EXPECT(strstr(Py_GetBuildInfo(), "Ouroboros") != NULL);
    EXPECT_EQ(Py_GetCompiler()[0], '[');
    EXPECT(strstr(Py_GetCopyright(), "MIT") != NULL);
}
