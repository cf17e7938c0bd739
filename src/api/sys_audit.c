/* SPDX-License-Identifier: MIT */
/* Audit events: hooks learn what a module is about to do, and may object. */
#include <Python.h>

#include "../thread/thread.h"

struct audit_hook {
    struct audit_hook *next;
    Py_AuditHookFunction function;
    void *data;
};

static struct audit_hook *audit_hooks; /* of the process, in their order */

/* After the last interpreter. */
static void
forget_audit_hooks(void)
{
    while (audit_hooks != NULL) {
        struct audit_hook *next = audit_hooks->next;
        PyMem_RawFree(audit_hooks);
        audit_hooks = next;
    }
}

int
PySys_AddAuditHook(Py_AuditHookFunction function, void *data)
{
    struct audit_hook *hook = PyMem_RawMalloc(sizeof *hook), **end = &audit_hooks;
    if (hook == NULL || (audit_hooks == NULL && Py_AtExit(forget_audit_hooks) < 0)) {
        PyMem_RawFree(hook);
        if (ouro_is_attached()) {
            PyErr_NoMemory();
        }
        return -1;
    }
    *hook = (struct audit_hook){NULL, function, data};
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = hook;
    return 0;
}

static int
call_audit_hooks(const char *event, PyObject *args)
{
    int failed = 0;
    for (struct audit_hook *hook = audit_hooks; failed == 0 && hook != NULL;
         hook = hook->next) {
        failed = hook->function(event, args, hook->data);
    }
    return failed == 0 ? 0 : -1;
}

int
PySys_AuditTuple(const char *event, PyObject *args)
{
    if (args != NULL && !PyTuple_Check(args)) {
        PyErr_Format(PyExc_TypeError, "expected tuple, got %.200s",
                     Py_TYPE(args)->tp_name);
        return -1;
    }
    if (audit_hooks == NULL) {
        return 0;
    }
    PyObject *all = args == NULL ? PyTuple_New(0) : Py_NewRef(args);
    int result = all == NULL ? -1 : call_audit_hooks(event, all);
    Py_XDECREF(all);
    return result;
}

/* The arguments are made only if there is a hook. */
int
PySys_Audit(const char *event, const char *format, ...)
{
    if (audit_hooks == NULL) {
        return 0;
    }
    PyObject *args = NULL;
    va_list vargs;
    va_start(vargs, format);
    if (format != NULL && format[0] != '\0') {
        args = Py_VaBuildValue(format, vargs);
    }
    va_end(vargs);
    if (args == NULL && PyErr_Occurred()) {
        return -1;
    }
    if (args != NULL && !PyTuple_Check(args)) {
        PyObject *one = PyTuple_Pack(1, args);
        Py_DECREF(args);
        args = one;
        if (args == NULL) {
            return -1;
        }
    }
    int result = PySys_AuditTuple(event, args);
    Py_XDECREF(args);
    return result;
}
