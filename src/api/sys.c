/* SPDX-License-Identifier: MIT */
/* Attributes of sys, writing to its streams, and the dict of builtins. */
#include "import.h"

#include "../platform/platform.h"
#include "../thread/thread.h"

/* The dict of sys, borrowed; NULL with an exception. */
static PyObject *
dict_of_sys(void)
{
    struct _is *interp = ouro_thread_required("PySys_GetObject")->interp;
    if (interp->sys_dict == NULL && PyImport_GetModuleDict() != NULL &&
        interp->sys_dict == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "lost sys");
    }
    return interp->sys_dict;
}

/* --- attributes --------------------------------------------------------------------------- */

int
PySys_GetOptionalAttrString(const char *name, PyObject **result)
{
    PyObject *dict = Py_XNewRef(dict_of_sys());
    *result = NULL;
    int found = dict == NULL ? -1 : PyDict_GetItemStringRef(dict, name, result);
    Py_XDECREF(dict);
    return found;
}

int
PySys_GetOptionalAttr(PyObject *name, PyObject **result)
{
    *result = NULL;
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "attribute name must be string, not '%.200s'",
                     Py_TYPE(name)->tp_name);
        return -1;
    }
    PyObject *dict = Py_XNewRef(dict_of_sys());
    int found = dict == NULL ? -1 : PyDict_GetItemRef(dict, name, result);
    Py_XDECREF(dict);
    return found;
}

PyObject *
PySys_GetAttr(PyObject *name)
{
    PyObject *value;
    if (PySys_GetOptionalAttr(name, &value) == 0) {
        PyErr_Format(PyExc_RuntimeError, "lost sys.%U", name);
    }
    return value;
}

PyObject *
PySys_GetAttrString(const char *name)
{
    PyObject *value;
    if (PySys_GetOptionalAttrString(name, &value) == 0) {
        PyErr_Format(PyExc_RuntimeError, "lost sys.%s", name);
    }
    return value;
}

PyObject *
PySys_GetObject(const char *name)
{
    PyObject *pending = PyErr_GetRaisedException();
    PyObject *value;
    (void)PySys_GetOptionalAttrString(name, &value);
    Py_XDECREF(value); /* sys has it */
    PyErr_SetRaisedException(pending);
    return value;
}

int
PySys_SetObject(const char *name, PyObject *value)
{
    PyObject *dict = Py_XNewRef(dict_of_sys());
    if (dict == NULL) {
        return -1;
    }
    int result = value != NULL ? PyDict_SetItemString(dict, name, value)
                               : PyDict_PopString(dict, name, NULL);
    Py_DECREF(dict);
    return result < 0 ? -1 : 0;
}

/* --- streams ---------------------------------------------------------------------------------- */

/* Call sys.<name>.write(text). False without an exception when that did not work. */
static bool
write_to_object(const char *name, PyObject *text)
{
    PyObject *file = NULL, *write = NULL, *result = NULL;
    if (PySys_GetOptionalAttrString(name, &file) > 0 && file != Py_None) {
        write = PyObject_GetAttrString(file, "write");
        result = write == NULL ? NULL : PyObject_CallOneArg(write, text);
    }
    Py_XDECREF(write);
    Py_XDECREF(file);
    Py_XDECREF(result);
    PyErr_Clear();
    return result != NULL;
}

/* Takes `text`, which may be NULL with an exception; then `fallback` is written. */
static void
write_text(const char *name, FILE *stream, PyObject *text, const char *fallback)
{
    if (text == NULL) {
        PyErr_Clear();
    }
    if (text == NULL || !write_to_object(name, text)) {
        const char *utf8 = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
        fputs(utf8 != NULL ? utf8 : fallback, stream);
        PyErr_Clear();
    }
    Py_XDECREF(text);
}

static void
write_like_printf(const char *name, FILE *stream, const char *format, va_list args)
{
    char buffer[1001];
    PyObject *pending = PyErr_GetRaisedException();
    int length = vsnprintf(buffer, sizeof(buffer), format, args);
    PyObject *text = PyUnicode_DecodeUTF8(buffer, (Py_ssize_t)strlen(buffer), "replace");
    write_text(name, stream, text, buffer);
    if (length < 0 || (size_t)length >= sizeof(buffer)) {
        write_text(name, stream, PyUnicode_FromString("... truncated"), "... truncated");
    }
    PyErr_SetRaisedException(pending);
}

static void
write_like_format(const char *name, FILE *stream, const char *format, va_list args)
{
    PyObject *pending = PyErr_GetRaisedException();
    write_text(name, stream, PyUnicode_FromFormatV(format, args), format);
    PyErr_SetRaisedException(pending);
}

void
PySys_WriteStdout(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_like_printf("stdout", stdout, format, args);
    va_end(args);
}

void
PySys_WriteStderr(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_like_printf("stderr", stderr, format, args);
    va_end(args);
}

void
PySys_FormatStdout(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_like_format("stdout", stdout, format, args);
    va_end(args);
}

void
PySys_FormatStderr(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_like_format("stderr", stderr, format, args);
    va_end(args);
}

/* --- integers as text ------------------------------------------------------------------------- */

int
Ouro_IntGetMaxStrDigits(void)
{
    return ouro_current.interp->max_str_digits;
}

int
Ouro_IntSetMaxStrDigits(int digits)
{
    if (digits != 0 && digits < OURO_INT_LEAST_STR_DIGITS) {
        PyErr_Format(PyExc_ValueError, "maxdigits must be 0 or larger than %d",
                     OURO_INT_LEAST_STR_DIGITS);
        return -1;
    }
    ouro_current.interp->max_str_digits = digits;
    return 0;
}

/* --- builtins ------------------------------------------------------------------------------------ */

PyObject *
PyEval_GetBuiltins(void)
{
    struct _is *interp = ouro_thread_required("PyEval_GetBuiltins")->interp;
    if (interp->builtins == NULL && PyImport_GetModuleDict() != NULL &&
        interp->builtins == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "lost builtins");
    }
    return interp->builtins;
}

PyObject *
PyEval_GetFrameBuiltins(void)
{
    return Py_XNewRef(PyEval_GetBuiltins());
}

/* --- where we are ---------------------------------------------------------------------------------- */

const char *
Py_GetPlatform(void)
{
    return OURO_PLATFORM_NAME;
}

const char *
Ouro_GetModulePath(void)
{
    return ouro_platform_getenv("OURO_PATH");
}
