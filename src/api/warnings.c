/* SPDX-License-Identifier: MIT */
/* Warnings: printed, or given to the hook of the embedding program. There are no filters
 * and no source lines. */
#include <ouroboros.h>

#include "../thread/registry.h"
#include "../thread/thread.h"

void
Ouro_SetWarningHook(Ouro_WarningHook hook, void *arg)
{
    ouro_current_hooks()->warning = hook;
    ouro_current_hooks()->warning_arg = arg;
}

Ouro_WarningHook
Ouro_GetWarningHook(void **arg)
{
    if (arg != NULL) {
        *arg = ouro_current_hooks()->warning_arg;
    }
    return ouro_current_hooks()->warning;
}

int
PyErr_WarnEx(PyObject *category, const char *message, Py_ssize_t Py_UNUSED(level))
{
    struct _ts *thread = ouro_thread_required("PyErr_WarnEx");
    if (category == NULL) {
        category = PyExc_RuntimeWarning;
    }
    if (!PyType_Check(category) ||
        !PyType_IsSubtype((PyTypeObject *)category, (PyTypeObject *)PyExc_Warning)) {
        PyErr_Format(PyExc_TypeError, "category must be a Warning subclass, not '%s'",
                     Py_TYPE(category)->tp_name);
        return -1;
    }
    const struct hooks *hooks = &thread->interp->hooks;
    if (hooks->warning != NULL) {
        return hooks->warning(category, message, hooks->warning_arg);
    }
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", ((PyTypeObject *)category)->tp_name, message);
    fflush(stderr);
    return 0;
}

int
PyErr_WarnExplicit(PyObject *category, const char *message, const char *filename,
                   int lineno, const char *Py_UNUSED(module),
                   PyObject *Py_UNUSED(registry))
{
    struct _ts *thread = ouro_thread_required("PyErr_WarnExplicit");
    if (thread->interp->hooks.warning == NULL) {
        fflush(stdout);
        fprintf(stderr, "%s:%d: ", filename, lineno);
    }
    return PyErr_WarnEx(category, message, 1);
}

int
PyErr_WarnExplicitObject(PyObject *category, PyObject *message, PyObject *filename,
                         int lineno, PyObject *Py_UNUSED(module), PyObject *registry)
{
    PyObject *shown = PyObject_Str(message);
    const char *text = shown == NULL ? NULL : PyUnicode_AsUTF8(shown);
    const char *file = text == NULL ? NULL : PyUnicode_AsUTF8(filename);
    int result = file == NULL
                     ? -1
                     : PyErr_WarnExplicit(category, text, file, lineno, NULL, registry);
    Py_XDECREF(shown);
    return result;
}

static int
warn_formatted(PyObject *category, Py_ssize_t level, const char *format, va_list vargs)
{
    PyObject *text = PyUnicode_FromFormatV(format, vargs);
    if (text == NULL) {
        return -1;
    }
    const char *message = PyUnicode_AsUTF8(text);
    int result = message != NULL ? PyErr_WarnEx(category, message, level) : -1;
    Py_DECREF(text);
    return result;
}

int
PyErr_WarnFormat(PyObject *category, Py_ssize_t level, const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    int result = warn_formatted(category, level, format, vargs);
    va_end(vargs);
    return result;
}

int
PyErr_ResourceWarning(PyObject *Py_UNUSED(source), Py_ssize_t level, const char *format,
                      ...)
{
    va_list vargs;
    va_start(vargs, format);
    int result = warn_formatted(PyExc_ResourceWarning, level, format, vargs);
    va_end(vargs);
    return result;
}
