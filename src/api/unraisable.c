/* SPDX-License-Identifier: MIT */
/* Exceptions that no caller can receive: those of destructors, finalizers and callbacks.
 *
 * A report goes to sys.unraisablehook if the program has set it, else to the interpreter's C
 * hook, or is printed. It must work when memory is exhausted: the report is on the stack, and
 * text that cannot be made is replaced. */
#include <ouroboros.h>

#include "../thread/registry.h"
#include "../thread/thread.h"
#include "display.h"

void
Ouro_SetUnraisableHook(Ouro_UnraisableHook hook, void *arg)
{
    ouro_current_hooks()->unraisable = hook;
    ouro_current_hooks()->unraisable_arg = arg;
}

Ouro_UnraisableHook
Ouro_GetUnraisableHook(void **arg)
{
    if (arg != NULL) {
        *arg = ouro_current_hooks()->unraisable_arg;
    }
    return ouro_current_hooks()->unraisable;
}

void
Ouro_PrintUnraisable(const Ouro_Unraisable *report)
{
    fflush(stdout);
    if (report->object != NULL && report->object != Py_None) {
        fprintf(stderr, "%s: ",
                report->message != NULL ? report->message : "Exception ignored in");
        ouro_display_repr(report->object, "<object repr() failed>");
        fputs("\n", stderr);
    } else if (report->message != NULL) {
        fprintf(stderr, "%s:\n", report->message);
    }
    if (report->exc_value != NULL) {
        ouro_display_exception_line(report->exc_value);
    }
    fflush(stderr);
}

/* The hook failed, so it has not reported the exception: print both. */
static void
print_hook_failure(struct _ts *thread, const Ouro_Unraisable *report)
{
    PyObject *exc = thread->error;
    thread->error = NULL;
    Ouro_PrintUnraisable(report);
    Ouro_Unraisable failure = {
        .exc_type = (PyObject *)Py_TYPE(exc),
        .exc_value = exc,
        .message = "Exception ignored in the unraisable hook",
    };
    Ouro_PrintUnraisable(&failure);
    Py_DECREF(exc);
}

/* The hook that the program has set as sys.unraisablehook, a new reference; NULL without an
 * exception when there is no sys yet, or it still has its original hook. */
static PyObject *
hook_of_program(const struct _is *interp)
{
    PyObject *hook = NULL, *original = NULL;
    PyObject *dict = Py_XNewRef(interp->sys_dict);
    if (dict != NULL && PyDict_GetItemStringRef(dict, "unraisablehook", &hook) > 0) {
        (void)PyDict_GetItemStringRef(dict, "__unraisablehook__", &original);
    }
    if (hook == original) {
        Py_CLEAR(hook);
    }
    Py_XDECREF(original);
    Py_XDECREF(dict);
    PyErr_Clear();
    return hook;
}

/* Call the program's hook; None means no reports. */
static int
call_hook_of_program(PyObject *hook, const Ouro_Unraisable *report)
{
    if (hook == Py_None) {
        return 0;
    }
    PyObject *args = Ouro_UnraisableArgsNew(report);
    PyObject *result = args == NULL ? NULL : PyObject_CallOneArg(hook, args);
    Py_XDECREF(args);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static void
deliver_report(struct _ts *thread, const Ouro_Unraisable *report)
{
    const struct hooks hooks = thread->interp->hooks;
    PyObject *hook = thread->reporting ? NULL : hook_of_program(thread->interp);
    if ((hook == NULL && hooks.unraisable == NULL) || thread->reporting) {
        Ouro_PrintUnraisable(report);
        return;
    }
    thread->reporting = true;
    int result = hook != NULL ? call_hook_of_program(hook, report)
                              : hooks.unraisable(report, hooks.unraisable_arg);
    Py_XDECREF(hook);
    thread->reporting = false;
    if (thread->error != NULL) {
        print_hook_failure(thread, report);
    } else if (result < 0) {
        Ouro_PrintUnraisable(report);
    }
}

/* Take the pending exception and report it. */
static void
report_pending(const char *message, PyObject *object)
{
    struct _ts *thread = ouro_thread_required("PyErr_WriteUnraisable");
    PyObject *exc = PyErr_GetRaisedException();
    if (exc == NULL) {
        return;
    }
    const Ouro_Unraisable report = {
        .exc_type = (PyObject *)Py_TYPE(exc),
        .exc_value = exc,
        .exc_traceback = ((PyBaseExceptionObject *)exc)->traceback,
        .message = message,
        .object = object,
    };
    deliver_report(thread, &report);
    PyErr_Clear();
    Py_DECREF(exc);
    PyErr_Clear();
}

void
PyErr_WriteUnraisable(PyObject *obj)
{
    report_pending(NULL, obj);
}

void
PyErr_FormatUnraisable(const char *format, ...)
{
    struct _ts *thread = ouro_thread_required("PyErr_FormatUnraisable");
    PyObject *exc = thread->error; /* set aside: making the text may fail */
    thread->error = NULL;
    PyObject *text = NULL;
    if (format != NULL) {
        va_list vargs;
        va_start(vargs, format);
        text = PyUnicode_FromFormatV(format, vargs);
        va_end(vargs);
    }
    const char *message = text != NULL ? PyUnicode_AsUTF8AndSize(text, NULL) : format;
    PyErr_SetRaisedException(exc);
    report_pending(message, NULL);
    Py_XDECREF(text);
}
