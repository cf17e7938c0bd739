/* SPDX-License-Identifier: MIT */
/* Running Python code: each way to do it says that it cannot be done. */
#include <Python.h>

static PyObject *
refuse_to_run(const char *what)
{
    return PyErr_Format(PyExc_NotImplementedError,
                        "%s: there is no Python code in this program", what);
}

static int
refuse_and_print(const char *what)
{
    refuse_to_run(what);
    PyErr_Print();
    return -1;
}

PyObject *
PyRun_StringFlags(const char *Py_UNUSED(source), int Py_UNUSED(start),
                  PyObject *Py_UNUSED(globals), PyObject *Py_UNUSED(locals),
                  PyCompilerFlags *Py_UNUSED(flags))
{
    return refuse_to_run("PyRun_String");
}

PyObject *
PyRun_FileExFlags(FILE *file, const char *Py_UNUSED(name), int Py_UNUSED(start),
                  PyObject *Py_UNUSED(globals), PyObject *Py_UNUSED(locals), int closeit,
                  PyCompilerFlags *Py_UNUSED(flags))
{
    if (closeit) {
        fclose(file);
    }
    return refuse_to_run("PyRun_File");
}

int
PyRun_SimpleStringFlags(const char *Py_UNUSED(source), PyCompilerFlags *Py_UNUSED(flags))
{
    return refuse_and_print("PyRun_SimpleString");
}

int
PyRun_SimpleFileExFlags(FILE *file, const char *Py_UNUSED(name), int closeit,
                        PyCompilerFlags *Py_UNUSED(flags))
{
    if (closeit) {
        fclose(file);
    }
    return refuse_and_print("PyRun_SimpleFile");
}

PyObject *
Py_CompileStringExFlags(const char *Py_UNUSED(source), const char *Py_UNUSED(name),
                        int Py_UNUSED(start), PyCompilerFlags *Py_UNUSED(flags),
                        int Py_UNUSED(optimize))
{
    return refuse_to_run("Py_CompileString");
}

PyObject *
PyEval_EvalCode(PyObject *Py_UNUSED(code), PyObject *Py_UNUSED(globals),
                PyObject *Py_UNUSED(locals))
{
    return refuse_to_run("PyEval_EvalCode");
}

PyObject *
PyImport_ExecCodeModuleEx(const char *Py_UNUSED(name), PyObject *Py_UNUSED(code),
                          const char *Py_UNUSED(path))
{
    return refuse_to_run("PyImport_ExecCodeModule");
}
