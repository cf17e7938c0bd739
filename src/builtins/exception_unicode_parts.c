/* SPDX-License-Identifier: MIT */
/* The parts of Unicode errors, got and set from C; exception_unicode.c has the types.
 *
 * Attributes can be assigned, so each part is checked when it is read. */
#include "exception_unicode.h"

PyObject *
PyUnicodeDecodeError_Create(const char *encoding, const char *object, Py_ssize_t length,
                            Py_ssize_t start, Py_ssize_t end, const char *reason)
{
    return PyObject_CallFunction(PyExc_UnicodeDecodeError, "sy#nns", encoding, object,
                                 length, start, end, reason);
}

/* --- getting -------------------------------------------------------------------------------- */

/* A part of an error of this class; NULL with TypeError. Borrowed. */
static PyObject *
unicode_error_part(PyObject *exc, PyObject *class, int part, PyTypeObject *type)
{
    static const char *const names[] = {"encoding", "object", "start", "end", "reason"};
    if (!PyObject_TypeCheck(exc, (PyTypeObject *)class)) {
        return PyErr_Format(PyExc_TypeError, "expected %s, not %.200s",
                            ((PyTypeObject *)class)->tp_name, Py_TYPE(exc)->tp_name);
    }
    PyObject *value = ouro_exception_fields(exc)[part];
    if (value == NULL) {
        return PyErr_Format(PyExc_TypeError, "%s attribute not set", names[part]);
    }
    if (!PyObject_TypeCheck(value, type)) {
        return PyErr_Format(PyExc_TypeError, "%s attribute must be %s", names[part],
                            type->tp_name);
    }
    return value;
}

static Py_ssize_t
error_object_size(PyObject *object)
{
    return PyBytes_Check(object) ? PyBytes_GET_SIZE(object)
                                 : PyUnicode_GET_LENGTH(object);
}

/* The start is inside the object, and the end not before its second position. */
static int
unicode_error_position(PyObject *exc, PyObject *class, PyTypeObject *object_type,
                       int part, Py_ssize_t *position)
{
    PyObject *object = unicode_error_part(exc, class, UNICODE_OBJECT, object_type);
    PyObject *number =
        object == NULL ? NULL : unicode_error_part(exc, class, part, &PyLong_Type);
    Py_ssize_t value = number == NULL ? -1 : PyLong_AsSsize_t(number);
    if (number == NULL || (value == -1 && PyErr_Occurred())) {
        return -1;
    }
    Py_ssize_t size = error_object_size(object);
    Py_ssize_t least = part == UNICODE_END ? 1 : 0;
    Py_ssize_t most = part == UNICODE_END ? size : size - 1;
    value = value > most ? most : value;
    value = value < least ? least : value;
    *position = size == 0 ? 0 : value;
    return 0;
}

/* --- setting -------------------------------------------------------------------------------- */

/* Steals `value`, which may be NULL with an exception. */
static int
set_unicode_error_part(PyObject *exc, PyObject *class, int part, PyObject *value)
{
    if (value != NULL && !PyObject_TypeCheck(exc, (PyTypeObject *)class)) {
        PyErr_Format(PyExc_TypeError, "expected %s, not %.200s",
                     ((PyTypeObject *)class)->tp_name, Py_TYPE(exc)->tp_name);
        Py_CLEAR(value);
    }
    if (value == NULL) {
        return -1;
    }
    Py_XSETREF(ouro_exception_fields(exc)[part], value);
    return 0;
}

/* --- the same for each class ------------------------------------------------------------------ */

#define PARTS_OF(class_, object_type)                                                    \
    PyObject *Py##class_##_GetObject(PyObject *exc)                                      \
    {                                                                                    \
        return Py_XNewRef(                                                               \
            unicode_error_part(exc, PyExc_##class_, UNICODE_OBJECT, (object_type)));     \
    }                                                                                    \
    PyObject *Py##class_##_GetReason(PyObject *exc)                                      \
    {                                                                                    \
        return Py_XNewRef(                                                               \
            unicode_error_part(exc, PyExc_##class_, UNICODE_REASON, &PyUnicode_Type));   \
    }                                                                                    \
    int Py##class_##_GetStart(PyObject *exc, Py_ssize_t *start)                          \
    {                                                                                    \
        return unicode_error_position(exc, PyExc_##class_, (object_type), UNICODE_START, \
                                      start);                                            \
    }                                                                                    \
    int Py##class_##_GetEnd(PyObject *exc, Py_ssize_t *end)                              \
    {                                                                                    \
        return unicode_error_position(exc, PyExc_##class_, (object_type), UNICODE_END,   \
                                      end);                                              \
    }                                                                                    \
    int Py##class_##_SetStart(PyObject *exc, Py_ssize_t start)                           \
    {                                                                                    \
        return set_unicode_error_part(exc, PyExc_##class_, UNICODE_START,                \
                                      PyLong_FromSsize_t(start));                        \
    }                                                                                    \
    int Py##class_##_SetEnd(PyObject *exc, Py_ssize_t end)                               \
    {                                                                                    \
        return set_unicode_error_part(exc, PyExc_##class_, UNICODE_END,                  \
                                      PyLong_FromSsize_t(end));                          \
    }                                                                                    \
    int Py##class_##_SetReason(PyObject *exc, const char *reason)                        \
    {                                                                                    \
        return set_unicode_error_part(exc, PyExc_##class_, UNICODE_REASON,               \
                                      PyUnicode_FromString(reason));                     \
    }

PARTS_OF(UnicodeDecodeError, &PyBytes_Type)
PARTS_OF(UnicodeEncodeError, &PyUnicode_Type)
PARTS_OF(UnicodeTranslateError, &PyUnicode_Type)

PyObject *
PyUnicodeDecodeError_GetEncoding(PyObject *exc)
{
    return Py_XNewRef(unicode_error_part(exc, PyExc_UnicodeDecodeError, UNICODE_ENCODING,
                                         &PyUnicode_Type));
}

PyObject *
PyUnicodeEncodeError_GetEncoding(PyObject *exc)
{
    return Py_XNewRef(unicode_error_part(exc, PyExc_UnicodeEncodeError, UNICODE_ENCODING,
                                         &PyUnicode_Type));
}
