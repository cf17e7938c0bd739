/* SPDX-License-Identifier: MIT */
/* What a thread is running: never Python code, so there is no frame, no variable in it, and
 * nothing to trace. */
#include <Python.h>

PyFrameObject *
PyEval_GetFrame(void)
{
    return NULL;
}

PyFrameObject *
PyThreadState_GetFrame(PyThreadState *Py_UNUSED(tstate))
{
    return NULL;
}

PyObject *
PyEval_GetGlobals(void)
{
    return NULL;
}

PyObject *
PyEval_GetFrameGlobals(void)
{
    return NULL;
}

PyObject *
PyEval_GetLocals(void)
{
    PyErr_SetString(PyExc_SystemError, "frame does not exist");
    return NULL;
}

PyObject *
PyEval_GetFrameLocals(void)
{
    return PyEval_GetLocals();
}

const char *
PyEval_GetFuncName(PyObject *func)
{
    if (PyMethod_Check(func)) {
        return PyEval_GetFuncName(PyMethod_GET_FUNCTION(func));
    }
    return PyCFunction_Check(func) ? ((PyCFunctionObject *)func)->m_ml->ml_name
                                   : Py_TYPE(func)->tp_name;
}

const char *
PyEval_GetFuncDesc(PyObject *func)
{
    return PyMethod_Check(func) || PyCFunction_Check(func) ? "()" : " object";
}

void
PyEval_SetProfile(Py_tracefunc Py_UNUSED(func), PyObject *Py_UNUSED(arg))
{
}

void
PyEval_SetTrace(Py_tracefunc Py_UNUSED(func), PyObject *Py_UNUSED(arg))
{
}

void
PyEval_SetProfileAllThreads(Py_tracefunc Py_UNUSED(func), PyObject *Py_UNUSED(arg))
{
}

void
PyEval_SetTraceAllThreads(Py_tracefunc Py_UNUSED(func), PyObject *Py_UNUSED(arg))
{
}

void
PyThreadState_EnterTracing(PyThreadState *Py_UNUSED(tstate))
{
}

void
PyThreadState_LeaveTracing(PyThreadState *Py_UNUSED(tstate))
{
}
