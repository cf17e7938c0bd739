/* SPDX-License-Identifier: MIT */
/* What a command line leaves in sys: arguments and options. */
#include <Python.h>

/* The options -X; the program has none. Borrowed: sys keeps it. */
PyObject *
PySys_GetXOptions(void)
{
    PyObject *options = PySys_GetObject("_xoptions");
    if (options != NULL) {
        return options;
    }
    options = PyDict_New();
    int failed = options == NULL || PySys_SetObject("_xoptions", options) < 0;
    Py_XDECREF(options);
    return failed ? NULL : options;
}

void
PySys_ResetWarnOptions(void)
{
    PyObject *options = PyList_New(0);
    if (options == NULL || PySys_SetObject("warnoptions", options) < 0) {
        PyErr_Clear();
    }
    Py_XDECREF(options);
}

static PyObject *
list_of_arguments(int argc, wchar_t **argv)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < (argc > 0 ? argc : 1); i++) {
        PyObject *text = PyUnicode_FromWideChar(argc > 0 ? argv[i] : L"", -1);
        if (text == NULL || PyList_Append(list, text) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    return list;
}

/* The folder of the first argument, or "" when it has none, goes to the front of sys.path. */
static int
put_folder_first(const wchar_t *program)
{
    const wchar_t *slash = wcsrchr(program, L'/');
    PyObject *folder =
        PyUnicode_FromWideChar(program, slash == NULL ? 0 : slash - program);
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    int failed = folder == NULL || (path != NULL && PyList_Check(path) &&
                                    PyList_Insert(path, 0, folder) < 0);
    Py_XDECREF(folder);
    return failed ? -1 : 0;
}

void
PySys_SetArgvEx(int argc, wchar_t **argv, int updatepath)
{
    PyObject *list = list_of_arguments(argc, argv);
    if (list == NULL || PySys_SetObject("argv", list) < 0 ||
        (updatepath && put_folder_first(argc > 0 ? argv[0] : L"") < 0)) {
        Py_FatalError("sys.argv cannot be set");
    }
    Py_DECREF(list);
}

void
PySys_SetArgv(int argc, wchar_t **argv)
{
    PySys_SetArgvEx(argc, argv, 1);
}
