/* SPDX-License-Identifier: MIT */
/* Where the program is installed, as CPython's functions report it: whatever the program says.
 * There is no installation, so prefixes are empty. */
#include <ouroboros.h>

#include <stdbool.h>
#include <wchar.h>

/* Copies of what was set, kept until they are set again. */
static wchar_t *program_name, *python_home;

/* False without memory. */
static bool
keep_wide(wchar_t **place, const wchar_t *text)
{
    wchar_t *copy = NULL;
    size_t size = text == NULL ? 0 : (wcslen(text) + 1) * sizeof(wchar_t);
    if (text != NULL && (copy = PyMem_RawMalloc(size)) == NULL) {
        return false;
    }
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    PyMem_RawFree(*place);
    *place = copy;
    return true;
}

void
Py_SetProgramName(const wchar_t *name)
{
    if (!keep_wide(&program_name, name)) {
        Py_FatalError("out of memory");
    }
}

void
Py_SetPythonHome(const wchar_t *home)
{
    if (!keep_wide(&python_home, home)) {
        Py_FatalError("out of memory");
    }
}

static wchar_t nothing[] = L"";

wchar_t *
Py_GetProgramName(void)
{
    return program_name == NULL ? nothing : program_name;
}

wchar_t *
Py_GetProgramFullPath(void)
{
    return Py_GetProgramName();
}

wchar_t *
Py_GetPythonHome(void)
{
    return python_home;
}

wchar_t *
Py_GetPrefix(void)
{
    return nothing;
}

wchar_t *
Py_GetExecPrefix(void)
{
    return nothing;
}

/* The folders of OURO_PATH, which is read each time: it may change. */
wchar_t *
Py_GetPath(void)
{
    static wchar_t *path;
    const char *folders = Ouro_GetModulePath();
    wchar_t *decoded = folders == NULL ? NULL : Py_DecodeLocale(folders, NULL);
    PyMem_RawFree(path);
    path = decoded;
    return path == NULL ? nothing : path;
}

/* --- what it is ---------------------------------------------------------------------------- */

const char *
Py_GetBuildInfo(void)
{
    return "Ouroboros " OURO_VERSION;
}

const char *
Py_GetCompiler(void)
{
#if defined(__clang__)
    return "[Clang " __clang_version__ "]";
#elif defined(__GNUC__)
    return "[GCC " __VERSION__ "]";
#else
    return "[C]";
#endif
}

const char *
Py_GetCopyright(void)
{
    return "Ouroboros " OURO_VERSION ", under the MIT license";
}
