/* SPDX-License-Identifier: MIT */
/* Frames that stand for C code. No thread runs in one: PyEval_GetFrame (api/frames.c) finds
 * none. They are made for tracebacks (traceback.c). */
#include <Python.h>

struct _frame {
    PyObject_HEAD
    PyCodeObject *code;
    PyObject *globals;
    PyObject *locals; /* or NULL */
};

static PyFrameObject *
frame_of(PyObject *op)
{
    return (PyFrameObject *)op;
}

PyFrameObject *
PyFrame_New(PyThreadState *Py_UNUSED(tstate), PyCodeObject *code, PyObject *globals,
            PyObject *locals)
{
    if (code == NULL || globals == NULL || !PyDict_Check(globals) ||
        (locals != NULL && !PyMapping_Check(locals))) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (PyType_Ready(&PyFrame_Type) < 0) {
        return NULL;
    }
    PyFrameObject *frame = PyObject_GC_New(PyFrameObject, &PyFrame_Type);
    if (frame != NULL) {
        frame->code = (PyCodeObject *)Py_NewRef(code);
        frame->globals = Py_NewRef(globals);
        frame->locals = Py_XNewRef(locals);
        PyObject_GC_Track(frame);
    }
    return frame;
}

/* --- parts ------------------------------------------------------------------------------- */

PyFrameObject *
PyFrame_GetBack(PyFrameObject *Py_UNUSED(frame))
{
    return NULL;
}

PyObject *
PyFrame_GetGenerator(PyFrameObject *Py_UNUSED(frame))
{
    return NULL;
}

PyCodeObject *
PyFrame_GetCode(PyFrameObject *frame)
{
    return (PyCodeObject *)Py_NewRef(frame->code);
}

PyObject *
PyFrame_GetBuiltins(PyFrameObject *Py_UNUSED(frame))
{
    return Py_XNewRef(PyEval_GetBuiltins());
}

PyObject *
PyFrame_GetGlobals(PyFrameObject *frame)
{
    return Py_NewRef(frame->globals);
}

PyObject *
PyFrame_GetLocals(PyFrameObject *frame)
{
    if (frame->locals == NULL) {
        frame->locals = PyDict_New();
    }
    return Py_XNewRef(frame->locals);
}

int
PyFrame_GetLasti(PyFrameObject *Py_UNUSED(frame))
{
    return -1;
}

int
PyFrame_GetLineNumber(PyFrameObject *frame)
{
    return frame->code->co_firstlineno;
}

PyObject *
PyFrame_GetVar(PyFrameObject *frame, PyObject *name)
{
    PyObject *value = NULL;
    if (!PyUnicode_Check(name)) {
        return PyErr_Format(PyExc_TypeError, "name must be str, not %.200s",
                            Py_TYPE(name)->tp_name);
    }
    int found = frame->locals == NULL
                    ? 0
                    : PyMapping_GetOptionalItem(frame->locals, name, &value);
    return found == 0 ? PyErr_Format(PyExc_NameError, "variable %R does not exist", name)
                      : value;
}

PyObject *
PyFrame_GetVarString(PyFrameObject *frame, const char *name)
{
    PyObject *text = PyUnicode_FromString(name);
    PyObject *value = text == NULL ? NULL : PyFrame_GetVar(frame, text);
    Py_XDECREF(text);
    return value;
}

void
PyFrame_FastToLocals(PyFrameObject *Py_UNUSED(frame))
{
}

int
PyFrame_FastToLocalsWithError(PyFrameObject *Py_UNUSED(frame))
{
    return 0;
}

void
PyFrame_LocalsToFast(PyFrameObject *Py_UNUSED(frame), int Py_UNUSED(clear))
{
}

/* --- the type ---------------------------------------------------------------------------- */

static int
frame_traverse(PyObject *op, visitproc visit, void *arg)
{
    PyFrameObject *frame = frame_of(op);
    Py_VISIT(frame->code);
    Py_VISIT(frame->globals);
    Py_VISIT(frame->locals);
    return 0;
}

/* The code and the globals stay: they keep a frame usable, and cycles go through dicts. */
static int
frame_clear(PyObject *op)
{
    Py_CLEAR(frame_of(op)->locals);
    return 0;
}

static void
frame_dealloc(PyObject *op)
{
    PyFrameObject *frame = frame_of(op);
    PyObject_GC_UnTrack(op);
    Py_XDECREF(frame->locals);
    Py_DECREF(frame->globals);
    Py_DECREF(frame->code);
    PyObject_GC_Del(op);
}

static PyObject *
frame_repr(PyObject *op)
{
    PyCodeObject *code = frame_of(op)->code;
    return PyUnicode_FromFormat("<frame at %p, file %R, line %d, code %U>", op,
                                code->co_filename, code->co_firstlineno, code->co_name);
}

static PyObject *
frame_get_locals(PyObject *op, void *Py_UNUSED(closure))
{
    return PyFrame_GetLocals(frame_of(op));
}

static PyObject *
frame_get_builtins(PyObject *op, void *Py_UNUSED(closure))
{
    return PyFrame_GetBuiltins(frame_of(op));
}

static PyObject *
frame_get_lineno(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(PyFrame_GetLineNumber(frame_of(op)));
}

static PyObject *
frame_get_lasti(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(PyFrame_GetLasti(frame_of(op)));
}

static PyObject *
frame_get_back(PyObject *Py_UNUSED(op), void *Py_UNUSED(closure))
{
    Py_RETURN_NONE;
}

static PyGetSetDef frame_attributes[] = {
    {"f_locals", frame_get_locals, NULL, NULL, NULL},
    {"f_builtins", frame_get_builtins, NULL, NULL, NULL},
    {"f_lineno", frame_get_lineno, NULL, NULL, NULL},
    {"f_lasti", frame_get_lasti, NULL, NULL, NULL},
    {"f_back", frame_get_back, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef frame_members[] = {
    {"f_code", _Py_T_OBJECT, offsetof(PyFrameObject, code), Py_READONLY, NULL},
    {"f_globals", _Py_T_OBJECT, offsetof(PyFrameObject, globals), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject PyFrame_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "frame",
    .tp_basicsize = sizeof(PyFrameObject),
    .tp_dealloc = frame_dealloc,
    .tp_repr = frame_repr,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "A frame that stands for C code.",
    .tp_traverse = frame_traverse,
    .tp_clear = frame_clear,
    .tp_members = frame_members,
    .tp_getset = frame_attributes,
};
