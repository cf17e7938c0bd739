/* SPDX-License-Identifier: MIT */
/* UnicodeDecodeError and UnicodeEncodeError: encoding, object, start, end, reason; and
 * UnicodeTranslateError, which has no encoding. exception_unicode_parts.c gets and sets them
 * from C. */
#include "exception_unicode.h"

#include "arguments.h"

/* Arguments of the right types; the object is bytes when decoding failed, else str. */
static bool
unicode_args_are_valid(PyObject *args, PyTypeObject *object_type)
{
    PyTypeObject *types[5] = {&PyUnicode_Type, object_type, &PyLong_Type, &PyLong_Type,
                              &PyUnicode_Type};
    for (Py_ssize_t i = 0; i < 5; i++) {
        PyObject *arg = PyTuple_GET_ITEM(args, i);
        if (!PyObject_TypeCheck(arg, types[i])) {
            PyErr_Format(PyExc_TypeError, "argument %zd must be %s, not %.100s", i + 1,
                         types[i]->tp_name, Py_TYPE(arg)->tp_name);
            return false;
        }
    }
    return true;
}

static int
unicode_error_init(PyObject *self, PyObject *args, PyObject *kwargs,
                   PyTypeObject *object_type)
{
    if (ouro_exception_init(self, args, kwargs) < 0 ||
        !ouro_args_between(Py_TYPE(self)->tp_name, PyTuple_GET_SIZE(args), 5, 5) ||
        !unicode_args_are_valid(args, object_type)) {
        return -1;
    }
    for (int i = 0; i < 5; i++) {
        Py_XSETREF(ouro_exception_fields(self)[i], Py_NewRef(PyTuple_GET_ITEM(args, i)));
    }
    return 0;
}

static int
decode_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return unicode_error_init(self, args, kwargs, &PyBytes_Type);
}

static int
encode_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return unicode_error_init(self, args, kwargs, &PyUnicode_Type);
}

/* The four arguments, with an empty encoding in front of them, are checked like the others. */
static int
translate_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (ouro_exception_init(self, args, kwargs) < 0 ||
        !ouro_args_between(Py_TYPE(self)->tp_name, PyTuple_GET_SIZE(args), 4, 4)) {
        return -1;
    }
    PyObject *all = PyTuple_Pack(5, Py_GetConstantBorrowed(Py_CONSTANT_EMPTY_STR),
                                 PyTuple_GET_ITEM(args, 0), PyTuple_GET_ITEM(args, 1),
                                 PyTuple_GET_ITEM(args, 2), PyTuple_GET_ITEM(args, 3));
    int failed = all == NULL || !unicode_args_are_valid(all, &PyUnicode_Type);
    for (int i = UNICODE_OBJECT; !failed && i <= UNICODE_REASON; i++) {
        Py_XSETREF(ouro_exception_fields(self)[i], Py_NewRef(PyTuple_GET_ITEM(all, i)));
    }
    Py_XDECREF(all);
    return failed ? -1 : 0;
}

/* The program can assign the fields, so nothing about them is trusted. False when they make no
 * sense. */
static bool
unicode_error_range(PyObject *self, Py_ssize_t *start, Py_ssize_t *end)
{
    PyObject **fields = ouro_exception_fields(self);
    if (fields[UNICODE_START] == NULL || fields[UNICODE_END] == NULL ||
        !PyLong_Check(fields[UNICODE_START]) || !PyLong_Check(fields[UNICODE_END]) ||
        fields[UNICODE_OBJECT] == NULL) {
        return false;
    }
    *start = PyLong_AsSsize_t(fields[UNICODE_START]);
    *end = PyLong_AsSsize_t(fields[UNICODE_END]);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return true;
}

/* "'<encoding>' codec can't <verb> ..." with what is wrong at one place, if it is one. */
static PyObject *
unicode_error_text(PyObject *self, const char *verb, PyObject *what)
{
    Py_ssize_t start, end;
    PyObject **fields = ouro_exception_fields(self);
    if (!unicode_error_range(self, &start, &end)) {
        return ouro_exception_str(self);
    }
    if (what != NULL) {
        return PyUnicode_FromFormat("'%S' codec can't %s %U in position %zd: %S",
                                    fields[UNICODE_ENCODING], verb, what, start,
                                    fields[UNICODE_REASON]);
    }
    const char *unit = PyBytes_Check(fields[UNICODE_OBJECT]) ? "bytes" : "characters";
    return PyUnicode_FromFormat("'%S' codec can't %s %s in position %zd-%zd: %S",
                                fields[UNICODE_ENCODING], verb, unit, start, end - 1,
                                fields[UNICODE_REASON]);
}

static PyObject *
decode_error_str(PyObject *self)
{
    Py_ssize_t start, end;
    PyObject *object = ouro_exception_fields(self)[UNICODE_OBJECT], *what = NULL;
    if (unicode_error_range(self, &start, &end) && end == start + 1 &&
        PyBytes_Check(object) && start >= 0 && start < PyBytes_GET_SIZE(object)) {
        const char *text = PyBytes_AS_STRING(object);
        what = PyUnicode_FromFormat("byte 0x%02x", (unsigned)(unsigned char)text[start]);
        if (what == NULL) {
            return NULL;
        }
    }
    PyObject *result = unicode_error_text(self, "decode", what);
    Py_XDECREF(what);
    return result;
}

/* The character that is wrong, if it is one: 1 and a new reference, 0; or -1. */
static int
name_wrong_character(PyObject *self, PyObject **what)
{
    Py_ssize_t start, end;
    PyObject *object = ouro_exception_fields(self)[UNICODE_OBJECT];
    *what = NULL;
    if (!unicode_error_range(self, &start, &end) || end != start + 1 ||
        !PyUnicode_Check(object) || start < 0 || start >= PyUnicode_GET_LENGTH(object)) {
        return 0;
    }
    Py_UCS4 ch = PyUnicode_ReadChar(object, start);
    const char *format = ch < 0x100     ? "character '\\x%02x'"
                         : ch < 0x10000 ? "character '\\u%04x'"
                                        : "character '\\U%08x'";
    *what = PyUnicode_FromFormat(format, (unsigned)ch);
    return *what == NULL ? -1 : 1;
}

static PyObject *
encode_error_str(PyObject *self)
{
    PyObject *what;
    if (name_wrong_character(self, &what) < 0) {
        return NULL;
    }
    PyObject *result = unicode_error_text(self, "encode", what);
    Py_XDECREF(what);
    return result;
}

static PyObject *
translate_error_str(PyObject *self)
{
    PyObject *what, *result;
    Py_ssize_t start = 0, end = 0;
    PyObject *reason = ouro_exception_fields(self)[UNICODE_REASON];
    int named = name_wrong_character(self, &what);
    if (named < 0) {
        return NULL;
    }
    if (named > 0) {
        unicode_error_range(self, &start, &end);
        result = PyUnicode_FromFormat("can't translate %U in position %zd: %S", what,
                                      start, reason);
    } else if (unicode_error_range(self, &start, &end)) {
        result = PyUnicode_FromFormat(
            "can't translate characters in position %zd-%zd: %S", start, end - 1, reason);
    } else {
        result = ouro_exception_str(self);
    }
    Py_XDECREF(what);
    return result;
}

/* UnicodeTranslateError has all but the first. */
static PyMemberDef unicode_error_members[] = {
    OURO_EXCEPTION_MEMBER("encoding", UNICODE_ENCODING, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("object", UNICODE_OBJECT, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("start", UNICODE_START, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("end", UNICODE_END, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("reason", UNICODE_REASON, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

#define UNICODE_ERROR_TYPE(name_, what_)                                                 \
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name_,                              \
                                        .tp_basicsize = OURO_EXCEPTION_SIZE(5),          \
                                        .tp_dealloc = ouro_exception_dealloc5,           \
                                        .tp_str = what_##_error_str,                     \
                                        .tp_flags = OURO_EXCEPTION_FLAGS,                \
                                        .tp_traverse = ouro_exception_traverse5,         \
                                        .tp_clear = ouro_exception_clear5,               \
                                        .tp_base = &ouro_UnicodeError,                   \
                                        .tp_dictoffset =                                 \
                                            offsetof(PyBaseExceptionObject, dict),       \
                                        .tp_init = what_##_error_init,                   \
                                        .tp_alloc = PyType_GenericAlloc,                 \
                                        .tp_new = ouro_exception_new,                    \
                                        .tp_free = PyObject_GC_Del

PyTypeObject ouro_UnicodeDecodeError = {
    UNICODE_ERROR_TYPE("UnicodeDecodeError", decode),
    .tp_doc = "Unicode decoding error.",
    .tp_members = unicode_error_members,
};

PyTypeObject ouro_UnicodeEncodeError = {
    UNICODE_ERROR_TYPE("UnicodeEncodeError", encode),
    .tp_doc = "Unicode encoding error.",
    .tp_members = unicode_error_members,
};

PyTypeObject ouro_UnicodeTranslateError = {
    UNICODE_ERROR_TYPE("UnicodeTranslateError", translate),
    .tp_doc = "Unicode translation error.",
    .tp_members = unicode_error_members + 1,
};
