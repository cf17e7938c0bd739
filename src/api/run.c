/* SPDX-License-Identifier: MIT */
/* Running Python code: each function reports that it cannot be done. */
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
PyEval_EvalCodeEx(PyObject *Py_UNUSED(code), PyObject *Py_UNUSED(globals),
                  PyObject *Py_UNUSED(locals), PyObject *const *Py_UNUSED(args),
                  int Py_UNUSED(argc), PyObject *const *Py_UNUSED(kws),
                  int Py_UNUSED(kwc), PyObject *const *Py_UNUSED(defs),
                  int Py_UNUSED(defc), PyObject *Py_UNUSED(kwdefs),
                  PyObject *Py_UNUSED(closure))
{
    return refuse_to_run("PyEval_EvalCodeEx");
}

PyObject *
PyEval_EvalFrameEx(PyFrameObject *Py_UNUSED(frame), int Py_UNUSED(exc))
{
    return refuse_to_run("PyEval_EvalFrame");
}

PyObject *
PyEval_EvalFrame(PyFrameObject *frame)
{
    return PyEval_EvalFrameEx(frame, 0);
}

PyObject *
PyImport_ExecCodeModuleObject(PyObject *Py_UNUSED(name), PyObject *Py_UNUSED(code),
                              PyObject *Py_UNUSED(path), PyObject *Py_UNUSED(compiled))
{
    return refuse_to_run("PyImport_ExecCodeModule");
}

PyObject *
PyImport_ExecCodeModuleWithPathnames(const char *Py_UNUSED(name),
                                     PyObject *Py_UNUSED(code),
                                     const char *Py_UNUSED(path),
                                     const char *Py_UNUSED(compiled))
{
    return refuse_to_run("PyImport_ExecCodeModule");
}

PyObject *
PyImport_ExecCodeModuleEx(const char *Py_UNUSED(name), PyObject *Py_UNUSED(code),
                          const char *Py_UNUSED(path))
{
    return refuse_to_run("PyImport_ExecCodeModule");
}

/* No module is frozen: 0, not found. */
int
PyImport_ImportFrozenModuleObject(PyObject *Py_UNUSED(name))
{
    return 0;
}

int
PyImport_ImportFrozenModule(const char *Py_UNUSED(name))
{
    return 0;
}
