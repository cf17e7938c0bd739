/* SPDX-License-Identifier: MIT */
/* What sys.stdout and sys.stderr are: text written to a C stream. */
#include "modules.h"

struct text_file {
    PyObject_HEAD
    FILE *stream;
    const char *name;
};

static PyObject *
text_file_write(PyObject *self, PyObject *text)
{
    Py_ssize_t size;
    if (!PyUnicode_Check(text)) {
        return PyErr_Format(PyExc_TypeError, "write() argument must be str, not %s",
                            Py_TYPE(text)->tp_name);
    }
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    FILE *stream = ((struct text_file *)self)->stream;
    if (bytes == NULL) {
        return NULL;
    }
    if (fwrite(bytes, 1, (size_t)size, stream) != (size_t)size) {
        return PyErr_Format(PyExc_OSError, "%s: %s", ((struct text_file *)self)->name,
                            strerror(errno));
    }
    return PyLong_FromSsize_t(PyUnicode_GET_LENGTH(text));
}

static PyObject *
text_file_flush(PyObject *self, PyObject *Py_UNUSED(unused))
{
    if (fflush(((struct text_file *)self)->stream) != 0) {
        return PyErr_Format(PyExc_OSError, "%s: %s", ((struct text_file *)self)->name,
                            strerror(errno));
    }
    Py_RETURN_NONE;
}

static PyObject *
text_file_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<TextFile name='%s'>", ((struct text_file *)self)->name);
}

static PyMethodDef text_file_methods[] = {
    {"write", text_file_write, METH_O, "Write a str; return its length."},
    {"flush", text_file_flush, METH_NOARGS, "Pass on what was written."},
    OURO_METHODS_END,
};

static PyMemberDef text_file_members[] = {
    {"name", Py_T_STRING, offsetof(struct text_file, name), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject text_file_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "sys.TextFile",
    .tp_basicsize = sizeof(struct text_file),
    .tp_repr = text_file_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Text written to a stream of the process.",
    .tp_methods = text_file_methods,
    .tp_members = text_file_members,
};

PyObject *
ouro_text_file_new(FILE *stream, const char *name)
{
    if (PyType_Ready(&text_file_type) < 0) {
        return NULL;
    }
    struct text_file *self = PyObject_New(struct text_file, &text_file_type);
    if (self != NULL) {
        self->stream = stream;
        self->name = name;
    }
    return (PyObject *)self;
}
