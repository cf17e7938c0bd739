/* SPDX-License-Identifier: MIT */
/* Error handlers of encodings, as functions: those that are built in, and those that a program
 * registers. A handler gets a Unicode error and returns what to write instead, and where to go
 * on. str_codec.c has the built-in ones inline; they are here for callers from outside. */
#include "str_codec.h"

#include "exception_unicode.h"

/* --- what went wrong -------------------------------------------------------------------------- */

struct defect {
    PyObject *object; /* owned: bytes or str */
    Py_ssize_t start, end;
};

static bool
is_error(PyObject *exc, PyObject *class)
{
    return PyObject_TypeCheck(exc, (PyTypeObject *)class);
}

static PyObject *
refuse_error(PyObject *exc)
{
    return PyErr_Format(PyExc_TypeError,
                        "don't know how to handle %.200s in error callback",
                        Py_TYPE(exc)->tp_name);
}

/* False with an exception. */
static bool
read_defect(PyObject *exc, struct defect *defect)
{
    int failed = 0;
    defect->object = NULL;
    if (is_error(exc, PyExc_UnicodeDecodeError)) {
        defect->object = PyUnicodeDecodeError_GetObject(exc);
        failed = PyUnicodeDecodeError_GetStart(exc, &defect->start) |
                 PyUnicodeDecodeError_GetEnd(exc, &defect->end);
    } else if (is_error(exc, PyExc_UnicodeEncodeError)) {
        defect->object = PyUnicodeEncodeError_GetObject(exc);
        failed = PyUnicodeEncodeError_GetStart(exc, &defect->start) |
                 PyUnicodeEncodeError_GetEnd(exc, &defect->end);
    } else if (is_error(exc, PyExc_UnicodeTranslateError)) {
        defect->object = PyUnicodeTranslateError_GetObject(exc);
        failed = PyUnicodeTranslateError_GetStart(exc, &defect->start) |
                 PyUnicodeTranslateError_GetEnd(exc, &defect->end);
    } else {
        refuse_error(exc);
    }
    if (failed) {
        Py_CLEAR(defect->object);
    }
    return defect->object != NULL;
}

/* Write what stands for one byte or character of the object. 0; or -1 with an exception. */
typedef int (*write_one)(PyUnicodeWriter *writer, PyObject *object, Py_ssize_t at);

/* What a handler returns, (text, end); takes `text` over, which may be NULL with an
 * exception. */
static PyObject *
replacement(PyObject *text, Py_ssize_t end)
{
    PyObject *position = text == NULL ? NULL : PyLong_FromSsize_t(end);
    PyObject *pair = position == NULL ? NULL : PyTuple_Pack(2, text, position);
    Py_XDECREF(text);
    Py_XDECREF(position);
    return pair;
}

/* (text, end), with `write` called for each position; the defect is done with. */
static PyObject *
substitute_defect(struct defect *defect, write_one write)
{
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(0);
    int failed = writer == NULL ? -1 : 0;
    for (Py_ssize_t i = defect->start; failed == 0 && i < defect->end; i++) {
        failed = write(writer, defect->object, i);
    }
    Py_DECREF(defect->object);
    if (failed < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return replacement(PyUnicodeWriter_Finish(writer), defect->end);
}

/* --- the handlers -------------------------------------------------------------------------------- */

PyObject *
PyCodec_StrictErrors(PyObject *exc)
{
    if (PyExceptionInstance_Check(exc)) {
        PyErr_SetObject((PyObject *)Py_TYPE(exc), exc);
    } else {
        PyErr_SetString(PyExc_TypeError, "codec must pass exception instance");
    }
    return NULL;
}

static int
write_nothing(PyUnicodeWriter *Py_UNUSED(writer), PyObject *Py_UNUSED(object),
              Py_ssize_t Py_UNUSED(at))
{
    return 0;
}

PyObject *
PyCodec_IgnoreErrors(PyObject *exc)
{
    struct defect defect;
    return read_defect(exc, &defect) ? substitute_defect(&defect, write_nothing) : NULL;
}

static int
write_question(PyUnicodeWriter *writer, PyObject *Py_UNUSED(object),
               Py_ssize_t Py_UNUSED(at))
{
    return PyUnicodeWriter_WriteChar(writer, '?');
}

static int
write_replacement(PyUnicodeWriter *writer, PyObject *Py_UNUSED(object),
                  Py_ssize_t Py_UNUSED(at))
{
    return PyUnicodeWriter_WriteChar(writer, 0xFFFD);
}

PyObject *
PyCodec_ReplaceErrors(PyObject *exc)
{
    struct defect defect;
    if (!read_defect(exc, &defect)) {
        return NULL;
    }
    if (PyBytes_Check(defect.object)) { /* one for all bytes */
        Py_DECREF(defect.object);
        return replacement(PyUnicode_FromOrdinal(0xFFFD), defect.end);
    }
    return substitute_defect(&defect, is_error(exc, PyExc_UnicodeEncodeError)
                                          ? write_question
                                          : write_replacement);
}

static int
write_reference(PyUnicodeWriter *writer, PyObject *object, Py_ssize_t at)
{
    return PyUnicodeWriter_Format(writer, "&#%u;",
                                  (unsigned)PyUnicode_READ_CHAR(object, at));
}

PyObject *
PyCodec_XMLCharRefReplaceErrors(PyObject *exc)
{
    struct defect defect;
    if (!is_error(exc, PyExc_UnicodeEncodeError)) {
        return refuse_error(exc);
    }
    return read_defect(exc, &defect) ? substitute_defect(&defect, write_reference) : NULL;
}

static int
write_backslash(PyUnicodeWriter *writer, PyObject *object, Py_ssize_t at)
{
    if (PyBytes_Check(object)) {
        return PyUnicodeWriter_Format(
            writer, "\\x%02x", (unsigned)(unsigned char)PyBytes_AS_STRING(object)[at]);
    }
    Py_UCS4 ch = PyUnicode_READ_CHAR(object, at);
    return PyUnicodeWriter_Format(writer,
                                  ch < 0x100     ? "\\x%02x"
                                  : ch < 0x10000 ? "\\u%04x"
                                                 : "\\U%08x",
                                  (unsigned)ch);
}

PyObject *
PyCodec_BackslashReplaceErrors(PyObject *exc)
{
    struct defect defect;
    return read_defect(exc, &defect) ? substitute_defect(&defect, write_backslash) : NULL;
}

/* --- by name --------------------------------------------------------------------------------------- */

#define HANDLER(name)                                                                    \
    static PyObject *handle_##name(PyObject *Py_UNUSED(self), PyObject *exc)             \
    {                                                                                    \
        return PyCodec_##name##Errors(exc);                                              \
    }
HANDLER(Strict)
HANDLER(Ignore)
HANDLER(Replace)
HANDLER(XMLCharRefReplace)
HANDLER(BackslashReplace)

static PyMethodDef built_in_handlers[] = {
    {"strict", handle_Strict, METH_O, NULL},
    {"ignore", handle_Ignore, METH_O, NULL},
    {"replace", handle_Replace, METH_O, NULL},
    {"xmlcharrefreplace", handle_XMLCharRefReplace, METH_O, NULL},
    {"backslashreplace", handle_BackslashReplace, METH_O, NULL},
};

/* The handlers of the interpreter by name, built-in ones first. Borrowed; NULL with an
 * exception. */
static PyObject *
handlers_by_name(void)
{
    PyObject *dict = PyInterpreterState_GetDict(PyInterpreterState_Get());
    PyObject *handlers = NULL;
    if (dict == NULL) {
        return PyErr_NoMemory();
    }
    if (PyDict_GetItemStringRef(dict, "ouro.codec_handlers", &handlers) != 0) {
        Py_XDECREF(handlers); /* the dict keeps them */
        return handlers;
    }
    PyObject *made = PyDict_New();
    for (size_t i = 0; made != NULL && i < Py_ARRAY_LENGTH(built_in_handlers); i++) {
        PyObject *function = PyCFunction_New(&built_in_handlers[i], NULL);
        if (function == NULL ||
            PyDict_SetItemString(made, built_in_handlers[i].ml_name, function) < 0) {
            Py_CLEAR(made);
        }
        Py_XDECREF(function);
    }
    if (made != NULL && PyDict_SetItemString(dict, "ouro.codec_handlers", made) == 0) {
        handlers = made;
    }
    Py_XDECREF(made);
    return handlers;
}

int
PyCodec_RegisterError(const char *name, PyObject *error)
{
    if (!PyCallable_Check(error)) {
        PyErr_SetString(PyExc_TypeError, "handler must be callable");
        return -1;
    }
    PyObject *handlers = handlers_by_name();
    return handlers == NULL ? -1 : PyDict_SetItemString(handlers, name, error);
}

PyObject *
PyCodec_LookupError(const char *name)
{
    PyObject *handlers = handlers_by_name(), *found = NULL;
    name = name == NULL ? "strict" : name;
    if (handlers != NULL && PyDict_GetItemStringRef(handlers, name, &found) == 0) {
        PyErr_Format(PyExc_LookupError, "unknown error handler name '%.400s'", name);
    }
    return found;
}

/* --- calling one -------------------------------------------------------------------------------------- */

PyObject *
ouro_codec_call_handler(const char *name, PyObject *exc, Py_ssize_t size,
                        Py_ssize_t *next)
{
    PyObject *handler = PyCodec_LookupError(name);
    PyObject *result = handler == NULL ? NULL : PyObject_CallOneArg(handler, exc);
    PyObject *text = NULL;
    Py_XDECREF(handler);
    if (result == NULL) {
        return NULL;
    }
    bool is_pair = PyTuple_Check(result) && PyTuple_GET_SIZE(result) == 2;
    if (is_pair) {
        text = PyTuple_GET_ITEM(result, 0);
        *next = PyNumber_AsSsize_t(PyTuple_GET_ITEM(result, 1), PyExc_OverflowError);
    }
    if (!is_pair || (*next == -1 && PyErr_Occurred())) {
        PyErr_SetString(PyExc_TypeError,
                        "error handler must return (str or bytes, int) tuple");
        text = NULL;
    }
    *next += *next < 0 && text != NULL ? size : 0;
    if (text != NULL && (*next < 0 || *next > size)) {
        PyErr_Format(PyExc_IndexError, "position %zd from error handler out of bounds",
                     *next);
        text = NULL;
    }
    Py_XINCREF(text);
    Py_DECREF(result);
    return text;
}
