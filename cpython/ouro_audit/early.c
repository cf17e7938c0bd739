/* SPDX-License-Identifier: MIT */
/* Finds objects that are tracked before their fields are initialised. A collection during the
 * constructor would visit uninitialised fields. Up to 3.11 any allocation can start a collection.
 * Since 3.12 only Python code can. So the visits are made here: at each allocation, all tracked
 * objects of the type are visited. For a forked child: a mistake causes a crash. */
#include "allocations.h"
#include "module.h"

#if PY_VERSION_HEX >= 0x030C0000

static PyTypeObject *wanted;

static int
touch(PyObject *referent, void *arg)
{
    volatile Py_ssize_t *sum = arg;
    *sum += referent == NULL ? 0 : Py_REFCNT(referent);
    *sum += referent == NULL ? 0 : (Py_ssize_t)Py_TYPE(referent)->tp_flags;
    return 0;
}

static int
visit_if_wanted(PyObject *object, void *arg)
{
    if (Py_TYPE(object) == wanted) {
        wanted->tp_traverse(object, touch, arg);
    }
    return 1;
}

static void
visit_all(void)
{
    volatile Py_ssize_t sum = 0;
    PyUnstable_GC_VisitObjects(visit_if_wanted, (void *)&sum);
}

static PyObject *
call_with_visits(PyTypeObject *type, PyObject *function)
{
    wanted = type;
    allocations_call(visit_all);
    PyObject *result = PyObject_CallObject(function, NULL);
    allocations_end();
    return result;
}

#else

static PyObject *
call_with_visits(PyTypeObject *Py_UNUSED(type), PyObject *function)
{
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *done = gc == NULL ? NULL : PyObject_CallMethod(gc, "set_threshold", "i", 1);
    Py_XDECREF(done);
    done = done == NULL ? NULL : PyObject_CallMethod(gc, "enable", NULL);
    Py_XDECREF(done);
    PyObject *result = done == NULL ? NULL : PyObject_CallObject(function, NULL);
    Py_XDECREF(done == NULL ? NULL : PyObject_CallMethod(gc, "disable", NULL));
    Py_XDECREF(gc);
    return result;
}

#endif

const char ouro_audit_traverse_at_allocations_doc[] =
    "traverse_at_allocations(type, function)\n--\n\n"
    "Call the function, and visit the tracked objects of the type at each allocation.";

PyObject *
ouro_audit_traverse_at_allocations(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyTypeObject *type;
    PyObject *function;
    if (!PyArg_ParseTuple(args, "O!O", &PyType_Type, &type, &function)) {
        return NULL;
    }
    return call_with_visits(type, function);
}
