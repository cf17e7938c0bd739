/* SPDX-License-Identifier: MIT */
/* Arguments with a buffer, or a number that stands for one byte. */
#include "bytes_argument.h"

bool
ouro_bytes_take(struct bytes_argument *a, PyObject *o)
{
    a->has_view = PyObject_CheckBuffer(o);
    if (!a->has_view) {
        PyErr_Format(PyExc_TypeError, "a bytes-like object is required, not '%.100s'",
                     Py_TYPE(o)->tp_name);
        return false;
    }
    if (PyObject_GetBuffer(o, &a->view, PyBUF_SIMPLE) < 0) {
        a->has_view = false;
        return false;
    }
    a->text.start = a->view.buf;
    a->text.end = a->text.start + a->view.len;
    return true;
}

bool
ouro_bytes_take_or_number(struct bytes_argument *a, PyObject *o)
{
    a->has_view = false;
    if (PyObject_CheckBuffer(o)) {
        return ouro_bytes_take(a, o);
    }
    if (!PyIndex_Check(o)) {
        PyErr_Format(PyExc_TypeError,
                     "argument should be integer or bytes-like object, not '%.200s'",
                     Py_TYPE(o)->tp_name);
        return false;
    }
    Py_ssize_t value = PyNumber_AsSsize_t(o, NULL);
    if (value == -1 && PyErr_Occurred()) {
        return false;
    }
    if (value < 0 || value > 255) {
        PyErr_SetString(PyExc_ValueError, "byte must be in range(0, 256)");
        return false;
    }
    a->byte = (char)value;
    a->text = (struct text_range){&a->byte, &a->byte + 1};
    return true;
}

void
ouro_bytes_release(struct bytes_argument *a)
{
    if (a->has_view) {
        PyBuffer_Release(&a->view);
    }
}
