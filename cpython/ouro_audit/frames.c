/* SPDX-License-Identifier: MIT */
/* Keeps the frame of one call, so that the local variables of a test function outlive the call. A
 * profile function waits for the call, and is removed when it comes, so that the test function
 * itself runs at full speed. */
#include "module.h"

#include <frameobject.h>

static PyObject *wanted_code, *kept_frame;

static PyObject *
code_of(PyFrameObject *frame)
{
#if PY_VERSION_HEX >= 0x03090000
    return (PyObject *)PyFrame_GetCode(frame);
#else
    Py_INCREF(frame->f_code);
    return (PyObject *)frame->f_code;
#endif
}

static int
wait_for_call(PyObject *Py_UNUSED(arg), PyFrameObject *frame, int what,
              PyObject *Py_UNUSED(value))
{
    if (what != PyTrace_CALL || wanted_code == NULL) {
        return 0;
    }
    PyObject *code = code_of(frame);
    if (code == wanted_code) {
        Py_CLEAR(wanted_code);
        Py_INCREF(frame);
        kept_frame = (PyObject *)frame;
        PyEval_SetProfile(NULL, NULL);
    }
    Py_DECREF(code);
    return 0;
}

const char ouro_audit_keep_frame_doc[] =
    "keep_frame(code)\n--\n\n"
    "Keep the frame of the next call of a function with this code, for kept_frame().";

PyObject *
ouro_audit_keep_frame(PyObject *Py_UNUSED(module), PyObject *code)
{
    Py_INCREF(code);
    Py_XDECREF(wanted_code);
    wanted_code = code;
    Py_CLEAR(kept_frame);
    PyEval_SetProfile(wait_for_call, NULL);
    Py_RETURN_NONE;
}

const char ouro_audit_kept_frame_doc[] =
    "kept_frame()\n--\n\n"
    "Return the frame that was kept, or None, and stop waiting for a call.";

PyObject *
ouro_audit_kept_frame(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(ignored))
{
    PyObject *frame = kept_frame;
    if (wanted_code != NULL) {
        Py_CLEAR(wanted_code);
        PyEval_SetProfile(NULL, NULL);
    }
    kept_frame = NULL;
    if (frame == NULL) {
        Py_RETURN_NONE;
    }
    return frame;
}
